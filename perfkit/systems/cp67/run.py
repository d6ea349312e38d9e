"""Run the machine day by day and put the numbers into a Result."""

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
from perfkit.systems.cp67 import simulator
from perfkit.systems.cp67.assembly import new_machine, version_records
from perfkit.systems.cp67.load import checked_load, draw_load
from perfkit.systems.cp67.machine import SECOND_MS, Stop
from perfkit.systems.cp67.paging import algorithm_2
from perfkit.systems.cp67.parameters import OWN_ALGORITHM, Parameters
from perfkit.systems.cp67.result import Day, read_out
from perfkit.systems.cp67.supply import Supply

replacement_policy = PolicyKind(
    "replacement",
    types.int64(types.int64, types.int64, types.int64, types.float64, types.int64),
    algorithm_2,
)

STOPS = {
    Stop.BAD_ALGORITHM: "The replacement policy must say 0 (take), 1 (pass) or 2 (turn the bit"
    " off and pass), and take a page within three trips of the pointer.",
}


@functools.cache
def _compiled_run(kind):
    return event_loop(simulator.run, kind, replacement_policy.type, types.float64)


@functools.cache
def _placeholder():
    return replacement_policy.own()


def run_machine(machine, supply, until_s, replacement=None):
    """Run an assembled machine until a time, compiled unless Numba is switched off.

    Raises
    ------
    RuntimeError
        If a replacement policy failed or gave an impossible answer.
    """
    own = _placeholder() if replacement is None else replacement_policy.check(replacement)
    run = _compiled_run(machine_type(machine)) if COMPILED else simulator.run
    while True:
        with failures_named(replacement):
            run(machine, own, SECOND_MS * until_s)
        if machine.kernel.stop != Stop.DRAWS_USED:
            break
        supply.refill(machine)
    if machine.kernel.stop != Stop.TIME_UP:
        raise RuntimeError(STOPS[Stop(machine.kernel.stop)])


def simulate(
    parameters=None, seed=0, *, versions=None, order=None, replacement=None, load=None, trace=0
):
    """Simulate some days under one version, or under several switched on line.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``: one day of ten hours.
    seed : int
        Draws the load and everything else; the same seed, the same run.
    versions : sequence of dict, optional
        Changes of rules (POLICY_FIELDS: ``algorithm``, ``t1_ms``, ...), a version each.
    order : array_like of int, optional
        The version of each observation. One row: it goes on from day to day and repeats.
        Several rows: day d has row d, modulo their number, which repeats within the day.
        By default the first version only.
    replacement : callable, optional
        Algorithm 3, a function under ``@replacement_policy``. Without ``versions`` the run
        has it, whatever ``parameters.algorithm`` says; with them only those of algorithm 3.
    load : callable, optional
        ``load(parameters, seed, day)`` returns a Load; defaults to ``draw_load``.
    trace : int
        How many trace records of the first day to keep, at most 10^8; a full trace stops
        growing and is marked in ``counts["trace_full"]``.

    Returns
    -------
    Result

    Raises
    ------
    TypeError
        If ``parameters``, ``replacement`` or ``load`` are of another kind, or ``load`` returns
        no Load.
    ValueError
        If a version changes what can't be switched, ``order`` names no version, Algorithm 3 is
        asked for and not given, or given and not asked for, or a Load is impossible for the
        parameters.
    RuntimeError
        If a replacement policy failed or gave an impossible answer.
    """
    p = Parameters() if parameters is None else parameters
    if not isinstance(p, Parameters):
        raise TypeError(f"simulate takes cp67.Parameters(...), not {type(p).__name__}.")
    if replacement is not None:
        replacement_policy.check(replacement)
        p = p if versions is not None else p.replace(algorithm=OWN_ALGORITHM)
    records = version_records(p, versions)
    if replacement is None and (records.algorithm == OWN_ALGORITHM).any():
        raise ValueError("Algorithm 3 is the reader's own: hand it to simulate as replacement=.")
    if replacement is not None and not (records.algorithm == OWN_ALGORITHM).any():
        raise ValueError("replacement= is Algorithm 3, which none of the versions has.")
    rows = checked_order(order, records.size)
    if load is not None and not callable(load):
        raise TypeError(f"load must be a function of (parameters, seed, day), not {load!r:.60}.")
    days, observed = [], 0
    for day in range(p.days):
        row = np.roll(rows[0], -observed) if len(rows) == 1 else rows[day % len(rows)].copy()
        drawn = draw_load(p, seed, day) if load is None else checked_load(p, load(p, seed, day))
        machine = new_machine(p, drawn, records, row, seed, day, 0 if day else trace)
        run_machine(machine, Supply(seed, day), p.day_s, replacement)
        days.append(Day(machine, day))
        observed += int(machine.kernel.observed)
    return read_out(days, p, seed)


def checked_order(order, versions):
    """Return an order as rows of version numbers, or refuse it in one sentence."""
    rows = np.atleast_2d(np.zeros(1, int) if order is None else np.asarray(order))
    whole = rows.ndim == 2 and rows.size > 0 and np.issubdtype(rows.dtype, np.integer)
    if not whole or rows.min() < 0 or rows.max() >= versions:
        raise ValueError(
            f"order must be whole numbers from 0 to {versions - 1}, a version for each"
            " observation, in one row or a row a day."
        )
    return np.ascontiguousarray(rows, np.int64)
