"""Further experiments on the machine: what claims and what-ifs simulate beside the tables."""

from functools import cache, cached_property

import numpy as np
import pandas as pd

from perfkit.analytic.swapping import predict_elapsed, processes_loaded
from perfkit.runs.designs import factorial
from perfkit.runs.experiment import replicate, sweep
from perfkit.systems.unix_v6 import Parameters, simulate
from perfkit.systems.unix_v6.memory import longest_out, paper_victim
from perfkit.systems.unix_v6.parameters import MOST_CLICKS
from perfkit.systems.unix_v6.state import PROCESS, State
from studies.unix_v6.runs import (
    averages,
    block_time_ms,
    simulate_runs,
    swap_times_ms,
    with_memory,
)

SMALL, LARGE = (157,), (314,)
GROUPS = [(size, memory) for size in (SMALL, LARGE) for memory in (650, 1000, 1280)]
MEMORIES, SPEEDS = (650, 1000, 1280, 1300, 1600, 1920, 2560), (1.0, 1.5, 2.0)
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


def scaled(clicks, memory_factor):
    """Return a memory multiplied by the factor, within what the simulator's core can hold."""
    return min(round(clicks * memory_factor), MOST_CLICKS)


def disc_or_memory(replications, seed=0, memory_factor=1.0, disc_speed=1.25, **changes):
    """Return runs of twelve processes of 157 clicks for every memory and speed of the disc.

    ``memory_factor`` multiplies each memory; ``disc_speed`` is one of the speeds.
    """
    speeds = sorted({*SPEEDS, disc_speed})
    memories = sorted({scaled(clicks, memory_factor) for clicks in MEMORIES})
    design = factorial({"disc_speed": speeds, "memory_clicks": memories})
    return sweep(simulate, Parameters(**changes), design, replications, seed=seed, progress=False)


def simulator_swaps(processes, places, least_out_s, least_in_s):
    """Return whom the simulator's own scheduler would swap next; None if nobody.

    ``processes`` are dicts with ``name`` (1, 2, ...), ``ready``, ``in core`` and ``age`` in s.
    """
    table = np.recarray(len(processes) + 1, PROCESS)  # entry 0 is the scheduler
    table[:] = 0
    for p in processes:
        entry = table[p["name"]]
        entry.state = State.READY if p["ready"] else State.WAIT
        entry.loaded, entry.age_s = p["in core"], p["age"]
    wanted = longest_out(table)
    if wanted > 0 and sum(p["in core"] for p in processes) >= places:
        wanted = paper_victim(table, wanted, least_out_s, least_in_s)
    return wanted if wanted > 0 else None


def equation_over_the_grid(elapsed_s):
    """Return the elapsed times that Equation 3.1 predicts over the grid from its first field.

    Where all twelve processes fit nothing swaps, so the swap term is 0.
    """
    block_ms, swap_ms = block_time_ms(), swap_times_ms()[SMALL[0]]
    speeds = elapsed_s.index.to_numpy()[:, None]
    memories = elapsed_s.columns.to_numpy()
    before = processes_loaded(memories[0], SMALL[0])
    after = processes_loaded(memories, SMALL[0], 12)[None, :]
    times_ms = (block_ms, block_ms / speeds, swap_ms, swap_ms * (after < 12) / speeds)
    found = predict_elapsed(elapsed_s.iloc[0, 0], before, after, *times_ms)
    return pd.DataFrame(found, elapsed_s.index, elapsed_s.columns)
