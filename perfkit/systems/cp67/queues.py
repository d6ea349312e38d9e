"""Q1, Q2 and the candidates: slices, priorities, room in storage, removal from queue."""

from perfkit.des.compiling import handler, inlined
from perfkit.des.lists import push, take_out
from perfkit.des.trace import note
from perfkit.systems.cp67.machine import (
    DUSETIMR,
    NOBODY,
    SECOND_MS,
    Estimator,
    Event,
    Level,
    Queue,
    State,
    rules,
    shift_level,
)
from perfkit.systems.cp67.paging import look_at_bits, turn_bits_off
from perfkit.systems.cp67.processor import make_ready, supervise

ROUNDING_PAGES = 1e-6
BEFORE_ALL = -1e300


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
    bits = look_at_bits(m, u)
    turn_bits_off(m, u)
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
        clock = m.kernel.now_ms / (SECOND_MS * version.priority_clock_s)
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
def slice_ends(m, u):
    """A user has used up his slice and is not finished."""
    leave_queue(m, u)
    to_q2(m, u)


@inlined
def next_candidate(m):
    """Find whom to admit next: the lowest P, ties to who has waited longest.

    Returns
    -------
    chosen, before : int
        The user and the one before him in the list; chosen is NOBODY if room is wanting.
    """
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
