"""Run the machine: what happens next, who handles it; the sampling monitor; settle, measure."""

from collections.abc import Callable

from numba import types

from perfkit.core.tables import Table
from perfkit.des.alarms import set_alarm
from perfkit.des.compiling import PolicyKind, inlined
from perfkit.des.counters import mean_level, restart_level
from perfkit.des.lists import NOBODY
from perfkit.des.memo import remembered
from perfkit.des.processor import PROCESSOR_ACTOR
from perfkit.des.running import Loop, next_event
from perfkit.systems.tss360 import load
from perfkit.systems.tss360.devices import finish_operation
from perfkit.systems.tss360.memory import paging
from perfkit.systems.tss360.memory.frames import written
from perfkit.systems.tss360.parameters import Parameters
from perfkit.systems.tss360.processor import dispatch, paper_entrance, schedule_tasks
from perfkit.systems.tss360.result import Result, read_out, transaction_log
from perfkit.systems.tss360.state import (
    CLOCK_ACTOR,
    FIRST_DEVICE_ACTOR,
    MS_A_MINUTE,
    Count,
    Purpose,
    Queue,
    Stop,
    make_ready,
    new_machine,
    supervise_paging,
)
from perfkit.systems.tss360.users import begin, burst_ends, task_alarm

entrance_policy = PolicyKind(
    "entrance", types.boolean(types.int64, types.int64, types.int64), paper_entrance
)


@inlined
def sample_minute(m):
    """Write a row of the sampling monitor: means of levels, then differences of tallies.

    What the paper averaged off-line from many samples a minute is averaged exactly here.
    """
    k, row, levels = m.kernel, m.minutes[m.kernel.minute], m.levels.size
    m.tallies[Count.SUPERVISOR_MS] = k.supervisor_ms  # charged when given, work ahead included
    for i in range(levels):
        row[i] = mean_level(m.levels[i], k.minute_ms, k.now_ms)
        restart_level(m.levels[i], k.now_ms)
    for i in range(m.tallies.size):
        row[levels + i] = m.tallies[i] - m.tallied[i]
        m.tallied[i] = m.tallies[i]
    k.minute += 1
    k.minute_ms = k.now_ms
    set_alarm(m.alarms, CLOCK_ACTOR, k.now_ms + MS_A_MINUTE)


@inlined
def operation_done(m, d):
    """A device's interrupt: deal with the page that it has moved."""
    purpose, actor, page, frame = finish_operation(m, d)
    s = m.settings
    if purpose == Purpose.READ_PAGE:
        supervise_paging(m, s.interrupt_ms)
        paging.page_read(m, actor, page, frame)
    elif purpose == Purpose.WRITE_PAGE:
        supervise_paging(m, s.write_ms)
        written(m, frame)
        paging.start_migration(m)
    elif purpose == Purpose.DATA_SET:
        make_ready(m, actor)
    elif purpose == Purpose.MIGRATE_OUT:
        supervise_paging(m, s.write_ms)
        paging.migration_read(m, actor, page)
    else:
        m.kernel.migrating = 0  # the page is on its disc; perhaps another must follow
        paging.start_migration(m)


@inlined
def happen(m, actor):
    """Dispatch one alarm to its handler."""
    if actor == PROCESSOR_ACTOR:
        burst_ends(m)
    elif actor == CLOCK_ACTOR:
        sample_minute(m)
    elif actor < FIRST_DEVICE_ACTOR + m.devices.size:
        operation_done(m, actor - FIRST_DEVICE_ACTOR)
    else:
        task_alarm(m, actor - FIRST_DEVICE_ACTOR - m.devices.size)


def run(m, entrance, until_ms):
    """Run the machine until a time, or until its log is full; return its events so far."""
    k = m.kernel
    k.stop = Stop.NONE
    if not k.begun:
        begin(m)
    while k.stop == Stop.NONE:
        if m.queues[Queue.FRAMES].length > 0:
            paging.serve_frame_waiters(m)
        if k.schedule:
            schedule_tasks(m, entrance)
        if k.running == NOBODY:
            dispatch(m)
        if k.schedule:  # a task that was to leave has left: its room is offered before time goes on
            continue
        actor = next_event(m, until_ms)
        if actor == NOBODY:
            break
        happen(m, actor)
    return k.events


LOOP = Loop(run, entrance_policy)


@remembered
def simulate(
    parameters: Parameters | None = None,
    seed: int = 0,
    *,
    schedule_table: Table | None = None,
    entrance: Callable | None = None,
    trace: int = 0,
) -> Result:
    """Simulate one run.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``: the old schedule and the old replacement.
    seed : int
        Draws the load; the same seed, the same run and the same demands of every task.
    schedule_table : pandas.DataFrame, dict of columns or list of dict, optional
        Defaults to ``tss360.schedule_table(parameters)``.
    entrance : callable, optional
        A function under ``@entrance_policy``; defaults to P_max < P_eav.
    trace : int
        How many trace records to keep, at most 10^8; a full trace stops growing and is marked in
        ``counts["trace_full"]``.

    Raises
    ------
    RuntimeError
        If a policy failed.

    Examples
    --------
    >>> result = simulate(Parameters(users=5.0, settle_s=60.0, measured_s=120.0), seed=0)
    >>> round(result.N_t, 2), round(result.r_pf, 2)
    (7.11, 5.91)
    """
    p = Parameters.given(parameters)
    if schedule_table is None:
        entries, index = load.own_schedule(p)
    else:
        entries, index = load.read_schedule(schedule_table, p.frames)
    machine = new_machine(p, entries, index, load.demand_tables(p), seed, trace)
    until_ms, log = MS_A_MINUTE * (p.settled_min + p.measured_min), transaction_log()
    LOOP.until(machine, until_ms, log.take, entrance=entrance)
    return read_out(machine, log.taken(machine), p, seed)
