"""Paging devices and discs: queue, arm, rotation, transfer, channel.

A drum is a device without seeks, one page per track; large auxiliary memory has no rotation
either. A channel is held from the end of the seek to the end of the transfer; a device
with a channel of its own needs no event between the two.
"""

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.devices import DriveState, move_arm, operation_ends, turns_until
from perfkit.des.draws import uniform
from perfkit.des.lists import NOBODY
from perfkit.systems.sim61.state import FIRST_DEVICE_ACTOR, Purpose


@inlined
def request(m, first_device, devices, purpose, t, draw):
    """Queue a transfer for a place drawn at random on some devices, and start what can start."""
    # One draw for all three, so that a request takes as many whatever the devices are.
    place = draw * devices
    d = first_device + int(place)
    device = m.devices[d]
    place = (place - int(place)) * device.cylinders
    r = lists.pop(m.requests, m.free_requests)
    q = m.requests[r]
    q.task = t
    q.purpose = purpose
    q.cylinder = int(place)
    q.angle = place - int(place)
    can_wait = purpose == Purpose.WRITE_PAGE and m.settings.reads_first
    lists.push(m.requests, m.device_queues[d + m.devices.size if can_wait else d], r)
    if device.state == DriveState.IDLE:
        start_operation(m, d)


@inlined
def take_request(m, d):
    """Take the request that a device serves next out of its queues; NOBODY if none waits."""
    for queue in (d, d + m.devices.size):
        if m.device_queues[queue].length > 0:
            return lists.pop(m.requests, m.device_queues[queue])
    return NOBODY


@handler
def request_page(m, purpose, t, draw):
    """Queue a page for a paging device."""
    request(m, 0, m.settings.paging_device_count, purpose, t, draw)


@inlined
def request_io(m, purpose, t):
    """Queue a user's transfer for one of the discs of user I/O."""
    settings = m.settings
    request(m, settings.paging_device_count, settings.user_discs, purpose, t, uniform(m.place))


@handler
def start_operation(m, d):
    """Set up the next request of a device's queues, if one waits, and move the arm."""
    k, device = m.kernel, m.devices[d]
    device.serving = take_request(m, d)
    if device.serving == NOBODY:
        device.state = DriveState.IDLE
        set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, NEVER)
        return
    r = m.requests[device.serving]
    device.started_ms = k.now_ms
    seek_ms = move_arm(m.seek_ms[d], device, r.cylinder)
    on_cylinder_ms = k.now_ms + device.set_up_ms + seek_ms
    if m.channels[device.channel].devices == 1:
        transfer(m, d, on_cylinder_ms)
    else:
        device.state = DriveState.SEEKING
        set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, on_cylinder_ms)


@handler
def transfer(m, d, from_ms):
    """Wait for the place to come round and transfer; the device's alarm tells the end.

    The window routine fires its operations at the beginning of a track, as on the drum (for
    discs an assumption of ours, `from_track_beginning`); on a disc with several pages per track
    it then waits until the page's place has come.
    """
    device = m.devices[d]
    device.state = DriveState.TRANSFERRING
    m.channels[device.channel].busy = 1
    wait_ms = 0.0
    if device.revolution_ms > 0.0:
        slot = np.floor(m.requests[device.serving].angle * device.slots) / device.slots
        start = 0.0 if device.from_index else slot
        turns = turns_until(device.revolution_ms, from_ms + device.phase_ms, start)
        wait_ms = (max(turns, 0.0) + slot - start) * device.revolution_ms
    set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, from_ms + wait_ms + device.transfer_ms)


@inlined
def on_cylinder(m, d):
    """A seek has ended: transfer, or wait for the channel."""
    device = m.devices[d]
    if m.channels[device.channel].busy == 0:
        transfer(m, d, m.kernel.now_ms)
        return
    device.state = DriveState.ON_CYLINDER
    set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, NEVER)
    lists.push(m.devices, m.channel_queues[device.channel], d)


@inlined
def free_channel(m, c):
    """Give a channel to the device that has waited for it longest, if any has."""
    m.channels[c].busy = 0
    if m.channel_queues[c].length > 0:
        transfer(m, lists.pop(m.devices, m.channel_queues[c]), m.kernel.now_ms)


@inlined
def device_alarm(m, d):
    """Handle a device's alarm; return the request that is done, NOBODY after a mere seek."""
    device = m.devices[d]
    if device.state == DriveState.SEEKING:
        on_cylinder(m, d)
        return NOBODY
    r = device.serving
    operation_ends(device, m.kernel.now_ms)
    free_channel(m, device.channel)  # first: another device has waited for it, this one has not
    start_operation(m, d)
    return r
