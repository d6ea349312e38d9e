"""Put a machine together from parameters and a workload: empty queues, processes ready."""

import numpy as np

from perfkit.des.alarms import NEVER, new_alarms, set_alarm
from perfkit.des.draws import stream
from perfkit.des.lists import link_all, new_lists
from perfkit.des.storage import Disc, Discipline, seek_table
from perfkit.des.trace import new_trace
from perfkit.systems.unix_v6.machine import (
    BUFFER,
    CLOCK_ACTOR,
    DRIVE,
    DRIVES,
    FIRST_DRIVE_ACTOR,
    FIRST_USER,
    KERNEL,
    LOWEST_PRIORITY,
    NOBODY,
    PROCESS,
    REQUEST,
    SCHEDULER,
    SECOND_MS,
    SETTINGS,
    UPDATE,
    Channel,
    Machine,
    Mode,
    Priority,
    State,
    Step,
)
from perfkit.systems.unix_v6.memory import allocate, new_map
from perfkit.systems.unix_v6.parameters import UPDATE_AREA_BLOCKS
from perfkit.systems.unix_v6.swapping import image_blocks

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
            process.core_address = allocate(machine.core, process.size_clicks)
        process.loaded = process.core_address >= 0
        if not process.loaded:
            blocks = image_blocks(process.size_clicks)
            process.swap_address = allocate(machine.swap_area, blocks)
    update = processes[UPDATE]
    assert image_blocks(update.size_clicks) <= UPDATE_AREA_BLOCKS or update.swap_address >= 0
    update.state = State.WAIT
    update.channel = Channel.PAUSE
    update.priority = Priority.TTIPRI
    update.alarm_s = first_flush_s
    update.step = Step.FLUSH
