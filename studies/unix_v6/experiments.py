"""Further experiments on the machine: what claims and what-ifs simulate beside the tables."""

from functools import cache, cached_property

import numpy as np
import pandas as pd

from perfkit.analytic.swapping import elapsed_without_overlap, predict_elapsed, processes_loaded
from perfkit.runs.designs import factorial
from perfkit.runs.experiment import replicate, sweep
from perfkit.systems.unix_v6 import Parameters, simulate
from studies.unix_v6.runs import (
    averages,
    block_time_ms,
    simulate_runs,
    swap_times_ms,
    with_memory,
)

SMALL, LARGE = (157,), (314,)
GROUPS = [(size, memory) for size in (SMALL, LARGE) for memory in (650, 1000, 1280)]
MEMORIES, SPEEDS = (650, 1000, 1280, 1600, 1920, 2560, 3200), (1.0, 1.25, 1.5, 2.0)
# A disc of today has nothing that moves, so a transfer takes as long as its bytes.
FLASH = {
    "disc_seek_ms": (0.0, 0.0, 0.0), "disc_revolution_ms": 0.125, "disc_blocks_per_track": 1,
    "disc_cylinders": 20_000, "file_area_cylinders": 400, "file_area_start": 0,
    "swap_area_start": 10_000, "head_switch_ms": 0.0, "head_skew_ms": 0.0,
    "cylinder_skew_ms": 0.0, "controller_ms": 0.0,
}  # fmt: skip
TIMES_OF_A_PROCESSOR = (
    *("block_io_ms", "system_call_ms", "scheduler_ms", "character_ms"),
    *("loop_iteration_ms", "loop_overhead_ms"),
)
TODAY = FLASH | {name: getattr(Parameters(), name) / 1000.0 for name in TIMES_OF_A_PROCESSOR}
SERVER = {
    "operations_per_interaction": 50.0,
    "pause_percent": (100.0, 0.0, 0.0, 0.0),
    "strings_per_interaction": 0.0,
}


class Evidence:
    """Simulated runs for the claims: the 46 of the tables, and others when a claim asks.

    Without ``rows``, the replications of ``runs`` are simulated when they are first needed.
    ``memory_factor`` is user memory against the paper's; it and ``changes`` apply to every
    further run.
    """

    def __init__(self, runs, rows, replications, seed=0, memory_factor=1.0, **changes):
        self.memory_factor = memory_factor
        self.runs = runs
        if rows is not None:
            self.rows = rows
        self.replications, self.seed = replications, seed
        self.changes = changes
        self.more = cache(self._more)

    @cached_property
    def rows(self):
        """The replications of the published runs."""
        settings = self.replications, self.seed, self.memory_factor
        return simulate_runs(self.runs, *settings, **self.changes)

    @cached_property
    def ours(self):
        """Their averages, a row per published run."""
        return averages(self.rows)

    def values(self, measure, process_clicks=SMALL, memory_clicks=1280, processes=12, compute=12):
        """Return a measure of one of the published runs, one value per replication."""
        point = self.point(process_clicks, memory_clicks, processes, compute)
        return self.rows.loc[self.rows["point"] == point, measure].to_numpy(float)

    def point(self, process_clicks, memory_clicks, processes=12, compute=12):
        """Return the index of a published run; its memory is the paper's."""
        runs = self.runs
        return runs.index[
            (runs["process_clicks"] == process_clicks)
            & (runs["memory_clicks"] == memory_clicks)
            & (runs["processes"] == processes)
            & (runs["compute_ms"] == compute)
        ][0]

    def machine(self, **changes):
        """Return another configuration, with ``memory_factor`` times the memory that it names."""
        p = Parameters(**{**self.changes, **changes})
        return p.replace(memory_clicks=round(p.memory_clicks * self.memory_factor))

    def _more(self, victim=None, scaled=True, times=1, **changes):
        """Return so many times the replications of another configuration, from the same seed."""
        p = self.machine(**changes) if scaled else Parameters(**{**self.changes, **changes})
        runs = times * self.replications
        return replicate(simulate, p, runs, seed=self.seed, progress=False, victim=victim)

    @cached_property
    def factorial(self):
        """The replications of Table VI, with the NL of their own memory."""
        six = with_memory(self.runs[self.runs["table"] == "Table VI"], self.memory_factor)
        rows = self.rows[self.rows["point"].isin(six.index)]
        return rows.assign(loaded=six["loaded"].reindex(rows["point"]).to_numpy())

    @cached_property
    def full(self):
        """Of these, the six runs with twelve processes."""
        return self.factorial[self.factorial["processes"] == 12]

    def mean_by_seed(self, frame, column):
        """Return the mean of a column over runs, one value per replication."""
        return frame.groupby("seed")[column].mean().to_numpy()


PROCESSOR_BOUND = {
    "operations_per_interaction": 0.0,
    "pause_percent": (100.0, 0.0, 0.0, 0.0),
    "strings_per_interaction": 0.0,
    "compute_loop_percent": (0.0, 0.0, 0.0, 100.0),
    "interactions": 20,
    "process_clicks": LARGE,
}


def processor_bound(evidence, loaded, processes=6, **changes):
    """Return replications of compute loops alone with room for so many processes."""
    room = 314 * loaded + 60
    return evidence.more(
        **PROCESSOR_BOUND, memory_clicks=room, processes=processes, scaled=False, **changes
    )


def processor_bound_table(evidence, loaded=(6, 3, 2, 1)):
    """Return elapsed times of compute loops by processes loaded, and section 3.3.2's prediction.

    Indexed by processes loaded: ``elapsed_s``, ``swaps``, ``swap_ms``, ``predicted_s``.
    """
    means = {
        n: processor_bound(evidence, n)[["elapsed_s", "swaps", "swap_ms"]].mean() for n in loaded
    }
    table = pd.DataFrame(means).T.rename_axis("processes loaded")
    free_s = table.loc[max(loaded), "elapsed_s"]
    table["predicted_s"] = [
        free_s if n > 1 else elapsed_without_overlap(free_s, row.swap_ms / 1000.0, row.swaps)
        for n, row in table.iterrows()
    ]
    return table


def disc_or_memory(replications, seed=0, memories=MEMORIES, speeds=SPEEDS, **changes):
    """Return runs of twelve processes of 157 clicks for every memory and speed of the disc."""
    design = factorial({"disc_speed": speeds, "memory_clicks": memories})
    return sweep(simulate, Parameters(**changes), design, replications, seed=seed, progress=False)


def equation_over_the_grid(elapsed_s):
    """Return what Equation 3.1 makes of the grid from its slowest corner, as the grid."""
    block_ms, swap_ms = block_time_ms(), swap_times_ms()[SMALL[0]]
    speeds = elapsed_s.index.to_numpy()[:, None]
    memories = elapsed_s.columns.to_numpy()
    before = processes_loaded(memories[0], SMALL[0])
    after = processes_loaded(memories, SMALL[0], 12)[None, :]
    times_ms = (block_ms, block_ms / speeds, swap_ms, swap_ms / speeds)
    found = predict_elapsed(elapsed_s.iloc[0, 0], before, after, *times_ms)
    return pd.DataFrame(found, elapsed_s.index, elapsed_s.columns)


def equation_by_utilization(replications, seed=0, **changes):
    """Return the error of Equation 3.1 from 650 to 1280 clicks, told the runs' own device times.

    Where all fit and only /etc/update swaps, the first run's swap time stands for both.

    Indexed by ``processes`` and ``compute_ms``: ``utilization`` of the less busy run and ``error``,
    both in percent; and the two runs' means, ``<measure>_650`` and ``<measure>_1280``.
    """
    design = pd.DataFrame(
        [(m, n, c) for m in (650, 1280) for n in (6, 8, 10, 12) for c in (12, 30, 60, 186, 354)],
        columns=["memory_clicks", "processes", "compute_ms"],
    )
    rows = sweep(simulate, Parameters(**changes), design, replications, seed=seed, progress=False)
    measures = ["elapsed_s", "utilization", "block_ms", "swap_ms", "reads", "writes"]
    both = rows.groupby(["memory_clicks", "processes", "compute_ms"])[measures].mean()
    a, b = both.loc[650], both.loc[1280]
    processes = a.index.get_level_values("processes").to_numpy()
    before, after = (processes_loaded(memory, SMALL[0], processes) for memory in (650, 1280))
    swap_b = b["swap_ms"].mask(processes <= after, a["swap_ms"])
    times_ms = (a["block_ms"], b["block_ms"], a["swap_ms"], swap_b)
    guess = predict_elapsed(a["elapsed_s"], before, after, *times_ms)
    found = a.join(b, lsuffix="_650", rsuffix="_1280")
    found["utilization"] = 100.0 * np.minimum(a["utilization"], b["utilization"])
    return found.assign(error=100.0 * (guess / b["elapsed_s"] - 1.0))
