"""Simulated experiments beside the tables: what claims and what-ifs run."""

from functools import cached_property

import numpy as np
import pandas as pd

from perfkit.experiment import interval, replicate, sweep
from perfkit.studies.emas.benchmark import build_scripts, drive
from perfkit.studies.emas.runs import observe_samples, observe_trace, published_samples
from perfkit.systems.emas import Parameters, configuration_a

HOUR_S, PERCENT = 3600.0, 100.0
TRACED_USERS = Parameters().users
RECALCULATIONS_S = (0.0, 0.25, 1.0)
PADDINGS = (0, 6, 12, 24, 40)
TRACED_FOLD = 4


def wait_per_cpu(rows):
    """Return the time that processes wait for pages, preloads and all, a unit of processor time."""
    return (rows["preload"] + rows["page_wait"]) / rows["cpu"]


class Evidence:
    """Simulated runs for the claims: those of the tables, and others when a claim asks.

    Parameters
    ----------
    replications, seed : int
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

    def run(self, observe, parameters, **options):
        """Return replications of an observation, a row each."""
        return replicate(
            observe, parameters, self.replications, seed=self.seed, progress=False, **options
        )

    @cached_property
    def traced(self):
        """Four times as many replications of the trace session on machine B.

        Its wait for core scatters so much from session to session that the mean of a dozen is
        not known to the tenth that the study asks for.
        """
        sessions = TRACED_FOLD * self.replications
        p = self.parameters()
        return replicate(observe_trace, p, sessions, seed=self.seed, progress=False)

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
    def break_even(self):
        """Wastage at which prepaging stops paying, in percent: jackknife values, one a replication.

        Where waits for pages, a unit of processor time, grow with the wastage, the curve of the
        mean over replications meets that of demand paging at the break-even. Single replications
        meet it anywhere; their mean does not, and leaving one out at a time says how far it is
        known. Not a number where prepaging gains nothing to begin with, where waits do not grow,
        or where the mean curve does not cross the level from below at some wastage.
        """
        padded = self.padded.assign(wait=wait_per_cpu(self.padded))
        alone = wait_per_cpu(self.demand_only).set_axis(self.demand_only["seed"])

        def without(seed):
            rows = padded[padded["seed"] != seed].groupby("padding_pages")[["wasted", "wait"]]
            curve = rows.mean()
            level = alone[alone.index != seed].mean()
            return min(crossing(curve["wasted"], curve["wait"], level), PERCENT)

        count = len(alone)
        rise, half_width = interval(self.rise_with_waste())
        gain, gain_width = interval(self.gain())
        grows = rise - half_width > 0.0 and gain - gain_width > 0.0
        if not grows or without(None) >= PERCENT:
            return np.full(count, np.nan)
        whole = without(None)
        return np.array([count * whole - (count - 1) * without(seed) for seed in alone.index])

    def gain(self):
        """Return how much longer pages are waited for without prepaging than with it.

        Returns
        -------
        pandas.Series
            A value a replication, in units of processor time.
        """
        alone = wait_per_cpu(self.demand_only).set_axis(self.demand_only["seed"])
        return alone - wait_per_cpu(self.prepaged).set_axis(self.prepaged["seed"])

    def break_even_sentence(self):
        """Return in a sentence where prepaging stops paying, or why nowhere."""
        rise, half_width = interval(self.rise_with_waste())
        if np.isinf(half_width):
            return "Undecided: an interval needs two sessions."
        gain, gain_width = interval(self.gain())
        if gain + gain_width < 0.0:
            return "Prepaging gains nothing to begin with: there is no break-even."
        if gain - gain_width <= 0.0:
            return "Undecided: no gain or loss by prepaging that can be told from nothing."
        if abs(rise) < half_width:
            return "Undecided: no rise or fall that can be told from nothing."
        if rise <= 0.0:
            return "No rise that can be told from nothing: there is no break-even."
        met, half_width = interval(self.break_even)
        if np.isnan(met):
            return "Even when all is wasted prepaging waits less: there is no break-even."
        return f"The mean curve meets demand paging at {met:.0f} +- {half_width:.0f} %."

    def rise_with_waste(self):
        """Return how much longer pages are waited for with the most padding than with none.

        Returns
        -------
        pandas.Series
            A value a replication, in units of processor time.
        """
        wait = self.padded.assign(wait=wait_per_cpu(self.padded))
        wait = wait.pivot(index="seed", columns="padding_pages", values="wait")
        return wait[PADDINGS[-1]] - wait[PADDINGS[0]]

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


def crossing(x, y, level):
    """Return where a curve through points reaches a level, on the last line beyond its end."""
    order = np.argsort(x)
    x, y = np.asarray(x, float)[order], np.asarray(y, float)[order]
    above = np.flatnonzero(y >= level)
    i = min(max(int(above[0]) if above.size else x.size - 1, 1), x.size - 1)
    return float(x[i - 1] + (level - y[i - 1]) * (x[i] - x[i - 1]) / (y[i] - y[i - 1]))
