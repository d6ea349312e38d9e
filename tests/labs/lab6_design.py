"""Typical wrong answers of lab6_design: what is answered, and which test hints what."""

from tests.labs import lab1_unix_v6 as lab1

PAPER, YOUNGEST, RAISES, ENDLESS, WRITES = (
    rule.replace("my_rule", "my_design")
    for rule in (lab1.SAME_AS_PAPER, lab1.YOUNGEST, lab1.RAISES, lab1.ENDLESS, lab1.WRITES)
)
SETTINGS = "def my_design(settings):\n"
OTHER_LOAD = f"{SETTINGS}    settings['users'] = 10\n    return settings\n"
FORGOT = f"{SETTINGS}    settings['interactive_slice_ms'] = 120.0\n"
UNIT = f"{SETTINGS}    settings['interactive_slice_ms'] = -0.12\n    return settings\n"
MANY = f"{SETTINGS}    return {{name: 2.0 * value for name, value in settings.items()}}\n"
WORD = f"{SETTINGS}    settings['batch_slice_ms'] = 'long'\n    return settings\n"
FIXED = "def my_design(table):\n    table.loc[0, 'more_than_pages'] += 1\n    return table\n"
COLUMN = "def my_design(table):\n    table['slice_ms'] = 200.0\n    return table\n"
SIGN = """
runs = run_pairs(my_design, my_seed + 1_000_000)
change = what_if.differences(runs, "elapsed_s", percent=True)["mine"]
gain_percent, half_width_percent, verdict, pairs_needed = change.mean(), change.std(), "loss", 3
"""
SCATTER = SIGN.replace("change =", "change = -")
HALF = SCATTER.replace("change.std()", "interval(change)[1]").replace(
    '"loss", 3', '"gain", 10 * interval(change)[1] / 0.5'
)
MEDIAN = SCATTER.replace("change.mean()", "change.median()")
AGAIN = "runs = run_pairs(my_design, my_seed)\n"
ONE_PAIR = "runs = run_pairs(my_design, my_seed + 1_000_000, 1)\n"
ANY_COLUMN = 'payer, payer_change_percent, payer_half_width = "process_clicks", 0.0, 0.0\n'
LESS = """
payer = "swaps"
payer_change_percent, payer_half_width = interval(gains(runs.assign(elapsed_s=runs["swaps"])))
"""
BY_HAND = """
ada_half_width = 3.182 * np.std(ada, ddof=1)
bea_half_width = 3.182 * np.std(bea) / 2
surely_better, lucky_students = "ada", 2
"""


def other(system, design):
    """Return the answers of who chooses another system."""
    return {"choice": f"system = {system!r}", "my_design": design}


WRONG = {
    "single pairs": ({"by_hand": BY_HAND}, {"test_by_hand": "divide by the root of 4"}),
    "the paper's own": (
        {"my_design": PAPER},
        {"test_my_design": "never decides otherwise", "test_score": "never decides otherwise"},
    ),
    "the youngest goes": (
        {"my_design": YOUNGEST},
        {"test_my_design": "loses on the seeds", "test_score": "No gain is shown"},
    ),
    "it raises": ({"my_design": RAISES}, {"test_my_design": "may only compute"}),
    "a loop that never ends": ({"my_design": ENDLESS}, {"test_my_design": "loop that never ends"}),
    "it writes into the machine": ({"my_design": WRITES}, {"test_my_design": "must not change"}),
    "an easier load": (other("sim61", OTHER_LOAD), {"test_my_design": "by the names that it got"}),
    "nothing returned": (other("sim61", FORGOT), {"test_my_design": "must return the settings"}),
    "no such slice": (other("sim61", UNIT), {"test_my_design": "interactive_slice_ms"}),
    "four settings": (other("sim61", MANY), {"test_my_design": "three are allowed"}),
    "a word for a number": (other("sim61", WORD), {"test_my_design": "must put numbers"}),
    "a column that is fixed": (other("tss360", FIXED), {"test_my_design": "must stay as they are"}),
    "a whole column": (other("tss360", COLUMN), {"test_my_design": "three are allowed"}),
    "the seeds of the tuning": ({"judged": AGAIN}, {"test_runs": "that you tuned on"}),
    "one pair": ({"judged": ONE_PAIR}, {"test_runs": "10 runs a variant, not 1"}),
    "more is better": ({"judged": SIGN}, {"test_judged": "look at the sign"}),
    "scatter for half-width": ({"judged": SCATTER}, {"test_judged": "scatter of single pairs"}),
    "median for mean": ({"judged": MEDIAN}, {"test_judged": "the median of the pairs"}),
    "half the width": ({"judged": HALF}, {"test_judged": "four times the pairs"}),
    "a parameter": ({"price": ANY_COLUMN}, {"test_price": "it never changes here"}),
    "paper less mine": ({"price": LESS}, {"test_price": "mine less paper"}),
}
