"""Run the machine: settle, measure, and put the numbers into a Result."""

import functools

import numpy as np
from numba import types

from perfkit.des.compiling import (
    COMPILED,
    PolicyKind,
    event_loop,
    failures_named,
    machine_type,
)
from perfkit.systems.tss360 import schedule, simulator
from perfkit.systems.tss360.assembly import new_machine
from perfkit.systems.tss360.load import Supply
from perfkit.systems.tss360.machine import Stop
from perfkit.systems.tss360.parameters import Parameters
from perfkit.systems.tss360.result import read_out
from perfkit.systems.tss360.scheduler import paper_entrance

entrance_policy = PolicyKind(
    "entrance",
    types.boolean(types.int64, types.int64, types.int64),
    paper_entrance,
)


@functools.cache
def _compiled_run(kind):
    return event_loop(simulator.run, kind, entrance_policy.type, types.float64)


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
    run = _compiled_run(machine_type(machine)) if COMPILED else simulator.run
    k = machine.kernel
    while True:
        with failures_named(entrance):
            run(machine, rule, 60000.0 * until_min)
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
    table = schedule.schedule_table(p) if schedule_table is None else schedule_table
    entries, index = schedule.read_schedule(table, p.frames)
    supply = Supply(p, seed)
    machine = new_machine(p, entries, index, supply, seed, trace)
    log = []
    run_machine(machine, supply, p.settled_min + p.measured_min, log, entrance=entrance)
    return read_out(machine, np.concatenate(log), p, seed)
