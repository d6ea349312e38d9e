"""Pages on their way: preloaded, demanded, arriving."""

from perfkit.des.compiling import handler, inlined
from perfkit.systems.emas.discs import request_disc
from perfkit.systems.emas.drum import request_drum
from perfkit.systems.emas.frames import count_shared, find_frame, hold_shared
from perfkit.systems.emas.machine import Event, Place, Purpose, Queue, State
from perfkit.systems.emas.processor import log_event, make_ready

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
    """Bring a page into core that a process does not have there.

    Returns
    -------
    int
        FOUND (it was in core), AWAITED, or NO_FRAME if core has no room for it.
    """
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
def demanded_arrives(m, t, page):
    """The page that a process waits for is there: it runs before others."""
    log_event(m, Event.DEMANDED_PAGE_ARRIVES, t, page, m.processes[t].category)
    make_ready(m, t, Queue.RUN_0)


@inlined
def own_page_arrives(m, t, page):
    """Note that a page has come; return whether the process's preload is thereby complete."""
    process = m.processes[t]
    m.pages[t, page].place = Place.CORE
    if process.state == State.PRELOADING:
        process.outstanding -= 1
        log_event(m, Event.PRELOADED_PAGE_ARRIVES, t, page, process.category)
        return process.outstanding == 0
    demanded_arrives(m, t, page)
    return False
