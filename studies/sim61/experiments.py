"""Experiments on the RCA system that its tables do not contain, for claims and what-ifs."""

from functools import cached_property

import numpy as np

from perfkit.runs.designs import factorial
from perfkit.runs.experiment import replicate, sweep
from perfkit.systems.sim61 import (
    Parameters,
    activation_policy,
    n_to_1_load,
    n_to_1_parameters,
    simulate,
)
from studies.sim61.runs import score_store, simulate_store, store_runs

DISCS, DRUM, DRUMS, LAM = "2 RCA 8580 discs", "1 RCA 8567 drum", "2 RCA 8567 drums", "1 LAM"
CONFIGURATIONS = (DISCS, DRUM, DRUMS, LAM)


@activation_policy
def keep_batch_active(interactive_waiting, batch_waiting, batch_active, counted, n):
    """Activate a batch task whenever none is active; otherwise follow the first algorithm."""
    if batch_waiting > 0 and batch_active == 0:
        return 1
    if interactive_waiting > 0:
        return 0
    return 1 if batch_waiting > 0 else -1


DISC_CHOICES = {
    "with both choices": {},
    "seek_ms = 0": {"seek_ms": 0.0},
    "no start at the track's beginning": {"from_track_beginning": False},
    "neither": {"seek_ms": 0.0, "from_track_beginning": False},
}


def without_disc_choices(replications, seed=0, **changes):
    """Return the scorecards of the 8580 runs, by which of the two choices they make."""
    runs = store_runs()
    runs = runs[runs["paging_configuration"] == DISCS]
    return {
        name: score_store(runs, simulate_store(runs, replications, seed, **changes | choice))
        for name, choice in DISC_CHOICES.items()
    }


def drums_of_any_speed(rates_per_s, sizes_mb, replications, seed=0, **changes):
    """Simulate one drum of each speed, in pages per second, with each size of core.

    One row per run, with ``core_mb`` and ``page_rate``.
    """
    design = factorial({"core_mb": sizes_mb, "page_rate": rates_per_s})
    return sweep(simulate, Parameters(**changes), design, replications, seed=seed, progress=False)


class Evidence:
    """Simulated runs for the claims: those of the tables, and others on demand.

    ``store`` and ``n`` are the published runs of the two studies, ``store_rows`` and ``n_rows``
    our replications of them; ``changes`` apply to every further run.
    """

    def __init__(self, store, store_rows, n, n_rows, replications, seed=0, **changes):
        self.store, self.store_rows = store, store_rows
        self.n, self.n_rows = n, n_rows
        self.replications, self.seed = replications, seed
        self.changes = changes

    def values(self, measure, configuration, memory_mb=1.0):
        """Return a measure of a backing store run, one value per replication."""
        runs = self.store
        chosen = (runs["paging_configuration"] == configuration) & (runs["memory_mb"] == memory_mb)
        rows = self.store_rows[self.store_rows["point"] == runs.index[chosen][0]]
        return rows[measure].to_numpy(float)

    def by_configuration(self, measure, memory_mb=1.0):
        """Return a measure by configuration and replication, slow paging devices first."""
        return np.array([self.values(measure, name, memory_mb) for name in CONFIGURATIONS])

    def by_n(self, measure, finite=False):
        """Return N and a measure by N and replication, small N first."""
        runs = self.n.sort_values("activations_per_batch", kind="stable")
        if finite:
            runs = runs[np.isfinite(runs["activations_per_batch"])]
        groups = [self.n_rows.loc[self.n_rows["point"] == i, measure] for i in runs.index]
        return runs["activations_per_batch"].to_numpy(), np.array(groups, float)

    def more(self, parameters=None, **options):
        """Return replications of another configuration, with the same seeds."""
        p = Parameters(**self.changes) if parameters is None else parameters
        return replicate(simulate, p, self.replications, seed=self.seed, progress=False, **options)

    @property
    def n_options(self):
        """What further runs of the N-to-1 study need as well as parameters."""
        return {"load": n_to_1_load()}

    @cached_property
    def batch_alone(self):
        """Replications of the N-to-1 machine with its batch task alone."""
        load = n_to_1_load()
        return self.more(n_to_1_parameters(**self.changes), load=load[load["task_type"] == "batch"])

    @cached_property
    def batch_kept(self):
        """Replications of one drum and 1 MB with a batch task always active."""
        return self.more(activation=keep_batch_active)
