"""Put a machine together from parameters: empty storage, users somewhere in their think times."""

import numpy as np

from perfkit.des.alarms import NEVER, new_alarms, set_alarm
from perfkit.des.draws import stream
from perfkit.des.elementary import each_power
from perfkit.des.lists import link_all, new_lists
from perfkit.des.storage import Disc, Discipline, seek_table
from perfkit.des.tallies import change_level, new_levels
from perfkit.des.trace import new_trace
from perfkit.systems.tss360.load import ROWS, TaskType, task_kinds
from perfkit.systems.tss360.machine import (
    BLOCKS_PER_DISC_TRACK,
    CLOCK_ACTOR,
    DEMAND,
    DEVICE,
    FIRST_DEVICE_ACTOR,
    FRAME,
    KERNEL,
    NOBODY,
    OWNER,
    PAGE,
    REQUEST,
    SESSION,
    SETTINGS,
    TASK,
    TRANSACTION,
    Count,
    Level,
    Machine,
    Queue,
    Reuse,
    State,
)
from perfkit.systems.tss360.monitors import MS_A_MINUTE
from perfkit.systems.tss360.parameters import PAGE_BYTES

POPULAR_GRAIN = 2**13
FEWEST_DRAWS = 2**15
LOG_ROOM = 4096
DRUM_TURNS = 2


def new_machine(p, entries, index, supply, seed, trace=0):
    """Return a machine at time zero, its draws filled.

    Parameters
    ----------
    p : Parameters
    entries : record array
        The scheduling table.
    index : dict
        Entry name to number.
    supply : Supply
    seed : int
        Draws who is logged on and how far each user is in the first think time.
    trace : int
        How many trace records to have room for.

    Returns
    -------
    Machine
    """
    kinds = task_kinds(p)
    devices = p.drums + p.discs + p.data_discs
    settings = _settings(p)
    placed = len(kinds) * p.private_pages + p.sharable_pages
    draws = max(FEWEST_DRAWS, placed + 8 * int(settings.draws_an_event))
    minutes = int(np.ceil(p.settle_min)) + p.measured_min + 1
    machine = Machine(
        settings=settings,
        kernel=_records(1, KERNEL)[0],
        tasks=_records(len(kinds), TASK),
        owners=_records(len(kinds) + 1, OWNER),
        entries=entries,
        frames=_records(p.frames, FRAME),
        available=new_lists(1)[0],
        held=new_lists(len(kinds)),
        pages=_records((len(kinds) + 1, max(p.private_pages, p.sharable_pages)), PAGE),
        recent=np.zeros((len(kinds), p.sharable_working_set), np.int64),
        popular=popular_pages(p.sharable_pages, p.popularity_exponent),
        queues=new_lists(len(Queue)),
        devices=_records(devices, DEVICE),
        requests=_records(p.frames + len(kinds) + devices + 2, REQUEST),
        drum=drum_of(p),
        disc=disc_of(p),
        levels=new_levels(len(Level)),
        tallies=np.zeros(len(Count)),
        tallied=np.zeros(len(Count)),
        minutes=np.zeros((minutes, len(Level) + len(Count))),
        log=_records(LOG_ROOM, TRANSACTION),
        demands=_records((len(kinds), ROWS), DEMAND),
        sessions=_records((len(kinds), ROWS), SESSION),
        uniforms=np.zeros(draws),
        alarms=new_alarms(FIRST_DEVICE_ACTOR + devices + len(kinds)),
        trace=new_trace(trace),
    )
    _clear(machine, p)
    supply.refill(machine)
    _admit(machine, p, kinds, index, stream(seed, "phase"))
    return machine


def popular_pages(pages, exponent):
    """Return pages, each as often as its share of references: k to the power of -exponent."""
    share = each_power(np.arange(1, pages + 1), -float(exponent))
    edges = np.cumsum(share) / share.sum()
    return np.searchsorted(edges, (np.arange(POPULAR_GRAIN) + 0.5) / POPULAR_GRAIN).astype(np.int64)


def drum_of(p):
    """Return a drum's mechanics; nine pages stand on two tracks, which pass in two turns."""
    turn_ms = DRUM_TURNS * p.drum_revolution_ms
    return Disc(np.zeros(1), 1, p.drum_pages_in_two_turns, turn_ms, 0.0, 0.0, 0.0)


def disc_of(p):
    """Return a disc's mechanics; a track holds one page, somewhat more than half of it."""
    seeks = seek_table(p.disc_cylinders, *p.disc_seek_ms)
    return Disc(seeks, p.disc_heads, BLOCKS_PER_DISC_TRACK, p.disc_revolution_ms, 0.0, 0.0, 0.0)


def _records(shape, dtype):
    return np.zeros(shape, dtype).view(np.recarray)


def _settings(p):
    settings = _records(1, SETTINGS)[0]
    for name in set(SETTINGS.names) & set(p.names()) - {"drum_slots", "discipline", "reuse"}:
        settings[name] = getattr(p, name)
    settings.reuse = Reuse[p.reuse.upper()]
    settings.purge_on_estimate = p.replacement == "new"
    settings.drum_slots = p.drums * p.drum_slots
    settings.discipline = Discipline[p.discipline]
    settings.disc_transfer_ms = PAGE_BYTES / p.disc_kb_per_s
    settings.line_ms = 1000.0 * p.line_s
    settings.typical_ms = 1000.0 * p.typical_s
    settings.draws_an_event = 2 * (p.frames + p.private_pages + p.sharable_pages) + 64
    return settings


def _clear(machine, p):
    """Make all frames available, mark all draws as used."""
    k = machine.kernel
    k.running = k.passed_over = NOBODY
    machine.frames.owner[:] = NOBODY
    link_all(machine.frames, machine.available)
    k.estimate = p.frames
    for level in (Level.AVAILABLE, Level.ESTIMATE):
        change_level(machine.levels[level], 0.0, float(p.frames))
    machine.pages.frame[:] = machine.pages.drive[:] = NOBODY
    machine.tasks.rows_used[:] = machine.tasks.sessions_used[:] = ROWS
    k.uniforms_used = machine.uniforms.size
    machine.devices.serving[:] = NOBODY
    machine.devices.is_drum[: p.drums] = 1
    machine.devices.blocks[: p.drums] = p.drum_slots
    machine.devices.blocks[p.drums :] = p.paging_cylinders * p.disc_heads
    machine.devices.blocks[p.drums + p.discs :] = p.disc_cylinders * p.disc_heads
    machine.devices.direction[:] = 1
    set_alarm(machine.alarms, CLOCK_ACTOR, MS_A_MINUTE)


def _admit(machine, p, kinds, index, phases):
    """Log users on; let each task be somewhere in its think time."""
    first = FIRST_DEVICE_ACTOR + machine.devices.size
    begins = {
        TaskType.CONVERSATIONAL: index["first"],
        TaskType.NONCONVERSATIONAL: index["nonconversational"],
        TaskType.SYSTEM: index["system"],
    }
    present = phases.random(len(kinds)) < p.users / p.user_slots
    user = np.array(kinds) == TaskType.CONVERSATIONAL
    machine.kernel.tasks = int((present & user).sum())
    change_level(machine.levels[Level.TASKS], 0.0, float(machine.kernel.tasks))
    for t, kind in enumerate(kinds):
        task, row = machine.tasks[t], machine.demands[t, 0]
        task.kind, task.entry = kind, begins[kind]
        session = machine.sessions[t, 0]
        task.session_end_ms = session.session_ms if user[t] else NEVER
        task.state = State.INACTIVE
        wait_ms = row.think_ms
        if user[t] and not present[t]:
            task.state, wait_ms = State.LOGGED_OFF, session.away_ms
            task.sessions_used = 1
        set_alarm(machine.alarms, first + t, phases.random() * wait_ms)
