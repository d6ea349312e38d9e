"""What a run measured: differences between the state at the end and when it had settled."""

import math
from dataclasses import dataclass

import numpy as np

from perfkit.systems.emas.load import KINDS
from perfkit.systems.emas.parameters import Parameters
from perfkit.systems.emas.state import NOBODY, SAMPLED, Event, Level, Service
from perfkit.systems.record import brief

MEASURES = {
    "user_percent": "% of the processor, processes",
    "supervisor_percent": "% of the processor, resident supervisor",
    "idle_percent": "% of the processor, idle",
    "multiprogramming": "mean processes in core, preloading or suspended ones too",
    "residences_per_s": "core residences begun a second",
    "commands": "commands completed",
    "events": "events that the simulator handled",
    "residences": "core residences begun",
    "partial_preloads": "preloads without core for the full allowance",
    "suspensions": "of those, suspended until core was released",
    "core_overruns": "residences ended by the core allowance",
    "cpu_overruns": "residences ended by the processor allowance",
    "frame_shortages": "residences ended for want of a frame",
    "cold_wakes": "wakes of processes that had lost the drum",
    "compactions": "working sets compacted in core",
    "log_ons": "users who logged on",
    "drum_operations": "pages transferred by the drums",
    "drum_full": "pages written to disc for want of drum",
    "traced": "event records written",
    "user_ms": "ms of processor time of processes",
    "supervisor_ms": "ms of processor time of the supervisor",
    "disc_operations": "pages transferred by the discs",
    "no_work_ms": "ms idle with no process awake",
    "no_work_percent": "% of the processor, idle with no process awake",
    "blocked_percent": "% of the processor, idle while processes wait",
    "awake": "mean processes awake",
    "most_resident": "most processes in core at once, from time zero",
    "shared_pages_in_core": "mean shared pages in core",
    "allocated_pages": "mean pages of core allocated",
    "trace_full": "1 if the trace's space was used up",
    "cpu_a_residence_ms": "ms of processor time a residence",
}


PERCENT = 100.0
COUNTERS = (
    "events",
    "residences",
    "partial_preloads",
    "suspensions",
    "core_overruns",
    "cpu_overruns",
    "frame_shortages",
    "cold_wakes",
    "compactions",
    "log_ons",
    "drum_operations",
    "drum_full",
    "traced",
)


class Snapshot:
    """Everything that a machine has counted, up to one moment.

    Attributes
    ----------
    now_ms : float
    counts : dict
        Counters of the kernel; processor time only as far as it has passed.
    services : record array
    transitions : ndarray of int64
    areas : ndarray of float64, shape (4,)
        Integral of each level over time, in ms.
    """

    def __init__(self, machine):
        k = machine.kernel
        self.now_ms = float(k.now_ms)
        self.counts = {name: k[name].item() for name in (*COUNTERS, "user_ms", "supervisor_ms")}
        self.counts["disc_operations"] = int(machine.drives.operations.sum())
        self.services = machine.services.copy()
        self.transitions = machine.transitions.copy()
        levels = machine.levels
        self.areas = levels.area + levels.value * (k.now_ms - levels.since)
        if k.running != NOBODY:
            burst_ms = machine.processes[k.running].burst_ms
            left_ms = min(burst_ms, k.burst_end_ms - k.now_ms)
            self.counts["user_ms"] += max(0.0, burst_ms - left_ms)
        self.counts["no_work_ms"] = float(k.no_work_ms)
        if k.awake == 0:
            supervised_ms = self.counts["supervisor_ms"] - k.no_work_supervised_ms
            self.counts["no_work_ms"] += float(k.now_ms - k.no_work_since_ms - supervised_ms)

    def since(self, earlier):
        """Return counters and times since an earlier snapshot."""
        return {name: value - earlier.counts[name] for name, value in self.counts.items()}


@dataclass(frozen=True)
class Result:
    """What one run measured, after it had settled; the trace is whole.

    Attributes
    ----------
    parameters : Parameters
    seed : int
    user_percent, supervisor_percent, idle_percent : float
        Shares of the processor.
    multiprogramming : float
        Mean number of processes resident in core, those that are preloaded or suspended included.
    residences_per_s : float
        Core residences begun a second.
    commands : int
        Commands completed.
    counts : dict
        Further counters and averages; ``MEASURES`` says what each is.
    services : dict of ndarray
        ``service``, ``calls`` and ``seconds``, as in Table 2.
    transitions : ndarray of int64, shape (categories, categories)
        Transitions from one category to another.
    completions : dict of ndarray
        The subsystem's monitoring records: ``kind``, ``process``, ``received_s``, ``ready_s``,
        ``cpu_s``.
    queue_samples : dict of ndarray
        What was found every ``sampling_s``, as in Table 3.
    trace : record array
        Fields ``time_ms``, ``kind``, ``actor`` (a process), ``value``, ``detail``; from time
        zero. The two numbers are the third and fourth words of a record.
    """

    parameters: Parameters
    seed: int
    user_percent: float
    supervisor_percent: float
    idle_percent: float
    multiprogramming: float
    residences_per_s: float
    commands: int
    counts: dict
    services: dict
    transitions: np.ndarray
    completions: dict
    queue_samples: dict
    trace: np.ndarray

    __repr__ = brief

    def measures(self):
        """Return the scalar measures as a flat dictionary, a row of a tidy frame."""
        names = list(self.__dataclass_fields__)
        first, last = names.index("user_percent"), names.index("counts")
        return {name: getattr(self, name) for name in names[first:last]} | self.counts

    def processor(self):
        """Return the processor's time by service, as in Table 2.

        Returns
        -------
        pandas.DataFrame
            Indexed by service: calls, seconds and percent of the time.
        """
        import pandas as pd

        frame = pd.DataFrame(self.services).set_index("service")
        return frame.assign(percent=PERCENT * frame["seconds"] / self.parameters.measured_s)

    def session(self):
        """Return the commands completed after settling, a row each.

        Returns
        -------
        pandas.DataFrame
            Columns ``kind``, ``process``, ``received_s``, ``ready_s``, ``elapsed_s``, ``cpu_s``.
        """
        import pandas as pd

        frame = pd.DataFrame(self.completions)
        return frame.assign(elapsed_s=frame["ready_s"] - frame["received_s"])

    def samples(self):
        """Return the Q samples, a row every ``sampling_s``.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(self.queue_samples).set_index("time_s")

    def events(self):
        """Return the trace as a frame, its kinds by name.

        Returns
        -------
        pandas.DataFrame
            Columns ``time_s``, ``kind``, ``process``, ``value``, ``detail``.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "time_s": self.trace.time_ms / 1000.0,
                "kind": [Event(kind).name.lower() for kind in self.trace.kind],
                "process": self.trace.actor,
                "value": self.trace.value,
                "detail": self.trace.detail,
            }
        )


def read_out(machine, supply, settled, parameters, seed):
    """Return the Result of a machine that has run to its end."""
    end = Snapshot(machine)
    watched_ms = end.now_ms - settled.now_ms
    counts = end.since(settled)
    mean = (end.areas - settled.areas) / watched_ms
    user, supervisor = (
        PERCENT * counts[f"{who}_ms"] / watched_ms for who in ("user", "supervisor")
    )
    no_work = PERCENT * counts["no_work_ms"] / watched_ms
    completions = _completions(supply, settled)
    return Result(
        parameters,
        seed,
        user_percent=user,
        supervisor_percent=supervisor,
        idle_percent=PERCENT - user - supervisor,
        multiprogramming=float(mean[Level.RESIDENT]),
        residences_per_s=1000.0 * counts["residences"] / watched_ms,
        commands=completions["kind"].size,
        counts=counts
        | {
            "no_work_percent": no_work,
            "blocked_percent": PERCENT - user - supervisor - no_work,
            "awake": float(mean[Level.AWAKE]),
            "most_resident": int(machine.levels[Level.RESIDENT].peak),
            "shared_pages_in_core": float(mean[Level.SHARED_PAGES]),
            "allocated_pages": float(mean[Level.ALLOCATED_PAGES]),
            "trace_full": int(machine.kernel.trace_full),
            "cpu_a_residence_ms": _ratio(counts["user_ms"], counts["residences"]),
        },
        services=_services(end, settled),
        transitions=end.transitions - settled.transitions,
        completions=completions,
        queue_samples=_samples(machine, settled),
        trace=machine.trace[: machine.kernel.traced],
    )


def _ratio(part, whole):
    return float(part / whole) if whole else math.nan


def _services(end, settled):
    return {
        "service": [service.name.lower() for service in Service],
        "calls": end.services.calls - settled.services.calls,
        "seconds": (end.services.time_ms - settled.services.time_ms) / 1000.0,
    }


def _completions(supply, settled):
    """Return the monitoring records of commands that ended after settling.

    Those under way at both ends of the session are as many, so that long ones are not missing,
    but for what would have begun before the run: with 900 s to settle completed executions have 2 %
    less processor time than were drawn.
    """
    records = np.concatenate(supply.completions)
    records = records[records["ready_ms"] >= settled.now_ms]
    return {
        "kind": np.array(KINDS)[records["kind"]],
        "process": records["process"],
        **{f"{name}_s": records[f"{name}_ms"] / 1000.0 for name in ("received", "ready", "cpu")},
    }


def _samples(machine, settled):
    samples = machine.samples[: machine.kernel.sampled]
    samples = samples[samples.time_ms > settled.now_ms]
    return {"time_s": samples.time_ms / 1000.0} | {name: samples[name] for name in SAMPLED}
