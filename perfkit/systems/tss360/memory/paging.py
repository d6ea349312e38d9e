"""References to pages: what a task finds in main storage, reclaims, or faults for."""

from perfkit.des import lists
from perfkit.des.alarms import NEVER
from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level
from perfkit.des.draws import uniform
from perfkit.des.elementary import power
from perfkit.des.lists import NOBODY, put_after, take_out
from perfkit.des.trace import note
from perfkit.systems.tss360.devices import request
from perfkit.systems.tss360.memory import frames
from perfkit.systems.tss360.state import (
    Count,
    Event,
    FrameState,
    Level,
    Mark,
    Purpose,
    Queue,
    State,
    count,
    make_ready,
    supervise_paging,
)


@inlined
def private_page(m, t, k):
    """Return the k-th private page of a transaction: those that recur, then its region."""
    recurring = m.settings.recurring_pages
    if k < recurring:
        return k
    return recurring + (m.tasks[t].region + k - recurring) % (m.settings.private_pages - recurring)


@inlined
def set_touches(m, t):
    """Note at which time of a slice each private page is touched: they grow as a power of it."""
    pages, s = m.tasks[t].working_set_pages, m.settings
    for page in range(pages):
        share = (page + 1.0) / pages
        m.touch_ms[t, page] = s.loading_ms * power(share, 1.0 / s.touch_exponent)
    m.touch_ms[t, pages] = NEVER


@inlined
def is_missing(m, t, owner, page):
    """Reference a page: reclaim it if it can be, mark it; return whether it must be read."""
    place = m.pages[owner, page]
    if owner == t or m.marks[page] == Mark.ABSENT:
        if place.frame == NOBODY:
            return True
        state = m.frames[place.frame].state
        if state == FrameState.READING:
            return True
        if state == FrameState.AVAILABLE or state == FrameState.WRITING:
            frames.reclaim(m, t, owner, page)
    if owner != t:
        m.marks[page] = Mark.REFERENCED
    place.last_ms = m.kernel.now_ms
    return False


@inlined
def missing_recent(m, t):
    """Reference the sharable pages in use again; return the first that must be read.

    A task that waited for one goes on from there: an instruction needs few pages at once, so
    that however fast pages are replaced it gets on.
    """
    sharable, task = m.owners.size - 1, m.tasks[t]
    for i in range(task.recent_from, min(task.sharable_touched, m.settings.sharable_working_set)):
        if is_missing(m, t, sharable, m.recent[t, i]):
            task.recent_from = i
            return m.recent[t, i]
    task.recent_from = 0
    return NOBODY


@inlined
def use_another(m, t):
    """Let a transaction refer to a sharable page, in place of the oldest if it has all."""
    task = m.tasks[t]
    page = m.popular[int(uniform(m.place) * m.popular.size)]
    m.recent[t, task.sharable_touched % m.settings.sharable_working_set] = page
    task.sharable_touched += 1
    set_share(m, task)
    return page


@inlined
def set_share(m, task):
    """Keep the processing time at which a further sharable page is referred to.

    Their number grows as a power of the transaction's processing time: "after a brief initial
    transient phase [long ones] settle down and relatively seldom give rise to page faults".
    """
    s = m.settings
    exponent = s.touch_exponent
    if task.sharable_touched >= s.sharable_working_set:
        exponent = s.sharable_exponent
    share = (task.sharable_touched + 1.0) / s.sharable_working_set
    task.share_ms = s.loading_ms * power(share, 1.0 / exponent)


@inlined
def run_to_fault(m, t, until_ms):
    """Refer to pages until one is missing or the burst is over, ``used_ms`` going along.

    Nobody else refers to pages while the task has the only processor. It returns the missing
    page's owner and the page: NOBODY twice if there is none, an owner and NOBODY if a further
    frame would exceed the task's limit.
    """
    task, sharable = m.tasks[t], m.owners.size - 1
    page = missing_recent(m, t)
    if page != NOBODY:
        return sharable, page
    while True:
        private_ms = m.touch_ms[t, task.touched]
        sharable_ms = max(task.used_ms, task.share_ms - task.before_ms)
        if min(private_ms, sharable_ms) > until_ms:
            task.used_ms = until_ms
            return NOBODY, NOBODY
        if sharable_ms < private_ms:
            task.used_ms = sharable_ms
            page = use_another(m, t)
            if is_missing(m, t, sharable, page):
                return sharable, page
            continue
        task.used_ms = max(task.used_ms, private_ms)
        if m.held[t].length >= task.p_max:
            if not m.entries[task.entry].steals:
                return t, NOBODY
            count(m, Count.STOLEN, 1.0)
            frames.release_oldest(m, t)
        page = private_page(m, t, task.touched)
        task.touched += 1
        if is_missing(m, t, t, page):
            return t, page


@inlined
def fault(m, t):
    """A page fault: keep the inventory, take a frame and read the page, or wait for one."""
    task = m.tasks[t]
    owner, page = task.due_owner, task.due_page
    f = m.pages[owner, page].frame
    if f != NOBODY and m.frames[f].state != FrameState.READING:  # it came during the burst
        make_ready(m, t)
        return
    count(m, Count.PAGE_FAULTS, 1.0)
    count(m, Count.SHARABLE_FAULTS, owner != t)
    note(m, Event.PAGE_FAULT if owner == t else Event.SHARABLE_FAULT, t, page)
    task.slice_page_waits += 1
    late = 2.0 * task.used_ms > m.entries[task.entry].slice_ms
    task.late_faults += late
    task.early_faults += not late
    task.waits_since_ms = m.kernel.now_ms
    supervise_paging(m, m.settings.fault_ms)
    frames.keep_inventory(m, t)
    if m.pages[owner, page].frame == NOBODY and m.available.length == 0:
        task.state = State.FRAME_WAIT
        count(m, Count.FRAME_WAITS, 1.0)
        lists.push(m.tasks, m.queues[Queue.FRAMES], t)
        return
    wait_for_page(m, t)


@handler
def wait_for_page(m, t):
    """Let a task wait for its page, which is asked for unless it is on its way."""
    task = m.tasks[t]
    task.state = State.PAGE_WAIT
    if m.pages[task.due_owner, task.due_page].frame == NOBODY:
        read_page(m, t, task.due_owner, task.due_page)
    if task.due_owner == t:
        return
    # By number, not by arrival: those whom one page sets free become ready in that order.
    before, at = NOBODY, m.queues[Queue.PAGES].head
    while at != NOBODY and at < t:
        before, at = at, m.tasks[at].next
    put_after(m.tasks, m.queues[Queue.PAGES], before, t)


@inlined
def read_page(m, t, owner, page):
    """Take a frame and ask for a page."""
    m.tasks[t].page_reads += 1
    place = m.pages[owner, page]
    on_drum = place.drive < m.settings.drums
    count(m, Count.DRUM_READS, on_drum)
    count(m, Count.DISC_READS, not on_drum)
    f = frames.take_frame(m, owner, page)
    if owner == t:
        frames.hold(m, t, f)
    request(m, Purpose.READ_PAGE, place.drive, place.block, owner, page, f)


@inlined
def end_page_wait(m, t):
    """A task's page has come."""
    task = m.tasks[t]
    count(m, Count.PAGE_WAITS, 1.0)
    count(m, Count.PAGE_WAIT_MS, m.kernel.now_ms - task.waits_since_ms)
    note(m, Event.PAGE_IN, t, task.due_page)
    make_ready(m, t)


@inlined
def serve_frame_waiters(m):
    """Let tasks that wait for a frame go on while frames last."""
    while m.queues[Queue.FRAMES].length > 0 and m.available.length > 0:
        t = lists.pop(m.tasks, m.queues[Queue.FRAMES])
        f = m.pages[m.tasks[t].due_owner, m.tasks[t].due_page].frame
        if f == NOBODY or m.frames[f].state == FrameState.READING:
            wait_for_page(m, t)
        else:
            end_page_wait(m, t)


@inlined
def page_read(m, owner, page, f):
    """A page has come: those who wait for it are ready."""
    s, frame, place = m.settings, m.frames[f], m.pages[owner, page]
    changed_share = s.changed_share if owner < m.tasks.size else s.sharable_changed_share
    frame.changed = uniform(m.place) < changed_share
    place.last_ms = m.kernel.now_ms
    frames.copy_to_drum(m, f)
    if owner < m.tasks.size:
        frame.state = FrameState.PRIVATE
        end_page_wait(m, owner)
        return
    frame.state = FrameState.SHARABLE
    m.marks[page] = Mark.REFERENCED
    frames.count_sharable(m, 1)
    before, t = NOBODY, m.queues[Queue.PAGES].head
    while t != NOBODY:
        after = m.tasks[t].next  # read first: a task set free joins another list
        if m.tasks[t].due_page == page:
            take_out(m.tasks, m.queues[Queue.PAGES], before, t)
            end_page_wait(m, t)
        else:
            before = t
        t = after


@inlined
def pages_of(m, owner):
    """Return how many pages an owner has."""
    return m.settings.sharable_pages if owner == m.tasks.size else m.settings.private_pages


@inlined
def most_above_share(m):
    """Return the owner that has most slots of the drums beyond its share; users' are equal."""
    s, owners, sharable = m.settings, m.owners, m.owners.size - 1
    best, most = NOBODY, 0
    for t in range(m.tasks.size):
        if owners[t].drum_pages > most:
            best, most = t, owners[t].drum_pages
    share = (s.all_drum_slots - s.sharable_drum_slots) / max(m.kernel.tasks, 1)
    shared = owners[sharable].drum_pages
    if shared > 0 and (best == NOBODY or shared - s.sharable_drum_slots > most - share):
        return sharable
    return best


@inlined
def least_recent(m, owner):
    """Return the page of an owner on the drums and not in storage, longest not referenced."""
    best, best_ms = NOBODY, NEVER
    for page in range(pages_of(m, owner)):
        if m.idle_ms[owner, page] < best_ms:
            best, best_ms = page, m.idle_ms[owner, page]
    return best


@handler
def start_migration(m):
    """Begin to move a page to the discs if the drums are nearly full and none is on its way."""
    k, s = m.kernel, m.settings
    if k.migrating or k.drum_used < s.all_drum_slots - s.migrate_slots:
        return
    owner = most_above_share(m)
    if owner == NOBODY:
        return
    page = least_recent(m, owner)
    if page == NOBODY:
        return
    k.migrating = 1
    place = m.pages[owner, page]
    request(m, Purpose.MIGRATE_OUT, place.drive, place.block, owner, page, NOBODY)


@inlined
def migration_read(m, owner, page):
    """The page has been read from its drum; it goes to a disc if it is still there, unwanted."""
    place = m.pages[owner, page]
    given_up = place.drive == NOBODY
    if given_up or place.frame != NOBODY or place.drive >= m.settings.drums:
        m.kernel.migrating = 0
        return
    frames.move_page(m, owner, page, False)
    count(m, Count.MIGRATIONS, 1.0)
    note(m, Event.MIGRATE, owner, page)
    request(m, Purpose.MIGRATE_IN, place.drive, place.block, owner, page, NOBODY)


@handler
def place_pages(m, owner):
    """Give a new owner's pages their places: its share on the drums, the rest on the discs."""
    s = m.settings
    if owner == m.tasks.size:
        share = s.sharable_drum_slots
    else:
        share = (s.all_drum_slots - s.sharable_drum_slots) // max(m.kernel.tasks, 1)
    for page in range(pages_of(m, owner)):
        place = m.pages[owner, page]
        place.frame = place.drive = NOBODY
        place.last_ms = -float(page)  # never referenced; the last pages are the first to move
        frames.move_page(m, owner, page, page < share and frames.drum_has_room(m))


@handler
def place_all(m):
    """Give the pages of all tasks that are there at time zero their places."""
    for owner in range(m.owners.size):
        if owner == m.tasks.size or m.tasks[owner].state != State.LOGGED_OFF:
            place_pages(m, owner)


@inlined
def forget_pages(m, owner):
    """Give up all pages of a task that logs off; their frames are worth nothing any more."""
    for page in range(pages_of(m, owner)):
        place = m.pages[owner, page]
        if place.frame != NOBODY:
            m.frames[place.frame].owner = NOBODY
            m.frames[place.frame].changed = 0
            place.frame = NOBODY
        if place.drive != NOBODY and place.drive < m.settings.drums:
            m.kernel.drum_used -= 1
        place.drive = NOBODY
        m.idle_ms[owner, page] = NEVER
    m.owners[owner].drum_pages = 0


@inlined
def log_on(m, t):
    """Create a user's task."""
    m.kernel.tasks += 1
    set_level(m, Level.TASKS, m.kernel.tasks)
    m.tasks[t].state = State.INACTIVE
    note(m, Event.LOG_ON, t, m.kernel.tasks)
    place_pages(m, t)


@inlined
def log_off(m, t):
    """Delete a user's task."""
    m.kernel.tasks -= 1
    set_level(m, Level.TASKS, m.kernel.tasks)
    m.tasks[t].state = State.LOGGED_OFF
    note(m, Event.LOG_OFF, t, m.kernel.tasks)
    forget_pages(m, t)
