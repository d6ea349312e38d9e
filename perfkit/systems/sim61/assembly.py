"""Put a machine together from parameters and a load: empty queues, tasks about to begin."""

import math
from collections.abc import Mapping

import numpy as np

from perfkit.des.alarms import new_alarms, set_alarm
from perfkit.des.draws import stream
from perfkit.des.lists import LINK, new_lists
from perfkit.des.tallies import new_levels
from perfkit.des.trace import new_trace
from perfkit.systems.record import check_held
from perfkit.systems.sim61.load import TASK_TYPES
from perfkit.systems.sim61.machine import (
    CHANNEL,
    DEMAND,
    DEVICE,
    FIRST_DEVICE_ACTOR,
    GROUP,
    KERNEL,
    NOBODY,
    REQUEST,
    SETTINGS,
    TASK,
    Level,
    Machine,
    Queue,
    State,
    TaskType,
)
from perfkit.systems.sim61.parameters import Device
from perfkit.systems.sim61.supply import ROWS
from perfkit.wording import nearest

CORE_GRAIN = 1024.0
FEWEST_DRAWS = 2**15


def new_machine(p, classes, supply, seed, devices, trace=0):
    """Return a machine at time zero, its draws filled.

    Parameters
    ----------
    p : Parameters
    classes : tuple of TaskClass
    supply : Supply
    seed : int
        Draws the phases of the devices and how far each task is in its first think time.
    devices : mapping of str to Device
    trace : int
        How many trace records to have room for.

    Returns
    -------
    Machine
    """
    chosen = [_model(devices, name) for name in p.paging_devices]
    chosen += [_model(devices, p.user_disc)] * p.user_discs
    check_held("times of seeks", len(chosen) * max(model.cylinders for model in chosen))
    seeks = [model.seek_times_ms() for model in chosen]
    count = sum(c.tasks for c in classes)
    requests = p.core_pages + count * (p.io_buffers + 2)
    check_held("requests to devices", requests)
    settings = _settings(p)
    draws = max(FEWEST_DRAWS, 8 * int(settings.draws_an_event))
    machine = Machine(
        settings=settings,
        kernel=_records(1, KERNEL)[0],
        tasks=_records(count, TASK),
        groups=_records(len(classes), GROUP),
        pool=new_lists(1)[0],
        members=_records(count, LINK),
        queues=new_lists(len(Queue)),
        levels=new_levels(len(Level)),
        devices=_records(len(chosen), DEVICE),
        channels=_records(len(chosen), CHANNEL),
        requests=_records(requests, REQUEST),
        seek_ms=np.zeros((len(chosen), max(map(len, seeks)))),
        demands=_records((count, ROWS), DEMAND),
        exponentials=np.zeros(draws),
        uniforms=np.zeros(draws),
        alarms=new_alarms(FIRST_DEVICE_ACTOR + len(chosen) + count),
        trace=new_trace(trace),
    )
    for d, row in enumerate(seeks):
        machine.seek_ms[d, : len(row)] = row
    phases = stream(seed, "phase")
    _connect(machine, p, chosen, phases)
    _clear(machine, p)
    supply.refill(machine)
    _admit(machine, classes, phases)
    return machine


def _records(shape, dtype):
    return np.zeros(shape, dtype).view(np.recarray)


def _model(devices, name):
    if not isinstance(devices, Mapping):
        raise ValueError(f"devices must be a mapping of str to Device, not {devices!r}.")
    if name not in devices:
        hint = nearest(name, devices) or f"; the devices are {', '.join(devices) or 'none'}."
        raise ValueError(f"There is no device '{name}'{hint}")
    if not isinstance(devices[name], Device):
        raise ValueError(f"Device '{name}' must be a Device, not {devices[name]!r}.")
    return devices[name]


def _settings(p):
    settings = _records(1, SETTINGS)[0]
    for name in set(SETTINGS.names) & set(p.names()) - {"paging_devices"}:
        settings[name] = getattr(p, name)
    settings.paging_devices = len(p.paging_devices)
    settings.core_pages = p.core_pages
    settings.extra_pages = round(p.extra_pages * CORE_GRAIN) / CORE_GRAIN
    settings.slow_down = p.slow_down
    for name in ("page_ms", "io_ms", "activation_ms", "reclaim_ms"):
        settings[name] *= p.slow_down
    settings.fault_charge_ms = p.charged_share * settings.page_ms
    settings.exec_rate = _rate(p.exec_fault_share)
    settings.shared_rate = _rate(p.shared_fault_share)
    settings.draws_an_event = 4 * p.core_pages + 64
    return settings


def _rate(share):
    return -math.log1p(-share) if share < 1.0 else math.inf


def _connect(machine, p, chosen, phases):
    """Set the devices up and share them out to the channels."""
    paging = len(p.paging_devices)
    channels = p.paging_channels or paging
    for d, model in enumerate(chosen):
        device = machine.devices[d]
        device.serving = device.head = device.tail = NOBODY
        device.later_head = device.later_tail = NOBODY
        for_paging = d < paging
        device.channel = d % channels if for_paging else channels + (d - paging) % p.user_channels
        machine.channels[device.channel].devices += 1
        device.revolution_ms = model.rotation_ms
        device.phase_ms = phases.random() * model.rotation_ms
        device.cylinders, device.slots = model.cylinders, model.pages_per_track
        if for_paging:
            device.from_index = p.window_algorithm and p.from_track_beginning
            device.transfer_ms = model.page_ms()
            device.set_up_ms = p.window_routine_ms * p.slow_down if p.window_algorithm else 0.0
            device.supervisor_ms = _page_ms(p, model) * p.slow_down
        else:
            device.cylinders = max(1, round(p.user_surface_share * model.cylinders))
            device.slots = max(1, int(model.rotation_ms * model.transfer_kb_per_s / 512.0))
            device.transfer_ms = 1000.0 * p.io_kb / model.transfer_kb_per_s


def _page_ms(p, model):
    """Return the supervisor time of a page moved by a device, as an RCA 7 takes it."""
    page_ms = p.page_ms + (p.seek_ms if model.seek_mean_ms > 0.0 else 0.0)
    return page_ms + (p.no_rotation_ms if model.rotation_ms == 0.0 else 0.0)


def _clear(machine, p):
    """Link the free requests, empty the channels, free all frames, mark all draws as used."""
    k, requests = machine.kernel, machine.requests
    k.running = NOBODY
    k.free_frames = p.core_pages
    requests.next[:] = np.arange(1, requests.size + 1)
    requests.next[-1] = NOBODY
    machine.channels.head[:] = machine.channels.tail[:] = NOBODY
    machine.tasks.rows_used[:] = machine.demands.shape[1]
    k.exponentials_used = machine.exponentials.size
    k.uniforms_used = machine.uniforms.size


def _admit(machine, classes, phases):
    """Let each task be somewhere in its first think time; batch tasks come at once."""
    first = FIRST_DEVICE_ACTOR + machine.devices.size
    t = 0
    for group, c in enumerate(classes):
        for _ in range(c.tasks):
            task = machine.tasks[t]
            task.kind = TASK_TYPES[c.task_type]
            task.group = group
            task.state = State.THINKING
            is_batch = task.kind == TaskType.BATCH
            think_ms = 0.0 if is_batch else machine.demands[t, 0].think_ms
            set_alarm(machine.alarms, first + t, phases.random() * think_ms)
            t += 1
