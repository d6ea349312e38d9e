"""Run the machine: settle, measure, and put the numbers into a Result."""

import functools

from numba import types

from perfkit.des.compiling import (
    COMPILED,
    PolicyKind,
    event_loop,
    failures_named,
    machine_type,
)
from perfkit.systems.sim61 import simulator
from perfkit.systems.sim61.activator import n_to_1
from perfkit.systems.sim61.assembly import new_machine
from perfkit.systems.sim61.load import TABLE_1, read_load
from perfkit.systems.sim61.machine import Stop
from perfkit.systems.sim61.parameters import TABLE_2, Parameters
from perfkit.systems.sim61.result import Snapshot, read_out
from perfkit.systems.sim61.supply import Supply

fault_policy = PolicyKind(
    "fault",
    types.float64(types.int64, types.int64, types.float64, types.float64),
    simulator.paper_curve,
)
activation_policy = PolicyKind(
    "activation",
    types.int64(types.int64, types.int64, types.int64, types.int64, types.float64),
    n_to_1,
)

STOPS = {
    Stop.BAD_CURVE: "The fault policy gave a time that is negative or falls with the page.",
    Stop.BAD_CHOICE: "The activation policy must say -1, 0 (interactive) or 1 (batch).",
}


@functools.cache
def _compiled_run(kind):
    return event_loop(simulator.run, kind, fault_policy.type, activation_policy.type, types.float64)


@functools.cache
def _paper_policies():
    return fault_policy.own(), activation_policy.own()


def run_machine(machine, supply, until_s, *, fault=None, activation=None):
    """Run an assembled machine until a time, compiled unless Numba is switched off.

    Raises
    ------
    RuntimeError
        If a policy failed or gave an impossible answer; the message names it.
    """
    curve, rule = _paper_policies()
    curve = curve if fault is None else fault_policy.check(fault)
    rule = rule if activation is None else activation_policy.check(activation)
    run = _compiled_run(machine_type(machine)) if COMPILED else simulator.run
    while True:
        with failures_named(fault, activation):
            run(machine, curve, rule, 1000.0 * until_s)
        if machine.kernel.stop != Stop.DRAWS_USED:
            break
        supply.refill(machine)
    if machine.kernel.stop != Stop.TIME_UP:
        raise RuntimeError(STOPS[Stop(machine.kernel.stop)])


def simulate(
    parameters=None,
    seed=0,
    *,
    load=None,
    fault=None,
    activation=None,
    devices=None,
    trace=0,
):
    """Simulate one run.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``: 1MB and one drum.
    seed : int
        Draws the load and the phases; the same seed, the same run.
    load : pandas.DataFrame, dict of columns or list of dict, optional
        A row a class of tasks (see ``TaskClass``); defaults to Table 1.
    fault : callable, optional
        A function under ``@fault_policy``; defaults to the curve of Figure 2.
    activation : callable, optional
        A function under ``@activation_policy``; defaults to N to 1.
    devices : mapping of str to Device, optional
        What the names of devices mean; defaults to Table 2.
    trace : int
        How many trace records to keep, at most 10^8; a full trace stops growing and is marked in
        ``counts["trace_full"]``.

    Returns
    -------
    Result

    Raises
    ------
    RuntimeError
        If a policy failed or gave an impossible answer.
    """
    p = Parameters() if parameters is None else parameters
    if not isinstance(p, Parameters):
        raise TypeError(f"simulate takes sim61.Parameters(...), not {type(p).__name__}.")
    classes = read_load(TABLE_1 if load is None else load)
    supply = Supply(classes, seed)
    machine = new_machine(p, classes, supply, seed, TABLE_2 if devices is None else devices, trace)
    run_machine(machine, supply, p.settle_s, fault=fault, activation=activation)
    settled = Snapshot(machine)
    end_s = p.settle_s + p.measured_s
    run_machine(machine, supply, end_s, fault=fault, activation=activation)
    return read_out(machine, settled, p, classes, seed)
