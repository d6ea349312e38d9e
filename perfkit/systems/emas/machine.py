"""The state of EMAS: records that the handlers share, and the numbers they obey.

All times are in milliseconds unless a name says else. Every process has a clock of its own,
``used_ms``: the processor time it has had. What it will do next (touch a page, print a line,
end its command, ...) stands on that clock.

The pages of a process are numbered 0 to P - 1 (its own) and P to P + S - 1 (as it sees the S
shared pages).
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import Alarms
from perfkit.des.compiling import handler, inlined
from perfkit.des.storage import Disc
from perfkit.des.tallies import change_level

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
