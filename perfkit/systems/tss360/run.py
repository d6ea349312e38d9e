"""Run the machine: settle, measure, and put the numbers into a Result."""

import functools

import numpy as np
from numba import types

from perfkit.des.alarms import next_actor, set_alarm
from perfkit.des.compiling import (
    COMPILED,
    PolicyKind,
    event_loop,
    failures_named,
    inlined,
    machine_type,
)
from perfkit.des.counters import mean_level, restart_level
from perfkit.systems.tss360 import load
from perfkit.systems.tss360.devices import finish_operation
from perfkit.systems.tss360.load import Supply
from perfkit.systems.tss360.memory.frames import written
from perfkit.systems.tss360.memory.paging import (
    migration_read,
    migration_written,
    page_read,
    place_all,
    serve_frame_waiters,
    start_migration,
)
from perfkit.systems.tss360.parameters import Parameters
from perfkit.systems.tss360.processor import dispatch, paper_entrance, schedule_tasks
from perfkit.systems.tss360.result import read_out
from perfkit.systems.tss360.state import (
    CLOCK_ACTOR,
    FIRST_DEVICE_ACTOR,
    MS_A_MINUTE,
    NOBODY,
    PROCESSOR_ACTOR,
    Purpose,
    Queue,
    Stop,
    new_machine,
    supervise_paging,
)
from perfkit.systems.tss360.users import access_ends, burst_ends, task_alarm


@inlined
def sample_minute(m):
    """Write a row of the sampling monitor and set its clock for the next."""
    k, row = m.kernel, m.minutes[m.kernel.minute]
    levels = m.levels.size
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
def why_to_stop(m):
    """Return why the loop must give control back: draws or the log's room may not last."""
    k = m.kernel
    if k.rows_ended or k.uniforms_used + m.settings.draws_an_event > m.uniforms.size:
        return Stop.DRAWS_USED
    return Stop.LOG_FULL if k.logged == m.log.size else Stop.TIME_UP


@inlined
def operation_done(m, d):
    """A device's interrupt: deal with the page that it has moved."""
    purpose, actor, page, frame = finish_operation(m, d)
    s = m.settings
    if purpose == Purpose.READ_PAGE:
        supervise_paging(m, s.interrupt_ms)
        page_read(m, actor, page, frame)
    elif purpose == Purpose.WRITE_PAGE:
        supervise_paging(m, s.write_ms)
        written(m, frame)
        start_migration(m)
    elif purpose == Purpose.DATA_SET:
        access_ends(m, actor)
    elif purpose == Purpose.MIGRATE_OUT:
        supervise_paging(m, s.write_ms)
        migration_read(m, actor, page)
    else:
        migration_written(m)


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
    """Run the machine until a time, or until draws or the log must be seen to.

    Parameters
    ----------
    m : Machine
        Modified in place; ``m.kernel.stop`` tells why the loop ended (a member of Stop).
    entrance : function
        ``entrance(limit_pages, available_pages, dispatchable) -> bool``.
    until_ms : float

    Returns
    -------
    int
        Events handled so far.
    """
    k = m.kernel
    if not k.placed:
        place_all(m)
    while True:
        if m.queues[Queue.FRAMES].length > 0:
            serve_frame_waiters(m)
        if k.schedule:
            schedule_tasks(m, entrance)
        if k.running == NOBODY:
            dispatch(m)
        k.stop = why_to_stop(m)
        if k.stop != Stop.TIME_UP:
            break
        if k.schedule:
            continue
        actor = next_actor(m.alarms)
        if m.alarms.time[actor] > until_ms:
            k.now_ms = until_ms
            break
        k.now_ms = m.alarms.time[actor]
        k.events += 1
        happen(m, actor)
    return k.events


entrance_policy = PolicyKind(
    "entrance",
    types.boolean(types.int64, types.int64, types.int64),
    paper_entrance,
)


@functools.cache
def _compiled_run(kind):
    return event_loop(run, kind, entrance_policy.type, types.float64)


@functools.cache
def _paper_entrance():
    return entrance_policy.own()


def run_machine(machine, supply, until_min, log, *, entrance=None):
    """Run an assembled machine until a time, compiled unless Numba is switched off.

    Parameters
    ----------
    machine : Machine
    supply : Supply
        Refills its draws.
    until_min : float
    log : list of ndarray
        Takes the event-tracing monitor's records, in order.
    entrance : callable, optional
        A function under ``@entrance_policy``.
    """
    rule = _paper_entrance() if entrance is None else entrance_policy.check(entrance)
    loop = _compiled_run(machine_type(machine)) if COMPILED else run
    k = machine.kernel
    while True:
        with failures_named(entrance):
            loop(machine, rule, 60000.0 * until_min)
        log.append(machine.log[: k.logged].copy())
        k.logged = 0
        if k.stop == Stop.TIME_UP:
            return
        if k.stop == Stop.DRAWS_USED:
            supply.refill(machine)


def simulate(parameters=None, seed=0, *, schedule_table=None, entrance=None, trace=0):
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

    Returns
    -------
    Result

    Raises
    ------
    TypeError
        If it is not given a Parameters record, or a policy of another kind.
    ValueError
        If the scheduling table is impossible, or seed or trace no whole number of 0 or more.
    """
    p = Parameters() if parameters is None else parameters
    if not isinstance(p, Parameters):
        raise TypeError(f"simulate takes tss360.Parameters(...), not {type(p).__name__}.")
    table = load.schedule_table(p) if schedule_table is None else schedule_table
    entries, index = load.read_schedule(table, p.frames)
    supply = Supply(p, seed)
    machine = new_machine(p, entries, index, supply, seed, trace)
    log = []
    run_machine(machine, supply, p.settled_min + p.measured_min, log, entrance=entrance)
    return read_out(machine, np.concatenate(log), p, seed)
