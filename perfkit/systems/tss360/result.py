"""What a run measured: the rows of the sampling monitor, the log of transactions, their means."""

import math
from dataclasses import dataclass

import numpy as np

from perfkit.systems.tss360.parameters import Parameters
from perfkit.systems.tss360.state import MS_A_MINUTE, MS_A_SECOND, Count, Event, Level
from perfkit.wording import short

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
LEVELS = {
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
RATES = {
    "r_s": Count.SHARABLE_RECLAIMS,
    "r_p": Count.PRIVATE_RECLAIMS,
    "r_pf": Count.PAGE_FAULTS,
    "TSE_mp": Count.TSE_OVER_LIMIT,
    "TSE_mq": Count.TSE_PROCESSING,
    "TSE_so": Count.TSE_SWAP_OUT,
    "TSE_done": Count.TSE_DONE,
    "sharable_faults": Count.SHARABLE_FAULTS,
    "page_writes": Count.PAGE_WRITES,
    "drum_reads": Count.DRUM_READS,
    "disc_reads": Count.DISC_READS,
    "migrations": Count.MIGRATIONS,
    "data_accesses": Count.DATA_ACCESSES,
    "resets": Count.RESETS,
    "scans": Count.SCANS,
    "purged": Count.PURGED,
    "stolen": Count.STOLEN,
    "frame_waits": Count.FRAME_WAITS,
    "dispatches": Count.DISPATCHES,
    "refused": Count.REFUSED,
    "services": Count.SERVICES,
    "typical_services": Count.TYPICAL_SERVICES,
    "transactions": Count.TRANSACTIONS,
    "typical_transactions": Count.TYPICAL,
    "cancelled": Count.CANCELLED,
    "early_faults": Count.EARLY_FAULTS,
    "late_faults": Count.LATE_FAULTS,
}
BRIEF = ("R", "N_e", "N_d", "p_v", "p_o")
LOG_TIMES = ("asked_s", "first_dispatch_s", "end_s")
LOG_COUNTS = (
    *("reads", "writes", "lines", "slices", "whole_slices"),
    *("page_reads", "page_writes", "reclaims"),
)


@dataclass(frozen=True)
class Result:
    """What one run measured, after it had settled.

    Attributes
    ----------
    parameters : Parameters
    seed : int
    rows : ndarray of float64, shape (minutes, 45)
        The sampling monitor's rows; ``minutes()`` names and scales them.
    log : record array
        The event-tracing monitor's transactions that ended while measured, in order.
    by_device : dict of ndarray
        Operations a second, busy share and mean operation of each device, from time zero.
    counts : dict
        Events handled from time zero, and whether the trace was full.
    trace : record array
        Fields ``time_ms``, ``kind``, ``actor`` (a task), ``value``; from time zero.
    """

    parameters: Parameters
    seed: int
    rows: np.ndarray
    log: np.ndarray
    by_device: dict
    counts: dict
    trace: np.ndarray

    def __repr__(self):
        """Return the run's result in a line: seed and the measures that say most."""
        means = self.measures()
        shown = ", ".join(f"{name}={short(means[name], 3)}" for name in BRIEF)
        return f"Result(seed={self.seed}, {shown}, ...)"

    def columns(self):
        """Return the monitor's variables as columns, a value a minute.

        Returns
        -------
        dict of ndarray
            ``minute``; R (s) and R* (mean natural logarithm) of the typical transactions that
            ended, missing if none did; then tasks, frames, shares of time, rates a second:
            ``MEASURES`` says what each is.
        """
        tallies = self.rows[:, len(Level) :]
        ended = np.where(tallies[:, Count.TYPICAL] > 0, tallies[:, Count.TYPICAL], math.nan)
        columns = {
            "minute": np.arange(len(self.rows)),
            "R": tallies[:, Count.TYPICAL_RESPONSE_S] / ended,
            "R*": tallies[:, Count.TYPICAL_LOG_RESPONSE] / ended,
        }
        columns |= {name: self.rows[:, level] for name, level in LEVELS.items()}
        columns |= {name: tallies[:, what] / MS_A_MINUTE for name, what in SHARES.items()}
        columns |= {name: tallies[:, what] / SECONDS for name, what in RATES.items()}
        columns["page_wait_ms"] = tallies[:, Count.PAGE_WAIT_MS] / np.where(
            tallies[:, Count.PAGE_WAITS] > 0, tallies[:, Count.PAGE_WAITS], math.nan
        )
        columns["later_slice_page_waits"] = tallies[:, Count.LATER_PAGE_WAITS] / np.where(
            tallies[:, Count.LATER_SLICES] > 0, tallies[:, Count.LATER_SLICES], math.nan
        )
        return columns

    def minutes(self):
        """Return the sampling monitor's rows as a frame.

        Returns
        -------
        pandas.DataFrame
            A row a minute, the columns of ``columns()``; those of Table 1 bear its names.
        """
        import pandas as pd

        return pd.DataFrame(self.columns())

    def transactions(self):
        """Return the event-tracing monitor's log as a frame.

        Returns
        -------
        pandas.DataFrame
            A row a transaction that ended while measured: ``task``, ``typical``, ``asked_s``,
            ``first_dispatch_s``, ``end_s``, ``response_s``, ``cpu_s``, ``reads``, ``writes``,
            ``lines`` (typed), ``slices``, ``whole_slices`` (that the processing limit ended),
            ``page_reads``, ``page_writes``, ``reclaims``,
            ``frames`` (held at the end of its slices, mean), ``dispatchable`` (tasks when its
            slices began, mean), ``page_rate`` (page reads a second of processing time).
        """
        import pandas as pd

        log = self.log
        frame = pd.DataFrame({"task": log.task, "typical": log.typical == 1})
        for name in LOG_TIMES:
            frame[name] = log[name.removesuffix("_s") + "_ms"] / MS_A_SECOND
        frame["response_s"] = frame["end_s"] - frame["asked_s"]
        frame["cpu_s"] = log.cpu_ms / MS_A_SECOND
        for name in LOG_COUNTS:
            frame[name] = log[name]
        frame["frames"], frame["dispatchable"] = log.frames, log.dispatchable
        frame["page_rate"] = frame["page_reads"] / frame["cpu_s"]
        return frame

    def measures(self):
        """Return the means over the measured minutes, as a flat dictionary.

        R is the mean over transactions, ``page_wait_ms`` that over page waits.
        """
        columns = self.columns()
        means = {
            name: float(values.mean())
            for name, values in columns.items()
            if name not in ("minute", "R", "R*", "later_slice_page_waits", "page_wait_ms")
        }
        waits, wait_ms = (
            self.rows[:, len(Level) + what].sum() for what in (Count.PAGE_WAITS, Count.PAGE_WAIT_MS)
        )
        typical = self.log.typical == 1
        times_s = (self.log.end_ms - self.log.asked_ms)[typical] / MS_A_SECOND
        return {
            "R": float(times_s.mean()) if times_s.size else math.nan,
            **means,
            "page_wait_ms": float(wait_ms / waits) if waits else math.nan,
            "typical_share": float(typical.mean()) if typical.size else math.nan,
            **self.counts,
        }

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
                "time_s": self.trace.time_ms / MS_A_SECOND,
                "kind": [Event(kind).name.lower() for kind in self.trace.kind],
                "task": self.trace.actor,
                "value": self.trace.value,
            }
        )


def read_out(machine, log, parameters, seed):
    """Return the Result of a machine that has run to its end."""
    p, k = parameters, machine.kernel
    settled = p.settled_min
    names = ["drum"] * p.drums + ["paging disc"] * p.discs + ["data disc"] * p.data_discs
    operations = machine.devices.operations
    return Result(
        parameters,
        seed,
        rows=machine.minutes[settled : settled + p.measured_min].copy(),
        log=log[log.end_ms > settled * MS_A_MINUTE],
        by_device={
            "device": names,
            "operations_per_s": operations / (k.now_ms / MS_A_SECOND),
            "busy_share": machine.devices.busy_ms / k.now_ms,
            "operation_ms": machine.devices.busy_ms / np.maximum(operations, 1),
        },
        counts={"events": int(k.events), "trace_full": int(k.trace_full)},
        trace=machine.trace[: k.traced],
    )
