"""What a run measured: differences between the state at the end and when it had settled."""

from collections import namedtuple

import numpy as np
from numba import literal_unroll

from perfkit.core import result
from perfkit.core.record import as_frame
from perfkit.des.compiling import assembly
from perfkit.des.counters import area, ratio
from perfkit.des.lists import NOBODY
from perfkit.des.records import as_dict, measures_type, record, records
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
    "page_wait_per_cpu": "s waited for pages per s of processor time of processes",
    "wait_per_cpu": "s waited for pages or core per s of processor time",
}
NAMES = tuple(MEASURES)
COUNTED = NAMES[NAMES.index("events") : NAMES.index("no_work_percent")]
COUNTERS = ("now_ms", *(name for name in COUNTED if name != "disc_operations"))  # of the kernel
WHOLE = tuple(name for name in COUNTED if not name.endswith("_ms"))
MEASURED = measures_type(MEASURES, "commands", "most_resident", "trace_full", *WHOLE)
COUNTERS_TYPE = measures_type((*COUNTERS, "disc_operations"), *WHOLE)
Counts = namedtuple("Counts", "counters areas services transitions")
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
    """Return what a machine has counted, processor time only as far as it has passed: Counts."""
    m = machine
    return Counts(*count(m.kernel, m.levels, m.drives, m.services, m.transitions))


@assembly
def count(k, levels, drives, services, transitions):
    """Return the fields of Counts."""
    counters, areas = records(1, COUNTERS_TYPE), np.zeros(levels.size)
    counts = counters[0]
    for name in literal_unroll(COUNTERS):
        counts[name] = k[name]
    for d in range(drives.size):
        counts.disc_operations += drives[d].operations
    if k.running != NOBODY:
        left_ms = min(k.burst_ms, k.burst_end_ms - k.now_ms)
        counts.user_ms += max(0.0, k.burst_ms - left_ms)
    if k.awake == 0:
        supervised_ms = k.supervisor_ms - k.no_work_supervised_ms
        counts.no_work_ms += k.now_ms - k.no_work_since_ms - supervised_ms
    for i in range(levels.size):
        areas[i] = area(levels[i], k.now_ms)
    return counters, areas, services.copy(), transitions.copy()


@assembly
def measure(k, levels, before, after, commands, out):
    """Fill a record of dtype MEASURED from what a machine had counted before and after."""
    ended, begun = after.counters[0], before.counters[0]
    for name in literal_unroll(COUNTED):
        out[name] = ended[name] - begun[name]
    watched_ms = ended.now_ms - begun.now_ms
    mean = (after.areas - before.areas) / watched_ms
    out.user_percent = PERCENT * out.user_ms / watched_ms
    out.supervisor_percent = PERCENT * out.supervisor_ms / watched_ms
    out.idle_percent = PERCENT - out.user_percent - out.supervisor_percent
    out.no_work_percent = PERCENT * out.no_work_ms / watched_ms
    out.blocked_percent = out.idle_percent - out.no_work_percent
    out.multiprogramming, out.awake = mean[Level.RESIDENT], mean[Level.AWAKE]
    out.residences_per_s = 1000.0 * out.residences / watched_ms
    out.commands, out.trace_full = commands, k.trace_full
    out.most_resident = levels[Level.RESIDENT].peak
    out.shared_pages_in_core = mean[Level.SHARED_PAGES]
    out.allocated_pages = mean[Level.ALLOCATED_PAGES]
    out.cpu_a_residence_ms = ratio(out.user_ms, out.residences)
    computing = out.user_ms / watched_ms  # the mean number of processes on the processor
    out.page_wait_per_cpu = ratio(mean[Level.WAITING_FOR_PAGES], computing)
    out.wait_per_cpu = out.page_wait_per_cpu + ratio(mean[Level.WAITING_FOR_CORE], computing)


def read_out(machine, completed, settled, parameters, seed):
    """Return the Result of a machine that has run to its end."""
    values, after, k = record(MEASURED), counted(machine), machine.kernel
    settled_ms = settled.counters["now_ms"][0]
    completions = _completions(completed, settled_ms)
    measure(k, machine.levels, settled, after, completions["kind"].size, values)
    tables = {
        "services": {
            "service": [service.name.lower() for service in Service],
            "calls": after.services["calls"] - settled.services["calls"],
            "seconds": (after.services["time_ms"] - settled.services["time_ms"]) / 1000.0,
        },
        "transitions": after.transitions - settled.transitions,
        "completions": completions,
        "queue_samples": _samples(machine, settled_ms),
    }
    return Result(parameters, seed, as_dict(values), tables, machine.trace[: k.traced])


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
    samples = samples[samples["time_ms"] > settled_ms]
    return {"time_s": samples["time_ms"] / 1000.0} | {name: samples[name] for name in SAMPLED}
