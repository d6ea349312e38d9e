"""Evolutionary operation: a factorial around the operating point, shifted as evidence comes.

Box and Draper, "Evolutionary Operation" (1969), which Bard (1973, Extensions) proposes for
tuning a running system: small changes that the users hardly notice, repeated until the effects
stand out of the noise; then the operating point moves. Carried on, it follows a load that
changes.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from perfkit.analytic.checks import floats, function
from perfkit.core.values import check_share, check_whole, is_finite


@dataclass(frozen=True)
class Adjustable:
    """A parameter that evolutionary operation adjusts.

    Attributes
    ----------
    name : str
        As the system calls it.
    start, step : float
        Where the operating point begins; how far the corners lie from it.
    low, high : float
        The operating point and its corners stay between these.
    """

    name: str
    start: float
    step: float
    low: float
    high: float

    def __post_init__(self):
        numbers = (self.start, self.step, self.low, self.high)
        if (
            not all(map(is_finite, numbers))
            or self.step <= 0
            or self.start - self.step < self.low
            or self.start + self.step > self.high
        ):
            raise ValueError(
                f"{self.name}: {self.start} and a step of {self.step} to either side must lie"
                f" between {self.low} and {self.high}, all finite."
            )

    def within(self, centre):
        """Return the operating point nearest to a wish whose corners are allowed."""
        return min(max(centre, self.low + self.step), self.high - self.step)


def corners(factors):
    """Return the coded points of a cycle: the centre, then each combination of low and high.

    Returns
    -------
    ndarray of float, shape (1 + 2 ** factors, factors)

    Examples
    --------
    >>> corners(1).tolist()
    [[0.0], [-1.0], [1.0]]
    """
    return np.array([[0.0] * factors, *product((-1.0, 1.0), repeat=factors)])


def effects(responses, coded, confidence=0.95):
    """Return the effects that the cycles of one operating point show.

    Parameters
    ----------
    responses : array of float, shape (cycles, points)
        Two cycles or more. What a cycle's points share (the load) is taken out.
    coded : array of float, shape (points, factors)
        As ``corners`` returns them.
    confidence : float
        Of each two-sided interval.

    Returns
    -------
    effect : ndarray of float, shape (factors + 1,)
        Mean at high less mean at low, by factor; last the change in mean, all points' mean
        less the centre's, which shows a peak or a trough at the centre.
    half_width : ndarray of float, shape (factors + 1,)

    Examples
    --------
    >>> effect, half_width = effects([[5.0, 4.0, 6.0], [5.2, 4.1, 6.1]], corners(1))
    >>> effect.round(2).tolist()  # of the factor, and of the corners against the centre
    [2.0, -0.03]
    """
    check_share("confidence", confidence)
    responses = floats("responses", responses)
    if responses.shape[1:] != (len(coded),) or len(responses) < 2:
        raise ValueError(
            f"responses must be two cycles or more of {len(coded)} points; their shape is"
            f" {responses.shape}."
        )
    if not np.isfinite(responses).all():
        raise ValueError("No response may be missing or infinite.")
    cycles, points = responses.shape
    responses = responses - responses.mean()  # all that follows is differences: keep their digits
    weights = np.column_stack([coded * 2.0 / (points - 1), np.full(points, 1.0 / points)])
    weights[0, -1] -= 1.0
    rest = responses - responses.mean(axis=1, keepdims=True) - responses.mean(axis=0)
    rest += responses.mean()
    freedom = (cycles - 1) * (points - 1)
    error = np.sqrt((rest**2).sum() / freedom / cycles)
    critical = stats.t.ppf(0.5 + confidence / 2.0, freedom)
    return responses.mean(axis=0) @ weights, critical * error * np.sqrt((weights**2).sum(axis=0))


def evolve(observe, adjustables, cycles, *, minimize=True, confidence=0.99, patience=8, seed=0):
    """Operate a system for some cycles and let its operating point evolve.

    After each cycle from the second at an operating point, the factors whose interval leaves
    out 0 move the point by one step each to their better side. The intervals are looked at
    after each cycle, so false moves are more frequent than one in 1 / (1 - confidence).
    Without evidence after ``patience`` cycles the old observations are forgotten, for the
    load may have changed since.

    Parameters
    ----------
    observe : callable
        ``observe(settings, cycle)``: a frame with one row per point and one column per parameter,
        in the order in which to run them, to a response each.
    adjustables : sequence of Adjustable
    cycles : int
    minimize : bool
        Whether a lower response is better.
    confidence : float
    patience : int
        2 or more.
    seed : int
        Draws the order of the points within each cycle.

    Returns
    -------
    pandas.DataFrame
        One row per cycle: the operating point by name, ``response`` at its centre, for each name
        ``effect_`` and ``half_width_`` (not a number after one cycle), ``moved``.
    """
    check_whole("patience", patience, 2)
    check_whole("cycles", cycles)
    check_share("confidence", confidence)
    check_whole("seed", seed, 0)
    function("observe", observe)
    rng = np.random.default_rng(seed)
    coded = corners(len(adjustables))
    centre = np.array([one.start for one in adjustables], float)
    steps = np.array([one.step for one in adjustables], float)
    seen, rows = [], []
    for cycle in range(cycles):
        responses = _one_cycle(observe, adjustables, centre, coded, rng, cycle)
        seen = [*seen, responses] if len(seen) < patience else [responses]
        effect = half_width = np.full(len(adjustables) + 1, np.nan)
        if len(seen) > 1:
            effect, half_width = effects(seen, coded, confidence)
        towards = np.where(np.abs(effect) > half_width, np.sign(effect), 0.0)[:-1]
        better = centre + steps * (-towards if minimize else towards)
        wish = np.array([one.within(at) for one, at in zip(adjustables, better, strict=True)])
        moved = bool((wish != centre).any())
        rows.append(_row(adjustables, centre, responses[0], effect, half_width, moved))
        if moved:
            centre, seen = wish, []
    return pd.DataFrame(rows)


def _one_cycle(observe, adjustables, centre, coded, rng, cycle):
    """Run the points of one cycle in a random order; return their responses in coded order."""
    steps = np.array([one.step for one in adjustables])
    order = rng.permutation(len(coded))
    settings = pd.DataFrame(
        (centre + coded * steps)[order], columns=[one.name for one in adjustables]
    )
    found = np.asarray(observe(settings, cycle), float)
    if found.shape != (len(coded),) or not np.isfinite(found).all():
        raise ValueError(f"observe must return {len(coded)} finite responses, one per setting.")
    responses = np.empty(len(coded))
    responses[order] = found
    return responses


def _row(adjustables, centre, response, effect, half_width, moved):
    row = {one.name: at for one, at in zip(adjustables, centre, strict=True)}
    row["response"] = response
    for one, size, width in zip(adjustables, effect, half_width, strict=False):
        row[f"effect_{one.name}"], row[f"half_width_{one.name}"] = size, width
    return row | {"moved": moved}
