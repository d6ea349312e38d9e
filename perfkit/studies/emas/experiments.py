"""Simulated experiments beside the tables: what claims and what-ifs run."""

from functools import cached_property

import pandas as pd

from perfkit.experiment import interval, replicate, sweep
from perfkit.studies.emas.benchmark import build_scripts, drive
from perfkit.studies.emas.runs import observe_samples, observe_trace, published_samples
from perfkit.systems.emas import Parameters, configuration_a

HOUR_S = 3600.0
TRACED_USERS = Parameters().users
RECALCULATIONS_S = (0.0, 0.25, 1.0)
PADDINGS = (0, 6, 12, 24, 40)
TRACED_FOLD = 4
LOADERS = (1, 2)


def wait_per_cpu(rows):
    """Return the time that processes wait for pages, preloads and all, a unit of processor time."""
    return (rows["preload"] + rows["page_wait"]) / rows["cpu"]


class Evidence:
    """Simulated runs for the claims: those of the tables, and others when a claim asks.

    Parameters
    ----------
    replications, seed : int
        Of the trace session ``TRACED_FOLD`` times as many are run, for its wait for core scatters
        so much that the mean of a dozen is not known to the tenth that the study asks for.
    users : int
        Terminals of machine B.
    **changes
        Parameters that differ from the paper's in every run, on both machines.
    """

    def __init__(self, replications, seed=0, users=TRACED_USERS, **changes):
        self.replications, self.seed, self.changes = replications, seed, changes
        self.users = users

    def parameters(self, **more):
        """Return machine B's parameters, traced."""
        return Parameters(**{"users": self.users, **self.changes, **more})

    def configuration_a(self, **more):
        """Return machine A's parameters."""
        return configuration_a(**{**self.changes, **more})

    def run(self, observe, parameters, fold=1, **options):
        """Return replications of an observation, or a multiple of them, a row each."""
        count = fold * self.replications
        return replicate(observe, parameters, count, seed=self.seed, progress=False, **options)

    @cached_property
    def traced(self):
        """Replications of the trace session on machine B, ``TRACED_FOLD`` times as many."""
        return self.run(observe_trace, self.parameters(), TRACED_FOLD)

    @cached_property
    def sampled(self):
        """Replications of the session of Table 3 on machine A."""
        return self.run(observe_samples, self.configuration_a())

    @cached_property
    def accounted(self):
        """Replications of the session of Table 2 on machine A: Table 3's mean users, throughout."""
        users = round(published_samples().loc["mean_users", "published"])
        steady = self.configuration_a(users=users, late_users=0)
        return self.run(observe_samples, steady)

    @cached_property
    def demand_only(self):
        """An hour each without prepaging."""
        return self.run(observe_trace, self.parameters(prepaging=False, measured_s=HOUR_S))

    @property
    def prepaged(self):
        """An hour each as the machine was, the same seeds as ``demand_only``."""
        return self.padded[self.padded["padding_pages"] == 0].reset_index(drop=True)

    @cached_property
    def fast_terminals(self):
        """An hour each with terminals ten times as fast, the same seeds as ``prepaged``."""
        rate = 10.0 * self.parameters().terminal_characters_per_s
        p = self.parameters(terminal_characters_per_s=rate, measured_s=HOUR_S)
        return self.run(observe_trace, p)

    @cached_property
    def recalculated(self):
        """An hour each with the working set found from the markers more or less often."""
        design = pd.DataFrame({"recalculation_s": RECALCULATIONS_S})
        base = self.parameters(measured_s=HOUR_S)
        return sweep(observe_trace, base, design, self.replications, seed=self.seed, progress=False)

    @cached_property
    def padded(self):
        """An hour each with pages added to every working set that the markers do not ask for."""
        design = pd.DataFrame({"padding_pages": PADDINGS})
        base = self.parameters(measured_s=HOUR_S)
        return sweep(observe_trace, base, design, self.replications, seed=self.seed, progress=False)

    @cached_property
    def saved(self):
        """What prepaging saves at each padding: a row a padding and seed.

        ``wasted`` is in percent; ``saved`` is how much longer pages are waited for without
        prepaging than with it, in units of processor time.
        """
        alone = wait_per_cpu(self.demand_only).set_axis(self.demand_only["seed"])
        rows = self.padded[["padding_pages", "seed", "wasted"]]
        return rows.assign(saved=rows["seed"].map(alone) - wait_per_cpu(self.padded))

    @cached_property
    def loaders(self):
        """The same evidence by how many preloads go side by side: two readings, and its own."""
        own = {self.parameters().preloads_at_once: self}
        arguments = self.replications, self.seed, self.users
        changes = [{**self.changes, "preloads_at_once": count} for count in LOADERS]
        return {one["preloads_at_once"]: Evidence(*arguments, **one) for one in changes} | own

    def savings(self):
        """Return what prepaging saves by how much of it is wasted.

        A row a padding: ``wasted`` in percent, ``saved`` with its 95 % ``half_width``, and whether
        prepaging ``pays``: "yes", "no" or "not told".
        """
        groups = self.saved.groupby("padding_pages")
        frame = groups[["wasted", "saved"]].mean()
        frame["half_width"] = [interval(group)[1] for _, group in groups["saved"]]
        told = frame["saved"].abs() > frame["half_width"]
        pays = (frame["saved"] > 0.0).map({True: "yes", False: "no"})
        return frame.assign(pays=pays.where(told, "not told"))

    def saved_near(self, wasted):
        """Return the savings, a replication each, at the padding that wastes nearest to a share.

        Parameters
        ----------
        wasted : float
            In percent.

        Returns
        -------
        pandas.DataFrame
            Rows of ``saved``.
        """
        means = self.saved.groupby("padding_pages")["wasted"].mean()
        padding = (means - wasted).abs().idxmin()
        return self.saved[self.saved["padding_pages"] == padding]

    @cached_property
    def scripts(self):
        """The benchmark's job scripts."""
        return build_scripts(self.seed, self.parameters())

    @cached_property
    def benchmark(self):
        """Both configurations, driven by the job scripts and under the live load of as many users.

        A row a run: ``machine``, ``load`` ("scripts" or "live") and the measures.
        """
        machines = {"A": self.configuration_a(users=self.users, late_users=0)}
        machines["B"] = self.parameters()
        rows = []
        for machine, p in machines.items():
            driven, live = self.run(drive, p, scripts=self.scripts), self.run(observe_samples, p)
            rows += [driven.assign(machine=machine, load="scripts")]
            rows += [live.assign(machine=machine, load="live")]
        return pd.concat(rows, ignore_index=True)
