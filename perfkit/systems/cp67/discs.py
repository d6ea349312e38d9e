"""The drives of user I/O: a virtual SIO is a seek, a wait for the record, a transfer."""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.draws import draw_uniform
from perfkit.des.lists import pop, push
from perfkit.des.storage import cylinder_of, transfer_end
from perfkit.systems.cp67.machine import (
    FIRST_DRIVE_ACTOR,
    NOBODY,
)


@inlined
def request_record(m, u):
    """Queue a transfer of a record drawn at random from a user's own cylinders."""
    user = m.users[u]
    per_cylinder = m.disc.heads * m.disc.blocks_per_track
    blocks = m.settings.minidisk_cylinders * per_cylinder
    user.disc_block = user.first_cylinder * per_cylinder + int(draw_uniform(m) * blocks)
    push(m.users, m.drive_queues[user.drive], u)
    if m.drives[user.drive].serving == NOBODY:
        start_drive(m, user.drive)


@handler
def start_drive(m, d):
    """Start a drive's next transfer, if one waits; its alarm tells the end."""
    k, drive = m.kernel, m.drives[d]
    if m.drive_queues[d].length == 0:
        drive.serving = NOBODY
        set_alarm(m.alarms, FIRST_DRIVE_ACTOR + d, NEVER)
        return
    u = pop(m.users, m.drive_queues[d])
    block = m.users[u].disc_block
    cylinder = cylinder_of(m.disc, block)
    seek_ms = m.disc.seek_time[abs(cylinder - drive.cylinder)]
    drive.cylinder = cylinder
    drive.serving = u
    angle_ms = k.now_ms + seek_ms + drive.phase_ms
    end_ms = transfer_end(m.disc, angle_ms, block, 1) - drive.phase_ms
    drive.busy_ms += end_ms - k.now_ms
    set_alarm(m.alarms, FIRST_DRIVE_ACTOR + d, end_ms)


@inlined
def end_record(m, d):
    """End a drive's transfer and start its next; return the user whose it was."""
    u = m.drives[d].serving
    m.kernel.disc_ios += 1
    start_drive(m, d)
    return u
