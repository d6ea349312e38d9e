"""What a run measured: differences between the state at the end and when it had settled."""

import math

import numpy as np

from perfkit.core import result
from perfkit.core.record import as_frame
from perfkit.des.counters import ratio
from perfkit.systems.sim61.state import KERNEL, Event, Level, Queue, TaskType

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


def read_out(machine, parameters, classes, seed, before=None):
    """Return the Result of a machine, from when it had settled or from other counts before."""
    before, after = machine.before if before is None else before, machine.after
    ended, begun = (
        dict(zip(KERNEL.names, one.kernel[0].item(), strict=True)) for one in (after, before)
    )
    change = {name: ended[name] - begun[name] for name in ("now_ms", *COUNTERS)}
    watched_ms = change["now_ms"]
    counts = {name: change[name] for name in COUNTERS}
    mean = (after.areas - before.areas) / watched_ms
    groups = _groups(_change(after.groups, before.groups), classes, watched_ms)
    types = np.array(groups["task_type"])
    interactive = types == TaskType.INTERACTIVE.name.lower()
    batch = types == TaskType.BATCH.name.lower()
    responses = groups["interactions"][interactive]
    moved = counts["pages_in"] + counts["exec_pages_in"] + counts["pages_out"]
    user, supervisor = (
        PERCENT * counts[name] / watched_ms for name in ("user_ms", "supervisor_ms")
    )
    by_device = _devices(_change(after.devices, before.devices), parameters, watched_ms)
    some = interactive & (groups["interactions"] > 0)
    response_s = groups["response_s"][some] * groups["interactions"][some]
    values = {
        "interactions": int(responses.sum()),
        "response_s": ratio(response_s.sum(), responses.sum()),
        "paging_pages_per_s": 1000.0 * moved / watched_ms,
        "user_io_kb_per_s": 1000.0 * counts["ios"] * parameters.io_kb / watched_ms,
        "user_percent": user,
        "supervisor_percent": supervisor,
        "idle_percent": PERCENT - user - supervisor,
        "batch_percent": float(groups["user_percent"][batch].sum()),
        "active_tasks": float(mean[Level.ACTIVE]),
        "paging_queue": float(mean[Level.PAGING]),
        "paging_queue_ms": ratio(counts["page_wait_ms"], counts["page_waits"]),
        **counts,
        **_averages(machine, counts, mean),
        **_busy(by_device, parameters),
    }
    tables = {"by_class": groups, "by_device": by_device}
    return Result(parameters, seed, values, tables, machine.trace[: machine.kernel.traced])


def _change(after, before):
    """Return the columns of a table of counts, less what they were before."""
    after, before = after.view(np.ndarray), before.view(np.ndarray)
    return {name: after[name] - before[name] for name in after.dtype.names}


def _averages(machine, counts, mean):
    """Return what counters and levels come to, and the state at the end."""
    paid = counts["activations_batch"]
    return {
        "measured_n": ratio(counts["activations_interactive"], paid),
        "free_activations": ratio(counts["free_interactive"], paid),
        "scheduled_pages": float(mean[Level.SCHEDULED]),
        "io_waiting_tasks": float(mean[Level.USER_IO]),
        "frame_waiting_tasks": float(mean[Level.FRAMES]),
        "scheduled_pages_at_end": float(machine.kernel.scheduled_pages),
        "ready_tasks_at_end": int(machine.queues.length[: Queue.PROCESSOR].sum()),
        "trace_full": int(machine.kernel.trace_full),
    }


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


def _busy(by_device, p):
    """Return the mean busy share of the paging devices and of the user discs, in percent."""
    share, paging = PERCENT * by_device["busy_share"], len(p.paging_devices)
    return {
        "paging_busy_percent": float(share[:paging].mean()),
        "user_disc_busy_percent": float(share[paging:].mean()),
    }
