"""Users: they log on, think, ask for tasks with virtual SIOs, and log off; DUSETIMR is one.

DUSETIMR waits as Table 1 says, runs the benchmarks of Table 2, and switches. An observation
lasts from the end of one set of benchmarks to the end of the next. The version is stored at its
beginning, so that its counters and its benchmarks are all of one version.
"""

import numpy as np

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import shift_level
from perfkit.des.trace import note
from perfkit.systems.cp67.devices import request_record, start_drive
from perfkit.systems.cp67.memory import find_missing, free_pages, look_at_bits
from perfkit.systems.cp67.processor import leave_queue, to_q1, to_q2
from perfkit.systems.cp67.state import (
    DUSETIMR,
    PERCENT,
    SECOND_MS,
    Event,
    IoWait,
    Level,
    State,
    make_ready,
    rules,
    supervise_for,
    table_1_wait,
    user_actor,
)


@inlined
def begin_task(m, u, t):
    """Take up the demands of a task, on the user's own clock."""
    user, task = m.users[u], m.tasks[t]
    user.asked_ms = m.kernel.now_ms
    user.end_at_ms = user.virtual_ms + task.cpu_ms
    user.sios_left = task.sios
    user.sio_interval_ms = task.cpu_ms / max(task.sios, 1)
    user.sio_at_ms = user.virtual_ms + user.sio_interval_ms
    note(m, Event.TASK, u, t)


@inlined
def think(m, u):
    """Let a user think until his next task, or until he logs off if that comes first."""
    user = m.users[u]
    wake_ms = m.kernel.now_ms + m.tasks[user.task].think_ms
    user.state = State.THINKING
    if wake_ms >= user.logoff_ms:
        user.state = State.LEAVING
        wake_ms = max(user.logoff_ms, m.kernel.now_ms)
    set_alarm(m.alarms, user_actor(m, u), wake_ms)


@handler
def user_alarm(m, u):
    """A user logs on, wants a task, or logs off; DUSETIMR's wait is over."""
    user = m.users[u]
    set_alarm(m.alarms, user_actor(m, u), NEVER)
    if u == DUSETIMR:
        m.kernel.benchmark = 0
        begin_benchmark(m)
        to_q1(m, u)
    elif user.state == State.AWAY:
        shift_level(m, Level.LOGGED_ON, 1.0)
        note(m, Event.LOGON, u, 0)
        think(m, u)
    elif user.state == State.THINKING:
        begin_task(m, u, user.task)
        to_q1(m, u)
    else:
        shift_level(m, Level.LOGGED_ON, -1.0)
        note(m, Event.LOGOFF, u, user.held_pages)
        free_pages(m, u)


@inlined
def task_ends(m, u):
    """A user's task is finished: he thinks about the next."""
    k, user = m.kernel, m.users[u]
    k.tasks_ended += 1
    k.task_response_ms += k.now_ms - user.asked_ms
    note(m, Event.TASK_END, u, int(k.now_ms - user.asked_ms))
    leave_queue(m, u)
    user.task += 1
    think(m, u)


@inlined
def start_sio(m, u):
    """A virtual machine starts an I/O and waits for it, in queue or out of it."""
    user = m.users[u]
    user.sios_left -= 1
    user.sio_at_ms += user.sio_interval_ms
    note(m, Event.SIO, u, user.sios_left)
    supervise_for(m, u, m.settings.sio_ms)
    user.state = State.IO_WAIT
    if rules(m).io_wait != IoWait.KEEPS:
        leave_queue(m, u)
        user.state = State.IO_OUTSIDE
    request_record(m, u)


@inlined
def sio_ends(m, d):
    """A drive has ended a virtual machine's I/O; it starts the next."""
    u = m.drives[d].serving
    m.kernel.disc_ios += 1
    start_drive(m, d)
    note(m, Event.SIO_END, u, m.users[u].sios_left)
    if m.users[u].state == State.IO_WAIT:
        make_ready(m, u)
    elif rules(m).io_wait == IoWait.TO_CANDIDATES:
        to_q2(m, u)
    else:
        to_q1(m, u)


@handler
def begin_benchmark(m):
    """Set the demands and pages of the next benchmark; the pages of an earlier one are its too."""
    k, user = m.kernel, m.users[DUSETIMR]
    user.rates_row = k.benchmark
    user.locality_pages = m.benchmark_pages[k.benchmark]
    user.first_page_due = 1
    find_missing(m, DUSETIMR)
    begin_task(m, DUSETIMR, k.benchmark)


@handler
def benchmark_ends(m):
    """Record a benchmark's time; go on with the next, or record an observation."""
    k = m.kernel
    time_ms = k.now_ms - m.users[DUSETIMR].asked_ms
    observation = m.observations[k.observed]
    if k.benchmark == 0:
        observation.trivial_s = time_ms / SECOND_MS
    elif k.benchmark == 1:
        observation.mixed_s = time_ms / SECOND_MS
    elif k.benchmark == 2:
        observation.io_bound_s = time_ms / SECOND_MS
    else:
        observation.cpu_bound_s = time_ms / SECOND_MS
    note(m, Event.TASK_END, DUSETIMR, int(time_ms))
    last = k.benchmark == m.benchmark_pages.size - 1
    one_task = m.settings.benchmarks_as_one_task
    if last or not one_task:
        leave_queue(m, DUSETIMR)
    if last:
        record_observation(m)
        begin_observation(m)
        return
    k.benchmark += 1
    look_at_bits(m, DUSETIMR, False)  # at the rates of this benchmark, before the next one's hold
    begin_benchmark(m)
    if one_task:
        make_ready(m, DUSETIMR)
    else:
        to_q1(m, DUSETIMR)


@handler
def begin_observation(m):
    """Store the version of the next observation and wait as Table 1 says."""
    k = m.kernel
    version = m.order[k.observed % m.order.size]
    if version != k.version:
        note(m, Event.SWITCH, DUSETIMR, version)
        k.version = version
        k.admit = 1
    m.users[DUSETIMR].state = State.THINKING
    wait_ms = table_1_wait(m.waits_ms, m.levels[Level.LOGGED_ON].value)
    set_alarm(m.alarms, user_actor(m, DUSETIMR), k.now_ms + wait_ms)


@inlined
def mean_since(m, level, span_ms):
    """Return a level's mean over the observation that ends now; its integral is kept."""
    tally = m.levels[level]
    area = tally.area + tally.value * (m.kernel.now_ms - tally.since)
    mean = (area - m.areas_before[level]) / span_ms
    m.areas_before[level] = area
    return mean


@handler
def count_active(m):
    """Count the users who had processor time since the last observation."""
    active = 0
    for u in range(m.users.size):
        user = m.users[u]
        active += user.virtual_ms > user.virtual_before_ms
        user.virtual_before_ms = user.virtual_ms
    return active


@handler
def record_observation(m):
    """Write down what happened since the last observation; no user has the processor now."""
    k, before = m.kernel, m.before[0]
    record = m.observations[k.observed]
    span_ms = k.now_ms - before.now_ms
    span_s = span_ms / SECOND_MS
    record.start_s = before.now_ms / SECOND_MS
    record.duration_s = span_s
    record.version = k.version
    record.logged_on_users = int(m.levels[Level.LOGGED_ON].value)
    record.active_users = count_active(m)
    # What the supervisor has still to do belongs to the next observation.
    supervisor_ms = k.supervisor_ms - max(0.0, k.supervisor_end_ms - k.now_ms)
    record.user_percent = PERCENT * (k.user_ms - before.user_ms) / span_ms
    record.supervisor_percent = PERCENT * (supervisor_ms - before.supervisor_ms) / span_ms
    record.idle_percent = PERCENT - record.user_percent - record.supervisor_percent
    record.page_reads_per_s = (k.page_reads - before.page_reads) / span_s
    record.page_writes_per_s = (k.page_writes - before.page_writes) / span_s
    record.disc_ios_per_s = (k.disc_ios - before.disc_ios) / span_s
    ended = k.tasks_ended - before.tasks_ended
    record.tasks_per_s = ended / span_s
    response_ms = k.task_response_ms - before.task_response_ms
    record.response_s = response_ms / (SECOND_MS * ended) if ended > 0 else np.nan
    record.q1_users = mean_since(m, Level.Q1, span_ms)
    record.q2_users = mean_since(m, Level.Q2, span_ms)
    record.candidates = mean_since(m, Level.CANDIDATES, span_ms)
    m.before[0] = k
    m.before[0].supervisor_ms = supervisor_ms
    note(m, Event.OBSERVATION, DUSETIMR, k.observed)
    k.observed += 1
