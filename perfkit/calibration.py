"""Fit a simulator's free parameters to the few published cells that a study names for it.

A study declares what is free and what the residuals are; the search is an evolution strategy
(CMA-ES, by the library ``cma``) on a unit cube. A simulator's output jumps from point to point:
slopes drown in that, ranks of a generation of points do not. All points of a generation see the
same load (common random numbers), the next generation another one, or the search would fit the
load that it happens to have.
"""

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from perfkit.values import check_whole, is_finite, is_whole

SPREAD, FIRST_SEED, FRESH_SEED = 0.1, 1000, 0
NEAR_BOUND = 0.02


@dataclass(frozen=True)
class Free:
    """A free number of the fit.

    Attributes
    ----------
    name : str
        As the study's ``changes_of`` knows it.
    low, high : float
        What it may be.
    """

    name: str
    low: float
    high: float

    def __post_init__(self):
        if not (is_finite(self.low) and is_finite(self.high) and self.low < self.high):
            raise ValueError(
                f"The bounds of {self.name} must be two finite numbers, the lower one first;"
                f" {self.low!r} and {self.high!r} are not."
            )


@dataclass(frozen=True)
class Fit:
    """What a calibration found.

    Attributes
    ----------
    values : dict
        The free numbers.
    cost, start_cost : float
        The sum of the softened squares (``soft_cost``), at the end and at the start, on a load
        that the search has not seen. The start of a search that was resumed is its first one.
    free : tuple of Free
    """

    values: dict
    cost: float
    start_cost: float
    free: tuple

    def frame(self):
        """Return the numbers with their bounds, and whether one lies at its bound."""
        rows = []
        for free in self.free:
            value, width = self.values[free.name], free.high - free.low
            near = min(value - free.low, free.high - value) < NEAR_BOUND * width
            rows.append((free.name, value, free.low, free.high, near))
        return pd.DataFrame(rows, columns=["name", "value", "low", "high", "at_bound"])


def calibrate(
    residuals, free, start, *, generations=30, spread=SPREAD, seed=1, keep=None, progress=True
):
    """Find the values of the free numbers that make the residuals least.

    Parameters
    ----------
    residuals : callable
        Takes a dictionary of the free numbers and ``seed``, the first replication's, and
        returns an array: (ours - published) over what counts as one unit of error.
    free : sequence of Free
        At least two.
    start : dict
        Where to begin: a value for every free number.
    generations : int
        Of the strategy, 1 or more, each of 4 + 3 ln(len(free)) points and as many evaluations;
        it ends earlier if it has converged.
    spread : float
        Standard deviation of the first generation, as a share of what a number may be; above 0.
    seed : int
        Of the strategy's own draws, 0 or more; NumPy's global generator is left as it was.
    keep : path, optional
        A file (JSON) that the numbers are written to after every generation. If it exists,
        the search goes on from there instead of from ``start``: from the centre and the spread
        that it had, but what it had learnt of directions (the covariance) is lost. The start
        that its end is compared with is the one in the file.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Fit
        The centre after the last generation, not its best point, which owes part of its rank to
        luck; the start, unless that centre costs less.
    """
    import cma

    _check(free, seed, generations, spread)
    cube = _Cube(free)
    start, begin, spread, done = _resume(keep, cube.names, start, spread)
    first, centre = cube.point_of(start), cube.point_of(begin)

    def cost(point, load=FRESH_SEED):
        return soft_cost(residuals(cube.values_of(point), seed=load))

    draws = np.random.RandomState(seed)  # the kind that cma expects; its own would be the global
    options = {"bounds": [0.0, 1.0], "randn": draws.randn, "seed": np.nan, "verbose": -9}
    search = cma.CMAEvolutionStrategy(centre, spread, options)
    start_cost = cost(first)
    if math.isnan(start_cost):
        raise ValueError("The residuals at the start must be numbers; at least one is nan.")
    numbers = range(done + 1, done + int(generations) + 1)
    bar = tqdm(numbers, unit="generation", disable=not progress, leave=False)
    for generation in bar:
        points, load = search.ask(), FIRST_SEED * generation
        costs = [cost(point, load) for point in points]
        search.tell(points, costs)
        bar.set_postfix_str(f"from {start_cost:.2f}, best {min(costs):.2f}")
        values = cube.values_of(search.result.xfavorite)
        _remember(keep, start, values, search.sigma, generation)
        if search.stop():
            break
    centre = search.result.xfavorite
    centre_cost = cost(centre)
    better = centre_cost < start_cost
    found, found_cost = (centre, centre_cost) if better else (first, start_cost)
    return Fit(cube.values_of(found), found_cost, start_cost, tuple(free))


def _check(free, seed, generations, spread):
    if len(free) < 2:
        raise ValueError(f"The search needs two free numbers or more, not {len(free)}.")
    check_whole("seed", seed, 0)
    check_whole("generations", generations)
    if not is_finite(spread) or spread <= 0.0:
        raise ValueError(f"spread must be a finite number above 0; {spread!r} is not.")


class _Cube:
    """The unit cube that the free numbers span."""

    def __init__(self, free):
        self.free = free
        self.names = [number.name for number in free]
        self.low = np.array([number.low for number in free])
        self.width = np.array([number.high for number in free]) - self.low

    def point_of(self, values):
        """Return the point of some numbers; refuse one that is missing or outside its bounds."""
        missing = [name for name in self.names if name not in values]
        if missing:
            raise ValueError(
                f"The start must name every free number; it leaves out {', '.join(missing)}."
            )
        for number in self.free:
            value = values[number.name]
            if not is_finite(value) or not number.low <= value <= number.high:
                raise ValueError(
                    f"{number.name} must start from {number.low} to {number.high};"
                    f" {value} does not."
                )
        return (np.array([values[name] for name in self.names]) - self.low) / self.width

    def values_of(self, point):
        """Return the numbers at a point, or at the nearest point of the cube."""
        values = self.low + np.clip(point, 0.0, 1.0) * self.width
        return dict(zip(self.names, values.tolist(), strict=True))


def soft_cost(residuals):
    """Return the sum of the softened squares: near 0 half a square, far away the size."""
    return float((np.sqrt(1.0 + np.asarray(residuals) ** 2) - 1.0).sum())


def _resume(keep, names, start, spread):
    """Return start, numbers, spread and generation: of an earlier, killed search, or new ones."""
    if keep is None:
        return start, start, spread, 0
    _check_writable(keep)
    if not Path(keep).exists():
        return {name: start[name] for name in names if name in start}, start, spread, 0
    try:
        kept = json.loads(Path(keep).read_text())
        start, values = kept["start"], kept["values"]
        spread, done = kept["spread"], kept["generation"]
        if not _is_search(start, values, spread, done, names):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            f"{keep} holds no search for these free numbers; name another file."
        ) from None
    return start, values, spread, done


def _check_writable(keep):
    """Refuse a file that the search can't be kept in, before any run."""
    if not Path(keep).absolute().parent.is_dir():
        raise ValueError(f"There is no folder {Path(keep).parent} to keep the search in.")
    new = _unfinished(keep)
    try:
        new.touch()
        new.unlink()
    except OSError as error:
        raise ValueError(
            f"The search can't be kept in {keep} ({error.strerror}); name another file."
        ) from None
    if os.path.isdir(keep):
        raise ValueError(f"The search must be kept in a file; {keep} is a folder.")


def _is_search(start, values, spread, done, names):
    """Return whether what a file holds is a search as ``_remember`` writes it."""
    for numbers in (start, values):
        if not isinstance(numbers, dict) or set(numbers) != set(names):
            return False
    finite = all(is_finite(v) for v in [*start.values(), *values.values(), spread])
    return finite and spread > 0.0 and is_whole(done) and done >= 0


def _unfinished(keep):
    """Return where a file is written before it takes the place of the last one."""
    return Path(f"{keep}.new")


def _remember(keep, start, values, spread, generation):
    if keep is not None:
        new = _unfinished(keep)
        kept = {"generation": generation, "spread": spread, "values": values, "start": start}
        new.write_text(json.dumps(kept, indent=1, default=float) + "\n")
        os.replace(new, keep)
