"""Paging drums, paging discs and the discs of the data sets: queue, arm, rotation, transfer.

A drum serves the waiting page whose place comes round first, those that a task waits for before
all others (`drum_reads_first`); a disc serves by its discipline.
Every device has a path of its own: input and output were no problem, the paper says.
"""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.devices import (
    choose_request,
    cylinder_of,
    move_arm,
    operation_ends,
    rotational_wait,
    turns_until,
)
from perfkit.des.lists import NOBODY
from perfkit.systems.tss360.state import BLOCKS_PER_DISC_TRACK, FIRST_DEVICE_ACTOR, Purpose


@handler
def request(m, purpose, device, place, actor, page, frame):
    """Queue a page for a device, to be started when the supervisor has done its work.

    The actor is the task that waits, or the owner of the page; the frame is that which the page
    goes to or comes from, or NOBODY.
    """
    k, s = m.kernel, m.settings
    r = m.requests[k.waiting]
    r.drive, r.order, r.purpose = device, k.orders, purpose
    r.actor, r.page, r.frame = actor, page, frame
    if m.devices[device].is_drum:
        r.start = (place % s.drum_pages_in_two_turns) / s.drum_pages_in_two_turns
    else:
        r.block = place * BLOCKS_PER_DISC_TRACK
        r.cylinder = cylinder_of(m.disc, r.block)
    r.from_ms = max(k.now_ms, k.supervisor_end_ms)
    k.waiting += 1
    k.orders += 1
    if m.devices[device].serving == NOBODY:
        start_operation(m, device)


@inlined
def drum_wait_ms(m, r, from_ms):
    """Return the time until a request's place on its drum comes round."""
    turn_ms = m.settings.drum_turn_ms
    return max(turns_until(turn_ms, from_ms, r.start), 0.0) * turn_ms


@inlined
def next_on_drum(m, d):
    """Return the waiting request of a drum whose place comes round first, reads before others."""
    k = m.kernel
    best, best_waits, best_ms = NOBODY, True, NEVER
    for i in range(k.waiting):
        r = m.requests[i]
        waits = m.settings.drum_reads_first and r.purpose != Purpose.READ_PAGE
        if r.drive == d and waits <= best_waits:
            from_ms = max(k.now_ms, r.from_ms)
            at_ms = from_ms + drum_wait_ms(m, r, from_ms)
            if waits < best_waits or at_ms < best_ms:
                best, best_waits, best_ms = i, waits, at_ms
    return best


@handler
def start_operation(m, d):
    """Start the next request of a device, if one waits."""
    k, device = m.kernel, m.devices[d]
    if device.is_drum:
        i = next_on_drum(m, d)
    else:
        i, device.direction = choose_request(
            m.requests, k.waiting, d, m.settings.discipline, device.cylinder, device.direction
        )
    if i == NOBODY:
        device.serving = NOBODY
        set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, NEVER)
        return
    device.serving = m.requests.size - m.devices.size + d
    m.requests[device.serving] = m.requests[i]
    k.waiting -= 1
    m.requests[i] = m.requests[k.waiting]
    r = m.requests[device.serving]
    device.started_ms = max(k.now_ms, r.from_ms)
    set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, operation_end(m, device, r))


@inlined
def operation_end(m, device, r):
    """Return when a request that starts now will have been served; move the arm."""
    start_ms = device.started_ms
    if device.is_drum:
        return start_ms + drum_wait_ms(m, r, start_ms) + m.settings.drum_page_ms
    start_ms += move_arm(m.disc.seek_time, device, r.cylinder)
    return start_ms + rotational_wait(m.disc, start_ms, r.block) + m.settings.disc_transfer_ms


@inlined
def finish_operation(m, d):
    """End a device's operation, start its next one; return purpose, actor, page and frame."""
    device = m.devices[d]
    r = m.requests[device.serving]
    purpose, actor, page, frame = r.purpose, r.actor, r.page, r.frame
    operation_ends(device, m.kernel.now_ms)
    start_operation(m, d)
    return purpose, actor, page, frame
