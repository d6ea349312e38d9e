"""How many tasks are active or wait for a page, and which ways they take, from a trace."""

import pandas as pd

from perfkit.methods import tracing

CHANGES = {
    "active": {"activate": 1, "run_out": -1, "response": -1},
    "waiting for a page": {"page_fault": 1, "exec_fault": 1, "page_in": -1},
}
TRACED = ("ready", "activate", "run_out", "response", "page_fault", "exec_fault", "page_in")


def levels(result, from_s, until_s):
    """Return the number of active tasks and of those that wait for a page.

    Indexed by time in s, one row per event.
    """
    p = result.parameters
    events = tracing.events_until(result, until_s, p.settle_s + p.measured_s)
    return tracing.levels(events, CHANGES, from_s, until_s)


def ways(result):
    """Return how often tasks went from one queue to another, after a run had settled.

    ``times`` by ``from`` and ``to``.
    """
    if result.values["trace_full"]:
        raise ValueError("The trace is full; ask for more records.")
    events = result.trace_frame()
    times = events.loc[events["time_s"] > result.parameters.settle_s, "kind"].value_counts()
    times = times.reindex([*TRACED], fill_value=0)
    faults = times["page_fault"] + times["exec_fault"]
    rows = [
        ("terminal", "ready", times["ready"] - times["run_out"]),
        ("ready", "active", times["activate"]),
        ("active: slice runs out", "ready", times["run_out"]),
        ("active: answered", "terminal", times["response"]),
        ("processor", "paging queue", faults),
        ("of these, without a frame", "paging queue", result.values["frame_waits"]),
        ("paging queue", "processor", times["page_in"]),
        ("processor", "user I/O", result.values["io_waits"]),
    ]
    return pd.DataFrame(rows, columns=["from", "to", "times"]).set_index(["from", "to"])
