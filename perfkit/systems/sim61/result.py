"""What a run measured: differences between the state at the end and when it had settled."""

import math
from dataclasses import dataclass

import numpy as np

from perfkit.systems.record import brief
from perfkit.systems.sim61.machine import NOBODY, Event, Level, Queue, TaskType
from perfkit.systems.sim61.parameters import Parameters

PERCENT = 100.0
COUNTERS = (
    "events",
    "activations_interactive",
    "activations_batch",
    "free_interactive",
    "free_batch",
    "pages_in",
    "exec_pages_in",
    "pages_out",
    "reclaims",
    "frame_waits",
    "page_waits",
    "ios",
    "io_waits",
)
BUSY_TIMES = ("user_ms", "supervisor_ms", "page_wait_ms")


class Snapshot:
    """Everything that a machine has counted, up to one moment.

    Attributes
    ----------
    now_ms : float
    counts : dict
        Counters and times of the kernel, processor time only as far as it has passed.
    groups, devices : record array
    areas : ndarray of float64, shape (5,)
        Integral of each level over time, in ms.
    """

    def __init__(self, machine):
        k = machine.kernel
        self.now_ms = float(k.now_ms)
        self.counts = {name: k[name].item() for name in (*COUNTERS, *BUSY_TIMES)}
        self.groups = machine.groups.copy()
        self.devices = machine.devices.copy()
        serving = self.devices.serving != NOBODY
        self.devices.busy_ms[serving] += k.now_ms - self.devices.started_ms[serving]
        levels = machine.levels
        self.areas = levels.area + levels.value * (k.now_ms - levels.since)
        ahead_ms = max(0.0, k.supervisor_end_ms - k.now_ms)
        self.counts["supervisor_ms"] -= ahead_ms
        if k.running != NOBODY:
            task = machine.tasks[k.running]
            done_ms = task.burst_ms - min(task.burst_ms, k.burst_end_ms - k.now_ms - ahead_ms)
            done_ms = max(0.0, done_ms)
            self.counts["user_ms"] += done_ms
            self.groups[task.group].user_ms += done_ms

    def since(self, earlier):
        """Return counters and times since an earlier snapshot."""
        return {name: value - earlier.counts[name] for name, value in self.counts.items()}


@dataclass(frozen=True)
class Result:
    """What one run measured, after it had settled.

    Attributes
    ----------
    parameters : Parameters
    seed : int
    interactions : int
        Responses given to interactive tasks.
    response_s : float
        Their mean response time; not a number if there was none.
    paging_pages_per_s : float
        Pages moved either way.
    user_io_kb_per_s : float
    user_percent, overhead_percent, idle_percent : float
        Shares of the processor; user includes batch.
    batch_percent : float
        Batch tasks' share of the processor.
    active_tasks : float
        Mean number of active tasks.
    paging_queue, paging_queue_ms : float
        Mean length of the paging queue, and mean time on it: faults that tasks wait for.
    counts : dict
        Further counters and averages; ``MEASURES`` says what each is.
    by_class : dict of ndarray
        Counters by class of tasks.
    by_device : dict of ndarray
        Busy share, operations a second and mean operation of each device, in ms.
    trace : record array
        Fields ``time_ms``, ``kind``, ``actor`` (a task), ``value``; from time zero.
    """

    parameters: Parameters
    seed: int
    interactions: int
    response_s: float
    paging_pages_per_s: float
    user_io_kb_per_s: float
    user_percent: float
    overhead_percent: float
    idle_percent: float
    batch_percent: float
    active_tasks: float
    paging_queue: float
    paging_queue_ms: float
    counts: dict
    by_class: dict
    by_device: dict
    trace: np.ndarray

    __repr__ = brief

    def measures(self):
        """Return the scalar measures as a flat dictionary, a row of a tidy frame."""
        names = list(self.__dataclass_fields__)
        first, last = names.index("interactions"), names.index("counts")
        return {name: getattr(self, name) for name in names[first:last]} | self.counts

    def classes(self):
        """Return the measures by class of tasks.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(self.by_class).set_index("name")

    def devices(self):
        """Return the load on each device.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(self.by_device)

    def events(self):
        """Return the trace as a frame, its kinds by name.

        Returns
        -------
        pandas.DataFrame
            Columns ``time_s``, ``kind``, ``task``, ``value``.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "time_s": self.trace.time_ms / 1000.0,
                "kind": [Event(kind).name.lower() for kind in self.trace.kind],
                "task": self.trace.actor,
                "value": self.trace.value,
            }
        )


def read_out(machine, settled, parameters, classes, seed):
    """Return the Result of a machine that has run to its end."""
    end = Snapshot(machine)
    watched_ms = end.now_ms - settled.now_ms
    counts = end.since(settled)
    mean = (end.areas - settled.areas) / watched_ms
    groups = _groups(end, settled, classes, watched_ms)
    types = np.array(groups["task_type"])
    interactive = types == TaskType.INTERACTIVE.name.lower()
    batch = types == TaskType.BATCH.name.lower()
    responses = groups["interactions"][interactive]
    moved = counts["pages_in"] + counts["exec_pages_in"] + counts["pages_out"]
    user, overhead = (PERCENT * counts[name] / watched_ms for name in ("user_ms", "supervisor_ms"))
    by_device = _devices(end, settled, parameters, watched_ms)
    some = interactive & (groups["interactions"] > 0)
    return Result(
        parameters,
        seed,
        interactions=int(responses.sum()),
        response_s=_ratio(
            (groups["response_s"][some] * groups["interactions"][some]).sum(), responses.sum()
        ),
        paging_pages_per_s=1000.0 * moved / watched_ms,
        user_io_kb_per_s=1000.0 * counts["ios"] * parameters.io_kb / watched_ms,
        user_percent=user,
        overhead_percent=overhead,
        idle_percent=PERCENT - user - overhead,
        batch_percent=float(groups["user_percent"][batch].sum()),
        active_tasks=float(mean[Level.ACTIVE]),
        paging_queue=float(mean[Level.PAGING]),
        paging_queue_ms=_ratio(counts["page_wait_ms"], counts["page_waits"]),
        counts=counts | _averages(machine, counts, mean) | _busy(by_device, parameters),
        by_class=groups,
        by_device=by_device,
        trace=machine.trace[: machine.kernel.traced],
    )


def _ratio(part, whole):
    return float(part / whole) if whole else math.nan


def _averages(machine, counts, mean):
    """Return what counters and levels come to, and the state at the end."""
    paid = counts["activations_batch"]
    return {
        "measured_n": _ratio(counts["activations_interactive"], paid),
        "free_activations": _ratio(counts["free_interactive"], paid),
        "scheduled_pages": float(mean[Level.SCHEDULED]),
        "io_waiting_tasks": float(mean[Level.USER_IO]),
        "frame_waiting_tasks": float(mean[Level.FRAMES]),
        "scheduled_pages_at_end": float(machine.kernel.scheduled_pages),
        "ready_tasks_at_end": int(machine.queues.length[: Queue.PROCESSOR].sum()),
        "trace_full": int(machine.kernel.trace_full),
    }


def _groups(end, settled, classes, watched_ms):
    """Return the measures by class as columns."""
    change = {name: end.groups[name] - settled.groups[name] for name in settled.groups.dtype.names}
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


def _devices(end, settled, p, watched_ms):
    """Return the load on each device as columns."""
    operations = end.devices.operations - settled.devices.operations
    busy_ms = end.devices.busy_ms - settled.devices.busy_ms
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
