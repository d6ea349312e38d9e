"""Leaving core: working set, category, write-back; and compaction on the way.

A page's marker says whether it was touched since it came or since markers were last read. The
working set, which the next preload brings, is what the markers say when they are read; between
two readings pages only join it.
"""

from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level
from perfkit.des.lists import NOBODY
from perfkit.systems.emas.devices import request_disc, request_drum
from perfkit.systems.emas.memory import drum
from perfkit.systems.emas.memory.core import allocate, join_core_queue, limit_set
from perfkit.systems.emas.memory.paging import release_shared
from perfkit.systems.emas.processor import log_event, penalised, supervise
from perfkit.systems.emas.state import After, Event, Level, Place, Purpose, Reason, Service, State

MARK_USED, MARK_WRITTEN, MARK_PRELOADED, MARK_SHARED, MARK_GOES_OUT = 1, 2, 4, 8, 16


@inlined
def marks(m, t, page, goes_out):
    """Return what an event record tells of a page that leaves core, as a sum of marks."""
    record = m.pages[t, page]
    shared = page >= m.settings.own_pages
    return (
        MARK_USED * record.touched
        + MARK_WRITTEN * (record.written != 0)
        + MARK_PRELOADED * record.preloaded
        + MARK_SHARED * shared
        + MARK_GOES_OUT * goes_out
    )


@handler
def write_back(m, t, page):
    """Write a page to the drum, or to disc if no drum has room for it."""
    record, process = m.pages[t, page], m.processes[t]
    record.place = Place.LEAVING
    record.changed |= record.written  # the disc copy stays old until the page is removed
    record.written = 0
    process.writes += 1
    process.written += 1
    if record.sector != NOBODY or drum.find_drum_page(m, t, page):
        request_drum(m, Purpose.WRITE_BACK, t, page, record.sector)
    else:
        m.kernel.drum_full += 1
        request_disc(m, Purpose.WRITE_BACK, t, page)


@handler
def leave_frame(m, t, page, kind):
    """Take a page out of core: write it back if it was written or has no copy on drum."""
    record = m.pages[t, page]
    m.processes[t].held_pages -= 1
    if page >= m.settings.own_pages:
        log_event(m, kind, t, page, marks(m, t, page, 0))
        record.place = Place.DRUM
        release_shared(m, page - m.settings.own_pages)
        return
    goes_out = int(record.written != 0 or record.sector == NOBODY)
    log_event(m, kind, t, page, marks(m, t, page, goes_out))
    if goes_out:
        write_back(m, t, page)
    else:
        record.place = Place.DRUM
        m.kernel.free_frames += 1


@handler
def read_markers(m, t, kind):
    """Set a process's working set by the markers of its pages in core."""
    process = m.processes[t]
    pages = 0
    idle = 0
    for page in range(m.pages.shape[1]):
        record = m.pages[t, page]
        if record.place == Place.CORE:
            pages += 1
            idle += record.used == 0
            record.in_set = record.used
        elif record.place != Place.COMING:
            record.in_set = 0
    process.to_recalculation_ms = m.settings.recalculation_ms
    supervise(m, Service.CORE_LOADING, pages * m.settings.marker_page_ms)
    log_event(m, kind, t, idle, pages)


@inlined
def compact(m, t):
    """Take the pages that were not touched since the last compaction out of core."""
    k, process = m.kernel, m.processes[t]
    k.compactions += 1
    process.to_compaction_ms = m.categories[process.category].compaction_ms
    read_markers(m, t, Event.COMPACTION)
    for page in range(m.pages.shape[1]):
        record = m.pages[t, page]
        if record.place == Place.CORE:
            if record.used == 0:
                leave_frame(m, t, page, Event.PAGE_LEAVES_AT_COMPACTION)
            record.used = 0


@inlined
def pad_set(m, t, pages):
    """Add pages to a working set that the markers did not put there, own ones first."""
    left = pages
    at = 0
    while left > 0 and at < m.processes[t].depth:
        record = m.pages[t, m.stacks[t, at]]
        left -= record.in_set == 0
        record.in_set = 1
        at += 1
    page = m.settings.own_pages
    while left > 0 and page < m.pages.shape[1]:
        left -= m.pages[t, page].in_set == 0
        m.pages[t, page].in_set = 1
        page += 1


@inlined
def next_category(m, t, reason, set_pages):
    """Return the category that Table 4's transitions lead to from a residence's end."""
    number = m.processes[t].category
    category = m.categories[number]
    if reason == Reason.CORE:
        return category.more_core
    if reason == Reason.CPU:
        return category.more_cpu_penalised if penalised(m, t) else category.more_cpu
    if reason == Reason.NO_FRAME:
        return number  # it did nothing wrong: there was no frame; the text knows no such end
    if category.less_core != NOBODY:
        fits = m.settings.demotion_share * m.categories[category.less_core].core_pages
        if set_pages <= fits:
            return category.less_core
    return category.asleep


@inlined
def recalculate_set(m, t):
    """Find the next preload's working set: by the markers if due, else pages in core join it."""
    process = m.processes[t]
    if process.to_recalculation_ms <= 0.0:
        read_markers(m, t, Event.COMPACTION_AT_REMOVAL)
        return
    for page in range(m.pages.shape[1]):
        if m.pages[t, page].place == Place.CORE:
            m.pages[t, page].in_set = 1


@inlined
def leave_core(m, t):
    """Begin to remove all pages of a process from core, and assign its next category."""
    k, process, settings = m.kernel, m.processes[t], m.settings
    reason = process.reason
    k.leaving = NOBODY
    process.state = State.REMOVING
    process.written = 0
    if reason != Reason.SLEEP:
        log_event(m, Event.OVERRUNS, t, reason, process.category)
        k.core_overruns += reason == Reason.CORE
        k.cpu_overruns += reason == Reason.CPU
    recalculate_set(m, t)
    set_pages = limit_set(m, t, m.pages.shape[1])
    drum.change_category(m, t, next_category(m, t, reason, set_pages))
    pad_set(m, t, settings.padding_pages)  # after the category: waste must not move a process
    limit_set(m, t, int(settings.fit_share * m.categories[process.category].core_pages))
    if process.wanted_page != NOBODY:  # it was not had, so the next preload must bring it
        m.pages[t, process.wanted_page].in_set = 1
    for page in range(m.pages.shape[1]):
        if m.pages[t, page].place == Place.CORE:
            leave_frame(m, t, page, Event.PAGE_LEAVES_AT_REMOVAL)
    allocate(m, t, -process.charge_pages)
    k.resident -= 1
    set_level(m, Level.RESIDENT, k.resident)
    k.schedule = 1
    if process.writes == 0:
        removed_from_core(m, t)


@handler
def removed_from_core(m, t):
    """The last page of a process has left core: it sleeps, queues anew or logs out."""
    process = m.processes[t]
    log_event(m, Event.REMOVED_FROM_CORE, t, int(1000.0 * process.residence_ms), process.written)
    drum.recalculate_drum_set(m, t)
    if process.after == After.REQUEUE:
        join_core_queue(m, t)
    elif process.after == After.SLEEP:
        drum.change_awake(m, -1)
        drum.fall_asleep(m, t)
    else:
        drum.change_awake(m, -1)
        process.state = State.ASLEEP
        drum.queue_for_removal(m, t)


@inlined
def page_written(m, t, page):
    """A page has been written back: its frame is free unless it was wanted meanwhile."""
    process, record = m.processes[t], m.pages[t, page]
    process.writes -= 1
    if record.place == Place.LEAVING:
        record.place = Place.DISC if record.sector == NOBODY else Place.DRUM
        m.kernel.free_frames += 1
        m.kernel.schedule = 1
    if process.state == State.REMOVING and process.writes == 0:
        removed_from_core(m, t)
