"""The state of the RCA system: records that the handlers share, and a machine at time zero.

All times are in milliseconds unless a name says else. Every task has a clock of its own,
``used_ms``: the compute time of Table 1 that it has had. What it will demand next (a page,
an I/O, ...) stands on that clock.
"""

import functools
import math
from collections import namedtuple
from collections.abc import Mapping
from enum import IntEnum

import numpy as np

from perfkit.core.record import check_held
from perfkit.core.wording import nearest
from perfkit.des import lists
from perfkit.des.alarms import new_alarms, set_alarm
from perfkit.des.compiling import handler, inlined, kernel
from perfkit.des.counters import new_levels
from perfkit.des.draws import stream, streams, uniform
from perfkit.des.elementary import log1p, normal_quantile
from perfkit.des.lists import LINK, NOBODY, link_all, new_lists
from perfkit.des.processor import passed
from perfkit.des.records import copied, fields, record, records
from perfkit.des.trace import new_trace
from perfkit.systems.sim61.parameters import Device, Parameters

FIRST_DEVICE_ACTOR = 1  # after the processor; behind the devices come the tasks
CORE_GRAIN = 1024.0  # charges are whole multiples of 1/1024: their sums are exact, and end at 0
SMALLEST_SHARE = 0.05  # of a mean: a normal draw may be negative, a time may not

TaskType = IntEnum("TaskType", "INTERACTIVE BATCH COMMUNICATIONS", start=0)
# What a task is doing; from READY on it is active: core is committed to it.
State = IntEnum(
    "State", "THINKING DELAYED WAITING READY RUNNING PAGING SHORT_OF_FRAMES USER_IO", start=0
)
# Queues of tasks; the first three are, one behind the other, the interactive ready queue.
Queue = IntEnum("Queue", "COMMUNICATIONS INTERACTIVE RUN_OUT BATCH PROCESSOR FRAMES", start=0)
# What an activation rule says when both ready queues hold tasks.
Choice = IntEnum("Choice", "NONE INTERACTIVE BATCH", start=-1)
Due = IntEnum("Due", "PAGE EXEC_PAGE SHARED_PAGE USER_IO RUN_OUT COMPLETE", start=0)
Purpose = IntEnum("Purpose", "READ_PAGE READ_EXEC WRITE_PAGE USER_IO", start=0)
Level = IntEnum("Level", "ACTIVE SCHEDULED PAGING USER_IO FRAMES", start=0)
Event = IntEnum(
    "Event",
    "READY ACTIVATE PAGE_FAULT EXEC_FAULT RECLAIM PAGE_IN PAGE_OUT IO_START IO_END RUN_OUT"
    " RESPONSE",
    start=0,
)
# Why the event loop must give control back; NONE as long as it need not.
Stop = IntEnum("Stop", "NONE BAD_CURVE BAD_CHOICE", start=0)
# Characteristics of an interaction, as TaskClass has them.
Column = IntEnum(
    "Column", "WORKING_SET COMPUTE THINK IO_INTERVAL EXEC_INTERVAL SHARED_INTERVAL", start=0
)

TASK = fields(
    "kind group state next working_set_pages granted_pages demanded_pages held_pages clean_pages"
    " dirty_pages reclaimed_writes in_pool outstanding outstanding_allowed due",
    "charge_pages used_ms began_ms curve_ms reached_ms user_ms_per_ms complete_at_ms run_out_at_ms"
    " page_at_ms exec_at_ms shared_at_ms io_at_ms exec_interval_ms shared_interval_ms"
    " io_interval_ms asked_ms waits_since_ms",
)
GROUP = fields(
    "responses activations run_outs page_faults exec_faults reclaims ios",
    "response_ms user_ms paging_ms",
)
REQUEST = fields("next task purpose cylinder", "angle")
DEVICE = fields(
    "state serving channel next cylinder cylinders slots from_index operations",
    "revolution_ms phase_ms set_up_ms transfer_ms supervisor_ms started_ms busy_ms",
)
CHANNEL = fields("devices busy")
SETTINGS = Parameters.settings_type(
    "paging_device_count", "frames slow_down fault_charge_ms exec_rate shared_rate"
)
KERNEL = fields(
    "stop begun settled running activate free_frames active active_batch paging counted events"
    " traced trace_full activations_interactive activations_batch free_interactive free_batch"
    " pages_in exec_pages_in pages_out reclaims frame_waits page_waits ios io_waits",
    "now_ms burst_ms burst_end_ms supervisor_end_ms scheduled_pages user_ms supervisor_ms"
    " page_wait_ms",
)
Counts = namedtuple("Counts", "kernel areas groups devices")
Machine = namedtuple(
    "Machine",
    "settings kernel tasks groups pool members queues levels devices device_queues channels"
    " channel_queues requests free_requests seek_ms means deviations demands demands_used demand"
    " place gap phase before after alarms trace",
)


def new_machine(p, classes, seed, devices, trace=0, demands=None):
    """Return a machine that has not begun yet, with room for so many trace records.

    ``demands`` are raw ones by task, interaction and Column, used before those that are drawn.
    """
    chosen = [_model(devices, name) for name in p.paging_devices]
    machine = copied(_blank(p, classes, (*chosen, *[_model(devices, p.user_disc)] * p.user_discs)))
    if demands is not None:
        machine.demands_used[:] = 0
    return machine._replace(
        demands=machine.demands if demands is None else demands,
        demand=streams(seed, "demand", len(machine.tasks)),  # the same whatever the machine
        place=stream(seed, "place"),
        gap=stream(seed, "gap"),
        phase=stream(seed, "phase"),
        trace=new_trace(trace),
    )


@functools.lru_cache(2)
def _blank(p, classes, chosen):
    """Return a machine without its streams, of which each run takes a copy."""
    check_held("times of seeks", len(chosen) * max(model.cylinders for model in chosen))
    seeks = [model.seek_times_ms() for model in chosen]
    count = sum(c.tasks for c in classes)
    requests = p.frames + count * (p.io_buffers + 2)
    check_held("requests to devices", requests)
    characteristics = np.array([c[3:15] for c in classes], float)  # means and deviations by turns
    characteristics[:, 2 * Column.THINK : 2 * Column.THINK + 2] *= 1000.0
    machine = Machine(
        settings=_settings(p),  # the numbers obeyed; supervisor times on the simulated processor
        kernel=record(KERNEL),  # the supervisor's variables and counters
        tasks=records(count, TASK),
        groups=records(len(classes), GROUP),
        pool=new_lists(1)[0],  # tasks that have clean pages in the pool, the oldest first
        members=records(count, LINK),  # a task's place in it
        queues=new_lists(len(Queue)),
        levels=new_levels(len(Level)),
        devices=records(len(chosen), DEVICE),  # for paging first, then the users' discs
        device_queues=new_lists(2 * len(chosen)),  # of each, then its page-outs that can wait
        channels=records(len(chosen), CHANNEL),
        channel_queues=new_lists(len(chosen)),  # devices that stand on their cylinders
        requests=records(requests, REQUEST),
        free_requests=new_lists(1)[0],
        seek_ms=np.zeros((len(chosen), max(map(len, seeks)))),  # by device and distance
        means=characteristics[:, ::2].copy(),  # by class and Column
        deviations=characteristics[:, 1::2].copy(),
        demands=np.zeros((count, 1, len(Column))),  # raw, of the next interaction
        demands_used=np.ones(count, np.int64),
        demand=None,
        place=None,
        gap=None,
        phase=None,
        before=_new_counts(len(classes), len(chosen)),  # when the machine had settled
        after=_new_counts(len(classes), len(chosen)),  # when it stopped
        alarms=new_alarms(FIRST_DEVICE_ACTOR + len(chosen) + count),
        trace=None,
    )
    for d, row in enumerate(seeks):
        machine.seek_ms[d, : len(row)] = row
    machine.kernel.running = NOBODY
    machine.kernel.free_frames = p.frames
    link_all(machine.requests, machine.free_requests)
    _connect(machine, p, chosen)
    machine.tasks.group[:] = np.repeat(np.arange(len(classes)), [c.tasks for c in classes])
    kinds = np.array([TaskType[c.task_type.upper()] for c in classes])
    machine.tasks.kind[:] = kinds[machine.tasks.group]
    return machine


def _new_counts(groups, devices):
    """Return room for what a machine has counted: its kernel, its levels' integrals, its tables."""
    tables = records(groups, GROUP), records(devices, DEVICE)
    return Counts(records(1, KERNEL), np.zeros(len(Level)), *tables)


@handler
def note_counts(m, counts):
    """Note what a machine has counted, processor and devices only as far as time has passed."""
    k = m.kernel
    user_ms, supervisor_ms = passed(k)
    counts.kernel[0] = k
    counts.kernel[0].user_ms += user_ms
    counts.kernel[0].supervisor_ms = supervisor_ms
    for i in range(m.levels.size):
        level = m.levels[i]
        counts.areas[i] = level.area + level.value * (k.now_ms - level.since)
    for group in range(m.groups.size):
        counts.groups[group] = m.groups[group]
    if k.running != NOBODY:
        counts.groups[m.tasks[k.running].group].user_ms += user_ms
    for d in range(m.devices.size):
        counts.devices[d] = m.devices[d]
        if m.devices[d].serving != NOBODY:
            counts.devices[d].busy_ms += k.now_ms - m.devices[d].started_ms


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
    settings = record(SETTINGS)
    p.fill(settings)
    settings.paging_device_count = len(p.paging_devices)
    settings.frames = p.frames
    settings.extra_pages = round(p.extra_pages * CORE_GRAIN) / CORE_GRAIN
    settings.slow_down = p.slow_down
    # svc_ms is user time, slowed down with the task's own; seek and window time by _connect.
    for name in ("page_ms", "io_ms", "activation_ms", "reclaim_ms"):
        settings[name] *= p.slow_down
    settings.fault_charge_ms = p.charged_share * settings.page_ms
    settings.exec_rate = _rate(p.exec_fault_share)
    settings.shared_rate = _rate(p.shared_fault_share)
    return settings


def _rate(share):
    return -log1p(-share) if share < 1.0 else math.inf


def _connect(machine, p, chosen):
    """Set the devices up and share them out to the channels."""
    paging = len(p.paging_devices)
    channels = p.paging_channels or paging
    for d, model in enumerate(chosen):
        device = machine.devices[d]
        device.serving = NOBODY
        for_paging = d < paging
        device.channel = d % channels if for_paging else channels + (d - paging) % p.user_channels
        machine.channels[device.channel].devices += 1
        device.revolution_ms = model.revolution_ms
        device.cylinders, device.slots = model.cylinders, model.pages_per_track
        if for_paging:
            device.from_index = p.window_algorithm and p.from_track_beginning
            device.transfer_ms = model.page_ms()
            device.set_up_ms = p.window_routine_ms * p.slow_down if p.window_algorithm else 0.0
            device.supervisor_ms = _page_ms(p, model) * p.slow_down
        else:
            device.cylinders = max(1, round(p.user_surface_share * model.cylinders))
            device.slots = max(1, int(model.revolution_ms * model.transfer_kb_per_s / 512.0))
            device.transfer_ms = 1000.0 * p.io_kb / model.transfer_kb_per_s


def _page_ms(p, model):
    """Return the supervisor time of a page moved by a device, as an RCA 7 takes it."""
    page_ms = p.page_ms + (p.seek_ms if model.seek_ms[1] > 0.0 else 0.0)
    return page_ms + (p.no_rotation_ms if model.revolution_ms == 0.0 else 0.0)


@inlined
def begin(m):
    """Draw how far the devices have turned, and each task's first think time is gone."""
    m.kernel.begun = 1
    for d in range(m.devices.size):
        m.devices[d].phase_ms = uniform(m.phase) * m.devices[d].revolution_ms
    for t in range(m.tasks.size):
        if m.demands_used[t] == m.demands.shape[1]:
            draw_demands(m, t)
        ready_ms = uniform(m.phase) * demanded(m, t, Column.THINK)
        # Batch tasks come at once.
        set_alarm(m.alarms, task_actor(m, t), ready_ms * (m.tasks[t].kind != TaskType.BATCH))


@kernel
def drawn(draw, mean, deviation):
    """Return a normal draw of a raw one, no less than a small share of the mean."""
    return max(normal_quantile(draw) * deviation + mean, SMALLEST_SHARE * mean)


@inlined
def demanded(m, t, column):
    """Return a characteristic of a task's next interaction."""
    group = m.tasks[t].group
    draw = m.demands[t, m.demands_used[t], column]
    return drawn(draw, m.means[group, column], m.deviations[group, column])


@handler
def draw_demands(m, t):
    """Draw the rows of a task's next interactions."""
    m.demands_used[t] = 0
    for row in range(m.demands.shape[1]):
        for column in range(m.demands.shape[2]):
            m.demands[t, row, column] = uniform(m.demand[t])


@inlined
def end_demands(m, t):
    """Go on to a task's next row of demands."""
    m.demands_used[t] += 1
    if m.demands_used[t] == m.demands.shape[1]:
        draw_demands(m, t)


@inlined
def task_actor(m, t):
    """Return the actor that a task is: they come after the processor and the devices."""
    return FIRST_DEVICE_ACTOR + m.devices.size + t


@inlined
def make_ready(m, t):
    """Put an active task at the end of the processor's queue."""
    m.tasks[t].state = State.READY
    lists.push(m.tasks, m.queues[Queue.PROCESSOR], t)
