"""Run the machine and measure it as iostat does (section 4.3), or observe it at intervals."""

from collections.abc import Callable

import numba
import numpy as np
from numba import types

from perfkit.core.values import checked_order, is_finite
from perfkit.des.alarms import NEVER, next_actor, set_alarm
from perfkit.des.compiling import PolicyKind, inlined
from perfkit.des.lists import NOBODY
from perfkit.des.memo import remembered
from perfkit.des.read_only import read_only, read_only_type
from perfkit.des.records import viewed
from perfkit.des.running import Loop
from perfkit.systems.unix_v6 import devices, processor
from perfkit.systems.unix_v6.load import Workload, checked_workload, draw_workload
from perfkit.systems.unix_v6.memory import longest_out, paper_victim, run_scheduler
from perfkit.systems.unix_v6.parameters import Parameters
from perfkit.systems.unix_v6.result import OBSERVATION, Result, counted, observed, read_out
from perfkit.systems.unix_v6.state import (
    CLOCK_ACTOR,
    FIRST_DRIVE_ACTOR,
    LINE_ACTOR,
    PROCESS,
    PROCESSOR_ACTOR,
    SCHEDULER,
    SECOND_MS,
    Channel,
    Mode,
    State,
    Stop,
    begin,
    new_machine,
    sample,
)
from perfkit.systems.unix_v6.users import advance

LONGEST_RUN_MS = 1e9
LEAST_PERIOD_S = 1.0 / 30.0  # two clock ticks: at least one falls into it
SWITCHABLE = ("minimum_time_out_s", "minimum_time_in_s")

_PROCESSES = read_only_type(types.Array(numba.from_dtype(PROCESS), 1, "C"))

victim_policy = PolicyKind(
    "victim", types.int64(_PROCESSES, types.int64, types.int64, types.int64), paper_victim
)


@inlined
def start_measuring(m):
    """iostat starts: everything counted so far is forgotten."""
    k = m.kernel
    sample(m)  # the ticks so far must not be counted after this
    m.samples[:, :] = 0
    m.queue_samples[:] = 0
    k.measure_from_now = 0
    k.started_ms = k.now_ms
    k.queue_changed_ms = k.now_ms
    k.queue_area_ms = k.busy_ms = 0.0
    k.swap_time_ms = k.block_time_ms = k.swap_response_ms = k.block_response_ms = 0.0
    k.swaps_out = k.swaps_in = k.swap_clicks = k.scattered = 0
    k.swap_ends = k.swaps_at_once = k.pauses = k.pauses_out = 0
    k.reads = k.read_aheads = k.cache_hits = k.writes = k.seeks = k.characters = 0


@inlined
def handle_drive(m, d):
    """A drive's alarm: a finished transfer goes to the scheduler or the cache."""
    if not devices.drive_alarm(m, d):
        return
    if m.serving[d].buffer == devices.SWAP:
        m.kernel.swap_done = 1
        processor.wake_scheduler(m, Channel.SWAP_DONE)
    else:
        devices.transfer_done(m, m.serving[d].buffer)
    devices.start_waiting_transfers(m)
    devices.start_drives(m)


@inlined
def run_processor(m, victim, burst_ended):
    """Let the processor go on: the running process, or the best one when it must yield."""
    k, processes = m.kernel, m.processes
    if k.running != NOBODY:
        if burst_ended:
            processor.charge_processor(m)
            processes[k.running].burst_ms = 0.0
        elif k.reschedule and processes[k.running].mode == Mode.USER:
            processor.charge_processor(m)
            processor.leave_processor(m)
        else:
            return
    while k.stop == Stop.NONE:
        if k.running == NOBODY and processor.pick_process(m) == NOBODY:
            return
        p = k.running
        process = processes[p]
        if process.burst_ms > 0.0:
            set_alarm(m.alarms, PROCESSOR_ACTOR, k.now_ms + process.burst_ms)
            return
        if p == SCHEDULER:
            run_scheduler(m, p, victim)
            process.burst_ms = m.settings.scheduler_ms
        else:
            advance(m, p)
        if process.state != State.READY or (k.reschedule and process.mode == Mode.USER):
            processor.leave_processor(m)


@inlined
def happen(m, actor):
    """Dispatch one alarm to its handler."""
    if actor == CLOCK_ACTOR:
        set_alarm(m.alarms, CLOCK_ACTOR, m.kernel.now_ms + SECOND_MS)
        processor.second_passes(m)
    elif actor == LINE_ACTOR:
        set_alarm(m.alarms, LINE_ACTOR, NEVER)
        processor.wake(m, Channel.LINE)
    elif actor >= FIRST_DRIVE_ACTOR:
        handle_drive(m, actor - FIRST_DRIVE_ACTOR)


def run(m, victim, until_ms):
    """Run the machine until its last workload process has left, a time, or a refusal.

    After a pause it goes on as if nothing had been; it returns the events handled so far.
    """
    k = m.kernel
    k.stop = Stop.NONE
    if not k.begun:
        begin(m)
    burst_ended = False
    run_processor(m, victim, burst_ended)
    while k.users_left > 0 and k.stop == Stop.NONE:
        actor = next_actor(m.alarms)
        if m.alarms.time[actor] > until_ms:
            break
        k.now_ms = m.alarms.time[actor]
        if k.now_ms > LONGEST_RUN_MS:
            k.stop = Stop.NO_PROGRESS
            break
        k.events += 1
        happen(m, actor)
        burst_ended = actor == PROCESSOR_ACTOR
        if burst_ended:
            set_alarm(m.alarms, PROCESSOR_ACTOR, NEVER)
        run_processor(m, victim, burst_ended)
        if k.measure_from_now:
            start_measuring(m)
    return k.events


def _arguments(machine):
    """Return what the victim policy is asked with as the machine stands."""
    processes, s = read_only(viewed(machine.processes)), machine.settings
    return processes, longest_out(processes), s.minimum_time_out_s, s.minimum_time_in_s


LOOP = Loop(
    run,
    victim_policy,
    refusals={
        Stop.BAD_VICTIM: "The victim policy chose a process that is not in core or is being"
        " swapped.",
        Stop.SWAP_AREA_FULL: "The swap area is full.",
        Stop.NO_PROGRESS: "The workload did not end within 10^9 ms of simulated time.",
    },
    arguments=_arguments,
)


@remembered
def simulate(
    parameters: Parameters | None = None,
    seed: int = 0,
    *,
    victim: Callable | None = None,
    workload: Workload | None = None,
    trace: int = 0,
) -> Result:
    """Simulate one run of the workload.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``.
    seed : int
        Draws the workload and the phases; the same seed, the same run.
    victim : callable, optional
        A function under ``@victim_policy``; defaults to the paper's rule.
    workload : Workload, optional
        For as many processes, interactions and blocks as the parameters say; defaults to
        ``draw_workload(parameters, seed)``.
    trace : int
        How many trace records to keep, at most 10^8; a full trace stops growing and is marked in
        ``counts["trace_full"]``.

    Raises
    ------
    RuntimeError
        If a policy failed or gave an impossible answer, or the workload does not end.

    Examples
    --------
    >>> result = simulate(Parameters(processes=4, interactions=10), seed=0)
    >>> round(result.elapsed_s, 1), result.swaps
    (15.0, 0)
    """
    p = Parameters.given(parameters)
    workload = draw_workload(p, seed) if workload is None else checked_workload(p, workload)
    machine = new_machine(p, workload, seed, trace)
    LOOP.until(machine, NEVER, victim=victim)
    return read_out(machine, p, seed)


def observe(parameters=None, seed=0, *, versions, order, period_s=60.0, victim=None):
    """Observe one run, switching between versions that differ in their minimum times.

    Parameters
    ----------
    parameters : Parameters, optional
        ``interactions`` must last for all observations.
    seed : int
    versions : sequence of dict
        What each version changes: ``minimum_time_out_s``, ``minimum_time_in_s``.
    order : array of int, shape (observations,)
        The version in force in each observation.
    period_s : float
        Length of an observation, two clock ticks of 1/60 s or more.
    victim : callable, optional
        As in ``simulate``.

    Returns
    -------
    ndarray of OBSERVATION, shape (observations,)
        The first begins when every process that prints has done so once (section 4.5).

    Examples
    --------
    >>> versions = [{"minimum_time_in_s": 3}, {"minimum_time_in_s": 10}]
    >>> rows = observe(versions=versions, order=[0, 1, 0], period_s=30.0)
    >>> rows["version"].tolist(), rows["start_s"].tolist()
    ([0, 1, 0], [30.0, 60.0, 90.0])
    """
    p = Parameters.given(parameters, "observe")
    if not is_finite(period_s) or period_s < LEAST_PERIOD_S:
        raise ValueError(
            "period_s must be a finite number of 1/30 (two clock ticks) or more;"
            f" {period_s!r} is not."
        )
    switched = [_switched(p, version) for version in versions]
    if not switched:
        raise ValueError("versions must hold at least one dictionary of changes.")
    order = checked_order(order, len(switched))
    machine = new_machine(p, draw_workload(p, seed), seed)
    switched[order[0]].fill(machine.settings)
    until_ms, period_ms = 0.0, 1000.0 * period_s
    _run_on(machine, until_ms, victim)
    while machine.kernel.users_silent > 0:
        until_ms += period_ms
        _run_on(machine, until_ms, victim)
    observations = np.zeros(order.size, OBSERVATION)
    for row, version in enumerate(order):
        switched[version].fill(machine.settings)
        before = counted(machine, until_ms)
        until_ms += period_ms
        _run_on(machine, until_ms, victim)
        observations[row] = observed(version, before, counted(machine, until_ms))
    return observations


def _switched(parameters, version):
    if not isinstance(version, dict):
        raise TypeError(
            f"versions must be a sequence of dictionaries of changes; {version!r} is no dictionary."
        )
    odd = sorted(set(version) - set(SWITCHABLE))
    if odd:
        raise ValueError(f"{odd[0]} can't be switched on line; {' and '.join(SWITCHABLE)} can.")
    return parameters.replace(**version)


def _run_on(machine, until_ms, victim):
    LOOP.until(machine, until_ms, victim=victim)
    if machine.kernel.users_left == 0:
        raise ValueError(
            f"The workload ended after {machine.kernel.now_ms / 1000.0:.0f} s, before the last"
            " observation; ask for more interactions or fewer observations."
        )
