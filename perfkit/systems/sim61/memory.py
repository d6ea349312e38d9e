"""Core by the page: frames held, frames being written, and the pool of released pages.

A released page stays in core until its frame is wanted; a task that comes back in time
reclaims it. The pool gives frames up in the order of release, by task: a task's released
pages are one entry. A dirty page must be written before its frame can go to another.
"""

from perfkit.des import lists
from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level
from perfkit.des.draws import uniform
from perfkit.des.trace import note
from perfkit.systems.sim61.devices import request_page
from perfkit.systems.sim61.state import Event, Level, Purpose, Queue, State


@inlined
def leave_pool(m, t):
    """Take a task that has no clean page left in the pool out of its list."""
    lists.unlink(m.members, m.pool, t)
    m.tasks[t].in_pool = 0


@inlined
def enter_pool(m, t):
    """Put a task at the recent end of the pool's list."""
    lists.link(m.members, m.pool, t)
    m.tasks[t].in_pool = 1


@inlined
def take_frame(m):
    """Take a frame never used, or the oldest released clean page's; say whether there was one."""
    k = m.kernel
    if k.free_frames > 0:
        k.free_frames -= 1
        return True
    if m.pool.length == 0:
        return False
    t = m.pool.head
    m.tasks[t].clean_pages -= 1
    if m.tasks[t].clean_pages == 0:
        leave_pool(m, t)
    return True


@inlined
def reclaim(m, t):
    """Give a task one of its released pages back if one is still in core."""
    task = m.tasks[t]
    # The draw comes last: a task without released pages uses none.
    if task.clean_pages + task.dirty_pages == 0 or uniform(m.place) >= m.settings.reuse_share:
        return False
    if task.clean_pages > 0:
        task.clean_pages -= 1
        if task.clean_pages == 0:
            leave_pool(m, t)
    else:
        task.dirty_pages -= 1
        task.reclaimed_writes += 1
    task.held_pages += 1
    m.kernel.reclaims += 1
    m.groups[task.group].reclaims += 1
    note(m, Event.RECLAIM, t, task.demanded_pages)
    return True


@inlined
def read_page(m, t):
    """Ask for a page of a task's own, its frame taken."""
    m.tasks[t].held_pages += 1
    m.tasks[t].state = State.PAGING
    request_page(m, Purpose.READ_PAGE, t, uniform(m.place))


@handler
def serve_frame_waiters(m):
    """Let tasks that wait for a frame go on with their page faults while frames last."""
    waiting = m.queues[Queue.FRAMES]
    while waiting.length > 0 and take_frame(m):
        t = lists.pop(m.tasks, waiting)
        set_level(m, Level.FRAMES, waiting.length)
        read_page(m, t)


@inlined
def release_pages(m, t):
    """Release all pages of a task: those that are dirty join the paging queue.

    A page that was reclaimed while its write was queued is still to be written by that.
    """
    task = m.tasks[t]
    if task.in_pool:
        leave_pool(m, t)
    task.dirty_pages += task.reclaimed_writes
    for _ in range(task.held_pages - task.reclaimed_writes):  # a draw each: no page is known
        if uniform(m.place) < m.settings.dirty_share:
            task.dirty_pages += 1
            request_page(m, Purpose.WRITE_PAGE, t, uniform(m.place))
        else:
            task.clean_pages += 1
    task.held_pages = task.reclaimed_writes = 0
    if task.clean_pages > 0:
        enter_pool(m, t)
        serve_frame_waiters(m)


@inlined
def page_written(m, t):
    """A released page has been written; unless it was reclaimed its frame can be taken."""
    task = m.tasks[t]
    m.kernel.pages_out += 1
    note(m, Event.PAGE_OUT, t, task.dirty_pages)
    if task.reclaimed_writes > 0:
        task.reclaimed_writes -= 1
        return
    task.dirty_pages -= 1
    task.clean_pages += 1
    if task.in_pool == 0:
        enter_pool(m, t)
    serve_frame_waiters(m)
