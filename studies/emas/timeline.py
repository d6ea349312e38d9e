"""Where each process is, read from a trace by the analysis programs."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from perfkit.methods import tracing
from perfkit.methods.tracing.chains import pairs
from perfkit.methods.tracing.paging import DEMANDS, PRELOADED, TOUCHED

PLACES = {
    "core queue": ("core queue",),
    "preload": ("preload", "suspended"),
    "run queue": ("run queue",),
    "processor": ("processor",),
    "page wait": ("page wait",),
}


def stays(trace, processes, from_s, until_s):
    """Return the places of some processes between two times.

    Columns ``process``, ``place`` (of ``PLACES``), ``from_s``, ``to_s``.
    """
    if not trace.records.size or trace.records["time_ms"][-1] < 1000.0 * until_s:
        raise ValueError("The trace ends too soon; simulate with a larger trace.")
    found = tracing.visits(trace).dropna(subset="time_ms")
    found = found[found["process"].isin(processes)]
    names = pd.Series(tracing.STATIONS)[found["station"]].to_numpy()
    place = np.full(len(found), "", object)
    for label, prefixes in PLACES.items():
        place[[name.startswith(prefixes) for name in names]] = label
    frame = pd.DataFrame(
        {
            "process": found["process"].to_numpy(),
            "place": place,
            "from_s": found["from_ms"].to_numpy() / 1000.0,
        }
    )
    frame["to_s"] = frame["from_s"] + found["time_ms"].to_numpy() / 1000.0
    inside = (frame["to_s"] > from_s) & (frame["from_s"] < until_s) & (frame["place"] != "")
    frame = frame[inside].copy()
    frame["from_s"] = frame["from_s"].clip(lower=from_s)
    frame["to_s"] = frame["to_s"].clip(upper=until_s)
    return frame


class Life(NamedTuple):
    """A process between waking and sleeping, with one residence in core.

    Attributes
    ----------
    process : int
    begins_s, ends_s : float
    stays : pandas.DataFrame
        As ``stays`` returns; times count from waking.
    pages : pandas.DataFrame
        One row per page: ``how`` ("prefetched" or "demanded"), ``asked_s`` and ``came_s``.
    wanted, wasted : int
        Pages of the preload, some of them in core already, and those never touched.
    """

    process: int
    begins_s: float
    ends_s: float
    stays: pd.DataFrame
    pages: pd.DataFrame
    wanted: int
    wasted: int


def typical_life(trace):
    """Return the life with one residence whose waits are nearest to the means."""
    begins, ends = pairs(trace, ("wakes",), ("sleeps",))
    found = tracing.visits(trace)
    key, of = trace.records.size + 1, trace.records["actor"][begins].astype(np.int64)
    order = np.lexsort((begins, of))
    begins, ends, of = begins[order], ends[order], of[order]
    own = found["process"].to_numpy(np.int64) * key + found["record"].to_numpy()
    life = np.searchsorted(of * key + begins, own, side="right") - 1
    inside = (life >= 0) & (found["process"].to_numpy() == of[life])
    inside &= found["record"].to_numpy() < ends[life]
    names = pd.Series(tracing.STATIONS)[found["station"]].to_numpy()
    found = found.assign(life=life, where=names)[inside]
    table = found.pivot_table("time_ms", "life", "where", ["sum", "size"], fill_value=0.0)
    times, visits = table["sum"], table["size"]
    queues = [name for name in times if name.startswith("core queue")]
    moved = trace.records[found["record"]]
    ended = np.isin(moved["kind"], trace.numbers("preload_ends"))
    pages = pd.Series(moved["value"], found["life"])[ended].groupby(level=0).sum()
    ms = times[["preload", "page wait", "processor"]].assign(
        queue=times[queues].sum(axis=1), pages=pages, demands=visits["page wait"] / 2
    )
    once = (visits["preload"] == 2) & (visits[queues].sum(axis=1) == 1) & (ms > 0.0).all(axis=1)
    whole = ms[once & (visits.get("active storage", 0) == 0)]
    off = np.abs(np.log(whole / whole.mean())).sum(axis=1)
    chosen = int(off.idxmin())
    return _life(trace, begins[chosen], ends[chosen])


def _life(trace, begin, end):
    """Return the life between two records of a process."""
    records = trace.records
    process = int(records["actor"][begin])
    from_s, to_s = records["time_ms"][[begin, end]] / 1000.0
    own = records[begin : end + 1]
    own = own[own["actor"] == process]
    kinds = np.array([trace.kinds[int(kind)] for kind in own["kind"]])
    at_s = own["time_ms"] / 1000.0 - from_s
    begun = at_s[kinds == "preload_begins"][0]
    came = at_s[kinds == "preloaded_page_arrives"]
    rows = [pd.DataFrame({"how": "prefetched", "asked_s": begun, "came_s": came})]
    arrives = np.flatnonzero(kinds == "demanded_page_arrives")
    asked = [at_s[:i][np.isin(kinds[:i], DEMANDS)][-1] for i in arrives]
    rows.append(pd.DataFrame({"how": "demanded", "asked_s": asked, "came_s": at_s[arrives]}))
    shown = stays(trace, [process], from_s, to_s)
    shown[["from_s", "to_s"]] -= from_s
    after = records[end:]
    after = after[after["actor"] == process]
    after_kinds = np.array([trace.kinds[int(kind)] for kind in after["kind"]])
    gone = np.flatnonzero(after_kinds == "removed_from_core")
    after = after[: gone[0] if gone.size else None]
    left = after["detail"][after_kinds[: len(after)] == "page_leaves_at_removal"]
    left = np.concatenate([left, own["detail"][kinds == "page_leaves_at_compaction"]])
    wasted = int(((left & PRELOADED > 0) & (left & TOUCHED == 0)).sum())
    wanted = int(own["value"][kinds == "preload_begins"][0])
    return Life(process, from_s, to_s, shown, pd.concat(rows), wanted, wasted)


def ways(trace):
    """Return how often processes went from one station to the next.

    In core the stations are those of ``perfkit.methods.tracing``. Outside core a station is named
    by the event that ended or began the stay: ``created``, ``wakes``, ``removed_from_core``.

    ``times`` by ``from`` and ``to``.
    """
    found = tracing.visits(trace)
    stations = np.array(tracing.STATIONS)[found["station"]]
    records = trace.records["kind"][found["record"]]
    kinds = [trace.kinds[kind] for kind in records.tolist()]
    found["from"] = np.where(stations == tracing.STATIONS[-1], kinds, stations)
    found["to"] = found.groupby(["process", "session"])["from"].shift(-1)
    return found.groupby(["from", "to"]).size().rename("times")
