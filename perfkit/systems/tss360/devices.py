"""Paging drums, paging discs and the discs of the data sets: queue, arm, rotation, transfer.

A drum serves the waiting page whose place comes round first, those that a task waits for before
all others (`drum_reads_first`); a disc serves by its discipline.
Every device has a path of its own: input and output were no problem, the paper says.
"""

from perfkit.des import devices
from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.lists import NOBODY
from perfkit.systems.tss360.state import BLOCKS_PER_DISC_TRACK, FIRST_DEVICE_ACTOR, Purpose


@handler
def request(m, purpose, device, place, actor, page, frame):
    """Ask a device for a page; it begins when the supervisor has done its work, or queues it.

    The actor is the task that waits, or the owner of the page; the frame is that which the page
    goes to or comes from, or NOBODY.
    """
    k, s, to = m.kernel, m.settings, m.devices[device]
    # Requests that wait stand together at the front, for a drum looks through all of them.
    idle = to.serving == NOBODY
    r = m.requests[m.requests.size - m.devices.size + device if idle else k.waiting]
    r.drive, r.order, r.purpose = device, k.orders, purpose
    r.actor, r.page, r.frame = actor, page, frame
    if to.is_drum:
        r.start = (place % s.drum_pages_in_two_turns) / s.drum_pages_in_two_turns
    else:
        r.block = place * BLOCKS_PER_DISC_TRACK
        r.cylinder = devices.cylinder_of(m.disc, r.block)
    r.from_ms = max(k.now_ms, k.supervisor_end_ms)
    k.orders += 1
    if not idle:
        k.waiting += 1
        to.waiting += 1
        return
    if not to.is_drum and devices.turns_back(s.discipline, r.cylinder - to.cylinder, to.direction):
        to.direction = -to.direction
    begin_operation(m, device)


@inlined
def drum_wait_ms(m, r, from_ms):
    """Return the time until a request's place on its drum comes round."""
    return turned_wait_ms(m, r, from_ms / m.settings.drum_turn_ms)


@inlined
def turned_wait_ms(m, r, turns):
    """Return the same from the turns that the drum has made."""
    return max(devices.turns_until(1.0, turns, r.start), 0.0) * m.settings.drum_turn_ms


@inlined
def next_on_drum(m, d):
    """Return the waiting request of a drum whose place comes round first, reads before others."""
    k, left, turns = m.kernel, m.devices[d].waiting, m.kernel.now_ms / m.settings.drum_turn_ms
    best, best_waits, best_ms = NOBODY, True, NEVER
    for i in range(k.waiting):
        r = m.requests[i]
        if r.drive != d:
            continue
        # Reads first: a task waits for each of them, and the fitted cells prefer it.
        waits = m.settings.drum_reads_first and r.purpose != Purpose.READ_PAGE
        if waits <= best_waits:
            if r.from_ms > k.now_ms:
                at_ms = r.from_ms + drum_wait_ms(m, r, r.from_ms)
            else:
                at_ms = k.now_ms + turned_wait_ms(m, r, turns)
            if waits < best_waits or at_ms < best_ms:
                best, best_waits, best_ms = i, waits, at_ms
        left -= 1
        if left == 0:
            break
    return best


@handler
def start_operation(m, d):
    """Start the next request of a device, if one waits."""
    k, device = m.kernel, m.devices[d]
    if device.waiting == 0:
        device.serving = NOBODY
        set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, NEVER)
        return
    if device.is_drum:
        i = next_on_drum(m, d)
    else:
        i, device.direction = devices.choose_request(
            m.requests, k.waiting, d, m.settings.discipline, device.cylinder, device.direction
        )
    m.requests[m.requests.size - m.devices.size + d] = m.requests[i]
    k.waiting -= 1
    device.waiting -= 1
    m.requests[i] = m.requests[k.waiting]
    begin_operation(m, d)


@inlined
def begin_operation(m, d):
    """Begin with the request that stands in a device's place."""
    device = m.devices[d]
    device.serving = m.requests.size - m.devices.size + d
    r = m.requests[device.serving]
    device.started_ms = max(m.kernel.now_ms, r.from_ms)
    set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, operation_end(m, device, r))


@inlined
def operation_end(m, device, r):
    """Return when a request that starts now will have been served; move the arm."""
    start_ms = device.started_ms
    if device.is_drum:
        return start_ms + drum_wait_ms(m, r, start_ms) + m.settings.drum_page_ms
    start_ms += devices.move_arm(m.disc.seek_time, device, r.cylinder)
    return (
        start_ms + devices.rotational_wait(m.disc, start_ms, r.block) + m.settings.disc_transfer_ms
    )


@inlined
def finish_operation(m, d):
    """End a device's operation, start its next one; return purpose, actor, page and frame."""
    device = m.devices[d]
    r = m.requests[device.serving]
    purpose, actor, page, frame = r.purpose, r.actor, r.page, r.frame
    devices.operation_ends(device, m.kernel.now_ms)
    start_operation(m, d)
    return purpose, actor, page, frame
