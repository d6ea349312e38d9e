"""Evidence for the claims: the three experiments, and what the method is held against."""

from functools import cached_property

import numpy as np
import pandas as pd

from perfkit.experiment import sweep
from perfkit.methods import evop, switching
from perfkit.studies.cp67.runs import (
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
from perfkit.systems.cp67 import Parameters, simulate

FEWEST = 8
RESAMPLES = 200
WEEK_DAYS = 5
COMMON_SHARE = 0.05
BUSY, QUIET = (KNEE, np.inf), (0, KNEE)
ABOVE_LEVEL, TO_LEVEL = (LEVEL, np.inf), (0, LEVEL)


class Evidence:
    """The three experiments, and single-version days, simulated when a claim first asks.

    Parameters
    ----------
    days : int
        Of each experiment.
    seed : int
    **changes
        Parameters that differ from ours everywhere.
    """

    def __init__(self, days, seed=0, **changes):
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

    @cached_property
    def separate(self):
        """Days under one algorithm each, the two taking turns; no day has the other's users."""
        versions, _ = versions_of(REPLACEMENT)
        parts = []
        for number in range(2):
            days = observe_days(
                Parameters(**self.changes).replace(**versions[number]),
                (self.days + 1) // 2,
                self.seed + 1000 * (number + 1),
                versions=[{}],
                batch=1,
            )
            parts.append(days.assign(version=number))
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def kept(self):
        """Experiment 1's observations that its design keeps."""
        return kept(self.replacement, REPLACEMENT)

    @cached_property
    def kept_slices(self):
        """Experiment 2's observations that its design keeps."""
        return kept(self.slices, SLICES)


def within(observations, active):
    """Return the observations with more active users than the one number, up to the other."""
    low, high = active
    return observations[observations["active_users"].between(low, high, inclusive="right")]


def by_day(observations, measure, statistic="mean"):
    """Return a statistic of a measure by day and version, where a day has enough of each.

    Returns
    -------
    pandas.DataFrame
        Indexed by run, a column a version.
    """
    grouped = observations.groupby(["run", "version"])[measure]
    value = grouped.mean() if statistic == "mean" else grouped.quantile(statistic)
    table = value.where(grouped.count() >= FEWEST).unstack("version")
    return table.dropna()


def ratios(observations, measure, active=BUSY, statistic="mean", versions=(0, 1)):
    """Return by day a measure under the second version over that under the first."""
    table = by_day(within(observations, active), measure, statistic)
    return (table[versions[1]] / table[versions[0]]).to_numpy()


def gains(observations, measure, seed=0):
    """Return the second version against the first by class of active users, as Figure 1 has it.

    Only classes with COMMON_SHARE or more of the observations beyond KNEE active users.

    Returns
    -------
    pandas.DataFrame
        Indexed by the highest number of each class; see ``switching.compare``.
    """
    busy = within(observations, BUSY)
    share = busy["load"].value_counts(normalize=True)
    common = busy[busy["load"].isin(share.index[share >= COMMON_SHARE])]
    return switching.compare(common, measure, by="load", seed=seed).xs(1, level="version")


def days_needed(online, separate, measure):
    """Return the days that on-line switching and separate days need for the same certainty.

    Both are to show the difference that switching found, at 95 % confidence with a power of
    90 %. A day of switching holds both versions; of separate days each version needs its own.

    Parameters
    ----------
    online, separate : pandas.DataFrame
        Observations with more than KNEE active users are compared.
    measure : str

    Returns
    -------
    dict
        ``effect``; ``online_days``; ``separate_days``, of both versions together; ``ratio``.
    """
    pairs = by_day(within(online, BUSY), measure)
    means = within(separate, BUSY).groupby(["run", "version"])[measure].mean().unstack("version")
    return _days_needed(
        (pairs[1] - pairs[0]).to_numpy(), means[0].dropna().to_numpy(), means[1].dropna().to_numpy()
    )


def _days_needed(pairs, first, second):
    effect = pairs.mean()
    online = switching.units_needed(pairs, effect)
    count = min(first.size, second.size)
    separate = 2.0 * switching.units_needed(second[:count] - first[:count], effect)
    return {
        "effect": effect,
        "online_days": online,
        "separate_days": separate,
        "ratio": online / separate,
    }


def days_needed_interval(online, separate, measure, seed=0):
    """Return resampled logarithms of the ratio of days, from whole days drawn anew."""
    rng = np.random.default_rng(seed)
    pairs = by_day(within(online, BUSY), measure)
    pairs = (pairs[1] - pairs[0]).to_numpy()
    means = within(separate, BUSY).groupby(["run", "version"])[measure].mean().unstack("version")
    first, second = (means[version].dropna().to_numpy() for version in (0, 1))
    found = [
        _days_needed(*(rng.choice(part, part.size) for part in (pairs, first, second)))["ratio"]
        for _ in range(RESAMPLES)
    ]
    return np.log(found)


def best_batches(observations, measure, discard=1, seed=0):
    """Return the best batch size in resamplings of the days.

    Returns
    -------
    ndarray of int
    """
    rng = np.random.default_rng(seed)
    runs = [run for _, run in observations.groupby("run")]
    best = []
    for _ in range(RESAMPLES // 4):
        drawn = [
            runs[i].assign(run=n) for n, i in enumerate(rng.integers(len(runs), size=len(runs)))
        ]
        covariance = switching.autocovariance(pd.concat(drawn), measure, 40, by="load")
        best.append(batch_table(covariance, discard)["standard_error"].idxmin())
    return np.array(best)


def batch_table(covariance, discard=1, observations=400):
    """Return the certainty of batches of 2 to 20 observations in a day of 400."""
    return switching.batch_sizes(covariance, discard, observations)


def at_equal_load(observations, measure):
    """Return a measure over its mean at the same number of active users, both versions alike."""
    return observations[measure] / observations.groupby("load")[measure].transform("mean")


def trap(observations, measure="mixed_s"):
    """Return response at equal loads by day and algorithm, on two fast and two slow days.

    Observations with more than KNEE active users, each over the mean of its load class.

    Parameters
    ----------
    observations : pandas.DataFrame
        Of experiment 1, a week or more.
    measure : str

    Returns
    -------
    pandas.DataFrame
        A row a day, the fastest first: ``Algorithm 1``, ``Algorithm 2``, ``days`` ("fast" or
        "slow").
    """
    busy = within(observations, BUSY)
    busy = busy.assign(relative=at_equal_load(busy, measure))
    speed = busy.groupby("run")["relative"].mean().sort_values()
    table = busy.pivot_table(index="run", columns="version", values="relative", aggfunc="mean")
    table = table.dropna().loc[lambda t: speed.index[speed.index.isin(t.index)]]
    table = pd.concat([table.head(2).assign(days="fast"), table.tail(2).assign(days="slow")])
    return table.rename(columns={0: "Algorithm 1", 1: "Algorithm 2"}).rename_axis(columns=None)


def weeks_that_mislead(observations, measure="mixed_s"):
    """Return by week whether Algorithm 1 on its two fast days beats 2 on its two slow ones.

    Returns
    -------
    pandas.Series
        Response at equal loads of Algorithm 2 on the slow days over that of Algorithm 1 on
        the fast ones, by week of five days.
    """
    runs = np.sort(observations["run"].unique())
    ratios = {}
    for week in range(len(runs) // WEEK_DAYS):
        mine = observations[
            observations["run"].isin(runs[WEEK_DAYS * week : WEEK_DAYS * (week + 1)])
        ]
        table = trap(mine, measure).groupby("days").mean(numeric_only=True)
        ratios[week] = table.loc["slow", "Algorithm 2"] / table.loc["fast", "Algorithm 1"]
    return pd.Series(ratios, name="ratio")


FACTORS = {
    "ours": {},
    "room by bits at removal": {"estimator": "bits"},
    "room by resident pages": {"estimator": "resident"},
    "room for six users": {"estimator": "fixed"},
    "T in tens of seconds": {"priority_clock_s": 10.0},
    "T in minutes": {"priority_clock_s": 60.0},
    "candidates passed over": {"head_blocks": False},
    "Q1 needs room": {"q1_needs_room": True},
    "no supervisor time in slices": {"charged_share": 0.0},
    "0.5 ms an SIO in slices": {"charged_share": 0.1},
    "benchmarks as one task": {"benchmarks_as_one_task": True},
    "SIO waits lead to Q1": {"io_wait": "to_q1"},
    "SIO waits lead to the candidates": {"io_wait": "to_candidates"},
}


def reading(days, seed=0, **changes):
    """Return what a reading of the paper produces for Figures 1 and 7, in one switched run.

    Returns
    -------
    dict
        Problem state time under each algorithm beyond KNEE active users, the gain, page
        reads under Algorithm 2; mixed completion times of three P0 under Algorithm 2, up to
        LEVEL active users and beyond. Not a number where nothing was observed.
    """
    versions = [
        {**algorithm, **p0}
        for algorithm in versions_of(REPLACEMENT)[0]
        for p0 in versions_of(PRIORITY)[0]
    ]
    p = Parameters(**changes)
    seen = observe_days(p, days, seed, versions=versions, batch=2, drawn=True)
    seen = switching.settled(seen)
    busy = within(seen, BUSY).groupby(within(seen, BUSY)["version"] // 3)
    cpu = busy["problem_state_percent"].mean().reindex([0, 1])
    row = {
        "CPU under 1 (%)": cpu[0],
        "under 2 (%)": cpu[1],
        "gain (%)": 100.0 * (cpu[1] / cpu[0] - 1.0),
        "reads under 2 (1/s)": busy["page_reads_per_s"].mean().reindex([1])[1],
    }
    second = seen[seen["version"] >= 3]
    for words, active in (("to 25", TO_LEVEL), ("beyond", ABOVE_LEVEL)):
        mixed = within(second, active).groupby("version")["mixed_s"].mean().reindex([3, 4, 5])
        row |= {f"P0 = {p0}, {words} (s)": mixed[v] for p0, v in ((1, 3), (50, 4), (98, 5))}
    return row


def readings_table(days, seed=0, names=tuple(FACTORS), **changes):
    """Return what each reading of the paper produces.

    Returns
    -------
    pandas.DataFrame
        A row a reading; see ``reading``.
    """
    rows = {name: reading(days, seed, **{**changes, **FACTORS[name]}) for name in names}
    return pd.DataFrame(rows).T


CYCLES, CHANGE_AT, LIGHTER = 16, 8, 0.5
START_USERS, STEP_USERS, POINT_BATCH = 6.0, 1.0, 3
CANDIDATE_LEVELS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)


def operate(seed=0, cycles=CYCLES, **changes):
    """Let evolutionary operation adjust how many users storage is taken to have room for.

    Each cycle is two busy hours under the fixed estimator, its three points switched on
    line; the response is problem state time. From cycle CHANGE_AT on localities are LIGHTER
    times as large.

    Parameters
    ----------
    seed, cycles : int
    **changes

    Returns
    -------
    pandas.DataFrame
        As ``evop.evolve``.
    """
    adjustable = evop.Adjustable("in_queue_users", START_USERS, STEP_USERS, 1.0, 20.0)

    def observe(settings, cycle):
        versions = settings.to_dict("records")
        order = np.repeat(np.arange(len(versions)), POINT_BATCH)
        p = operated(cycle >= CHANGE_AT, **changes)
        run = 100 * seed + cycle
        found = switching.label(
            simulate(p, run, versions=versions, order=order).frame().assign(run=run),
            POINT_BATCH,
            len(versions),
        )
        by_version = switching.settled(found).groupby("version")["problem_state_percent"]
        return by_version.mean().to_numpy()

    return evop.evolve(observe, [adjustable], cycles, minimize=False, seed=seed)


def operated(lighter, **changes):
    """Return the machine that evolutionary operation meets: steady, busy users."""
    p = Parameters(
        estimator="fixed",
        usual_users=45.0,
        swing=0.0,
        day_users_sd=0.0,
        day_heaviness_sd=0.0,
        day_s=7200.0,
        **changes,
    )
    if not lighter:
        return p
    return p.replace(locality_pages=[round(LIGHTER * pages) for pages in p.locality_pages])


def room_curve(lighter, seeds=range(3), **changes):
    """Return problem state time by how many users storage is taken to have room for.

    Parameters
    ----------
    lighter : bool
        Localities LIGHTER times as large.
    seeds : sequence of int
    **changes

    Returns
    -------
    pandas.Series
        Means over seeds, indexed by users in queue.
    """
    design = pd.DataFrame({"in_queue_users": CANDIDATE_LEVELS})
    rows = sweep(
        simulate, operated(lighter, **changes), design, len(seeds), seed=seeds[0], progress=False
    )
    return rows.groupby("in_queue_users")["problem_state_percent"].mean()


def distances(path, best):
    """Return how far each cycle's operating point lies from the best of its load.

    Parameters
    ----------
    path : pandas.DataFrame
        As ``operate`` returns it.
    best : tuple of float
        The best users in queue before and after the change.
    """
    target = np.where(np.arange(len(path)) < CHANGE_AT, *best)
    return np.abs(path["in_queue_users"].to_numpy() - target)


def tracked(runs=5, seed=0, **changes):
    """Return for independent runs the distance at the end of both loads less at their start."""
    best = tuple(room_curve(lighter, **changes).idxmax() for lighter in (False, True))
    found = []
    for run in range(runs):
        away = distances(operate(seed + run, **changes), best)
        starts, ends = away[[0, CHANGE_AT]], away[[CHANGE_AT - 1, CYCLES - 1]]
        found.append(ends.mean() - starts.mean())
    return np.array(found)
