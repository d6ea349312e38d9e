"""The event loop: what happens next, who handles it, who is activated and runs then."""

from perfkit.des.alarms import next_actor
from perfkit.des.compiling import inlined
from perfkit.des.elementary import power
from perfkit.systems.sim61.activator import activate_tasks
from perfkit.systems.sim61.devices import device_alarm, free_request
from perfkit.systems.sim61.interactions import burst_ends, operation_done, task_alarm
from perfkit.systems.sim61.machine import (
    FIRST_DEVICE_ACTOR,
    NOBODY,
    PROCESSOR_ACTOR,
    Stop,
)
from perfkit.systems.sim61.processor import dispatch


def paper_curve(page, working_set, compute_ms, alpha):
    """Return how long a task has computed when it demands a page (Figure 2).

    Pages demanded grow as a power ``alpha`` of the time since activation and reach the
    working set when the interaction's compute time is over.

    Parameters
    ----------
    page : int
        Which page it demands, counted from its activation: 1 is the first.
    working_set : int
        Pages that it will have demanded by the end.
    compute_ms : float
        Compute time of the interaction.
    alpha : float
        The class's exponent.

    Returns
    -------
    float
        In ms since activation; must not fall with ``page``.
    """
    return compute_ms * power(page / working_set, 1.0 / alpha)


@inlined
def draws_run_low(m):
    """Return whether the draws left might not last for another event."""
    k, margin = m.kernel, m.settings.draws_an_event
    return (
        k.rows_ended != 0
        or k.exponentials_used + margin > m.exponentials.size
        or k.uniforms_used + margin > m.uniforms.size
    )


@inlined
def handle_device(m, d):
    """A device's alarm: deal with the operation that it ends, if it ends one."""
    r = device_alarm(m, d)
    if r == NOBODY:
        return
    purpose, t = m.requests[r].purpose, m.requests[r].task
    free_request(m, r)
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
    """Run the machine until a time, or until draws must be refilled.

    Parameters
    ----------
    m : Machine
        Modified in place; ``m.kernel.stop`` tells why the loop ended (a member of Stop).
    fault : function
        ``fault(page, working_set, compute_ms, alpha) -> ms``.
    rule : function
        ``rule(interactive_waiting, batch_waiting, batch_active, counted, n) -> choice``.
    until_ms : float

    Returns
    -------
    int
        Events handled so far.
    """
    k = m.kernel
    k.stop = Stop.TIME_UP
    while k.stop == Stop.TIME_UP:
        if k.activate:
            activate_tasks(m, fault, rule)
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
        happen(m, actor, fault)
    return k.events
