"""The PDP-11/34's state: records that the handlers share, and a machine at time zero.

Process 0 is the swap scheduler, process 1 /etc/update, the rest are the workload in
the order of the process table. All times are in milliseconds unless a name says else.
"""

from collections import namedtuple
from enum import IntEnum

import numpy as np
from numba.extending import register_jitable

from perfkit.des.alarms import new_alarms, set_alarm
from perfkit.des.compiling import assembly, inlined, kernel
from perfkit.des.counters import running_totals
from perfkit.des.devices import Disc, DriveState, seek_times
from perfkit.des.draws import stream, uniform
from perfkit.des.lists import LIST, NOBODY, link_all_two_way
from perfkit.des.records import fields, record, records, settings_maker
from perfkit.des.trace import new_trace
from perfkit.systems.unix_v6.parameters import LOOP_ITERATIONS, TABLE_III, Parameters

SCHEDULER, UPDATE, FIRST_USER = 0, 1, 2
CLOCK_ACTOR, PROCESSOR_ACTOR, LINE_ACTOR, FIRST_DRIVE_ACTOR = 0, 1, 2, 3
DRIVES = 2
TICK_MS = 1000.0 / 60.0
SECOND_MS = 1000.0
CLICKS_PER_BLOCK = 8
LOWEST_PRIORITY = 127
LOOPS = len(LOOP_ITERATIONS)
TABLE_III_MS, TABLE_III_PERCENT = tuple(TABLE_III), tuple(TABLE_III.values())


class Priority(IntEnum):
    """Sixth Edition priorities: a sleep below zero is "fast", one from zero up is "slow"."""

    PSWP = -100
    PRIBIO = -50
    TTIPRI = 10
    TTOPRI = 20
    PUSER = 100


class Channel(IntEnum):
    """What a sleeping process waits for; a buffer is ``BUFFER + its number``."""

    NONE = 0
    RUN_IN = 1
    RUN_OUT = 2
    SWAP_DONE = 3
    FREE_BUFFER = 4
    LINE = 5
    PAUSE = 6
    BUFFER = 100


# What a process is doing (V6: none, SSLEEP, SWAIT, SRUN).
State = IntEnum("State", "GONE SLEEP WAIT READY", start=0)
# Where the processor is.
Mode = IntEnum("Mode", "USER SYSTEM IDLE", start=0)
MODES = len(Mode)
# Where a process stands in its program; from FLUSH on it is /etc/update's.
Step = IntEnum(
    "Step",
    "COMPUTE NEXT_OPERATION MAP_BLOCK MAPPED ACCESS_BLOCK BLOCK_READ PAUSE PAUSED NEXT_STRING PRINT"
    " FLUSH INODE INODE_READ INODE_WRITTEN REST",
    start=0,
)
# What an interaction does to a block of its scratch file.
Operation = IntEnum("Operation", "READ WRITE_PART WRITE_WHOLE", start=0)
Event = IntEnum("Event", "SWAP_OUT SWAP_IN TRANSFER RUN SLEEP WAKE INTERACTION FLUSH", start=0)
# Why the event loop must give control back, NONE as long as it need not.
Stop = IntEnum("Stop", "NONE BAD_VICTIM SWAP_AREA_FULL NO_PROGRESS", start=0)

PROCESS = fields(
    "state loaded locked priority cpu_ticks age_s size_clicks core_address swap_address channel"
    " place alarm_s step mode interaction operation strings_left characters_left buffer last_block"
    " printed",
    "burst_ms finished_ms",
)
BUFFER = fields("block busy wanted valid dirty release_when_done next previous")
REQUEST = fields("drive cylinder order block blocks buffer", "arrived_ms started_ms")
DRIVE = fields("state controller cylinder head direction", "phase_ms")
AREA = fields("extent address")
INTERACTION = fields("pause_s strings first_operation operations", "compute_ms")
OPERATION = fields("kind block")
SETTINGS = Parameters.settings_type(
    "swap_start_block swap_blocks file_area file_area_start_block file_area_blocks blocks_a_file"
    " indirect_blocks",
    "line_characters_per_ms",
)
KERNEL = fields(
    "stop begun running runnable last_run current_priority reschedule swap_process swap_done"
    " waiting arrivals users_left users_silent inode buffer_wanted measure_from_now seconds events"
    " traced trace_full sampled_tick swaps_out swaps_in swap_clicks scattered swap_ends"
    " swaps_at_once pauses pauses_out reads read_aheads cache_hits writes seeks characters",
    "now_ms burst_started_ms line_characters line_since_ms started_ms queue_changed_ms"
    " queue_area_ms busy_ms block_response_ms block_time_ms swap_response_ms swap_time_ms",
)
Machine = namedtuple(
    "Machine",
    "settings kernel phase free_buffers interactions operations file_blocks trace processes"
    " runnable buffers requests serving drives core swap_area alarms disc samples queue_samples",
)


def new_machine(p, workload, seed, trace=0):
    """Return a machine that has not begun yet, with room for so many trace records."""
    settings, *tables = settings_of(p)
    settings = settings.copy()  # the numbers obeyed; observe switches some while it runs
    own = record(KERNEL), stream(seed, "phase"), record(LIST)
    made = assemble(settings, *own, *tables[3:])
    return Machine(settings, *own, *workload, new_trace(trace), *made)


@assembly
def assemble(settings, k, phase, free_buffers, sizes_clicks, seek_times_ms):
    """Return what else a machine has: all processes but /etc/update in core if they fit."""
    s = settings
    slots, longest_queue = FIRST_USER + s.processes, s.buffers + 1
    processes = records(slots, PROCESS)
    runnable = np.zeros(slots, np.int64)  # the first kernel.runnable: ready and in core
    buffers = records(s.buffers, BUFFER)
    requests = records(longest_queue, REQUEST)  # the first kernel.waiting wait
    serving = records(DRIVES, REQUEST)  # what each drive is serving
    drives = records(DRIVES, DRIVE)
    core = new_map(s.memory_clicks, slots)  # what is free, in clicks
    swap_area = new_map(s.swap_blocks, slots)  # in blocks
    alarms = new_alarms(FIRST_DRIVE_ACTOR + DRIVES)
    skews = s.head_switch_ms, s.head_skew_ms, s.cylinder_skew_ms
    disc = Disc(seek_times_ms, s.disc_heads, s.disc_blocks_per_track, s.disc_revolution_ms, *skews)
    samples = np.zeros((MODES, 2**DRIVES), np.int64)  # ticks by mode and busy drives (bits)
    queue_samples = np.zeros(longest_queue + DRIVES + 1, np.int64)  # ticks by its length
    for d in range(DRIVES):
        drives[d].controller = d % s.controllers
        drives[d].direction = 1
    for b in range(s.buffers):
        buffers[b].block = NOBODY
    link_all_two_way(buffers, free_buffers)
    _admit(k, processes, sizes_clicks, core[0], swap_area[0])
    for p in range(slots):
        if processes[p].state == State.READY and processes[p].loaded:
            runnable[k.runnable] = p
            k.runnable += 1
            processes[p].place = k.runnable
    areas = core, swap_area, alarms, disc
    return processes, runnable, buffers, requests, serving, drives, *areas, samples, queue_samples


@register_jitable
def new_map(size, pieces):
    """Return a map of one free area; it has room for the holes between ``pieces`` pieces."""
    areas = records(pieces + 3, AREA)
    areas[0].extent = size
    return areas


@kernel
def _admit(k, processes, sizes_clicks, core, swap_area):
    """Enter the processes: as many in core as fit, the rest and /etc/update swapped out."""
    k.running = k.swap_process = NOBODY
    k.current_priority = LOWEST_PRIORITY + 1
    k.users_left = processes.size - FIRST_USER
    for p in range(UPDATE, processes.size):
        process = processes[p]
        process.size_clicks = size = sizes_clicks[p - UPDATE]
        process.state, process.priority = State.READY, Priority.PUSER
        process.interaction = process.last_block = -1
        process.core_address = NOBODY if p == UPDATE else _cut(core, size)
        process.loaded = process.core_address >= 0
        if not process.loaded:
            process.swap_address = _cut(swap_area, image_blocks(size))
    scheduler, update = processes[SCHEDULER], processes[UPDATE]
    scheduler.state, scheduler.priority, scheduler.mode = State.READY, Priority.PSWP, Mode.SYSTEM
    scheduler.loaded = scheduler.locked = 1
    update.state, update.channel = State.WAIT, Channel.PAUSE
    update.priority, update.step = Priority.TTIPRI, Step.FLUSH


@kernel
def _cut(area, size):
    """Cut a piece off an area that is free to its end; return where it is, -1 if it's too small."""
    if area.extent < size:
        return NOBODY
    at = area.address
    area.address += size
    area.extent -= size
    return at


@inlined
def begin(m):
    """Draw how far the platters have turned, and where the clock's second and /etc/update stand."""
    k, settings = m.kernel, m.settings
    k.begun = 1
    for d in range(DRIVES):
        m.drives[d].phase_ms = uniform(m.phase) * settings.disc_revolution_ms
    set_alarm(m.alarms, CLOCK_ACTOR, uniform(m.phase) * SECOND_MS)
    m.processes[UPDATE].alarm_s = 1 + int(uniform(m.phase) * settings.flush_period_s)
    for user in range(m.interactions.shape[0]):
        strings = 0
        for interaction in range(m.interactions.shape[1]):
            strings += m.interactions[user, interaction].strings
        k.users_silent += strings > 0


@assembly
def derive(settings, arrays):
    """Derive the further numbers of a machine (in place), and return the tables beside them.

    These are percents of compute loops, added up, the time each takes, percents of pauses, sizes
    of /etc/update and the workload's processes, times of seeks by distance.
    """
    s = settings
    process_clicks, loop_percent, seek_ms, pause_percent = arrays
    per_cylinder = s.disc_heads * s.disc_blocks_per_track
    s.line_characters_per_ms = s.line_characters_per_s / 1000.0
    s.swap_start_block = s.swap_area_start * per_cylinder + s.swap_offset_blocks
    s.file_area_start_block = s.file_area_start * per_cylinder
    s.file_area_blocks = s.file_area * per_cylinder
    s.blocks_a_file = s.file_blocks + s.indirect_blocks
    percent, loop_ms = np.zeros(LOOPS), np.zeros(LOOPS)
    for n in range(LOOPS):
        loop_ms[n] = s.loop_overhead_ms + s.loop_iteration_ms * LOOP_ITERATIONS[n]
        if loop_percent.size > 0:
            percent[n] = loop_percent[n]
        for row in range(len(TABLE_III_MS)):
            if loop_percent.size == 0 and TABLE_III_MS[row] == s.compute_ms:
                percent[n] = TABLE_III_PERCENT[row][n]
    sizes_clicks = np.zeros(s.processes + 1, np.int64)
    sizes_clicks[0] = s.update_clicks
    for n in range(s.processes):
        sizes_clicks[n + 1] = process_clicks[n % process_clicks.size]
    seeks_ms = seek_times(s.disc_cylinders, seek_ms[0], seek_ms[1], seek_ms[2])
    return percent, loop_ms, running_totals(pause_percent)[:3], sizes_clicks, seeks_ms


settings_of = settings_maker(SETTINGS, derive)


@kernel
def image_blocks(size_clicks):
    """Return the disc blocks that an image of a size takes in the swap area."""
    return (size_clicks + CLICKS_PER_BLOCK - 1) // CLICKS_PER_BLOCK  # a part is a whole block


@inlined
def sample(m):
    """Count the clock ticks since the last change of state; call before every change."""
    k = m.kernel
    tick = int(k.now_ms / TICK_MS)
    ticks = tick - k.sampled_tick  # iostat samples at ticks of the clock: no exact time averages
    if ticks > 0:
        busy = 0
        queue = k.waiting
        for d in range(DRIVES):
            if m.drives[d].state >= DriveState.SEEKING:
                busy |= 1 << d
                queue += 1
        mode = Mode.IDLE if k.running == NOBODY else m.processes[k.running].mode
        m.samples[mode, busy] += ticks
        m.queue_samples[queue] += ticks
        k.sampled_tick = tick
