"""The state of CP-67: records that the handlers share, and the numbers they obey.

Times are in milliseconds. Every user has a clock of his own, ``virtual_ms``: the problem
state time that his virtual machine has had. References to pages, SIOs and the ends of tasks
stand on that clock.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import Alarms
from perfkit.des.compiling import inlined
from perfkit.des.storage import Disc
from perfkit.des.tallies import change_level

NOBODY = lists.NOBODY
DUSETIMR = 0
PROCESSOR_ACTOR, DRUM_ACTOR, FIRST_DRIVE_ACTOR = 0, 1, 2
SECOND_MS = 1000.0


class State(IntEnum):
    """What a user is doing; from READY on he is in queue."""

    AWAY = 0
    THINKING = 1
    LEAVING = 2
    CANDIDATE = 3
    IO_OUTSIDE = 4
    READY = 5
    RUNNING = 6
    PAGE_WAIT = 7
    FRAME_WAIT = 8
    IO_WAIT = 9


class Queue(IntEnum):
    """The queues of Appendix, item 2; also the lists of ready users."""

    NONE = 0
    Q1 = 1
    Q2 = 2


class Algorithm(IntEnum):
    """Which replacement algorithm a version has."""

    ONE = 1
    TWO = 2
    OWN = 3


class Choice(IntEnum):
    """What a replacement algorithm says of the page that the pointer stands on."""

    TAKE = 0
    PASS = 1
    TURN_OFF = 2


class Estimator(IntEnum):
    """How many pages a user is taken to need, found when he leaves a queue."""

    OR = 0
    RESIDENT = 1
    BITS = 2
    FIXED = 3


class IoWait(IntEnum):
    """Where a user goes who waits for a disc, and comes back to."""

    KEEPS = 0
    TO_Q1 = 1
    TO_CANDIDATES = 2


class Due(IntEnum):
    """Why a user's burst on the processor ends."""

    FAULT = 0
    DRIFT = 1
    SIO = 2
    END = 3
    SLICE = 4
    QUANTUM = 5
    FIRST_PAGE = 6


class Frame(IntEnum):
    """What a page frame holds."""

    FREE = 0
    HELD = 1
    WRITING = 2
    READING = 3


class Level(IntEnum):
    """Levels that are averaged over time."""

    LOGGED_ON = 0
    Q1 = 1
    Q2 = 2
    CANDIDATES = 3


class Event(IntEnum):
    """Kinds of trace records."""

    LOGON = 0
    LOGOFF = 1
    TASK = 2
    ENTER_Q1 = 3
    CANDIDATE = 4
    ENTER_Q2 = 5
    LEAVE = 6
    FAULT = 7
    REPLACE = 8
    PAGE_IN = 9
    SIO = 10
    SIO_END = 11
    TASK_END = 12
    OBSERVATION = 13
    SWITCH = 14


class Stop(IntEnum):
    """Why the event loop gave control back."""

    TIME_UP = 0
    DRAWS_USED = 1
    BAD_ALGORITHM = 2


USER = np.dtype(
    [
        ("state", "i8"),
        ("queue", "i8"),
        ("wanted_queue", "i8"),
        ("candidate_since_ms", "f8"),
        ("next", "i8"),
        ("task", "i8"),
        ("logoff_ms", "f8"),
        ("virtual_ms", "f8"),
        ("virtual_before_ms", "f8"),
        ("end_at_ms", "f8"),
        ("sio_at_ms", "f8"),
        ("sio_interval_ms", "f8"),
        ("sios_left", "i8"),
        ("slice_left_ms", "f8"),
        ("quantum_left_ms", "f8"),
        ("asked_ms", "f8"),
        ("locality_pages", "i8"),
        ("rates_row", "i8"),
        ("drift_per_ms", "f8"),
        ("stay", "i8"),
        ("touched_pages", "i8"),
        ("held_pages", "i8"),
        ("needed_pages", "f8"),
        ("charged_pages", "f8"),
        ("priority", "f8"),
        ("first_page_due", "i8"),
        ("fault_page", "i8"),
        ("asked_page_ms", "f8"),
        ("drive", "i8"),
        ("first_cylinder", "i8"),
        ("disc_block", "i8"),
    ],
    align=True,
)

PAGE = np.dtype([("frame", "i8"), ("stay", "i8"), ("sector", "i8")], align=True)

FRAME = np.dtype(
    [
        ("state", "i8"),
        ("owner", "i8"),
        ("page", "i8"),
        ("bit", "i8"),
        ("seen_ms", "f8"),
        ("since_ms", "f8"),
        ("sector", "i8"),
        ("next", "i8"),
        ("reader", "i8"),
    ],
    align=True,
)

TASK = np.dtype([("think_ms", "f8"), ("cpu_ms", "f8"), ("sios", "i8")], align=True)


DRIVE = np.dtype(
    [("serving", "i8"), ("cylinder", "i8"), ("phase_ms", "f8"), ("busy_ms", "f8")], align=True
)

VERSION = np.dtype(
    [
        ("algorithm", "i8"),
        ("t1_ms", "f8"),
        ("t2_ms", "f8"),
        ("dusetimr_priority", "f8"),
        ("usual_priority", "f8"),
        ("priority_weight", "f8"),
        ("priority_clock_s", "f8"),
        ("estimator", "i8"),
        ("in_queue_users", "f8"),
        ("head_blocks", "i8"),
        ("q1_needs_room", "i8"),
        ("io_wait", "i8"),
        ("charged_share", "f8"),
        ("quantum_ms", "f8"),
    ],
    align=True,
)

SETTINGS = np.dtype(
    [
        ("frames", "i8"),
        ("fault_ms", "f8"),
        ("write_ms", "f8"),
        ("sio_ms", "f8"),
        ("queue_ms", "f8"),
        ("dirty_share", "f8"),
        ("drum_shortest_latency", "i8"),
        ("minidisk_cylinders", "i8"),
        ("benchmarks_as_one_task", "i8"),
        ("draws_an_event", "i8"),
    ],
    align=True,
)

KERNEL = np.dtype(
    [
        ("now_ms", "f8"),
        ("stop", "i8"),
        ("version", "i8"),
        ("running", "i8"),
        ("due", "i8"),
        ("burst_ms", "f8"),
        ("burst_end_ms", "f8"),
        ("supervisor_end_ms", "f8"),
        ("admit", "i8"),
        ("pointer", "i8"),
        ("free_frame", "i8"),
        ("frames_in_transit", "i8"),
        ("idle_frames", "i8"),
        ("charged_pages", "f8"),
        ("drum_frame", "i8"),
        ("drum_phase_ms", "f8"),
        ("drum_started_ms", "f8"),
        ("exponentials_used", "i8"),
        ("uniforms_used", "i8"),
        ("benchmark", "i8"),
        ("observed", "i8"),
        ("observed_since_ms", "f8"),
        ("traced", "i8"),
        ("trace_full", "i8"),
        ("events", "i8"),
        ("user_ms", "f8"),
        ("supervisor_ms", "f8"),
        ("page_reads", "i8"),
        ("page_writes", "i8"),
        ("disc_ios", "i8"),
        ("faults", "i8"),
        ("replaced", "i8"),
        ("trips", "i8"),
        ("residence_ms", "f8"),
        ("page_wait_ms", "f8"),
        ("tasks_ended", "i8"),
        ("task_response_ms", "f8"),
        ("q1_entries", "i8"),
        ("q2_entries", "i8"),
        ("q2_wait_ms", "f8"),
        ("drifts", "i8"),
        ("drum_busy_ms", "f8"),
    ],
    align=True,
)

OBSERVATION = np.dtype(
    [
        ("day", "i8"),
        ("start_s", "f8"),
        ("duration_s", "f8"),
        ("version", "i8"),
        ("logged_on_users", "i8"),
        ("active_users", "i8"),
        ("problem_state_percent", "f8"),
        ("supervisor_percent", "f8"),
        ("idle_percent", "f8"),
        ("page_reads_per_s", "f8"),
        ("page_writes_per_s", "f8"),
        ("disk_io_per_s", "f8"),
        ("q1_users", "f8"),
        ("q2_users", "f8"),
        ("candidates", "f8"),
        ("tasks_per_s", "f8"),
        ("response_s", "f8"),
        ("trivial_s", "f8"),
        ("mixed_s", "f8"),
        ("io_bound_s", "f8"),
        ("cpu_bound_s", "f8"),
    ],
    align=True,
)


class Machine(NamedTuple):
    """Everything a day reads and writes; every array is modified in place.

    Attributes
    ----------
    settings, kernel, before : record
        The numbers obeyed (dtype SETTINGS), CP-67's variables and counters (KERNEL), and the
        counters as they were when the present observation began.
    versions : record array
        The rules of each version (VERSION); ``kernel.version`` is the one in force.
    order : ndarray of int64
        The version of each observation; repeats.
    users : record array
        One record a virtual machine (USER); DUSETIMR's is the first, then one a session.
    pages : record array, shape (users, virtual pages)
        The first ``locality_pages`` of a user are his present locality (PAGE).
    rates_per_ms : ndarray of float64, shape (rows, virtual pages)
        References to the pages of a locality, by ``rates_row``.
    frames : record array
        The table of all pages in storage that the pointer cycles around (FRAME).
    tasks : record array
        Demands (TASK): the four benchmarks first, then each session's, a think for ever last.
    ready : record array, shape (3,)
        Lists of ready users by ``Queue``; list 0 holds the candidates.
    waiting_for_frame, drum_queue : record
        Users whom no frame could be found for; frames whose transfer waits for the drum.
    drive_queues : record array
        Users whose SIO waits for each drive.
    levels : record array, shape (4,)
        What is averaged over time, in the order of ``Level``.
    areas_before : ndarray of float64, shape (4,)
        Integrals of the levels when the present observation began.
    drum, disc : Disc
        Geometry of the drum (no seeks) and of a 2314 drive.
    drives : record array
        The drives of user I/O (DRIVE).
    benchmark_pages : ndarray of int64, shape (4,)
        Localities of the benchmarks, pages of the I/O routines included.
    waits_ms : ndarray of float64, shape (19,)
        Table 1.
    observations : record array
        What DUSETIMR has recorded (OBSERVATION); ``kernel.observed`` of them.
    exponentials, uniforms : ndarray of float64
        Draws of mean 1 and from 0 to 1, refilled outside.
    alarms : Alarms
        Actors: the processor, the drum, the drives, the users.
    trace : record array
        Dtype EVENT; empty when no trace is kept.
    """

    settings: np.record
    kernel: np.record
    before: np.record
    versions: np.recarray
    order: np.ndarray
    users: np.recarray
    pages: np.recarray
    rates_per_ms: np.ndarray
    frames: np.recarray
    tasks: np.recarray
    ready: np.recarray
    waiting_for_frame: np.record
    drum_queue: np.record
    drive_queues: np.recarray
    levels: np.recarray
    areas_before: np.ndarray
    drum: Disc
    disc: Disc
    drives: np.recarray
    benchmark_pages: np.ndarray
    waits_ms: np.ndarray
    observations: np.recarray
    exponentials: np.ndarray
    uniforms: np.ndarray
    alarms: Alarms
    trace: np.recarray


@inlined
def user_actor(m, u):
    """Return the actor that a user is: they come after the processor, drum and drives."""
    return FIRST_DRIVE_ACTOR + m.drives.size + u


@inlined
def rules(m):
    """Return the rules of the version in force."""
    return m.versions[m.kernel.version]


@inlined
def in_queue(user):
    """Return whether a user may be served."""
    return user.queue != Queue.NONE


@inlined
def shift_level(m, level, by):
    """Raise or lower one of the levels that are averaged over time."""
    change_level(m.levels[level], m.kernel.now_ms, m.levels[level].value + by)
