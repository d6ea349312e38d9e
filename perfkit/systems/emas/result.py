"""What a run measured: differences between the state at the end and when it had settled."""

import numpy as np

from perfkit.core import result
from perfkit.core.record import as_frame
from perfkit.des.counters import difference, ratio, read
from perfkit.des.lists import NOBODY
from perfkit.des.running import Log
from perfkit.systems.emas.load import KINDS
from perfkit.systems.emas.state import SAMPLED, Event, Level, Service

MEASURES = {
    "user_percent": "% of the processor, processes",
    "supervisor_percent": "% of the processor, resident supervisor",
    "idle_percent": "% of the processor, idle",
    "multiprogramming": "mean processes in core, preloading or suspended ones too",
    "residences_per_s": "core residences begun per second",
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
    "cpu_a_residence_ms": "ms of processor time per residence",
}
NAMES = tuple(MEASURES)
COUNTED = NAMES[NAMES.index("events") : NAMES.index("no_work_percent")]
COUNTERS = tuple(name for name in COUNTED if name != "disc_operations")  # fields of the kernel
PERCENT = 100.0


class Result(result.Result):
    """What one run measured, after it had settled; each measure is an attribute, too.

    Attributes
    ----------
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

    MEASURES = MEASURES
    EVENTS = Event
    SHOWN = NAMES[: NAMES.index("events")]

    def processor(self):
        """Return the processor's time by service, as in Table 2.

        Indexed by service: calls, seconds and percent of the time.
        """
        frame = as_frame(self.services).set_index("service")
        return frame.assign(percent=PERCENT * frame["seconds"] / self.parameters.measured_s)

    def session(self):
        """Return the commands completed after settling, a row each.

        Columns ``kind``, ``process``, ``received_s``, ``ready_s``, ``elapsed_s``, ``cpu_s``.
        """
        frame = as_frame(self.completions)
        return frame.assign(elapsed_s=frame["ready_s"] - frame["received_s"])

    def samples(self):
        """Return the Q samples, a row every ``sampling_s``."""
        return as_frame(self.queue_samples).set_index("time_s")

    def plot(self, ax=None, **style):
        """Draw each service's share of the processor as a bar; see ``Record.plot``."""
        style = {"xlabel": "% of the processor", "ylabel": ""} | style
        return self.processor()["percent"].plot.barh(ax=ax, **style)


def completion_log():
    """Return what takes over the monitoring records of a machine."""
    return Log("completions", "completed")


def counted(machine):
    """Return what a machine has counted, processor time only as far as it has passed."""
    k = machine.kernel
    counts = read(machine, COUNTERS, services=machine.services)
    counts["transitions"] = machine.transitions.copy()
    counts["disc_operations"] = int(machine.drives.operations.sum())
    if k.running != NOBODY:
        left_ms = min(k.burst_ms, k.burst_end_ms - k.now_ms)
        counts["user_ms"] += max(0.0, float(k.burst_ms - left_ms))
    if k.awake == 0:
        supervised_ms = counts["supervisor_ms"] - k.no_work_supervised_ms
        counts["no_work_ms"] += float(k.now_ms - k.no_work_since_ms - supervised_ms)
    return counts


def read_out(machine, completed, settled, parameters, seed):
    """Return the Result of a machine that has run to its end."""
    change = difference(counted(machine), settled)
    watched_ms, services = change["now_ms"], change["services"]
    mean = change["areas"] / watched_ms
    user, supervisor, no_work = (
        PERCENT * change[f"{what}_ms"] / watched_ms for what in ("user", "supervisor", "no_work")
    )
    completions = _completions(completed, settled["now_ms"])
    values = {
        "user_percent": user,
        "supervisor_percent": supervisor,
        "idle_percent": PERCENT - user - supervisor,
        "multiprogramming": float(mean[Level.RESIDENT]),
        "residences_per_s": 1000.0 * change["residences"] / watched_ms,
        "commands": completions["kind"].size,
        **{name: change[name] for name in COUNTED},
        "no_work_percent": no_work,
        "blocked_percent": PERCENT - user - supervisor - no_work,
        "awake": float(mean[Level.AWAKE]),
        "most_resident": int(machine.levels[Level.RESIDENT].peak),
        "shared_pages_in_core": float(mean[Level.SHARED_PAGES]),
        "allocated_pages": float(mean[Level.ALLOCATED_PAGES]),
        "trace_full": int(machine.kernel.trace_full),
        "cpu_a_residence_ms": ratio(change["user_ms"], change["residences"]),
    }
    tables = {
        "services": {
            "service": [service.name.lower() for service in Service],
            "calls": services["calls"],
            "seconds": services["time_ms"] / 1000.0,
        },
        "transitions": change["transitions"],
        "completions": completions,
        "queue_samples": _samples(machine, settled["now_ms"]),
    }
    return Result(parameters, seed, values, tables, machine.trace[: machine.kernel.traced])


def _completions(records, settled_ms):
    """Return the monitoring records of commands that ended after settling.

    Those under way at both ends of the session are as many, so that long ones are not missing,
    but for what would have begun before the run: with 900 s to settle completed executions have 2 %
    less processor time than were drawn.
    """
    records = records[records["ready_ms"] >= settled_ms]
    return {
        "kind": np.array(KINDS)[records["kind"]],
        "process": records["process"],
        **{f"{name}_s": records[f"{name}_ms"] / 1000.0 for name in ("received", "ready", "cpu")},
    }


def _samples(machine, settled_ms):
    samples = machine.samples[: machine.kernel.sampled]
    samples = samples[samples.time_ms > settled_ms]
    return {"time_s": samples.time_ms / 1000.0} | {name: samples[name] for name in SAMPLED}
