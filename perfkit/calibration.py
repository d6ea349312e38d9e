"""Fit a simulator's free parameters to the few published cells that a study names for it.

A study declares what is free and what the residuals are; the search is an evolution strategy
(CMA-ES, by the library ``cma``) on a unit cube. A simulator's output jumps from point to point:
slopes drown in that, ranks of a generation of points do not. All points of a generation see the
same load (common random numbers), the next generation another one, or the search would fit the
load that it happens to have.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from perfkit.values import is_finite, is_whole

SPREAD, FIRST_SEED, FRESH_SEED = 0.1, 1000, 0
NEAR_BOUND = 0.02


@dataclass(frozen=True)
class Free:
    """A free number of the fit.

    Attributes
    ----------
    name : str
        As the study's ``parameters_of`` knows it.
    low, high : float
        What it may be.
    """

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class Fit:
    """What a calibration found.

    Attributes
    ----------
    values : dict
        The free numbers.
    cost, start_cost : float
        The sum of the softened squares (``soft_cost``), at the end and at the start, on a load
        that the search has not seen.
    free : tuple of Free
    """

    values: dict
    cost: float
    start_cost: float
    free: tuple

    def frame(self):
        """Return the numbers with their bounds, and whether one lies at its bound.

        Returns
        -------
        pandas.DataFrame
        """
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
        Standard deviation of the first generation, as a share of what a number may be.
    seed : int
        Of the strategy's own draws, 0 or more; NumPy's global generator is left as it was.
    keep : path, optional
        A file (JSON) that the numbers are written to after every generation. If it exists,
        the search goes on from there instead of from ``start``: from the centre and the spread
        that it had, but what it had learnt of directions (the covariance) is lost.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Fit
        The centre after the last generation, not its best point, which owes part of its rank to
        luck; the start, unless that centre costs less.

    Raises
    ------
    ValueError
        If there are fewer than two free numbers, the seed is negative, ``generations`` is no
        whole number of 1 or more, a start value is missing or outside its bounds, the kept file
        is of another fit or its folder does not exist.
    """
    import cma

    _check(free, seed, generations)
    cube = _Cube(free)
    begin, spread, done = _resume(keep, cube.names, start, spread)
    first = cube.point_of(begin)

    def cost(point, load=FRESH_SEED):
        return soft_cost(residuals(cube.values_of(point), seed=load))

    draws = np.random.RandomState(seed)  # the kind that cma expects; its own would be the global
    options = {"bounds": [0.0, 1.0], "randn": draws.randn, "seed": np.nan, "verbose": -9}
    search = cma.CMAEvolutionStrategy(first, spread, options)
    start_cost = cost(first)
    numbers = range(done + 1, done + generations + 1)
    bar = tqdm(numbers, unit="generation", disable=not progress, leave=False)
    for generation in bar:
        points, load = search.ask(), FIRST_SEED * generation
        costs = [cost(point, load) for point in points]
        search.tell(points, costs)
        bar.set_postfix_str(f"from {start_cost:.2f}, best {min(costs):.2f}")
        _remember(keep, cube.values_of(search.result.xfavorite), search.sigma, generation)
        if search.stop():
            break
    centre = search.result.xfavorite
    centre_cost = cost(centre)
    better = centre_cost < start_cost
    found, found_cost = (centre, centre_cost) if better else (first, start_cost)
    return Fit(cube.values_of(found), found_cost, start_cost, tuple(free))


def _check(free, seed, generations):
    if len(free) < 2:
        raise ValueError(f"The search needs two free numbers or more, not {len(free)}.")
    if seed < 0:
        raise ValueError(f"seed must be 0 or more; {seed} is not.")
    if not is_whole(generations) or generations < 1:
        raise ValueError(
            f"generations must be a whole number of 1 or more; {generations!r} is not."
        )


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
            if not number.low <= values[number.name] <= number.high:
                raise ValueError(
                    f"{number.name} must start from {number.low} to {number.high};"
                    f" {values[number.name]} does not."
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
    """Return numbers, spread and generation: of an earlier, killed search, or of the start."""
    if keep is None or not Path(keep).exists():
        if keep is not None and not Path(keep).absolute().parent.is_dir():
            raise ValueError(f"There is no folder {Path(keep).parent} to keep the search in.")
        return start, spread, 0
    try:
        kept = json.loads(Path(keep).read_text())
        values, spread, done = kept["values"], kept["spread"], kept["generation"]
        if not _is_search(values, spread, done, names):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            f"{keep} holds no search for these free numbers; name another file."
        ) from None
    return values, spread, done


def _is_search(values, spread, done, names):
    """Return whether what a file holds is a search as ``_remember`` writes it."""
    if not isinstance(values, dict) or set(values) != set(names):
        return False
    finite = all(is_finite(v) for v in [*values.values(), spread])
    return finite and spread > 0.0 and is_whole(done) and done >= 0


def _remember(keep, values, spread, generation):
    if keep is not None:
        new = Path(f"{keep}.new")
        kept = {"generation": generation, "spread": spread, "values": values}
        new.write_text(json.dumps(kept, indent=1) + "\n")
        os.replace(new, keep)
