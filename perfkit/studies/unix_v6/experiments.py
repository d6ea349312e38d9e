"""Further experiments on the machine: what claims and what-ifs simulate beside the tables."""

from functools import cache, cached_property

import pandas as pd

from perfkit.analytic.swapping import elapsed_without_overlap
from perfkit.experiment import replicate
from perfkit.studies.unix_v6.runs import with_memory
from perfkit.systems.unix_v6 import Parameters, simulate

SMALL, LARGE = (157,), (314,)


class Evidence:
    """Simulated runs for the claims: the 46 of the tables, and others when a claim asks.

    Parameters
    ----------
    runs, rows : pandas.DataFrame
        The published runs and our replications of them.
    replications, seed : int
    memory_factor : float
        User memory against the paper's, in every further run.
    **changes
        Parameters that differ from the paper's in every further run.
    """

    def __init__(self, runs, rows, replications, seed=0, memory_factor=1.0, **changes):
        self.memory_factor = memory_factor
        self.runs, self.rows = runs, rows
        self.replications, self.seed = replications, seed
        self.changes = changes
        self.more = cache(self._more)

    def values(self, measure, process_clicks=SMALL, memory_clicks=1280, processes=12, compute=12):
        """Return a measure of one of the published runs, a value a replication."""
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
        """Return the mean of a column over runs, a value a replication."""
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


def disc_of_speed(factor, **changes):
    """Return the parameters of a disc that seeks and turns so many times faster.

    Faster than the paper's, or than what ``changes`` make of it.
    """
    names = ("disc_revolution_ms", "head_switch_ms", "head_skew_ms", "cylinder_skew_ms")
    now = Parameters(**changes)
    faster = {name: getattr(now, name) / factor for name in names}
    return {**faster, "disc_seek_ms": tuple(ms / factor for ms in now.disc_seek_ms)}


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
