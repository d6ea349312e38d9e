"""The buffer cache: 20 blocks, least recently used, delayed and asynchronous writes.

Buffers that nobody holds stand in a list from the least to the most recently used. A
buffer is held ("busy") while a transfer or a process uses it; a process keeps the
buffer it waits for even while it is swapped out, as in the Sixth Edition.
"""

from perfkit.des.compiling import handler, inlined
from perfkit.des.lists import link, unlink
from perfkit.systems.unix_v6.discs import request
from perfkit.systems.unix_v6.machine import Channel, Direction
from perfkit.systems.unix_v6.processes import wake

NO_BUFFER = -1
ALL_BUSY = -2


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
def find(m, drive, block):
    """Return the buffer that has a block, or NO_BUFFER."""
    for b in range(m.buffers.size):
        if m.buffers[b].block == block and m.buffers[b].drive == drive:
            return b
    return NO_BUFFER


@handler
def take_oldest(m, drive, block):
    """Rename the least recently used buffer; dirty ones on the way are sent to be written.

    Returns
    -------
    int
        The buffer, held and not valid; ALL_BUSY if none is free.
    """
    while m.free_buffers.length > 0:
        b = m.free_buffers.head
        buffer = m.buffers[b]
        take_from_list(m, b)
        if buffer.dirty:
            write_behind(m, b)
            continue
        buffer.drive = drive
        buffer.block = block
        buffer.valid = 0
        return b
    return ALL_BUSY


@handler
def take_block(m, drive, block):
    """Hold the buffer of a block, found or renamed.

    Returns
    -------
    int
        The buffer, held; ``-3 - b`` if buffer b has it but is busy; ALL_BUSY.
    """
    b = find(m, drive, block)
    if b == NO_BUFFER:
        return take_oldest(m, drive, block)
    if m.buffers[b].busy:
        m.buffers[b].wanted = 1
        return -3 - b
    take_from_list(m, b)
    return b


@handler
def start_read(m, b):
    """Ask for a held buffer's block; its holder waits on the buffer's channel."""
    m.kernel.reads += 1
    request(m, m.buffers[b].drive, m.buffers[b].block, 1, b, Direction.READ)


@handler
def read_ahead(m, drive, block):
    """Start reading a block that is likely to be wanted, if a buffer can be had."""
    if find(m, drive, block) != NO_BUFFER:
        return
    b = take_oldest(m, drive, block)
    if b == ALL_BUSY:
        return
    m.buffers[b].release_when_done = 1
    m.kernel.reads -= 1
    m.kernel.read_aheads += 1
    start_read(m, b)


@handler
def start_write(m, b):
    """Write a held buffer; its holder waits on the buffer's channel."""
    m.buffers[b].dirty = 0
    m.kernel.writes += 1
    request(m, m.buffers[b].drive, m.buffers[b].block, 1, b, Direction.WRITE)


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
