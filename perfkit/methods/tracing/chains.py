"""The records of each process in their order: which belong together, which to one session."""

import numpy as np


def by_process(trace, wanted):
    """Return the places of some records, by process and then time.

    Parameters
    ----------
    trace : Trace
    wanted : ndarray of int
        The places, rising.
    """
    return wanted[np.argsort(trace.column("actor")[wanted], kind="stable")]


def together(trace, *places):
    """Return all of some places of a trace, each once, rising."""
    wanted = np.zeros(trace.records.size, bool)
    for place in places:
        wanted[place] = True
    return np.flatnonzero(wanted)


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
    place = by_process(trace, trace.places(*first, *last))
    process, ends = trace.column("actor")[place], trace.are(place, *last)
    pair = np.flatnonzero(~ends[:-1] & ends[1:] & (process[1:] == process[:-1]))
    return place[pair], place[pair + 1]


def in_sessions(trace, wanted):
    """Return the places of some records, by process and then time, and the session of each.

    A session is a process's time with one user: it begins with the process's first record or
    with "created", and ends with "logged_out". A system without either has one per process.

    Parameters
    ----------
    trace : Trace
    wanted : ndarray of int
        The places, rising.

    Returns
    -------
    place : ndarray of int
        Also of the records "created" and "logged_out".
    session : ndarray of int
        Numbered over all processes; -1 between "logged_out" and the next "created".
    """
    place = by_process(trace, together(trace, wanted, trace.places("created", "logged_out")))
    process, created = trace.column("actor")[place], trace.are(place, "created")
    same = np.append(False, process[1:] == process[:-1])[: place.size]
    after_leaving = same & np.append(False, trace.are(place, "logged_out")[:-1])[: place.size]
    begins = ~same | created | after_leaving
    session = np.cumsum(begins) - 1
    if trace.numbers("created"):
        absent = (after_leaving & ~created)[begins]
        session[absent[session]] = -1
    return place, session


def joins_core_queue(trace):
    """Return the places of the records of processes that join a core queue."""
    place = trace.places("queued")
    queue = trace.column("value")[place]
    return place[(queue >= 1) & (queue <= 5)]
