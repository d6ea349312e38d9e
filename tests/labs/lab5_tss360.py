"""Typical wrong answers of lab5_tss360: what is answered, and which test hints what."""

TWO_CELLS = """
schedule_s = mean_s["new_old"] - mean_s["old_old"]
"""
NINE = """
schedule_s = (mean_s["new_old"] + mean_s["new_new"] - mean_s["old_old"] - mean_s["old_new"]) / 2
replacement_s = (mean_s["old_new"] + mean_s["new_new"] - mean_s["old_old"] - mean_s["new_old"]) / 2
interaction_s = (mean_s["new_new"] - mean_s["old_new"] - mean_s["new_old"] + mean_s["old_old"]) / 2
half_width_s = 2.04 * deviation_s * (2 / 9) ** 0.5
"""
SHARE = "def share_of_longest(values, share):\n"
OFF_BY_ONE = f"""{SHARE}
    ordered = sorted(values, reverse=True)
    return sum(ordered[: round(share * len(values)) + 1]) / sum(values)
"""
SHORTEST = OFF_BY_ONE.replace(", reverse=True", "").replace(" + 1]", "]")
PERCENT = OFF_BY_ONE.replace(" + 1]", "]").replace("return ", "return 100 * ")
SHORT_ONLY = """
mean_cpu_s, median_cpu_s = log["cpu_s"].mean(), log["cpu_s"].median()
longest_percent = 100 * log["cpu_s"].nlargest(round(len(log) / 100)).sum() / log["cpu_s"].sum()
typical_percent = 100 * (log["cpu_s"] < 0.2).mean()
"""
WEEK_BY_WEEK = "plan = [cell for cell in CELLS for _ in range(3)]"
SAME_DAYS = "plan = list(CELLS) * 3"
NO_SQUARE = """
pilot_deviation_s = pilot_quarters["R"].std()
chance_schedule = power.effect_power(1.1, pilot_deviation_s, 36, 32)
chance_replacement = quarters_needed = predicted_found = None
"""
UPSIDE_DOWN = """
plain = planned.effects(quarters, "R", {"schedule": ("new", "old"), "replacement": ("old", "new")})
plain_s, plain_half_width_s = plain.loc["schedule", ["effect", "half_width"]]
users_s = users_half_width_s = queue_s = queue_half_width_s = None
"""
ONE_DAY = """
pairs = {"old": {}, "new": {"schedule": "new"}}
same = what_if.run(tss360.simulate, afternoon, pairs, 1, seed=my_seed, progress=False)
n_t_change = n_e_change = n_e_half_width = 0.0
"""
TABLE = "def my_table(table):\n"
SECONDS = f'{TABLE}    table.loc[table["entry"] == "first", "slice_ms"] = 0.2\n    return table\n'
EVERY = f'{TABLE}    table["slice_ms"] = 200.0\n    return table\n'
LAST = f'{TABLE}    table.loc[table["entry"] == "first", "priority"] = 3\n    return table\n'
OTHERS = f'{TABLE}    table.loc[0, "if_done"] = "slice 2"\n    return table\n'
RAISES = f'{TABLE}    table.loc["first"].slice_ms = 200.0\n    return table\n'

WRONG = {
    "two cells of four": ({"by_hand": TWO_CELLS}, {"test_by_hand": "all four cells serve"}),
    "nine against nine": ({"by_hand": NINE}, {"test_by_hand": "not two of 9"}),
    "one too many": ({"share_of_longest": OFF_BY_ONE}, {"test_share_of_longest": "too many"}),
    "the shortest": ({"share_of_longest": SHORTEST}, {"test_share_of_longest": "the shortest"}),
    "percent": ({"share_of_longest": PERCENT}, {"test_share_of_longest": "a factor of 100"}),
    "accesses forgotten": ({"workload": SHORT_ONLY}, {"test_workload": "few accesses"}),
    "a cell a week": ({"plan": WEEK_BY_WEEK}, {"test_plan": "a bad week"}),
    "a cell on Mondays": ({"plan": SAME_DAYS}, {"test_plan": "a busy weekday"}),
    "deviation for variance": ({"power": NO_SQUARE}, {"test_power": "square of the deviation"}),
    "old less new": ({"effects": UPSIDE_DOWN}, {"test_effects": "less with the old one"}),
    "one afternoon": ({"covariate": ONE_DAY}, {"test_covariate": "1 afternoon; the text asks"}),
    "the slice in seconds": ({"my_table": SECONDS}, {"test_my_table": "0.2 s are 200 ms"}),
    "the whole column": ({"my_table": EVERY}, {"test_my_table": "three are allowed"}),
    "first goes last": ({"my_table": LAST}, {"test_my_table": "wait longer"}),
    "where slices lead": ({"my_table": OTHERS}, {"test_my_table": "must stay as it is"}),
    "it raises": ({"my_table": RAISES}, {"test_my_table": "KeyError"}),
}
