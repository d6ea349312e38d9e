"""Checks of a lab's answers: a wrong one is told by a sentence that hints, never by the answer.

Every check raises a Hint. An answer that was simulated is held against runs of our own, at the
student's parameters, within what two such means differ by chance. A right answer is refused in
``FALSE_ALARM`` of the cases.
"""

import math

import numpy as np
from scipy import stats

from perfkit.core.values import is_finite
from perfkit.runs.experiment import interval

FALSE_ALARM = 0.001
FACTORS = (10.0, 60.0, 100.0, 1000.0, 3600.0, 60_000.0, 1e6)


class Hint(AssertionError):
    """What is wrong with an answer; a notebook shows the sentence and no traceback."""

    def _render_traceback_(self):
        return [f"✘ {self}"]


def check_that(holds, hint):
    """Raise a Hint unless something holds.

    Parameters
    ----------
    holds : bool
    hint : str

    Examples
    --------
    >>> check_that(2 + 2 == 5, "Add once more.")
    Traceback (most recent call last):
    perfkit.labs.checks.Hint: Add once more.
    """
    if not holds:
        raise Hint(hint)


def check_number(name, given, right, relative=0.01, absolute=0.0, slips=None):
    """Check a number that follows exactly from what the student was given.

    Parameters
    ----------
    name : str
        Of the variable, for the hint.
    given : float
        The student's; None if the cell is as it was handed out.
    right : float
    relative, absolute : float
        It may be off by this share of the right number, and by this much as well.
    slips : dict of str to float, optional
        A hint, and the number of who needs it; one clearly nearer than the right number gets it.

    Examples
    --------
    >>> check_number("busy_s", 1.004, 1.0)
    >>> check_number("busy_s", 1000.0, 1.0)
    Traceback (most recent call last):
    perfkit.labs.checks.Hint: busy_s is right but for a factor of 1000: look at the unit.
    """
    given = _number(name, given)
    error, allowed = abs(given - right), relative * abs(right) + absolute
    if error <= allowed:
        return
    for hint, value in (slips or {}).items():
        near = allowed * abs(value / right) if right else allowed
        if abs(given - value) <= min(near, error / 3.0):
            raise Hint(hint)
    for factor in FACTORS:
        for unit in (factor, 1.0 / factor):
            if abs(given / unit - right) <= min(allowed, abs(right) / 20.0):
                raise Hint(f"{name} is right but for a factor of {factor:g}: look at the unit.")
    raise Hint(f"{name} is too {'large' if given > right else 'small'}.")


def check_mean(name, given, runs, count, slips=None):
    """Check a mean of the student's replications against replications of our own.

    Parameters
    ----------
    name, given, slips
        As for ``check_number``.
    runs : array_like of float
        One value per replication of ours, over seeds that the student need not share.
    count : int
        Replications in the student's mean.

    Examples
    --------
    >>> check_mean("response_s", 2.1, [2.0, 2.2, 1.9, 2.1], 10)
    """
    runs = np.asarray(runs, float)
    spread = runs.std(ddof=1) * math.sqrt(1.0 / runs.size + 1.0 / count)
    allowed = stats.t.ppf(1.0 - FALSE_ALARM / 2.0, runs.size - 1) * spread
    check_number(name, given, runs.mean(), 1e-9, allowed, slips)


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
    perfkit.labs.checks.Hint: Which is busier?
    """
    words = ", ".join(f'"{choice}"' for choice in choices)
    check_that(given is not None, f"{name} is still empty: fill in its cell, then run it.")
    check_that(given in list(choices), f"{name} must be one of {words}.")
    check_that(right is None or given == right, hint)


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
    given = _number(name, given)
    check_that(
        low <= given <= high,
        f"{name} must be between {low:g} and {high:g}; think again what is possible at all.",
    )


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
    elapsed time (s): you predicted 11, the runs gave 10 ± 2.5; off by +10 %. Within the interval.
    """
    mean, half_width = interval(values)
    half_width = half_width if math.isfinite(half_width) else 0.0
    result = f"{mean:.4g} ± {half_width:.2g}" if half_width else f"{mean:.4g}"
    if predicted is None:
        print(f"{name}: the runs gave {result}. You had not predicted it.")
        return
    error = f"{100 * (predicted / mean - 1):+.0f} %" if mean else f"{predicted:+.3g}"
    within = " Within the interval." if abs(predicted - mean) <= half_width else ""
    print(f"{name}: you predicted {predicted:.4g}, the runs gave {result}; off by {error}.{within}")


def _number(name, given):
    check_that(given is not None, f"{name} is still empty: fill in its cell, then run it.")
    check_that(
        not callable(given) and np.ndim(given) == 0,
        f"{name} must be one number, not a {type(given).__name__}.",
    )
    given = given.item() if hasattr(given, "item") else given
    check_that(is_finite(given), f"{name} must be a number, not {given!r}.")
    return float(given)
