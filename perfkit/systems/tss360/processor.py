"""The table-driven scheduler: the eligible queue, the entrance criterion, slice ends, exits.

An eligible task is behind schedule from its deadline on; before that it is not taken, even
where there is room.
"""

from perfkit.des import lists
from perfkit.des.alarms import set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level
from perfkit.des.lists import NOBODY
from perfkit.des.processor import begin_burst, rest, supervise
from perfkit.des.trace import note
from perfkit.systems.tss360.memory.frames import release_all
from perfkit.systems.tss360.memory.paging import run_to_fault
from perfkit.systems.tss360.state import (
    Cause,
    Count,
    Due,
    Event,
    Level,
    Queue,
    State,
    count,
    make_ready,
    task_actor,
)


def paper_entrance(limit_pages, available_pages, dispatchable):
    """Return whether an eligible task may become dispatchable: P_max < P_eav.

    Parameters
    ----------
    limit_pages : int
        The frame limit of the task's entry, P_max.
    available_pages : int
        The scheduler's estimate of available frames, P_eav.
    dispatchable : int
        Tasks that are dispatchable now.
    """
    return limit_pages < available_pages


@handler
def change_eligible(m, change):
    """Change the number of eligible tasks."""
    m.kernel.eligible += change
    set_level(m, Level.ELIGIBLE, m.kernel.eligible)


@handler
def change_dispatchable(m, t, change):
    """Enter or take a task in or out of the dispatchable queue's counts, its limit with it."""
    k, task = m.kernel, m.tasks[t]
    k.dispatchable += change
    k.estimate -= change * task.p_max
    k.typical_dispatchable += change * task.typical
    set_level(m, Level.DISPATCHABLE, k.dispatchable)
    set_level(m, Level.ESTIMATE, k.estimate)
    set_level(m, Level.TYPICAL_DISPATCHABLE, k.typical_dispatchable)


@handler
def make_eligible(m, t, entry):
    """Enqueue an active task in the eligible queue under an entry, with a deadline by it.

    The task's alarm goes off at a deadline that is still to come.
    """
    task = m.tasks[t]
    task.entry = entry
    task.deadline_ms = m.kernel.now_ms + m.entries[entry].deadline_ms
    task.state = State.ELIGIBLE
    if task.deadline_ms > m.kernel.now_ms:
        set_alarm(m.alarms, task_actor(m, t), task.deadline_ms)
    change_eligible(m, 1)
    m.kernel.schedule = 1


@inlined
def goes_before(m, t, other):
    """Return whether one eligible task stands before another: by priority, then by deadline."""
    a, b = m.entries[m.tasks[t].entry].priority, m.entries[m.tasks[other].entry].priority
    return a < b or (a == b and m.tasks[t].deadline_ms < m.tasks[other].deadline_ms)


@handler
def first_that_fits(m, entrance):
    """Return the task behind schedule of the highest priority, farthest behind, that may enter."""
    k, best = m.kernel, NOBODY
    for t in range(m.tasks.size):
        if m.tasks[t].state != State.ELIGIBLE or t == k.passed_over:
            continue
        if m.tasks[t].deadline_ms > k.now_ms:  # not behind schedule: not even where there is room
            continue
        if best != NOBODY and not goes_before(m, t, best):
            continue
        # Asked only of a task that would go before the best so far: refusals are counted.
        if entrance(m.entries[m.tasks[t].entry].p_max, k.estimate, k.dispatchable):
            best = t
        else:
            count(m, Count.REFUSED, 1.0)
    return best


@handler
def schedule_tasks(m, entrance):
    """Move eligible tasks to the dispatchable queue until none fits.

    The room that a task leaves at the end of a slice is offered to those who wait before the
    task itself, which is still active, is enqueued again behind them (``room_to_others``).
    """
    k = m.kernel
    k.schedule = 0
    while k.eligible > 0:
        t = first_that_fits(m, entrance)
        if t != NOBODY:
            begin_slice(m, t)
        elif k.passed_over != NOBODY:
            k.passed_over = NOBODY
        else:
            return


@inlined
def begin_slice(m, t):
    """Make a task dispatchable for a time slice."""
    k, task = m.kernel, m.tasks[t]
    entry = m.entries[task.entry]
    change_eligible(m, -1)
    task.p_max = entry.p_max
    change_dispatchable(m, t, 1)
    count(m, Count.DISPATCHES, 1.0)
    note(m, Event.DISPATCH, t, task.entry)
    if task.slices == 0:
        task.first_dispatch_ms = k.now_ms
    task.slices += 1
    task.dispatchable_sum += k.dispatchable
    task.quantum_left_ms = entry.quantum_ms
    task.used_ms = 0.0
    task.before_ms = task.cpu_ms - task.cpu_left_ms  # sharable pages go on, private ones begin anew
    task.touched = task.recent_from = 0
    task.slice_page_waits = task.early_faults = task.late_faults = 0
    make_ready(m, t)


@inlined
def next_entry(m, t, cause, held):
    """Return the entry that a task's exit leads to."""
    entry = m.entries[m.tasks[t].entry]
    if cause == Cause.DONE:
        return entry.if_done
    if cause == Cause.OVER_LIMIT:
        return entry.if_over
    if cause == Cause.SWAP_OUT:
        return entry.if_swapped
    if held < entry.fewer_than:
        return entry.if_fewer
    return entry.if_more if held > entry.more_than else entry.if_within


@handler
def end_slice(m, t, cause):
    """Take a task off the dispatchable queue, release its frames, find its next entry."""
    k, task = m.kernel, m.tasks[t]
    held = m.held[t].length  # before they are released: the exit depends on it
    task.frames_sum += held
    note(m, Event.SLICE_END, t, cause)
    if task.slices > 1:
        count(m, Count.LATER_SLICES, 1.0)
        count(m, Count.LATER_PAGE_WAITS, float(task.slice_page_waits))
    if task.swap_asked:
        task.swap_asked = 0
        k.swap_pending = 0
    supervise(m, m.settings.slice_end_ms)
    release_all(m, t)
    change_dispatchable(m, t, -1)
    entry = next_entry(m, t, cause, held)
    k.schedule = 1
    if cause == Cause.DONE:
        count(m, Count.TSE_DONE, 1.0)
        task.entry = entry
        return
    if cause == Cause.PROCESSING:
        task.whole_slices += 1
        count(m, Count.TSE_PROCESSING, 1.0)
        count(m, Count.EARLY_FAULTS, float(task.early_faults))
        count(m, Count.LATE_FAULTS, float(task.late_faults))
    elif cause == Cause.OVER_LIMIT:
        count(m, Count.TSE_OVER_LIMIT, 1.0)
    else:
        count(m, Count.TSE_SWAP_OUT, 1.0)
    make_eligible(m, t, entry)
    if m.settings.room_to_others:
        k.passed_over = t


@inlined
def dispatch(m):
    """Let the first ready task run until it needs something; one asked to leave goes."""
    k = m.kernel
    while k.running == NOBODY and m.queues[Queue.READY].length > 0:
        t = lists.pop(m.tasks, m.queues[Queue.READY])
        if m.tasks[t].swap_asked:
            end_slice(m, t, Cause.SWAP_OUT)
        else:
            run_task(m, t)
    if k.running == NOBODY:
        rest(m)


@inlined
def longest_burst(m, t):
    """Return how long a task may run if no page is missing, and what comes then."""
    task = m.tasks[t]
    due, most_ms = Due.DONE, task.cpu_left_ms
    slice_left_ms = m.entries[task.entry].slice_ms - task.used_ms
    if slice_left_ms < most_ms:
        due, most_ms = Due.SLICE, slice_left_ms
    if task.access_left_ms < most_ms:
        due, most_ms = Due.DATA_SET, task.access_left_ms
    if task.quantum_left_ms < most_ms:
        due, most_ms = Due.QUANTUM, task.quantum_left_ms
    return due, max(most_ms, 0.0)


@inlined
def run_task(m, t):
    """Give a task the processor until a page is missing, or its burst ends otherwise."""
    task = m.tasks[t]
    task.state = State.RUNNING
    due, most_ms = longest_burst(m, t)
    before_ms = task.used_ms
    owner, page = run_to_fault(m, t, before_ms + most_ms)
    if owner != NOBODY:
        due = Due.FAULT if page != NOBODY else Due.OVER_LIMIT
    task.due, task.due_owner, task.due_page = due, owner, page
    begin_burst(m, t, task.used_ms - before_ms)


@inlined
def leave_processor(m):
    """Take the running task off the processor, its burst done, and account for it."""
    k = m.kernel
    t = k.running
    task = m.tasks[t]
    k.running = NOBODY
    task.cpu_left_ms -= k.burst_ms
    task.access_left_ms -= k.burst_ms
    task.quantum_left_ms -= k.burst_ms
    count(m, Count.VIRTUAL_MS, k.burst_ms)
    count(m, Count.SERVICES, 1.0)
    if task.typical:
        count(m, Count.TYPICAL_SERVICES, 1.0)
        count(m, Count.TYPICAL_VIRTUAL_MS, k.burst_ms)
    return t
