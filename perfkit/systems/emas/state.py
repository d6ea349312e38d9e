"""The state of EMAS: records that the handlers share, and a machine at time zero.

All times are in milliseconds unless a name says else. Every process has a clock of its own,
``used_ms``: the processor time it has had. What it will do next (touch a page, print a line,
end its command, ...) stands on that clock.

The pages of a process are numbered 0 to P - 1 (its own) and P to P + S - 1 (as it sees the S
shared pages).
"""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import Alarms, new_alarms, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.draws import stream
from perfkit.des.lists import new_lists
from perfkit.des.storage import Disc, seek_table
from perfkit.des.tallies import change_level, new_levels
from perfkit.des.trace import new_trace
from perfkit.systems.emas.parameters import DEMAND_ORDERS, PAGE_BYTES, SECTORS_PER_TRACK, TRACKS

NOBODY = lists.NOBODY
PROCESSOR_ACTOR, DRUM_ACTOR, CLOCK_ACTOR, BACKGROUND_ACTOR, FIRST_DISC_ACTOR = range(5)
DISCS = 2
FIRST_PROCESS_ACTOR = FIRST_DISC_ACTOR + DISCS
CORE_QUEUES = 5


class State(IntEnum):
    """What a process is doing; from PRELOADING to PAGE_WAIT it is resident in core."""

    ABSENT = 0
    ASLEEP = 1
    AWAITING_DRUM = 2
    QUEUED = 3
    PRELOADING = 4
    SUSPENDED = 5
    READY = 6
    RUNNING = 7
    PAGE_WAIT = 8
    REMOVING = 9


class After(IntEnum):
    """What becomes of a process whose pages are being removed from core."""

    SLEEP = 0
    REQUEUE = 1
    LOG_OUT = 2


class Queue(IntEnum):
    """The stations of Figure 2, and the queue of sleepers to be removed from drum."""

    ACTIVE_STORAGE = 0
    CORE_1 = 1
    CORE_2 = 2
    CORE_3 = 3
    CORE_4 = 4
    CORE_5 = 5
    RUN_0 = 6
    RUN_1 = 7
    RUN_2 = 8
    DRUM_REMOVAL = 9


class Due(IntEnum):
    """Why a process's burst on the processor ends; at equal times the first of them."""

    FAULT = 0
    TURN = 1
    CPU_ALLOWANCE = 2
    COMPACTION = 3
    SLICE = 4
    LOOK_AGAIN = 5


class Place(IntEnum):
    """Where a page is, as its process sees it."""

    DISC = 0
    DRUM = 1
    COMING = 2
    CORE = 3
    LEAVING = 4


class Purpose(IntEnum):
    """What a transfer is for."""

    PRELOAD = 0
    DEMAND = 1
    WRITE_BACK = 2
    REMOVE = 3
    TRIM = 4
    FILE = 5
    LOAD = 6


class DiscState(IntEnum):
    """A disc drive's arm and heads."""

    IDLE = 0
    SEEKING = 1
    ON_CYLINDER = 2
    TRANSFERRING = 3


class Service(IntEnum):
    """The supervisor's services, as Table 2 lists them, and the event monitor."""

    DRUM_TRANSFERS = 0
    DISC_TRANSFERS = 1
    CORE_LOADING = 2
    DRUM_LOADING = 3
    PROCESS_CONTROL = 4
    TIME_SLICING = 5
    FILE_SYSTEM = 6
    SVC_PARAMETER_PASSING = 7
    COMMUNICATIONS = 8
    DEVICE_POLLING = 9
    MAGTAPES = 10
    MISCELLANEOUS = 11
    TRACING = 12


class Level(IntEnum):
    """Levels that are averaged over time."""

    RESIDENT = 0
    AWAKE = 1
    ALLOCATED_PAGES = 2
    SHARED_PAGES = 3


class Event(IntEnum):
    """The events of Table 5, under its numbers."""

    WAKES = 1
    QUEUED = 2
    PRELOAD_BEGINS = 3
    PRELOAD_ENDS = 4
    DEMAND_DISC = 5
    DEMAND_DRUM = 6
    DEMANDED_PAGE_ARRIVES = 7
    DEMAND_IN_CORE = 8
    OVERRUNS = 9
    COMPACTION = 10
    SLEEPS = 11
    REMOVED_FROM_CORE = 12
    REMOVED_FROM_DRUM = 13
    SLEEPS_WITH_SEMAPHORE = 14
    DRUM_SET_RECALCULATED = 15
    PAGE_LEAVES_AT_REMOVAL = 16
    PAGE_LEAVES_AT_COMPACTION = 17
    CREATED = 18
    BEGINS_LOG_OUT = 19
    LOGGED_OUT = 20
    SUSPENDED = 21
    RESUMED = 22
    FILES_MADE_CONSISTENT = 23
    COMPACTION_AT_REMOVAL = 24
    PRELOADED_PAGE_ARRIVES = 25
    SUPERVISOR_CALL = 26
    CHANGES_DRUM = 27
    EXIT_FROM_SUPERVISOR = 28
    QUEUES_SAMPLED = 32
    MONITOR_STARTS = 33


class SleptFor(IntEnum):
    """What a process slept for; one that has just been created has not slept."""

    LOG_ON = 0
    OUTPUT = 1
    LINE = 2
    COMMAND = 3


class Reason(IntEnum):
    """Why a core residence ends, or a category changes."""

    SLEEP = 0
    CORE = 1
    CPU = 2
    NO_FRAME = 3
    COLD_WAKE = 4
    LOG_ON = 5


class Stop(IntEnum):
    """Why the event loop gave control back."""

    TIME_UP = 0
    DRAWS_USED = 1
    BAD_CHOICE = 2
    NO_REQUEST_LEFT = 3


class Machine(NamedTuple):
    """Everything a run reads and writes; every array is modified in place.

    Attributes
    ----------
    settings, kernel : record
        The numbers obeyed (dtype SETTINGS) and the supervisor's variables and counters (KERNEL).
    processes : record array
        One record a terminal's process, then the batch processes (PROCESS).
    pages : record array, shape (processes, own + shared pages)
        Where each process's pages are (PAGE).
    stacks : ndarray of int16, shape (processes, own pages)
        Each process's own pages, the most recently used first.
    shared : record array
        The shared pages (SHARED).
    idle : record
        The list of those in core that nobody holds, the first left alone first.
    categories : record array, shape (categories,)
        Table 4 and the transitions, numbered from 0 (CATEGORY).
    transitions : ndarray of int64, shape (categories, categories)
        How often a process went from one category to another.
    queues : record array, shape (10,)
        Linked lists of processes, in the order of ``Queue``.
    queue_waits_ms, queue_weights : ndarray of float64, shape (5,)
        How long the first of each core queue has waited (-1 if none), and how fast its claim grows.
    levels : record array, shape (4,)
        What is averaged over time, in the order of ``Level``.
    services : record array, shape (13,)
        Calls of and time in each service, in the order of ``Service``.
    sectors : record array, shape (drums * sectors a track,)
        The free pages of each sector of each drum, and the drum's phase (SECTOR).
    drum_queues : record array, shape (drums * sectors a track,) or (drums,)
        Linked lists of the requests for each sector, or for each drum.
    drives : record array, shape (2,)
        The disc drives, on one channel.
    disc : Disc
        Their geometry; a block is half a page.
    requests : record array
        Those that are not in use are linked from ``kernel.free_request``.
    commands, references, thinks : arrays, shape (processes, rows)
        What each process's user and program will do, refilled outside.
    uniforms : ndarray of float64
        Draws from 0 to 1, refilled outside.
    completions : record array
        Commands completed, with the times that the subsystem's monitor notes.
    samples : record array
        What was found every ``sampling_s`` (SAMPLE).
    alarms : Alarms
        Actors: processor, drum channel, clock, background, two discs, the processes.
    trace : record array
        Dtype EVENT; empty when no trace is kept.
    """

    settings: np.record
    kernel: np.record
    processes: np.recarray
    pages: np.recarray
    stacks: np.ndarray
    shared: np.recarray
    idle: np.record
    categories: np.recarray
    transitions: np.ndarray
    queues: np.recarray
    queue_waits_ms: np.ndarray
    queue_weights: np.ndarray
    levels: np.recarray
    services: np.recarray
    sectors: np.recarray
    drum_queues: np.recarray
    drives: np.recarray
    disc: Disc
    requests: np.recarray
    commands: np.recarray
    references: np.ndarray
    thinks: np.ndarray
    uniforms: np.ndarray
    completions: np.recarray
    samples: np.recarray
    alarms: Alarms
    trace: np.recarray


@inlined
def set_level(m, level, value):
    """Move one of the levels that are averaged over time."""
    change_level(m.levels[level], m.kernel.now_ms, float(value))


@handler
def append_process(queues, processes, now_ms, queue, t):
    """Put a process at the end of a queue; only what it needs is handed over, to compile soon."""
    processes[t].queued_ms = now_ms
    lists.push(processes, queues[queue], t)


@inlined
def push(m, queue, t):
    """Put a process at the end of a queue."""
    append_process(m.queues, m.processes, m.kernel.now_ms, queue, t)


@handler
def first_process(queues, processes, queue):
    """Take the first process out of a queue that holds one."""
    return lists.pop(processes, queues[queue])


@inlined
def pop(m, queue):
    """Take the first process out of a queue that holds one."""
    return first_process(m.queues, m.processes, queue)


@inlined
def take_out(m, queue, t):
    """Take a process out of a queue that it stands in, wherever it stands."""
    lists.drop(m.processes, m.queues[queue], t)


@inlined
def go_on(m, t):
    """Let the event loop have a process run on, which has called the supervisor or faulted."""
    m.kernel.goes_on = t


@inlined
def begin_to_leave(m, t, after, reason):
    """Let the event loop take a process out of core: what becomes of it then, and why it leaves."""
    process = m.processes[t]
    process.after = after
    process.reason = reason
    m.kernel.leaving = t


def _numbers(*names, kind="f8"):
    return [(name, kind) for name in names]


PROCESS = np.dtype(
    _numbers(
        "state", "next", "category", "queue", "after", "reason", "woken", "batch", "command",
        "due", "run_queue", "charge_pages", "held_pages", "outstanding", "transfers", "writes",
        "written",
        "wanted_page", "cold", "drum", "on_drum", "to_move", "waits_for_drum", "depth",
        "depth_limit",
        "wake_references", "references_used", "commands_used", "kind", "last",
        "output_left", "stretches_left", "answer_lines", "pending_characters", "output_characters",
        "input_characters", "thinks_used", "think_varies", "slept_for",
        kind="i8",
    )
    + _numbers(
        "used_ms", "burst_ms", "burst_left_ms", "residence_ms", "slice_left_ms",
        "to_compaction_ms", "to_recalculation_ms", "to_drum_set_ms",
        "reference_at_ms", "turn_at_ms", "line_at_ms", "line_ms", "command_ms", "printed_at_ms",
        "wake_at_ms", "asleep_since_ms", "interacted_ms", "received_ms", "started_ms",
        "on_drum_since_ms",
        "queued_ms", "locality", "line_think_ms", "typing_ms", "silent_share",
    ),
    align=True,
)  # fmt: skip

PAGE = np.dtype(
    _numbers(
        "place", "sector", "used", "touched", "drum_used", "written", "changed", "in_set",
        "preloaded", "in_drum_set", kind="i4",
    ),
    align=True,
)  # fmt: skip

SHARED = np.dtype(
    [
        ("place", "i8"),
        ("holders", "i8"),
        ("sector", "i8"),
        ("previous", "i8"),
        ("next", "i8"),
        ("idle", "i8"),
        ("idle_since_ms", "f8"),
    ],
    align=True,
)

CATEGORY = np.dtype(
    _numbers(
        "core_queue", "core_pages", "max_drum_pages", "min_drum_pages", "more_core", "more_cpu",
        "more_cpu_penalised",
        "less_core", "asleep", kind="i8",
    )
    + _numbers("cpu_ms", "compaction_ms"),
    align=True,
)  # fmt: skip

COMMAND = np.dtype(
    _numbers(
        "kind", "input_lines", "input_characters", "output_lines", "output_characters", "last",
        "own_pages", "think_varies", kind="i8",
    )
    + _numbers(
        "cpu_ms", "think_ms", "locality", "line_think_ms", "typing_ms", "silent_share",
    ),
    align=True,
)  # fmt: skip

COMPLETION = np.dtype(
    [("kind", "i8"), ("process", "i8"), ("received_ms", "f8"), ("ready_ms", "f8"),
     ("cpu_ms", "f8")],
    align=True,
)  # fmt: skip


SECTOR = np.dtype(
    [("free", "i8"), ("phase_ms", "f8")],
    align=True,
)

REQUEST = np.dtype(
    [("next", "i8"), ("process", "i8"), ("page", "i8"), ("purpose", "i8"), ("sector", "i8"),
     ("block", "i8")],
    align=True,
)  # fmt: skip

DRIVE = np.dtype(
    [
        ("state", "i8"),
        ("serving", "i8"),
        ("head", "i8"),
        ("tail", "i8"),
        ("cylinder", "i8"),
        ("phase_ms", "f8"),
        ("started_ms", "f8"),
        ("busy_ms", "f8"),
        ("operations", "i8"),
    ],
    align=True,
)

SERVICE = np.dtype([("calls", "i8"), ("time_ms", "f8")], align=True)

SAMPLED = (
    *(f"run_queue_{i}" for i in (1, 2, 3)),
    "active_storage_queue",
    *(f"core_queue_{i}" for i in range(1, CORE_QUEUES + 1)),
    "core_unallocated",
    "core_unused",
    "core_shared",
    "drum_unallocated",
    "drum_unused",
    "users",
)
SAMPLE = np.dtype([("time_ms", "f8"), *_numbers(*SAMPLED, kind="i8")], align=True)

SETTINGS = np.dtype(
    _numbers(
        "own_pages", "base_pages", "command_pages", "core_pages", "over_allocation_pages", "drums",
        "sectors_per_track", "drum_pages", "prepaging", "trace_mask", "log_on_category",
        "cold_category", "buffer_characters", "resume_characters", "wake_references",
        "background_pages", "padding_pages", "draws_an_event", "demand_rank", "disc_blocks",
        "ticks_a_sample", "preloads_at_once", "queue_sectors",
        kind="i8",
    )
    + _numbers(
        "slice_ms", "penalty_ms", "slot_ms", "drum_page_ms", "drum_set_up_ms",
        "shared_hold_ms", "drum_hold_ms", "recalculation_ms", "drum_set_ms", "fit_share",
        "demotion_share", "file_share",
        "consistency_ms",
        "background_ms", "reference_ms", "wake_reference_ms", "shared_reference_share",
        "write_share", "sampling_ms", "terminal_ms",
        "drum_transfer_ms", "disc_transfer_ms",
        "preload_page_ms", "marker_page_ms", "drum_loading_ms", "process_control_ms",
        "dispatch_ms", "svc_ms", "line_ms", "command_ms", "polling_ms", "magtape_ms",
        "miscellaneous_ms", "trace_record_ms", "clock_ms",
    ),
    align=True,
)  # fmt: skip

KERNEL = np.dtype(
    _numbers(
        "stop", "running", "running_queue", "goes_on", "leaving", "schedule", "drum_work",
        "suspended", "rows_ended",
        "uniforms_used", "free_request", "free_frames", "allocated_pages", "resident", "awake",
        "shared_in_core", "drum_free",
        "drum_serving", "channel_busy", "moving", "moving_pages", "loading", "preloading",
        "drum_full",
        "users", "ticks", "events", "traced", "trace_full", "sampled", "completed", "log_ons",
        "commands", "frame_shortages", "partial_preloads", "suspensions", "residences",
        "core_overruns", "cpu_overruns", "cold_wakes", "drum_operations", "compactions",
        kind="i8",
    )
    + _numbers(
        "now_ms", "burst_end_ms", "user_ms", "supervisor_ms",
        "drum_start_ms", "drum_busy_ms", "no_work_ms", "no_work_since_ms",
        "no_work_supervised_ms",
    ),
    align=True,
)  # fmt: skip


TRANSITIONS = ("more_core", "more_cpu", "more_cpu_penalised", "less_core", "asleep")
REFERENCES, COMMANDS, THINKS, UNIFORMS = 8192, 16, 64, 2**16
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
