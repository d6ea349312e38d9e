"""How many tasks are active, and how many of them wait for a page, read from a trace."""

from perfkit.methods import tracing

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
        If the trace or the run ends before ``until_s``.
    """
    p = result.parameters
    events = tracing.events_until(result, until_s, p.settle_s + p.measured_s)
    return tracing.levels(events, CHANGES, from_s, until_s)
