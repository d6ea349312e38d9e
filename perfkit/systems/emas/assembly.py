"""Put a machine together: empty queues, pages on disc, users about to log on."""

import math

import numpy as np

from perfkit.des.alarms import new_alarms, set_alarm
from perfkit.des.draws import stream
from perfkit.des.lists import new_lists
from perfkit.des.storage import Disc, seek_table
from perfkit.des.tallies import new_levels
from perfkit.des.trace import new_trace
from perfkit.systems.emas.categories import TRANSITIONS
from perfkit.systems.emas.layout import (
    CATEGORY,
    COMMAND,
    COMPLETION,
    DRIVE,
    KERNEL,
    PAGE,
    PROCESS,
    REQUEST,
    SAMPLE,
    SECTOR,
    SERVICE,
    SETTINGS,
    SHARED,
)
from perfkit.systems.emas.machine import (
    BACKGROUND_ACTOR,
    CLOCK_ACTOR,
    CORE_QUEUES,
    DISCS,
    FIRST_PROCESS_ACTOR,
    NOBODY,
    Level,
    Machine,
    Place,
    Queue,
    Service,
)
from perfkit.systems.emas.parameters import (
    DEMAND_ORDERS,
    PAGE_BYTES,
    SECTORS_PER_TRACK,
    TRACKS,
)
from perfkit.systems.emas.supply import COMMANDS, REFERENCES, THINKS, UNIFORMS

LOG_ON_CATEGORY, COLD_CATEGORY = 1, 2
DISC_BYTES = 350 * 10**6
BLOCKS_A_TRACK = 5
CLOCK_MS = 1000.0
COMPLETIONS = 4096
SPARE_REQUESTS = 4096


def new_machine(p, categories, supply, seed, until_s, trace=0):
    """Return a machine at time zero, its draws filled.

    Parameters
    ----------
    p : Parameters
    categories : tuple of Category
    supply : Supply
    seed : int
        Draws phases, where shared pages lie on the drums, and when the users first log on.
    until_s : float
        How long it will run, for the samples.
    trace : int
        How many trace records to have room for.

    Returns
    -------
    Machine
    """
    count, settings = p.processes, _settings(p, categories)
    pages = p.own_pages + p.shared_pages
    machine = Machine(
        settings=settings,
        kernel=_records(1, KERNEL)[0],
        processes=_records(count, PROCESS),
        pages=_records((count, pages), PAGE),
        stacks=np.zeros((count, p.own_pages), np.int16),
        shared=_records(p.shared_pages, SHARED),
        idle=new_lists(1)[0],
        categories=_categories(categories),
        transitions=np.zeros((len(categories), len(categories)), np.int64),
        queues=new_lists(len(Queue)),
        queue_waits_ms=np.zeros(CORE_QUEUES),
        queue_weights=np.array(p.core_queue_weights),
        levels=new_levels(len(Level)),
        services=_records(len(Service), SERVICE),
        sectors=_records(p.drums * SECTORS_PER_TRACK, SECTOR),
        drum_queues=new_lists(p.drums * SECTORS_PER_TRACK // settings.queue_sectors),
        drives=_records(DISCS, DRIVE),
        disc=_disc(p),
        requests=_records(count * pages + SPARE_REQUESTS, REQUEST),
        commands=_records((count, COMMANDS), COMMAND),
        references=np.zeros((count, REFERENCES, 3)),
        thinks=np.zeros((count, THINKS)),
        uniforms=np.zeros(max(UNIFORMS, 4 * int(settings.draws_an_event))),
        completions=_records(COMPLETIONS, COMPLETION),
        samples=_records(2 + int(until_s / p.sampling_s), SAMPLE),
        alarms=new_alarms(FIRST_PROCESS_ACTOR + count),
        trace=new_trace(trace),
    )
    settings.disc_blocks = machine.disc.seek_time.size * machine.disc.heads * BLOCKS_A_TRACK
    phases = stream(seed, "phase")
    _clear(machine)
    _set_devices(machine, p, phases)
    supply.refill(machine)
    _admit(machine, p, phases)
    return machine


def _records(shape, dtype):
    return np.zeros(shape, dtype).view(np.recarray)


def _settings(p, categories):
    settings = _records(1, SETTINGS)[0]
    names = set(SETTINGS.names)
    for name in names & set(p.names()):
        settings[name] = getattr(p, name)
    for name in names:
        if name.endswith("_ms") and f"{name[:-3]}_s" in p.names():
            settings[name] = 1000.0 * getattr(p, f"{name[:-3]}_s")
    settings.slot_ms, settings.drum_page_ms = p.slot_ms, p.drum_page_ms
    settings.sectors_per_track = SECTORS_PER_TRACK
    settings.queue_sectors = 1 if p.drum_queues == "sector" else SECTORS_PER_TRACK
    settings.demand_rank = DEMAND_ORDERS.index(p.demand_order) - 1
    settings.slice_ms = p.time_slice_ms
    settings.log_on_category = LOG_ON_CATEGORY - 1
    settings.cold_category = min(COLD_CATEGORY, len(categories)) - 1
    settings.clock_ms = CLOCK_MS
    settings.ticks_a_sample = p.sampling_s
    settings.polling_ms = p.polling_ms_per_s
    settings.magtape_ms = p.magtape_ms_per_s
    settings.miscellaneous_ms = p.miscellaneous_ms_per_s
    settings.terminal_ms = 1000.0 / p.terminal_characters_per_s
    settings.trace_record_ms = p.trace_record_us / 1000.0
    rate = p.background_bursts_per_s
    settings.background_ms = 1000.0 / rate if rate > 0.0 else math.inf
    settings.draws_an_event = 4 * p.own_pages + p.background_pages + 64
    return settings


def _categories(categories):
    rows = _records(len(categories), CATEGORY)
    for row, category in zip(rows, categories, strict=True):
        for name in set(CATEGORY.names) & set(category._fields):
            row[name] = getattr(category, name)
        for name in TRANSITIONS:
            row[name] -= 1
        row.cpu_ms, row.compaction_ms = 1000.0 * category.cpu_s, 1000.0 * category.compaction_s
    return rows


def _disc(p):
    """Return the geometry of a drive: its capacity in half pages, five a track."""
    track_bytes = BLOCKS_A_TRACK * PAGE_BYTES / 2
    heads = max(1, round(DISC_BYTES / (p.disc_cylinders * track_bytes)))
    seeks = seek_table(p.disc_cylinders, *p.disc_seek_ms)
    return Disc(seeks, heads, BLOCKS_A_TRACK, p.disc_revolution_ms, 0.0, 0.0, 0.0)


def _clear(machine):
    """Link the free requests, empty the drives, put all pages on disc, mark draws as used."""
    k, requests = machine.kernel, machine.requests
    k.goes_on = k.leaving = NOBODY
    k.running = k.suspended = k.moving = k.drum_serving = NOBODY
    k.free_frames = machine.settings.core_pages
    requests.next[:] = np.arange(1, requests.size + 1)
    requests.next[-1] = NOBODY
    machine.drives.head[:] = machine.drives.tail[:] = NOBODY
    machine.drives.serving[:] = NOBODY
    machine.pages.sector[:] = NOBODY
    own = machine.settings.own_pages
    machine.pages.place[:, own:] = Place.DRUM
    processes = machine.processes
    processes.due[:] = processes.wanted_page[:] = processes.drum[:] = NOBODY
    processes.commands_used[:] = machine.commands.shape[1]
    processes.references_used[:] = machine.references.shape[1]
    processes.thinks_used[:] = machine.thinks.shape[1]
    k.uniforms_used = machine.uniforms.size


def _set_devices(machine, p, phases):
    """Draw the phases of the platters, and give the shared pages their places on the drums."""
    machine.sectors.phase_ms[:] = np.repeat(phases.random(p.drums), SECTORS_PER_TRACK)
    machine.sectors.phase_ms[:] *= p.revolution_ms
    machine.sectors.free[:] = TRACKS
    machine.drives.phase_ms[:] = phases.random(DISCS) * p.disc_revolution_ms
    sectors = machine.sectors.size
    for s in range(p.shared_pages):
        machine.shared[s].place = Place.DRUM
        machine.shared[s].sector = int(phases.random() * sectors)
        machine.sectors[machine.shared[s].sector].free -= 1
    machine.kernel.drum_free = machine.sectors.free.sum()


def _admit(machine, p, phases):
    """Let users log on in the first half of the settling time, late ones over the measured time."""
    machine.processes.batch[p.users :] = 1
    machine.processes.slice_left_ms[:] = p.time_slice_ms
    for t in range(p.processes):
        first_ms = phases.random() * min(500.0 * p.settle_s, 1000.0 * 300.0)
        early = p.users - p.late_users
        if early <= t < p.users:
            opens_at = (t - early + 0.5) / p.late_users
            first_ms = 1000.0 * (p.settle_s + p.measured_s * opens_at)
        set_alarm(machine.alarms, FIRST_PROCESS_ACTOR + t, first_ms)
    set_alarm(machine.alarms, CLOCK_ACTOR, CLOCK_MS)
    if machine.settings.background_ms < math.inf:
        first_ms = phases.random() * machine.settings.background_ms
        set_alarm(machine.alarms, BACKGROUND_ACTOR, first_ms)
