"""How many tasks are eligible, dispatchable and waiting for a page, read from a trace."""

import pandas as pd

CHANGES = {
    "dispatchable": {"dispatch": 1, "slice_end": -1},
    "waiting for a page": {"page_fault": 1, "sharable_fault": 1, "page_in": -1},
    "active": {"active": 1, "done": -1, "cancel": -1},
}


def levels(result, from_s, until_s):
    """Return the number of eligible and dispatchable tasks, and of those that wait for a page.

    Parameters
    ----------
    result : Result
        Of a run with a trace that reaches as far as wanted.
    from_s, until_s : float

    Returns
    -------
    pandas.DataFrame
        Indexed by time in s, a row an event: ``eligible``, ``dispatchable``, ``waiting for a
        page`` (which are dispatchable too).

    Raises
    ------
    ValueError
        If the trace ends before ``until_s``.
    """
    events = result.events()
    if events.empty or (events["time_s"].iloc[-1] < until_s and result.counts["trace_full"]):
        raise ValueError("The trace ends too soon; simulate with a larger trace.")
    found = pd.DataFrame({name: events["kind"].map(by).fillna(0) for name, by in CHANGES.items()})
    found = found.cumsum().set_index(events["time_s"].rename("time (s)"))
    found.insert(0, "eligible", found.pop("active") - found["dispatchable"])
    return found.loc[from_s:until_s]
