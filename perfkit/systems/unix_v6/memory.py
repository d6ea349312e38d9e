"""First-fit maps of core and the swap area, and the swap scheduler of section 2.2.2.

A map lists the free areas by rising address; the first of extent 0 ends it. The scheduler is
process 0: one swap outstanding, two minimum times.
"""

from perfkit.des.compiling import handler, inlined, kernel
from perfkit.des.lists import NOBODY
from perfkit.des.read_only import read_only
from perfkit.des.trace import note
from perfkit.systems.unix_v6.devices import SWAP, request
from perfkit.systems.unix_v6.parameters import NO_DRIVE
from perfkit.systems.unix_v6.processor import note_runnable, sleep
from perfkit.systems.unix_v6.state import Channel, Event, Priority, State, Stop, image_blocks


@kernel
def allocate(areas, size):
    """Take the first area that is large enough; return its address, or -1 if none is."""
    for i in range(areas.size):
        if areas[i].extent == 0:
            return -1
        if areas[i].extent >= size:
            address = areas[i].address
            areas[i].address += size
            areas[i].extent -= size
            if areas[i].extent == 0:
                _close_gap(areas, i)
            return address
    return -1


@kernel
def free_extent(areas):
    """Return how much is free in all areas together."""
    total = 0
    for i in range(areas.size):
        if areas[i].extent == 0:
            return total
        total += areas[i].extent
    return total


@kernel
def join_all(areas, bottom):
    """Make one area of all that is free, from an address on."""
    total = free_extent(areas)
    areas.extent[:] = 0
    areas[0].extent, areas[0].address = total, bottom


@kernel
def release(areas, size, address):
    """Give an area back and join it with its free neighbours."""
    i = 0
    while areas[i].extent != 0 and areas[i].address < address:
        i += 1
    joins_left = i > 0 and areas[i - 1].address + areas[i - 1].extent == address
    joins_right = areas[i].extent != 0 and address + size == areas[i].address
    if joins_left:
        areas[i - 1].extent += size
        if joins_right:
            areas[i - 1].extent += areas[i].extent
            _close_gap(areas, i)
    elif joins_right:
        areas[i].address = address
        areas[i].extent += size
    else:
        last = i
        while areas[last].extent != 0:
            last += 1
        for at in range(last, i, -1):
            areas[at] = areas[at - 1]
        areas[i].address = address
        areas[i].extent = size


@kernel
def _close_gap(areas, i):
    areas[i] = areas[i + 1]
    while areas[i].extent != 0:
        i += 1
        areas[i] = areas[i + 1]


@kernel
def may_be_victim(process):
    """Return whether a process is in core and may be taken out of it."""
    return process.loaded == 1 and process.locked == 0


@kernel
def paper_victim(processes, wanted, minimum_time_out_s, minimum_time_in_s):
    """Choose whom to swap out so that process ``wanted`` can come in, as the paper says.

    A process that waits for a slow event goes first, in table order. Without one,
    if ``wanted`` has been out long enough, the oldest process in core goes if it has
    been in long enough.

    Parameters
    ----------
    processes : record array
        One record per process: ``loaded``, ``locked``, ``state``, ``age_s`` (in core, or out of
        it), ``size_clicks``, ``alarm_s`` (pause still to go) and the other fields of ``PROCESS`` in
        ``perfkit.systems.unix_v6.state``; 0 is the scheduler.
    wanted : int
        The number of the process that would come in.
    minimum_time_out_s, minimum_time_in_s : int

    Returns
    -------
    int
        The process to swap out, or -1: the scheduler waits.
    """
    for p in range(1, processes.size):
        if may_be_victim(processes[p]) and processes[p].state == State.WAIT:
            return p
    if processes[wanted].age_s < minimum_time_out_s:
        return -1
    oldest = -1
    age_s = -1
    for p in range(1, processes.size):
        if may_be_victim(processes[p]) and processes[p].age_s > age_s:  # ties: first in the table
            oldest = p
            age_s = processes[p].age_s
    return oldest if age_s >= minimum_time_in_s else -1


@kernel
def longest_out(processes):
    """Return the ready process that has been swapped out longest, -1 if there is none."""
    best = -1
    age_s = -1
    for p in range(1, processes.size):
        process = processes[p]
        if process.state == State.READY and not process.loaded and process.age_s > age_s:
            best = p
            age_s = process.age_s
    return best


@inlined
def run_scheduler(m, p, victim):
    """Let the scheduler, process ``p``, end a swap, then start one or sleep again."""
    ended = False
    if m.kernel.swap_done:
        end_swap(m)
        ended = True
    channel = next_swap(m, victim)
    m.kernel.swaps_at_once += ended and channel == Channel.SWAP_DONE
    if not m.kernel.swap_done:  # a swap that takes no time has ended: no one would wake it
        sleep(m, p, channel, Priority.PSWP)


@inlined
def next_swap(m, victim):
    """Start the next swap; return what the scheduler then waits for."""
    processes = m.processes
    wanted = longest_out(processes)
    if wanted == NOBODY:
        return Channel.RUN_OUT
    address = core_for(m, processes[wanted].size_clicks)
    if address >= 0:
        start_swap_in(m, wanted, address)
        return Channel.SWAP_DONE
    s = m.settings
    # Read-only: a policy that writes to the process table would change the machine it judges.
    out = victim(read_only(processes), wanted, s.minimum_time_out_s, s.minimum_time_in_s)
    if out == NOBODY:
        return Channel.RUN_IN
    if not 0 < out < processes.size or not may_be_victim(processes[out]):
        m.kernel.stop = Stop.BAD_VICTIM
        return Channel.RUN_IN
    return start_swap_out(m, out)


@handler
def core_for(m, size_clicks):
    """Return the address of a piece of core taken, or -1; what lies scattered is counted."""
    address = allocate(m.core, size_clicks)
    if address >= 0 or free_extent(m.core) < size_clicks:
        return address
    m.kernel.scattered += 1
    if not m.settings.compaction:
        return -1
    compact(m)
    return allocate(m.core, size_clicks)


@handler
def compact(m):
    """Move all images in core together; no swap is under way, so nothing else uses them."""
    bottom = 0
    for p in range(1, m.processes.size):
        process = m.processes[p]
        if process.loaded:
            process.core_address = bottom
            bottom += process.size_clicks
    join_all(m.core, bottom)


@handler
def start_swap_in(m, p, address):
    """Read a process's image from the swap area into core."""
    process = m.processes[p]
    process.core_address = address
    m.kernel.swaps_in += 1
    note(m, Event.SWAP_IN, p, process.age_s)
    _start_swap(m, p)


@handler
def start_swap_out(m, p):
    """Write a process's image to the swap area; it is out of core at once, its core later."""
    process = m.processes[p]
    address = allocate(m.swap_area, image_blocks(process.size_clicks))
    if address < 0:
        m.kernel.stop = Stop.SWAP_AREA_FULL
        return Channel.RUN_IN
    process.loaded = 0  # at once: it must not run while its image leaves
    note_runnable(m, p)
    process.locked = 1
    process.swap_address = address
    m.kernel.swaps_out += 1
    note(m, Event.SWAP_OUT, p, process.age_s)
    _start_swap(m, p)
    return Channel.SWAP_DONE


@handler
def _start_swap(m, p):
    process = m.processes[p]
    m.kernel.swap_process = p
    m.kernel.swap_clicks += process.size_clicks
    if m.settings.swap_drive == NO_DRIVE:
        m.kernel.swap_done = 1
        return
    block = m.settings.swap_start_block + process.swap_address
    request(m, m.settings.swap_drive, block, image_blocks(process.size_clicks), SWAP)


@inlined
def end_swap(m):
    """Do the bookkeeping of the swap that has ended; its process is in or out anew."""
    p = m.kernel.swap_process
    process = m.processes[p]
    m.kernel.swap_done = 0
    m.kernel.swap_ends += 1
    m.kernel.swap_process = NOBODY
    process.age_s = 0
    if process.locked:
        release(m.core, process.size_clicks, process.core_address)
        process.locked = 0
    else:
        release(m.swap_area, image_blocks(process.size_clicks), process.swap_address)
        process.loaded = 1
        note_runnable(m, p)
