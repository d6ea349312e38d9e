"""Run a simulator many times: replications, sweeps, common random numbers, intervals.

Every function takes a system's ``simulate(parameters, seed, **options)``, whose result
has ``measures()``. Replication k of every design point has the same seed, so that two
points see the same load (common random numbers). Runs go to threads, because the
kernels release the interpreter lock; ``joblib.parallel_config("dask")`` around a call
sends them to a cluster instead.
"""

import json
import math
import os
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import stats
from tqdm.auto import tqdm

PROGRESS_DELAY_S = 2.0


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
        How many runs; the first batch, if a half-width is asked for. At least 2 then.
    seed : int
        Seed of the first replication; the others follow by one.
    measure : str, optional
        The measure that ``relative_half_width`` is about.
    relative_half_width : float, optional
        Replicate further until the 95 % interval's half-width is this share of the mean.
    most : int
        Never run more replications than this.
    jobs : int, optional
        Threads; all processors by default.
    progress : bool
        Show a progress bar on long work.
    **options
        Handed to ``simulate``.

    Returns
    -------
    pandas.DataFrame
        A row a replication: ``seed``, the parameters and the measures.

    Raises
    ------
    ValueError
        If a count or width is impossible or the measure unknown.
    """
    _check_replications(replications)
    if relative_half_width is None:
        return _run_all(
            simulate, [({}, parameters)], range(seed, seed + replications), jobs, progress, options
        )
    if not 0.0 < relative_half_width < 1.0:
        raise ValueError(
            f"relative_half_width must be between 0 and 1; {relative_half_width!r} is not."
        )
    if measure is None:
        raise ValueError("relative_half_width needs a measure: name one of the result's measures.")
    rows = pd.DataFrame()
    batch = max(replications, 2)
    while len(rows) < most:
        start = seed + len(rows)
        seeds = range(start, min(start + batch, seed + most))
        new = _run_all(simulate, [({}, parameters)], seeds, jobs, progress, options)
        rows = pd.concat([rows, new], ignore_index=True)
        if measure not in rows:
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
        A row a design point; its columns are parameter names.
    replications : int
        Runs a point.
    seed : int
        Seed of each point's first replication.
    jobs, progress : int, bool
        As in ``replicate``.
    resume : path, optional
        A file of JSON lines that finished runs are added to. Runs that it holds
        already are not run again, so that a killed sweep goes on where it was.
    **options
        Handed to ``simulate``.

    Returns
    -------
    pandas.DataFrame
        A row a run: ``point`` (row of the design), ``seed``, the parameters, the measures.

    Raises
    ------
    ValueError
        If a column is no parameter or a value impossible.
    """
    _check_replications(replications)
    if not isinstance(design, pd.DataFrame):
        raise TypeError(
            f"A design is a pandas.DataFrame, a column a parameter, not {type(design).__name__}."
        )
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
        Indexed by ``by``; for each measure its mean, and ``<measure>_half_width``.
    """
    measures = [measures] if isinstance(measures, str) else list(measures)
    grouped = runs.groupby(by, sort=False)[measures]
    mean, count = grouped.mean(), grouped.count()
    critical = stats.t.ppf(0.5 + confidence / 2.0, (count - 1).clip(lower=1))
    half_width = critical * grouped.std() / np.sqrt(count)
    return mean.join(half_width.add_suffix("_half_width"))


def interval(values, confidence=0.95):
    """Return the mean of values and the half-width of its t interval (infinite for one)."""
    values = np.asarray(values, float)
    if values.size < 2:
        return float(values.mean()), math.inf
    critical = stats.t.ppf(0.5 + confidence / 2.0, values.size - 1)
    return float(values.mean()), float(critical * values.std(ddof=1) / math.sqrt(values.size))


def _check_replications(replications):
    if not isinstance(replications, (int, np.integer)) or replications < 1:
        raise ValueError(
            f"replications must be a whole number of 1 or more; {replications!r} is not."
        )


def _one_run(simulate, labels, parameters, seed, options):
    result = simulate(parameters, seed, **options)
    return {**labels, "seed": seed, **parameters.as_dict(), **result.measures()}


def _run_all(simulate, points, seeds, jobs, progress, options, resume=None):
    tasks = [(labels, parameters, seed) for labels, parameters in points for seed in seeds]
    done = _finished(resume)
    left = [task for task in tasks if _key(task) not in done]
    runs = Parallel(n_jobs=jobs or os.cpu_count(), prefer="threads", return_as="generator")(
        delayed(_one_run)(simulate, *task, options) for task in left
    )
    bar = tqdm(
        runs, total=len(left), unit="run", delay=PROGRESS_DELAY_S, disable=not progress, leave=False
    )
    for task, row in zip(left, bar, strict=True):
        done[_key(task)] = row
        _remember(resume, task, row)
    return pd.DataFrame([{**done[_key(task)], **task[0]} for task in tasks])


def _key(task):
    _, parameters, seed = task
    return json.dumps([parameters.as_dict(), seed], default=str)


def _finished(resume):
    """Read the runs that a file of an earlier, killed sweep holds; a torn last line is left out."""
    if resume is None or not Path(resume).exists():
        return {}
    done = {}
    for line in Path(resume).read_text().splitlines():
        try:
            record = json.loads(line)
            done[record["key"]] = record["row"]
        except (json.JSONDecodeError, KeyError):
            continue
    return done


def _remember(resume, task, row):
    if resume is not None:
        with Path(resume).open("a") as file:
            file.write(json.dumps({"key": _key(task), "row": row}, default=_plain) + "\n")


def _plain(value):
    return value.item() if isinstance(value, np.generic) else str(value)
