"""The paging drum, one request for each frame in transit, and the drives of user I/O."""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.devices import cylinder_of, move_arm, transfer_end, turns_until
from perfkit.des.draws import uniform
from perfkit.des.lists import NOBODY, pop, push, take_out
from perfkit.des.processor import supervise
from perfkit.systems.cp67.state import DRUM_ACTOR, FIRST_DRIVE_ACTOR, Frame


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
    """Take the request whose page comes round first out of the drum's queue."""
    best, best_before, before = NOBODY, NOBODY, NOBODY
    least_ms = NEVER
    f = m.drum_queue.head
    while f != NOBODY:
        wait_ms = drum_wait_ms(m, f)
        if wait_ms < least_ms:  # not <=: of pages under one angle the oldest request goes first
            best, best_before, least_ms = f, before, wait_ms
        before = f
        f = m.frames[f].next
    take_out(m.frames, m.drum_queue, best_before, best)
    return best


@inlined
def drum_wait_ms(m, f):
    """Return the time until the place of a frame's page comes round."""
    turn_ms = m.settings.drum_revolution_ms
    angle_ms = m.kernel.now_ms + m.kernel.drum_phase_ms
    return max(turns_until(turn_ms, angle_ms, m.frames[f].start), 0.0) * turn_ms


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
    page_ms = m.settings.drum_revolution_ms / m.settings.drum_pages_per_track
    end_ms = k.now_ms + k.drum_phase_ms + drum_wait_ms(m, f) + page_ms
    set_alarm(m.alarms, DRUM_ACTOR, end_ms - k.drum_phase_ms)


@inlined
def request_record(m, u):
    """Queue a transfer of a record drawn at random from a user's own cylinders."""
    user = m.users[u]
    per_cylinder = m.disc.heads * m.disc.blocks_per_track
    blocks = m.settings.minidisk_cylinders * per_cylinder
    user.disc_block = user.first_cylinder * per_cylinder + int(uniform(m.place) * blocks)
    push(m.users, m.drive_queues[user.drive], u)
    if m.drives[user.drive].serving == NOBODY:
        start_drive(m, user.drive)


@handler
def start_drive(m, d):
    """Start a drive's next transfer (a seek, a wait, a record), if one waits; set its alarm."""
    drive = m.drives[d]
    if m.drive_queues[d].length == 0:
        drive.serving = NOBODY
        set_alarm(m.alarms, FIRST_DRIVE_ACTOR + d, NEVER)
        return
    drive.serving = pop(m.users, m.drive_queues[d])
    block = m.users[drive.serving].disc_block
    seek_ms = move_arm(m.disc.seek_time, drive, cylinder_of(m.disc, block))
    angle_ms = m.kernel.now_ms + seek_ms + drive.phase_ms
    end_ms = transfer_end(m.disc, angle_ms, block, 1) - drive.phase_ms
    set_alarm(m.alarms, FIRST_DRIVE_ACTOR + d, end_ms)
