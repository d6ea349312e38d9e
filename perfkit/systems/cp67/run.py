"""The event loop: what happens next, who handles it, who is admitted and runs then."""

import functools

import numpy as np
from numba import types

from perfkit.des.alarms import next_actor
from perfkit.des.compiling import (
    COMPILED,
    PolicyKind,
    event_loop,
    failures_named,
    handler,
    inlined,
    machine_type,
)
from perfkit.des.lists import NOBODY, pop
from perfkit.des.processor import PROCESSOR_ACTOR
from perfkit.systems.cp67.devices import end_record, end_transfer, request_transfer
from perfkit.systems.cp67.load import Supply, checked_load, draw_load
from perfkit.systems.cp67.memory import (
    algorithm_2,
    begin_read,
    drift,
    fault,
    find_frame,
    first_reference,
    missing_page,
    page_arrives,
)
from perfkit.systems.cp67.parameters import OWN_ALGORITHM, Parameters
from perfkit.systems.cp67.processor import (
    admit_candidates,
    dispatch,
    interrupt,
    leave_processor,
    preempt,
    quantum_ends,
    slice_ends,
)
from perfkit.systems.cp67.result import Day, read_out
from perfkit.systems.cp67.state import (
    DRUM_ACTOR,
    DUSETIMR,
    FIRST_DRIVE_ACTOR,
    SECOND_MS,
    Due,
    Frame,
    Stop,
    new_machine,
    version_records,
)
from perfkit.systems.cp67.users import (
    benchmark_ends,
    sio_ends,
    start_sio,
    task_ends,
    user_alarm,
    wake_up,
)


@inlined
def transfer_ends(m, f, own):
    """A drum transfer has ended: a page-out is followed by the read into its frame."""
    if m.frames[f].state == Frame.WRITING:
        m.kernel.page_writes += 1
        begin_read(m, f)
        request_transfer(m, f)
        return
    page_arrives(m, f)
    if m.waiting_for_frame.length > 0:
        serve_frame_waits(m, own)


@handler
def serve_frame_waits(m, own):
    """Find frames for users who wait for one; the running user may lose a page by it."""
    if m.kernel.running != NOBODY:
        interrupt(m)
    while m.waiting_for_frame.length > 0 and find_frame(m, m.waiting_for_frame.head, own):
        pop(m.users, m.waiting_for_frame)


@inlined
def draws_run_low(m):
    """Return whether the draws left might not last for another event."""
    k, margin = m.kernel, m.settings.draws_an_event
    return (
        k.exponentials_used + margin > m.exponentials.size
        or k.uniforms_used + margin > m.uniforms.size
    )


@inlined
def burst_ends(m, own):
    """The running user has come to what he demands next."""
    due = m.kernel.due
    u = leave_processor(m)
    if due == Due.FAULT:
        fault(m, u, missing_page(m, u), own)
    elif due == Due.DRIFT:
        drift(m, u)
    elif due == Due.SIO:
        start_sio(m, u)
    elif due == Due.FIRST_PAGE:
        first_reference(m, u, own)
    elif due == Due.QUANTUM:
        quantum_ends(m, u)
    elif due == Due.SLICE:
        slice_ends(m, u)
    elif u == DUSETIMR:
        benchmark_ends(m)
    else:
        task_ends(m, u)


@inlined
def happen(m, actor, own):
    """Dispatch one alarm to its handler."""
    first_user = FIRST_DRIVE_ACTOR + m.drives.size
    if actor == PROCESSOR_ACTOR:
        burst_ends(m, own)
    elif actor == DRUM_ACTOR:
        transfer_ends(m, end_transfer(m), own)
    elif actor < first_user:
        sio_ends(m, end_record(m, actor - FIRST_DRIVE_ACTOR))
    elif actor == first_user + DUSETIMR:
        wake_up(m)
    else:
        user_alarm(m, actor - first_user)


def run(m, own, until_ms):
    """Run the machine until a time, or until draws must be refilled.

    Parameters
    ----------
    m : Machine
        Modified in place; ``m.kernel.stop`` tells why the loop ended (a member of Stop).
    own : function
        Algorithm 3: ``own(referenced, in_queue, trip, resident_ms, queue) -> choice``.
    until_ms : float

    Returns
    -------
    int
        Events handled so far.
    """
    k = m.kernel
    k.stop = Stop.TIME_UP
    while k.stop == Stop.TIME_UP:
        if k.admit:
            admit_candidates(m)
        if k.running != NOBODY:
            preempt(m)
        if k.running == NOBODY:
            dispatch(m)
        if draws_run_low(m):
            k.stop = Stop.DRAWS_USED
            break
        actor = next_actor(m.alarms)
        if m.alarms.time[actor] > until_ms:
            k.now_ms = until_ms
            break
        k.now_ms = m.alarms.time[actor]
        k.events += 1
        happen(m, actor, own)
    return k.events


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
    return event_loop(run, kind, replacement_policy.type, types.float64)


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
    loop = _compiled_run(machine_type(machine)) if COMPILED else run
    while True:
        with failures_named(replacement):
            loop(machine, own, SECOND_MS * until_s)
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
