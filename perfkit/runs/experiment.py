"""Run a simulator many times: replications, sweeps, common random numbers, intervals.

Every function takes a system's ``simulate(parameters, seed, **options)``, whose result
has ``measures()``. Replication k of every design point has the same seed, so that two
points see the same load (common random numbers). Runs go to threads, because the
kernels release the interpreter lock; ``executor`` sends them to processes or to a cluster.
"""

import math
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from perfkit.core.values import (
    check_columns,
    check_none_missing,
    check_numeric,
    check_share,
    check_whole,
)
from perfkit.core.wording import one_line
from perfkit.runs import frames
from perfkit.runs.executors import Work, check_executor, executed, threads
from perfkit.runs.store import Kept, Memory, what_is_run

MOST_RUNS = 10**6


def replicate(
    simulate, parameters, replications=10, *, seed=0, until=None, most=200, jobs=None,
    progress=True, **options,
):  # fmt: skip
    """Replicate one configuration, a fixed number of times or until intervals are narrow.

    Parameters
    ----------
    simulate : callable
        A system's ``simulate``.
    parameters : ParameterRecord
    replications, seed, until, most, jobs, progress, options
        As in ``sweep``.

    Returns
    -------
    pandas.DataFrame
        One row per replication: ``seed``, the parameters and the measures.

    Examples
    --------
    >>> from perfkit.systems import unix_v6
    >>> small = unix_v6.Parameters(processes=2, interactions=5)
    >>> replicate(unix_v6.simulate, small, 2)[["seed", "elapsed_s"]].round(1).to_numpy().tolist()
    [[0.0, 6.4], [1.0, 6.8]]
    """
    check_runs(parameters, replications, seed)
    design = pd.DataFrame(index=[0])
    settings = {"seed": seed, "until": until, "most": most, "jobs": jobs, "progress": progress}
    runs = sweep(simulate, parameters, design, replications, **settings, **options)
    return runs.drop(columns="point")


def sweep(
    simulate, parameters, design, replications=10, *, seed=0, until=None, most=200, jobs=None,
    executor="threads", store=None, strict=True, progress=True, **options,
):  # fmt: skip
    """Run every point of a design, each replicated with the same seeds.

    Parameters
    ----------
    simulate : callable
        A system's ``simulate``.
    parameters : ParameterRecord
        The point that the design's columns change.
    design : pandas.DataFrame
        One row per design point; its columns are names of parameters or levers
        (``perfkit.runs.designs``).
    replications : int
        Runs per point; with ``until``, the size of a batch, at least 2 then.
    seed : int
        Seed of each point's first replication; the others follow by one.
    until : dict of str to float, optional
        By measure, the share of its mean that the half-width of its 95 % interval may have. A
        point is replicated further until all are met. They are looked at after every batch, so
        an interval holds the true mean less often than in 95 % of cases: in 94 to 95 % with
        batches of 10, in 89 to 93 % with batches of 2 (8000 trials, normal, coefficients of
        variation of 0.1 to 0.3).
    most : int
        Never more replications per point than this, even if an interval is wide.
    jobs : int, optional
        Threads or processes, at most 1000; as many as there are processors by default. Below 0
        it counts as joblib does: -1 for all processors, -2 for all but one.
    executor : {"threads", "processes"} or distributed.Client
        Where runs are computed; it changes no result. Policies go to other processes by their
        code.
    store : path, optional
        A folder that finished runs are kept in (``perfkit.runs.store``). A sweep that was killed
        goes on from it; a finished one is read from it by the same call. Runs of other sources of
        perfkit are refused. Of a function of your own its package is looked at, nothing beyond.
    strict : bool
        Stop at a run that fails. If not, it is left out with a warning; a store remembers it.
    progress : bool
        Show a progress bar on long work.
    **options
        Handed to ``simulate``.

    Returns
    -------
    pandas.DataFrame
        One row per run: ``point`` (row of the design), ``seed``, the design's levers, the
        parameters, the measures.

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        Of the kind that a run raises, the last for any other; the message says which run it was.

    Examples
    --------
    >>> from perfkit.runs.designs import factorial
    >>> from perfkit.systems import unix_v6
    >>> small = unix_v6.Parameters(processes=2, interactions=5)
    >>> runs = sweep(unix_v6.simulate, small, factorial({"buffers": [5, 20]}), 2)
    >>> runs[["point", "seed", "reads"]].to_numpy().tolist()
    [[0, 0, 16], [0, 1, 15], [1, 0, 12], [1, 1, 10]]
    """
    replications, seed = check_runs(parameters, replications, seed)
    _check_design(design)
    check_until(until, replications, most)
    check_executor(executor)
    wanted = until or {}
    request = Request(simulate, parameters, design, replications, seed, wanted, int(most), options)
    how = {"executor": executor, "jobs": threads(jobs), "strict": strict, "progress": progress}
    return frames.in_order(request, *collected(request, store, **how))


class Request(NamedTuple):
    """What a sweep is asked for; the fields are as in ``sweep``."""

    simulate: object
    parameters: object
    design: pd.DataFrame
    replications: int
    seed: int
    until: dict
    most: int
    options: dict

    def points(self, which=slice(None)):
        """Yield the parameters of points, or refuse what no machine can be."""
        rows = self.design.iloc[which].itertuples(index=False, name=None)
        return self.parameters.variants(list(self.design), rows)

    def width(self):
        """Return the most replications that a point may have."""
        return max(self.replications, self.most) if self.until else self.replications


def collected(request, store, *, executor="threads", jobs=None, strict=True, progress=True):
    """Run what is asked for, as far as a store does not hold it; return all unread.

    Memory does not grow with the number of runs where there is a store. Returned are the seeds
    before which each point ends, and where the runs are kept.
    """
    count = sum(1 for _ in request.points())  # refused before anything is run
    kept = Memory()
    if store is not None:
        simulate, parameters, design, _, seed, *_ = request
        what = what_is_run(simulate, request.options, parameters, design, seed)
        about = {"system": ".".join(type(parameters).__module__.split(".")[2:3]), "points": count}
        kept = Kept(store, what, about | {"runs": count * request.width()})
    label = "point {}".format if len(request.design.columns) else lambda _: ""
    wanted = np.full(count, request.replications)
    how = {"executor": executor, "jobs": jobs, "strict": strict, "progress": progress}
    how |= {"label": label, "keep": kept.writer(list(request.until))}
    try:
        state = _State(request, count, kept)
        while True:
            work, total = state.missing(wanted)
            for runs, is_kept in executed(request.simulate, work, total, **how):
                if not is_kept:
                    kept.keep(runs)
                state.note(runs)
            further = state.open(wanted)
            if not further.any():
                break
            wanted[further] = np.minimum(wanted[further] + request.replications, request.most)
    finally:
        kept.close()
    failures = kept.failures()
    if failures:
        first = failures[0].error(label(failures[0].point))
        warnings.warn(f"{len(failures)} runs failed and are left out. {first}", stacklevel=3)
    return request.seed + wanted, kept


class _State:
    """Which runs of a sweep are done, and what those came to that it is replicated until."""

    def __init__(self, request, count, kept):
        self._request, shape = request, (count, request.width())
        self._done = np.zeros(shape, bool)
        self._values = {name: np.full(shape, np.nan) for name in request.until}
        for frame in kept.batches(list(request.until)):
            frame = frame[frame["seed"] - request.seed < shape[1]]
            at = frame["point"].to_numpy(), frame["seed"].to_numpy() - request.seed
            self._done[at] = True
            for name, values in self._values.items():
                values[at] = frame[name]
        self.note(kept.failures())

    def note(self, runs):
        """Note runs that are done."""
        for run in runs:
            at = run.point, run.seed - self._request.seed
            self._done[at] = True
            for name, values in self._values.items():
                if run.measures is not None:
                    if name not in run.measures:
                        raise ValueError(
                            f"There is no measure '{name}'; name one of the result's measures."
                        )
                    values[at] = run.measures[name]

    def missing(self, wanted):
        """Return the work that is left of so many replications per point, and how many runs."""
        left = ~self._done & (np.arange(self._done.shape[1]) < wanted[:, None])
        return self._work(left), int(left.sum())

    def _work(self, left):
        todo = np.flatnonzero(left.any(axis=1))
        for point, parameters in zip(todo.tolist(), self._request.points(todo), strict=True):
            places = np.flatnonzero(left[point])
            for part in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
                first = self._request.seed + int(part[0])
                seeds = range(first, first + part.size)
                yield Work(point, parameters, self._request.options, seeds)

    def open(self, wanted):
        """Return which points have an interval that is too wide, and replications left."""
        further = np.zeros(len(wanted), bool)
        for name, share in self._request.until.items():
            for point, values in enumerate(self._values[name]):
                mean, half_width = interval(values[: wanted[point]])
                further[point] |= not half_width <= share * abs(mean)  # not above, for nan
        return further & (wanted < self._request.most)


def summarize(runs, by, measures, confidence=0.95):
    """Return means and t intervals over replications.

    Parameters
    ----------
    runs : pandas.DataFrame
        As returned by ``sweep``.
    by : str or list of str
        Columns that tell the points apart.
    measures : str or list of str
        What to average.
    confidence : float
        Of the two-sided interval.

    Returns
    -------
    pandas.DataFrame
        Indexed by ``by``; for each measure its mean, ``<measure>_half_width``, infinite if
        there is one value only, and ``<measure>_count``: runs in which it is not a number are
        left out.

    Examples
    --------
    >>> runs = pd.DataFrame({"point": [0, 0, 1], "elapsed_s": [1.0, 3.0, 5.0]})
    >>> summarize(runs, "point", "elapsed_s").round(2).to_numpy().tolist()
    [[2.0, 12.71, 2.0], [5.0, inf, 1.0]]
    """
    check_share("confidence", confidence)
    measures = names_of(measures)
    if not names_of(by) or not measures:
        raise ValueError("by and measures must name at least one column each.")
    check_columns(runs, names_of(by), "runs")
    check_numeric(runs, measures, "runs")
    for name in names_of(by):
        check_none_missing(name, runs[name])
    grouped = runs.groupby(by, sort=False)[measures]
    mean, count = grouped.mean(), grouped.count()
    critical = stats.t.ppf(0.5 + confidence / 2.0, (count - 1).clip(lower=1))
    half_width = (critical * grouped.std() / np.sqrt(count)).where(count > 1, np.inf)
    return pd.concat(
        [mean, half_width.add_suffix("_half_width"), count.add_suffix("_count")], axis=1
    )


def interval(values, confidence=0.95):
    """Return the mean of values and the half-width of its t interval, as ``summarize`` does.

    Parameters
    ----------
    values : array_like of float
        Independent; those that are not a number are left out.
    confidence : float
        Of the two-sided interval.

    Returns
    -------
    mean : float
        Not a number if no value is one.
    half_width : float
        Infinite for fewer than two values; not a number if one is infinite.

    Examples
    --------
    >>> mean, half_width = interval([1.0, 2.0, 3.0])
    >>> mean, round(half_width, 2)
    (2.0, 2.48)
    """
    check_share("confidence", confidence)
    values = np.asarray(values, float)
    values = values[~np.isnan(values)]
    if values.size < 2:
        return float(values.sum()) if values.size else math.nan, math.inf
    critical = stats.t.ppf(0.5 + confidence / 2.0, values.size - 1)
    with np.errstate(invalid="ignore"):  # infinite values have no scatter
        half_width = critical * values.std(ddof=1) / math.sqrt(values.size)
        return float(values.mean()), float(half_width)


def check_runs(parameters, replications, seed):
    """Return replications and seed as Python's integers, or refuse them in one sentence."""
    if isinstance(parameters, type) or not hasattr(parameters, "as_dict"):
        raise TypeError(
            f"parameters must be a system's Parameters(...), not {one_line(parameters)}."
        )
    check_whole("replications", replications, 1, MOST_RUNS)
    check_whole("seed", seed, 0)
    return int(replications), int(seed)


def names_of(given):
    """Return one name, or several, as a list."""
    several = np.iterable(given) and not isinstance(given, str)
    return list(given) if several else [given]


def _check_design(design):
    if not isinstance(design, pd.DataFrame):
        raise TypeError(
            f"A design is a pandas.DataFrame, one column per parameter, not"
            f" {type(design).__name__}."
        )
    if not len(design):
        raise ValueError("A design must have a point, a row, or more.")
    for name in design.columns:
        if not isinstance(name, str):
            raise ValueError(f"The columns of a design must be names of parameters, not {name!r}.")
    if not design.columns.is_unique:
        twice = design.columns[design.columns.duplicated()][0]
        raise ValueError(f"A design must have each column once; '{twice}' is there twice.")


def check_until(until, replications, most):
    """Refuse half-widths that can't be asked for."""
    if until is None:
        return
    if not isinstance(until, dict) or not until:
        raise TypeError(
            f"until must be a dictionary, of measures to shares; {one_line(until)} is none."
        )
    for name, share in until.items():
        check_share(f"until['{name}']", share)
    if replications < 2:
        raise ValueError("replications must be 2 or more where a half-width is asked for, not 1.")
    check_whole("most", most, replications)
