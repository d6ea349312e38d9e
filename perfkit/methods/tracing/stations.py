"""Where processes are: visits to stations, residences in core, categories, queues as sampled."""

import numpy as np
import pandas as pd

from perfkit.methods.tracing.chains import in_sessions, joins_core_queue, pairs

OUTSIDE = "outside core"
QUEUES = (
    "active storage",
    *(f"core queue {i}" for i in range(1, 6)),
    *(f"run queue {i}" for i in range(3)),
)
STATION_OF = {
    "created": OUTSIDE,
    "wakes": OUTSIDE,
    "preload_begins": "preload",
    "preload_ends": "preload",
    "suspended": "suspended",
    "resumed": "suspended",
    "demand_disc": "page wait",
    "demand_drum": "page wait",
    "demanded_page_arrives": "page wait",
    "overruns": "removal",
    "sleeps": "removal",
    "begins_log_out": "removal",
    "removed_from_core": OUTSIDE,
    "exit_from_supervisor": "processor",
}
STATIONS = (*QUEUES, "preload", "suspended", "processor", "page wait", "removal", OUTSIDE)
STAGES = {
    "core_queue": [f"core queue {i}" for i in range(1, 6)],
    "preload": ["preload"],
    "suspended": ["suspended"],
    "run_queue": [f"run queue {i}" for i in range(3)],
    "page_wait": ["page wait"],
    "on_processor": ["processor"],
}


def visits(trace):
    """Follow every process from station to station.

    Needs the records "queued" and "exit_from_supervisor", without which every station's time
    would hold that of a queue or of the processor. Stations of whose records a system has none
    are passed over. A process that has "logged_out" is nowhere until it is "created" anew; what
    it does before that is left out.

    One row per visit, by process and then time: ``process``, ``station`` (its place in
    ``STATIONS``), ``from_ms``, ``time_ms`` (missing if the visit's end is not in the trace, as of
    a process's last one), ``category`` (of the queue joined, else -1), ``session``
    (a number for each user's time with the process, all else one per process), ``record`` and
    ``until_record`` (places in the trace of the records that begin and end it; -1 if missing).
    """
    followed = _followed(trace)
    place = followed.pop("record")
    queued = trace.are(place, "queued")
    return pd.DataFrame(
        {
            "process": trace.column("actor")[place].astype(np.int64),
            "station": followed["station"],
            "from_ms": trace.column("time_ms")[place],
            "time_ms": followed["time_ms"],
            "category": np.where(queued, trace.column("detail")[place], -1),
            "session": followed["session"],
            "record": place,
            "until_record": followed["until_record"],
        }
    )


def _followed(trace):
    """Return what ``visits`` must work out: station, time, session and both records of each."""
    trace.need("queued", "exit_from_supervisor")
    station, times = _stations(trace), trace.column("time_ms")
    place, session = in_sessions(trace, np.flatnonzero(station >= 0))
    told = ~_not_waited(trace, place)
    place, session = place[told], session[told]
    until = np.full(place.size, -1)
    until[:-1] = np.where(session[1:] == session[:-1], place[1:], -1)
    present = (station[place] >= 0) & (session >= 0)
    place, until = place[present], until[present]
    return {
        "station": station[place],
        "time_ms": np.where(until >= 0, times[until] - times[place], np.nan),
        "session": session[present],
        "record": place,
        "until_record": until,
    }


def _stations(trace):
    """Return the station that each record tells of, -1 if it tells of none."""
    station = np.full(max(trace.kinds) + 1, -1)
    for name, where in (*STATION_OF.items(), ("demand_in_core", "page wait")):
        station[trace.numbers(name)] = STATIONS.index(where)
    found = station[trace.column("kind")]
    queued = trace.places("queued")
    found[queued] = trace.column("value")[queued]
    return found


def _not_waited(trace, place):
    """Return which records demand a page that was in core: no arrival comes after them."""
    process = trace.column("actor")[place]
    arrives = trace.are(place, "demanded_page_arrives")
    waited = np.append((process[1:] == process[:-1]) & arrives[1:], False)[: place.size]
    return trace.are(place, "demand_in_core") & ~waited


def residence_stages(trace):
    """Return the mean time of each stage of a core residence, in ms.

    ``on_processor`` is the time for which a process holds the processor, what the supervisor
    takes of it included; ``cpu`` is what it had itself, ``supervisor`` the rest.

    Needs the records "preload_begins" and "removed_from_core", and what ``visits`` needs.

    Parameters
    ----------
    trace : Trace

    Returns
    -------
    pandas.Series
        Not a number if no residence begins.
    """
    trace.need("preload_begins", "removed_from_core")
    found = pd.DataFrame(_followed(trace))
    begun = trace.having("preload_begins").size or np.nan
    total = found.groupby("station")["time_ms"].sum()
    total.index = [STATIONS[i] for i in total.index]
    means = {name: total.reindex(names).sum() / begun for name, names in STAGES.items()}
    ended = trace.having("removed_from_core")
    cpu_ms = ended["value"].mean() / 1000.0 if ended.size else np.nan
    means["cpu"] = cpu_ms
    means["supervisor"] = means["on_processor"] - cpu_ms
    return pd.Series(means, name="mean_ms")


def residences(trace):
    """Return every residence in core that the trace holds whole.

    Needs the records "preload_begins" and "removed_from_core".

    One row per residence: ``process``, ``category`` (counted from 0), ``begins_s``, ``ends_s``,
    ``cpu_ms``, ``written`` (pages).
    """
    trace.need("preload_begins", "removed_from_core")
    begins, ends = pairs(trace, ("preload_begins",), ("removed_from_core",))
    first, last = trace.records[begins], trace.records[ends]
    return pd.DataFrame(
        {
            "process": first["actor"],
            "category": first["detail"],
            "begins_s": first["time_ms"] / 1000.0,
            "ends_s": last["time_ms"] / 1000.0,
            "cpu_ms": last["value"] / 1000.0,
            "written": last["detail"],
        }
    )


def category_transitions(trace, categories):
    """Count from which category to which processes go, from one core queue to the next.

    Needs the records "queued". From a user's last category to the first of another, who comes
    after "logged_out" or with "created", is no transition.

    Parameters
    ----------
    trace : Trace
    categories : int
        How many there are.

    Returns
    -------
    ndarray of int64, shape (categories, categories)
    """
    trace.need("queued")
    joins = np.zeros(trace.records.size, bool)
    joins[joins_core_queue(trace)] = True
    place, session = in_sessions(trace, np.flatnonzero(joins))
    place, session = place[joins[place]], session[joins[place]]
    same = (session[1:] == session[:-1]) & (session[1:] >= 0)
    category = trace.column("detail")[place]
    matrix = np.zeros((categories, categories), np.int64)
    np.add.at(matrix, (category[:-1][same], category[1:][same]), 1)
    return matrix
