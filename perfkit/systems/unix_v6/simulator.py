"""The event loop: what happens next, who handles it, and who runs then."""

from perfkit.des.alarms import NEVER, next_actor, set_alarm
from perfkit.des.compiling import inlined
from perfkit.systems.unix_v6.cache import transfer_done
from perfkit.systems.unix_v6.discs import (
    SWAP,
    drive_alarm,
    start_drives,
    start_waiting_transfers,
)
from perfkit.systems.unix_v6.machine import (
    CLOCK_ACTOR,
    DRIVES,
    FIRST_DRIVE_ACTOR,
    LINE_ACTOR,
    NOBODY,
    PROCESSOR_ACTOR,
    SCHEDULER,
    SECOND_MS,
    Channel,
    Fault,
    Mode,
    State,
    sample,
)
from perfkit.systems.unix_v6.processes import (
    charge_processor,
    leave_processor,
    pick_process,
    second_passes,
    wake,
)
from perfkit.systems.unix_v6.program import advance
from perfkit.systems.unix_v6.swapping import run_scheduler, swap_transferred


@inlined
def start_measuring(m):
    """iostat starts: everything counted so far is forgotten."""
    k = m.kernel
    sample(m)
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
    if not drive_alarm(m, d):
        return
    buffer = m.requests[m.requests.size - DRIVES + d].buffer
    if buffer == SWAP:
        swap_transferred(m)
    else:
        transfer_done(m, buffer)
    start_waiting_transfers(m)
    start_drives(m)


@inlined
def run_processor(m, victim, burst_ended):
    """Let the processor go on: the running process, or the best one when it must yield."""
    k, processes = m.kernel, m.processes
    if k.running != NOBODY:
        if burst_ended:
            charge_processor(m)
            processes[k.running].burst_ms = 0.0
        elif k.reschedule and processes[k.running].mode == Mode.USER:
            charge_processor(m)
            leave_processor(m)
        else:
            return
    while k.fault == Fault.NONE:
        if k.running == NOBODY and pick_process(m) == NOBODY:
            return
        p = k.running
        process = processes[p]
        if process.burst_ms > 0.0:
            set_alarm(m.alarms, PROCESSOR_ACTOR, k.now_ms + process.burst_ms)
            return
        if p == SCHEDULER:
            run_scheduler(m, p, victim)
            process.burst_ms = m.settings.swap_ms
        else:
            advance(m, p)
        if process.state != State.READY or (k.reschedule and process.mode == Mode.USER):
            leave_processor(m)


@inlined
def happen(m, actor):
    """Dispatch one alarm to its handler."""
    if actor == CLOCK_ACTOR:
        set_alarm(m.alarms, CLOCK_ACTOR, m.kernel.now_ms + SECOND_MS)
        second_passes(m)
    elif actor == LINE_ACTOR:
        set_alarm(m.alarms, LINE_ACTOR, NEVER)
        wake(m, Channel.LINE)
    elif actor >= FIRST_DRIVE_ACTOR:
        handle_drive(m, actor - FIRST_DRIVE_ACTOR)


def run(m, victim):
    """Run the machine until its last workload process has left, its pause, or a fault.

    After a pause it can be run again and goes on as if nothing had been.

    Parameters
    ----------
    m : Machine
        Modified in place; ``m.kernel.fault`` tells why it stopped early, if it did.
    victim : function
        ``victim(processes, wanted, minimum_time_out_s, minimum_time_in_s) -> process``.

    Returns
    -------
    int
        Events handled.
    """
    k = m.kernel
    burst_ended = False
    run_processor(m, victim, burst_ended)
    while k.users_left > 0 and k.fault == Fault.NONE:
        actor = next_actor(m.alarms)
        if m.alarms.time[actor] > m.settings.pause_ms:
            break
        k.now_ms = m.alarms.time[actor]
        if k.now_ms > m.settings.end_limit_ms:
            k.fault = Fault.NO_PROGRESS
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
