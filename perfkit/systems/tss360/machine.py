"""The state of the TSS/360 system: records that the handlers share, and the numbers they obey.

All times are in milliseconds unless a name says else. Pages belong to owners: owner t is
task t with its private pages, the last owner is the system with the sharable ones.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import Alarms
from perfkit.des.compiling import inlined
from perfkit.des.tallies import change_level

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
