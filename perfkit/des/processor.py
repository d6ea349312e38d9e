"""A processor on which the supervisor's work goes before the running task's.

A machine's kernel record has ``running``, ``burst_ms``, ``burst_end_ms``, ``supervisor_ms`` and
``supervisor_end_ms``; the processor is the first actor.
"""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined, kernel
from perfkit.des.lists import NOBODY

PROCESSOR_ACTOR = 0


@handler
def supervise(m, work_ms):
    """Give the supervisor work; the running task is held up by as much."""
    k = m.kernel
    k.supervisor_ms += work_ms
    k.supervisor_end_ms = max(k.now_ms, k.supervisor_end_ms) + work_ms
    if k.running != NOBODY:
        k.burst_end_ms += work_ms
        set_alarm(m.alarms, PROCESSOR_ACTOR, k.burst_end_ms)


@inlined
def begin_burst(m, who, burst_ms):
    """Let a task run so long, once the supervisor's work is done."""
    k = m.kernel
    k.running, k.burst_ms = who, burst_ms
    k.burst_end_ms = max(k.now_ms, k.supervisor_end_ms) + burst_ms
    set_alarm(m.alarms, PROCESSOR_ACTOR, k.burst_end_ms)


@inlined
def rest(m):
    """Leave the processor without a task."""
    if m.alarms.time[PROCESSOR_ACTOR] < NEVER:
        set_alarm(m.alarms, PROCESSOR_ACTOR, NEVER)


@kernel
def passed(k):
    """Return what has passed of the running task's burst (0 without one) and supervisor work."""
    ahead_ms = max(0.0, k.supervisor_end_ms - k.now_ms)
    left_ms = min(k.burst_ms, k.burst_end_ms - k.now_ms - ahead_ms)
    user_ms = k.burst_ms - max(left_ms, 0.0) if k.running != NOBODY else 0.0
    return user_ms, k.supervisor_ms - ahead_ms
