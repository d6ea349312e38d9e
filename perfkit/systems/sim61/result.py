"""What a run measured: differences between the state at the end and when it had settled."""

import math

import numpy as np
from numba import literal_unroll
from numba.extending import register_jitable

from perfkit.core import result
from perfkit.core.record import as_frame
from perfkit.des.compiling import assembly
from perfkit.des.counters import mean as average
from perfkit.des.counters import ratio, total
from perfkit.des.records import as_dict, measures_type, record
from perfkit.systems.sim61.state import Event, Level, Queue, TaskType, tables_of

MEASURES = {
    "interactions": "responses given to interactive tasks",
    "response_s": "s of mean response of interactive tasks",
    "paging_pages_per_s": "pages/s moved, in and out",
    "user_io_kb_per_s": "KB/s of users' input and output",
    "user_percent": "% of the processor, users and batch",
    "supervisor_percent": "% of the processor, supervisor",
    "idle_percent": "% of the processor, idle",
    "batch_percent": "% of the processor, batch",
    "active_tasks": "mean active tasks",
    "paging_queue": "mean tasks that wait for a page",
    "paging_queue_ms": "ms of a page wait",
    "events": "events that the simulator handled",
    "activations_interactive": "activations of interactive tasks",
    "activations_batch": "activations of batch tasks",
    "free_interactive": "of those, free: not counted against N",
    "free_batch": "of batch activations, free",
    "pages_in": "pages read for tasks",
    "exec_pages_in": "pages of the executive read",
    "pages_out": "pages written",
    "reclaims": "pages found again before their frame was reused",
    "frame_waits": "faults that waited for a frame",
    "page_waits": "faults that waited for a page",
    "ios": "transfers to and from user discs",
    "io_waits": "transfers that their task waited for",
    "user_ms": "ms of processor time of users and batch",
    "supervisor_ms": "ms of processor time of the supervisor",
    "page_wait_ms": "ms of all page waits together",
    "measured_n": "interactive activations per batch one",
    "free_activations": "free interactive activations per batch one",
    "scheduled_pages": "mean pages scheduled for active tasks",
    "io_waiting_tasks": "mean tasks that wait for a user disc",
    "frame_waiting_tasks": "mean tasks that wait for a page and have no frame for it",
    "scheduled_pages_at_end": "pages scheduled at the end",
    "ready_tasks_at_end": "tasks ready to be activated at the end",
    "trace_full": "1 if the trace's space was used up",
    "paging_busy_percent": "% of time a paging device is busy, mean",
    "user_disc_busy_percent": "% of time a user disc is busy, mean",
}
NAMES = tuple(MEASURES)
COUNTERS = NAMES[NAMES.index("events") : NAMES.index("measured_n")]  # fields of the kernel
WHOLE = ("interactions", *COUNTERS, "ready_tasks_at_end", "trace_full")
MEASURED = measures_type(MEASURES, *(name for name in WHOLE if not name.endswith("_ms")))
PERCENT = 100.0


class Result(result.Result):
    """What one run measured, after it had settled; each measure is an attribute, too.

    Attributes
    ----------
    trace : record array
        Fields ``time_ms``, ``kind``, ``actor`` (a task), ``value``; from time zero.
    """

    MEASURES = MEASURES
    EVENTS = Event
    SHOWN = NAMES[: NAMES.index("events")]
    renamed = {"overhead_percent": "supervisor_percent"}  # noqa: RUF012

    def classes(self):
        """Return the measures by class of tasks."""
        return as_frame(self.by_class).set_index("name")

    def devices(self):
        """Return the load on each device."""
        return as_frame(self.by_device)

    def plot(self, ax=None, **style):
        """Draw each class's mean response as a bar; see ``Record.plot``."""
        style = {"xlabel": "mean response, s", "ylabel": ""} | style
        return self.classes()["response_s"].plot.barh(ax=ax, **style)


@assembly
def measure(settings, k, before, after, queues, kinds, out):
    """Fill a record of dtype MEASURED from what a machine had counted before and after."""
    ended, begun = after.kernel[0], before.kernel[0]
    for name in literal_unroll(COUNTERS):
        out[name] = ended[name] - begun[name]
    watched_ms = ended.now_ms - begun.now_ms
    _measure_classes(before.groups, after.groups, kinds, watched_ms, out)
    moved = out.pages_in + out.exec_pages_in + out.pages_out
    out.paging_pages_per_s = 1000.0 * moved / watched_ms
    out.user_io_kb_per_s = 1000.0 * out.ios * settings.io_kb / watched_ms
    out.user_percent = PERCENT * out.user_ms / watched_ms
    out.supervisor_percent = PERCENT * out.supervisor_ms / watched_ms
    out.idle_percent = PERCENT - out.user_percent - out.supervisor_percent
    mean = (after.areas - before.areas) / watched_ms
    out.active_tasks, out.paging_queue = mean[Level.ACTIVE], mean[Level.PAGING]
    out.paging_queue_ms = ratio(out.page_wait_ms, out.page_waits)
    out.measured_n = ratio(out.activations_interactive, out.activations_batch)
    out.free_activations = ratio(out.free_interactive, out.activations_batch)
    out.scheduled_pages, out.io_waiting_tasks = mean[Level.SCHEDULED], mean[Level.USER_IO]
    out.frame_waiting_tasks = mean[Level.FRAMES]
    out.scheduled_pages_at_end, out.trace_full = k.scheduled_pages, k.trace_full
    out.ready_tasks_at_end = 0
    for queue in range(Queue.PROCESSOR):
        out.ready_tasks_at_end += queues[queue].length
    share = np.zeros(after.devices.size)
    for d in range(share.size):
        busy_ms = after.devices[d].busy_ms - before.devices[d].busy_ms
        share[d] = PERCENT * (busy_ms / watched_ms)
    out.paging_busy_percent = average(share[: settings.paging_device_count])
    out.user_disc_busy_percent = average(share[settings.paging_device_count :])


@register_jitable
def _measure_classes(before, after, kinds, watched_ms, out):
    """Fill in what interactive and batch tasks of all classes measured."""
    response_s, percent = np.zeros(kinds.size), np.zeros(kinds.size)
    interactive = batch = out.interactions = 0
    for group in range(kinds.size):
        responses = after[group].responses - before[group].responses
        if kinds[group] == TaskType.BATCH:
            user_ms = after[group].user_ms - before[group].user_ms
            percent[batch] = PERCENT * user_ms / watched_ms
            batch += 1
        elif kinds[group] == TaskType.INTERACTIVE and responses > 0:
            response_ms = after[group].response_ms - before[group].response_ms
            response_s[interactive] = response_ms / responses / 1000.0 * responses
            out.interactions += responses
            interactive += 1
    out.response_s = ratio(total(response_s[:interactive]), out.interactions)
    out.batch_percent = total(percent[:batch])


def read_out(machine, parameters, classes, seed, before=None):
    """Return the Result of a machine, from when it had settled or from other counts before."""
    before, after = machine.before if before is None else before, machine.after
    watched_ms = after.kernel["now_ms"][0] - before.kernel["now_ms"][0]
    by_class = _groups(_change(after.groups, before.groups), classes, watched_ms)
    by_device = _devices(_change(after.devices, before.devices), parameters, watched_ms)
    values, k = record(MEASURED), machine.kernel
    measure(machine.settings, k, before, after, machine.queues, tables_of(classes).kinds, values)
    tables = {"by_class": by_class, "by_device": by_device}
    return Result(parameters, seed, as_dict(values), tables, machine.trace[: k.traced])


def _change(after, before):
    """Return the columns of a table of counts, less what they were before."""
    after, before = after.view(np.ndarray), before.view(np.ndarray)
    return {name: after[name] - before[name] for name in after.dtype.names}


def _groups(change, classes, watched_ms):
    """Return the measures by class as columns."""
    done = np.maximum(change["responses"], 1)
    some = change["responses"] > 0
    faults = change["page_faults"] + change["exec_faults"]
    return {
        "name": [c.name for c in classes],
        "task_type": [c.task_type for c in classes],
        "tasks": np.array([c.tasks for c in classes]),
        "interactions": change["responses"],
        "response_s": np.where(some, change["response_ms"] / done / 1000.0, math.nan),
        "user_percent": PERCENT * change["user_ms"] / watched_ms,
        "activations": change["activations"],
        "run_outs": change["run_outs"],
        "page_faults": change["page_faults"],
        "exec_faults": change["exec_faults"],
        "reclaims": change["reclaims"],
        "traverse_ms": change["paging_ms"] / np.maximum(faults, 1),
        "ios": change["ios"],
    }


def _devices(change, p, watched_ms):
    """Return the load on each device as columns."""
    operations, busy_ms = change["operations"], change["busy_ms"]
    return {
        "device": [*p.paging_devices, *[p.user_disc] * p.user_discs],
        "operations_per_s": 1000.0 * operations / watched_ms,
        "busy_share": busy_ms / watched_ms,
        "operation_ms": busy_ms / np.maximum(operations, 1),
    }
