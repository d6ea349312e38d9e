"""What tasks do on the processor's time: demand pages, call the executive, transfer, end."""

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level, shift_level
from perfkit.des.draws import exponential, uniform
from perfkit.des.elementary import power
from perfkit.des.processor import supervise
from perfkit.des.trace import note
from perfkit.systems.sim61 import processor
from perfkit.systems.sim61.devices import request_io, request_page
from perfkit.systems.sim61.memory import page_written, read_page, reclaim, take_frame
from perfkit.systems.sim61.state import (
    Column,
    Due,
    Event,
    Level,
    Purpose,
    Queue,
    State,
    Stop,
    TaskType,
    demanded,
    end_demands,
    make_ready,
    task_actor,
)

UNKNOWN_MS = -1.0  # in place of when, by the fault curve, a task demanded its last page


def paper_curve(page, working_set, compute_ms, alpha):
    """Return how long a task has computed when it demands a page (Figure 2).

    Pages demanded grow as a power ``alpha`` of the time since activation and reach the
    working set when the interaction's compute time is over.

    Parameters
    ----------
    page : int
        Which page it demands, counted from its activation: 1 is the first.
    working_set : int
        Pages that it will have demanded by the end.
    compute_ms : float
        Compute time of the interaction.
    alpha : float
        The class's exponent.

    Returns
    -------
    float
        In ms since activation; must not fall with ``page``.
    """
    return compute_ms * power(page / working_set, 1.0 / alpha)


@inlined
def until_fault(m, interval_ms, rate):
    """Draw the time to the call, or reference, that ends in a page fault.

    Calls come at a fixed interval and each faults with the same probability p; ``rate`` is
    -log(1 - p), so that the number of calls is geometric.
    """
    if interval_ms <= 0.0 or rate <= 0.0:
        return NEVER
    # A floor, for calls are whole: the one that faults comes after all that did not.
    return interval_ms * (1.0 + np.floor(exponential(m.gap) / rate))


@handler
def begin_interaction(m, t):
    """Take up the characteristics drawn for a task's next interaction."""
    task, settings = m.tasks[t], m.settings
    working_set_pages = max(np.rint(demanded(m, t, Column.WORKING_SET)), 1.0)
    compute_ms = demanded(m, t, Column.COMPUTE)
    task.io_interval_ms = demanded(m, t, Column.IO_INTERVAL)
    task.exec_interval_ms = exec_ms = demanded(m, t, Column.EXEC_INTERVAL)
    task.shared_interval_ms = demanded(m, t, Column.SHARED_INTERVAL)
    end_demands(m, t)
    task.working_set_pages = int(min(working_set_pages, settings.frames))
    task.curve_ms = settings.curve_ms if settings.curve_ms > 0.0 else compute_ms
    task.reached_ms = UNKNOWN_MS
    task.began_ms = task.used_ms
    task.complete_at_ms = task.used_ms + compute_ms
    svc_ms = settings.svc_ms / exec_ms if exec_ms > 0.0 else 0.0
    # The slice is processor time: what is left of it lasts longer or shorter on the new clock.
    left_ms = (task.run_out_at_ms - task.used_ms) * task.user_ms_per_ms
    task.user_ms_per_ms = settings.slow_down * (1.0 + svc_ms)
    task.run_out_at_ms = task.used_ms + left_ms / task.user_ms_per_ms
    task.exec_at_ms = task.used_ms + until_fault(m, exec_ms, settings.exec_rate)
    task.shared_at_ms = task.used_ms + until_fault(m, task.shared_interval_ms, settings.shared_rate)
    task.io_at_ms = task.used_ms + task.io_interval_ms if task.io_interval_ms > 0.0 else NEVER


@inlined
def think(m, t):
    """Let a task be inactive for the think time of its next interaction."""
    m.tasks[t].state = State.THINKING
    think_ms = demanded(m, t, Column.THINK)
    set_alarm(m.alarms, task_actor(m, t), m.kernel.now_ms + think_ms)


@inlined
def task_alarm(m, t):
    """A task's think time, or its delay after a run-out, is over."""
    set_alarm(m.alarms, task_actor(m, t), NEVER)
    if m.tasks[t].state == State.THINKING:
        m.tasks[t].asked_ms = m.kernel.now_ms
        begin_interaction(m, t)
    processor.wait_for_activation(m, t, False)


@inlined
def complete(m, t):
    """End an interaction; a batch task goes straight on to its next stretch of work."""
    k, task = m.kernel, m.tasks[t]
    if task.kind == TaskType.BATCH:
        begin_interaction(m, t)
        make_ready(m, t)
        return
    group = m.groups[task.group]
    group.responses += 1
    group.response_ms += k.now_ms - task.asked_ms
    note(m, Event.RESPONSE, t, int(1000.0 * (k.now_ms - task.asked_ms)))
    processor.deactivate(m, t)
    think(m, t)


@inlined
def wait_for_page(m, t):
    """A task joins the paging queue, its slice charged for the fault."""
    task = m.tasks[t]
    charged_ms = m.settings.fault_charge_ms / task.user_ms_per_ms
    task.run_out_at_ms = max(task.run_out_at_ms - charged_ms, task.used_ms)
    task.waits_since_ms = m.kernel.now_ms
    m.kernel.paging += 1
    set_level(m, Level.PAGING, m.kernel.paging)


@inlined
def next_page(m, t, fault):
    """Set when, on its own clock, a task will demand the next page of its working set."""
    task = m.tasks[t]
    if task.demanded_pages >= task.granted_pages:
        task.page_at_ms = NEVER
        return
    at = task.demanded_pages
    alpha = m.settings.curve_exponent
    before_ms = task.reached_ms
    # An interaction that goes on within a slice has another curve: what is kept is of the old one.
    if before_ms == UNKNOWN_MS:
        before_ms = fault(at, task.granted_pages, task.curve_ms, alpha)
    task.reached_ms = fault(at + 1, task.granted_pages, task.curve_ms, alpha)
    gap_ms = task.reached_ms - before_ms
    if not gap_ms >= 0.0:
        m.kernel.stop = Stop.BAD_CURVE
        return
    task.page_at_ms = task.used_ms + gap_ms * exponential(m.gap)


@inlined
def demand_page(m, t, fault):
    """Demand the next page of the working set: reclaim it, or fault."""
    task = m.tasks[t]
    task.demanded_pages += 1
    next_page(m, t, fault)  # now, by the task's clock, which stands still while it waits
    if reclaim(m, t):
        supervise(m, m.settings.reclaim_ms)
        make_ready(m, t)
        return
    note(m, Event.PAGE_FAULT, t, task.demanded_pages)
    m.groups[task.group].page_faults += 1
    wait_for_page(m, t)
    if take_frame(m):
        read_page(m, t)
    else:
        m.kernel.frame_waits += 1
        task.state = State.SHORT_OF_FRAMES
        lists.push(m.tasks, m.queues[Queue.FRAMES], t)
        set_level(m, Level.FRAMES, m.queues[Queue.FRAMES].length)


@inlined
def demand_exec_page(m, t):
    """Fault for a page of the executive; it goes into the executive's own frames."""
    task = m.tasks[t]
    settings = m.settings
    if task.due == Due.EXEC_PAGE:
        task.exec_at_ms += until_fault(m, task.exec_interval_ms, settings.exec_rate)
    else:
        task.shared_at_ms += until_fault(m, task.shared_interval_ms, settings.shared_rate)
    note(m, Event.EXEC_FAULT, t, task.due)
    m.groups[task.group].exec_faults += 1
    wait_for_page(m, t)
    task.state = State.PAGING
    request_page(m, Purpose.READ_EXEC, t, uniform(m.place))


@inlined
def outstanding_allowed(m, task):
    """Draw how many transfers a task leaves under way: none if it waits for this one."""
    settings = m.settings
    is_batch = task.kind == TaskType.BATCH
    share = settings.batch_io_wait_share if is_batch else settings.io_wait_share
    return 0 if uniform(m.place) < share else settings.io_buffers - 1


@inlined
def start_io(m, t):
    """Start a transfer to or from a user's disc; wait for it, or only for a free buffer."""
    k, task, settings = m.kernel, m.tasks[t], m.settings
    task.io_at_ms += task.io_interval_ms
    task.outstanding += 1
    m.groups[task.group].ios += 1
    note(m, Event.IO_START, t, task.outstanding)
    supervise(m, settings.io_ms)
    request_io(m, Purpose.USER_IO, t)
    task.outstanding_allowed = outstanding_allowed(m, task)
    if task.outstanding > task.outstanding_allowed:
        k.io_waits += 1
        task.state = State.USER_IO
        shift_level(m, Level.USER_IO, 1.0)
    else:
        make_ready(m, t)


@inlined
def burst_ends(m, fault):
    """The running task has come to what it demands next."""
    t = processor.leave_processor(m)
    due = m.tasks[t].due
    if due == Due.PAGE:
        demand_page(m, t, fault)
    elif due == Due.USER_IO:
        start_io(m, t)
    elif due == Due.RUN_OUT:
        processor.run_out(m, t)
    elif due == Due.COMPLETE:
        complete(m, t)
    else:
        demand_exec_page(m, t)


@inlined
def page_arrives(m, t):
    """A page that a task waits for has come; the task is ready."""
    k, task = m.kernel, m.tasks[t]
    wait_ms = k.now_ms - task.waits_since_ms
    k.page_wait_ms += wait_ms
    k.page_waits += 1
    m.groups[task.group].paging_ms += wait_ms
    k.paging -= 1
    set_level(m, Level.PAGING, k.paging)
    note(m, Event.PAGE_IN, t, task.held_pages)
    make_ready(m, t)


@inlined
def io_ends(m, t):
    """A user's transfer has ended; its task goes on if it waited for that."""
    k, task = m.kernel, m.tasks[t]
    k.ios += 1
    task.outstanding -= 1
    note(m, Event.IO_END, t, task.outstanding)
    if task.state == State.USER_IO and task.outstanding <= task.outstanding_allowed:
        shift_level(m, Level.USER_IO, -1.0)
        make_ready(m, t)


@inlined
def operation_done(m, purpose, t, supervisor_ms):
    """Deal with the interrupt at the end of a device's operation."""
    k = m.kernel
    supervise(m, supervisor_ms)
    if purpose == Purpose.USER_IO:
        io_ends(m, t)
    elif purpose == Purpose.WRITE_PAGE:
        page_written(m, t)
    else:
        k.pages_in += purpose == Purpose.READ_PAGE
        k.exec_pages_in += purpose == Purpose.READ_EXEC
        page_arrives(m, t)
