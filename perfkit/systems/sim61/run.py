"""Run the machine: what happens next, who handles it; settle, measure, read out."""

from collections.abc import Callable, Mapping

from numba import types

from perfkit.core.tables import Table
from perfkit.des import lists
from perfkit.des.compiling import PolicyKind, inlined
from perfkit.des.lists import NOBODY
from perfkit.des.memo import remembered
from perfkit.des.processor import PROCESSOR_ACTOR
from perfkit.des.running import Loop, next_event
from perfkit.systems.sim61.devices import device_alarm
from perfkit.systems.sim61.load import TABLE_1, read_load
from perfkit.systems.sim61.parameters import TABLE_2, Parameters
from perfkit.systems.sim61.processor import activate_tasks, dispatch, n_to_1
from perfkit.systems.sim61.result import Result, read_out
from perfkit.systems.sim61.state import FIRST_DEVICE_ACTOR, Stop, begin, new_machine, note_counts
from perfkit.systems.sim61.users import burst_ends, operation_done, paper_curve, task_alarm

fault_policy = PolicyKind(
    "fault", types.float64(types.int64, types.int64, types.float64, types.float64), paper_curve
)
activation_policy = PolicyKind(
    "activation",
    types.int64(types.int64, types.int64, types.int64, types.int64, types.float64),
    n_to_1,
)


@inlined
def handle_device(m, d):
    """A device's alarm: deal with the operation that it ends, if it ends one."""
    r = device_alarm(m, d)
    if r == NOBODY:
        return
    purpose, t = m.requests[r].purpose, m.requests[r].task
    lists.push_front(m.requests, m.free_requests, r)
    operation_done(m, purpose, t, m.devices[d].supervisor_ms)


@inlined
def happen(m, actor, fault):
    """Dispatch one alarm to its handler."""
    if actor == PROCESSOR_ACTOR:
        burst_ends(m, fault)
    elif actor < FIRST_DEVICE_ACTOR + m.devices.size:
        handle_device(m, actor - FIRST_DEVICE_ACTOR)
    else:
        task_alarm(m, actor - FIRST_DEVICE_ACTOR - m.devices.size)


def run(m, fault, rule, until_ms):
    """Run the machine until a time; return its events so far."""
    k, settle_ms = m.kernel, m.settings.settle_ms
    k.stop = Stop.NONE
    if not k.begun:
        begin(m)
    while True:
        stage_ms = until_ms if k.settled else min(until_ms, settle_ms)
        while k.stop == Stop.NONE:
            if k.activate:
                activate_tasks(m, fault, rule)
            if k.running == NOBODY:
                dispatch(m)
            actor = next_event(m, stage_ms)
            if actor == NOBODY:
                break
            happen(m, actor, fault)
        if k.settled or k.stop != Stop.NONE or until_ms < settle_ms:
            break
        k.settled = 1
        note_counts(m, m.before)
    note_counts(m, m.after)
    return k.events


LOOP = Loop(
    run,
    fault_policy,
    activation_policy,
    refusals={
        Stop.BAD_CURVE: "The fault policy gave a time that is negative or falls with the page.",
        Stop.BAD_CHOICE: "The activation policy must say -1, 0 (interactive) or 1 (batch).",
    },
)


@remembered
def simulate(
    parameters: Parameters | None = None,
    seed: int = 0,
    *,
    load: Table | None = None,
    fault: Callable | None = None,
    activation: Callable | None = None,
    devices: Mapping | None = None,
    trace: int = 0,
) -> Result:
    """Simulate one run.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``: 1MB and one drum.
    seed : int
        Draws the load and the phases; the same seed, the same run.
    load : pandas.DataFrame, dict of columns or list of dict, optional
        One row per class of tasks (see ``TaskClass``); defaults to Table 1.
    fault : callable, optional
        A function under ``@fault_policy``; defaults to the curve of Figure 2.
    activation : callable, optional
        A function under ``@activation_policy``; defaults to N to 1.
    devices : mapping of str to Device, optional
        What the names of devices mean; defaults to ``TABLE_2``, all that ``perfkit run`` knows.
    trace : int
        How many trace records to keep, at most 10^8; a full trace stops growing and is marked in
        ``counts["trace_full"]``.

    Raises
    ------
    RuntimeError
        If a policy failed or gave an impossible answer.

    Examples
    --------
    >>> result = simulate(Parameters(settle_s=10.0, measured_s=30.0), seed=0)
    >>> result.interactions, round(result.response_s, 3)
    (53, 10.868)
    """
    p = Parameters.given(parameters)
    classes = TABLE_1 if load is None else read_load(load)
    machine = new_machine(p, classes, seed, TABLE_2 if devices is None else devices, trace)
    policies = {"fault": fault, "activation": activation}
    LOOP.until(machine, 1000.0 * (p.settle_s + p.measured_s), **policies)
    return read_out(machine, p, classes, seed)
