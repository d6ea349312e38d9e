"""The records of each process in their order: which belong together, which to one session."""

import numpy as np


def by_process(trace, wanted):
    """Return the places of some records, by process and then time.

    Parameters
    ----------
    trace : Trace
    wanted : ndarray of bool
        Whether each record of the trace is one of them.
    """
    place = np.flatnonzero(wanted)
    return place[np.argsort(trace.records["actor"][place], kind="stable")]


def pairs(trace, first, last):
    """Return where a process's record of some kinds is followed by one of other kinds.

    Parameters
    ----------
    trace : Trace
    first, last : tuple of str
        Names of kinds; the process's records of all others are passed over.

    Returns
    -------
    begins, ends : ndarray of int
        Places of the two records of each pair.
    """
    closing = trace.of_kind(*last)
    place = by_process(trace, trace.of_kind(*first) | closing)
    process, ends = trace.records["actor"][place], closing[place]
    pair = np.flatnonzero(~ends[:-1] & ends[1:] & (process[1:] == process[:-1]))
    return place[pair], place[pair + 1]


def in_sessions(trace, wanted):
    """Return the places of some records, by process and then time, and the session of each.

    A session is a process's time with one user: it begins with the process's first record or
    with "created", and ends with "logged_out". A system without either has one per process.

    Parameters
    ----------
    trace : Trace
    wanted : ndarray of bool
        Whether each record of the trace is one of them.

    Returns
    -------
    place : ndarray of int
        Also of the records "created" and "logged_out".
    session : ndarray of int
        Numbered over all processes; -1 between "logged_out" and the next "created".
    """
    created, left = trace.of_kind("created"), trace.of_kind("logged_out")
    place = by_process(trace, wanted | created | left)
    process, created = trace.records["actor"][place], created[place]
    same = np.append(False, process[1:] == process[:-1])[: place.size]
    after_leaving = same & np.append(False, left[place][:-1])[: place.size]
    begins = ~same | created | after_leaving
    session = np.cumsum(begins) - 1
    if trace.numbers("created"):
        absent = (after_leaving & ~created)[begins]
        session[absent[session]] = -1
    return place, session


def joins_core_queue(trace):
    """Return whether each record is that of a process which joins a core queue."""
    queue = trace.records["value"]
    return trace.of_kind("queued") & (queue >= 1) & (queue <= 5)
