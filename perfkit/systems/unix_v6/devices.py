"""Two RL01 drives behind one or two controllers, and the buffer cache before them.

Buffers that nobody holds stand in a list from the least to the most recently used. A
buffer is held ("busy") while a transfer or a process uses it; a process keeps the
buffer it waits for even while it is swapped out, as in the Sixth Edition.
"""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.devices import DriveState, choose_request, cylinder_of, head_of, transfer_end
from perfkit.des.lists import link, unlink
from perfkit.des.trace import note
from perfkit.systems.unix_v6.processor import wake
from perfkit.systems.unix_v6.state import DRIVES, FIRST_DRIVE_ACTOR, Channel, Event, sample

SWAP, NO_BUFFER, ALL_BUSY = -1, -1, -2  # in place of a buffer's number
FILE_DRIVE = 1  # of all file systems (section 4.4): the cache is before this drive alone


@inlined
def queue_changes(m):
    """Bring the queue's tallies up to now; call before the queue or a drive changes."""
    k = m.kernel
    elapsed = k.now_ms - k.queue_changed_ms
    if elapsed > 0.0:
        serving = 0
        for d in range(DRIVES):
            # Not from STARTING on: the gap before an operation is no busy time, by the printed
            # utilizations.
            serving += m.drives[d].state >= DriveState.SEEKING
        k.queue_area_ms += elapsed * (k.waiting + serving)
        if serving > 0:
            k.busy_ms += elapsed
        k.queue_changed_ms = k.now_ms
    sample(m)


@handler
def request(m, drive, block, blocks, buffer):
    """Queue a transfer for a drive (the buffer is SWAP for a swap) and start what can start."""
    queue_changes(m)
    k = m.kernel
    r = m.requests[k.waiting]
    r.drive = drive
    r.cylinder = cylinder_of(m.disc, block)
    r.order = k.arrivals
    r.block = block
    r.blocks = blocks
    r.buffer = buffer
    r.arrived_ms = k.now_ms
    k.waiting += 1
    k.arrivals += 1
    start_drives(m)


@handler
def controller_busy(m, controller):
    """Return whether a controller is held: by a transfer, or by a seek it can't overlap."""
    for d in range(DRIVES):
        drive = m.drives[d]
        if drive.controller == controller and (
            drive.state == DriveState.TRANSFERRING
            or (drive.state != DriveState.IDLE and not m.settings.overlapped_seeks)
        ):
            return True
    return False


@handler
def start_drives(m):
    """Let the driver start every drive that may start, the one with the oldest request first."""
    waiting = m.kernel.waiting
    while waiting > 0:
        oldest = -1
        for i in range(waiting):
            drive = m.drives[m.requests[i].drive]
            if drive.state != DriveState.IDLE:
                continue
            if not m.settings.overlapped_seeks and controller_busy(m, drive.controller):
                continue
            if oldest < 0 or m.requests[i].order < m.requests[oldest].order:
                oldest = i
        if oldest < 0:
            return
        d = m.requests[oldest].drive
        m.drives[d].state = DriveState.STARTING
        set_alarm(m.alarms, FIRST_DRIVE_ACTOR + d, m.kernel.now_ms + m.settings.controller_ms)


@inlined
def positioning_ms(m, drive, r):
    """Return the time until a drive's head is on a request's track: a seek, or a new head."""
    if r.cylinder != drive.cylinder:
        return m.disc.seek_time[abs(r.cylinder - drive.cylinder)]
    return m.disc.head_switch if head_of(m.disc, r.block) != drive.head else 0.0


@inlined
def start_seek(m, d):
    """Let a drive's arm take its next request from the queue and move."""
    queue_changes(m)
    k, drive = m.kernel, m.drives[d]
    i, drive.direction = choose_request(
        m.requests, k.waiting, d, m.settings.discipline, drive.cylinder, drive.direction
    )
    m.serving[d] = m.requests[i]
    k.waiting -= 1
    m.requests[i] = m.requests[k.waiting]  # the last takes its place; order tells who came first
    r = m.serving[d]
    r.started_ms = k.now_ms
    k.seeks += r.cylinder != drive.cylinder
    drive.state = DriveState.SEEKING
    on_cylinder_ms = k.now_ms + positioning_ms(m, drive, r)
    drive.cylinder = r.cylinder
    if m.settings.overlapped_seeks:
        set_alarm(m.alarms, FIRST_DRIVE_ACTOR + d, on_cylinder_ms)
    else:
        start_transfer(m, d, on_cylinder_ms)


@inlined
def start_transfer(m, d, on_cylinder_ms):
    """Wait for the block to come round and transfer; the drive's alarm tells the end."""
    drive, r = m.drives[d], m.serving[d]
    drive.state = DriveState.TRANSFERRING
    end_ms = transfer_end(m.disc, on_cylinder_ms + drive.phase_ms, r.block, r.blocks)
    last = r.block + r.blocks - 1  # an image may end on another track, or cylinder
    drive.cylinder, drive.head = cylinder_of(m.disc, last), head_of(m.disc, last)
    set_alarm(m.alarms, FIRST_DRIVE_ACTOR + d, end_ms - drive.phase_ms)


@inlined
def drive_alarm(m, d):
    """Handle a drive's alarm; return whether its transfer has ended."""
    if m.drives[d].state == DriveState.TRANSFERRING:
        finish_transfer(m, d)
        return True
    if m.drives[d].state == DriveState.STARTING:
        start_seek(m, d)
        return False
    m.drives[d].state = DriveState.ON_CYLINDER
    set_alarm(m.alarms, FIRST_DRIVE_ACTOR + d, NEVER)
    start_waiting_transfers(m)
    return False


@handler
def start_waiting_transfers(m):
    """Give each free controller to the drive whose arm stands ready, oldest request first."""
    for _ in range(DRIVES):
        ready = -1
        for d in range(DRIVES):
            drive = m.drives[d]
            if drive.state != DriveState.ON_CYLINDER or controller_busy(m, drive.controller):
                continue
            if ready < 0 or m.serving[d].order < m.serving[ready].order:
                ready = d
        if ready < 0:
            return
        start_transfer(m, ready, m.kernel.now_ms)


@inlined
def finish_transfer(m, d):
    """Tally a finished transfer and give the drive and its controller to the next."""
    queue_changes(m)
    k, r = m.kernel, m.serving[d]
    service_ms = k.now_ms - r.started_ms
    if r.buffer == SWAP:
        k.swap_time_ms += service_ms
        k.swap_response_ms += k.now_ms - r.arrived_ms
    else:
        k.block_time_ms += service_ms
        k.block_response_ms += k.now_ms - r.arrived_ms
    note(m, Event.TRANSFER, d, r.buffer)
    m.drives[d].state = DriveState.IDLE
    set_alarm(m.alarms, FIRST_DRIVE_ACTOR + d, NEVER)


@inlined
def take_from_list(m, b):
    """Take a free buffer out of the list and hold it."""
    unlink(m.buffers, m.free_buffers, b)
    m.buffers[b].busy = 1


@handler
def give_back(m, b):
    """Release a held buffer to the recent end of the list and wake who waits for it."""
    k, buffer = m.kernel, m.buffers[b]
    buffer.busy = 0
    buffer.release_when_done = 0
    link(m.buffers, m.free_buffers, b)
    if buffer.wanted:
        buffer.wanted = 0
        wake(m, Channel.BUFFER + b)
    if k.buffer_wanted:
        k.buffer_wanted = 0
        wake(m, Channel.FREE_BUFFER)


@handler
def find(m, block):
    """Return the buffer that has a block, or NO_BUFFER."""
    for b in range(m.buffers.size):
        if m.buffers[b].block == block:
            return b
    return NO_BUFFER


@handler
def take_oldest(m, block):
    """Rename and hold the least recently used buffer; ALL_BUSY if none is free."""
    while m.free_buffers.length > 0:
        b = m.free_buffers.head
        buffer = m.buffers[b]
        take_from_list(m, b)
        if buffer.dirty:
            write_behind(m, b)  # as V6's getblk: the writes go out, the search begins again
            continue
        buffer.block = block
        buffer.valid = 0
        return b
    return ALL_BUSY


@handler
def take_block(m, block):
    """Hold the buffer of a block, found or renamed, and return it.

    It returns ``-3 - b`` if buffer b has the block but is busy, ALL_BUSY if all are.
    """
    b = find(m, block)
    if b == NO_BUFFER:
        return take_oldest(m, block)
    if m.buffers[b].busy:
        m.buffers[b].wanted = 1
        return -3 - b
    take_from_list(m, b)
    return b


@handler
def start_read(m, b):
    """Ask for a held buffer's block; its holder waits on the buffer's channel."""
    m.kernel.reads += 1
    request(m, FILE_DRIVE, m.buffers[b].block, 1, b)


@handler
def read_ahead(m, block):
    """Start reading a block that is likely to be wanted, if a buffer can be had."""
    if find(m, block) != NO_BUFFER:
        return
    b = take_oldest(m, block)
    if b == ALL_BUSY:
        return
    m.buffers[b].release_when_done = 1
    m.kernel.read_aheads += 1
    request(m, FILE_DRIVE, block, 1, b)


@handler
def start_write(m, b):
    """Write a held buffer; its holder waits on the buffer's channel."""
    m.buffers[b].dirty = 0
    m.kernel.writes += 1
    request(m, FILE_DRIVE, m.buffers[b].block, 1, b)


@handler
def write_behind(m, b):
    """Write a held buffer and release it when the transfer is done; nobody waits."""
    m.buffers[b].release_when_done = 1
    start_write(m, b)


@handler
def delay_write(m, b):
    """Mark a held buffer to be written when it is renamed or flushed, and release it."""
    m.buffers[b].dirty = 1
    m.buffers[b].valid = 1
    give_back(m, b)


@handler
def flush(m):
    """Send every delayed write to its drive."""
    for b in range(m.buffers.size):
        if m.buffers[b].dirty and not m.buffers[b].busy:
            take_from_list(m, b)
            write_behind(m, b)


@inlined
def transfer_done(m, b):
    """A buffer's transfer has ended: its block is valid; release it or wake its holder."""
    m.buffers[b].valid = 1
    if m.buffers[b].release_when_done:
        give_back(m, b)
    else:
        wake(m, Channel.BUFFER + b)
