"""The processor: supervisor time goes before user time, active tasks take turns."""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.systems.sim61.machine import NOBODY, PROCESSOR_ACTOR, Due, Queue, State, pop, push


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
def make_ready(m, t):
    """Put an active task at the end of the processor's queue."""
    m.tasks[t].state = State.READY
    push(m, Queue.PROCESSOR, t)


@inlined
def earliest_demand(task):
    """Find what a task will do next on its own clock; ties go to the lowest kind.

    Returns
    -------
    due : int
        A member of Due.
    at_ms : float
        On the task's clock.
    """
    due, at_ms = Due.PAGE, task.page_at_ms
    if task.exec_at_ms < at_ms:
        due, at_ms = Due.EXEC_PAGE, task.exec_at_ms
    if task.shared_at_ms < at_ms:
        due, at_ms = Due.SHARED_PAGE, task.shared_at_ms
    if task.io_at_ms < at_ms:
        due, at_ms = Due.USER_IO, task.io_at_ms
    if task.run_out_at_ms < at_ms:
        due, at_ms = Due.RUN_OUT, task.run_out_at_ms
    if task.complete_at_ms < at_ms:
        due, at_ms = Due.COMPLETE, task.complete_at_ms
    return due, at_ms


@inlined
def dispatch(m):
    """Let the first task of the processor's queue run until it demands something."""
    k = m.kernel
    if m.queues[Queue.PROCESSOR].length == 0:
        if m.alarms.time[PROCESSOR_ACTOR] < NEVER:
            set_alarm(m.alarms, PROCESSOR_ACTOR, NEVER)
        return
    t = pop(m, Queue.PROCESSOR)
    task = m.tasks[t]
    task.state = State.RUNNING
    due, at_ms = earliest_demand(task)
    task.due = due
    task.burst_ms = (at_ms - task.used_ms) * task.user_ms_per_ms
    task.used_ms = at_ms
    k.running = t
    k.burst_end_ms = max(k.now_ms, k.supervisor_end_ms) + task.burst_ms
    set_alarm(m.alarms, PROCESSOR_ACTOR, k.burst_end_ms)


@inlined
def leave_processor(m):
    """Take the running task off the processor, its burst done, and account for it."""
    k = m.kernel
    t = k.running
    task = m.tasks[t]
    k.user_ms += task.burst_ms
    m.groups[task.group].user_ms += task.burst_ms
    k.running = NOBODY
    return t
