"""The processor: supervisor time goes before user time, dispatchable tasks take turns."""

from perfkit.des.alarms import set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.systems.tss360.machine import (
    NOBODY,
    PROCESSOR_ACTOR,
    Count,
    Queue,
    State,
    count,
    push,
)


@handler
def supervise(m, work_ms):
    """Give the supervisor work; the running task is held up by as much."""
    k = m.kernel
    count(m, Count.SUPERVISOR_MS, work_ms)
    k.supervisor_end_ms = max(k.now_ms, k.supervisor_end_ms) + work_ms
    if k.running != NOBODY:
        k.burst_end_ms += work_ms
        set_alarm(m.alarms, PROCESSOR_ACTOR, k.burst_end_ms)


@inlined
def supervise_paging(m, work_ms):
    """Give the supervisor work that is due to paging."""
    count(m, Count.PAGING_OVERHEAD_MS, work_ms)
    supervise(m, work_ms)


@inlined
def make_ready(m, t):
    """Put a dispatchable task at the end of the processor's queue."""
    m.tasks[t].state = State.READY
    push(m, Queue.READY, t)
