"""Page frames: the list of available ones, what is taken, reclaimed and released.

A released page keeps its frame until that is wanted: it may be reclaimed without a page
wait. Frames are taken from one end of that list, or by address. A changed page is written
before its frame is available. A page that comes from a disc is copied to a drum while it is used,
if the drums have room: "copies of the most frequently referenced pages" are kept there.
"""

from perfkit.des import lists
from perfkit.des.alarms import NEVER
from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level
from perfkit.des.draws import uniform
from perfkit.des.lists import NOBODY, link, unlink
from perfkit.des.trace import note
from perfkit.systems.tss360.devices import request
from perfkit.systems.tss360.state import (
    Count,
    Event,
    FrameState,
    Level,
    Mark,
    Purpose,
    Queue,
    Reuse,
    State,
    count,
    make_ready,
    supervise_paging,
)


@inlined
def count_private(m, change):
    """Change the number of frames allocated to tasks."""
    m.kernel.private_frames += change
    set_level(m, Level.PRIVATE, m.kernel.private_frames)


@inlined
def count_sharable(m, change):
    """Change the number of sharable page frames."""
    m.kernel.sharable_frames += change
    set_level(m, Level.SHARABLE, m.kernel.sharable_frames)


@handler
def make_available(m, f):
    """Put a frame at the end of the list of available ones; it keeps its page for now."""
    m.frames[f].state = FrameState.AVAILABLE
    link(m.frames, m.available, f)
    set_level(m, Level.AVAILABLE, m.available.length)


@handler
def take_available(m, f):
    """Take a frame out of the list of available ones."""
    unlink(m.frames, m.available, f)
    set_level(m, Level.AVAILABLE, m.available.length)


@inlined
def next_available(m):
    """Return the frame that has been available longest, or shortest, or is next by address."""
    k = m.kernel
    if m.settings.reuse == Reuse.OLDEST:
        return m.available.head
    if m.settings.reuse == Reuse.NEWEST:
        return m.available.tail
    while True:
        k.frame_hand = (k.frame_hand + 1) % m.frames.size
        if m.frames[k.frame_hand].state == FrameState.AVAILABLE:
            return k.frame_hand


@inlined
def now_idle(m, owner, page):
    """Note whether a page is on a drum and not in storage, and when it was last referenced."""
    place = m.pages[owner, page]
    idle = place.frame == NOBODY and place.drive < m.settings.drums
    m.idle_ms[owner, page] = place.last_ms if idle else NEVER


@inlined
def take_frame(m, owner, page):
    """Take an available frame for a page to be read, and return it."""
    f = next_available(m)
    take_available(m, f)
    frame = m.frames[f]
    if frame.owner != NOBODY:
        m.pages[frame.owner, frame.page].frame = NOBODY
        now_idle(m, frame.owner, frame.page)
    frame.owner, frame.page = owner, page
    frame.state = FrameState.READING
    frame.changed = 0
    m.pages[owner, page].frame = f
    m.idle_ms[owner, page] = NEVER
    return f


@inlined
def hold(m, t, f):
    """Allocate a frame to a task: at the end of the list of those it holds."""
    link(m.frames, m.held[t], f)
    count_private(m, 1)


@inlined
def drum_has_room(m):
    """Return whether the drums have a free page slot."""
    return m.kernel.drum_used < m.settings.all_drum_slots


@handler
def move_page(m, owner, page, to_drum):
    """Give a page another place: on a drum, or on a paging disc."""
    s, place = m.settings, m.pages[owner, page]
    if place.drive < s.drums and place.drive != NOBODY:
        m.kernel.drum_used -= 1
        m.owners[owner].drum_pages -= 1
    first, devices = (0, s.drums) if to_drum else (s.drums, s.discs)
    at = uniform(m.place) * devices
    place.drive = first + int(at)
    place.block = int((at - int(at)) * m.devices[place.drive].blocks)
    if to_drum:
        m.kernel.drum_used += 1
        m.owners[owner].drum_pages += 1
    now_idle(m, owner, page)


@handler
def write_page(m, f):
    """Ask for the page in a frame to be written to its place."""
    frame = m.frames[f]
    place = m.pages[frame.owner, frame.page]
    frame.writing = 1
    if frame.owner < m.tasks.size:
        m.tasks[frame.owner].page_writes += 1
    count(m, Count.PAGE_WRITES, 1.0)
    request(m, Purpose.WRITE_PAGE, place.drive, place.block, frame.owner, frame.page, f)


@inlined
def copy_to_drum(m, f):
    """Give a page that has just come from a disc a copy on a drum, if there is room."""
    frame = m.frames[f]
    if m.pages[frame.owner, frame.page].drive >= m.settings.drums and drum_has_room(m):
        move_page(m, frame.owner, frame.page, True)
        write_page(m, f)


@handler
def release(m, f):
    """Release the frame of a page: it is written first if it must be, else available at once."""
    frame = m.frames[f]
    if not (frame.writing or frame.changed):
        make_available(m, f)
        return
    frame.state = FrameState.WRITING
    if not frame.writing:
        frame.changed = 0
        write_page(m, f)


@inlined
def release_oldest(m, t):
    """Steal the page that a task has held longest."""
    f = m.held[t].head
    unlink(m.frames, m.held[t], f)
    count_private(m, -1)
    release(m, f)


@handler
def release_all(m, t):
    """Release all frames of a task, in the order in which it got them."""
    while m.held[t].length > 0:
        release_oldest(m, t)


@inlined
def written(m, f):
    """A page has been written; unless it was reclaimed meanwhile its frame is available.

    One that was reclaimed, changed and released again is written again.
    """
    frame = m.frames[f]
    frame.writing = 0
    if frame.state != FrameState.WRITING:
        return
    if frame.changed:
        release(m, f)
    else:
        make_available(m, f)


@handler
def reset_references(m):
    """Reset the reference bits of all sharable pages."""
    for page in range(m.marks.size):
        if m.marks[page] != Mark.ABSENT:
            m.marks[page] = Mark.RESET
    count(m, Count.RESETS, 1.0)


@handler
def scan(m):
    """Replace unreferenced sharable pages: as many as a scan looks for, if there are so many."""
    page, purged = m.kernel.hand, 0
    count(m, Count.SCANS, 1.0)
    for _ in range(m.marks.size):
        page = 0 if page + 1 == m.marks.size else page + 1
        if m.marks[page] != Mark.RESET:
            continue
        m.marks[page] = Mark.ABSENT
        count_sharable(m, -1)
        note(m, Event.PURGE, page, m.available.length)
        release(m, m.pages[m.owners.size - 1, page].frame)
        purged += 1
        if purged == m.settings.scan_pages:
            break
    m.kernel.hand = page
    count(m, Count.PURGED, float(purged))


@inlined
def ranks_lower(m, t, other):
    """Return whether a dispatchable task is to be swapped out before another one."""
    a, b = m.entries[m.tasks[t].entry].priority, m.entries[m.tasks[other].entry].priority
    return a > b or (a == b and m.tasks[t].deadline_ms > m.tasks[other].deadline_ms)


@handler
def ask_swap_out(m, faulting):
    """Ask the least urgent dispatchable task, but not the faulting one, to leave."""
    if m.kernel.swap_pending:
        return
    victim = NOBODY
    for t in range(m.tasks.size):
        leaving = t == faulting or m.tasks[t].state < State.READY
        if not leaving and (victim == NOBODY or ranks_lower(m, t, victim)):
            victim = t
    if victim == NOBODY:
        return
    m.kernel.swap_pending = 1
    m.tasks[victim].swap_asked = 1
    note(m, Event.SWAP_REQUEST, victim, m.available.length)
    if m.tasks[victim].state == State.FRAME_WAIT:
        lists.drop(m.tasks, m.queues[Queue.FRAMES], victim)
        make_ready(m, victim)


@handler
def keep_inventory(m, t):
    """Do at a page fault what keeps frames available."""
    k, s = m.kernel, m.settings
    available = m.available.length
    # Bits are reset when the upper threshold is crossed, not at every fault below it: the literal
    # sentence costs more and leaves r_s at half (NOTES, "Rejected").
    below, low = available < s.upper_threshold, available < s.lower_threshold
    if below and not k.below_upper:
        reset_references(m)
    k.below_upper = below
    if low or (s.replacement and k.estimate < s.estimate_threshold):
        scan(m)
    # By what the scan has left: it is judged by free frames only, not by those being written.
    if low and m.available.length <= s.upper_threshold:
        ask_swap_out(m, t)
    if m.available.length == 0:
        reset_references(m)
        scan(m)


@handler
def reclaim(m, t, owner, page):
    """Take a page back whose frame is still available or being written."""
    supervise_paging(m, m.settings.reclaim_ms)
    keep_inventory(m, t)  # a reclaim is a page fault; the frame is looked up after it
    f = m.pages[owner, page].frame
    if m.frames[f].state == FrameState.AVAILABLE:
        take_available(m, f)
    m.tasks[t].reclaims += 1
    if owner == t:
        m.frames[f].state = FrameState.PRIVATE
        m.frames[f].changed = uniform(m.place) < m.settings.changed_share
        hold(m, t, f)
        count(m, Count.PRIVATE_RECLAIMS, 1.0)
        note(m, Event.PRIVATE_RECLAIM, t, page)
    else:
        m.frames[f].state = FrameState.SHARABLE
        m.frames[f].changed = uniform(m.place) < m.settings.sharable_changed_share
        count_sharable(m, 1)
        count(m, Count.SHARABLE_RECLAIMS, 1.0)
        note(m, Event.SHARABLE_RECLAIM, t, page)
