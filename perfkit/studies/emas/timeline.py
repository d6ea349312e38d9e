"""Who is where, read from a trace by the analysis programs."""

import numpy as np
import pandas as pd

from perfkit.methods import tracing

PLACES = {
    "core queue": ("core queue",),
    "preload": ("preload", "suspended"),
    "run queue": ("run queue",),
    "processor": ("processor",),
    "page wait": ("page wait",),
}


def stays(trace, processes, from_s, until_s):
    """Return where some processes were between two times.

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


def ways(trace):
    """Return how often processes went from one station to the next.

    Outside core the stations are what ended there, or began: ``created``, ``wakes``,
    ``removed_from_core``. Of a process in core they are those of ``perfkit.methods.tracing``.

    Returns
    -------
    pandas.Series
        ``times`` by ``from`` and ``to``.
    """
    found = tracing.visits(trace)
    stations = np.array(tracing.STATIONS)[found["station"]]
    records = trace.records["kind"][found["record"]]
    kinds = [trace.kinds[kind] for kind in records.tolist()]
    found["from"] = np.where(stations == tracing.STATIONS[-1], kinds, stations)
    found["to"] = found.groupby(["process", "session"])["from"].shift(-1)
    return found.groupby(["from", "to"]).size().rename("times")
