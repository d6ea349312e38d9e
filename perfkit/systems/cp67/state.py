"""The state of CP-67: records that the handlers share, and the numbers they obey.

Times are in milliseconds. Every user has a clock of his own, ``virtual_ms``: the problem
state time that his virtual machine has had. References to pages, SIOs and the ends of tasks
stand on that clock.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from perfkit.des.alarms import Alarms, new_alarms, set_alarm
from perfkit.des.compiling import handler, inlined, kernel
from perfkit.des.counters import change_level, new_levels
from perfkit.des.devices import Disc
from perfkit.des.draws import stream
from perfkit.des.elementary import each_exp, log
from perfkit.des.lists import NOBODY, new_lists, push
from perfkit.des.processor import supervise
from perfkit.des.trace import new_trace
from perfkit.systems.cp67.parameters import BENCHMARKS, FEWEST_USERS, POLICY_FIELDS

DUSETIMR = 0
DRUM_ACTOR, FIRST_DRIVE_ACTOR = 1, 2
SECOND_MS = 1000.0
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
FEWEST_DRAWS = 2**15
MOST_TRIPS = 3


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


def new_machine(p, load, versions, order, seed, day=0, trace=0):
    """Return a machine at the beginning of a day, its draws all used.

    Parameters
    ----------
    p : Parameters
    load : Load
    versions : record array
        As ``version_records`` returns.
    order : ndarray of int64
        The version of each observation; repeats.
    seed, day : int
        Draw the phases of drum and drives and the places of pages.
    trace : int
        How many trace records to have room for.

    Returns
    -------
    Machine
    """
    users = 1 + load.sessions.size
    places = stream(seed, "phase", day)
    draws = max(FEWEST_DRAWS, 8 * _draws_an_event(p))
    machine = Machine(
        settings=_settings(p),
        kernel=_records(1, KERNEL)[0],
        before=_records(1, KERNEL)[0],
        versions=versions,
        order=order,
        users=_records(users, USER),
        pages=_records((users, p.virtual_pages), PAGE),
        rates_per_ms=_rates(p),
        frames=_records(p.frames, FRAME),
        tasks=np.concatenate((_benchmarks(p), load.tasks, _last_think())).view(np.recarray),
        ready=new_lists(len(Queue)),
        waiting_for_frame=new_lists(1)[0],
        drum_queue=new_lists(1)[0],
        drive_queues=new_lists(p.drives),
        levels=new_levels(len(Level)),
        areas_before=np.zeros(len(Level)),
        drum=_drum(p),
        disc=_disc(p),
        drives=_records(p.drives, DRIVE),
        benchmark_pages=np.array(_benchmark_pages(p)),
        waits_ms=SECOND_MS * np.array(p.observation_wait_s, float),
        observations=_records(int(p.day_s / min(p.observation_wait_s)) + 2, OBSERVATION),
        exponentials=np.zeros(draws),
        uniforms=np.zeros(draws),
        alarms=new_alarms(FIRST_DRIVE_ACTOR + p.drives + users),
        trace=new_trace(trace),
    )
    _clear(machine, p, places)
    _place_pages(machine, p, places)
    _admit(machine, p, load)
    return machine


def version_records(p, versions):
    """Return the rules of each version.

    Parameters
    ----------
    p : Parameters
        What the versions do not change.
    versions : sequence of dict, optional
        Changes of fields in POLICY_FIELDS; without, there is one version: ``p`` itself.

    Returns
    -------
    record array
        Dtype VERSION.

    Raises
    ------
    ValueError
        If a version changes what can't be switched, or a value is impossible.
    """
    chosen = [p]
    if versions is not None:
        if isinstance(versions, dict) or not all(isinstance(one, dict) for one in versions):
            raise ValueError(
                "versions must be a list of dictionaries of changes, one a version, such as"
                f" [{{'algorithm': 1}}, {{'algorithm': 2}}]; {versions!r} is not."
            )
        chosen = [_version(p, changes) for changes in versions]
    if not chosen:
        raise ValueError("versions must hold at least one dictionary of changes.")
    records = _records(len(chosen), VERSION)
    for record, rules in zip(records, chosen, strict=True):
        for name in POLICY_FIELDS:
            record[name] = _number(name, getattr(rules, name))
    return records


def _version(p, changes):
    for name in changes:
        if name == "replacement":
            raise ValueError(
                "A version's own replacement is algorithm 3; the policy is handed over beside the"
                " versions, as replacement=."
            )
        if name in p.names() and name not in POLICY_FIELDS:
            raise ValueError(
                f"'{name}' can't be switched while the system runs; what can is"
                f" {', '.join(POLICY_FIELDS)}."
            )
    return p.replace(**changes)


def _number(name, value):
    if name == "estimator":
        return Estimator[value.upper()]
    if name == "io_wait":
        return IoWait[value.upper()]
    return value


def _records(shape, dtype):
    return np.zeros(shape, dtype).view(np.recarray)


def _draws_an_event(p):
    return (2 * MOST_TRIPS + 4) * p.frames + 4 * p.virtual_pages + 64


def _settings(p):
    settings = _records(1, SETTINGS)[0]
    for name in set(SETTINGS.names) & set(p.names()):
        settings[name] = getattr(p, name)
    settings.draws_an_event = _draws_an_event(p)
    return settings


def _benchmarks(p):
    """Return the benchmarks as tasks."""
    tasks = np.zeros(len(BENCHMARKS), TASK)
    tasks["cpu_ms"] = p.benchmark_cpu_ms
    tasks["sios"] = p.benchmark_sios
    return tasks


def _last_think():
    """Return a task that no one begins, for thinks that outlast a session but for rounding."""
    return np.array([(np.inf, 0.0, 0)], TASK)


def _benchmark_pages(p):
    """Return each benchmark's pages, those of the I/O routines added where it does I/O."""
    return [
        pages + (p.io_routine_pages if sios else 0)
        for pages, sios in zip(p.benchmark_pages, p.benchmark_sios, strict=True)
    ]


def _rates(p):
    """Return rates of reference: a row a benchmark, then a row a size of locality."""
    rows = np.zeros((len(BENCHMARKS) + p.virtual_pages, p.virtual_pages))
    for row, pages in enumerate(_benchmark_pages(p)):
        rows[row, :pages] = p.benchmark_touch_per_ms
    for pages in range(1, p.virtual_pages):
        rates = each_exp(np.linspace(log(p.hottest_per_ms), log(p.coldest_per_ms), pages))
        rows[len(BENCHMARKS) + pages, :pages] = rates
    return rows


def _drum(p):
    turn_ms = p.drum_revolution_ms
    return Disc(np.zeros(2), 1, p.drum_pages_per_track, turn_ms, 0.0, 0.0, 0.0)


def _disc(p):
    turn_ms = p.disc_revolution_ms
    seeks_ms = np.array(p.seek_times_ms())
    return Disc(seeks_ms, p.heads, p.records_per_track, turn_ms, 0.0, 0.0, 0.0)


def _clear(machine, p, places):
    """Free all frames, mark all draws as used, set the platters turning."""
    k, frames = machine.kernel, machine.frames
    k.running = k.drum_frame = NOBODY
    frames.owner[:] = NOBODY
    frames.next[:] = np.arange(1, frames.size + 1)
    frames.next[-1] = NOBODY
    k.exponentials_used = machine.exponentials.size
    k.uniforms_used = machine.uniforms.size
    k.drum_phase_ms = places.random() * p.drum_revolution_ms
    machine.drives.serving[:] = NOBODY
    machine.drives.phase_ms[:] = places.random(p.drives) * p.disc_revolution_ms
    machine.drives.cylinder[:] = places.integers(p.cylinders, size=p.drives)


def _place_pages(machine, p, places):
    """Give every page a sector of the drum, and none a frame."""
    machine.pages.frame[:] = NOBODY
    machine.pages.sector[:] = places.integers(p.drum_pages_per_track, size=machine.pages.shape)


def _admit(machine, p, load):
    """Let DUSETIMR be logged on and wait, and the others log on when they will."""
    first = FIRST_DRIVE_ACTOR + p.drives
    users, sessions = machine.users, load.sessions
    users.next[:] = NOBODY
    users.fault_page[:] = NOBODY
    users.logoff_ms[1:] = sessions.logoff_ms
    users.task[1:] = sessions.first_task + len(BENCHMARKS)
    users.locality_pages[1:] = sessions.locality_pages
    users.rates_row[1:] = len(BENCHMARKS) + sessions.locality_pages
    users.drift_per_ms[1:] = p.drift_per_ms
    users.drive[1:] = sessions.drive
    users.first_cylinder[1:] = sessions.first_cylinder
    for u, logon_ms in enumerate(sessions.logon_ms.tolist(), 1):
        set_alarm(machine.alarms, first + u, logon_ms)
    dusetimr = users[DUSETIMR]
    dusetimr.state = State.THINKING
    machine.levels[Level.LOGGED_ON].value = 1.0
    there = 1.0 + (sessions.logon_ms == 0.0).sum()
    set_alarm(machine.alarms, first + DUSETIMR, table_1_wait(machine.waits_ms, there))
    machine.kernel.version = machine.order[0]


@inlined
def supervise_for(m, u, work_ms):
    """Give the supervisor work on a user's behalf; a share of it counts in his slice."""
    supervise(m, work_ms)
    m.users[u].slice_left_ms -= rules(m).charged_share * work_ms


@handler
def make_ready(m, u):
    """Put an in-queue user at the end of his queue's ready list."""
    user = m.users[u]
    user.state = State.READY
    push(m.users, m.ready[user.queue], u)


@kernel
def table_1_wait(waits_ms, logged_on):
    """Return the wait for a number of logged-on users."""
    row = int(logged_on) - FEWEST_USERS
    return waits_ms[min(max(row, 0), waits_ms.size - 1)]
