"""The processor, Q1, Q2 and the candidates: who is admitted, who runs, for how long.

The supervisor goes before users, Q1 before Q2, users of a queue take turns. Candidates are
admitted by priority as storage has room; who leaves a queue is estimated for the next time.
"""

from perfkit.des.compiling import handler, inlined
from perfkit.des.counters import shift_level
from perfkit.des.draws import exponential, uniform
from perfkit.des.lists import NOBODY, pop, push, push_front, take_out
from perfkit.des.processor import begin_burst, rest, supervise
from perfkit.des.trace import note
from perfkit.systems.cp67.memory import look_at_bits, missing_rate
from perfkit.systems.cp67.state import (
    DUSETIMR,
    Due,
    Estimator,
    Event,
    Level,
    Queue,
    State,
    make_ready,
    rules,
)

ROUNDING_PAGES = 1e-6  # room and needs are sums of shares of storage under the fixed estimator
BEFORE_ALL = -1e300  # Q1 asks for no P: its candidates go first, in order


@handler
def next_demand(m, u):
    """Find what a user will do next (a member of Due), and after how much virtual time.

    References to missing pages, and departures from the locality, are Poisson: whenever a
    user is dispatched the times to them are drawn anew. Ties go to the lowest kind.
    """
    # Conditions with <= beside such with < are the order among equal times.
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
    missing = m.kernel.missing_per_ms = missing_rate(m, u)
    if drift + missing > 0.0:
        gap_ms = exponential(m.gap) / (drift + missing)
        if gap_ms <= after_ms:
            drifts = missing == 0.0
            if missing > 0.0 and drift > 0.0:
                drifts = uniform(m.place) * (drift + missing) < drift
            due, after_ms = Due.DRIFT if drifts else Due.FAULT, gap_ms
    return due, after_ms


@inlined
def dispatch(m):
    """Let the first ready user of Q1, else of Q2, run until he demands something."""
    queue = Queue.Q1 if m.ready[Queue.Q1].length > 0 else Queue.Q2
    if m.ready[queue].length == 0:
        rest(m)
        return
    u = pop(m.users, m.ready[queue])
    m.users[u].state = State.RUNNING
    m.kernel.due, burst_ms = next_demand(m, u)
    begin_burst(m, u, burst_ms)


@inlined
def leave_processor(m, done_ms):
    """Take the running user off the processor, having had so much virtual time."""
    k = m.kernel
    u = k.running
    k.running = NOBODY
    user = m.users[u]
    user.virtual_ms += done_ms
    user.slice_left_ms -= done_ms
    user.quantum_left_ms -= done_ms
    k.user_ms += done_ms
    return u


@inlined
def interrupt(m):
    """Take the running user off the processor in mid-burst, to the head of his list."""
    k = m.kernel
    left_ms = k.burst_end_ms - max(k.now_ms, k.supervisor_end_ms)
    u = leave_processor(m, max(k.burst_ms - max(left_ms, 0.0), 0.0))
    m.users[u].state = State.READY
    push_front(m.users, m.ready[m.users[u].queue], u)


@inlined
def preempt(m):
    """Interrupt the running Q2 user if a Q1 user is ready."""
    if m.ready[Queue.Q1].length > 0 and m.users[m.kernel.running].queue == Queue.Q2:
        interrupt(m)


@inlined
def pages_needed(m, u):
    """Return the room that a user is taken to need, by the version's estimator."""
    settings, version = m.settings, rules(m)
    if version.estimator == Estimator.FIXED:
        return settings.frames / version.in_queue_users
    return min(m.users[u].needed_pages, float(settings.frames))


@handler
def enter_queue(m, u):
    """Put a user into the queue that he wants: he may be served, up to the queue's slice."""
    k, user, version = m.kernel, m.users[u], rules(m)
    user.queue = user.wanted_queue
    user.stay += 1
    user.touched_pages = 0
    user.charged_pages = pages_needed(m, u)
    k.charged_pages += user.charged_pages
    k.idle_frames -= user.held_pages
    user.quantum_left_ms = version.quantum_ms
    if user.queue == Queue.Q1:
        user.slice_left_ms = version.t1_ms
        k.q1_entries += 1
        shift_level(m, Level.Q1, 1.0)
        note(m, Event.ENTER_Q1, u, int(user.charged_pages))
    else:
        user.slice_left_ms = version.t2_ms
        k.q2_entries += 1
        k.q2_wait_ms += k.now_ms - user.candidate_since_ms
        shift_level(m, Level.Q2, 1.0)
        note(m, Event.ENTER_Q2, u, int(user.charged_pages))
    make_ready(m, u)


@handler
def leave_queue(m, u):
    """Remove a user from queue: his reference bits are turned off, his need is estimated."""
    k, user = m.kernel, m.users[u]
    bits = look_at_bits(m, u, True)  # before touched_pages is read: it may count pages there
    estimator = rules(m).estimator
    if estimator == Estimator.OR:
        user.needed_pages = user.touched_pages
    elif estimator == Estimator.RESIDENT:
        user.needed_pages = user.held_pages
    elif estimator == Estimator.BITS:
        user.needed_pages = bits
    shift_level(m, Level.Q1 if user.queue == Queue.Q1 else Level.Q2, -1.0)
    note(m, Event.LEAVE, u, int(user.needed_pages))
    k.charged_pages -= user.charged_pages
    k.idle_frames += user.held_pages
    user.queue = Queue.NONE
    k.admit = 1
    supervise(m, m.settings.queue_ms)


@handler
def become_candidate(m, u):
    """Let a user wait for room in the queue that he wants; candidates of Q1 go first."""
    user, version = m.users[u], rules(m)
    user.state = State.CANDIDATE
    user.candidate_since_ms = m.kernel.now_ms
    if user.wanted_queue == Queue.Q1:
        user.priority = BEFORE_ALL
    else:
        fixed = version.dusetimr_priority if u == DUSETIMR else version.usual_priority
        # T counts seconds, as printed: the unit decides what P0 is worth (Appendix, item 3).
        clock = m.kernel.now_ms / version.priority_clock_ms
        user.priority = fixed + version.priority_weight * clock
    push(m.users, m.ready[Queue.NONE], u)
    shift_level(m, Level.CANDIDATES, 1.0)
    note(m, Event.CANDIDATE, u, user.wanted_queue)
    m.kernel.admit = 1


@inlined
def to_q1(m, u):
    """Put a user into Q1 as on a new task, at once unless the version asks for room."""
    m.users[u].wanted_queue = Queue.Q1
    if rules(m).q1_needs_room:
        become_candidate(m, u)
    else:
        enter_queue(m, u)


@inlined
def to_q2(m, u):
    """Make a user a Q2 candidate; his P is fixed by now."""
    m.users[u].wanted_queue = Queue.Q2
    become_candidate(m, u)


@inlined
def next_candidate(m):
    """Find who is admitted next and who stands before him: the lowest P, then the longest wait."""
    room = m.settings.frames - m.kernel.charged_pages + ROUNDING_PAGES
    pass_over = not rules(m).head_blocks
    chosen, chosen_before, before = NOBODY, NOBODY, NOBODY
    u = m.ready[Queue.NONE].head
    while u != NOBODY:
        better = chosen == NOBODY or m.users[u].priority < m.users[chosen].priority
        if better and (not pass_over or pages_needed(m, u) <= room):
            chosen, chosen_before = u, before
        before = u
        u = m.users[u].next
    if chosen != NOBODY and pages_needed(m, chosen) > room:
        return NOBODY, NOBODY
    return chosen, chosen_before


@inlined
def admit_candidates(m):
    """Admit candidates as long as there is room for the next."""
    m.kernel.admit = 0
    while m.ready[Queue.NONE].length > 0:
        u, before = next_candidate(m)
        if u == NOBODY:
            return
        take_out(m.users, m.ready[Queue.NONE], before, u)
        shift_level(m, Level.CANDIDATES, -1.0)
        enter_queue(m, u)
