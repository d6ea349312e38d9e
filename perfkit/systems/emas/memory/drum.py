"""Active storage, the drum level: waking, drum allocation, removal of sleepers to disc.

A process keeps its pages on one drum as long as it is awake or sleeps shortly. One that sleeps
for long is queued for removal; removals are made one at a time, for each page that differs from
its copy on disc is read from the drum and written to the disc.
"""

from perfkit.des import lists
from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level
from perfkit.des.lists import NOBODY
from perfkit.systems.emas import devices
from perfkit.systems.emas.memory.core import join_core_queue, limit_set
from perfkit.systems.emas.processor import join_queue, log_event, supervise
from perfkit.systems.emas.state import (
    FIRST_PROCESS_ACTOR,
    After,
    Event,
    Level,
    Place,
    Purpose,
    Queue,
    Service,
    State,
    pop,
    push,
)


@handler
def change_category(m, t, category):
    """Put a process into a category, which may be its own, and count the transition.

    It compacts by the period of the category that it is in.
    """
    process = m.processes[t]
    m.transitions[process.category, category] += 1
    process.category = category
    period_ms = m.categories[category].compaction_ms
    process.to_compaction_ms = min(process.to_compaction_ms, period_ms)


@inlined
def change_awake(m, change):
    """Count the processes that are awake, and the idle time during which none is."""
    k = m.kernel
    if k.awake == 0:
        k.no_work_ms += k.now_ms - k.no_work_since_ms
        k.no_work_ms -= k.supervisor_ms - k.no_work_supervised_ms
    k.awake += change
    k.no_work_since_ms, k.no_work_supervised_ms = k.now_ms, k.supervisor_ms
    set_level(m, Level.AWAKE, k.awake)


@handler
def wake(m, t):
    """Wake a sleeper: to its core queue, or first to the active storage queue."""
    k, process, settings = m.kernel, m.processes[t], m.settings
    process.interacted_ms = k.now_ms
    process.woken = 0
    change_awake(m, 1)
    log_event(m, Event.WAKES, t, process.slept_for, process.category)
    process.wake_references = settings.wake_references
    process.reference_at_ms = process.used_ms
    if process.waits_for_drum:
        lists.drop(m.processes, m.queues[Queue.DRUM_REMOVAL], t)
        process.waits_for_drum = 0
    if process.drum == NOBODY:
        process.state = State.AWAITING_DRUM
        join_queue(m, Queue.ACTIVE_STORAGE, t)
        m.kernel.drum_work = 1
    else:
        join_core_queue(m, t)


@handler
def find_drum_page(m, t, page):
    """Find drum for a page, on another if its process's own is full; return if there was any."""
    process = m.processes[t]
    sector = devices.take_sector(m, process.drum)
    if sector == NOBODY:
        drum = devices.emptiest_drum(m)
        sector = devices.take_sector(m, drum)
        if sector == NOBODY:
            return False
        process.drum = drum
        log_event(m, Event.CHANGES_DRUM, t, drum, process.category)
    m.pages[t, page].sector = sector
    process.on_drum += 1
    return True


@inlined
def load_drum(m, t):
    """Ask the discs for the pages of a process's drum working set, which go on to the drum."""
    process = m.processes[t]
    for page in range(m.settings.own_pages):
        record = m.pages[t, page]
        if record.in_drum_set and record.place == Place.DISC and record.sector == NOBODY:
            devices.request_disc(m, Purpose.LOAD, t, page)
            process.to_move += 1
        record.in_drum_set = 0
    m.kernel.loading += process.to_move > 0


@inlined
def page_read_from_disc(m, t, page):
    """A page that is being loaded has come from disc; it goes on to the drum if there is room."""
    if find_drum_page(m, t, page):
        devices.request_drum(m, Purpose.LOAD, t, page, m.pages[t, page].sector)
    else:
        page_loaded(m, t)


@inlined
def page_reaches_drum(m, t, page):
    """A page that is being loaded has been written to the drum."""
    m.pages[t, page].place = Place.DRUM
    page_loaded(m, t)


@handler
def page_loaded(m, t):
    """One page less is to be loaded; after the last the process joins its core queue."""
    process = m.processes[t]
    process.to_move -= 1
    if process.to_move == 0:
        m.kernel.loading -= 1
        join_core_queue(m, t)


@inlined
def begin_drum_allocation(m, t):
    """Give a process a drum; one that had lost it first gets from disc what it had there."""
    k, process = m.kernel, m.processes[t]
    process.drum = devices.emptiest_drum(m)
    process.on_drum_since_ms = k.now_ms
    process.to_move = 0
    if process.cold:
        k.cold_wakes += 1
        supervise(m, Service.DRUM_LOADING, m.settings.drum_loading_ms)
        change_category(m, t, m.settings.cold_category)
        process.cold = 0
        pages = m.categories[process.category].core_pages
        limit_set(m, t, int(m.settings.fit_share * pages))
        load_drum(m, t)
    if process.to_move == 0:
        join_core_queue(m, t)


@handler
def allocate_drum(m):
    """Let processes of the active storage queue have a drum while there is room.

    Room is what the first one's category may fall back to. Without it the process that has
    slept longest must leave the drum.
    """
    k, queues = m.kernel, m.queues
    while queues[Queue.ACTIVE_STORAGE].length > 0:
        t = queues[Queue.ACTIVE_STORAGE].head
        if k.drum_free < m.categories[m.processes[t].category].min_drum_pages:
            remove_longest_asleep(m)
            return
        pop(m, Queue.ACTIVE_STORAGE)
        begin_drum_allocation(m, t)


@inlined
def keeps_drum(m, t):
    """Say whether a process has a drum, and its removal from there neither waits nor goes on."""
    process = m.processes[t]
    return process.drum != NOBODY and process.waits_for_drum == 0 and m.kernel.moving != t


@inlined
def remove_longest_asleep(m):
    """Queue the process that has slept longest on drum for removal, if any sleeps there."""
    longest = NOBODY
    for t in range(m.processes.size):
        process = m.processes[t]
        if process.state == State.ASLEEP and keeps_drum(m, t):
            since_ms = process.asleep_since_ms
            if longest == NOBODY or since_ms < m.processes[longest].asleep_since_ms:
                longest = t
    if longest != NOBODY:
        queue_for_removal(m, longest)


@handler
def queue_for_removal(m, t):
    """Let a sleeper wait for its removal from drum."""
    m.processes[t].waits_for_drum = 1
    push(m, Queue.DRUM_REMOVAL, t)
    m.kernel.drum_work = 1


@inlined
def release_drum_page(m, t, page):
    """Let a page leave the drum, its disc copy being as good; its sector is free."""
    record = m.pages[t, page]
    devices.free_sector(m, record.sector)
    record.sector = NOBODY
    record.changed = 0
    m.processes[t].on_drum -= 1


@inlined
def move_page(m, t, page, purpose):
    """Let a page leave the drum for the disc; return 1 if it must be transferred."""
    record = m.pages[t, page]
    record.place = Place.DISC
    record.in_drum_set = purpose == Purpose.REMOVE
    if purpose == Purpose.TRIM:
        record.in_set = 0
    if record.changed == 0:
        release_drum_page(m, t, page)
        return 0
    devices.request_drum(m, purpose, t, page, record.sector)
    return 1


@inlined
def next_removal(m):
    """Begin to remove the next process from drum; one without changed pages is gone at once."""
    k = m.kernel
    while k.moving == NOBODY and m.queues[Queue.DRUM_REMOVAL].length > 0:
        t = pop(m, Queue.DRUM_REMOVAL)
        process = m.processes[t]
        process.waits_for_drum = 0
        k.moving = t
        k.moving_pages = process.on_drum
        process.to_move = 0
        for page in range(m.settings.own_pages):
            if m.pages[t, page].place == Place.DRUM:
                process.to_move += move_page(m, t, page, Purpose.REMOVE)
        if process.to_move == 0:
            removed_from_drum(m, t)


@handler
def removed_from_drum(m, t):
    """A process has no page on drum any longer; if it has been woken meanwhile it goes on."""
    k, process = m.kernel, m.processes[t]
    k.moving = NOBODY
    process.drum = NOBODY
    process.cold = 1  # it comes back by the cold categories, with what it had on drum
    log_event(m, Event.REMOVED_FROM_DRUM, t, k.moving_pages, process.category)
    k.drum_work = 1
    if process.after == After.LOG_OUT:
        log_event(m, Event.LOGGED_OUT, t, 0, process.category)
        process.state = State.ABSENT
        k.users -= 1
        set_alarm(m.alarms, FIRST_PROCESS_ACTOR + t, k.now_ms + process.wake_at_ms)
    elif process.woken:
        wake(m, t)


@handler
def work_on_drum(m):
    """Do what the last event made possible: removals from drum, then allocations."""
    m.kernel.drum_work = 0
    next_removal(m)
    allocate_drum(m)


@inlined
def page_read_from_drum(m, t, page, purpose):
    """A page on its way from drum to disc has been read; unless it is wanted again it goes on."""
    if m.pages[t, page].place == Place.DISC:
        release_drum_page(m, t, page)
        devices.request_disc(m, purpose, t, page)


@inlined
def page_moved(m, t, purpose):
    """A page has been written to disc; the last one of a removal completes it."""
    if purpose == Purpose.REMOVE:
        m.processes[t].to_move -= 1
        if m.processes[t].to_move == 0:
            removed_from_drum(m, t)


@inlined
def leave_drum_set(m, t):
    """Take the pages off the drum that were not touched since the drum set was last found."""
    process = m.processes[t]
    before = process.on_drum
    left = 0
    for page in range(m.settings.own_pages):
        record = m.pages[t, page]
        if record.place == Place.DRUM and record.drum_used == 0:
            move_page(m, t, page, Purpose.TRIM)
            left += 1
        record.drum_used = 0
    process.to_drum_set_ms = m.settings.drum_set_ms
    log_event(m, Event.DRUM_SET_RECALCULATED, t, before, left)


@handler
def recalculate_drum_set(m, t):
    """Find a process's drum working set if it is time, and see to its drum allowance."""
    if m.processes[t].to_drum_set_ms <= 0.0:
        leave_drum_set(m, t)
    keep_drum_allowance(m, t)


@inlined
def keep_drum_allowance(m, t):
    """Take pages off the drum, the least recently used first, if a process has too many there."""
    process = m.processes[t]
    category = m.categories[process.category]
    if process.on_drum <= category.max_drum_pages:
        return
    at = m.settings.own_pages - 1
    excess = process.on_drum - category.min_drum_pages
    while at >= 0 and excess > 0:
        page = int(m.stacks[t, at])
        if m.pages[t, page].place == Place.DRUM:
            move_page(m, t, page, Purpose.TRIM)
            excess -= 1
        at -= 1


@inlined
def asleep_alarm(m, t):
    """Set a sleeper's alarm: for its waking, or before that for its removal from drum."""
    process, settings = m.processes[t], m.settings
    at_ms = process.wake_at_ms
    if keeps_drum(m, t):
        at_ms = min(at_ms, process.asleep_since_ms + settings.drum_hold_ms)
    set_alarm(m.alarms, FIRST_PROCESS_ACTOR + t, max(at_ms, m.kernel.now_ms))


@inlined
def fall_asleep(m, t):
    """All pages of a sleeper have left core: it sleeps on until its alarm."""
    k, process = m.kernel, m.processes[t]
    process.state = State.ASLEEP
    if process.woken:
        wake(m, t)
        return
    on_drum_ms = k.now_ms - process.on_drum_since_ms
    if on_drum_ms > m.settings.consistency_ms:
        log_event(m, Event.FILES_MADE_CONSISTENT, t, process.on_drum, process.category)
        queue_for_removal(m, t)
    asleep_alarm(m, t)


@inlined
def sleeper_alarm(m, t):
    """A sleeper's alarm: it wakes, or has slept long enough to leave the drum."""
    k, process = m.kernel, m.processes[t]
    set_alarm(m.alarms, FIRST_PROCESS_ACTOR + t, NEVER)
    if k.now_ms < process.wake_at_ms:
        if keeps_drum(m, t):
            queue_for_removal(m, t)
        asleep_alarm(m, t)
    elif process.state == State.REMOVING or k.moving == t:
        process.woken = 1
    else:
        wake(m, t)
