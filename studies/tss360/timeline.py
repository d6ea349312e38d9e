"""How many tasks are eligible, dispatchable and waiting for a page, read from a trace."""

from perfkit.methods import tracing

CHANGES = {
    "dispatchable": {"dispatch": 1, "slice_end": -1},
    "waiting for a page": {"page_fault": 1, "sharable_fault": 1, "page_in": -1},
    "active": {"active": 1, "done": -1, "cancel": -1},
}


def levels(result, from_s, until_s):
    """Return the number of eligible and dispatchable tasks, and of those that wait for a page.

    Indexed by time in s, one row per event: ``eligible``, ``dispatchable``, ``waiting for a page``
    (which are dispatchable too).
    """
    p = result.parameters
    events = tracing.events_until(result, until_s, p.settle_s + p.measured_s)
    found = tracing.levels(events, CHANGES, from_s, until_s)
    found.insert(0, "eligible", found.pop("active") - found["dispatchable"])
    return found
