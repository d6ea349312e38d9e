"""What a run measured, and what is observed of it at intervals."""

import numpy as np
from numba import literal_unroll

from perfkit.core import result
from perfkit.des.compiling import kernel
from perfkit.des.records import as_dict, measures_type, record
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
    "swap_ms": "ms of service per swap; 0 if there was none",
    "block_ms": "ms of service per block; 0 if there was none",
    "block_queue": "mean block requests at the controllers",
    "user_share": "share of clock ticks in user programs",
    "supervisor_share": "share of clock ticks in the system",
    "overlap_share": "share of clock ticks with processor and drive busy",
}
NAMES = tuple(MEASURES)
COUNTERS = NAMES[NAMES.index("swaps_in") : NAMES.index("watched_s")]  # fields of the kernel
MEASURED = measures_type(MEASURES, "swaps", *COUNTERS)
OBSERVED = (
    *("swaps_per_min", "utilization", "queue"),
    *("user_percent", "supervisor_percent", "characters_per_s"),
)
OBSERVATION = np.dtype([("start_s", "f8"), ("version", "i8"), *((name, "f8") for name in OBSERVED)])


class Result(result.Result):
    """What one run measured; each measure is an attribute, too.

    ``elapsed_s`` is from the start of the workload. All other measures begin when every process
    that prints has done so once (section 4.5), and are as iostat sampled them unless they are
    called exact.

    Attributes
    ----------
    samples : ndarray of int, shape (3, 4)
        Clock ticks by system state (user, system, idle) and drives busy (none, 0, 1, both).
    queue_samples : ndarray of int
        Clock ticks by queue length.
    finished_s : ndarray of float, shape (processes,)
        When each process left.
    trace : record array
        Fields ``time_ms``, ``kind``, ``actor`` (a process or drive), ``value``. Process 0 is the
        swap scheduler, 1 is /etc/update, the workload's processes follow.
    """

    MEASURES = MEASURES
    EVENTS = Event
    SHOWN = NAMES[: NAMES.index("swaps_in")]
    renamed = {"system_share": "supervisor_share"}  # noqa: RUF012

    def states(self):
        """Return iostat's matrix: percent of time by system state and drives busy."""
        import pandas as pd

        return pd.DataFrame(
            100.0 * self.samples / max(self.samples.sum(), 1),
            index=pd.Index([mode.name.lower() for mode in Mode], name="system"),
            columns=pd.Index(["none", "drive 0", "drive 1", "both"], name="drives busy"),
        )

    def plot(self, ax=None, **style):
        """Draw the states as bars, by drives busy in each; see ``Record.plot``."""
        style = {"stacked": True, "ylabel": "% of time"} | style
        return self.states().plot.bar(ax=ax, **style)


@kernel
def measure(k, samples, queue_samples, out):
    """Fill a record of dtype MEASURED with what a machine that has run to its end measured."""
    for name in literal_unroll(COUNTERS):
        out[name] = k[name]
    watched_ms = k.now_ms - k.started_ms
    over_ms = watched_ms if watched_ms > 0.0 else np.nan  # averages over no time are no numbers
    ticks = max(samples.sum(), 1)
    out.elapsed_s = k.now_ms / 1000.0
    out.swaps = k.swaps_in + k.swaps_out
    out.queue = _mean(queue_samples, ticks)
    out.utilization = _utilization(samples)
    out.watched_s = watched_ms / 1000.0
    out.mean_queue_exact = k.queue_area_ms / over_ms
    out.utilization_exact = k.busy_ms / over_ms
    out.swap_ms = k.swap_time_ms / max(out.swaps, 1)
    out.block_ms = k.block_time_ms / max(k.reads + k.read_aheads + k.writes, 1)
    out.block_queue = k.block_response_ms / over_ms
    out.user_share = _share(0.0, samples[Mode.USER], ticks)
    out.supervisor_share = _share(0.0, samples[Mode.SYSTEM], ticks)
    out.overlap_share = _share(0.0, samples[Mode.USER, 1:], ticks)
    out.overlap_share = _share(out.overlap_share, samples[Mode.SYSTEM, 1:], ticks)


@kernel
def _share(share, samples, ticks):
    """Return a share with that of further samples added, one by one: no last bit may move."""
    for sample in samples:
        share += sample / ticks
    return share


@kernel
def _utilization(samples):
    """Return the share of clock ticks at which a drive was busy, 0 if there was no tick."""
    ticks = samples.sum()
    return 1.0 - samples[:, 0].sum() / ticks if ticks else 0.0


@kernel
def _mean(ticks_by_length, ticks):
    """Return the mean of a queue's length from the clock ticks at which it was so long."""
    total = 0
    for length in range(ticks_by_length.size):
        total += length * ticks_by_length[length]
    return total / ticks


def read_out(machine, parameters, seed):
    """Return the Result of a machine that has run to its end."""
    values = record(MEASURED)
    measure(machine.kernel, machine.samples, machine.queue_samples, values)
    tables = {
        "samples": machine.samples,
        "queue_samples": machine.queue_samples,
        "finished_s": machine.processes["finished_ms"][FIRST_USER:] / 1000.0,
    }
    return Result(parameters, seed, as_dict(values), tables, machine.trace[: machine.kernel.traced])


def counted(machine, until_ms):
    """Return what a machine has counted up to a pause."""
    k = machine.kernel
    return {
        "time_s": until_ms / 1000.0,
        "swaps": int(k.swaps_in + k.swaps_out),
        "characters": int(k.characters),
        "samples": machine.samples.copy(),
        "queue_samples": machine.queue_samples.copy(),
    }


def observed(version, before, after):
    """Return a row of OBSERVATION from what was counted before and after it."""
    change = {name: after[name] - before[name] for name in after}
    samples, ticks = change["samples"], max(change["samples"].sum(), 1)
    return (
        before["time_s"],
        version,
        60.0 * change["swaps"] / change["time_s"],
        _utilization(samples),
        _mean(change["queue_samples"], ticks),
        100.0 * samples[Mode.USER].sum() / ticks,
        100.0 * samples[Mode.SYSTEM].sum() / ticks,
        change["characters"] / change["time_s"],
    )
