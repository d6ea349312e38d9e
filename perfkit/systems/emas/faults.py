"""Page faults: what a process that touches a page that it does not have in core comes to."""

from perfkit.des.compiling import inlined
from perfkit.systems.emas.machine import After, Purpose, Reason, State, begin_to_leave, go_on
from perfkit.systems.emas.paging import FOUND, NO_FRAME, fetch, kind_of_demand
from perfkit.systems.emas.processor import log_event


@inlined
def overruns_core(m, t):
    """Say whether one page more would exceed the core allowance of a process's category."""
    process = m.processes[t]
    return process.held_pages >= m.categories[process.category].core_pages


@inlined
def demand_page(m, t):
    """A process touches a page that it does not have in core."""
    process = m.processes[t]
    page = process.wanted_page
    if overruns_core(m, t):
        begin_to_leave(m, t, After.REQUEUE, Reason.CORE)
        return
    kind = kind_of_demand(m, t, page)
    found = fetch(m, t, page, Purpose.DEMAND)
    if found == NO_FRAME:
        m.kernel.frame_shortages += 1
        begin_to_leave(m, t, After.REQUEUE, Reason.NO_FRAME)
        return
    log_event(m, kind, t, page, process.category)
    if found == FOUND:
        go_on(m, t)
    else:
        process.state = State.PAGE_WAIT
