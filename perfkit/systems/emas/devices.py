"""The drums, one channel for all, and the two disc drives with theirs.

The drums have a queue for each sector of each, or for each drum. Of the requests at the heads of
the queues the channel serves the one whose sector comes round first, counted from the moment at
which the next transfer can be set up. A request that would start before the one being waited for
takes its place, unless others of its drum came before. Within a queue demanded pages stand
before, among or behind all others; else order of arrival.

A disc drive holds their channel from the end of its seek to the end of its transfer. A page is
two blocks of its geometry, because a track has room for two pages and a half.
"""

from perfkit.des import devices, lists
from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.elementary import log
from perfkit.des.lists import NOBODY
from perfkit.systems.emas.parameters import SECTORS_PER_TRACK
from perfkit.systems.emas.state import (
    DISCS,
    DRUM_ACTOR,
    FIRST_DISC_ACTOR,
    Purpose,
    Stop,
    draw_place,
)


@handler
def take_request(m, purpose, t, page):
    """Return a free request, filled in; without one the run stops and says so."""
    r = m.free_requests.head
    if m.free_requests.length == 1:  # the last is kept: the event in hand goes on to its end
        m.kernel.stop = Stop.NO_REQUEST_LEFT
        return r
    lists.pop(m.requests, m.free_requests)
    request = m.requests[r]
    request.process, request.page, request.purpose = t, page, purpose
    return r


@inlined
def sector_start(m, sector, earliest_ms):
    """Return when a sector's page begins to pass under the heads, not before a time."""
    revolution_ms = SECTORS_PER_TRACK * m.settings.slot_ms
    place = (sector % SECTORS_PER_TRACK) / SECTORS_PER_TRACK
    turns = devices.turns_until(revolution_ms, earliest_ms - m.sectors[sector].phase_ms, place)
    return earliest_ms + turns * revolution_ms


@inlined
def queue_of(m, sector):
    """Return the number of the queue that requests for a sector join."""
    return sector // m.settings.queue_sectors


@inlined
def rank(m, r):
    """Return where a request stands among others: demanded pages have a rank of their own."""
    return m.settings.demand_order - 1 if m.requests[r].purpose == Purpose.DEMAND else 0


@inlined
def enqueue(m, r):
    """Put a request into its queue, behind those of its rank and before those of a later one."""
    q = m.drum_queues[queue_of(m, m.requests[r].sector)]
    place, before, at = rank(m, r), NOBODY, q.head
    # Mostly it goes last; the walk is for those that go before others.
    if q.tail != NOBODY and rank(m, q.tail) <= place:
        before, at = q.tail, NOBODY
    while at != NOBODY and rank(m, at) <= place:
        before, at = at, m.requests[at].next
    lists.put_after(m.requests, q, before, r)


@inlined
def first_queue(m, earliest_ms):
    """Find the queue, if any, whose first request's sector comes round first, and when that is."""
    best, best_ms = NOBODY, NEVER
    for queue in range(m.drum_queues.size):
        if m.drum_queues[queue].length > 0:
            sector = m.requests[m.drum_queues[queue].head].sector
            start_ms = sector_start(m, sector, earliest_ms)
            if start_ms < best_ms:
                best, best_ms = queue, start_ms
    return best, best_ms


@inlined
def wait_for(m, r, start_ms):
    """Let the channel wait for a request's sector and then transfer its page."""
    k = m.kernel
    k.drum_serving = r
    k.drum_start_ms = start_ms
    set_alarm(m.alarms, DRUM_ACTOR, start_ms + m.settings.drum_page_ms)


@inlined
def set_up_ends(m):
    """Return when a transfer that is set up from now on can begin: the time is exponential."""
    k = m.kernel
    return k.now_ms - m.settings.drum_set_up_ms * log(1.0 - draw_place(m))


@inlined
def next_transfer(m):
    """Set up the transfer that can start first, if any request waits."""
    k = m.kernel
    queue, start_ms = first_queue(m, set_up_ends(m))
    if queue == NOBODY:
        k.drum_serving = NOBODY
        set_alarm(m.alarms, DRUM_ACTOR, NEVER)
    else:
        wait_for(m, lists.pop(m.requests, m.drum_queues[queue]), start_ms)


@inlined
def goes_before_the_served(m, sector, start_ms):
    """Say whether a request's page passes before the one waited for, and it may be served then.

    It may not if others of its queue came before it: those that wait, or the one waited for.
    """
    k = m.kernel
    if start_ms >= k.drum_start_ms or k.now_ms >= k.drum_start_ms:
        return False
    queue = queue_of(m, sector)
    return m.drum_queues[queue].length == 0 and queue != queue_of(
        m, m.requests[k.drum_serving].sector
    )


@handler
def request_drum(m, purpose, t, page, sector):
    """Queue the transfer of a page on its drum, and start what can start."""
    k = m.kernel
    r = take_request(m, purpose, t, page)
    m.requests[r].sector = sector
    # The set-up is drawn for every request, even one that waits, so that all use as many draws.
    start_ms = sector_start(m, sector, set_up_ends(m))
    if k.drum_serving == NOBODY:
        wait_for(m, r, start_ms)
    elif goes_before_the_served(m, sector, start_ms):
        served = k.drum_serving
        queue = queue_of(m, m.requests[served].sector)
        lists.push_front(m.requests, m.drum_queues[queue], served)
        wait_for(m, r, start_ms)
    else:
        enqueue(m, r)


@inlined
def drum_alarm(m):
    """A page has passed: set up the next transfer; return the request that is done."""
    k = m.kernel
    r = k.drum_serving
    k.drum_operations += 1
    k.drum_busy_ms += m.settings.drum_page_ms
    next_transfer(m)
    return r


@inlined
def emptiest_drum(m):
    """Return the drum with the most free pages."""
    best, most = 0, -1
    for drum in range(m.settings.drums):
        free = free_on(m, drum)
        if free > most:
            best, most = drum, free
    return best


@inlined
def free_on(m, drum):
    """Return the free pages of a drum."""
    free = 0
    for sector in range(drum * SECTORS_PER_TRACK, (drum + 1) * SECTORS_PER_TRACK):
        free += m.sectors[sector].free
    return free


@handler
def take_sector(m, drum):
    """Take a free page of a drum, drawn at random; return its sector, NOBODY if it is full."""
    left = int(draw_place(m) * free_on(m, drum))
    for sector in range(drum * SECTORS_PER_TRACK, m.sectors.size):
        left -= m.sectors[sector].free
        if left < 0:
            if sector >= (drum + 1) * SECTORS_PER_TRACK:
                return NOBODY
            m.sectors[sector].free -= 1
            m.kernel.drum_free -= 1
            return sector
    return NOBODY


@inlined
def free_sector(m, sector):
    """Give a page of a drum back."""
    m.sectors[sector].free += 1
    m.kernel.drum_free += 1


BLOCKS_A_PAGE = 2


@handler
def request_disc(m, purpose, t, page):
    """Queue a page at a place of the discs drawn at random, and start what can start."""
    r = take_request(m, purpose, t, page)
    place = draw_place(m) * DISCS
    d = int(place)
    request = m.requests[r]
    request.block = BLOCKS_A_PAGE * int((place - d) * m.settings.disc_blocks / BLOCKS_A_PAGE)
    lists.push(m.requests, m.disc_queues[d], r)
    if m.drives[d].state == devices.DriveState.IDLE:
        start_seek(m, d)


@handler
def start_seek(m, d):
    """Move a drive's arm to the next request of its queue, if one waits."""
    k, drive = m.kernel, m.drives[d]
    if m.disc_queues[d].length == 0:
        drive.serving = NOBODY
        drive.state = devices.DriveState.IDLE
        set_alarm(m.alarms, FIRST_DISC_ACTOR + d, NEVER)
        return
    drive.serving = lists.pop(m.requests, m.disc_queues[d])
    cylinder = devices.cylinder_of(m.disc, m.requests[drive.serving].block)
    drive.started_ms = k.now_ms
    drive.state = devices.DriveState.SEEKING
    seek_ms = devices.move_arm(m.disc.seek_time, drive, cylinder)
    set_alarm(m.alarms, FIRST_DISC_ACTOR + d, k.now_ms + seek_ms)


@handler
def transfer(m, d):
    """Wait for the page to come round and transfer it, the channel held."""
    k, drive = m.kernel, m.drives[d]
    drive.state = devices.DriveState.TRANSFERRING
    k.channel_busy = 1
    block = m.requests[drive.serving].block
    end_ms = devices.transfer_end(m.disc, k.now_ms + drive.phase_ms, block, BLOCKS_A_PAGE)
    set_alarm(m.alarms, FIRST_DISC_ACTOR + d, end_ms - drive.phase_ms)


@inlined
def free_channel(m):
    """Give the channel to the drive that waits for it, if one does."""
    m.kernel.channel_busy = 0
    for d in range(DISCS):
        if m.drives[d].state == devices.DriveState.ON_CYLINDER:
            transfer(m, d)
            return


@inlined
def disc_alarm(m, d):
    """Handle a drive's alarm; return the request that is done, NOBODY after a mere seek."""
    k, drive = m.kernel, m.drives[d]
    if drive.state == devices.DriveState.SEEKING:
        if k.channel_busy:
            drive.state = devices.DriveState.ON_CYLINDER
            set_alarm(m.alarms, FIRST_DISC_ACTOR + d, NEVER)
        else:
            transfer(m, d)
        return NOBODY
    r = drive.serving
    devices.operation_ends(drive, k.now_ms)
    free_channel(m)
    start_seek(m, d)
    return r
