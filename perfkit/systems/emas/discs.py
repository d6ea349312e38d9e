"""The two disc drives: a queue each, arm, rotation, and the channel that they share.

A drive holds the channel from the end of its seek to the end of its transfer. A page is two
blocks of the drive's geometry, for a track has room for two pages and a half.
"""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.draws import draw_uniform
from perfkit.des.storage import cylinder_of, transfer_end
from perfkit.systems.emas.drum import take_request
from perfkit.systems.emas.machine import (
    DISCS,
    FIRST_DISC_ACTOR,
    NOBODY,
    DiscState,
)

BLOCKS_A_PAGE = 2


@handler
def request_disc(m, purpose, t, page):
    """Queue a page at a place of the discs drawn at random, and start what can start."""
    r = take_request(m, purpose, t, page)
    place = draw_uniform(m) * DISCS
    d = int(place)
    request = m.requests[r]
    request.block = BLOCKS_A_PAGE * int((place - d) * m.settings.disc_blocks / BLOCKS_A_PAGE)
    drive = m.drives[d]
    if drive.tail == NOBODY:
        drive.head = r
    else:
        m.requests[drive.tail].next = r
    drive.tail = r
    if drive.state == DiscState.IDLE:
        start_seek(m, d)


@handler
def start_seek(m, d):
    """Move a drive's arm to the next request of its queue, if one waits."""
    k, drive = m.kernel, m.drives[d]
    drive.serving = drive.head
    if drive.serving == NOBODY:
        drive.state = DiscState.IDLE
        set_alarm(m.alarms, FIRST_DISC_ACTOR + d, NEVER)
        return
    request = m.requests[drive.serving]
    drive.head = request.next
    if drive.head == NOBODY:
        drive.tail = NOBODY
    cylinder = cylinder_of(m.disc, request.block)
    distance = abs(cylinder - drive.cylinder)
    drive.cylinder = cylinder
    drive.started_ms = k.now_ms
    drive.state = DiscState.SEEKING
    set_alarm(m.alarms, FIRST_DISC_ACTOR + d, k.now_ms + m.disc.seek_time[distance])


@handler
def transfer(m, d):
    """Wait for the page to come round and transfer it, the channel held."""
    k, drive = m.kernel, m.drives[d]
    drive.state = DiscState.TRANSFERRING
    k.channel_busy = 1
    block = m.requests[drive.serving].block
    end_ms = transfer_end(m.disc, k.now_ms + drive.phase_ms, block, BLOCKS_A_PAGE)
    set_alarm(m.alarms, FIRST_DISC_ACTOR + d, end_ms - drive.phase_ms)


@inlined
def free_channel(m):
    """Give the channel to the drive that waits for it, if one does."""
    m.kernel.channel_busy = 0
    for d in range(DISCS):
        if m.drives[d].state == DiscState.ON_CYLINDER:
            transfer(m, d)
            return


@inlined
def disc_alarm(m, d):
    """Handle a drive's alarm; start its next seek if a transfer has ended.

    Returns
    -------
    int
        The request that is done, to be freed by the caller; NOBODY after a mere seek.
    """
    k, drive = m.kernel, m.drives[d]
    if drive.state == DiscState.SEEKING:
        if k.channel_busy:
            drive.state = DiscState.ON_CYLINDER
            set_alarm(m.alarms, FIRST_DISC_ACTOR + d, NEVER)
        else:
            transfer(m, d)
        return NOBODY
    r = drive.serving
    drive.operations += 1
    drive.busy_ms += k.now_ms - drive.started_ms
    free_channel(m)
    start_seek(m, d)
    return r
