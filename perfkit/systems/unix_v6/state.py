"""The PDP-11/34's state: records that the handlers share, and a machine at time zero.

Process 0 is the swap scheduler, process 1 /etc/update, the rest are the workload in
the order of the process table. All times are in milliseconds unless a name says else.
"""

import functools
from collections import namedtuple
from enum import IntEnum

import numpy as np

from perfkit.des.alarms import new_alarms, set_alarm
from perfkit.des.compiling import inlined, kernel
from perfkit.des.devices import Disc, DriveState, seek_table
from perfkit.des.draws import stream, uniform
from perfkit.des.lists import NOBODY, link_all, new_lists
from perfkit.des.records import copied, fields, record, records
from perfkit.des.trace import new_trace
from perfkit.systems.unix_v6.parameters import Parameters

SCHEDULER, UPDATE, FIRST_USER = 0, 1, 2
CLOCK_ACTOR, PROCESSOR_ACTOR, LINE_ACTOR, FIRST_DRIVE_ACTOR = 0, 1, 2, 3
DRIVES = 2
TICK_MS = 1000.0 / 60.0
SECOND_MS = 1000.0
CLICKS_PER_BLOCK = 8
LOWEST_PRIORITY = 127


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
SETTINGS = Parameters.settings_type("swap_start_block", "line_characters_per_ms")
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
    "settings kernel processes runnable buffers free_buffers requests serving drives core swap_area"
    " alarms disc interactions operations file_blocks samples queue_samples phase trace",
)


def new_machine(p, workload, seed, trace=0):
    """Return a machine that has not begun yet, with room for so many trace records."""
    return copied(_blank(p))._replace(
        interactions=workload.interactions,
        operations=workload.operations,
        file_blocks=workload.file_blocks,
        phase=stream(seed, "phase"),
        trace=new_trace(trace),
    )


@functools.lru_cache(2)
def _blank(p):
    """Return a machine without its work, of which each run takes a copy."""
    slots = FIRST_USER + p.processes
    longest_queue = p.buffers + 1
    machine = Machine(
        settings=settings_of(p),  # the numbers obeyed; observe switches some while it runs
        kernel=record(KERNEL),  # the kernel's variables and counters
        processes=records(slots, PROCESS),
        runnable=np.zeros(slots, np.int64),  # the first kernel.runnable: ready and in core
        buffers=records(p.buffers, BUFFER),
        free_buffers=new_lists(1)[0],  # that nobody holds, the least recently used first
        requests=records(longest_queue, REQUEST),  # the first kernel.waiting wait
        serving=records(DRIVES, REQUEST),  # what each drive is serving
        drives=records(DRIVES, DRIVE),
        core=new_map(p.memory_clicks, slots),  # what is free, in clicks
        swap_area=new_map(p.swap_blocks(), slots),  # in blocks
        alarms=new_alarms(FIRST_DRIVE_ACTOR + DRIVES),
        disc=_disc(p),
        interactions=None,  # by user and number
        operations=None,
        file_blocks=None,  # disc addresses, by user and block of the file
        samples=np.zeros((len(Mode), 2**DRIVES), np.int64),  # ticks by mode and busy drives (bits)
        queue_samples=np.zeros(longest_queue + DRIVES + 1, np.int64),  # ticks by its length
        phase=None,
        trace=None,
    )
    machine.drives.controller[:] = np.arange(DRIVES) % p.controllers
    machine.drives.direction[:] = 1
    machine.buffers.block[:] = NOBODY
    link_all(machine.buffers, machine.free_buffers)
    _admit(machine, p)
    return machine


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


@functools.lru_cache(8)
def settings_of(p):
    """Return the numbers that a machine obeys, and takes a copy of."""
    settings = record(SETTINGS)
    p.fill(settings)
    settings.line_characters_per_ms = p.line_characters_per_s / 1000.0
    per_cylinder = p.disc_heads * p.disc_blocks_per_track
    settings.swap_start_block = p.swap_area_start * per_cylinder + p.swap_offset_blocks
    return settings


def _disc(p):
    seeks = seek_table(p.disc_cylinders, *p.disc_seek_ms)
    skews = p.head_switch_ms, p.head_skew_ms, p.cylinder_skew_ms
    return Disc(seeks, p.disc_heads, p.disc_blocks_per_track, p.disc_revolution_ms, *skews)


def new_map(size, pieces):
    """Return a map of one free area; it has room for the holes between ``pieces`` pieces."""
    areas = records(pieces + 3, AREA)
    areas[0].extent = size
    return areas


def _admit(machine, p):
    """Enter the processes: as many in core as fit, the rest and /etc/update swapped out."""
    k, processes = machine.kernel, machine.processes
    k.running = k.swap_process = NOBODY
    k.current_priority = LOWEST_PRIORITY + 1
    k.users_left = p.processes
    processes.state[:] = State.READY
    others = processes[UPDATE:]
    others.size_clicks[:] = sizes = [p.update_clicks, *map(p.size_of, range(p.processes))]
    others.priority[:] = Priority.PUSER
    others.interaction[:] = others.last_block[:] = -1
    others.core_address[:] = places = [-1, *_cut(machine.core[0], sizes[1:])]
    others.loaded[:] = loaded = np.array(places) >= 0
    out = [image_blocks(size) for size, place in zip(sizes, places, strict=True) if place < 0]
    others.swap_address[~loaded] = _cut(machine.swap_area[0], out)
    scheduler, update = processes[SCHEDULER], processes[UPDATE]
    scheduler.priority, scheduler.mode = Priority.PSWP, Mode.SYSTEM
    scheduler.loaded = scheduler.locked = 1
    update.state, update.channel = State.WAIT, Channel.PAUSE
    update.priority, update.step = Priority.TTIPRI, Step.FLUSH
    ready = np.flatnonzero((processes.state == State.READY) & (processes.loaded > 0))
    machine.runnable[: ready.size], k.runnable = ready, ready.size
    processes.place[ready] = np.arange(1, ready.size + 1)


def _cut(area, sizes):
    """Cut pieces off an area that is free to its end; return where they are, -1 if none is left."""
    at, end, places = 0, int(area.extent), []
    for size in sizes:
        fits = at + size <= end
        places.append(at if fits else -1)
        at += size * fits
    area.address, area.extent = at, end - at
    return places


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
