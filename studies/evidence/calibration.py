"""Fit a simulator's free parameters to the few published cells that a study names for it.

A study declares what is free and what the residuals are. The search is least squares (scipy's,
with residuals softened where they are large) on the cube of plausible ranges. It goes on from the
standing values, or starts cold: from the middle of the ranges and from points drawn over them.
All points of a search see the same load, and slopes are taken over wide steps, because a
simulator's output jumps. Fits are compared on loads that no search has seen.
"""

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import least_squares
from tqdm.auto import tqdm

from perfkit.core.values import check_whole, is_finite
from perfkit.runs.experiment import interval, sweep
from studies.evidence.kept_cards import COMMITTED, write
from studies.evidence.scorecard import FORECAST

STEP, ENOUGH, TRIALS = 0.05, 1e-3, 4
SEARCH_SEED, FRESH_SEED, BATCHES = 1000, 500_000, 8
STANDING, MIDDLE, ERROR = "standing", "middle", "error of cell "
PREDICTED = ["item", "cell", "quantity", "kind", "published", "ours", "half_width", "tolerance"]


@dataclass(frozen=True)
class Free:
    """A free number of the fit, as the study's ``changes_of`` knows it, and its least and most."""

    name: str
    low: float
    high: float

    def __post_init__(self):
        if not (is_finite(self.low) and is_finite(self.high) and self.low < self.high):
            raise ValueError(
                f"The bounds of {self.name} must be two finite numbers, the lower one first;"
                f" {self.low!r} and {self.high!r} are not."
            )


def free_numbers(**ranges):
    """Return the free numbers of a fit by name, each with what it may be: ``think_s=(12, 150)``."""
    return tuple(Free(name, low, high) for name, (low, high) in ranges.items())


class Fit(NamedTuple):
    """What a search found: a value for every free number, and the costs on the load of the search.

    ``evaluations`` is how often the residuals were asked for.
    """

    values: dict
    cost: float
    start_cost: float
    evaluations: int


def calibrate(residuals, free, start, *, iterations=5, seed=SEARCH_SEED, progress=True):
    """Find the values of the free numbers that make the residuals least.

    ``residuals(values, seed=)`` takes a dictionary of the free numbers and the first replication's
    seed, and returns an array: (ours - published) over what counts as one unit of error. The search
    begins at ``start``, a value for every free number, and ends after so many iterations or when it
    has converged; all its points see the load of ``seed``.
    """
    if not len(free):
        raise ValueError("The search needs a free number or more; there is none.")
    check_whole("seed", seed, 0)
    check_whole("iterations", iterations)
    cube = _Cube(free)
    begin, costs = cube.point_of(start), []
    bar = tqdm(total=most_evaluations(len(free), iterations), disable=not progress, leave=False)

    def errors(point):
        vector = np.asarray(residuals(cube.values_of(point), seed=seed), float)
        costs.append(soft_cost(vector))
        bar.update()
        bar.set_postfix_str(f"from {costs[0]:.2f}, best {min(costs):.2f}")
        return vector

    def stop(intermediate_result):
        if intermediate_result.nit >= iterations:
            raise StopIteration

    with bar:
        # From 1 to 2: the differences that slopes are taken over are a share of the coordinate.
        fit = least_squares(
            errors, begin, bounds=(1.0, 2.0), loss="soft_l1", diff_step=STEP, callback=stop,
            ftol=ENOUGH, xtol=ENOUGH, max_nfev=1 + TRIALS * iterations,
        )  # fmt: skip
    return Fit(cube.values_of(fit.x), float(fit.cost), costs[0], len(costs))


def most_evaluations(numbers, iterations):
    """Return how often the residuals are asked for at most: each step needs every slope."""
    return 1 + numbers + iterations * (TRIALS + numbers)


def budget(numbers, starts, iterations, replications):
    """Return in words what a study's fits may take."""
    searches = f"{starts or 1} search{'es' if starts > 1 else ''}"
    return (
        f"{searches} over {numbers} numbers, at most {iterations} steps and"
        f" {most_evaluations(numbers, iterations)} evaluations each of {replications} replications;"
        f" then {BATCHES} evaluations of each fit, on loads that no search has seen."
    )


def cold_starts(free, starts, seed=0):
    """Return where so many cold searches begin, by name: a value for every free number.

    The first is the middle of the ranges, the others are points drawn over them.
    """
    check_whole("starts", starts)
    check_whole("seed", seed, 0)
    cube, draws = _Cube(free), np.random.default_rng(seed)
    points = {MIDDLE: np.full(len(free), 1.5)}
    points |= {f"start {k}": draws.uniform(1.0, 2.0, len(free)) for k in range(1, starts)}
    return {name: cube.values_of(point) for name, point in points.items()}


class _Cube:
    """The cube that the free numbers span, each from 1 to 2."""

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
        return 1.0 + (np.array([values[name] for name in self.names]) - self.low) / self.width

    def values_of(self, point):
        """Return the numbers at a point."""
        values = self.low + (point - 1.0) * self.width
        return dict(zip(self.names, values.tolist(), strict=True))


def soft_cost(residuals):
    """Return the sum of the softened squares: near 0 half a square, far away the size."""
    return float((np.sqrt(1.0 + np.asarray(residuals) ** 2) - 1.0).sum())


def compare(residuals, fits, replications):
    """Return what fits cost on fresh loads, the same for all of them.

    ``fits`` has a value for every free number by the fit's name; ``replications`` is how many seeds
    one call of the residuals takes. Indexed by fit: mean ``cost`` over batches of replications with
    its 95 % ``half_width``, ``worse`` (than the cheapest, batch by batch) with
    ``worse_half_width``, and ``as_good``: no worse than that noise.
    """
    seeds = [FRESH_SEED + replications * batch for batch in range(BATCHES)]
    costs = pd.DataFrame(
        {
            name: [soft_cost(residuals(values, seed=seed)) for seed in seeds]
            for name, values in fits.items()
        }
    )
    cost = costs.apply(interval).T
    worse = costs.sub(costs[costs.mean().idxmin()], axis=0).apply(interval).T
    table = pd.concat([cost, worse], axis=1).set_axis(
        ["cost", "half_width", "worse", "worse_half_width"], axis=1
    )
    return table.assign(as_good=table["worse"] <= table["worse_half_width"]).rename_axis("fit")


def examine(key, parts, own, results, starts, iterations, replications, *, progress=True):
    """Fit a study anew, hold the fits against the standing one, and write both tables.

    ``parts`` is the study's calibration, ``own`` the system's parameters as they stand; without
    cold ``starts`` one search goes on from these. The tables go to the folder ``fits`` of
    ``results``. Evaluations that are done are kept until the end, so that a search that was killed
    goes on. The fits are returned, as by ``committed``.
    """
    folder, standing = Path(results) / "fits", parts.free_values(own)
    folder.mkdir(parents=True, exist_ok=True)
    kept, point = folder / f"{key}.runs", pd.DataFrame(index=[0])

    def residuals(values, seed):
        observe = partial(_errors, parts.residuals, values, replications)
        row = sweep(observe, own, point, 1, seed=seed, jobs=1, store=kept, progress=False)
        return row.filter(like=ERROR).to_numpy(float)[0]

    begins = cold_starts(parts.FREE, starts) if starts else {"continued": standing}
    by = {"iterations": iterations, "progress": progress}
    searches = {name: calibrate(residuals, parts.FREE, at, **by) for name, at in begins.items()}
    fits = {STANDING: standing} | {name: fit.values for name, fit in searches.items()}
    table = compare(residuals, fits, replications)
    evaluations = {name: fit.evaluations for name, fit in searches.items()}
    table = table.assign(
        evaluations=pd.Series(evaluations).reindex(table.index, fill_value=0),
        iterations=iterations,
        replications=replications,
        batches=BATCHES,
    ).join(pd.DataFrame(fits).T)
    good = [name for name in fits if name == STANDING or table.loc[name, "as_good"]]
    runs = replications * BATCHES
    cells = {name: _predicted(parts.predictions(fits[name], runs, FRESH_SEED)) for name in good}
    write(table.reset_index(), folder / f"{key}.csv")
    cells = pd.concat(cells, names=["fit"]).reset_index("fit")
    write(cells, folder / f"{key}_predictions.csv")
    shutil.rmtree(kept)
    return table


def _errors(residuals, values, replications, parameters, seed):
    """Return residuals as a run's measures; what a study fits says which parameters they are of."""
    errors = residuals(values, replications, seed)
    return SimpleNamespace(measures=lambda: {f"{ERROR}{k}": x for k, x in enumerate(errors)})


def _predicted(card):
    """Return the cells of a scorecard that no search has seen."""
    return card.loc[card["kind"].isin([*FORECAST, "claim"]), PREDICTED]


def committed(key, predictions=False):
    """Return a study's committed fits, or with ``predictions`` what those say that are as good.

    The fits: indexed by ``fit``, as ``compare`` returns, then ``evaluations`` of the search, its
    budget (``iterations``, ``replications``), ``batches`` of fresh replications and the free
    numbers. The predictions: one row per ``fit`` (the standing one, and those as good as the best)
    and cell of the scorecard that was not fitted.
    """
    folder = COMMITTED / "fits"
    if predictions:
        return pd.read_csv(folder / f"{key}_predictions.csv")
    return pd.read_csv(folder / f"{key}.csv", index_col="fit")
