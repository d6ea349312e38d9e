"""Paging devices and discs: queue, arm, rotation, transfer, channel.

A drum is a device without seeks, a page a track; large auxiliary memory has no rotation
either. A channel is held from the end of the seek to the end of the transfer; a device
with a channel of its own needs no event between the two.
"""

import numpy as np

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.draws import draw_uniform
from perfkit.des.storage import ROUNDING
from perfkit.systems.sim61.machine import (
    FIRST_DEVICE_ACTOR,
    NOBODY,
    DeviceState,
    Purpose,
)


@inlined
def request(m, first_device, devices, purpose, t, draw):
    """Queue a transfer for a place drawn at random on some devices, and start what can start.

    Parameters
    ----------
    m : Machine
    first_device, devices : int
        The devices that the place may lie on.
    purpose : int
        A member of Purpose.
    t : int
        The task.
    draw : float
        From 0 to 1: device, cylinder and angle in one.
    """
    place = draw * devices
    d = first_device + int(place)
    device = m.devices[d]
    place = (place - int(place)) * device.cylinders
    r = m.kernel.free_request
    q = m.requests[r]
    m.kernel.free_request = q.next
    q.next = NOBODY
    q.task = t
    q.purpose = purpose
    q.cylinder = int(place)
    q.angle = place - int(place)
    if purpose == Purpose.WRITE_PAGE and m.settings.reads_first:
        append_later(m, device, r)
    else:
        append(m, device, r)
    if device.state == DeviceState.IDLE:
        start_operation(m, d)


@inlined
def append(m, device, r):
    """Put a request at the end of a device's queue."""
    if device.tail == NOBODY:
        device.head = r
    else:
        m.requests[device.tail].next = r
    device.tail = r


@inlined
def append_later(m, device, r):
    """Put a page-out at the end of the queue that a device turns to when no other waits."""
    if device.later_tail == NOBODY:
        device.later_head = r
    else:
        m.requests[device.later_tail].next = r
    device.later_tail = r


@inlined
def take_request(m, device):
    """Take the request that a device serves next out of its queues; NOBODY if none waits."""
    r = device.head
    if r != NOBODY:
        device.head = m.requests[r].next
        if device.head == NOBODY:
            device.tail = NOBODY
        return r
    r = device.later_head
    if r != NOBODY:
        device.later_head = m.requests[r].next
        if device.later_head == NOBODY:
            device.later_tail = NOBODY
    return r


@handler
def request_page(m, purpose, t, draw):
    """Queue a page for a paging device."""
    request(m, 0, m.settings.paging_devices, purpose, t, draw)


@inlined
def request_io(m, purpose, t):
    """Queue a user's transfer for one of the discs of user I/O."""
    settings = m.settings
    request(m, settings.paging_devices, settings.user_discs, purpose, t, draw_uniform(m))


@handler
def start_operation(m, d):
    """Set up the next request of a device's queues, if one waits, and move the arm."""
    k, device = m.kernel, m.devices[d]
    device.serving = take_request(m, device)
    if device.serving == NOBODY:
        device.state = DeviceState.IDLE
        set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, NEVER)
        return
    r = m.requests[device.serving]
    device.started_ms = k.now_ms
    distance = abs(r.cylinder - device.cylinder)
    device.cylinder = r.cylinder
    on_cylinder_ms = k.now_ms + device.set_up_ms + m.seek_ms[d, distance]
    if m.channels[device.channel].devices == 1:
        transfer(m, d, on_cylinder_ms)
    else:
        device.state = DeviceState.SEEKING
        set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, on_cylinder_ms)


@handler
def transfer(m, d, from_ms):
    """Wait for the place to come round and transfer; the device's alarm tells the end.

    The window routine fires its operations at the beginning of a track, as on the drum (for
    discs an assumption of ours, `from_track_beginning`); on a disc with several pages a track
    it then waits until the page's place has come.
    """
    device = m.devices[d]
    device.state = DeviceState.TRANSFERRING
    m.channels[device.channel].busy = 1
    wait_ms = 0.0
    if device.revolution_ms > 0.0:
        slot = np.floor(m.requests[device.serving].angle * device.slots) / device.slots
        start = 0.0 if device.from_index else slot
        turns = start - (from_ms + device.phase_ms) / device.revolution_ms
        turns -= np.floor(turns + ROUNDING)
        wait_ms = (max(turns, 0.0) + slot - start) * device.revolution_ms
    set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, from_ms + wait_ms + device.transfer_ms)


@inlined
def on_cylinder(m, d):
    """A seek has ended: transfer, or wait for the channel."""
    device = m.devices[d]
    channel = m.channels[device.channel]
    if channel.busy == 0:
        transfer(m, d, m.kernel.now_ms)
        return
    device.state = DeviceState.ON_CYLINDER
    set_alarm(m.alarms, FIRST_DEVICE_ACTOR + d, NEVER)
    device.next = NOBODY
    if channel.tail == NOBODY:
        channel.head = d
    else:
        m.devices[channel.tail].next = d
    channel.tail = d


@inlined
def free_channel(m, c):
    """Give a channel to the device that has waited for it longest, if any has."""
    channel = m.channels[c]
    channel.busy = 0
    d = channel.head
    if d == NOBODY:
        return
    channel.head = m.devices[d].next
    if channel.head == NOBODY:
        channel.tail = NOBODY
    transfer(m, d, m.kernel.now_ms)


@inlined
def device_alarm(m, d):
    """Handle a device's alarm; start its next operation if one has ended.

    Returns
    -------
    int
        The request that is done, to be freed by the caller; NOBODY after a mere seek.
    """
    device = m.devices[d]
    if device.state == DeviceState.SEEKING:
        on_cylinder(m, d)
        return NOBODY
    r = device.serving
    device.operations += 1
    device.busy_ms += m.kernel.now_ms - device.started_ms
    free_channel(m, device.channel)
    start_operation(m, d)
    return r


@inlined
def free_request(m, r):
    """Put a request back into the list of those not in use."""
    m.requests[r].next = m.kernel.free_request
    m.kernel.free_request = r
