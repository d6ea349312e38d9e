"""The processor: supervisor services go before processes; what a program touches.

The references of a burst are walked when the burst begins, so that only the one that faults is
an event; what a burst touches counts as touched from its beginning.
"""

from typing import NamedTuple

import numpy as np

from perfkit.des.alarms import set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.draws import uniform
from perfkit.des.elementary import power
from perfkit.des.lists import NOBODY
from perfkit.des.trace import note_pair
from perfkit.systems.emas.state import (
    DISTANCE_STEPS,
    FARTHEST,
    PROCESSOR_ACTOR,
    REFERENCES,
    Batch,
    Due,
    Event,
    Place,
    Queue,
    Service,
    State,
    pop,
    push,
)

ROUNDING = 1e-9


class Monitor(NamedTuple):
    """What writing an event record needs of a machine."""

    trace: np.recarray
    kernel: np.record


@handler
def hold_up(kernel, entry, alarms, work_ms):
    """Do a service's work: clock and running process are held up by it; what comes waits for it."""
    entry.calls += 1
    entry.time_ms += work_ms
    kernel.supervisor_ms += work_ms
    kernel.now_ms += work_ms
    if kernel.running != NOBODY:
        kernel.burst_end_ms += work_ms
        set_alarm(alarms, PROCESSOR_ACTOR, kernel.burst_end_ms)


@inlined
def supervise(m, service, work_ms):
    """Call a service of the supervisor."""
    hold_up(m.kernel, m.services[service], m.alarms, work_ms)


@handler
def write_record(monitor, settings, services, alarms, kind, t, value, detail):
    """Write an event record if the mask wants it; the processor pays for it."""
    if (settings.trace_mask >> kind) & 1 == 0 or monitor.kernel.trace_full:
        return
    if note_pair(monitor, kind, t, value, detail):
        entry = services[Service.TRACING]
        hold_up(monitor.kernel, entry, alarms, settings.trace_record_ms)


@inlined
def log_event(m, kind, t, value, detail):
    """Tell the event monitor, if it is on, what happened to a process."""
    if m.trace.size > 0:
        monitor = Monitor(m.trace, m.kernel)
        write_record(monitor, m.settings, m.services, m.alarms, kind, t, value, detail)


@handler
def join_queue(m, queue, t):
    """Put a process onto one of the system's queues and tell the event monitor."""
    push(m, queue, t)
    log_event(m, Event.QUEUED, t, queue, m.processes[t].category)


@inlined
def penalised(m, t):
    """Say whether a process has not had to do with its console for so long as to be penalised."""
    return m.kernel.now_ms - m.processes[t].interacted_ms > m.settings.penalty_ms


@handler
def make_ready(m, t, queue):
    """Put a process onto a run queue; a running one of lower priority gives way.

    Only "processes which have just completed a page transfer" join the first; of the others those
    penalised join the last. A running process has no better priority than the second queue's.
    """
    k, process = m.kernel, m.processes[t]
    process.state = State.READY
    if queue != Queue.RUN_0 and penalised(m, t):
        queue = Queue.RUN_2
    process.run_queue = queue
    join_queue(m, queue, t)
    if k.running != NOBODY and k.running_queue > queue:
        preempt(m)


@inlined
def preempt(m):
    """Take the running process off the processor before its burst is done."""
    k = m.kernel
    t = k.running
    process = m.processes[t]
    left_ms = max(0.0, k.burst_end_ms - k.now_ms)
    account(m, t, k.burst_ms - left_ms)
    process.burst_left_ms = left_ms
    k.running = NOBODY
    process.state = State.READY
    queue = Queue.RUN_2 if penalised(m, t) else Queue.RUN_1
    process.run_queue = queue
    join_queue(m, queue, t)


@inlined
def account(m, t, done_ms):
    """Give a process the processor time that it has had."""
    process = m.processes[t]
    process.used_ms += done_ms
    process.residence_ms += done_ms
    process.slice_left_ms -= done_ms
    process.to_compaction_ms -= done_ms
    process.to_recalculation_ms -= done_ms
    process.to_drum_set_ms -= done_ms
    m.kernel.user_ms += done_ms


@inlined
def dispatch(m):
    """Let the first process of the first run queue that holds any run until it does something."""
    k, queues = m.kernel, m.queues
    queue = Queue.RUN_0
    if queues[Queue.RUN_0].length == 0:
        queue = Queue.RUN_1 if queues[Queue.RUN_1].length > 0 else Queue.RUN_2
    if queues[queue].length == 0:
        return
    t = pop(m, queue)
    supervise(m, Service.TIME_SLICING, m.settings.dispatch_ms)
    log_event(m, Event.EXIT_FROM_SUPERVISOR, t, queue, m.processes[t].category)
    # Once it runs RUN_0's head start is used up: it gives way to the next page that arrives.
    k.running_queue = Queue.RUN_2 if queue == Queue.RUN_2 else Queue.RUN_1
    run_on(m, t)


@handler
def run_on(m, t):
    """Let a process run, or go on after a call of the supervisor, until it does something."""
    k, process = m.kernel, m.processes[t]
    k.goes_on = NOBODY
    if process.due == NOBODY:
        next_demand(m, t)
    k.burst_ms = process.burst_left_ms
    process.burst_left_ms = 0.0
    process.state = State.RUNNING
    k.running = t
    k.burst_end_ms = k.now_ms + k.burst_ms
    set_alarm(m.alarms, PROCESSOR_ACTOR, k.burst_end_ms)


@inlined
def leave_processor(m):
    """Take the running process off the processor; return it and what it has come to (Due)."""
    k = m.kernel
    t = k.running
    account(m, t, k.burst_ms)
    k.running = NOBODY
    due = m.processes[t].due
    m.processes[t].due = NOBODY
    return t, due


@inlined
def own_page(m, t, distance):
    """Return a process's own page at a distance in its stack, which moves to the front.

    Beyond the pages touched so far lies one that is new to the command, until as many have been
    touched as its programme has.
    """
    process, stack = m.processes[t], m.stacks[t]
    depth = min(distance, process.depth, process.depth_limit - 1)
    if depth == process.depth:
        process.depth += 1
    page = stack[depth]
    for at in range(depth, 0, -1):
        stack[at] = stack[at - 1]
    stack[0] = page
    return int(page)


@handler
def own_distance(where, exponent):
    """Return the stack distance that a draw means, in units of the locality, by a power law."""
    return min(power(1.0 - where, -1.0 / exponent) - 1.0, FARTHEST)


@inlined
def own_distance_in_pages(m, where, locality):
    """Return the stack distance that a draw means, in whole pages.

    Where the steps before and after the draw have the same, it need not be worked out.
    """
    step = int(where * DISTANCE_STEPS)
    # ROUNDING widens the step: the power itself may be off by its last bits on either side.
    least = int(m.distances[step] * locality * (1.0 - ROUNDING))
    if least == int(m.distances[step + 1] * locality * (1.0 + ROUNDING)):
        return least
    return int(own_distance(where, m.settings.locality_exponent) * locality)


@inlined
def shared_page(m, t, base_or_programme, where):
    """Return the shared page that a reference touches: the subsystem's, or the programme's."""
    settings, of_programme = m.settings, 0
    if base_or_programme >= settings.base_reference_share:
        of_programme = 1
    rank = of_programme * settings.base_pages
    while m.popularity[rank] <= where:
        rank += 1
    command = of_programme * m.processes[t].command
    return settings.own_pages + rank + command * settings.command_pages


@inlined
def next_page(m, t):
    """Return the page that a process touches by its next reference; mark it if that writes."""
    s = m.reference[t]
    # Four draws whatever they say: a reference depends on none before it.
    own_or_shared, base_or_programme, where, write = uniform(s), uniform(s), uniform(s), uniform(s)
    if own_or_shared < m.settings.shared_reference_share:
        return shared_page(m, t, base_or_programme, where)
    distance = own_distance_in_pages(m, where, m.processes[t].locality)
    page = own_page(m, t, distance)
    if write < m.settings.write_share:
        m.pages[t, page].written = 1
    return page


@inlined
def earliest_due(m, t):
    """Find what a process will do next apart from page faults, and when on its clock."""
    process = m.processes[t]
    due, at_ms = Due.TURN, process.turn_at_ms
    left_ms = m.categories[process.category].cpu_ms - process.residence_ms
    if process.used_ms + left_ms < at_ms:
        due, at_ms = Due.CPU_ALLOWANCE, process.used_ms + left_ms
    if process.used_ms + process.to_compaction_ms < at_ms:
        due, at_ms = Due.COMPACTION, process.used_ms + process.to_compaction_ms
    if process.used_ms + process.slice_left_ms < at_ms:
        due, at_ms = Due.SLICE, process.used_ms + process.slice_left_ms
    return due, max(at_ms, process.used_ms)


@inlined
def touch(m, t, page):
    """Set a page's marker."""
    record = m.pages[t, page]
    record.used = record.touched = record.drum_used = 1


@handler
def next_demand(m, t):
    """Walk a process's references until one faults or something else is due.

    Sets ``due``, ``wanted_page`` and ``burst_left_ms``. A page that was wanted when the process
    last had to leave core is wanted still.
    """
    process, settings = m.processes[t], m.settings
    process.burst_left_ms = 0.0
    if process.wanted_page != NOBODY:
        if m.pages[t, process.wanted_page].place != Place.CORE:
            process.due = Due.FAULT
            return
        touch(m, t, process.wanted_page)
        process.wanted_page = NOBODY
    due, at_ms = earliest_due(m, t)
    next_ms = process.reference_at_ms
    while next_ms <= at_ms:
        if m.used[Batch.REFERENCES, t] == REFERENCES:
            due, at_ms = Due.LOOK_AGAIN, max(process.used_ms, next_ms)
            break
        now_ms = next_ms
        if process.wake_references > 0:
            process.wake_references -= 1
            next_ms += settings.wake_reference_ms
        else:
            next_ms += settings.reference_ms
        page = next_page(m, t)
        m.used[Batch.REFERENCES, t] += 1
        if m.pages[t, page].place != Place.CORE:
            due, at_ms = Due.FAULT, max(process.used_ms, now_ms)
            process.wanted_page = page
            break
        touch(m, t, page)
    process.reference_at_ms = next_ms
    m.kernel.batch_ended |= m.used[Batch.REFERENCES, t] == REFERENCES
    process.due = due
    process.burst_left_ms = at_ms - process.used_ms
