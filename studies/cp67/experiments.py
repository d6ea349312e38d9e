"""Evidence for the claims: the three experiments, and the days that they are compared with."""

from functools import cached_property
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy import stats

from perfkit import show
from perfkit.core.values import check_whole
from perfkit.methods import switching
from perfkit.runs import what_if
from perfkit.runs.experiment import interval
from perfkit.systems.cp67 import Parameters, simulate
from studies.cp67.runs import (
    KNEE,
    LEVEL,
    PRIORITY,
    REPLACEMENT,
    SLICES,
    experiment,
    kept,
    observe_days,
    versions_of,
)
from studies.cp67.tuning import Tuning

FEWEST = 8
RESAMPLES = 200
ERROR = 0.05
DAY = 400  # observations
WEEK_DAYS = 5
COMMON_SHARE = 0.05
DRAWN_ROUNDS = 10
TENS_S = 10.0
FURTHER = {REPLACEMENT: 4 / 3, SLICES: 1.0, PRIORITY: 0.5}  # set by half-widths
BUSY, QUIET = (KNEE, np.inf), (0, KNEE)
ABOVE_LEVEL, TO_LEVEL = (LEVEL, np.inf), (0, LEVEL)


class Evidence:
    """The three experiments and days under one version, simulated when a claim first needs them.

    Parameters
    ----------
    days : int
        Of each experiment; 2 or more, because every interval is over days.
    seed : int
    **changes
        Parameters that differ from the defaults in every run.
    """

    def __init__(self, days, seed=0, **changes):
        check_whole("days", days, 2)
        self.days, self.seed, self.changes = days, seed, changes

    @cached_property
    def replacement(self):
        """All observations of experiment 1."""
        return experiment(REPLACEMENT, self.days, self.seed, **self.changes)

    @cached_property
    def slices(self):
        """All observations of experiment 2."""
        return experiment(SLICES, self.days, self.seed, **self.changes)

    @cached_property
    def priority(self):
        """All observations of experiment 3."""
        return experiment(PRIORITY, self.days, self.seed, **self.changes)

    def _priority_under(self, **rules):
        """Return some days of experiment 3 under other rules, as the claims on P0 take them."""
        rules = self.changes | {"priority_clock_s": TENS_S} | rules
        seen = experiment(PRIORITY, max(2, self.days // 3), self.seed, **rules)
        return SimpleNamespace(priority=seen, longer={PRIORITY: seen})

    @cached_property
    def slower_clock(self):
        """The claims on P0 with T in tens of seconds."""
        return self._priority_under()

    @cached_property
    def slower_clock_four_in_queue(self):
        """The claims on P0 with T in tens of seconds and room for four users, however large."""
        return self._priority_under(estimator="fixed", in_queue_users=4.0)

    @cached_property
    def after_priority(self):
        """Experiment 3 with its order drawn, by the P0 of the observation *before*.

        DUSETIMR runs at the end of an observation, so the next observation shows what others
        pay. The order is drawn in rounds of DRAWN_ROUNDS cycles. So the P0 before says next to
        nothing about the P0 now.
        """
        versions, _ = versions_of(PRIORITY)
        seen = observe_days(
            Parameters(**self.changes), self.days, self.seed, versions=versions * DRAWN_ROUNDS,
            batch=1, drawn=True,
        )  # fmt: skip
        before = seen.groupby("run")["version"].shift() % len(versions)
        return seen.assign(version=before).dropna(subset="version").astype({"version": int})

    @cached_property
    def separate(self):
        """Days under one algorithm each; no two days have the same users."""
        versions, _ = versions_of(REPLACEMENT)
        parts = []
        for number in range(2):
            days = observe_days(
                Parameters(**self.changes).replace(**versions[number]), max(4, self.days // 4),
                self.seed + 1000 * (number + 1), versions=[{}], batch=1,
            )  # fmt: skip
            parts.append(days.assign(version=number))
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def tuning(self):
        """Runs of evolutionary operation."""
        return Tuning(max(2, self.days // 7), self.seed, **self.changes)

    @cached_property
    def kept(self):
        """Experiment 1's observations that its design keeps."""
        return kept(self.replacement, REPLACEMENT)

    @cached_property
    def kept_slices(self):
        """Experiment 2's observations that its design keeps."""
        return kept(self.slices, SLICES)

    @cached_property
    def longer(self):
        """The kept observations of each experiment, by number, over these days and FURTHER days.

        They are for the few claims that only further days decide.
        """
        first = {REPLACEMENT: self.kept, SLICES: self.kept_slices, PRIORITY: self.priority}
        seed = self.seed + self.days
        for number, share in FURTHER.items():
            seen = experiment(number, round(share * self.days), seed, **self.changes)
            first[number] = pd.concat([first[number], kept(seen, number)], ignore_index=True)
        return first


def within(observations, active):
    """Return the observations with more active users than the first number, up to the second."""
    low, high = active
    return observations[observations["active_users"].between(low, high, inclusive="right")]


def by_day(observations, measure, statistic="mean"):
    """Return a statistic of a measure by day and version, where a day has enough of each.

    Indexed by run, one column per version.
    """
    grouped = observations.groupby(["run", "version"])[measure]
    value = grouped.mean() if statistic == "mean" else grouped.quantile(statistic)
    table = value.where(grouped.count() >= FEWEST).unstack("version")
    return table.dropna()


def whole_cycles(observations):
    """Return the observations of whole cycles; the night cuts the last one, after Algorithm 1."""
    size = observations.groupby(["run", "cycle"])["version"].transform("size")
    return observations[size == size.max()]


def ratios(observations, measure, active=BUSY, statistic="mean", versions=(0, 1)):
    """Return by day a measure under the second version over that under the first."""
    table = by_day(within(observations, active), measure, statistic)
    return (table[versions[1]] / table[versions[0]]).to_numpy()


def gains(observations, measure, seed=0, active=BUSY, simultaneous=False):
    """Return the second version against the first by class of active users, as Figure 1 has it.

    Only classes with COMMON_SHARE or more of the observations that are ``active``; by default
    of those beyond KNEE active users. Intervals are over days; ``simultaneous`` makes all of
    them hold together at 95 % (Bonferroni), as a look at the largest gain needs.

    Indexed by the highest number of each class; see ``switching.compare``.
    """
    seen = within(observations, active)
    share = seen["load"].value_counts(normalize=True)
    common = seen[seen["load"].isin(share.index[share >= COMMON_SHARE])]
    confidence = confidence_each(common["load"].nunique() if simultaneous else 1)
    table = switching.compare(common, measure, by="load", confidence=confidence, seed=seed)
    return table.xs(1, level="version")


def confidence_each(intervals):
    """Return the confidence of each of several intervals that hold together at 95 %."""
    return 1.0 - ERROR / intervals


def days_needed(online, separate, measure):
    """Return the days that on-line switching and separate days need for the same certainty.

    Observations with more than KNEE active users are compared.

    Both must show the difference that switching found, at 95 % confidence with a power of 90 %.
    A switched day holds both versions; separate days hold one each. The days needed are
    proportional to the variance of the difference.

    ``effect``; ``online_days``; ``separate_days``, of both versions together; ``ratio``.
    """
    pairs, first, second = day_means(online, separate, measure)
    effect = pairs.mean()
    online_days = switching.units_needed(pairs, effect)
    ratio = _days_ratio(pairs, first, second)
    separate_days = online_days / ratio
    return {
        "effect": effect,
        "online_days": online_days,
        "separate_days": separate_days,
        "ratio": ratio,
    }


def _days_ratio(pairs, first, second):
    """Return the variance of a switched day's difference over twice that of two days' own."""
    pairs, first, second = (days.var(ddof=1) for days in (pairs, first, second))
    return pairs / (2.0 * (first + second))


def day_means(online, separate, measure):
    """Return the differences of switched days, and the means of each version's own days."""
    pairs = by_day(within(online, BUSY), measure)
    means = within(separate, BUSY).groupby(["run", "version"])[measure].mean().unstack("version")
    return (
        (pairs[1] - pairs[0]).to_numpy(),
        means[0].dropna().to_numpy(),
        means[1].dropna().to_numpy(),
    )


def days_ratios(online, separate, measure, seed=0):
    """Return the ratio of the days needed from RESAMPLES resamples of whole days."""
    rng = np.random.default_rng(seed)
    parts = day_means(online, separate, measure)
    draws = ([rng.choice(part, part.size) for part in parts] for _ in range(RESAMPLES))
    return np.array([_days_ratio(*drawn) for drawn in draws])


def batch_ratios(observations, measure, seed=0):
    """Return the standard error of batches over that of batches of two, one discarded.

    One column per batch size; the first row as observed, the others with whole days resampled.
    """
    rng = np.random.default_rng(seed)
    runs = [run for _, run in observations.groupby("run")]
    draws = [np.arange(len(runs)), *rng.integers(len(runs), size=(RESAMPLES // 2, len(runs)))]
    rows = []
    for draw in draws:
        drawn = pd.concat([runs[i].assign(run=n) for n, i in enumerate(draw)])
        errors = batch_table(switching.autocovariance(drawn, measure, 40, by="load"))
        rows.append(errors["standard_error"] / errors.loc[2, "standard_error"])
    return pd.DataFrame(rows, index=range(len(rows)))


def batch_table(covariance, discard=1, observations=DAY):
    """Return ``switching.batch_sizes`` of batches of 2 to 20 observations in a day of 400."""
    return switching.batch_sizes(covariance, discard, observations)


def at_equal_load(observations, measure):
    """Return a measure over its mean at the same number of active users, both versions alike."""
    return observations[measure] / observations.groupby("load")[measure].transform("mean")


def trap(observations, measure="mixed_s"):
    """Return response at equal loads by day and algorithm, on two fast and two slow days.

    ``observations`` are a week or more of experiment 1. Those with more than KNEE active users
    are taken, each over the mean of its load class. One row per day, the fastest first:
    ``Algorithm 1``, ``Algorithm 2``, ``days`` ("fast" or "slow").
    """
    busy = within(observations, BUSY)
    busy = busy.assign(relative=at_equal_load(busy, measure))
    speed = busy.groupby("run")["relative"].mean().sort_values(kind="stable")
    table = busy.pivot_table(index="run", columns="version", values="relative", aggfunc="mean")
    table = table.dropna().loc[lambda t: speed.index[speed.index.isin(t.index)]]
    table = pd.concat([table.head(2).assign(days="fast"), table.tail(2).assign(days="slow")])
    return table.rename(columns={0: "Algorithm 1", 1: "Algorithm 2"}).rename_axis(columns=None)


def same_days(replications=20, seed=0, **changes):
    """Return users' mean response (s) on days that are run under each algorithm.

    Indexed by the days' seeds; columns "1" and "2", the algorithms. Only a simulator can do this.
    """
    p, variants = Parameters(**changes), {one: {"algorithm": int(one)} for one in "12"}
    runs = what_if.run(simulate, p, variants, replications, seed=seed, progress=False)
    return runs.pivot(index="seed", columns="variant", values="response_s")


def all_pairs(days):
    """Return Algorithm 2's day less another day of Algorithm 1, of all pairs of days."""
    first, second = days["1"].to_numpy(), days["2"].to_numpy()
    return (second[None, :] - first[:, None])[~np.eye(len(days), dtype=bool)]


def half_widths(days):
    """Return the 95 % half-widths of 2 less 1 on the same days, and on separate days."""
    low, high = stats.ttest_ind(days["2"], days["1"], equal_var=False).confidence_interval()
    return interval(days["2"] - days["1"])[1], (high - low) / 2.0


def headline(replications=20, seed=0, **changes):
    """Return by how much Algorithm 2 answers later, on the same days and on separate days."""
    check_whole("replications", replications, 2)
    days = same_days(replications, seed, **changes)
    same, apart = days["2"] - days["1"], all_pairs(days)
    told = [show.pm(same.mean(), half_width) for half_width in half_widths(days)]
    slower = [100.0 * (some > 0.0).mean() for some in (same, apart)]
    rows = [("the same for both", told[0], slower[0]), ("each its own", told[1], slower[1])]
    columns = ["days", "2 less 1 (s)", "2 looks slower (% of pairs of days)"]
    return pd.DataFrame(rows, columns=columns).round(0)


headline.sets = {"algorithm", "days"}  # what the experiment itself turns


def weeks_that_mislead(observations, measure="mixed_s"):
    """Return by week how Algorithm 2 on two slow days compares with 1 on two fast days.

    The ratio of their responses at equal loads; a week has five days, weeks count from 1.
    """
    runs = np.sort(observations["run"].unique())
    ratios = {}
    for week in range(len(runs) // WEEK_DAYS):
        mine = observations[
            observations["run"].isin(runs[WEEK_DAYS * week : WEEK_DAYS * (week + 1)])
        ]
        table = trap(mine, measure).groupby("days").mean(numeric_only=True)
        ratios[week + 1] = table.loc["slow", "Algorithm 2"] / table.loc["fast", "Algorithm 1"]
    return pd.Series(ratios, name="ratio")
