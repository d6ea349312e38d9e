"""The processor: supervisor before users, Q1 before Q2, users of a queue in turns."""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.draws import draw_exponential
from perfkit.des.lists import pop, push, push_front
from perfkit.systems.cp67.machine import (
    NOBODY,
    PROCESSOR_ACTOR,
    Due,
    Queue,
    State,
    rules,
)


@handler
def supervise(m, work_ms):
    """Give the supervisor work; the running user is held up by as much."""
    k = m.kernel
    k.supervisor_ms += work_ms
    k.supervisor_end_ms = max(k.now_ms, k.supervisor_end_ms) + work_ms
    if k.running != NOBODY:
        k.burst_end_ms += work_ms
        set_alarm(m.alarms, PROCESSOR_ACTOR, k.burst_end_ms)


@inlined
def supervise_for(m, u, work_ms):
    """Give the supervisor work on a user's behalf; a share of it counts in his slice."""
    supervise(m, work_ms)
    m.users[u].slice_left_ms -= rules(m).charged_share * work_ms


@handler
def make_ready(m, u):
    """Put an in-queue user at the end of his queue's ready list."""
    user = m.users[u]
    user.state = State.READY
    push(m.users, m.ready[user.queue], u)


@inlined
def missing_rate(m, u):
    """Return how many references a ms of virtual time go to missing pages of the locality."""
    user = m.users[u]
    row = user.rates_row
    rate = 0.0
    for i in range(user.locality_pages):
        rate += m.rates_per_ms[row, i] * (m.pages[u, i].frame == NOBODY)
    return rate


@handler
def next_demand(m, u):
    """Find what a user will do next on his own clock; ties go to the lowest kind.

    References to missing pages, and departures from the locality, are Poisson: whenever a
    user is dispatched the times to them are drawn anew. A benchmark's first instruction refers
    to its first page.

    Returns
    -------
    due : int
        A member of Due.
    after_ms : float
        Virtual time until then.
    """
    user = m.users[u]
    if user.first_page_due:
        return Due.FIRST_PAGE, 0.0
    due, after_ms = Due.SLICE, max(user.slice_left_ms, 0.0)
    if user.quantum_left_ms < after_ms:
        due, after_ms = Due.QUANTUM, user.quantum_left_ms
    if user.sios_left > 0:
        if user.sio_at_ms - user.virtual_ms <= after_ms:
            due, after_ms = Due.SIO, max(user.sio_at_ms - user.virtual_ms, 0.0)
    elif user.end_at_ms - user.virtual_ms <= after_ms:
        due, after_ms = Due.END, max(user.end_at_ms - user.virtual_ms, 0.0)
    drift = user.drift_per_ms
    missing = missing_rate(m, u)
    if drift + missing > 0.0:
        gap_ms = draw_exponential(m) / (drift + missing)
        if gap_ms <= after_ms:
            after_ms = gap_ms
            due = Due.DRIFT if splits(m, drift, missing) else Due.FAULT
    return due, after_ms


@inlined
def splits(m, drift, missing):
    """Draw whether the next of two Poisson events is the first kind."""
    if missing == 0.0 or drift == 0.0:
        return missing == 0.0
    k = m.kernel
    u = m.uniforms[k.uniforms_used]
    k.uniforms_used += 1
    return u * (drift + missing) < drift


@inlined
def dispatch(m):
    """Let the first ready user of Q1, else of Q2, run until he demands something."""
    k = m.kernel
    queue = Queue.Q1 if m.ready[Queue.Q1].length > 0 else Queue.Q2
    if m.ready[queue].length == 0:
        if m.alarms.time[PROCESSOR_ACTOR] < NEVER:
            set_alarm(m.alarms, PROCESSOR_ACTOR, NEVER)
        return
    u = pop(m.users, m.ready[queue])
    m.users[u].state = State.RUNNING
    k.running = u
    k.due, k.burst_ms = next_demand(m, u)
    k.burst_end_ms = max(k.now_ms, k.supervisor_end_ms) + k.burst_ms
    set_alarm(m.alarms, PROCESSOR_ACTOR, k.burst_end_ms)


@inlined
def spend(m, u, done_ms):
    """Account for virtual time that a user has had."""
    user = m.users[u]
    user.virtual_ms += done_ms
    user.slice_left_ms -= done_ms
    user.quantum_left_ms -= done_ms
    m.kernel.user_ms += done_ms


@inlined
def leave_processor(m):
    """Take the running user off the processor, his burst done."""
    k = m.kernel
    u = k.running
    spend(m, u, k.burst_ms)
    k.running = NOBODY
    return u


@inlined
def interrupt(m):
    """Take the running user off the processor in mid-burst, to the head of his list."""
    k = m.kernel
    u = k.running
    left_ms = k.burst_end_ms - max(k.now_ms, k.supervisor_end_ms)
    spend(m, u, max(k.burst_ms - max(left_ms, 0.0), 0.0))
    k.running = NOBODY
    m.users[u].state = State.READY
    push_front(m.users, m.ready[m.users[u].queue], u)


@inlined
def preempt(m):
    """Interrupt the running Q2 user if a Q1 user is ready."""
    if m.ready[Queue.Q1].length > 0 and m.users[m.kernel.running].queue == Queue.Q2:
        interrupt(m)


@inlined
def quantum_ends(m, u):
    """A user has had his turn; he goes behind the others of his queue."""
    m.users[u].quantum_left_ms = rules(m).quantum_ms
    make_ready(m, u)
