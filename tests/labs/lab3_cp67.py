"""Typical wrong answers of lab3_cp67: what is answered, and which test hints what."""

CHANCE = "def second_chance(referenced, in_queue, trip, resident_ms, queue):\n"
RULE = CHANCE.replace("second_chance", "my_rule")
UPSIDE_DOWN = """
differences = by_shift[0] - by_shift[1]
apart = by_shift[1].tail(2).mean() - by_shift[0].head(2).mean()
switched = differences.mean()
half_width, kept_percent, kept_of_two_percent = 1.0, 80, 50
"""
AA = """
of_shift = aa.groupby(["run", "version"])["user_percent"].mean().unstack()
aa_difference, aa_half_width = interval(of_shift[1] - of_shift[0])
alarms_percent = 100 * np.mean([
    stats.ttest_ind(*(separate.loc[separate["run"] == my_seed + 2 * k + i, "user_percent"]
                      for i in (0, 1))).pvalue < 0.05
    for k in range(8)
])
"""
FOUR_SHIFTS = "separate = observed([{}], 1, 4, my_seed)\n"
ALL_SHIFTS = "separate = observed([{}], 1, 16, my_seed)\naa = observed([{}, {}], 5, 8, my_seed)\n"
POOLED = f"""{ALL_SHIFTS}{AA}
every = aa.groupby("version")["user_percent"]
aa_half_width = 1.96 * (every.var() / every.size()).sum() ** 0.5
"""
ONE_SHIFT = """
ab = observed(algorithms, 5, 8, my_seed)
of_shift = switching.settled(ab, 1).groupby(["run", "version"])["user_percent"].mean().unstack()
gain = (of_shift[1] - of_shift[0]).iloc[0]
"""
CARRY = """
slices = observed([{}, {"t1_ms": 5000.0}], 8, 16, my_seed)
table = switching.carry_over(slices, "user_percent", settled_from=4, unit="run")
reaches_0 = int(np.argmax(table["carried"] <= table["half_width"]))
discard = 2  # as eight shifts say
"""
ONE_TOO_MANY = f"{CARRY}reaches_0 += 1"
WRONG = {
    "A less B": ({"by_hand": UPSIDE_DOWN}, {"test_by_hand": "not A less B"}),
    "few shifts": ({"aa": FOUR_SHIFTS}, {"test_aa": "separate has 4 shifts"}),
    "observations taken for independent": ({"aa": POOLED}, {"test_aa": "no independent sample"}),
    "one shift": ({"ab": ONE_SHIFT}, {"test_ab": "that of one shift"}),
    "off by one": ({"carry": ONE_TOO_MANY}, {"test_carry": "count from 0"}),
    "not told apart taken for gone": ({"carry": CARRY}, {"test_carry": "reaching 0 is not enough"}),
    "first in, first out": (
        {"second_chance": f"{CHANCE}    return 0\n"},
        {"test_second_chance": "That is not Algorithm 2"},
    ),
    "bits stay on": (
        {"second_chance": f"{CHANCE}    return 1 if referenced else 0\n"},
        {"test_second_chance": "within three trips"},
    ),
    "it raises": (
        {"second_chance": f"{CHANCE}    return 1 // (trip - trip)\n"},
        {"test_second_chance": "ZeroDivisionError"},
    ),
    "a loop that never ends": (
        {"second_chance": f"{CHANCE}    while trip > -1:\n        trip += 1\n    return 0\n"},
        {"test_second_chance": "loop that never ends"},
    ),
    "Algorithm 2 again": (
        {"my_rule": f"{RULE}    return 2 if referenced == 1 else 0\n"},
        {"test_my_rule": "never decides otherwise"},
    ),
    "Q2 spared": (
        {"my_rule": f"{RULE}    return 1 if trip == 0 and queue == 2 else 2 * referenced\n"},
        {"test_my_rule": "reads more"},
    ),
}
