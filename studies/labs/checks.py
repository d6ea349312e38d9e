"""Checks of a lab's answers: a wrong one is told by a sentence that hints, never by the answer.

Every check raises a Hint; where a copy is graded (``collecting``) it is noted instead. An answer
that was simulated is held against runs of our own, at the student's parameters, within what two
such means differ by chance. A right answer is refused in ``FALSE_ALARM`` of the cases.
"""

import contextlib
import functools
import inspect
import math
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from perfkit.core.values import is_finite
from perfkit.runs.experiment import interval

FALSE_ALARM = 0.001
FACTORS = (10.0, 60.0, 100.0, 1000.0, 3600.0, 60_000.0, 1e6)
UNIT_CREDIT = 0.5  # of an answer that is right but for its unit
FEWEST_DIGITS = 2  # of an answer that is rounded
NOT_CHECKED = "This could not be checked: an answer is of another kind than the text asks for."


class Hint(AssertionError):
    """What is wrong with an answer; a notebook shows the sentence and no traceback.

    ``credit`` is the share of its points that the answer earns all the same.
    """

    def __init__(self, text="", credit=0.0):
        super().__init__(text)
        self.credit = credit

    def _render_traceback_(self):
        return [f"✘ {self}"]


class Verdict(NamedTuple):
    """What a check found: the answer's name, the share of points it earns, a hint if not all."""

    name: str
    credit: float
    hint: str
    check: str  # the function's name
    asked: dict  # its arguments but for what was given


class Collected(NamedTuple):
    """What the checks of a test found, and the score that it kept."""

    verdicts: list
    scores: list


_COLLECTED = []  # the one that is open, if any


@contextlib.contextmanager
def collecting():
    """Let checks note what they find instead of raising it: what a copy is graded by.

    Examples
    --------
    >>> with collecting() as found:
    ...     check_number("half", 0.4, 0.5)
    >>> found.verdicts[0].hint
    'half is too small.'
    """
    _COLLECTED.append(Collected([], []))
    try:
        yield _COLLECTED[-1]
    finally:
        _COLLECTED.pop()


def is_collecting():
    """Return whether a copy is being graded."""
    return bool(_COLLECTED)


def judged(check):
    """Let a check of a named answer be noted where a copy is graded."""
    signature = inspect.signature(check)

    @functools.wraps(check)
    def judge(name, given, *more, **options):
        credit, hint = 1.0, ""
        try:
            check(name, given, *more, **options)
        except Exception as wrong:  # answers may be anything
            if not _COLLECTED:
                raise
            is_hint = isinstance(wrong, Hint)
            credit, hint = (wrong.credit, str(wrong)) if is_hint else (0.0, NOT_CHECKED)
        if _COLLECTED:
            asked = signature.bind(name, given, *more, **options).arguments
            asked = {key: value for key, value in asked.items() if key not in ("name", "given")}
            found = Verdict(name, credit, hint, check.__name__, asked)
            _COLLECTED[-1].verdicts.append(found)

    return judge


def check_that(holds, hint):
    """Raise a Hint unless something holds, which ends the test.

    Parameters
    ----------
    holds : bool
    hint : str

    Examples
    --------
    >>> check_that(2 + 2 == 5, "Add once more.")
    Traceback (most recent call last):
    studies.labs.checks.Hint: Add once more.
    """
    if not holds:
        raise Hint(hint)


@judged
def check_number(name, given, right, relative=0.01, absolute=0.0, slips=None, own=None):
    """Check a number that follows exactly from what the student was given.

    Parameters
    ----------
    name : str
        Of the variable, for the hint.
    given : float
        The student's; None if the cell is as it was handed out.
    right : float
        It may be rounded, too, to two digits or more: 88 for 88.32.
    relative, absolute : float
        It may be off by this share of the right number, and by this much as well.
    slips : dict of str to float, optional
        A hint, and the number of who needs it; the nearest that is clearly nearer than the right
        number gets it.
    own : callable, optional
        Returns what is right if the student's earlier answers were; that is accepted, too.

    Examples
    --------
    >>> check_number("busy_s", 1.004, 1.0)
    >>> check_number("busy_s", 1000.0, 1.0)
    Traceback (most recent call last):
    studies.labs.checks.Hint: busy_s is right but for a factor of 1000: look at the unit.
    """
    given = number(name, given)
    for value in (right, *_followed(own)):
        if abs(given - value) <= relative * abs(value) + absolute or is_rounded(given, value):
            return
    error, allowed = abs(given - right), relative * abs(right) + absolute
    for hint, value in sorted((slips or {}).items(), key=lambda slip: abs(given - slip[1])):
        near = allowed * abs(value / right) if right else allowed
        if abs(given - value) <= min(near, error / 3.0) or is_rounded(given, value):
            raise Hint(hint)
    for factor in FACTORS:
        for unit in (factor, 1.0 / factor):
            if abs(given / unit - right) <= min(max(allowed, 0.01 * abs(right)), abs(right) / 20.0):
                text = f"{name} is right but for a factor of {factor:g}: look at the unit."
                raise Hint(text, UNIT_CREDIT)
    raise Hint(f"{name} is too {'large' if given > right else 'small'}.")


def is_rounded(given, right):
    """Return whether a number is another as one rounds it, to two digits or more.

    Examples
    --------
    >>> is_rounded(88.0, 88.32), is_rounded(620.0, 623.5), is_rounded(0.3, 0.34)
    (True, True, False)
    """
    if not (math.isfinite(right) and abs(given) < 1e15):
        return False
    written = Decimal(repr(given)).normalize()
    decimals = -written.as_tuple().exponent  # -1 of 620, which may stand for 623.5
    return any(
        len(str(abs(round(written.scaleb(places))))) >= FEWEST_DIGITS
        and abs(given - round(right, places)) <= 1e-9 * abs(given)
        for places in (decimals, max(0, decimals))
    )


def _followed(own):
    """Return what is right by a student's own earlier answers, if they have it."""
    with contextlib.suppress(Exception):  # earlier answers may be anything
        value = own() if own else None
        if is_finite(value) and value:  # 0 follows from 0, which took no work
            return (float(value),)
    return ()


@judged
def check_mean(name, given, runs, count, slips=None):
    """Check a mean of the student's replications against replications of our own.

    Parameters
    ----------
    name, given, slips
        As for ``check_number``; a list stands for its mean.
    runs : array_like of float
        One value per replication of ours, over seeds that the student need not share.
    count : int
        Replications in the student's mean.

    Examples
    --------
    >>> check_mean("response_s", 2.1, [2.0, 2.2, 1.9, 2.1], 10)
    """
    if np.ndim(given) == 1 and all(map(is_finite, given)):
        given = float(np.mean(given))
    runs = np.asarray(runs, float)
    spread = runs.std(ddof=1) * math.sqrt(1.0 / runs.size + 1.0 / count)
    allowed = stats.t.ppf(1.0 - FALSE_ALARM / 2.0, runs.size - 1) * spread
    check_number.__wrapped__(name, given, runs.mean(), 1e-9, allowed, slips)


@judged
def check_choice(name, given, choices, right=None, hint=""):
    """Check an answer that is one of a few words.

    Parameters
    ----------
    name, given : str
    choices : sequence of str
    right : str, optional
        Without it any choice will do: a prediction.
    hint : str
        For another choice than the right one.

    Examples
    --------
    >>> check_choice("bottleneck", "drum", ("drum", "disc"), "disc", "Which is busier?")
    Traceback (most recent call last):
    studies.labs.checks.Hint: Which is busier?
    """
    words = ", ".join(f'"{choice}"' for choice in choices)
    check_that(given is not None, f"{name} is still empty: fill in its cell, then run it.")
    among = isinstance(given, str) and given in list(choices)
    check_that(among, f"{name} must be one of {words}.")
    check_that(right is None or given == right, hint)


@judged
def check_prediction(name, given, low, high):
    """Check that a prediction is made, and is no slip of the pen; it need not be right.

    Parameters
    ----------
    name : str
    given, low, high : float
        The range of what is possible at all.

    Examples
    --------
    >>> check_prediction("utilization", 0.9, 0.0, 1.0)
    """
    given = number(name, given)
    check_that(
        low <= given <= high,
        f"{name} must be between {low:g} and {high:g}; think again what is possible at all.",
    )


@judged
def check_list(name, given, count):
    """Check that there is a list of so many numbers, none of them twice.

    Parameters
    ----------
    name : str
    given : array_like of float
    count : int

    Examples
    --------
    >>> check_list("replications", [2.1, 2.1], 2)
    Traceback (most recent call last):
    studies.labs.checks.Hint: replications: some are the same; change the seed each time.
    """
    check_that(given is not None, f"{name} is still empty: fill in its cell, then run it.")
    whole = np.ndim(given) == 1 and len(given) == count and all(map(is_finite, given))
    check_that(whole, f"{name} must be a list of {count} numbers.")
    different = np.unique(given).size == count
    check_that(different, f"{name}: some are the same; change the seed each time.")


@judged
def check_runs(name, given, variants, count, seed):
    """Check that a frame has a variant's runs, each with what the text asks to differ.

    Parameters
    ----------
    name : str
    given : pandas.DataFrame
        As ``what_if.run`` returns it.
    variants : dict of str to dict
        A variant's name to the value of each parameter that is looked at.
    count, seed : int
        Runs a variant, and the first seed.
    """
    check_that(isinstance(given, pd.DataFrame), f"{name} is still empty: fill in its cell.")
    check_that(
        {"variant", "seed"} <= set(given), f"{name} must be what the text's function returns."
    )
    there = set(given["variant"]) == set(variants)
    check_that(there, f"{name}: name the variants as the text does: {', '.join(variants)}.")
    fewest = int(given.groupby("variant")["seed"].nunique().min())
    check_that(fewest == count, f"{name}: the text asks for {count} runs a variant, not {fewest}.")
    check_that(given["seed"].min() == seed, f"{name}: the first seed must be {seed}.")
    for variant, fields in variants.items():
        rows = given[given["variant"] == variant]
        for field, value in fields.items():
            same = field in rows and all(_equal(one, value) for one in rows[field])
            check_that(same, f"{name}: {variant!r} has another {field} than the text asks for.")


def compare(name, predicted, values):
    """Print what was predicted beside what the runs gave.

    Parameters
    ----------
    name : str
        With its unit: "elapsed time (s)".
    predicted : float
    values : array_like of float
        One per replication, or per pair of replications.

    Examples
    --------
    >>> compare("elapsed time (s)", 11.0, [9.0, 10.0, 11.0])
    elapsed time (s): you predicted 11, the runs gave 10 ± 2.5; off by +1. Within the interval.
    """
    if not all(is_finite(value) for value in values):
        return  # not answered yet; the check says so
    mean, half_width = interval(values)
    half_width = half_width if math.isfinite(half_width) else 0.0
    result = f"{mean:.4g} ± {half_width:.2g}" if half_width else f"{mean:.4g}"
    result = f"{'the runs gave' if len(values) > 1 else 'you found'} {result}"
    if not is_finite(predicted):
        print(f"{name}: {result}. You had not predicted it.")
        return
    error = f"{predicted - mean:+.3g}"
    within = " Within the interval." if abs(predicted - mean) <= half_width else ""
    print(f"{name}: you predicted {predicted:.4g}, {result}; off by {error}.{within}")


def score(system, gain_percent, half_width_percent):
    """Note what a design gains on the hidden load, for the table of the best.

    Parameters
    ----------
    system : str
    gain_percent, half_width_percent : float
    """
    if _COLLECTED:
        scored = (system, float(gain_percent), float(half_width_percent))
        _COLLECTED[-1].scores.append(scored)


def number(name, given):
    """Return an answer as a float; a Hint if it is none.

    Examples
    --------
    >>> number("busy_s", "4")
    Traceback (most recent call last):
    studies.labs.checks.Hint: busy_s must be a number, not '4'.
    """
    check_that(given is not None, f"{name} is still empty: fill in its cell, then run it.")
    check_that(
        not callable(given) and np.ndim(given) == 0,
        f"{name} must be one number, not a {type(given).__name__}.",
    )
    given = given.item() if hasattr(given, "item") else given
    check_that(given == given, f"{name} is nan; in pandas, row labels that do not match give that.")
    check_that(is_finite(given), f"{name} must be a number, not {repr(given)[:40]}.")
    return float(given)


def _equal(one, value):
    same = one == value if not isinstance(one, list | tuple) else list(one) == list(value)
    return bool(np.all(same))
