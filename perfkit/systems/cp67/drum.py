"""The paging drum: one request for each frame in transit, in order or by angle."""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.lists import pop, push, take_out
from perfkit.des.storage import rotational_wait, transfer_end
from perfkit.systems.cp67.machine import DRUM_ACTOR, NOBODY, Frame
from perfkit.systems.cp67.processor import supervise


@handler
def request_transfer(m, f):
    """Queue the transfer of a frame's page."""
    if m.frames[f].state == Frame.WRITING:
        supervise(m, m.settings.write_ms)
    push(m.frames, m.drum_queue, f)
    if m.kernel.drum_frame == NOBODY:
        start_transfer(m)


@inlined
def nearest_request(m):
    """Take the request whose sector comes round first out of the drum's queue."""
    angle_ms = m.kernel.now_ms + m.kernel.drum_phase_ms
    best, best_before, before = NOBODY, NOBODY, NOBODY
    least_ms = NEVER
    f = m.drum_queue.head
    while f != NOBODY:
        wait_ms = rotational_wait(m.drum, angle_ms, m.frames[f].sector)
        if wait_ms < least_ms:
            best, best_before, least_ms = f, before, wait_ms
        before = f
        f = m.frames[f].next
    take_out(m.frames, m.drum_queue, best_before, best)
    return best


@handler
def start_transfer(m):
    """Start the next transfer, if one waits; the drum's alarm tells its end."""
    k = m.kernel
    if m.drum_queue.length == 0:
        k.drum_frame = NOBODY
        set_alarm(m.alarms, DRUM_ACTOR, NEVER)
        return
    f = nearest_request(m) if m.settings.drum_shortest_latency else pop(m.frames, m.drum_queue)
    k.drum_frame = f
    k.drum_started_ms = k.now_ms
    end_ms = transfer_end(m.drum, k.now_ms + k.drum_phase_ms, m.frames[f].sector, 1)
    set_alarm(m.alarms, DRUM_ACTOR, end_ms - k.drum_phase_ms)


@inlined
def end_transfer(m):
    """End the drum's transfer and start the next; return its frame."""
    k = m.kernel
    f = k.drum_frame
    k.drum_busy_ms += k.now_ms - k.drum_started_ms
    start_transfer(m)
    return f
