"""What processes do, step by step: the synthetic workload (section 4.2.1) and /etc/update.

``advance`` is called when the running process has used its processor burst. It goes
on until the process needs the processor again, sleeps or leaves.
"""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.trace import note
from perfkit.systems.unix_v6 import devices
from perfkit.systems.unix_v6.memory import release
from perfkit.systems.unix_v6.parameters import LARGEST_DIRECT_BLOCKS
from perfkit.systems.unix_v6.processor import leave_system, return_to_user, set_burst, sleep
from perfkit.systems.unix_v6.state import (
    FIRST_USER,
    LINE_ACTOR,
    UPDATE,
    Channel,
    Event,
    Mode,
    Operation,
    Priority,
    Step,
)

ADDRESSES_PER_BLOCK = 256
FIRST_INODE_BLOCK = 2


@inlined
def advance(m, p):
    """Take process ``p`` one step further in its program."""
    if p == UPDATE:
        advance_update(m, p)
        return
    process = m.processes[p]
    step = process.step
    if step == Step.NEXT_OPERATION:
        next_operation(m, p)
    elif step == Step.MAP_BLOCK:
        map_block(m, p)
    elif step == Step.MAPPED:
        devices.give_back(m, process.buffer)
        process.step = Step.ACCESS_BLOCK
    elif step == Step.ACCESS_BLOCK:
        access_block(m, p)
    elif step == Step.BLOCK_READ:
        finish_operation(m, p)
    elif step == Step.PAUSE:
        pause(m, p)
    elif step == Step.PAUSED:
        if not asleep_again(m, p):
            leave_call(m, p, Step.NEXT_STRING)
    elif step == Step.NEXT_STRING:
        next_string(m, p)
    elif step == Step.PRINT:
        print_characters(m, p)
    else:
        begin_interaction(m, p)


@inlined
def leave_call(m, p, step):
    """End a system call; the process goes on in user mode at ``step``."""
    set_burst(m, p, Mode.USER, 0.0)
    m.processes[p].step = step
    return_to_user(m, p)


@inlined
def interaction_of(m, p):
    """Return the record of the interaction that a process is in."""
    return m.interactions[p - FIRST_USER, m.processes[p].interaction]


@inlined
def begin_interaction(m, p):
    """Start the compute loop of the next interaction, or leave after the last."""
    process = m.processes[p]
    process.interaction += 1
    note(m, Event.INTERACTION, p, process.interaction)
    if process.interaction == m.interactions.shape[1]:
        release(m.core, process.size_clicks, process.core_address)
        leave_system(m, p)
        return
    interaction = interaction_of(m, p)
    process.operation = 0
    process.strings_left = interaction.strings
    process.step = Step.NEXT_OPERATION
    set_burst(m, p, Mode.USER, interaction.compute_ms)


@inlined
def next_operation(m, p):
    """Enter the system for the next block, or go on to the pause."""
    process = m.processes[p]
    if process.operation == interaction_of(m, p).operations:
        process.step = Step.PAUSE
        return
    process.step = Step.MAP_BLOCK
    set_burst(m, p, Mode.SYSTEM, m.settings.system_call_ms)


@inlined
def operation_of(m, p):
    """Return the record of the operation that a process is at."""
    return m.operations[interaction_of(m, p).first_operation + m.processes[p].operation]


@inlined
def map_block(m, p):
    """Find the block's address: a large file's stands in an indirect block on the disc."""
    process = m.processes[p]
    if m.settings.file_blocks <= LARGEST_DIRECT_BLOCKS:
        process.step = Step.ACCESS_BLOCK
        return
    files = m.file_blocks
    table = operation_of(m, p).block // ADDRESSES_PER_BLOCK
    address = files[p - FIRST_USER, files.shape[1] - 1 - table]
    b = hold_block(m, p, address, Step.MAPPED)
    if b >= 0:
        devices.give_back(m, b)
        process.step = Step.ACCESS_BLOCK


@handler
def hold_block(m, p, address, next_step):
    """Try to hold a block with its contents; return its buffer if it is in the cache.

    It is -1 if the process had to sleep: until the block is read, to go on at ``next_step``, or
    until a buffer is free, to try again.
    """
    b = devices.take_block(m, address)
    if b < 0:
        wait_for_buffer(m, p, b)
        return -1
    if m.buffers[b].valid:
        m.kernel.cache_hits += 1
        return b
    devices.start_read(m, b)
    m.processes[p].buffer = b
    m.processes[p].step = next_step
    m.processes[p].burst_ms = m.settings.block_io_ms
    sleep(m, p, Channel.BUFFER + b, Priority.PRIBIO)
    return -1


@handler
def wait_for_buffer(m, p, b):
    """Sleep until a buffer that could not be had (see ``take_block``) may be had."""
    if b == devices.ALL_BUSY:
        m.kernel.buffer_wanted = 1
        sleep(m, p, Channel.FREE_BUFFER, Priority.PRIBIO)
    else:
        sleep(m, p, Channel.BUFFER + (-3 - b), Priority.PRIBIO)


@inlined
def access_block(m, p):
    """Read or write the operation's block; whole blocks are written without a read."""
    process, operation = m.processes[p], operation_of(m, p)
    address = m.file_blocks[p - FIRST_USER, operation.block]
    if operation.kind == Operation.WRITE_WHOLE:
        b = devices.take_block(m, address)
        if b < 0:
            wait_for_buffer(m, p, b)
    else:
        b = hold_block(m, p, address, Step.BLOCK_READ)
        if operation.kind == Operation.READ and (b >= 0 or process.step == Step.BLOCK_READ):
            look_ahead(m, p, operation.block)
    if b >= 0:
        process.buffer = b
        finish_operation(m, p)


@inlined
def look_ahead(m, p, block):
    """Queue the next block beside the one that is read, if the last operation was before it."""
    ahead = block + 1
    # V6 follows the last block read; ours the last operation, which writes may be, too.
    if m.processes[p].last_block == block - 1 and ahead < m.settings.file_blocks:
        devices.read_ahead(m, m.file_blocks[p - FIRST_USER, ahead])


@handler
def finish_operation(m, p):
    """Release the block as the operation demands, and leave the system call."""
    process, operation = m.processes[p], operation_of(m, p)
    b = process.buffer
    if operation.kind == Operation.READ:
        devices.give_back(m, b)
    elif operation.kind == Operation.WRITE_WHOLE and m.settings.write_behind:
        devices.write_behind(m, b)
    else:
        devices.delay_write(m, b)
    process.last_block = operation.block
    process.operation += 1
    leave_call(m, p, Step.NEXT_OPERATION)


@inlined
def pause(m, p):
    """Think: an alarm, and a read from the terminal that nobody answers."""
    process = m.processes[p]
    pause_s = interaction_of(m, p).pause_s
    if pause_s == 0:
        process.step = Step.NEXT_STRING
        return
    process.alarm_s = pause_s
    process.step = Step.PAUSED
    process.mode = Mode.SYSTEM
    process.burst_ms = m.settings.system_call_ms
    sleep(m, p, Channel.PAUSE, Priority.TTIPRI)


@handler
def asleep_again(m, p):
    """Let a process that an old sleep call woke too early sleep on; return whether it was one."""
    if m.processes[p].alarm_s == 0:
        return False
    sleep(m, p, Channel.PAUSE, Priority.TTIPRI)
    return True


@inlined
def next_string(m, p):
    """Enter the system to print the next string, or end the interaction."""
    process, settings = m.processes[p], m.settings
    if process.strings_left == 0:
        process.step = Step.COMPUTE
        return
    process.strings_left -= 1
    process.characters_left = settings.string_characters
    process.step = Step.PRINT
    work_ms = settings.system_call_ms + settings.string_characters * settings.character_ms
    set_burst(m, p, Mode.SYSTEM, work_ms)


@inlined
def print_characters(m, p):
    """Put characters on the line's queue; beyond the high water mark, sleep till the low."""
    k, process, settings = m.kernel, m.processes[p], m.settings
    sent = (k.now_ms - k.line_since_ms) * settings.line_characters_per_ms
    level = max(k.line_characters - sent, 0.0)
    room = int(settings.high_water_characters + 1 - level)  # V6 tests > TTHIWAT: one more fits
    put = min(max(room, 0), process.characters_left)
    k.line_characters = level + put
    k.line_since_ms = k.now_ms
    k.characters += put
    process.characters_left -= put
    full = process.characters_left > 0
    if full or m.alarms.time[LINE_ACTOR] < NEVER:
        to_drain = max(k.line_characters - settings.low_water_characters, 0.0)
        set_alarm(m.alarms, LINE_ACTOR, k.now_ms + to_drain / settings.line_characters_per_ms)
    if full:
        sleep(m, p, Channel.LINE, Priority.TTOPRI)
        return
    if not process.printed:
        process.printed = 1
        k.users_silent -= 1
        k.measure_from_now = k.users_silent == 0
    leave_call(m, p, Step.NEXT_STRING)


@handler
def advance_update(m, p):
    """Take /etc/update further: write each inode that is in use, then flush, then rest."""
    process, k = m.processes[p], m.kernel
    if process.step == Step.INODE:
        write_inode(m, p)
    elif process.step == Step.INODE_READ:
        process.step = Step.INODE_WRITTEN
        process.burst_ms = m.settings.block_io_ms
        devices.start_write(m, process.buffer)
        sleep(m, p, Channel.BUFFER + process.buffer, Priority.PRIBIO)
    elif process.step == Step.INODE_WRITTEN:
        devices.give_back(m, process.buffer)
        k.inode += 1
        process.step = Step.INODE
    elif process.step == Step.REST:
        process.step = Step.FLUSH
        process.alarm_s = m.settings.flush_period_s
        sleep(m, p, Channel.PAUSE, Priority.TTIPRI)
    elif not asleep_again(m, p):
        k.inode = 0
        process.step = Step.INODE
        note(m, Event.FLUSH, p, k.users_left)
        set_burst(m, p, Mode.SYSTEM, m.settings.system_call_ms)


@handler
def write_inode(m, p):
    """Read the block of the next inode and write it back, waiting for both."""
    process, k = m.processes[p], m.kernel
    if k.inode >= k.users_left + m.settings.other_inodes:
        devices.flush(m)
        process.step = Step.REST
        return
    address = FIRST_INODE_BLOCK + k.inode // m.settings.inodes_per_block
    b = hold_block(m, p, address, Step.INODE_READ)
    if b >= 0:
        process.buffer = b
        process.step = Step.INODE_READ
