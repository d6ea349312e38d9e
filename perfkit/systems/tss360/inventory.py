"""The storage manager: reference bits, the two thresholds, the replacement scan, swap-outs.

It looks at the inventory of available frames at every page fault, before a frame is taken or
reclaimed. When the inventory has fallen below the upper threshold it resets the reference bits
of the sharable pages. Below the lower one a scan replaces so many of those not referenced since;
if that does not lift the inventory over the upper threshold, as when one of them has been changed
and must be written first, a task is asked to leave. The new replacement also scans when the
scheduler's estimate is low.
"""

from perfkit.des.compiling import handler, inlined
from perfkit.des.trace import note
from perfkit.systems.tss360.frames import count_sharable, release
from perfkit.systems.tss360.machine import (
    NOBODY,
    Count,
    Event,
    FrameState,
    Queue,
    State,
    count,
    drop,
    push,
)


@handler
def reset_references(m):
    """Reset the reference bits of all sharable pages."""
    sharable = m.owners.size - 1
    for page in range(m.settings.sharable_pages):
        m.pages[sharable, page].referenced = 0
    count(m, Count.RESETS, 1.0)


@handler
def scan(m):
    """Replace unreferenced sharable pages: as many as a scan looks for, if there are so many."""
    k, s = m.kernel, m.settings
    sharable, found = m.owners.size - 1, 0
    count(m, Count.SCANS, 1.0)
    for _ in range(s.sharable_pages):
        k.hand = (k.hand + 1) % s.sharable_pages
        place = m.pages[sharable, k.hand]
        if place.frame == NOBODY or place.referenced:
            continue
        if m.frames[place.frame].state != FrameState.SHARABLE:
            continue
        count_sharable(m, -1)
        note(m, Event.PURGE, k.hand, m.available.length)
        release(m, place.frame)
        found += 1
        if found == s.scan_pages:
            break
    count(m, Count.PURGED, float(found))


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
        drop(m, Queue.FRAMES, victim)
        m.tasks[victim].state = State.READY
        push(m, Queue.READY, victim)


@handler
def keep_inventory(m, t):
    """Do at a page fault what keeps frames available."""
    k, s = m.kernel, m.settings
    available = m.available.length
    below, low = available < s.upper_threshold, available < s.lower_threshold
    if below and not k.below_upper:
        reset_references(m)
    k.below_upper = below
    if low or (s.purge_on_estimate and k.estimate < s.estimate_threshold):
        scan(m)
    if low and m.available.length <= s.upper_threshold:
        ask_swap_out(m, t)
    if m.available.length == 0:
        reset_references(m)
        scan(m)
