"""Storage: references and their bits, faults, the cycling pointer, the algorithms.

Single references are not simulated. Those to each page of a locality are Poisson in virtual
time, so whether a page was referenced since its bit was last looked at is one draw, made
when the pointer or a removal from queue looks at it. This is exact.
"""

from perfkit.des.compiling import handler, inlined
from perfkit.des.draws import exponential_is_less, uniform
from perfkit.des.lists import NOBODY, pop, push, push_front
from perfkit.des.trace import note
from perfkit.systems.cp67.devices import request_transfer
from perfkit.systems.cp67.state import (
    MOST_TRIPS,
    Algorithm,
    Choice,
    Event,
    Frame,
    Queue,
    State,
    Stop,
    make_ready,
    rules,
    supervise_for,
)


@inlined
def algorithm_2(referenced, in_queue, trip, resident_ms, queue):
    """Take the next page whose reference bit is off; turn off the bits that are passed.

    Asked of each page that the pointer comes to, until one is taken.

    Parameters
    ----------
    referenced : int
        The page's reference bit.
    in_queue : int
        1 if its owner is in Q1 or Q2, else 0.
    trip : int
        How often the pointer has been all the way round for this fault; by the third trip a page
        must be taken.
    resident_ms : float
        How long the page has been in storage; 0 under the system's own algorithms.
    queue : int
        1 or 2 if its owner is in Q1 or Q2, 0 if in neither.

    Returns
    -------
    int
        0 take the page, 1 pass it, 2 turn its bit off and pass it.
    """
    return Choice.TURN_OFF if referenced == 1 else Choice.TAKE


@inlined
def touch(m, u, page):
    """Count a page among those that a user has referenced since he entered his queue."""
    user, record = m.users[u], m.pages[u, page]
    if record.stay != user.stay:
        record.stay = user.stay
        user.touched_pages += 1


@handler
def look_at_bit(m, f):
    """Return a frame's reference bit, set by now if the page was referenced since the last look."""
    frame = m.frames[f]
    if frame.bit == 1:
        return 1
    user = m.users[frame.owner]
    since_ms = user.virtual_ms - frame.seen_ms
    # A page outside the locality is not referenced; without time between no draw is used up.
    if frame.page < user.locality_pages and since_ms > 0.0:
        frame.seen_ms = user.virtual_ms
        if exponential_is_less(m.gap, since_ms * m.rates_per_ms[user.rates_row, frame.page]):
            frame.bit = 1
            touch(m, frame.owner, frame.page)
    return frame.bit


@inlined
def turn_bit_off(m, f):
    """Turn a frame's reference bit off."""
    frame = m.frames[f]
    frame.bit = 0
    frame.seen_ms = m.users[frame.owner].virtual_ms


@inlined
def ask_algorithm(m, f, algorithm, trip, policy):
    """Ask the version's algorithm about a page; bits are looked at only where it reads them.

    Algorithm 1 takes the next page of a user not in queue; after a trip in vain, the next page.
    """
    frame = m.frames[f]
    user = m.users[frame.owner]
    here = 1 if user.queue != Queue.NONE else 0
    # Algorithm 1 reads no bits: a look would use up a draw, and set the bit for the estimator.
    if algorithm == Algorithm.ONE:
        return Choice.TAKE if here == 0 or trip > 0 else Choice.PASS
    bit = look_at_bit(m, f)
    if algorithm == Algorithm.TWO:
        return algorithm_2(bit, here, trip, 0.0, user.queue)
    return policy(bit, here, trip, m.kernel.now_ms - frame.since_ms, user.queue)


@handler
def choose_page(m, policy):
    """Move the pointer until the version's algorithm takes a page; NOBODY if none may be taken.

    When no page of a user out of queue is left, Algorithm 1's trip in vain ends where it
    began, so it is not made.
    """
    k = m.kernel
    algorithm = rules(m).algorithm
    if k.frames_in_transit == m.frames.size:
        return NOBODY
    trip = 1 if algorithm == Algorithm.ONE and k.idle_frames == 0 else 0
    k.trips += trip
    start = k.pointer
    while True:
        f = k.pointer
        k.pointer = f + 1 if f + 1 < m.frames.size else 0
        if m.frames[f].state == Frame.HELD:
            choice = ask_algorithm(m, f, algorithm, trip, policy)
            if choice == Choice.TAKE:
                return f
            if choice == Choice.TURN_OFF:
                turn_bit_off(m, f)
            elif choice != Choice.PASS:
                k.stop = Stop.BAD_ALGORITHM
                return NOBODY
        if k.pointer == start:
            trip += 1
            k.trips += 1
            if trip > MOST_TRIPS:
                k.stop = Stop.BAD_ALGORITHM
                return NOBODY


@inlined
def take_page_away(m, f):
    """Take a frame from its owner, whose page is then missing; its bit is settled first."""
    k, frame = m.kernel, m.frames[f]
    # Under the "or" estimator the page counts if it was referenced before it is lost.
    look_at_bit(m, f)
    owner = m.users[frame.owner]
    m.pages[frame.owner, frame.page].frame = NOBODY
    owner.held_pages -= 1
    if frame.page < owner.locality_pages:
        becomes_missing(m, frame.owner, frame.page)
    k.idle_frames -= owner.queue == Queue.NONE


@handler
def find_frame(m, u, policy):
    """Find a frame for a user's missing page, if not all are in transit, and start its transfer."""
    k = m.kernel
    write = False
    if m.free_frames.length > 0:
        f = pop(m.frames, m.free_frames)
    else:
        f = choose_page(m, policy)
        if f == NOBODY:
            return False
        take_page_away(m, f)
        note(m, Event.REPLACE, m.frames[f].owner, f)
        k.replaced += 1
        k.residence_ms += k.now_ms - m.frames[f].since_ms
        write = uniform(m.place) < m.settings.dirty_share
    k.frames_in_transit += 1
    frame = m.frames[f]
    frame.reader = u
    m.users[u].state = State.PAGE_WAIT
    if write:
        frame.state = Frame.WRITING
    else:
        begin_read(m, f)
    request_transfer(m, f)
    return True


@inlined
def begin_read(m, f):
    """Give a frame to the page that is to be read into it."""
    frame = m.frames[f]
    u = frame.reader
    frame.state = Frame.READING
    frame.owner = u
    frame.page = m.users[u].fault_page
    frame.start = m.pages[u, frame.page].start


@inlined
def missing_page(m, u):
    """Draw which of the missing pages of his locality a user has referenced."""
    # Rounding may leave a rest above 0 after the last page, which is then the one.
    user = m.users[u]
    left = uniform(m.place) * m.kernel.missing_per_ms
    chosen = NOBODY
    for k in range(user.missing_pages):
        chosen = int(m.missing[u, k])
        left -= m.rates_per_ms[user.rates_row, chosen]
        if left < 0.0:
            break
    return chosen


@inlined
def first_reference(m, u, policy):
    """A benchmark's first instruction refers to its first page."""
    user = m.users[u]
    user.first_page_due = 0
    f = m.pages[u, 0].frame
    if f == NOBODY:
        fault(m, u, 0, policy)
        return
    m.frames[f].bit = 1
    touch(m, u, 0)
    user.state = State.READY
    push_front(m.users, m.ready[user.queue], u)


@inlined
def fault(m, u, page, policy):
    """A user has referenced a page that is not in storage: a frame is found, or he waits."""
    k, user = m.kernel, m.users[u]
    user.fault_page = page
    user.asked_page_ms = k.now_ms
    k.faults += 1
    note(m, Event.FAULT, u, user.fault_page)
    supervise_for(m, u, m.settings.fault_ms)
    # Nobody overtakes those who wait for a frame already.
    if m.waiting_for_frame.length > 0 or not find_frame(m, u, policy):
        user.state = State.FRAME_WAIT
        push(m.users, m.waiting_for_frame, u)


@inlined
def page_arrives(m, f):
    """A page has been read; it is referenced at once and its user is ready."""
    k, frame = m.kernel, m.frames[f]
    u = frame.owner
    user = m.users[u]
    k.page_reads += 1
    k.page_wait_ms += k.now_ms - user.asked_page_ms
    k.frames_in_transit -= 1
    frame.state = Frame.HELD
    frame.bit = 1
    frame.since_ms = k.now_ms
    m.pages[u, frame.page].frame = f
    user.held_pages += 1
    is_back(m, u, frame.page)
    touch(m, u, frame.page)
    note(m, Event.PAGE_IN, u, f)
    make_ready(m, u)


@inlined
def drift(m, u):
    """A user leaves a page of his locality for one of his others, all equally likely."""
    user = m.users[u]
    m.kernel.drifts += 1
    i = int(uniform(m.place) * user.locality_pages)
    others = m.pages.shape[1] - user.locality_pages
    j = user.locality_pages + int(uniform(m.place) * others)
    swap_pages(m, u, i, j)
    make_ready(m, u)


@inlined
def swap_pages(m, u, i, j):
    """Exchange a page of the locality with one outside; bits are settled first."""
    inside, outside = m.pages[u, i], m.pages[u, j]
    if inside.frame != NOBODY:
        look_at_bit(m, inside.frame)
        m.frames[inside.frame].page = j
        if outside.frame == NOBODY:
            becomes_missing(m, u, i)
    elif outside.frame != NOBODY:
        is_back(m, u, i)
    if outside.frame != NOBODY:
        m.frames[outside.frame].page = i
        m.frames[outside.frame].seen_ms = m.users[u].virtual_ms
    frame, stay, start = inside.frame, inside.stay, inside.start
    inside.frame, inside.stay, inside.start = outside.frame, outside.stay, outside.start
    outside.frame, outside.stay, outside.start = frame, stay, start


@handler
def look_at_bits(m, u, turn_off):
    """Bring the bits of all pages of a user up to now, or off; return how many were on."""
    on = 0
    for i in range(m.pages.shape[1]):
        f = m.pages[u, i].frame
        if f != NOBODY:
            on += look_at_bit(m, f)
            if turn_off:
                turn_bit_off(m, f)
    return on


@inlined
def free_pages(m, u):
    """Free the frames of a user who logs off."""
    for i in range(m.pages.shape[1]):
        f = m.pages[u, i].frame
        if f != NOBODY:
            take_page_away(m, f)
            m.frames[f].state = Frame.FREE
            push_front(m.frames, m.free_frames, f)


@inlined
def missing_rate(m, u):
    """Return how many references per ms of virtual time go to missing pages of the locality."""
    user = m.users[u]
    # Summed anew each time, in the order of pages: a sum kept up by differences would round
    # otherwise, and leave a rest where no page is missing.
    rate = 0.0
    for k in range(user.missing_pages):
        rate += m.rates_per_ms[user.rates_row, m.missing[u, k]]
    return rate


@inlined
def becomes_missing(m, u, page):
    """Note that a page of a user's locality is not in storage; those missing stand in order."""
    user = m.users[u]
    k = user.missing_pages
    while k > 0 and m.missing[u, k - 1] > page:
        m.missing[u, k] = m.missing[u, k - 1]
        k -= 1
    m.missing[u, k] = page
    user.missing_pages += 1


@inlined
def is_back(m, u, page):
    """Note that a page of a user's locality is in storage again."""
    user = m.users[u]
    k = 0
    while m.missing[u, k] != page:
        k += 1
    user.missing_pages -= 1
    for after in range(k, user.missing_pages):
        m.missing[u, after] = m.missing[u, after + 1]


@inlined
def find_missing(m, u):
    """Find which pages of a user's new locality are not in storage."""
    user = m.users[u]
    user.missing_pages = 0
    for i in range(user.locality_pages):
        if m.pages[u, i].frame == NOBODY:
            m.missing[u, user.missing_pages] = i
            user.missing_pages += 1
