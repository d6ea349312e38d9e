"""Who is active and who runs: ready queues, committed core, N to 1, the processor's queue."""

from perfkit.des import lists
from perfkit.des.alarms import set_alarm
from perfkit.des.compiling import inlined
from perfkit.des.counters import set_level
from perfkit.des.draws import exponential
from perfkit.des.lists import NOBODY
from perfkit.des.processor import begin_burst, rest, supervise
from perfkit.des.trace import note
from perfkit.systems.sim61.memory import release_pages
from perfkit.systems.sim61.state import (
    Choice,
    Due,
    Event,
    Level,
    Queue,
    State,
    Stop,
    TaskType,
    make_ready,
    task_actor,
)


def n_to_1(interactive_waiting, batch_waiting, batch_active, counted, activations_per_batch):
    """Say whom to activate next when both ready queues hold tasks: the N-to-1 algorithm.

    Parameters
    ----------
    interactive_waiting, batch_waiting : int
        Lengths of the ready queues; communications tasks count as interactive.
    batch_active : int
        Batch tasks that are active.
    counted : int
        Interactive activations since the last batch one, free ones left out.
    activations_per_batch : float
        N; infinite in the original algorithm.

    Returns
    -------
    int
        0 the interactive queue, 1 the batch queue, -1 neither.
    """
    return 1 if counted >= activations_per_batch else 0


@inlined
def wait_for_activation(m, t, after_run_out):
    """Put a task at the end of its ready queue, or of its part of the interactive one."""
    task = m.tasks[t]
    task.state = State.WAITING
    task.charge_pages = min(task.working_set_pages + m.settings.extra_pages, m.settings.frames)
    note(m, Event.READY, t, task.working_set_pages)
    if task.kind == TaskType.BATCH:
        queue = Queue.BATCH
    elif task.kind == TaskType.COMMUNICATIONS:
        queue = Queue.COMMUNICATIONS
    elif after_run_out and task.used_ms - task.began_ms >= m.settings.compute_bound_ms:
        queue = Queue.RUN_OUT
    else:
        queue = Queue.INTERACTIVE
    lists.push(m.tasks, m.queues[queue], t)
    m.kernel.activate = 1


@inlined
def first_waiting(m):
    """Return the head of the interactive ready queue: communications tasks stand ahead."""
    if m.queues[Queue.COMMUNICATIONS].length > 0:
        return Queue.COMMUNICATIONS
    return Queue.INTERACTIVE if m.queues[Queue.INTERACTIVE].length > 0 else Queue.RUN_OUT


@inlined
def activate_tasks(m, fault, rule):
    """Activate heads of the ready queues until one does not fit in unscheduled core."""
    k, queues = m.kernel, m.queues
    k.activate = 0
    while k.stop == Stop.NONE:
        waiting = queues[Queue.COMMUNICATIONS].length + queues[Queue.INTERACTIVE].length
        waiting += queues[Queue.RUN_OUT].length
        batch_waiting = queues[Queue.BATCH].length
        if waiting + batch_waiting == 0:
            return
        free = waiting == 0 or batch_waiting == 0
        choice = Choice.BATCH if waiting == 0 else Choice.INTERACTIVE
        if not free:
            limit = m.settings.activations_per_batch
            choice = rule(waiting, batch_waiting, k.active_batch, k.counted, limit)
        if choice == Choice.NONE:
            return
        if choice != Choice.BATCH and choice != Choice.INTERACTIVE:
            k.stop = Stop.BAD_CHOICE
            return
        queue = Queue.BATCH if choice == Choice.BATCH else first_waiting(m)
        t = queues[queue].head
        if m.tasks[t].charge_pages > m.settings.frames - k.scheduled_pages:
            return  # not on to the next: skipping the head would lock large tasks out
        lists.pop(m.tasks, queues[queue])
        count_activation(m, t, free)
        activate(m, t, fault)


@inlined
def count_activation(m, t, free):
    """Count an activation: a free one is not counted against N, or against the 1."""
    k, task = m.kernel, m.tasks[t]
    m.groups[task.group].activations += 1
    if task.kind == TaskType.BATCH:
        k.activations_batch += 1
        k.free_batch += free
        if not free:
            k.counted = 0
    else:
        k.activations_interactive += 1
        k.free_interactive += free
        k.counted += not free


@inlined
def commit_core(m, t, sign):
    """Schedule core for a task that becomes active (+1), or take it back (-1)."""
    k, task = m.kernel, m.tasks[t]
    k.scheduled_pages += sign * task.charge_pages
    k.active += sign
    if task.kind == TaskType.BATCH:
        k.active_batch += sign
    set_level(m, Level.SCHEDULED, k.scheduled_pages)
    set_level(m, Level.ACTIVE, k.active)


@inlined
def activate(m, t, fault):
    """Make a task active: it may compete for processor, paging and user I/O."""
    task, settings = m.tasks[t], m.settings
    note(m, Event.ACTIVATE, t, task.working_set_pages)
    commit_core(m, t, 1)
    is_batch = task.kind == TaskType.BATCH
    slice_ms = settings.batch_slice_ms if is_batch else settings.interactive_slice_ms
    task.run_out_at_ms = task.used_ms + slice_ms * settings.slow_down / task.user_ms_per_ms
    task.granted_pages = task.working_set_pages
    task.demanded_pages = 0
    task.reached_ms = fault(1, task.granted_pages, task.curve_ms, settings.curve_exponent)
    if not task.reached_ms >= 0.0:  # not < 0.0, which is false of nan
        m.kernel.stop = Stop.BAD_CURVE
    task.page_at_ms = task.used_ms + task.reached_ms * exponential(m.gap)
    supervise(m, settings.activation_ms)
    make_ready(m, t)


@inlined
def deactivate(m, t):
    """Make a task inactive: its core is unscheduled, its pages are released."""
    commit_core(m, t, -1)
    release_pages(m, t)
    m.kernel.activate = 1


@inlined
def run_out(m, t):
    """End a time slice: to the back of the ready queue, batch after a delay."""
    task = m.tasks[t]
    m.groups[task.group].run_outs += 1
    note(m, Event.RUN_OUT, t, task.held_pages)
    deactivate(m, t)
    if task.kind == TaskType.BATCH and m.settings.batch_delay_ms > 0.0:
        task.state = State.DELAYED
        set_alarm(m.alarms, task_actor(m, t), m.kernel.now_ms + m.settings.batch_delay_ms)
    else:
        wait_for_activation(m, t, True)


@inlined
def earliest_demand(task):
    """Find what a task does next (of Due), and when by its clock; ties go to the lowest kind."""
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
    if m.queues[Queue.PROCESSOR].length == 0:
        rest(m)
        return
    t = lists.pop(m.tasks, m.queues[Queue.PROCESSOR])
    task = m.tasks[t]
    task.state = State.RUNNING
    due, at_ms = earliest_demand(task)
    task.due = due
    burst_ms = (at_ms - task.used_ms) * task.user_ms_per_ms
    task.used_ms = at_ms  # set, not added to: sums of bursts would miss the demand by rounding
    begin_burst(m, t, burst_ms)


@inlined
def leave_processor(m):
    """Take the running task off the processor, its burst done, and account for it."""
    k = m.kernel
    t = k.running
    k.user_ms += k.burst_ms
    m.groups[m.tasks[t].group].user_ms += k.burst_ms
    k.running = NOBODY
    return t
