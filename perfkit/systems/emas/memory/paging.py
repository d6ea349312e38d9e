"""Frames, pages on their way, page faults.

A shared page whose last holder has left stays for a while, and gives its frame up before that
when no other is free. Every holder is charged for it as for a page of its own.
"""

from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level, shift_level
from perfkit.des.lists import link, unlink
from perfkit.systems.emas.devices import request_disc, request_drum
from perfkit.systems.emas.processor import log_event, make_ready
from perfkit.systems.emas.state import (
    After,
    Event,
    Level,
    Place,
    Purpose,
    Queue,
    Reason,
    State,
    begin_to_leave,
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
        outcome = fetch_own(m, t, page, purpose)
    else:
        outcome = fetch_shared(m, t, page, purpose)
    m.processes[t].held_pages += outcome != NO_FRAME
    return outcome


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
    shift_level(m, Level.WAITING_FOR_PAGES, -1.0)
    log_event(m, Event.DEMANDED_PAGE_ARRIVES, t, page, process.category)
    make_ready(m, t, Queue.RUN_0)
    return False


@inlined
def demand_page(m, t):
    """A process touches a page that it does not have in core."""
    process = m.processes[t]
    page = process.wanted_page
    if process.held_pages >= m.categories[process.category].core_pages:
        begin_to_leave(m, t, After.REQUEUE, Reason.CORE)
        return
    kind = kind_of_demand(m, t, page)
    outcome = fetch(m, t, page, Purpose.DEMAND)
    if outcome == NO_FRAME:
        m.kernel.frame_shortages += 1
        begin_to_leave(m, t, After.REQUEUE, Reason.NO_FRAME)
        return
    log_event(m, kind, t, page, process.category)
    if outcome == FOUND:
        m.kernel.goes_on = t
    else:
        process.state = State.PAGE_WAIT
        shift_level(m, Level.WAITING_FOR_PAGES, 1.0)
