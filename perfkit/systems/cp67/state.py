"""The state of CP-67: records that the handlers share, and a machine at the start of a day.

Times are in milliseconds. Every user has a clock of his own, ``virtual_ms``: the problem
state time that his virtual machine has had. References to pages, SIOs and the ends of tasks
stand on that clock.
"""

from collections import namedtuple
from enum import IntEnum

import numpy as np
from numba.extending import register_jitable

from perfkit.des import lists
from perfkit.des.alarms import NEVER, new_alarms, set_alarm
from perfkit.des.compiling import assembly, handler, inlined, kernel
from perfkit.des.counters import new_levels
from perfkit.des.devices import Disc, seek_times
from perfkit.des.draws import stream, uniform, whole
from perfkit.des.elementary import evenly, exp, log
from perfkit.des.lists import LIST, NOBODY, link_all, new_lists
from perfkit.des.processor import supervise
from perfkit.des.records import fields, record, records, settings_maker
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
QUEUES, LEVELS, BENCHMARK_COUNT = len(Queue), len(Level), len(BENCHMARKS)
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
BENCHMARK = fields("sios pages", "cpu_ms")
SETTINGS = Parameters.settings_type(
    "last_minidisk fewest_pages most_pages observation_room", "mean_think_s"
)
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
    "settings kernel free_frames waiting_for_frame drum_queue place gap phase versions order"
    " rates_per_ms benchmark_pages waits_ms trace before users pages missing frames tasks ready"
    " drive_queues levels areas_before disc drives observations alarms",
)


def new_machine(p, load, versions, order, seed, day=0, trace=0):
    """Return a machine before the beginning of a day, storage empty.

    ``versions`` are those of ``version_records``; ``order`` has the version of each observation and
    repeats.
    """
    settings, rates_per_ms, benchmarks, waits_ms, seeks_ms = settings_of(p)
    settings = settings.copy()  # the numbers obeyed that no version changes
    own = record(KERNEL), record(LIST), record(LIST), record(LIST)
    drawn = (stream(seed, purpose, day) for purpose in ("place", "gap", "phase"))
    tables = rates_per_ms, benchmarks["pages"].copy(), waits_ms
    made = assemble(settings, *own, order, benchmarks, waits_ms, seeks_ms, *load[:2], day)
    given = settings, *own, *drawn, versions, order, *tables, new_trace(trace)
    return Machine(*given, *made)


@assembly
def assemble(
    settings, k, free_frames, waiting_for_frame, drum_queue, order, benchmarks, waits_ms, seeks_ms,
    sessions, tasks, day,
):  # fmt: skip
    """Return what else a machine has: no page in storage, no drive at work, DUSETIMR logged on.

    Users for whom no frame can be found stand in ``waiting_for_frame``, frames whose transfer waits
    for the drum in ``drum_queue``.
    """
    s, count, drives = settings, 1 + sessions.size, records(settings.discs, DRIVE)
    before = records(1, KERNEL)  # CP-67's variables when the present observation began
    users = records(count, USER)  # DUSETIMR first, then one per session
    pages = records((count, s.virtual_pages), PAGE)  # a user's locality first
    missing = np.zeros((count, s.virtual_pages), np.int16)  # of each locality: missing_pages
    frames = records(s.frames, FRAME)  # all pages in storage, which the pointer cycles around
    ready, levels = new_lists(QUEUES), new_levels(LEVELS)
    drive_queues = new_lists(s.discs)  # users whose SIO waits
    areas_before = np.zeros(LEVELS)  # integrals of levels when the observation began
    disc = Disc(
        seeks_ms, s.disc_heads, s.disc_records_per_track, s.disc_revolution_ms, 0.0, 0.0, 0.0
    )
    observations = records(s.observation_room, OBSERVATION)
    alarms = new_alarms(FIRST_DRIVE_ACTOR + s.discs + count)
    k.version, k.running, k.drum_frame = order[0], NOBODY, NOBODY
    for queue in (waiting_for_frame, drum_queue):
        queue.head = queue.tail = NOBODY
    for f in range(s.frames):
        frames[f].owner = NOBODY
    link_all(frames, free_frames)
    for d in range(s.discs):
        drives[d].serving = NOBODY
    for u in range(count):
        for page in range(s.virtual_pages):
            pages[u, page].frame = NOBODY
            missing[u, page] = page
    for o in range(observations.size):
        observations[o].day = day
    _admit(s, sessions, users, levels, waits_ms, alarms)
    all_tasks = _tasks(benchmarks, tasks)
    made = users, pages, missing, frames, all_tasks, ready, drive_queues, levels, areas_before
    return before, *made, disc, drives, observations, alarms


@kernel
def _admit(settings, sessions, users, levels, waits_ms, alarms):
    """Let DUSETIMR be logged on and wait, and the others log on when they will."""
    first, there = FIRST_DRIVE_ACTOR + settings.discs, 1.0
    for u in range(users.size):
        user = users[u]
        user.next = user.fault_page = NOBODY
        if u == DUSETIMR:
            user.state = State.THINKING
            continue
        session = sessions[u - 1]
        user.logoff_ms, user.task = session.logoff_ms, session.first_task + BENCHMARK_COUNT
        user.locality_pages = user.missing_pages = session.locality_pages
        user.rates_row = BENCHMARK_COUNT + session.locality_pages
        user.drift_per_ms = settings.drift_per_ms
        user.drive, user.first_cylinder = session.drive, session.first_cylinder
        set_alarm(alarms, first + u, session.logon_ms)
        there += session.logon_ms == 0.0
    levels[Level.LOGGED_ON].value = 1.0
    set_alarm(alarms, first + DUSETIMR, table_1_wait(waits_ms, there))


@register_jitable
def _tasks(benchmarks, tasks):
    """Return the benchmarks, each session's tasks, and last a think for ever.

    The last is no one's: thinks that outlast their session but for rounding lead to it.
    """
    rows = records(BENCHMARK_COUNT + tasks.size + 1, TASK)
    for n in range(BENCHMARK_COUNT):
        rows[n].cpu_ms, rows[n].sios = benchmarks[n].cpu_ms, benchmarks[n].sios
    for n in range(tasks.size):
        rows[BENCHMARK_COUNT + n] = tasks[n]
    rows[-1].think_ms = NEVER  # no one is ever awake to begin it
    return rows


@assembly
def derive(settings, arrays):
    """Derive the further numbers of a machine (in place), and return the tables beside them.

    These are rates of reference to the pages of a locality, by user.rates_row, the benchmarks,
    waits by logged-on users (Table 1), times of seeks by distance.
    """
    s, benchmarks = settings, records(BENCHMARK_COUNT, BENCHMARK)
    seek_ms, locality_pages, cpu_ms, sios, pages, wait_s = arrays
    for n in range(BENCHMARK_COUNT):
        one = benchmarks[n]
        one.cpu_ms, one.sios, one.pages = cpu_ms[n], sios[n], pages[n]
        if one.sios > 0:
            one.pages += s.io_routine_pages  # the pages of the routines that do I/O
    waits_ms, least_s = np.zeros(wait_s.size), wait_s[0]
    for n in range(wait_s.size):
        waits_ms[n] = SECOND_MS * wait_s[n]
        least_s = min(least_s, wait_s[n])
    s.fewest_pages = locality_pages[0]
    s.observation_room = int(s.measured_s / least_s) + 2
    seeks_ms = seek_times(s.disc_cylinders, seek_ms[0], seek_ms[1], seek_ms[2])
    return _rates(settings, benchmarks), benchmarks, waits_ms, seeks_ms


settings_of = settings_maker(SETTINGS, derive)


@assembly
def _rates(settings, benchmarks):
    """Return rates of reference: one row per benchmark, then one row per size of locality."""
    s = settings
    rows = np.zeros((BENCHMARK_COUNT + s.virtual_pages, s.virtual_pages))
    for row in range(BENCHMARK_COUNT):
        rows[row, : benchmarks[row].pages] = s.benchmark_touch_per_ms
    for pages in range(1, s.virtual_pages):
        logs = evenly(log(s.hottest_per_ms), log(s.coldest_per_ms), pages)
        for page in range(pages):
            rows[BENCHMARK_COUNT + pages, page] = exp(logs[page])
    return rows


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
