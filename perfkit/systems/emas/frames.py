"""Core by the page: free frames, and the shared pages that stand in core for several.

A shared page whose last holder has left stays for a while, and gives its frame up before that
when no other is free. Every holder is charged for it as for a page of its own.
"""

from perfkit.des.compiling import handler, inlined
from perfkit.des.lists import link, unlink
from perfkit.systems.emas.machine import Level, Place, set_level


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
