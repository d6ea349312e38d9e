"""The event loop: what happens next, who handles it, who is loaded and runs then."""

from perfkit.des.alarms import NEVER, next_actor, set_alarm
from perfkit.des.compiling import inlined
from perfkit.systems.emas.active_storage import (
    page_moved,
    page_reaches_drum,
    page_read_from_disc,
    page_read_from_drum,
    sleeper_alarm,
    work_on_drum,
)
from perfkit.systems.emas.core import load_processes, page_arrives
from perfkit.systems.emas.discs import disc_alarm
from perfkit.systems.emas.drum import drum_alarm, free_request
from perfkit.systems.emas.faults import demand_page
from perfkit.systems.emas.machine import (
    BACKGROUND_ACTOR,
    CLOCK_ACTOR,
    DRUM_ACTOR,
    FIRST_DISC_ACTOR,
    FIRST_PROCESS_ACTOR,
    NOBODY,
    PROCESSOR_ACTOR,
    After,
    Due,
    Event,
    Purpose,
    Reason,
    Service,
    State,
    Stop,
    begin_to_leave,
    go_on,
)
from perfkit.systems.emas.processor import dispatch, leave_processor, log_event, run_on, supervise
from perfkit.systems.emas.removal import leave_core, page_written
from perfkit.systems.emas.sampling import background_burst, clock_ticks
from perfkit.systems.emas.terminals import (
    compaction_due,
    create_process,
    slice_ends,
    turn_due,
)


@inlined
def draws_run_low(m):
    """Return whether what was drawn beforehand might not last for another event."""
    k = m.kernel
    return k.rows_ended != 0 or k.uniforms_used + m.settings.draws_an_event > m.uniforms.size


@inlined
def transfer_ends(m, r, from_drum):
    """A page has been transferred between core and a device."""
    request = m.requests[r]
    purpose, t, page = request.purpose, request.process, request.page
    free_request(m, r)
    if purpose == Purpose.WRITE_BACK:
        page_written(m, t, page)
    elif purpose <= Purpose.DEMAND:
        page_arrives(m, t, page)
    elif purpose == Purpose.LOAD:
        if from_drum:
            page_reaches_drum(m, t, page)
        else:
            page_read_from_disc(m, t, page)
    elif from_drum:
        page_read_from_drum(m, t, page, purpose)
    else:
        page_moved(m, t, purpose)


@inlined
def device_alarm(m, actor):
    """The drum's or a disc's alarm: a seek has ended, or a page has been transferred."""
    from_drum = actor == DRUM_ACTOR
    if from_drum:
        r = drum_alarm(m)
        supervise(m, Service.DRUM_TRANSFERS, m.settings.drum_transfer_ms)
    else:
        r = disc_alarm(m, actor - FIRST_DISC_ACTOR)
        if r == NOBODY:
            return
        supervise(m, Service.DISC_TRANSFERS, m.settings.disc_transfer_ms)
    transfer_ends(m, r, from_drum)


@inlined
def burst_ends(m, t, due):
    """The running process has come to something other than a page fault."""
    if due == Due.TURN:
        turn_due(m, t)
    elif due == Due.CPU_ALLOWANCE:
        begin_to_leave(m, t, After.REQUEUE, Reason.CPU)
    elif due == Due.COMPACTION:
        compaction_due(m, t)
    elif due == Due.SLICE:
        slice_ends(m, t)
    else:
        go_on(m, t)


@inlined
def process_alarm(m, t):
    """A process's own alarm: a user logs on, or a sleeper has slept long enough."""
    if m.processes[t].state == State.ABSENT:
        create_process(m, t)
    else:
        sleeper_alarm(m, t)


@inlined
def settle(m):
    """Let the process whose burst ended leave core, or run on, if that is what it came to."""
    k = m.kernel
    if k.leaving != NOBODY:
        leave_core(m, k.leaving)
    elif k.goes_on != NOBODY:
        run_on(m, k.goes_on)


def run(m, rule, until_ms):
    """Run the machine until a time, or until draws must be refilled.

    An alarm that goes off while the supervisor is at work is handled when that is done, and all
    such before a process is dispatched: "requests for these services are stacked".

    Parameters
    ----------
    m : Machine
        Modified in place; ``m.kernel.stop`` tells why the loop ended (a member of Stop).
    rule : function
        ``rule(waits_ms, weights) -> core queue``.
    until_ms : float

    Returns
    -------
    int
        Events handled so far.
    """
    k = m.kernel
    k.stop = Stop.TIME_UP
    if k.traced == 0:
        log_event(m, Event.MONITOR_STARTS, NOBODY, m.settings.trace_mask, 0)
    while k.stop == Stop.TIME_UP:
        if k.drum_work:
            work_on_drum(m)
        if k.schedule:
            load_processes(m, rule)
        if draws_run_low(m):
            k.stop = Stop.DRAWS_USED
            break
        if k.running == NOBODY:
            set_alarm(m.alarms, PROCESSOR_ACTOR, NEVER)
        actor = next_actor(m.alarms)
        if k.running == NOBODY and m.alarms.time[actor] > k.now_ms:
            dispatch(m)
            actor = next_actor(m.alarms)
        if m.alarms.time[actor] > until_ms:
            k.now_ms = max(k.now_ms, until_ms)
            break
        k.now_ms = max(k.now_ms, m.alarms.time[actor])
        k.events += 1
        if actor == PROCESSOR_ACTOR:
            t, due = leave_processor(m)
            if due == Due.FAULT:
                demand_page(m, t)
            else:
                burst_ends(m, t, due)
            settle(m)
        elif actor >= FIRST_PROCESS_ACTOR:
            process_alarm(m, actor - FIRST_PROCESS_ACTOR)
        elif actor == CLOCK_ACTOR:
            clock_ticks(m)
        elif actor == BACKGROUND_ACTOR:
            background_burst(m)
        else:
            device_alarm(m, actor)
    return k.events
