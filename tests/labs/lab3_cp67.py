"""Typical wrong answers of lab3_cp67: what is answered, and which test hints what."""

CHANCE = "def second_chance(referenced, in_queue, trip, resident_ms, queue):\n"
RULE = CHANCE.replace("second_chance", "my_rule")
FOUR_SHIFTS = "separate = observed([{}], 1, 4, my_seed)\n"
POOLED = """
every = aa.groupby("version")["user_percent"]
aa_half_width = 1.96 * (every.var() / every.size()).sum() ** 0.5
"""
WRONG = {
    "A less B": ({"by_hand": "switched = -switched"}, {"test_by_hand": "not A less B"}),
    "few shifts": ({"aa": FOUR_SHIFTS}, {"test_aa": "16 runs a variant, not 4"}),
    "observations taken for independent": ({"aa": POOLED}, {"test_aa": "no independent sample"}),
    "one shift": ({"ab": "gain = gains.iloc[0]"}, {"test_ab": "that of one shift"}),
    "off by one": ({"carry": "reaches_0 += 1"}, {"test_carry": "count from 0"}),
    "as eight shifts say": ({"carry": "discard = 2"}, {"test_carry": "reaching 0 is not enough"}),
    "first in, first out": (
        {"second_chance": f"{CHANCE}    return 0\n"},
        {"test_second_chance": "That is not Algorithm 2"},
    ),
    "bits stay on": (
        {"second_chance": f"{CHANCE}    return 1 if referenced else 0\n"},
        {"test_second_chance": "within three trips"},
    ),
    "no rule at all": (
        {"second_chance": "second_chance = None"},
        {"test_second_chance": "still empty"},
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
