"""What a run measured: the rows of the sampling monitor, the log of transactions, their means."""

import numpy as np
from numba import literal_unroll

from perfkit.core import result
from perfkit.core.record import as_frame
from perfkit.des.compiling import assembly
from perfkit.des.counters import mean, ratio, total
from perfkit.des.records import as_dict, measures_type, record
from perfkit.des.running import Log
from perfkit.systems.tss360.state import LEVELS, MS_A_MINUTE, MS_A_SECOND, Count, Event, Level

MEASURES = {
    "R": "s of response of typical transactions, mean",
    "N_t": "mean tasks",
    "N_e": "mean eligible tasks",
    "N_d": "mean dispatchable tasks",
    "P_eav": "mean available frames by the scheduler's estimate",
    "P_a": "mean available frames",
    "P_s": "mean sharable frames",
    "private_frames": "mean private frames",
    "typical_dispatchable": "mean dispatchable tasks with a typical transaction",
    "p_v": "share of the processor, problem state",
    "p_o": "share of the processor, resident supervisor",
    "p_paging": "share of the processor, paging by the supervisor",
    "r_s": "sharable pages/s reclaimed",
    "r_p": "private pages/s reclaimed",
    "r_pf": "page faults/s",
    "TSE_mp": "slice ends/s, P_max exceeded",
    "TSE_mq": "slice ends/s, processing limit reached",
    "TSE_so": "slice ends/s, forced swap-outs",
    "TSE_done": "slice ends/s, transaction done or cut off",
    "sharable_faults": "page faults/s for sharable pages",
    "page_writes": "pages/s written",
    "drum_reads": "pages/s read from drums",
    "disc_reads": "pages/s read from paging discs",
    "migrations": "pages/s moved from drums to discs",
    "data_accesses": "accesses/s to data sets",
    "resets": "resets/s of the reference bits of sharable pages",
    "scans": "scans/s for sharable pages to replace",
    "purged": "sharable pages/s replaced",
    "stolen": "private pages/s stolen from their own task",
    "frame_waits": "faults/s that waited for a frame",
    "dispatches": "tasks/s made dispatchable",
    "refused": "looks/s at eligible tasks that did not fit",
    "services": "bursts/s on the processor",
    "typical_services": "of those, by typical transactions",
    "transactions": "transactions/s that ended",
    "typical_transactions": "of those, typical ones",
    "cancelled": "transactions/s that users gave up or logged off from",
    "early_faults": "faults/s in the first half of whole slices",
    "late_faults": "faults/s in the second half of them",
    "page_wait_ms": "ms of a page wait; missing if there was none",
    "typical_share": "share of transactions that are typical",
    "events": "events that the simulator handled",
    "trace_full": "1 if the trace's space was used up",
}
SECONDS = 60.0
LEVEL_OF = {
    "N_t": Level.TASKS,
    "N_e": Level.ELIGIBLE,
    "N_d": Level.DISPATCHABLE,
    "P_eav": Level.ESTIMATE,
    "P_a": Level.AVAILABLE,
    "P_s": Level.SHARABLE,
    "private_frames": Level.PRIVATE,
    "typical_dispatchable": Level.TYPICAL_DISPATCHABLE,
}
SHARES = {"p_v": Count.VIRTUAL_MS, "p_o": Count.SUPERVISOR_MS, "p_paging": Count.PAGING_OVERHEAD_MS}
NAMED = {  # those of Table 1, and one more; the others bear the names of counters
    "r_s": Count.SHARABLE_RECLAIMS,
    "r_p": Count.PRIVATE_RECLAIMS,
    "r_pf": Count.PAGE_FAULTS,
    "TSE_mp": Count.TSE_OVER_LIMIT,
    "TSE_mq": Count.TSE_PROCESSING,
    "TSE_so": Count.TSE_SWAP_OUT,
    "typical_transactions": Count.TYPICAL,
}
NAMES = tuple(MEASURES)
RATES = {
    name: NAMED[name] if name in NAMED else Count[name.upper()]
    for name in NAMES[NAMES.index("r_s") : NAMES.index("page_wait_ms")]
}
AVERAGED = (*LEVEL_OF, *SHARES, *RATES)
COLUMNS = np.array(
    [*LEVEL_OF.values(), *(LEVELS + what for what in (*SHARES.values(), *RATES.values()))]
)
SCALES = np.repeat([1.0, MS_A_MINUTE, SECONDS], list(map(len, (LEVEL_OF, SHARES, RATES))))
MEASURED = measures_type(MEASURES, "events", "trace_full")
LOG_TIMES = ("asked_s", "first_dispatch_s", "end_s")
LOG_COUNTS = (
    *("reads", "writes", "lines", "slices", "whole_slices"),
    *("page_reads", "page_writes", "reclaims"),
)


class Result(result.Result):
    """What one run measured, after it had settled; each measure is an attribute, too.

    Attributes
    ----------
    rows : ndarray of float64, shape (minutes, 45)
        The sampling monitor's rows; ``minutes()`` names and scales them.
    log : record array
        The event-tracing monitor's transactions that ended while measured, in order.
    by_device : dict of ndarray
        Operations a second, busy share and mean operation of each device, from time zero.
    trace : record array
        Fields ``time_ms``, ``kind``, ``actor`` (a task), ``value``; from time zero.
    """

    MEASURES = MEASURES
    EVENTS = Event
    SHOWN = ("R", "N_e", "N_d", "p_v", "p_o")

    def minutes(self):
        """Return the sampling monitor's rows as a frame.

        One row per minute: ``minute``; R (s) and R* (mean natural logarithm) of the typical
        transactions that ended, missing if none did; then tasks, frames, shares of time, rates a
        second: ``MEASURES`` says what each is.
        """
        return as_frame(_columns(self.rows))

    def transaction_log(self):
        """Return the event-tracing monitor's log as a frame.

        One row per transaction that ended while measured: ``task``, ``typical``, ``asked_s``,
        ``first_dispatch_s``, ``end_s``, ``response_s``, ``cpu_s``, ``reads``, ``writes``, ``lines``
        (typed), ``slices``, ``whole_slices`` (that the processing limit ended), ``page_reads``,
        ``page_writes``, ``reclaims``, ``frames`` (held at the end of its slices, mean),
        ``dispatchable`` (tasks when its slices began, mean), ``page_rate`` (page reads per second
        of processing time).
        """
        log = self.log
        frame = as_frame({"task": log.task, "typical": log.typical == 1})
        for name in LOG_TIMES:
            frame[name] = log[name.removesuffix("_s") + "_ms"] / MS_A_SECOND
        frame["response_s"] = frame["end_s"] - frame["asked_s"]
        frame["cpu_s"] = log.cpu_ms / MS_A_SECOND
        for name in LOG_COUNTS:
            frame[name] = log[name]
        frame["frames"], frame["dispatchable"] = log.frames, log.dispatchable
        frame["page_rate"] = frame["page_reads"] / frame["cpu_s"]
        return frame

    def devices(self):
        """Return the load on each device."""
        return as_frame(self.by_device)

    def plot(self, ax=None, **style):
        """Draw how many tasks are eligible and dispatchable by minute; see ``Record.plot``."""
        style = {"xlabel": "minute", "ylabel": "tasks"} | style
        return self.minutes()[["N_e", "N_d"]].plot(ax=ax, **style)


def transaction_log():
    """Return what takes over the event-tracing monitor's records of a machine."""
    return Log("log", "logged")


@assembly
def measure(k, rows, log, out):
    """Fill a record of dtype MEASURED from a machine's rows and log of the time measured."""
    column, at = np.zeros(rows.shape[0]), 0
    for name in literal_unroll(AVERAGED):
        for row in range(column.size):
            column[row] = rows[row, COLUMNS[at]] / SCALES[at]
        out[name] = mean(column)
        at += 1  # noqa: SIM113 (what is unrolled can't be enumerated)
    response_s, typical = np.zeros(log.size), 0
    for one in log:
        if one.typical == 1:
            response_s[typical] = (one.end_ms - one.asked_ms) / MS_A_SECOND
            typical += 1
    out.R = mean(response_s[:typical])
    wait_ms, waits = rows[:, LEVELS + Count.PAGE_WAIT_MS], rows[:, LEVELS + Count.PAGE_WAITS]
    out.page_wait_ms = ratio(total(wait_ms), total(waits))
    out.typical_share = ratio(float(typical), log.size)
    out.events, out.trace_full = k.events, k.trace_full


def read_out(machine, log, parameters, seed):
    """Return the Result of a machine that has run to its end."""
    p, k, values = parameters, machine.kernel, record(MEASURED)
    settled = p.settled_min
    rows = machine.minutes[settled : settled + p.measured_min].copy()
    log = log[log.end_ms > settled * MS_A_MINUTE]
    measure(k, rows, log, values)
    devices = machine.devices
    operations, busy_ms = devices["operations"], devices["busy_ms"]
    by_device = {
        "device": ["drum"] * p.drums + ["paging disc"] * p.discs + ["data disc"] * p.data_discs,
        "operations_per_s": operations / (k.now_ms / MS_A_SECOND),
        "busy_share": busy_ms / k.now_ms,
        "operation_ms": busy_ms / np.maximum(operations, 1),
    }
    tables = {"rows": rows, "log": log, "by_device": by_device}
    return Result(parameters, seed, as_dict(values), tables, machine.trace[: k.traced])


def _columns(rows):
    """Return the sampling monitor's rows as named columns, scaled."""
    tallies = rows[:, len(Level) :].T

    def per(part, whole):
        return tallies[part] / np.where(tallies[whole] > 0, tallies[whole], np.nan)

    return {
        "minute": np.arange(len(rows)),
        "R": per(Count.TYPICAL_RESPONSE_S, Count.TYPICAL),
        "R*": per(Count.TYPICAL_LOG_RESPONSE, Count.TYPICAL),
        **{name: rows[:, level] for name, level in LEVEL_OF.items()},
        **{name: tallies[what] / MS_A_MINUTE for name, what in SHARES.items()},
        **{name: tallies[what] / SECONDS for name, what in RATES.items()},
        "page_wait_ms": per(Count.PAGE_WAIT_MS, Count.PAGE_WAITS),
        "later_slice_page_waits": per(Count.LATER_PAGE_WAITS, Count.LATER_SLICES),
    }
