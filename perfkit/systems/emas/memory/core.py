"""Core: frames, pages on their way, allocation, preload and suspension, page faults.

A shared page whose last holder has left stays for a while, and gives its frame up before that
when no other is free. Every holder is charged for it as for a page of its own.
"""

from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level
from perfkit.des.lists import NOBODY, link, unlink
from perfkit.des.read_only import read_only
from perfkit.systems.emas.devices import request_disc, request_drum
from perfkit.systems.emas.processor import join_queue, log_event, make_ready, supervise
from perfkit.systems.emas.state import (
    CORE_QUEUES,
    After,
    Event,
    Level,
    Place,
    Purpose,
    Queue,
    Reason,
    Service,
    State,
    Stop,
    begin_to_leave,
    pop,
)


@inlined
def count_shared(m, change):
    """Count shared pages in core, and take or free a frame for one."""
    m.kernel.shared_in_core += change
    m.kernel.free_frames -= change
    set_level(m, Level.SHARED_PAGES, m.kernel.shared_in_core)


@inlined
def leave_idle(m, s):
    """Take a shared page out of the list of those that nobody holds."""
    unlink(m.shared, m.idle, s)
    m.shared[s].idle = 0


@inlined
def drop_oldest_idle(m):
    """Let the shared page that nobody has held for longest leave core."""
    s = m.idle.head
    leave_idle(m, s)
    m.shared[s].place = Place.DRUM
    count_shared(m, -1)


@handler
def drop_expired(m):
    """Let the shared pages leave core that nobody has held for too long."""
    while m.idle.length > 0:
        if m.shared[m.idle.head].idle_since_ms + m.settings.shared_hold_ms > m.kernel.now_ms:
            return
        drop_oldest_idle(m)


@handler
def find_frame(m):
    """Say whether a frame is free; idle shared pages leave for it."""
    if m.kernel.free_frames > 0:
        return True
    if m.idle.length == 0:
        return False
    drop_oldest_idle(m)
    return True


@handler
def hold_shared(m, s):
    """Count one process more that holds a shared page."""
    page = m.shared[s]
    if page.idle:
        leave_idle(m, s)
    page.holders += 1


@handler
def release_shared(m, s):
    """Count one process less that holds a shared page; the last leaves it idle."""
    page = m.shared[s]
    page.holders -= 1
    if page.holders > 0:
        return
    page.idle = 1
    page.idle_since_ms = m.kernel.now_ms
    link(m.shared, m.idle, s)


FOUND, AWAITED, NO_FRAME = 0, 1, 2


@inlined
def fetch_own(m, t, page, purpose):
    """Bring one of a process's own pages into core; see ``fetch``."""
    record = m.pages[t, page]
    if record.place == Place.LEAVING:
        record.place = Place.CORE
        return FOUND
    if not find_frame(m):
        return NO_FRAME
    m.kernel.free_frames -= 1
    from_drum = record.place == Place.DRUM
    record.place = Place.COMING
    if from_drum:
        request_drum(m, purpose, t, page, record.sector)
    else:
        request_disc(m, purpose, t, page)
    return AWAITED


@inlined
def fetch_shared(m, t, page, purpose):
    """Bring a shared page into core, or find it there; see ``fetch``."""
    s = page - m.settings.own_pages
    shared = m.shared[s]
    if shared.place == Place.DRUM and not find_frame(m):
        return NO_FRAME
    hold_shared(m, s)
    if shared.place == Place.CORE:
        m.pages[t, page].place = Place.CORE
        return FOUND
    m.pages[t, page].place = Place.COMING
    if shared.place == Place.DRUM:
        count_shared(m, 1)
        shared.place = Place.COMING
        request_drum(m, purpose, t, page, shared.sector)
    return AWAITED


@handler
def fetch(m, t, page, purpose):
    """Bring a page into core: FOUND if it was there, AWAITED, or NO_FRAME if core has no room."""
    m.pages[t, page].used = m.pages[t, page].touched = 0
    m.pages[t, page].preloaded = purpose == Purpose.PRELOAD
    if page < m.settings.own_pages:
        found = fetch_own(m, t, page, purpose)
    else:
        found = fetch_shared(m, t, page, purpose)
    m.processes[t].held_pages += found != NO_FRAME
    return found


@inlined
def kind_of_demand(m, t, page):
    """Return the event that a demand for a page is: from disc, from drum, or shared or in core."""
    if page >= m.settings.own_pages:
        return Event.DEMAND_IN_CORE
    place = m.pages[t, page].place
    if place == Place.DRUM:
        return Event.DEMAND_DRUM
    return Event.DEMAND_DISC if place == Place.DISC else Event.DEMAND_IN_CORE


@inlined
def own_page_arrives(m, t, page):
    """Note that a page has come; return whether the process's preload is thereby complete."""
    process = m.processes[t]
    m.pages[t, page].place = Place.CORE
    if process.state == State.PRELOADING:
        process.outstanding -= 1
        log_event(m, Event.PRELOADED_PAGE_ARRIVES, t, page, process.category)
        return process.outstanding == 0
    log_event(m, Event.DEMANDED_PAGE_ARRIVES, t, page, process.category)
    make_ready(m, t, Queue.RUN_0)
    return False


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
        if waits_ms[queue] >= 0.0 and waits_ms[queue] * weights[queue] > most:
            best, most = queue, waits_ms[queue] * weights[queue]
    return best


@handler
def join_core_queue(m, t):
    """Put a process that has a drum allocation onto the core queue of its category."""
    process = m.processes[t]
    supervise(m, Service.PROCESS_CONTROL, m.settings.process_control_ms)
    process.state = State.QUEUED
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
    """Keep so many pages in a process's working set: shared ones, and own ones last touched.

    Return how many pages it had before.
    """
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
    if k.preloading == m.settings.preloads_at_once - 1:
        k.schedule = 1
    log_event(m, Event.PRELOAD_ENDS, t, process.transfers, process.category)
    if k.suspended == t:
        process.state = State.SUSPENDED
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
    process.residence_ms = 0.0
    process.slice_left_ms = m.settings.time_slice_ms
    process.outstanding = 0
    log_event(m, Event.PRELOAD_BEGINS, t, pages, process.category)
    supervise(m, Service.CORE_LOADING, pages * m.settings.preload_page_ms)
    for page in range(m.pages.shape[1]):
        if wanted_by_preload(m, t, page):
            found = fetch(m, t, page, Purpose.PRELOAD)
            process.outstanding += found == AWAITED
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
            return
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


@inlined
def demand_page(m, t):
    """A process touches a page that it does not have in core."""
    process = m.processes[t]
    page = process.wanted_page
    if process.held_pages >= m.categories[process.category].core_pages:
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
        m.kernel.goes_on = t
    else:
        process.state = State.PAGE_WAIT
