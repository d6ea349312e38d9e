"""The event loop: what happens next, who handles it, who is admitted and runs then."""

from perfkit.des.alarms import next_actor
from perfkit.des.compiling import inlined
from perfkit.systems.cp67.discs import end_record
from perfkit.systems.cp67.drum import end_transfer
from perfkit.systems.cp67.dusetimr import benchmark_ends, wake_up
from perfkit.systems.cp67.machine import (
    DRUM_ACTOR,
    DUSETIMR,
    FIRST_DRIVE_ACTOR,
    NOBODY,
    PROCESSOR_ACTOR,
    Due,
    Stop,
)
from perfkit.systems.cp67.paging import (
    drift,
    fault,
    first_reference,
    missing_page,
    transfer_ends,
)
from perfkit.systems.cp67.processor import dispatch, leave_processor, preempt, quantum_ends
from perfkit.systems.cp67.queues import admit_candidates, slice_ends
from perfkit.systems.cp67.users import sio_ends, start_sio, task_ends, user_alarm


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
