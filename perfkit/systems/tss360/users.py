"""Transactions: think, ask, use the processor and data sets, end; users who come and go."""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import set_level
from perfkit.des.draws import uniform
from perfkit.des.elementary import log
from perfkit.des.lists import NOBODY
from perfkit.des.processor import supervise
from perfkit.des.trace import note
from perfkit.systems.tss360.devices import request
from perfkit.systems.tss360.load import draw_block, draw_demand, draw_session
from perfkit.systems.tss360.memory.paging import (
    fault,
    log_off,
    log_on,
    place_all,
    set_share,
    set_touches,
)
from perfkit.systems.tss360.processor import end_slice, leave_processor, make_eligible
from perfkit.systems.tss360.state import (
    BLOCK,
    MS_A_SECOND,
    Cause,
    Count,
    Due,
    Event,
    Level,
    Purpose,
    State,
    Stop,
    TaskType,
    count,
    make_ready,
    task_actor,
)


@handler
def log_transaction(m, t):
    """Write a record of the event-tracing monitor; nonconversational work is not logged."""
    k, task = m.kernel, m.tasks[t]
    if task.kind != TaskType.CONVERSATIONAL:
        return
    response_s = (k.now_ms - task.asked_ms) / MS_A_SECOND
    count(m, Count.TRANSACTIONS, 1.0)
    if task.typical:
        count(m, Count.TYPICAL, 1.0)
        count(m, Count.TYPICAL_RESPONSE_S, response_s)
        count(m, Count.TYPICAL_LOG_RESPONSE, log(response_s))
    record = m.log[k.logged]
    k.logged += 1
    if k.logged == m.log.size:
        k.stop = Stop.LOG_FULL
    record.task, record.kind, record.typical = t, task.kind, task.typical
    record.reads, record.writes, record.lines = task.reads, task.writes, task.lines
    record.slices, record.whole_slices = task.slices, task.whole_slices
    record.page_reads, record.page_writes = task.page_reads, task.page_writes
    record.reclaims = task.reclaims
    record.asked_ms, record.end_ms = task.asked_ms, k.now_ms
    record.first_dispatch_ms = task.first_dispatch_ms
    record.cpu_ms = task.cpu_ms
    record.frames = task.frames_sum / task.slices
    record.dispatchable = task.dispatchable_sum / task.slices


@handler
def next_demand(m, t):
    """Draw what a task's next transaction will demand."""
    if m.demands_used[t] == BLOCK:
        draw_block(m.demand[t], m.raw_demands[t])
        m.demands_used[t] = 0
    raw, at, kind = m.raw_demands[t], m.demands_used[t], m.tasks[t].kind
    draw_demand(m.demands[t], kind, raw, at, m.settings, m.tables)
    m.demands_used[t] += 1


@handler
def next_session(m, t):
    """Draw a user's next session, and the absence after it."""
    if m.sessions_used[t] == BLOCK:
        draw_block(m.session[t], m.raw_sessions[t])
        m.sessions_used[t] = 0
    draw_session(m.sessions[t], m.raw_sessions[t], m.sessions_used[t], m.settings)
    m.sessions_used[t] += 1


@inlined
def begin(m):
    """Draw who is logged on, how far each task is in its first think time, and where pages are."""
    k, s = m.kernel, m.settings
    k.begun = 1
    for t in range(m.tasks.size):
        is_user = m.tasks[t].kind == TaskType.CONVERSATIONAL
        is_there = uniform(m.phase) < s.users / s.user_slots
        m.tasks[t].state = State.INACTIVE if is_there or not is_user else State.LOGGED_OFF
        k.tasks += is_there and is_user
    set_level(m, Level.TASKS, k.tasks)
    for t in range(m.tasks.size):
        next_demand(m, t)
        next_session(m, t)
        wait_ms = m.demands[t].think_ms
        is_user = m.tasks[t].kind == TaskType.CONVERSATIONAL
        m.tasks[t].session_end_ms = m.sessions[t].session_ms if is_user else NEVER
        if m.tasks[t].state == State.LOGGED_OFF:
            wait_ms = m.sessions[t].away_ms
            next_session(m, t)
        set_alarm(m.alarms, task_actor(m, t), uniform(m.phase) * wait_ms)
    place_all(m)


@handler
def begin_transaction(m, t):
    """Take up the demands drawn for a task's next transaction and enter the eligible queue."""
    task, s = m.tasks[t], m.settings
    row = m.demands[t]
    accesses = row.reads + row.writes
    task.reads, task.writes, task.lines = row.reads, row.writes, row.lines
    task.accesses_left = accesses
    task.cpu_ms = task.cpu_left_ms = row.cpu_ms
    task.access_interval_ms = row.cpu_ms / (accesses + 1.0)
    task.access_left_ms = task.access_interval_ms if accesses > 0 else NEVER
    task.working_set_pages = int(max(1.0, min(row.working_set_pages, s.private_pages)))
    task.region = row.region
    task.typical = (
        task.kind == TaskType.CONVERSATIONAL
        and row.cpu_ms < s.typical_ms
        and accesses <= s.typical_accesses
    )
    task.sharable_touched = 0
    set_touches(m, t)
    set_share(m, task)
    task.slices = task.whole_slices = task.frames_sum = 0
    task.page_reads = task.page_writes = task.reclaims = 0
    task.dispatchable_sum = 0.0
    task.asked_ms = m.kernel.now_ms
    task.give_up_ms = min(task.asked_ms + row.patience_ms, task.session_end_ms)
    next_demand(m, t)
    note(m, Event.ACTIVE, t, accesses)
    make_eligible(m, t, task.entry)


@handler
def think(m, t):
    """Let a task be inactive for the think time of its next transaction; its user may log off."""
    task = m.tasks[t]
    task.state = State.INACTIVE
    wait_ms = m.demands[t].think_ms
    if m.kernel.now_ms >= task.session_end_ms:
        log_off(m, t)
        wait_ms = m.sessions[t].away_ms
        next_session(m, t)
    set_alarm(m.alarms, task_actor(m, t), m.kernel.now_ms + wait_ms)


@inlined
def task_alarm(m, t):
    """A user comes back, a think time is over, or an eligible task is behind schedule."""
    set_alarm(m.alarms, task_actor(m, t), NEVER)
    if m.tasks[t].state >= State.ELIGIBLE:
        m.kernel.schedule = 1
        return
    if m.tasks[t].state == State.TYPING:
        prompt(m, t)
        return
    if m.tasks[t].state == State.LOGGED_OFF:
        log_on(m, t)
        m.tasks[t].session_end_ms = m.kernel.now_ms + m.sessions[t].session_ms
    begin_transaction(m, t)


@handler
def prompt(m, t):
    """The system prompts for more work, with which a transaction ends."""
    note(m, Event.PROMPT, t, m.tasks[t].lines)
    log_transaction(m, t)
    think(m, t)


@handler
def interrupt(m, t, cause):
    """End a slice in mid transaction; a user out of patience, or time, cancels it."""
    if m.kernel.now_ms < m.tasks[t].give_up_ms:
        end_slice(m, t, cause)
        return
    end_slice(m, t, Cause.DONE)
    count(m, Count.CANCELLED, 1.0)
    note(m, Event.CANCEL, t, m.tasks[t].slices)
    think(m, t)


@handler
def complete(m, t):
    """A transaction's work is done: the task is inactive while its output is typed."""
    end_slice(m, t, Cause.DONE)
    task = m.tasks[t]
    note(m, Event.DONE, t, task.slices)
    if task.lines == 0:
        prompt(m, t)
        return
    task.state = State.TYPING
    set_alarm(m.alarms, task_actor(m, t), m.kernel.now_ms + task.lines * m.settings.line_ms)


@inlined
def start_access(m, t):
    """Read or write a record of a data set, and wait for it."""
    task = m.tasks[t]
    task.accesses_left -= 1
    task.access_left_ms = task.access_interval_ms if task.accesses_left > 0 else NEVER
    task.state = State.DATA_WAIT
    supervise(m, m.settings.access_ms)
    count(m, Count.DATA_ACCESSES, 1.0)
    first = m.settings.drums + m.settings.discs
    at = uniform(m.place) * m.settings.data_discs
    place = int((at - int(at)) * m.devices[first].blocks)
    request(m, Purpose.DATA_SET, first + int(at), place, t, NOBODY, NOBODY)


@inlined
def burst_ends(m):
    """The running task has come to what it needs next."""
    t = leave_processor(m)
    task = m.tasks[t]
    due = task.due
    if due == Due.FAULT:
        fault(m, t)
    elif due == Due.QUANTUM:
        task.quantum_left_ms = m.entries[task.entry].quantum_ms
        make_ready(m, t)
    elif due == Due.DATA_SET:
        start_access(m, t)
    elif due == Due.SLICE:
        interrupt(m, t, Cause.PROCESSING)
    elif due == Due.OVER_LIMIT:
        interrupt(m, t, Cause.OVER_LIMIT)
    else:
        complete(m, t)
