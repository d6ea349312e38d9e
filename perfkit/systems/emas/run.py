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
from perfkit.des.read_only import read_only, read_only_type
from perfkit.systems.emas import simulator
from perfkit.systems.emas.assembly import new_machine
from perfkit.systems.emas.categories import TABLE_4, read_categories
from perfkit.systems.emas.core import weighted_wait
from perfkit.systems.emas.load import TABLE_6, read_kinds, read_scripts
from perfkit.systems.emas.machine import Stop
from perfkit.systems.emas.parameters import Parameters
from perfkit.systems.emas.result import Snapshot, read_out
from perfkit.systems.emas.supply import Supply

_NUMBERS = read_only_type(types.float64[::1])

core_queue_policy = PolicyKind("core_queue", types.int64(_NUMBERS, _NUMBERS), weighted_wait)

STOPS = {
    Stop.BAD_CHOICE: "The core queue policy must say -1, or one of the queues 0 to 4 that"
    " holds a process.",
    Stop.NO_REQUEST_LEFT: "More disc transfers wait than there is room for: the background"
    " traffic exceeds what the drives can do.",
}


@functools.cache
def _compiled_run(kind):
    return event_loop(simulator.run, kind, core_queue_policy.type, types.float64)


@functools.cache
def _paper_policy():
    return core_queue_policy.own()


def _asked(machine):
    """Return what the core queue policy is asked with as the machine stands."""
    return read_only(machine.queue_waits_ms), read_only(machine.queue_weights)


def run_machine(machine, supply, until_s, *, core_queue=None):
    """Run an assembled machine until a time, compiled unless Numba is switched off.

    Raises
    ------
    RuntimeError
        If the policy failed or gave an impossible answer, or disc transfers pile up; the message
        says which.
    """
    rule = _paper_policy() if core_queue is None else core_queue_policy.check(core_queue)
    run = _compiled_run(machine_type(machine)) if COMPILED else simulator.run
    while True:
        with failures_named(core_queue, asked=lambda: _asked(machine)):
            run(machine, rule, 1000.0 * until_s)
        if machine.kernel.stop != Stop.DRAWS_USED:
            break
        supply.refill(machine)
    if machine.kernel.stop != Stop.TIME_UP:
        raise RuntimeError(STOPS[Stop(machine.kernel.stop)])


def simulate(
    parameters=None,
    seed=0,
    *,
    categories=None,
    scripts=None,
    kinds=None,
    core_queue=None,
    trace=0,
):
    """Simulate one run.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``: machine B with 30 users.
    seed : int
        Draws the load and the phases; the same seed, the same run.
    categories : pandas.DataFrame, dict of columns or list of dict, optional
        A row a category (see ``Category``); defaults to Table 4.
    scripts : pandas.DataFrame, dict of columns or list of dict, optional
        Job scripts to play, a row a command (see ``ScriptCommand``); by default sessions are
        drawn at random.
    kinds : mapping of str to CommandKind, optional
        The mix of commands that they are drawn from; defaults to Table 6.
    core_queue : callable, optional
        A function under ``@core_queue_policy``; defaults to the greatest weighted wait.
    trace : int
        How many trace records there is room for, at most 10^8; a full trace stops growing and
        is marked in ``counts["trace_full"]``. The records cost the simulated processor time.

    Returns
    -------
    Result

    Raises
    ------
    RuntimeError
        If the policy failed or gave an impossible answer, or disc transfers pile up.
    """
    p = Parameters() if parameters is None else parameters
    if not isinstance(p, Parameters):
        raise TypeError(f"simulate takes emas.Parameters(...), not {type(p).__name__}.")
    table = read_categories(TABLE_4 if categories is None else categories)
    _check_core(p, table)
    mix = read_kinds(TABLE_6 if kinds is None else kinds)
    supply = Supply(p, seed, None if scripts is None else read_scripts(p, scripts), mix)
    end_s = p.settle_s + p.measured_s
    machine = new_machine(p, table, supply, seed, end_s, trace)
    run_machine(machine, supply, p.settle_s, core_queue=core_queue)
    settled = Snapshot(machine)
    run_machine(machine, supply, end_s, core_queue=core_queue)
    supply.collect(machine)
    return read_out(machine, supply, settled, p, seed)


def _check_core(p, categories):
    largest = max(category.core_pages for category in categories)
    if largest > p.core_pages:
        raise ValueError(
            f"core_pages must hold the largest core allowance, {largest}; {p.core_pages} does not."
        )
