"""How many tasks are active, and how many of them wait for a page, read from a trace."""

import pandas as pd

CHANGES = {
    "active": {"activate": 1, "run_out": -1, "response": -1},
    "waiting for a page": {"page_fault": 1, "exec_fault": 1, "page_in": -1},
}


def levels(result, from_s, until_s):
    """Return the number of active tasks and of those that wait for a page.

    Parameters
    ----------
    result : Result
        Of a run with a trace that reaches as far as wanted.
    from_s, until_s : float

    Returns
    -------
    pandas.DataFrame
        Indexed by time in s, a row an event.

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
    return found.loc[from_s:until_s]
