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
