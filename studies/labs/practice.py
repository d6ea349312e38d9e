"""What a student's copy says at once: right or wrong of the practice case, else what is missing.

The right answers of the practice case are numbers in ``practice.json``, written beside the copy
when it is made: the checks that compute right answers for any seed stay with the teacher.
"""

import functools
import json
import os
from pathlib import Path

import numpy as np

from studies.labs import calls, checks

FILE, SEED = "practice.json", 0
MOST_CHARACTERS = 20_000  # of one check; a trace is none
SEEDLESS = ("check_call", "check_list", "check_prediction")  # the same whatever the seed
GRADED = "PERFKIT_GRADED"  # set where a copy is graded, whose checks stand elsewhere


def practice(test, names, own=False):
    """Check a student's answers, as far as may be known before they are graded.

    With the practice seed each is told to be right or wrong, with a hint. With a seed of one's own
    it is only told whether there is an answer, of the kind that is asked for.

    Parameters
    ----------
    test : str
        The name in the cell's first line.
    names : dict of str to object
        The notebook's: ``globals()``.
    own : bool
        Whether what is right hangs on the student's own design, which no practice case knows.

    Raises
    ------
    Hint
    """
    if checks.is_collecting() or GRADED in os.environ:
        return
    seed, cases = names.get("my_seed"), _cases().get(test, ())
    known = seed == SEED and not own
    for asked in cases:
        name, given, rest = asked["name"], names.get(asked["name"]), asked["asked"]
        if known or asked["check"] in SEEDLESS:
            check = getattr(checks, asked["check"], None) or getattr(calls, asked["check"])
            check(name, given, **rest)
        elif asked["check"] == "check_choice":
            checks.check_choice(name, given, rest["choices"])
        elif asked["check"] == "check_runs":
            same = {variant: {} for variant in rest["variants"]}
            checks.check_runs(name, given, same, rest["count"], seed + rest["seed"])
        elif asked["check"] == "check_number":
            given, right = checks.number(name, given), rest["right"]
            if given == right or checks.is_rounded(given, right):
                print(
                    f"{name} is that of the practice case: if you counted or typed it, do so again."
                )
    if any(asked["check"] == "check_prediction" for asked in cases):
        print("Noted. What follows shows how near it is.")
    elif not cases:
        print("What can be judged now is judged below; the rest when it is graded.")
    elif not known:
        print("There is an answer of the kind that is asked for. It is judged when it is graded.")


def recorded(verdicts, names):
    """Return what ``practice`` needs of the verdicts of a test: those on a student's answers."""
    kept = [
        {"name": found.name, "check": found.check, "asked": _told(found.asked)}
        for found in verdicts
        if found.name in names
    ]
    told = json.loads(json.dumps(kept, default=_plain))
    return [one for one in told if len(json.dumps(one)) <= MOST_CHARACTERS]


def _told(asked):
    return {key: value for key, value in asked.items() if key != "own"}


@functools.cache
def _cases():
    path = Path(FILE)
    there = f"{FILE} is not beside this notebook: take it from the lab's zip."
    checks.check_that(path.exists(), there)
    return json.loads(path.read_text(encoding="utf-8"))


def _plain(value):
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else list(value)
