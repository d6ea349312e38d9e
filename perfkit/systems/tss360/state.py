"""The state of the TSS/360 system: records that the handlers share, and the numbers they obey.

All times are in milliseconds unless a name says else. Pages belong to owners: owner t is
task t with its private pages, the last owner is the system with the sharable ones.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import NEVER, Alarms, new_alarms, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import change_level, new_levels
from perfkit.des.devices import Disc, Discipline, seek_table
from perfkit.des.draws import stream
from perfkit.des.elementary import each_power
from perfkit.des.lists import link_all, new_lists
from perfkit.des.trace import new_trace
from perfkit.systems.tss360.parameters import PAGE_BYTES

NOBODY = lists.NOBODY
PROCESSOR_ACTOR, CLOCK_ACTOR, FIRST_DEVICE_ACTOR = 0, 1, 2
BLOCKS_PER_DISC_TRACK = 2


class TaskType(IntEnum):
    """The three types of task that the scheduler tells apart."""

    CONVERSATIONAL = 0
    NONCONVERSATIONAL = 1
    SYSTEM = 2


class State(IntEnum):
    """Where a task is; from READY on it is dispatchable, before ELIGIBLE inactive."""

    LOGGED_OFF = 0
    INACTIVE = 1
    TYPING = 2
    ELIGIBLE = 3
    READY = 4
    RUNNING = 5
    PAGE_WAIT = 6
    FRAME_WAIT = 7
    DATA_WAIT = 8


class Queue(IntEnum):
    """Linked lists of dispatchable tasks."""

    READY = 0
    FRAMES = 1


class Reuse(IntEnum):
    """Which available frame a page goes to."""

    OLDEST = 0
    NEWEST = 1
    CYCLIC = 2


class FrameState(IntEnum):
    """What a page frame is doing; AVAILABLE and WRITING ones can be reclaimed."""

    AVAILABLE = 0
    PRIVATE = 1
    SHARABLE = 2
    READING = 3
    WRITING = 4


class Due(IntEnum):
    """Why a burst of processing ends."""

    FAULT = 0
    OVER_LIMIT = 1
    QUANTUM = 2
    DATA_SET = 3
    SLICE = 4
    DONE = 5


class Cause(IntEnum):
    """Causes of a time slice's end."""

    DONE = 0
    PROCESSING = 1
    OVER_LIMIT = 2
    SWAP_OUT = 3


class Purpose(IntEnum):
    """What a request to a device is for."""

    READ_PAGE = 0
    WRITE_PAGE = 1
    DATA_SET = 2
    MIGRATE_OUT = 3
    MIGRATE_IN = 4


class Level(IntEnum):
    """What the sampling monitor averages over a minute."""

    TASKS = 0
    ELIGIBLE = 1
    DISPATCHABLE = 2
    ESTIMATE = 3
    AVAILABLE = 4
    SHARABLE = 5
    PRIVATE = 6
    TYPICAL_DISPATCHABLE = 7


class Count(IntEnum):
    """What the sampling monitor's event counters and timers count."""

    VIRTUAL_MS = 0
    SUPERVISOR_MS = 1
    SHARABLE_RECLAIMS = 2
    PRIVATE_RECLAIMS = 3
    PAGE_FAULTS = 4
    TSE_OVER_LIMIT = 5
    TSE_PROCESSING = 6
    TSE_SWAP_OUT = 7
    TSE_DONE = 8
    SHARABLE_FAULTS = 9
    PAGE_WRITES = 10
    DRUM_READS = 11
    DISC_READS = 12
    MIGRATIONS = 13
    DATA_ACCESSES = 14
    RESETS = 15
    SCANS = 16
    PURGED = 17
    STOLEN = 18
    FRAME_WAITS = 19
    DISPATCHES = 20
    REFUSED = 21
    PAGE_WAITS = 22
    PAGE_WAIT_MS = 23
    PAGING_OVERHEAD_MS = 24
    SERVICES = 25
    TYPICAL_SERVICES = 26
    TYPICAL_VIRTUAL_MS = 27
    TRANSACTIONS = 28
    TYPICAL = 29
    TYPICAL_RESPONSE_S = 30
    TYPICAL_LOG_RESPONSE = 31
    LATER_SLICES = 32
    LATER_PAGE_WAITS = 33
    CANCELLED = 34
    EARLY_FAULTS = 35
    LATE_FAULTS = 36


class Event(IntEnum):
    """Kinds of trace records."""

    ACTIVE = 0
    DISPATCH = 1
    PAGE_FAULT = 2
    SHARABLE_FAULT = 3
    PAGE_IN = 4
    PRIVATE_RECLAIM = 5
    SHARABLE_RECLAIM = 6
    PURGE = 7
    SWAP_REQUEST = 8
    SLICE_END = 9
    DONE = 10
    LOG_ON = 11
    LOG_OFF = 12
    MIGRATE = 13
    CANCEL = 14
    PROMPT = 15


class Stop(IntEnum):
    """Why the event loop gave control back."""

    TIME_UP = 0
    DRAWS_USED = 1
    LOG_FULL = 2


def _dtype(whole, real):
    """Return an aligned record of 8-byte fields: whole numbers, then floating-point ones."""
    fields = [(name, "i8") for name in whole.split()] + [(name, "f8") for name in real.split()]
    return np.dtype(fields, align=True)


TASK = _dtype(
    "kind state entry next rows_used sessions_used p_max swap_asked typical"
    " due due_owner due_page accesses_left reads writes lines touched sharable_touched recent_from"
    " working_set_pages region slices whole_slices page_reads page_writes reclaims frames_sum"
    " slice_page_waits early_faults late_faults",
    "deadline_ms used_ms burst_ms quantum_left_ms cpu_left_ms cpu_ms access_left_ms"
    " access_interval_ms before_ms asked_ms first_dispatch_ms waits_since_ms dispatchable_sum"
    " session_end_ms give_up_ms",
)
FRAME = _dtype("state owner page next previous changed writing", "")
PAGE = _dtype("frame drive block referenced", "last_ms")
OWNER = _dtype("drum_pages", "")
ENTRY = _dtype(
    "priority p_max steals fewer_than more_than if_done if_fewer if_within if_more if_over"
    " if_swapped",
    "deadline_ms slice_ms quantum_ms",
)
REQUEST = _dtype("drive cylinder order purpose actor page frame block", "from_ms")
DEVICE = _dtype("is_drum serving direction cylinder blocks operations", "started_ms busy_ms")
DEMAND = _dtype("reads writes lines region", "think_ms patience_ms cpu_ms working_set_pages")
SESSION = _dtype("", "session_ms away_ms")
TRANSACTION = _dtype(
    "task kind typical reads writes lines slices whole_slices page_reads page_writes reclaims",
    "asked_ms first_dispatch_ms end_ms cpu_ms frames dispatchable",
)
SETTINGS = _dtype(
    "drums discs data_discs drum_reads_first room_to_others purge_on_estimate"
    " lower_threshold upper_threshold scan_pages estimate_threshold private_pages sharable_pages"
    " sharable_working_set core_pages drum_slots sharable_drum_slots migrate_slots reuse"
    " discipline",
    "line_ms loading_ms touch_exponent sharable_exponent changed_share sharable_changed_share"
    " fault_ms reclaim_ms interrupt_ms write_ms access_ms slice_end_ms disc_transfer_ms typical_ms"
    " typical_accesses draws_an_event",
)
KERNEL = _dtype(
    "stop running schedule rows_ended uniforms_used waiting orders"
    " estimate dispatchable eligible tasks private_frames sharable_frames"
    " typical_dispatchable below_upper hand frame_hand passed_over swap_pending drum_used migrating"
    " events traced trace_full logged minute placed",
    "now_ms burst_end_ms supervisor_end_ms minute_ms",
)


class Machine(NamedTuple):
    """Everything a run reads and writes; every array is modified in place.

    Attributes
    ----------
    settings, kernel : record
        The numbers obeyed (dtype SETTINGS), and the supervisor's variables (KERNEL).
    tasks, owners : record array
        A record a task (TASK); a record an owner of pages (OWNER), the sharable ones last.
    entries : record array
        The scheduling table, a record an entry (ENTRY).
    frames : record array
        Page frames outside the resident supervisor (FRAME).
    available, held : record, record array
        The list of available frames, the longest available first, and a list a task of those
        that it holds, in the order in which it got them.
    pages : record array, shape (owners, most pages of an owner)
        Where each page is (PAGE): its frame or NOBODY, and its place on a device.
    recent : ndarray of int64, shape (tasks, sharable working set)
        Sharable pages that the transaction of each task is using.
    popular : ndarray of int64
        Sharable pages, each as often as its share of references.
    queues : record array, shape (2,)
        Linked lists of tasks, in the order of ``Queue``.
    devices, requests : record array
        Drums, paging discs, data discs; requests that wait are ``requests[:kernel.waiting]``,
        those under way stand at the end, a place a device.
    drum, disc : Disc
        Mechanics of either kind of device.
    levels : record array, shape (8,)
    tallies, tallied : ndarray of float64, shape (37,)
        Counters and timers in the order of ``Count``; as they stood at the last minute.
    minutes : ndarray of float64, shape (minutes, 45)
        The sampling monitor's rows: means of levels, then differences of tallies.
    log : record array
        The event-tracing monitor's transactions (TRANSACTION), emptied outside.
    demands : record array, shape (tasks, rows)
        The coming transactions of each task (DEMAND), refilled outside.
    sessions : record array, shape (tasks, rows)
        The coming sessions of each user, and how long he is away after each (SESSION), refilled
        outside.
    uniforms : ndarray of float64
        Draws from 0 to 1, refilled outside.
    alarms : Alarms
        Actors: the processor, the monitor's clock, the devices, the tasks.
    trace : record array
        Dtype EVENT; empty when no trace is kept.
    """

    settings: np.record
    kernel: np.record
    tasks: np.recarray
    owners: np.recarray
    entries: np.recarray
    frames: np.recarray
    available: np.record
    held: np.recarray
    pages: np.recarray
    recent: np.ndarray
    popular: np.ndarray
    queues: np.recarray
    devices: np.recarray
    requests: np.recarray
    drum: tuple
    disc: tuple
    levels: np.recarray
    tallies: np.ndarray
    tallied: np.ndarray
    minutes: np.ndarray
    log: np.recarray
    demands: np.recarray
    sessions: np.recarray
    uniforms: np.ndarray
    alarms: Alarms
    trace: np.recarray


@inlined
def set_level(m, level, value):
    """Move one of the levels that are averaged over time."""
    change_level(m.levels[level], m.kernel.now_ms, float(value))


@inlined
def count(m, what, amount):
    """Add to one of the counters."""
    m.tallies[what] += amount


@inlined
def task_actor(m, t):
    """Return the actor that a task is: they come after the clock and the devices."""
    return FIRST_DEVICE_ACTOR + m.devices.size + t


@inlined
def push(m, queue, t):
    """Put a task at the end of a queue."""
    lists.push(m.tasks, m.queues[queue], t)


@inlined
def pop(m, queue):
    """Take the first task out of a queue that holds one."""
    return lists.pop(m.tasks, m.queues[queue])


@inlined
def drop(m, queue, t):
    """Take a task out of the middle of a queue that holds it."""
    lists.drop(m.tasks, m.queues[queue], t)


MS_A_SECOND = 1000.0
MS_A_MINUTE = 60000.0
BLOCK = 32
ROWS = 2 * BLOCK
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


def task_kinds(p):
    """Return the type of each task: users' first, then nonconversational and system tasks."""
    return (
        [TaskType.CONVERSATIONAL] * p.user_slots
        + [TaskType.NONCONVERSATIONAL] * p.nonconversational_tasks
        + [TaskType.SYSTEM] * p.system_tasks
    )


@handler
def supervise(m, work_ms):
    """Give the supervisor work; the running task is held up by as much."""
    k = m.kernel
    count(m, Count.SUPERVISOR_MS, work_ms)
    k.supervisor_end_ms = max(k.now_ms, k.supervisor_end_ms) + work_ms
    if k.running != NOBODY:
        k.burst_end_ms += work_ms
        set_alarm(m.alarms, PROCESSOR_ACTOR, k.burst_end_ms)


@inlined
def supervise_paging(m, work_ms):
    """Give the supervisor work that is due to paging."""
    count(m, Count.PAGING_OVERHEAD_MS, work_ms)
    supervise(m, work_ms)


@inlined
def make_ready(m, t):
    """Put a dispatchable task at the end of the processor's queue."""
    m.tasks[t].state = State.READY
    push(m, Queue.READY, t)
