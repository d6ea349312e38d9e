"""Results by category or by the number of processes awake."""

import numpy as np
import pandas as pd

from perfkit.methods.tracing.chains import by_process, in_sessions, joins_core_queue

BY = ("category", "awake")
NOT_KNOWN = -1


def groups(trace, by):
    """Return to which category or number of processes awake each record belongs.

    Parameters
    ----------
    trace : Trace
    by : str
        "category": that under which the process joined its last
        core queue, counted from 0 as in the records; -1 before it has joined one, or since
        another user came. "awake": how many processes are awake from this record to the next.
        A process is awake from "wakes" or "created" until "sleeps", "begins_log_out" or
        "logged_out". At the start those are taken to be awake whose next record of these is
        "sleeps" or "begins_log_out", or which join a queue before any of these: no fewer can be.

    Returns
    -------
    ndarray of int, shape (records,)
    """
    if by not in BY:
        raise ValueError(f"by must be 'category' or 'awake'; {by!r} is not.")
    return _categories(trace) if by == "category" else _awake(trace)


def _categories(trace):
    """Return the category of each record, carried forward from the last core queue joined."""
    trace.need("queued")
    records = trace.records
    place, session = in_sessions(trace, np.arange(records.size))
    at = np.arange(place.size)
    new = np.append(True, session[1:] != session[:-1])[: place.size]
    begins = np.maximum.accumulate(np.where(new, at, 0))
    joins = np.isin(place, joins_core_queue(trace))
    join = np.maximum.accumulate(np.where(joins, at, -1))
    known = (join >= begins) & (session >= 0)
    found = np.full(records.size, NOT_KNOWN)
    found[place[known]] = records["detail"][place[join[known]]]
    return found


def _awake(trace):
    """Return how many processes are awake after each record."""
    trace.need("wakes", "sleeps")
    rises, falls = ("wakes", "created"), ("sleeps", "begins_log_out", "logged_out")
    place = by_process(trace, trace.places(*rises, *falls, "queued"))
    process = trace.column("actor")[place]
    first = np.append(True, process[1:] != process[:-1])[: place.size]
    kept = first | ~trace.are(place, "queued")
    place, first = place[kept], first[kept]
    at_start = first & ~trace.are(place, *rises, "logged_out")
    awake = ~trace.are(place, *falls)
    before = np.where(first, at_start, np.append(False, awake[:-1])[: place.size])
    steps = np.zeros(trace.records.size, np.int64)
    steps[place] = awake.astype(int) - before.astype(int)
    return at_start.sum() + np.cumsum(steps)


def one_a_group(results, by):
    """Put the results of all groups below each other.

    Its index's first level is the group, named as ``by``; the second is that of a result.
    """
    if results:
        return pd.concat({int(group): found for group, found in results.items()}, names=[by, None])
    return pd.Series(index=pd.MultiIndex.from_arrays([[], []], names=[by, None]), dtype=float)
