"""Run the machine: what happens next, who handles it; day by day, with its versions."""

from collections.abc import Callable, Sequence

import numpy as np
from numba import types
from numpy.typing import ArrayLike

from perfkit.core.values import checked_order
from perfkit.des.compiling import PolicyKind, handler, inlined
from perfkit.des.lists import NOBODY, pop
from perfkit.des.memo import remembered
from perfkit.des.processor import PROCESSOR_ACTOR
from perfkit.des.records import record
from perfkit.des.running import Loop, next_event
from perfkit.systems.cp67 import memory, processor
from perfkit.systems.cp67.devices import request_transfer, start_transfer
from perfkit.systems.cp67.load import checked_load, draw_load
from perfkit.systems.cp67.parameters import Parameters
from perfkit.systems.cp67.result import Result, add_day, read_out
from perfkit.systems.cp67.state import (
    DRUM_ACTOR,
    DUSETIMR,
    FIRST_DRIVE_ACTOR,
    KERNEL,
    LEVELS,
    SECOND_MS,
    Algorithm,
    Due,
    Frame,
    Stop,
    begin,
    make_ready,
    new_machine,
    rules,
    version_records,
)
from perfkit.systems.cp67.users import benchmark_ends, sio_ends, start_sio, task_ends, user_alarm

replacement_policy = PolicyKind(
    "replacement",
    types.int64(types.int64, types.int64, types.int64, types.float64, types.int64),
    memory.algorithm_2,
)


@inlined
def burst_ends(m, policy):
    """The running user has come to what he demands next."""
    due = m.kernel.due
    u = processor.leave_processor(m, m.kernel.burst_ms)
    if due == Due.FAULT:
        memory.fault(m, u, memory.missing_page(m, u), policy)
    elif due == Due.DRIFT:
        memory.drift(m, u)
    elif due == Due.SIO:
        start_sio(m, u)
    elif due == Due.FIRST_PAGE:
        memory.first_reference(m, u, policy)
    elif due == Due.QUANTUM:
        m.users[u].quantum_left_ms = rules(m).quantum_ms
        make_ready(m, u)
    elif due == Due.SLICE:
        processor.leave_queue(m, u)
        processor.to_q2(m, u)
    elif u == DUSETIMR:
        benchmark_ends(m)
    else:
        task_ends(m, u)


@inlined
def transfer_ends(m, policy):
    """A drum transfer has ended: a page-out is followed by the read into its frame."""
    k = m.kernel
    f = k.drum_frame
    k.drum_busy_ms += k.now_ms - k.drum_started_ms
    start_transfer(m)  # before the read is queued: others have waited longer
    if m.frames[f].state == Frame.WRITING:
        k.page_writes += 1
        memory.begin_read(m, f)
        request_transfer(m, f)
        return
    memory.page_arrives(m, f)
    if m.waiting_for_frame.length > 0:
        serve_frame_waits(m, policy)


@handler
def serve_frame_waits(m, policy):
    """Find frames for users who wait for one; the running user may lose a page by it."""
    if m.kernel.running != NOBODY:
        processor.interrupt(m)
    while m.waiting_for_frame.length > 0:
        if not memory.find_frame(m, m.waiting_for_frame.head, policy):
            return
        pop(m.users, m.waiting_for_frame)


@inlined
def happen(m, actor, policy):
    """Dispatch one alarm to its handler."""
    first_user = FIRST_DRIVE_ACTOR + m.drives.size
    if actor == PROCESSOR_ACTOR:
        burst_ends(m, policy)
    elif actor == DRUM_ACTOR:
        transfer_ends(m, policy)
    elif actor < first_user:
        sio_ends(m, actor - FIRST_DRIVE_ACTOR)
    else:
        user_alarm(m, actor - first_user)


def run(m, policy, until_ms):
    """Run the machine until a time; return its events so far.

    Algorithm 3 is ``policy(referenced, in_queue, trip, resident_ms, queue) -> choice``.
    """
    k = m.kernel
    k.stop = Stop.NONE
    if not k.begun:
        begin(m)
    while k.stop == Stop.NONE:
        if k.admit:
            processor.admit_candidates(m)
        if k.running != NOBODY:
            processor.preempt(m)
        if k.running == NOBODY:
            processor.dispatch(m)
        actor = next_event(m, until_ms)
        if actor == NOBODY:
            break
        happen(m, actor, policy)
    return k.events


LOOP = Loop(
    run,
    replacement_policy,
    refusals={
        Stop.BAD_ALGORITHM: "The replacement policy must say 0 (take), 1 (pass) or 2 (turn the bit"
        " off and pass), and take a page within three trips of the pointer."
    },
)


@remembered
def simulate(
    parameters: Parameters | None = None,
    seed: int = 0,
    *,
    versions: Sequence[dict] | None = None,
    order: ArrayLike | None = None,
    replacement: Callable | None = None,
    load: Callable | None = None,
    trace: int = 0,
) -> Result:
    """Simulate some days under one version, or under several switched on line.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``: one day of ten hours.
    seed : int
        Draws the load and everything else; the same seed, the same run.
    versions : sequence of dict, optional
        Changes of rules (POLICY_FIELDS: ``algorithm``, ``t1_ms``, ...), one dictionary per version.
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

    Raises
    ------
    RuntimeError
        If a replacement policy failed or gave an impossible answer.

    Examples
    --------
    >>> result = simulate(Parameters(users=5.0, measured_s=600.0), seed=0)
    >>> result.tasks_ended, round(result.user_percent, 2)
    (343, 21.21)
    """
    p = Parameters.given(parameters)
    if replacement is not None:
        replacement_policy.check(replacement)
        p = p if versions is not None else p.replace(algorithm=Algorithm.OWN)
    of_versions = checked_versions(p, versions, replacement)
    order = checked_order([0] if order is None else order, of_versions.size, " or one row per day")
    rows = np.ascontiguousarray(np.atleast_2d(order), np.int64)
    if load is not None and not callable(load):
        raise TypeError(f"load must be a function of (parameters, seed, day), not {load!r:.60}.")
    counts, areas, observations = record(KERNEL), np.zeros(LEVELS), []
    observed, first_trace = 0, None
    for day in range(p.days):
        row = np.roll(rows[0], -observed) if len(rows) == 1 else rows[day % len(rows)].copy()
        drawn = draw_load(p, seed, day) if load is None else checked_load(p, load(p, seed, day))
        machine = new_machine(p, drawn, of_versions, row, seed, day, 0 if day else trace)
        LOOP.until(machine, SECOND_MS * p.measured_s, replacement=replacement)
        k = machine.kernel
        add_day(k, machine.levels, counts, areas)
        observations.append(machine.observations[: k.observed])
        observed += int(k.observed)
        first_trace = machine.trace[: k.traced] if first_trace is None else first_trace
    observations = np.concatenate(observations).view(np.recarray)
    return read_out(counts, areas, observations, first_trace, p, seed)


def checked_versions(p, versions=None, replacement=None):
    """Return the rules of each version; Algorithm 3 needs a reader's rule, and that Algorithm 3."""
    of_versions = version_records(p, versions)
    has_own = (of_versions.algorithm == Algorithm.OWN).any()
    if replacement is None and has_own:
        raise ValueError("Algorithm 3 is the reader's own: hand it to simulate as replacement=.")
    if replacement is not None and not has_own:
        raise ValueError("replacement= is Algorithm 3, which none of the versions has.")
    return of_versions
