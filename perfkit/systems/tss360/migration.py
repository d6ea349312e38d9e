"""Migration: who has pages on the drums, and what goes to the discs when they fill up.

The drums' slots are shared out equally among the users who are logged on; the sharable pages
have a share of their own, so that they do not clutter the drums. When few slots are left, the
owner most above its share gives up the page that it has not referenced for longest.
"""

from perfkit.des.alarms import NEVER
from perfkit.des.compiling import handler, inlined
from perfkit.des.trace import note
from perfkit.systems.tss360.devices import request
from perfkit.systems.tss360.frames import drum_has_room, move_page
from perfkit.systems.tss360.machine import (
    NOBODY,
    Count,
    Event,
    Level,
    Purpose,
    State,
    count,
    set_level,
)


@inlined
def pages_of(m, owner):
    """Return how many pages an owner has."""
    return m.settings.sharable_pages if owner == m.tasks.size else m.settings.private_pages


@handler
def most_above_share(m):
    """Return the owner that has most slots of the drums beyond its share."""
    s, sharable = m.settings, m.owners.size - 1
    share = (s.drum_slots - s.sharable_drum_slots) / max(m.kernel.tasks, 1)
    best, best_excess = NOBODY, -NEVER
    for owner in range(m.owners.size):
        own = float(s.sharable_drum_slots) if owner == sharable else share
        excess = m.owners[owner].drum_pages - own
        if m.owners[owner].drum_pages > 0 and excess > best_excess:
            best, best_excess = owner, excess
    return best


@inlined
def least_recent(m, owner):
    """Return the page of an owner on the drums and not in storage, longest not referenced."""
    best = NOBODY
    for page in range(pages_of(m, owner)):
        place = m.pages[owner, page]
        if place.drive >= m.settings.drums or place.frame != NOBODY:
            continue
        if best == NOBODY or place.last_ms < m.pages[owner, best].last_ms:
            best = page
    return best


@handler
def start_migration(m):
    """Begin to move a page to the discs if the drums are nearly full and none is on its way."""
    k, s = m.kernel, m.settings
    if k.migrating or k.drum_used < s.drum_slots - s.migrate_slots:
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
    move_page(m, owner, page, False)
    count(m, Count.MIGRATIONS, 1.0)
    note(m, Event.MIGRATE, owner, page)
    request(m, Purpose.MIGRATE_IN, place.drive, place.block, owner, page, NOBODY)


@inlined
def migration_written(m):
    """The page is on its disc; perhaps another must follow."""
    m.kernel.migrating = 0
    start_migration(m)


@handler
def place_pages(m, owner):
    """Give a new owner's pages their places: its share on the drums, the rest on the discs."""
    s = m.settings
    if owner == m.tasks.size:
        share = s.sharable_drum_slots
    else:
        share = (s.drum_slots - s.sharable_drum_slots) // max(m.kernel.tasks, 1)
    for page in range(pages_of(m, owner)):
        place = m.pages[owner, page]
        place.frame = place.drive = NOBODY
        place.last_ms = -float(page)
        move_page(m, owner, page, page < share and drum_has_room(m))


@handler
def place_all(m):
    """Give the pages of all tasks that are there at time zero their places."""
    m.kernel.placed = 1
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
