"""Where processes are: waits and lengths by station, residences in core, categories."""

import numpy as np
import pandas as pd

OUTSIDE = "outside core"
QUEUES = (
    "active storage",
    *(f"core queue {i}" for i in range(1, 6)),
    *(f"run queue {i}" for i in range(3)),
)
STATION_OF = {
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
BYTE = 256
SAMPLED = ("active storage", *(f"core queue {i}" for i in range(1, 6)))


def visits(trace):
    """Follow every process from station to station.

    Returns
    -------
    pandas.DataFrame
        A row a visit, by process and then time: ``process``, ``station`` (its place in
        ``STATIONS``), ``from_ms``, ``time_ms`` (missing for a process's last visit),
        ``category`` (of the queue joined, else -1).
    """
    records = trace.records
    station = np.full(max(trace.kinds) + 1, -1)
    for name, where in STATION_OF.items():
        number = trace.number(name)
        if number >= 0:
            station[number] = STATIONS.index(where)
    at = station[records["kind"]]
    queued = records["kind"] == trace.number("queued")
    at[queued] = records["value"][queued]
    in_core = records["kind"] == trace.number("demand_in_core")
    at[in_core] = STATIONS.index("page wait")
    moving = np.flatnonzero(at >= 0)
    order = moving[np.argsort(records["actor"][moving], kind="stable")]
    process, kind = records["actor"][order], records["kind"][order]
    same = process[1:] == process[:-1]
    arrives = np.append(same & (kind[1:] == trace.number("demanded_page_arrives")), False)
    found = in_core[order] & ~arrives
    order, process = order[~found], process[~found]
    same_as_next = process[1:] == process[:-1]
    start = records["time_ms"][order]
    time = np.append(np.where(same_as_next, np.diff(start), np.nan), np.nan)[: start.size]
    return pd.DataFrame(
        {
            "process": process,
            "station": at[order],
            "from_ms": start,
            "time_ms": time,
            "category": np.where(queued[order], records["detail"][order], -1),
        }
    )


def station_waits(trace, found=None):
    """Return entries, mean time and mean number at every station of Figure 2.

    Parameters
    ----------
    trace : Trace
    found : pandas.DataFrame, optional
        The visits, if they are at hand.

    Returns
    -------
    pandas.DataFrame
        Indexed by station: ``entries``, ``mean_ms``, ``mean_length``. A stay in one station that
        several records tell of is one visit.
    """
    found = visits(trace) if found is None else found
    found = found.dropna(subset="time_ms")
    new = (found["station"] != found["station"].shift()) | (
        found["process"] != found["process"].shift()
    )
    new |= found["station"] < len(QUEUES)
    total = found.groupby("station")["time_ms"].sum()
    entries = new.groupby(found["station"]).sum()
    frame = pd.DataFrame({"entries": entries, "mean_ms": total / entries})
    frame["mean_length"] = total / (1000.0 * trace.seconds)
    frame.index = pd.Index([STATIONS[i] for i in frame.index], name="station")
    return frame


def residence_stages(trace, found=None):
    """Return the mean time of each stage of a core residence, in ms.

    ``on_processor`` is the time for which a process holds the processor, what the supervisor
    takes of it included; ``cpu`` is what it had itself, ``supervisor`` the rest.

    Returns
    -------
    pandas.Series
    """
    found = visits(trace) if found is None else found
    begun = int((trace.records["kind"] == trace.number("preload_begins")).sum())
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

    Returns
    -------
    pandas.DataFrame
        A row a residence: ``process``, ``category`` (counted from 0), ``begins_s``, ``ends_s``,
        ``cpu_ms``, ``written`` (pages).
    """
    records = trace.having("preload_begins", "removed_from_core")
    records = records[np.argsort(records["actor"], kind="stable")]
    begins = records["kind"] == trace.number("preload_begins")
    pair = np.flatnonzero(begins[:-1] & ~begins[1:])
    pair = pair[records["actor"][pair] == records["actor"][pair + 1]]
    first, last = records[pair], records[pair + 1]
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

    Parameters
    ----------
    trace : Trace
    categories : int
        How many there are.

    Returns
    -------
    ndarray of int64, shape (categories, categories)
    """
    records = trace.having("queued")
    core = (records["value"] >= 1) & (records["value"] <= 5)
    records = records[core]
    records = records[np.argsort(records["actor"], kind="stable")]
    same = records["actor"][1:] == records["actor"][:-1]
    matrix = np.zeros((categories, categories), np.int64)
    np.add.at(matrix, (records["detail"][:-1][same], records["detail"][1:][same]), 1)
    return matrix


def queue_samples(trace):
    """Return the lengths of the queues as sampled every ten seconds.

    Returns
    -------
    pandas.DataFrame
        Indexed by time in s, a column a queue.
    """
    records = trace.having("queues_sampled")
    columns = {}
    for packed, names in (
        (records["value"].copy(), SAMPLED),
        (records["detail"].copy(), QUEUES[len(SAMPLED) :]),
    ):
        for name in reversed(names):
            columns[name] = packed % BYTE
            packed //= BYTE
    index = pd.Index(records["time_ms"] / 1000.0, name="time_s")
    return pd.DataFrame(columns, index=index)[list(QUEUES)]
