"""Core allocation: five core queues, over-allocation, preload, partial preload, suspension."""

from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level, shift_level
from perfkit.des.lists import NOBODY
from perfkit.des.read_only import read_only
from perfkit.systems.emas.memory.paging import AWAITED, drop_expired, fetch, own_page_arrives
from perfkit.systems.emas.processor import join_queue, log_event, make_ready, supervise
from perfkit.systems.emas.state import (
    CORE_QUEUES,
    Event,
    Level,
    Place,
    Purpose,
    Queue,
    Service,
    State,
    Stop,
    pop,
)


def weighted_wait(waits_ms, weights):
    """Say which core queue is served next: the one whose head has the greatest weighted wait.

    Parameters
    ----------
    waits_ms : ndarray of float64, shape (5,)
        How long the head of each core queue has waited; -1 where none does.
    weights : ndarray of float64, shape (5,)

    Returns
    -------
    int
        The queue from 0, or -1 to let all wait.
    """
    best, most = -1, -1.0
    for queue in range(waits_ms.size):
        # Strictly greater: equal waits go to the lowest queue.
        if waits_ms[queue] >= 0.0 and waits_ms[queue] * weights[queue] > most:
            best, most = queue, waits_ms[queue] * weights[queue]
    return best


@handler
def join_core_queue(m, t):
    """Put a process that has a drum allocation onto the core queue of its category."""
    process = m.processes[t]
    supervise(m, Service.PROCESS_CONTROL, m.settings.process_control_ms)
    process.state = State.QUEUED
    shift_level(m, Level.WAITING_FOR_CORE, 1.0)
    process.queue = m.categories[process.category].core_queue
    join_queue(m, process.queue, t)
    m.kernel.schedule = 1


@inlined
def allocate(m, t, pages):
    """Charge a process with so many pages of core more."""
    k = m.kernel
    m.processes[t].charge_pages += pages
    k.allocated_pages += pages
    set_level(m, Level.ALLOCATED_PAGES, k.allocated_pages)


@inlined
def unallocated(m):
    """Return the pages that may still be allocated, over-allocation included."""
    settings = m.settings
    pages = settings.frames + settings.over_allocation_pages
    return pages - m.kernel.allocated_pages


@handler
def limit_set(m, t, pages):
    """Keep so many pages in a working set, shared and last touched ones; return how many it had."""
    kept = 0
    for page in range(m.settings.own_pages, m.pages.shape[1]):
        kept += m.pages[t, page].in_set
    for at in range(m.settings.own_pages):
        record = m.pages[t, m.stacks[t, at]]
        if record.in_set:
            kept += 1
            if kept > pages:
                record.in_set = 0
    return kept


@inlined
def wanted_by_preload(m, t, page):
    """Say whether a page is of the working set and can be preloaded: nothing comes from disc."""
    record = m.pages[t, page]
    if record.in_set == 0 or m.settings.prepaging == 0:
        return False
    return page >= m.settings.own_pages or record.place == Place.DRUM


@inlined
def set_frames(m, t):
    """Count the pages that a process's preload brings, and the frames that it needs.

    Shared pages in core that nobody holds need a frame too: they will not give theirs up then.
    """
    if m.settings.prepaging == 0:
        return 0, 0
    pages = 0
    for page in range(m.settings.own_pages):
        record = m.pages[t, page]
        pages += record.in_set & (record.place == Place.DRUM)
    frames = pages
    for s in range(m.shared.size):
        wanted = m.pages[t, m.settings.own_pages + s].in_set
        pages += wanted
        frames += wanted & ((m.shared[s].place == Place.DRUM) | m.shared[s].idle)
    return pages, frames


@handler
def preload_ends(m, t):
    """A process has its working set: it runs, or is suspended if it lacks core."""
    k, process = m.kernel, m.processes[t]
    k.preloading -= 1
    shift_level(m, Level.WAITING_FOR_PAGES, -1.0)
    if k.preloading == m.settings.preloads_at_once - 1:
        k.schedule = 1
    log_event(m, Event.PRELOAD_ENDS, t, process.transfers, process.category)
    if k.suspended == t:
        process.state = State.SUSPENDED
        shift_level(m, Level.WAITING_FOR_CORE, 1.0)
        k.suspensions += 1
        log_event(m, Event.SUSPENDED, t, process.charge_pages, process.category)
        k.schedule = 1
    else:
        make_ready(m, t, Queue.RUN_0)


@inlined
def begin_preload(m, t, pages):
    """Ask for all pages of a process's working set at once, so many, the supervisor's work done."""
    k, process = m.kernel, m.processes[t]
    process.state = State.PRELOADING
    shift_level(m, Level.WAITING_FOR_CORE, -1.0)
    shift_level(m, Level.WAITING_FOR_PAGES, 1.0)
    process.residence_ms = 0.0
    process.slice_left_ms = m.settings.time_slice_ms
    process.outstanding = 0
    log_event(m, Event.PRELOAD_BEGINS, t, pages, process.category)
    supervise(m, Service.CORE_LOADING, pages * m.settings.preload_page_ms)
    for page in range(m.pages.shape[1]):
        if wanted_by_preload(m, t, page):
            process.outstanding += fetch(m, t, page, Purpose.PRELOAD) == AWAITED
    process.transfers = process.outstanding
    k.preloading += 1
    k.residences += 1
    k.resident += 1
    set_level(m, Level.RESIDENT, k.resident)
    if process.outstanding == 0:
        preload_ends(m, t)


@inlined
def resume_suspended(m):
    """Give the partly preloaded process the rest of its core; return whether there was enough."""
    k = m.kernel
    t = k.suspended
    process = m.processes[t]
    lacking = m.categories[process.category].core_pages - process.charge_pages
    if lacking > unallocated(m):
        return False
    allocate(m, t, lacking)
    k.suspended = NOBODY
    if process.state == State.SUSPENDED:
        shift_level(m, Level.WAITING_FOR_CORE, -1.0)
        log_event(m, Event.RESUMED, t, process.charge_pages, process.category)
        make_ready(m, t, Queue.RUN_0)
    return True


@inlined
def choose_queue(m, rule):
    """Ask the rule for a core queue; NOBODY if all wait or none holds a process."""
    waiting = 0
    for queue in range(CORE_QUEUES):
        q = m.queues[Queue.CORE_1 + queue]
        waiting += q.length
        m.queue_waits_ms[queue] = -1.0
        if q.length > 0:
            m.queue_waits_ms[queue] = m.kernel.now_ms - m.processes[q.head].queued_ms
    if waiting == 0:
        return NOBODY
    # Read-only: a policy that wrote here would change later choices, not only this one.
    queue = rule(read_only(m.queue_waits_ms), read_only(m.queue_weights))
    if queue == NOBODY:
        return NOBODY
    if queue < 0 or queue >= CORE_QUEUES or m.queue_waits_ms[queue] < 0.0:
        m.kernel.stop = Stop.BAD_CHOICE
        return NOBODY
    return Queue.CORE_1 + queue


@handler
def load_processes(m, rule):
    """Preload heads of core queues while core lasts; the head that does not fit blocks all.

    One whose allowance does not fit, but whose working set does, is preloaded in part: it waits
    for the rest in core, and nobody is loaded before it has it.
    """
    k = m.kernel
    k.schedule = 0
    drop_expired(m)
    if k.suspended != NOBODY and not resume_suspended(m):
        return
    while k.suspended == NOBODY and k.preloading < m.settings.preloads_at_once:
        queue = choose_queue(m, rule)
        if queue == NOBODY:
            return
        t = m.queues[queue].head
        pages, frames = set_frames(m, t)
        if frames > k.free_frames + m.idle.length:
            return  # not on to another queue: a large process would never come in
        allowance = m.categories[m.processes[t].category].core_pages
        in_part = m.settings.prepaging != 0 and pages <= unallocated(m)
        if allowance > unallocated(m) and not in_part:
            return
        pop(m, queue)
        if allowance > unallocated(m):
            k.suspended = t
            k.partial_preloads += 1
            allowance = pages
        allocate(m, t, allowance)
        begin_preload(m, t, pages)


@inlined
def shared_page_arrives(m, page):
    """A shared page has come: all who wait for it go on."""
    m.shared[page - m.settings.own_pages].place = Place.CORE
    for t in range(m.processes.size):
        if m.pages[t, page].place == Place.COMING and own_page_arrives(m, t, page):
            preload_ends(m, t)


@inlined
def page_arrives(m, t, page):
    """A transfer into core has ended."""
    if page >= m.settings.own_pages:
        shared_page_arrives(m, page)
    elif own_page_arrives(m, t, page):
        preload_ends(m, t)
