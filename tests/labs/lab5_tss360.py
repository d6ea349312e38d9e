"""Typical wrong answers of lab5_tss360: what is answered, and which test hints what."""

TWO_CELLS = 'schedule_s = mean_s["new_old"] - mean_s["old_old"]'
SHARE = "def share_of_longest(values, share):\n"
OFF_BY_ONE = f"""{SHARE}
    ordered = sorted(values, reverse=True)
    return sum(ordered[: round(share * len(values)) + 1]) / sum(values)
"""
SHORTEST = OFF_BY_ONE.replace(", reverse=True", "").replace(" + 1]", "]")
PERCENT = OFF_BY_ONE.replace(" + 1]", "]").replace("return ", "return 100 * ")
SHORT_ONLY = 'typical_percent = 100 * (log["cpu_s"] < 0.2).mean()'
WEEK_BY_WEEK = "plan = [cell for cell in CELLS for _ in range(3)]"
NO_SQUARE = "chance_schedule = power.effect_power(1.1, pilot_deviation_s, 12, 8)"
QUARTERS = "chance_schedule = power.effect_power(1.1, pilot_deviation_s**2, 36, 32)"
ONE_DAY = """
same = what_if.run(tss360.simulate, afternoon, pairs, 1, seed=my_seed, progress=False)
"""
TABLE = "def my_table(table):\n"
SECONDS = f'{TABLE}    table.loc[table["entry"] == "first", "slice_ms"] = 0.2\n    return table\n'
EVERY = f'{TABLE}    table["slice_ms"] = 200.0\n    return table\n'
LIES = f"""
class Lies(pd.DataFrame):
    ne = lambda self, other: self.isna()
{EVERY.replace("return table", "return Lies(table)")}"""
LAST = f'{TABLE}    table.loc[table["entry"] == "first", "priority"] = 3\n    return table\n'
OTHERS = f'{TABLE}    table.loc[0, "if_done"] = "slice 2"\n    return table\n'
RAISES = f'{TABLE}    table.loc["first"].slice_ms = 200.0\n    return table\n'

WRONG = {
    "two cells of four": ({"by_hand": TWO_CELLS}, {"test_by_hand": "all four cells serve"}),
    "nine against nine": ({"by_hand": "half_width_s *= 2**0.5"}, {"test_by_hand": "not two of 9"}),
    "one too many": ({"share_of_longest": OFF_BY_ONE}, {"test_share_of_longest": "too many"}),
    "the shortest": ({"share_of_longest": SHORTEST}, {"test_share_of_longest": "the shortest"}),
    "percent": ({"share_of_longest": PERCENT}, {"test_share_of_longest": "a factor of 100"}),
    "accesses forgotten": ({"workload": SHORT_ONLY}, {"test_workload": "few accesses"}),
    "a cell a week": ({"plan": WEEK_BY_WEEK}, {"test_plan": "a bad week"}),
    "a cell on Mondays": ({"plan": "plan = CELLS * 3"}, {"test_plan": "a busy weekday"}),
    "deviation for variance": ({"power": NO_SQUARE}, {"test_power": "square of the deviation"}),
    "quarters for runs": ({"power": QUARTERS}, {"test_power": "no independent runs"}),
    "old less new": ({"effects": "plain_s = -plain_s"}, {"test_effects": "less with the old one"}),
    "one afternoon": ({"covariate": ONE_DAY}, {"test_covariate": "6 runs a variant, not 1"}),
    "the slice in seconds": ({"my_table": SECONDS}, {"test_my_table": "a second has 1000"}),
    "the whole column": ({"my_table": EVERY}, {"test_my_table": "three are allowed"}),
    "a table that lies": ({"my_table": LIES}, {"test_my_table": "three are allowed"}),
    "first goes last": ({"my_table": LAST}, {"test_my_table": "wait longer"}),
    "where slices lead": ({"my_table": OTHERS}, {"test_my_table": "must stay as it is"}),
    "it raises": ({"my_table": RAISES}, {"test_my_table": "KeyError"}),
}
