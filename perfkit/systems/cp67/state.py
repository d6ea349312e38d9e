"""The state of CP-67: records that the handlers share, and a machine at the start of a day.

Times are in milliseconds. Every user has a clock of his own, ``virtual_ms``: the problem
state time that his virtual machine has had. References to pages, SIOs and the ends of tasks
stand on that clock.
"""

import functools
from collections import namedtuple
from enum import IntEnum

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import new_alarms, set_alarm, set_alarms
from perfkit.des.compiling import handler, inlined, kernel
from perfkit.des.counters import new_levels
from perfkit.des.devices import Disc
from perfkit.des.draws import stream, uniform, whole
from perfkit.des.elementary import each_exp, log
from perfkit.des.lists import NOBODY, link_all, new_lists
from perfkit.des.processor import supervise
from perfkit.des.records import fields, record, records
from perfkit.des.trace import new_trace
from perfkit.systems.cp67.parameters import BENCHMARKS, FEWEST_USERS, POLICY_FIELDS, Parameters

DUSETIMR = 0
DRUM_ACTOR, FIRST_DRIVE_ACTOR = 1, 2  # after the processor; behind the drives come the users
SECOND_MS, PERCENT = 1000.0, 100.0
MOST_TRIPS = 3

# What a user is doing; from READY on he is in queue.
State = IntEnum(
    "State",
    "AWAY THINKING LEAVING CANDIDATE IO_OUTSIDE READY RUNNING PAGE_WAIT FRAME_WAIT IO_WAIT",
    start=0,
)
# The queues of Appendix, item 2; also the lists of ready users, NONE that of the candidates.
Queue = IntEnum("Queue", "NONE Q1 Q2", start=0)
# Which replacement algorithm a version has.
Algorithm = IntEnum("Algorithm", "ONE TWO OWN")
# What a replacement algorithm says of the page that the pointer stands on.
Choice = IntEnum("Choice", "TAKE PASS TURN_OFF", start=0)
# How many pages a user is taken to need, found when they leave a queue; as parameters.ESTIMATORS.
Estimator = IntEnum("Estimator", "OR RESIDENT BITS FIXED", start=0)
# Where a user goes who waits for a disc, and comes back to; as parameters.IO_WAITS.
IoWait = IntEnum("IoWait", "KEEPS TO_Q1 TO_CANDIDATES", start=0)
Due = IntEnum("Due", "FAULT DRIFT SIO END SLICE QUANTUM FIRST_PAGE", start=0)
Frame = IntEnum("Frame", "FREE HELD WRITING READING", start=0)
Level = IntEnum("Level", "LOGGED_ON Q1 Q2 CANDIDATES", start=0)
Event = IntEnum(
    "Event",
    "LOGON LOGOFF TASK ENTER_Q1 CANDIDATE ENTER_Q2 LEAVE FAULT REPLACE PAGE_IN SIO SIO_END"
    " TASK_END OBSERVATION SWITCH",
    start=0,
)
# Why the event loop must give control back; NONE as long as it need not.
Stop = IntEnum("Stop", "NONE BAD_ALGORITHM", start=0)

USER = fields(
    "state queue wanted_queue next task sios_left locality_pages rates_row stay touched_pages"
    " held_pages missing_pages first_page_due fault_page drive first_cylinder disc_block",
    "candidate_since_ms logoff_ms virtual_ms virtual_before_ms end_at_ms sio_at_ms sio_interval_ms"
    " slice_left_ms quantum_left_ms asked_ms drift_per_ms needed_pages charged_pages priority"
    " asked_page_ms",
)
PAGE = fields("frame stay", "start")
FRAME = fields("state owner page bit next reader", "start seen_ms since_ms")
SESSION = fields("first_task locality_pages drive first_cylinder", "logon_ms logoff_ms")
TASK = fields("sios", "think_ms cpu_ms")
DRIVE = fields("serving cylinder", "phase_ms")
SETTINGS = Parameters.settings_type()
KERNEL = fields(
    "stop begun version running due admit pointer frames_in_transit idle_frames drum_frame"
    " benchmark observed traced trace_full events page_reads page_writes disc_ios faults replaced"
    " trips tasks_ended q1_entries q2_entries drifts",
    "now_ms burst_ms burst_end_ms supervisor_end_ms missing_per_ms charged_pages drum_phase_ms"
    " drum_started_ms user_ms supervisor_ms residence_ms page_wait_ms task_response_ms q2_wait_ms"
    " drum_busy_ms",
)
OBSERVATION = fields(
    "day version logged_on_users active_users",
    "start_s duration_s user_percent supervisor_percent idle_percent page_reads_per_s"
    " page_writes_per_s disc_ios_per_s q1_users q2_users candidates tasks_per_s response_s"
    " trivial_s mixed_s io_bound_s cpu_bound_s",
)
Machine = namedtuple(
    "Machine",
    "settings versions order kernel before users pages missing rates_per_ms frames free_frames"
    " tasks ready waiting_for_frame drum_queue drive_queues levels areas_before disc drives"
    " benchmark_pages waits_ms observations benchmark_s place gap phase alarms trace",
)


def new_machine(p, load, versions, order, seed, day=0, trace=0):
    """Return a machine before the beginning of a day, storage empty.

    ``versions`` are those of ``version_records``; ``order`` has the version of each observation and
    repeats.
    """
    users, pages = 1 + load.sessions.size, p.virtual_pages
    observations = records(int(p.measured_s / min(p.observation_wait_s)) + 2, OBSERVATION)
    observations.day[:] = day
    seeks_ms = np.array(p.seek_times_ms())
    machine = Machine(
        settings=settings_of(p).copy(),  # the numbers obeyed that no version changes
        versions=versions,  # the rules of each version; kernel.version is the one in force
        order=order,
        kernel=record(KERNEL),  # CP-67's variables and counters
        before=records(1, KERNEL),  # the same when the present observation began
        users=records(users, USER),  # DUSETIMR first, then one per session
        pages=records((users, pages), PAGE),  # the first of a user are his present locality
        missing=np.zeros((users, pages), np.int16),  # of each locality: the first missing_pages
        rates_per_ms=_rates(p),  # references to the pages of a locality, by user.rates_row
        frames=records(p.frames, FRAME),  # all pages in storage, which the pointer cycles around
        free_frames=new_lists(1)[0],
        tasks=_tasks(p, load),
        ready=new_lists(len(Queue)),
        waiting_for_frame=new_lists(1)[0],  # users whom no frame could be found for
        drum_queue=new_lists(1)[0],  # frames whose transfer waits for the drum
        drive_queues=new_lists(p.discs),  # users whose SIO waits
        levels=new_levels(len(Level)),
        areas_before=np.zeros(len(Level)),  # their integrals when the observation began
        disc=Disc(seeks_ms, p.disc_heads, p.disc_records_per_track, p.disc_revolution_ms),
        drives=records(p.discs, DRIVE),
        benchmark_pages=np.array(_benchmark_pages(p)),
        waits_ms=SECOND_MS * np.array(p.observation_wait_s, float),  # Table 1
        observations=observations,  # kernel.observed of them are complete
        benchmark_s=observations.view(float).reshape(observations.size, -1)[:, -len(BENCHMARKS) :],
        place=stream(seed, "place", day),
        gap=stream(seed, "gap", day),
        phase=stream(seed, "phase", day),
        alarms=new_alarms(FIRST_DRIVE_ACTOR + p.discs + users),
        trace=new_trace(trace),
    )
    _clear(machine)
    _admit(machine, p, load)
    return machine


@functools.lru_cache(8)
def settings_of(p):
    """Return the numbers that machines of these parameters obey."""
    settings = record(SETTINGS)
    p.fill(settings)
    return settings


def version_records(p, versions):
    """Return the rules of each version, as records of dtype SETTINGS.

    A version changes fields of ``p`` in POLICY_FIELDS; without any there is one, ``p`` itself.
    """
    if versions is None:
        versions = [{}]
    if isinstance(versions, dict) or not all(isinstance(one, dict) for one in versions):
        raise ValueError(
            "versions must be a list of dictionaries of changes, one per version, such as"
            f" [{{'algorithm': 1}}, {{'algorithm': 2}}]; {versions!r} is not."
        )
    if not versions:
        raise ValueError("versions must hold at least one dictionary of changes.")
    rows = records(len(versions), SETTINGS)
    for rules_of_one, changes in zip(rows, versions, strict=True):
        _version(p, changes).fill(rules_of_one)
    return rows


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


def _tasks(p, load):
    """Return the benchmarks, each session's tasks, and last a think for ever.

    The last is no one's: thinks that outlast their session but for rounding lead to it.
    """
    tasks, first = records(len(BENCHMARKS) + load.tasks.size + 1, TASK), len(BENCHMARKS)
    tasks.cpu_ms[:first] = p.benchmark_cpu_ms
    tasks.sios[:first] = p.benchmark_sios
    tasks[first:-1] = load.tasks
    tasks.think_ms[-1] = np.inf  # no one is ever awake to begin it
    return tasks


def _benchmark_pages(p):
    """Return each benchmark's pages, those of the I/O routines added where it does I/O."""
    return [
        pages + (p.io_routine_pages if sios else 0)
        for pages, sios in zip(p.benchmark_pages, p.benchmark_sios, strict=True)
    ]


@functools.lru_cache(8)
def _rates(p):
    """Return rates of reference: one row per benchmark, then one row per size of locality."""
    rows = np.zeros((len(BENCHMARKS) + p.virtual_pages, p.virtual_pages))
    for row, pages in enumerate(_benchmark_pages(p)):
        rows[row, :pages] = p.benchmark_touch_per_ms
    for pages in range(1, p.virtual_pages):
        rates = each_exp(np.linspace(log(p.hottest_per_ms), log(p.coldest_per_ms), pages))
        rows[len(BENCHMARKS) + pages, :pages] = rates
    return rows


def _clear(machine):
    """Free all frames; no page is in one, and no drive is at work."""
    machine.kernel.running = machine.kernel.drum_frame = NOBODY
    machine.frames.owner[:] = NOBODY
    link_all(machine.frames, machine.free_frames)
    machine.drives.serving[:] = NOBODY
    machine.pages.frame[:] = NOBODY


@inlined
def begin(m):
    """Set the platters turning, and give every page a sector of the drum, at random."""
    k, settings = m.kernel, m.settings
    k.begun = 1
    k.drum_phase_ms = uniform(m.phase) * settings.drum_revolution_ms
    for d in range(m.drives.size):
        m.drives[d].phase_ms = uniform(m.phase) * settings.disc_revolution_ms
    for d in range(m.drives.size):
        m.drives[d].cylinder = whole(m.phase, settings.disc_cylinders)
    for u in range(m.users.size):
        for page in range(settings.virtual_pages):
            sector = whole(m.phase, settings.drum_pages_per_track)
            m.pages[u, page].start = sector / settings.drum_pages_per_track


def _admit(machine, p, load):
    """Let DUSETIMR be logged on and wait, and the others log on when they will."""
    first = FIRST_DRIVE_ACTOR + p.discs
    users, sessions = machine.users, load.sessions
    users.next[:] = NOBODY
    users.fault_page[:] = NOBODY
    users.logoff_ms[1:] = sessions.logoff_ms
    users.task[1:] = sessions.first_task + len(BENCHMARKS)
    users.locality_pages[1:] = sessions.locality_pages
    users.rates_row[1:] = len(BENCHMARKS) + sessions.locality_pages
    users.missing_pages[1:] = sessions.locality_pages
    machine.missing[:] = np.arange(p.virtual_pages)
    users.drift_per_ms[1:] = p.drift_per_ms
    users.drive[1:] = sessions.drive
    users.first_cylinder[1:] = sessions.first_cylinder
    set_alarms(machine.alarms, first + 1, np.array(sessions.logon_ms))
    users[DUSETIMR].state = State.THINKING
    machine.levels[Level.LOGGED_ON].value = 1.0
    there = 1.0 + (sessions.logon_ms == 0.0).sum()
    set_alarm(machine.alarms, first + DUSETIMR, table_1_wait(machine.waits_ms, there))
    machine.kernel.version = machine.order[0]


@kernel
def table_1_wait(waits_ms, logged_on):
    """Return the wait for a number of logged-on users."""
    row = int(logged_on) - FEWEST_USERS
    return waits_ms[min(max(row, 0), waits_ms.size - 1)]


@inlined
def user_actor(m, u):
    """Return the actor that a user is: they come after the processor, drum and drives."""
    return FIRST_DRIVE_ACTOR + m.drives.size + u


@inlined
def rules(m):
    """Return the rules of the version in force."""
    return m.versions[m.kernel.version]


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
    lists.push(m.users, m.ready[user.queue], u)
