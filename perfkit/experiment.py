"""Run a simulator many times: replications, sweeps, common random numbers, intervals.

Every function takes a system's ``simulate(parameters, seed, **options)``, whose result
has ``measures()``. Replication k of every design point has the same seed, so that two
points see the same load (common random numbers). Runs go to threads, because the
kernels release the interpreter lock; ``joblib.parallel_config("dask")`` around a call
sends them to a cluster instead.
"""

import math
import os

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import stats
from tqdm.auto import tqdm

from perfkit import kept_runs
from perfkit.values import check_columns, check_none_missing, check_share, is_number, is_whole

PROGRESS_DELAY_S = 2.0
MOST_RUNS, MOST_JOBS = 10**6, 1000
KEPT_ERRORS = (ValueError, TypeError, MemoryError)


def replicate(
    simulate,
    parameters,
    replications=10,
    *,
    seed=0,
    measure=None,
    relative_half_width=None,
    most=200,
    jobs=None,
    progress=True,
    **options,
):
    """Replicate one configuration, a fixed number of times or until an interval is narrow.

    Parameters
    ----------
    simulate : callable
        A system's ``simulate``.
    parameters : ParameterRecord
    replications : int
        How many runs; if a half-width is asked for, the size of a batch, at least 2 then.
    seed : int
        Seed of the first replication; the others follow by one.
    measure : str, optional
        The measure that ``relative_half_width`` is about; no parameter.
    relative_half_width : float, optional
        Replicate further until the 95 % interval's half-width is this share of the mean or less.
        The interval is looked at after every batch, so it holds the true mean less often than
        in 95 % of cases: in 94 to 95 % with batches of 10, in 89 to 93 % with batches of 2
        (8000 trials, normal, coefficients of variation of 0.1 to 0.3).
    most : int
        Never run more replications than this, even if the interval is wide.
    jobs : int, optional
        Threads, at most 1000; as many as there are processors by default. Below 0 it counts as
        joblib does: -1 for all processors, -2 for all but one.
    progress : bool
        Show a progress bar on long work.
    **options
        Handed to ``simulate``.

    Returns
    -------
    pandas.DataFrame
        One row per replication: ``seed``, the parameters and the measures.
    """
    replications, seed = check_runs(parameters, replications, seed)
    if (measure is None) != (relative_half_width is None):
        raise ValueError("measure and relative_half_width go together; give both or neither.")
    if relative_half_width is None:
        return _run_all(
            simulate, [({}, parameters)], range(seed, seed + replications), jobs, progress, options
        )
    _check_width(relative_half_width, replications, most)
    most = int(most)
    rows = pd.DataFrame()
    while len(rows) < most:
        start = seed + len(rows)
        seeds = range(start, min(start + replications, seed + most))
        new = _run_all(simulate, [({}, parameters)], seeds, jobs, progress, options)
        rows = pd.concat([rows, new], ignore_index=True)
        if measure not in set(rows) - {"seed", *parameters.as_dict()}:
            raise ValueError(f"There is no measure '{measure}'; name one of the result's measures.")
        mean, half_width = interval(rows[measure])
        if half_width <= relative_half_width * abs(mean):
            break
    return rows


def sweep(
    simulate,
    parameters,
    design,
    replications=10,
    *,
    seed=0,
    jobs=None,
    progress=True,
    resume=None,
    **options,
):
    """Run every point of a design, each replicated with the same seeds.

    Parameters
    ----------
    simulate : callable
        A system's ``simulate``.
    parameters : ParameterRecord
        The point that the design's columns change.
    design : pandas.DataFrame
        One row per design point; its columns are parameter names.
    replications : int
        Runs a point.
    seed : int
        Seed of each point's first replication.
    jobs, progress : int, bool
        As in ``replicate``.
    resume : path, optional
        A file of JSON lines that the measures of finished runs are added to. Runs that it
        holds already are not run again, so that a sweep that was killed, or one of whose runs
        failed, goes on where it was. Its first line says what was run: another simulator, other
        options and changed sources of perfkit are refused, so delete the file after a change.
        What a function of your own calls or reads elsewhere is not looked at.
    **options
        Handed to ``simulate``.

    Returns
    -------
    pandas.DataFrame
        One row per run: ``point`` (row of the design), ``seed``, the parameters, the measures.
    """
    replications, seed = check_runs(parameters, replications, seed)
    _check_design(design)
    columns = list(design.columns)
    points = [
        ({"point": point}, parameters.replace(**dict(zip(columns, row, strict=True))))
        for point, row in enumerate(design.itertuples(index=False, name=None))
    ]
    return _run_all(
        simulate, points, range(seed, seed + replications), jobs, progress, options, resume
    )


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
    """
    check_share("confidence", confidence)
    measures = _names(measures)
    if not _names(by) or not measures:
        raise ValueError("by and measures must name at least one column each.")
    check_columns(runs, [*_names(by), *measures], "runs")
    check_numeric(runs, measures)
    for name in _names(by):
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
        raise TypeError(f"parameters must be a system's Parameters(...), not {parameters!r}.")
    if not is_whole(replications) or not 1 <= replications <= MOST_RUNS:
        raise ValueError(
            f"replications must be a whole number from 1 to {MOST_RUNS}; {replications!r} is not."
        )
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"seed must be a whole number of 0 or more; {seed!r} is not.")
    return int(replications), int(seed)


def threads(jobs):
    """Return the number of threads that ``jobs`` asks for, or refuse it in one sentence.

    Parameters
    ----------
    jobs : int or None
        As in ``replicate``.
    """
    if jobs is None:
        return os.cpu_count()
    if not is_whole(jobs) or jobs == 0 or abs(jobs) > MOST_JOBS:
        raise ValueError(
            f"jobs must be a whole number from 1 to {MOST_JOBS}, or -1 for all processors;"
            f" {jobs!r} is not."
        )
    return int(jobs)


def _names(given):
    several = np.iterable(given) and not isinstance(given, str)
    return list(given) if several else [given]


def check_numeric(runs, measures):
    """Refuse columns that hold no numbers in one sentence."""
    for name in measures:
        if not pd.api.types.is_numeric_dtype(runs[name]):
            raise ValueError(f"Measures must be columns of numbers; '{name}' is not.")


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


def _check_width(relative_half_width, replications, most):
    if not is_number(relative_half_width) or not 0.0 < relative_half_width < 1.0:
        raise ValueError(
            f"relative_half_width must be a number between 0 and 1; {relative_half_width!r} is not."
        )
    if replications < 2:
        raise ValueError("replications must be 2 or more where a half-width is asked for, not 1.")
    if not is_whole(most) or most < replications:
        raise ValueError(
            f"most must be a whole number, {replications} replications or more; {most!r} is not."
        )


def _outcome(number, simulate, task, options):
    _, parameters, seed = task
    try:
        return number, simulate(parameters, seed, **options).measures(), None
    except Exception as error:
        return number, None, error


def _failure(error, labels, seed):
    """Return an error that says besides which run it was."""
    run = ", ".join(f"{name} {value!r}" for name, value in {**labels, "seed": seed}.items())
    kind = next((kind for kind in KEPT_ERRORS if isinstance(error, kind)), RuntimeError)
    return kind(f"The run of {run} failed: {str(error) or type(error).__name__}")


def in_threads(simulate, tasks, jobs, progress):
    """Run simulations in threads, with a progress bar, and yield what each comes to once done.

    Parameters
    ----------
    simulate : callable
    tasks : list of tuple
        A task is the labels of a run, its parameters and its seed, and its options.
    jobs, progress : int, bool
        As in ``replicate``.

    Yields
    ------
    number : int
        Of the task. Those that are done sooner come first.
    measures : dict

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        Of the kind that a run raises, the last for any other; the message says which run it was.
    """
    failed = []
    runs = Parallel(n_jobs=threads(jobs), prefer="threads", return_as="generator_unordered")(
        delayed(_outcome)(number, simulate, *task)
        for number, task in enumerate(tasks)
        if not failed  # no further run is begun; those under way are ended and yielded
    )
    shown = {"unit": "run", "delay": PROGRESS_DELAY_S, "disable": not progress, "leave": False}
    for number, measures, error in tqdm(runs, total=len(tasks), **shown):
        if error is None:
            yield number, measures
        else:
            failed.append((tasks[number][0], error))
    for (labels, _, seed), error in failed[:1]:
        raise _failure(error, labels, seed) from error


def _run_all(simulate, points, seeds, jobs, progress, options, resume=None):
    threads(jobs)  # refused before a file is begun
    tasks = [(labels, parameters, seed) for labels, parameters in points for seed in seeds]
    done = kept_runs.begin(resume, simulate, options)
    left = [task for task in tasks if kept_runs.key(task) not in done]
    calls = [(task, options) for task in left]
    for number, measures in in_threads(simulate, calls, jobs, progress):
        done[kept_runs.key(left[number])] = measures
        if resume is not None:
            kept_runs.keep(resume, left[number], measures)
    return pd.DataFrame([row_of(*task, done[kept_runs.key(task)]) for task in tasks])


def row_of(labels, parameters, seed, measures):
    """Return a run as a row: its labels, seed, parameters and measures."""
    return {**labels, "seed": seed, **parameters.as_dict(), **measures}
