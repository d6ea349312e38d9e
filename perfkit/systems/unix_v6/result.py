"""What a run measured, and what is observed of it at intervals."""

from dataclasses import dataclass

import numpy as np

from perfkit.systems.record import brief
from perfkit.systems.unix_v6.parameters import Parameters
from perfkit.systems.unix_v6.state import FIRST_USER, Event, Mode

MEASURES = {
    "elapsed_s": "s from the start to the exit of the last process",
    "swaps": "swap-ins and swap-outs",
    "queue": "mean requests at the controllers, sampled at clock ticks",
    "utilization": "share of clock ticks with a drive busy",
    "swaps_in": "processes swapped in",
    "swaps_out": "processes swapped out",
    "reads": "blocks read for a process that waits",
    "read_aheads": "blocks read ahead",
    "writes": "blocks written",
    "cache_hits": "blocks found in a buffer",
    "seeks": "disc operations that moved the arm",
    "swap_clicks": "clicks (64 bytes) swapped, in and out",
    "scattered": "stays out though the free core, in one piece, would do",
    "swap_ends": "swaps that ended",
    "swaps_at_once": "swaps that ended and were followed by the next at once",
    "pauses": "pauses that workload processes ended",
    "pauses_out": "of these, pauses that ended with the process swapped out",
    "characters": "characters printed",
    "events": "events that the simulator handled",
    "trace_full": "1 if the trace's space was used up",
    "watched_s": "s watched: from when all have printed once to the end",
    "mean_queue_exact": "mean requests at the controllers, over time",
    "utilization_exact": "share of time with a drive busy",
    "swap_ms": "ms of service a swap; 0 if there was none",
    "block_ms": "ms of service a block; 0 if there was none",
    "block_queue": "mean block requests at the controllers",
    "user_share": "share of clock ticks in user programs",
    "system_share": "share of clock ticks in the system",
    "overlap_share": "share of clock ticks with processor and drive busy",
}


@dataclass(frozen=True)
class Result:
    """What one run measured.

    Attributes
    ----------
    parameters : Parameters
    seed : int
    elapsed_s : float
        From the start of the workload to the exit of its last process. All other measures
        begin when every process that prints has done so once (section 4.5).
    swaps : int
        Swap-ins and swap-outs while iostat watched.
    queue : float
        Mean queue at the controllers, the requests in service included, as sampled.
    utilization : float
        Share of clock ticks at which a drive was busy.
    samples : ndarray of int, shape (3, 4)
        Clock ticks by system state (user, system, idle) and drives busy (none, 0, 1, both).
    queue_samples : ndarray of int
        Clock ticks by queue length.
    counts : dict
        Further counters and averages; ``MEASURES`` says what each is.
    finished_s : ndarray of float, shape (processes,)
        When each process left.
    trace : record array
        Fields ``time_ms``, ``kind``, ``actor`` (a process or drive), ``value``.
    """

    parameters: Parameters
    seed: int
    elapsed_s: float
    swaps: int
    queue: float
    utilization: float
    samples: np.ndarray
    queue_samples: np.ndarray
    counts: dict
    finished_s: np.ndarray
    trace: np.ndarray

    __repr__ = brief

    def states(self):
        """Return iostat's matrix: percent of time by system state and drives busy.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(
            100.0 * self.samples / max(self.samples.sum(), 1),
            index=pd.Index([mode.name.lower() for mode in Mode], name="system"),
            columns=pd.Index(["none", "drive 0", "drive 1", "both"], name="drives busy"),
        )

    def events(self):
        """Return the trace as a frame, its kinds by name.

        Returns
        -------
        pandas.DataFrame
            Columns ``time_s``, ``kind``, ``process``, ``value``. Process 0 is the swap
            scheduler, 1 is /etc/update, the workload's processes follow.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "time_s": self.trace.time_ms / 1000.0,
                "kind": [Event(kind).name.lower() for kind in self.trace.kind],
                "process": self.trace.actor,
                "value": self.trace.value,
            }
        )

    def measures(self):
        """Return the scalar measures as a flat dictionary, a row of a tidy frame."""
        return {
            "elapsed_s": self.elapsed_s,
            "swaps": self.swaps,
            "queue": self.queue,
            "utilization": self.utilization,
            **self.counts,
        }


def read_out(machine, parameters, seed):
    """Return the Result of a machine that has run to its end."""
    k = machine.kernel
    watched_ms = k.now_ms - k.started_ms
    ticks = max(machine.samples.sum(), 1)
    queue = (machine.queue_samples * np.arange(machine.queue_samples.size)).sum() / ticks
    finished_ms = np.array(machine.processes.finished_ms[FIRST_USER:])
    counters = (
        "swaps_in",
        "swaps_out",
        "reads",
        "read_aheads",
        "writes",
        "cache_hits",
        "seeks",
        "swap_clicks",
        "scattered",
        "swap_ends",
        "swaps_at_once",
        "pauses",
        "pauses_out",
        "characters",
        "events",
        "trace_full",
    )
    return Result(
        parameters,
        seed,
        elapsed_s=float(k.now_ms) / 1000.0,
        swaps=int(k.swaps_in + k.swaps_out),
        queue=float(queue),
        utilization=float(1.0 - machine.samples[:, 0].sum() / ticks),
        samples=machine.samples,
        queue_samples=machine.queue_samples,
        counts={name: int(k[name]) for name in counters} | _averages(machine, watched_ms),
        finished_s=finished_ms / 1000.0,
        trace=machine.trace[: k.traced],
    )


def _averages(machine, watched_ms):
    """Return the time averages and shares that the counters and samples of a run come to."""
    k = machine.kernel
    share = machine.samples / max(machine.samples.sum(), 1)
    return {
        "watched_s": float(watched_ms) / 1000.0,
        "mean_queue_exact": float(k.queue_area_ms / watched_ms),
        "utilization_exact": float(k.busy_ms / watched_ms),
        "swap_ms": float(k.swap_time_ms / max(k.swaps_in + k.swaps_out, 1)),
        "block_ms": float(k.block_time_ms / max(k.reads + k.read_aheads + k.writes, 1)),
        "block_queue": float(k.block_response_ms / watched_ms),
        "user_share": float(share[Mode.USER].sum()),
        "system_share": float(share[Mode.SYSTEM].sum()),
        "overlap_share": float(share[: Mode.IDLE, 1:].sum()),
    }


OBSERVATION = np.dtype(
    [
        ("start_s", "f8"),
        ("version", "i8"),
        ("swaps_per_min", "f8"),
        ("utilization", "f8"),
        ("queue", "f8"),
        ("user_percent", "f8"),
        ("system_percent", "f8"),
        ("characters_per_s", "f8"),
    ]
)


def _counters(machine):
    k = machine.kernel
    return {
        "time_s": float(machine.settings.pause_ms) / 1000.0,
        "swaps": int(k.swaps_in + k.swaps_out),
        "characters": int(k.characters),
        "samples": machine.samples.copy(),
        "queue_samples": machine.queue_samples.copy(),
    }


def _fill(observation, version, before, after):
    change = {name: after[name] - before[name] for name in after}
    samples, ticks = change["samples"], max(change["samples"].sum(), 1)
    queue = (change["queue_samples"] * np.arange(change["queue_samples"].size)).sum()
    observation["start_s"] = before["time_s"]
    observation["version"] = version
    observation["swaps_per_min"] = 60.0 * change["swaps"] / change["time_s"]
    observation["characters_per_s"] = change["characters"] / change["time_s"]
    observation["utilization"] = 1.0 - samples[:, 0].sum() / ticks
    observation["queue"] = queue / ticks
    observation["user_percent"] = 100.0 * samples[Mode.USER].sum() / ticks
    observation["system_percent"] = 100.0 * samples[Mode.SYSTEM].sum() / ticks
