"""The PDP-11/34's state: records that the handlers share, and a machine at time zero.

Process 0 is the swap scheduler, process 1 /etc/update, the rest are the workload in
the order of the process table. All times are in milliseconds unless a name says else.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from perfkit.des.alarms import NEVER, Alarms, new_alarms, set_alarm
from perfkit.des.compiling import inlined, kernel
from perfkit.des.devices import Disc, Discipline, seek_table
from perfkit.des.draws import stream
from perfkit.des.lists import NOBODY, link_all, new_lists
from perfkit.des.trace import new_trace
from perfkit.systems.unix_v6.parameters import UPDATE_AREA_BLOCKS

SCHEDULER, UPDATE, FIRST_USER = 0, 1, 2
CLOCK_ACTOR, PROCESSOR_ACTOR, LINE_ACTOR, FIRST_DRIVE_ACTOR = 0, 1, 2, 3
DRIVES = 2
TICK_MS = 1000.0 / 60.0
SECOND_MS = 1000.0

LOWEST_PRIORITY = 127


class Priority(IntEnum):
    """Sixth Edition priorities: a sleep below zero is "fast", one from zero up is "slow"."""

    PSWP = -100
    PRIBIO = -50
    TTIPRI = 10
    TTOPRI = 20
    PUSER = 100


class State(IntEnum):
    """What a process is doing (V6: none, SSLEEP, SWAIT, SRUN)."""

    GONE = 0
    SLEEP = 1
    WAIT = 2
    READY = 3


class Mode(IntEnum):
    """Where the processor is."""

    USER = 0
    SYSTEM = 1
    IDLE = 2


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


class Step(IntEnum):
    """Where a process stands in its program."""

    COMPUTE = 0
    NEXT_OPERATION = 1
    MAP_BLOCK = 2
    MAPPED = 3
    ACCESS_BLOCK = 4
    BLOCK_READ = 5
    PAUSE = 6
    PAUSED = 7
    NEXT_STRING = 8
    PRINT = 9
    INTERACTION_ENDS = 10
    FLUSH = 11
    INODE = 12
    INODE_READ = 13
    INODE_WRITTEN = 14
    REST = 15
    LEAVE = 16


class Operation(IntEnum):
    """What an interaction does to a block of its scratch file."""

    READ = 0
    WRITE_PART = 1
    WRITE_WHOLE = 2


class Direction(IntEnum):
    """Which way a transfer goes."""

    READ = 0
    WRITE = 1


class Event(IntEnum):
    """Kinds of trace records."""

    SWAP_OUT = 0
    SWAP_IN = 1
    TRANSFER = 2
    RUN = 3
    SLEEP = 4
    WAKE = 5
    INTERACTION = 6
    FLUSH = 7


class Fault(IntEnum):
    """Why a run stopped before its end."""

    NONE = 0
    BAD_VICTIM = 1
    SWAP_AREA_FULL = 2
    NO_PROGRESS = 3


PROCESS = np.dtype(
    [
        ("state", "i8"),
        ("loaded", "i8"),
        ("locked", "i8"),
        ("priority", "i8"),
        ("cpu_ticks", "i8"),
        ("age_s", "i8"),
        ("size_clicks", "i8"),
        ("core_address", "i8"),
        ("swap_address", "i8"),
        ("channel", "i8"),
        ("alarm_s", "i8"),
        ("step", "i8"),
        ("mode", "i8"),
        ("burst_ms", "f8"),
        ("interaction", "i8"),
        ("operation", "i8"),
        ("strings_left", "i8"),
        ("characters_left", "i8"),
        ("buffer", "i8"),
        ("last_block", "i8"),
        ("printed", "i8"),
        ("finished_ms", "f8"),
    ],
    align=True,
)

BUFFER = np.dtype(
    [
        ("drive", "i8"),
        ("block", "i8"),
        ("busy", "i8"),
        ("wanted", "i8"),
        ("valid", "i8"),
        ("dirty", "i8"),
        ("release_when_done", "i8"),
        ("next", "i8"),
        ("previous", "i8"),
    ],
    align=True,
)

REQUEST = np.dtype(
    [
        ("drive", "i8"),
        ("cylinder", "i8"),
        ("order", "i8"),
        ("block", "i8"),
        ("blocks", "i8"),
        ("buffer", "i8"),
        ("write", "i8"),
        ("arrived_ms", "f8"),
        ("started_ms", "f8"),
    ],
    align=True,
)


class DriveState(IntEnum):
    """A drive's arm and heads."""

    IDLE = 0
    STARTING = 1
    SEEKING = 2
    ON_CYLINDER = 3
    TRANSFERRING = 4


DRIVE = np.dtype(
    [
        ("state", "i8"),
        ("controller", "i8"),
        ("cylinder", "i8"),
        ("head", "i8"),
        ("direction", "i8"),
        ("phase_ms", "f8"),
    ],
    align=True,
)

INTERACTION = np.dtype(
    [
        ("compute_ms", "f8"),
        ("pause_s", "i8"),
        ("strings", "i8"),
        ("first_operation", "i8"),
        ("operations", "i8"),
    ],
    align=True,
)

OPERATION = np.dtype([("kind", "i8"), ("block", "i8")], align=True)

SETTINGS = np.dtype(
    [
        ("minimum_time_out_s", "i8"),
        ("minimum_time_in_s", "i8"),
        ("system_call_ms", "f8"),
        ("block_io_ms", "f8"),
        ("swap_ms", "f8"),
        ("character_ms", "f8"),
        ("string_characters", "i8"),
        ("line_characters_per_ms", "f8"),
        ("high_water_characters", "i8"),
        ("low_water_characters", "i8"),
        ("controllers", "i8"),
        ("overlapped_seeks", "i8"),
        ("discipline", "i8"),
        ("controller_ms", "f8"),
        ("flush_period_s", "i8"),
        ("other_inodes", "i8"),
        ("inodes_per_block", "i8"),
        ("inode_block", "i8"),
        ("file_size_blocks", "i8"),
        ("indirect", "i8"),
        ("write_behind", "i8"),
        ("swap_drive", "i8"),
        ("compaction", "i8"),
        ("swap_start_block", "i8"),
        ("end_limit_ms", "f8"),
        ("pause_ms", "f8"),
    ],
    align=True,
)

KERNEL = np.dtype(
    [
        ("now_ms", "f8"),
        ("fault", "i8"),
        ("running", "i8"),
        ("last_run", "i8"),
        ("current_priority", "i8"),
        ("reschedule", "i8"),
        ("burst_started_ms", "f8"),
        ("swap_process", "i8"),
        ("swap_done", "i8"),
        ("waiting", "i8"),
        ("arrivals", "i8"),
        ("line_characters", "f8"),
        ("line_since_ms", "f8"),
        ("users_left", "i8"),
        ("users_silent", "i8"),
        ("inode", "i8"),
        ("buffer_wanted", "i8"),
        ("measure_from_now", "i8"),
        ("seconds", "i8"),
        ("events", "i8"),
        ("traced", "i8"),
        ("trace_full", "i8"),
        ("sampled_tick", "i8"),
        ("started_ms", "f8"),
        ("queue_changed_ms", "f8"),
        ("queue_area_ms", "f8"),
        ("busy_ms", "f8"),
        ("block_response_ms", "f8"),
        ("swaps_out", "i8"),
        ("swaps_in", "i8"),
        ("swap_time_ms", "f8"),
        ("swap_response_ms", "f8"),
        ("swap_clicks", "i8"),
        ("scattered", "i8"),
        ("swap_ends", "i8"),
        ("swaps_at_once", "i8"),
        ("pauses", "i8"),
        ("pauses_out", "i8"),
        ("reads", "i8"),
        ("read_aheads", "i8"),
        ("cache_hits", "i8"),
        ("writes", "i8"),
        ("block_time_ms", "f8"),
        ("seeks", "i8"),
        ("characters", "i8"),
    ],
    align=True,
)


class Machine(NamedTuple):
    """Everything a run reads and writes; every array is modified in place.

    Attributes
    ----------
    settings, kernel : record
        The numbers obeyed (dtype SETTINGS) and the kernel's variables (KERNEL).
    processes, buffers, requests, drives : record array
        One record each; the first ``kernel.waiting`` requests wait, and the last
        ``DRIVES`` records hold the request that each drive is serving.
    free_buffers : record
        The list of buffers that nobody holds, the least recently used first.
    core, swap_area : record array
        First-fit maps in clicks and in 8-click blocks.
    alarms : Alarms
    disc : Disc
    interactions : record array, shape (users, interactions)
    operations : record array, shape (operations,)
    file_blocks : ndarray of int64, shape (users, blocks)
        Disc address of each block of each scratch file.
    samples : ndarray of int64, shape (3, 4)
        Clock ticks by processor mode and busy drives (bit 0: drive 0, bit 1: drive 1).
    queue_samples : ndarray of int64, shape (longest queue + 1,)
    trace : record array
        Dtype EVENT; empty when no trace is kept.
    """

    settings: np.record
    kernel: np.record
    processes: np.recarray
    buffers: np.recarray
    free_buffers: np.record
    requests: np.recarray
    drives: np.recarray
    core: np.recarray
    swap_area: np.recarray
    alarms: Alarms
    disc: Disc
    interactions: np.recarray
    operations: np.recarray
    file_blocks: np.ndarray
    samples: np.ndarray
    queue_samples: np.ndarray
    trace: np.recarray


@inlined
def sample(m):
    """Count the clock ticks since the last change of state; call before every change."""
    k = m.kernel
    tick = int(k.now_ms / TICK_MS)
    ticks = tick - k.sampled_tick
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


CLICKS_PER_BLOCK = 8


@kernel
def image_blocks(size_clicks):
    """Return the disc blocks that an image of a size takes in the swap area."""
    return (size_clicks + CLICKS_PER_BLOCK - 1) // CLICKS_PER_BLOCK


AREA = np.dtype([("extent", "i8"), ("address", "i8")], align=True)


def new_map(size, pieces):
    """Return a map of one free area; it has room for the holes between ``pieces`` pieces."""
    areas = np.zeros(pieces + 3, AREA).view(np.recarray)
    areas[0].extent = size
    return areas


INODE_BLOCK = 2
LONGEST_RUN_MS = 1e9


def new_machine(p, workload, seed, trace=0):
    """Return a machine at time zero.

    Parameters
    ----------
    p : Parameters
    workload : Workload
    seed : int
        Draws the phases of the platters, the clock's second and /etc/update.
    trace : int
        How many trace records to have room for.

    Returns
    -------
    Machine
    """
    phases = stream(seed, "phase")
    slots = FIRST_USER + p.processes
    longest_queue = p.buffers + 1
    machine = Machine(
        settings=_settings(p),
        kernel=_record(KERNEL),
        processes=_records(slots, PROCESS),
        buffers=_records(p.buffers, BUFFER),
        free_buffers=new_lists(1)[0],
        requests=_records(longest_queue + DRIVES, REQUEST),
        drives=_records(DRIVES, DRIVE),
        core=new_map(p.memory_clicks, slots),
        swap_area=new_map(p.swap_blocks(), slots),
        alarms=new_alarms(FIRST_DRIVE_ACTOR + DRIVES),
        disc=_disc(p),
        interactions=workload.interactions,
        operations=workload.operations,
        file_blocks=workload.file_blocks,
        samples=np.zeros((len(Mode), 2**DRIVES), np.int64),
        queue_samples=np.zeros(longest_queue + DRIVES + 1, np.int64),
        trace=new_trace(trace),
    )
    for d in range(DRIVES):
        machine.drives[d].controller = d % p.controllers
        machine.drives[d].direction = 1
        machine.drives[d].phase_ms = phases.random() * p.revolution_ms
    set_alarm(machine.alarms, CLOCK_ACTOR, phases.random() * SECOND_MS)
    _admit(machine, p, first_flush_s=1 + int(phases.random() * p.flush_period_s))
    machine.buffers.drive[:], machine.buffers.block[:] = DRIVES, NOBODY
    link_all(machine.buffers, machine.free_buffers)
    return machine


def _records(count, dtype):
    return np.zeros(count, dtype).view(np.recarray)


def _record(dtype):
    return _records(1, dtype)[0]


def _settings(p):
    settings = _record(SETTINGS)
    same = set(SETTINGS.names) & set(p.names())
    for name in same - {"discipline"}:
        settings[name] = getattr(p, name)
    settings.swap_ms = p.scheduler_ms
    settings.line_characters_per_ms = p.line_characters_per_s / 1000.0
    settings.discipline = Discipline[p.discipline]
    settings.inode_block = INODE_BLOCK
    settings.indirect = p.indirect_blocks() > 0
    settings.file_size_blocks = p.file_blocks
    per_cylinder = p.heads * p.blocks_per_track
    settings.swap_start_block = p.swap_area_start * per_cylinder + p.swap_offset_blocks
    settings.end_limit_ms = LONGEST_RUN_MS
    settings.pause_ms = NEVER
    return settings


def _disc(p):
    table = seek_table(p.cylinders, p.seek_track_ms, p.seek_mean_ms, p.seek_full_ms)
    return Disc(
        table,
        p.heads,
        p.blocks_per_track,
        p.revolution_ms,
        p.head_switch_ms,
        p.head_skew_ms,
        p.cylinder_skew_ms,
    )


def _admit(machine, p, first_flush_s):
    """Enter the processes: as many in core as fit, the rest and /etc/update swapped out."""
    k, processes = machine.kernel, machine.processes
    k.running = k.swap_process = NOBODY
    k.current_priority = LOWEST_PRIORITY + 1
    k.users_left = p.processes
    k.users_silent = np.count_nonzero(machine.interactions.strings.sum(axis=1))
    processes[SCHEDULER].priority = Priority.PSWP
    processes[SCHEDULER].state = State.READY
    processes[SCHEDULER].loaded = processes[SCHEDULER].locked = 1
    processes[SCHEDULER].mode = Mode.SYSTEM
    for number in range(UPDATE, processes.size):
        process = processes[number]
        process.size_clicks = (
            p.update_clicks if number == UPDATE else p.size_of(number - FIRST_USER)
        )
        process.state = State.READY
        process.priority = Priority.PUSER
        process.interaction = process.last_block = -1
        process.core_address = -1
        if number >= FIRST_USER:
            process.core_address = _cut(machine.core[0], process.size_clicks)
        process.loaded = process.core_address >= 0
        if not process.loaded:
            blocks = image_blocks(process.size_clicks)
            process.swap_address = _cut(machine.swap_area[0], blocks)
    update = processes[UPDATE]
    assert image_blocks(update.size_clicks) <= UPDATE_AREA_BLOCKS or update.swap_address >= 0
    update.state = State.WAIT
    update.channel = Channel.PAUSE
    update.priority = Priority.TTIPRI
    update.alarm_s = first_flush_s
    update.step = Step.FLUSH


def _cut(area, size):
    """Take a piece off an area that is free from here to its end; -1 if it is too small."""
    if area.extent < size:
        return -1
    area.address += size
    area.extent -= size
    return int(area.address) - size
