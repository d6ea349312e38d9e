"""The state of the RCA system: records that the handlers share, and a machine at time zero.

All times are in milliseconds unless a name says else. Every task has a clock of its own,
``used_ms``: the compute time of Table 1 that it has had. What it will demand next (a page,
an I/O, ...) stands on that clock.
"""

import functools
from collections import namedtuple
from collections.abc import Mapping
from enum import IntEnum

import numpy as np
from numba.extending import register_jitable

from perfkit.core.record import check_held
from perfkit.core.wording import check_known
from perfkit.des import lists
from perfkit.des.alarms import new_alarms, set_alarm
from perfkit.des.compiling import assembly, handler, inlined, kernel
from perfkit.des.counters import area, new_levels
from perfkit.des.devices import seek_times
from perfkit.des.draws import stream, streams, uniform
from perfkit.des.elementary import log1p, normal_quantile
from perfkit.des.lists import LINK, LIST, NOBODY, link_all, new_lists
from perfkit.des.processor import passed
from perfkit.des.records import fields, record, records
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
QUEUES, LEVELS = len(Queue), len(Level)
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
MODEL = Device.settings_type("seeks", "page_ms")
SETTINGS = Parameters.settings_type(
    "paging_device_count tasks requests",
    "frames slow_down load_page_ms fault_charge_ms exec_rate shared_rate",
)
KERNEL = fields(
    "stop begun settled running activate free_frames active active_batch paging counted events"
    " traced trace_full activations_interactive activations_batch free_interactive free_batch"
    " pages_in exec_pages_in pages_out reclaims frame_waits page_waits ios io_waits",
    "now_ms burst_ms burst_end_ms supervisor_end_ms scheduled_pages user_ms supervisor_ms"
    " page_wait_ms",
)
Counts = namedtuple("Counts", "kernel areas groups devices")
Classes = namedtuple("Classes", "means deviations tasks kinds")
Machine = namedtuple(
    "Machine",
    "settings kernel pool free_requests demand place gap phase demands demands_used seek_ms means"
    " deviations trace tasks groups members queues levels devices device_queues channels"
    " channel_queues requests before after alarms",
)


def new_machine(p, classes, seed, devices, trace=0, demands=None):
    """Return a machine that has not begun yet, with room for so many trace records.

    ``demands`` are raw ones by task, interaction and Column, used before those that are drawn.
    """
    chosen = [model_of(devices, name) for name in p.paging_devices]
    chosen = (*chosen, *[model_of(devices, p.user_disc)] * p.user_discs)
    (settings, models, seek_ms), of_classes = settings_of(p, classes, chosen), tables_of(classes)
    count = settings.tasks
    demand = streams(seed, "demand", count)  # the same whatever the machine
    other = (stream(seed, purpose) for purpose in ("place", "gap", "phase"))
    used = np.full(count, demands is None, np.int64)
    demands = np.zeros((count, 1, len(Column))) if demands is None else demands  # raw, of the next
    settings, k, pool, free = settings.copy(), record(KERNEL), record(LIST), record(LIST)
    made = assemble(settings, k, pool, free, models, *of_classes[2:])
    given = pool, free, demand, *other, demands, used, seek_ms, *of_classes[:2], new_trace(trace)
    return Machine(settings, k, *given, *made)


@functools.lru_cache(8)
def settings_of(p, classes, chosen):
    """Return the numbers that a machine obeys, its models of devices, and what ``derive`` does."""
    tasks = tables_of(classes).tasks
    check_held("times of seeks", len(chosen) * max(model.cylinders for model in chosen))
    check_held("requests to devices", p.frames + int(tasks.sum()) * (p.io_buffers + 2))
    settings, models = record(SETTINGS), records(len(chosen), MODEL)
    p.fill(settings)
    for row, model in zip(models, chosen, strict=True):
        model.fill(row)
    seek_ms = np.array([model.seek_ms for model in chosen], float)
    return settings, models, derive(settings, models, seek_ms, tasks)


@functools.lru_cache(8)
def tables_of(classes):
    """Return what is drawn by class: means and deviations by Column, and what tasks there are."""
    rows = np.array([c[3:15] for c in classes], float)  # means and deviations in alternation
    rows[:, 2 * Column.THINK : 2 * Column.THINK + 2] *= 1000.0
    tasks = np.array([c.tasks for c in classes])
    kinds = np.array([TaskType[c.task_type.upper()] for c in classes], np.int64)
    return Classes(rows[:, ::2].copy(), rows[:, 1::2].copy(), tasks, kinds)


@assembly
def derive(settings, models, seek_ms, tasks):
    """Derive the further numbers of a machine (in place); return seek times by device and distance.

    Supervisor times become the simulated processor's; of these svc_ms is user time, slowed down
    with the task's own; a device has its seek and window. ``seek_ms`` are the devices' published
    three, ``tasks`` how many each class has.
    """
    s = settings
    s.tasks = tasks.sum()
    s.requests = s.frames + s.tasks * (s.io_buffers + 2)
    s.load_page_ms = s.page_ms
    s.extra_pages = round(s.extra_pages * CORE_GRAIN) / CORE_GRAIN
    s.page_ms *= s.slow_down
    s.io_ms *= s.slow_down
    s.activation_ms *= s.slow_down
    s.reclaim_ms *= s.slow_down
    s.fault_charge_ms = s.charged_share * s.page_ms
    s.exec_rate, s.shared_rate = _rate(s.exec_fault_share), _rate(s.shared_fault_share)
    cylinders = 0
    for d in range(models.size):
        cylinders = max(cylinders, models[d].cylinders)
    times_ms = np.zeros((models.size, cylinders))
    for d in range(models.size):
        if models[d].cylinders >= 3:  # fewer have no arm
            row = seek_times(models[d].cylinders, seek_ms[d, 0], seek_ms[d, 1], seek_ms[d, 2])
            for distance in range(row.size):
                times_ms[d, distance] = row[distance]
    return times_ms


@kernel
def _rate(share):
    return -log1p(-share) if share < 1.0 else np.inf


@assembly
def assemble(settings, k, pool, free_requests, models, sizes, kinds):
    """Return what else a machine has: tasks by class, devices that are shared out to channels.

    Tasks that have clean pages stand in ``pool``, the oldest first.
    """
    s, count = settings, models.size
    tasks = records(s.tasks, TASK)
    groups = records(sizes.size, GROUP)
    members = records(s.tasks, LINK)  # a task's place in the pool
    queues = new_lists(QUEUES)
    levels = new_levels(LEVELS)
    devices = records(count, DEVICE)  # for paging first, then the users' discs
    device_queues = new_lists(2 * count)  # of each, then its page-outs that can wait
    channels = records(count, CHANNEL)
    channel_queues = new_lists(count)  # devices that stand on their cylinders
    requests = records(s.requests, REQUEST)
    before = _new_counts(sizes.size, count)  # when the machine had settled
    after = _new_counts(sizes.size, count)  # when it stopped
    alarms = new_alarms(FIRST_DEVICE_ACTOR + count + s.tasks)
    k.running = pool.head = pool.tail = NOBODY
    k.free_frames = s.frames
    link_all(requests, free_requests)
    _connect(s, models, devices, channels)
    t = 0
    for group in range(sizes.size):
        for _ in range(sizes[group]):
            tasks[t].group, tasks[t].kind = group, kinds[group]
            t += 1
    shared = devices, device_queues, channels, channel_queues, requests
    return tasks, groups, members, queues, levels, *shared, before, after, alarms


@register_jitable
def _new_counts(groups, devices):
    """Return room for what a machine has counted: its kernel, its levels' integrals, its tables."""
    counters, tables = records(1, KERNEL), (records(groups, GROUP), records(devices, DEVICE))
    return Counts(counters, np.zeros(LEVELS), *tables)


@kernel
def _connect(settings, models, devices, channels):
    """Set the devices up and share them out to the channels."""
    s, paging = settings, settings.paging_device_count
    paging_channels = s.paging_channels or paging
    for d in range(models.size):
        device, model = devices[d], models[d]
        device.serving = NOBODY
        device.channel = d % paging_channels
        if d >= paging:
            device.channel = paging_channels + (d - paging) % s.user_channels
        channels[device.channel].devices += 1
        device.revolution_ms = model.revolution_ms
        device.cylinders, device.slots = model.cylinders, model.pages_per_track
        if d < paging:
            device.from_index = s.window_algorithm and s.from_track_beginning
            device.transfer_ms = model.page_ms
            device.set_up_ms = s.window_routine_ms * s.slow_down if s.window_algorithm else 0.0
            page_ms = s.load_page_ms + (s.seek_ms if model.seeks else 0.0)
            page_ms += s.no_rotation_ms if model.revolution_ms == 0.0 else 0.0
            device.supervisor_ms = page_ms * s.slow_down
        else:
            device.cylinders = max(1, round(s.user_surface_share * model.cylinders))
            device.slots = max(1, int(model.revolution_ms * model.transfer_kb_per_s / 512.0))
            device.transfer_ms = 1000.0 * s.io_kb / model.transfer_kb_per_s


@handler
def note_counts(m, counts):
    """Note what a machine has counted, processor and devices only as far as time has passed."""
    k = m.kernel
    user_ms, supervisor_ms = passed(k)
    counts.kernel[0] = k
    counts.kernel[0].user_ms += user_ms
    counts.kernel[0].supervisor_ms = supervisor_ms
    for i in range(m.levels.size):
        counts.areas[i] = area(m.levels[i], k.now_ms)
    for group in range(m.groups.size):
        counts.groups[group] = m.groups[group]
    if k.running != NOBODY:
        counts.groups[m.tasks[k.running].group].user_ms += user_ms
    for d in range(m.devices.size):
        counts.devices[d] = m.devices[d]
        if m.devices[d].serving != NOBODY:
            counts.devices[d].busy_ms += k.now_ms - m.devices[d].started_ms


def model_of(devices, name):
    """Return the device of a name, or refuse it in one sentence."""
    if not isinstance(devices, Mapping):
        raise ValueError(f"devices must be a mapping of str to Device, not {devices!r}.")
    check_known("device", name, devices)
    if not isinstance(devices[name], Device):
        raise ValueError(f"Device '{name}' must be a Device, not {devices[name]!r}.")
    return devices[name]


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
