"""The paper's testable statements, each against simulated days."""

from functools import cache

import numpy as np
from scipy import stats

from perfkit.methods import pareto, switching
from studies.cp67 import experiments
from studies.cp67.experiments import (
    ABOVE_LEVEL,
    BUSY,
    DAY,
    ERROR,
    QUIET,
    TO_LEVEL,
    at_equal_load,
    by_day,
    confidence_each,
    ratios,
    within,
)
from studies.cp67.runs import KEY, PRIORITY, REPLACEMENT, SLICES, levels, versions_of
from studies.evidence.claims import ClaimTests, Finding, about, above, below, farthest

TESTS = ClaimTests(KEY, __name__)
SHARE = 0.10  # "slight" is less, "considerable" more
NO_GAIN = 0.02
EQUAL_LOADS = 0.01
THIRD_QUARTILE = 0.75
ENOUGH = 12
SURE, SHUFFLES = 0.001, 4000
STANDSTILL = 2.0
BEST_SLICES = 2
FITTED = "fitted level"
MEASURES = {
    "page_reads_per_s": "page reads per second",
    "user_percent": "points of problem state time",
    "mixed_s": "seconds of the mixed benchmark",
}


@cache
def scored(evidence):
    """Return the scorecard of all claims, tested once for each ``Evidence``."""
    return TESTS.score(evidence)


def judged(interval, least, most, against, note="", rule=""):
    """Find whether a whole interval (middle, low, high) lies between two bounds, or beyond one."""
    middle, low, high = interval
    refuted = low >= most or high <= least
    half_width = (high - low) / 2.0
    return Finding(least < low and high < most, middle, half_width, against, note, rule, refuted)


def over(observations, measure, versions=(0, 1), statistic="mean"):
    """Return the second version's ratio to the first, of all days' observations, low and high.

    Days are resampled. The mean of the days' ratios is some 2 % too high: a day is short.
    """
    table = switching.compare(observations, measure, statistic=statistic, baseline=versions[0])
    return table.loc[versions[1], ["ratio", "ratio_low", "ratio_high"]]


def given_up(found, observations):
    """Add to a finding that decides nothing after how many days it is still open."""
    if found.holds or found.refuted:
        return found
    days = f"still open after {observations['run'].nunique()} days"
    return found._replace(note="; ".join(filter(None, [found.note, days])))


def shorter(e, measure):
    """Find that switching needs fewer days than separate days under one version."""
    found = experiments.days_needed(e.replacement, e.separate, measure)
    low, high = np.quantile(
        experiments.days_ratios(e.replacement, e.separate, measure, e.seed), [0.025, 0.975]
    )
    days = f"{found['online_days']:.0f} days against {found['separate_days']:.0f}, ratio"
    days += f" {low:.2f} to {high:.2f} (95 %), by {MEASURES[measure]}; how much days differ is"
    days += " assumed"
    return Finding(high < 1.0, found["ratio"], np.nan, 1.0, days, "< 1", low >= 1.0)


def shorter_than_alternate_days(e):
    """Days that switching needs over those of days with one version, the worst of three."""
    found = [shorter(e, measure) for measure in MEASURES]
    worst = min(found, key=lambda one: (one.holds, -one.ours))
    return worst._replace(refuted=any(one.refuted for one in found))


def loads_equalized(e):
    """Mean logged-on users under Algorithm 2 less those under 1, day by day, whole cycles."""
    table = by_day(experiments.whole_cycles(e.kept), "logged_on_users")
    margin = EQUAL_LOADS * table.to_numpy().mean()
    return about(table[1] - table[0], 0.0, margin, "within 1 % of the mean")


def page_read_rate(e):
    """Page reads per second beyond 22 active users, both algorithms."""
    stated = TESTS.stated("page_read_rate")
    return about(levels(e.kept)["page_reads_per_s"].dropna(), stated, SHARE * stated, FITTED)


def transient_length(e):
    """What the second observation after a switch keeps of the difference, the worst of three."""
    found = {measure: second_observation(e, measure) for measure in MEASURES}
    worst = farthest(list(found.values()))
    parts = [f"{one.ours:.2f} +- {one.half_width:.2f} {one.note}" for one in found.values()]
    note = "; ".join(parts).replace("-0.00", "0.00")
    worst = worst._replace(holds=all(one.holds for one in found.values()), note=note)
    return given_up(worst, e.replacement)


def second_observation(e, measure):
    """Find that a second observation keeps no more than a tenth of the versions' difference."""
    second = switching.carry_over(e.replacement, measure, unit="run").loc[1]
    level = switching.settled(e.replacement, 2).groupby("version")[measure].mean()
    left, half_width = second[["carried", "half_width"]] / abs(level[1] - level[0])
    holds, refuted = abs(left) + half_width <= SHARE, abs(left) - half_width > SHARE
    note, rule = f"of {MEASURES[measure]}", f"0 ± {SHARE:g}"
    return Finding(holds, left, half_width, 0.0, note, rule, refuted)


def best_batch(e):
    """Standard error of the best batch beyond two over that of two, problem state time."""
    ratios_to_two = experiments.batch_ratios(e.replacement, "user_percent", e.seed)
    larger = np.log(ratios_to_two.drop(columns=2))
    if larger.loc[0].isna().all():  # too few days for a covariance
        return Finding(False, np.nan)
    best = larger.loc[0].idxmin()
    confidence = confidence_each(larger.shape[1])  # all sizes together: the best was picked
    margin = stats.norm.ppf(0.5 + confidence / 2.0) * larger.loc[1:, best].std()
    found = np.exp(larger.loc[0, best] + margin * np.array([0, -1, 1]))
    note = f"batches of {best} over batches of two"
    return given_up(judged(found, -np.inf, 1.0, 1.0, note, "< 1"), e.replacement)


def long_transients(e):
    """Days that switching needs with one switch per day, all but five observations of it lost."""
    measure = "user_percent"
    covariance = switching.autocovariance(e.replacement, measure, DAY - 1, by="load")
    own, half, whole, most = (
        switching.batch_sizes(covariance, lost, DAY, sizes=[batch])["standard_error"].item()
        for lost, batch in ((1, 5), (30, 60), (60, 120), (195, 200))
    )
    draws = experiments.days_ratios(e.replacement, e.separate, measure, e.seed)
    ratio = experiments.days_needed(e.replacement, e.separate, measure)["ratio"]
    low, high = (most / own) ** 2 * np.quantile(draws, [0.025, 0.975])  # far from symmetric
    note = f"{low:.2f} to {high:.2f} (95 %, the covariance taken as known);"
    note += f" {ratio * (half / own) ** 2:.2f} with half an hour lost of each hour,"
    note += f" {ratio * (whole / own) ** 2:.2f} with one of two; how much days differ is assumed"
    return Finding(low > 1.0, (most / own) ** 2 * ratio, np.nan, 1.0, note, "> 1", high <= 1.0)


def active_share(e):
    """Active over logged-on users."""
    stated = TESTS.stated("active_share")
    return about(levels(e.kept)["active_share"], stated, SHARE * stated, FITTED)


def replacement_residence(e):
    """Mean residence by Little's law, frames over page reads, beyond 22 active users."""
    frames = TESTS.stated("user_frames")
    residence = frames / levels(e.kept)["page_reads_per_s"].dropna()
    return about(residence, 2.0, SHARE * 2.0, f"{FITTED}: follows from the page reads")


def each_day_conclusive(e):
    """Of five days, those that alone show the gain beyond 22 active users at 95 %."""
    busy = within(e.kept, BUSY)
    shown = [
        switching.chance(day, "user_percent", shuffles=400) < ERROR
        and day.groupby("version")["user_percent"].mean().diff().iloc[-1] > 0.0
        for _, day in busy.groupby("run")
        if day["version"].nunique() == 2
    ]
    note = "days of five, at least four wanted; a day's noise is as large as so small a gain"
    return about(5.0 * np.asarray(shown, float), 5.0, 1.0, note)


def alg_2_knee(e):
    """Problem state time, Algorithm 2 over 1, to 22 active users."""
    found = ratios(e.longer[REPLACEMENT], "user_percent", QUIET)
    note = "within 2 %; the gain begins gently before, surely at 21-22 users"
    return about(found, 1.0, NO_GAIN, note)


def alg_2_problem_state(e):
    """Problem state time, Algorithm 2 over 1, beyond 22 active users."""
    return above(ratios(e.kept, "user_percent"), 1.0)


def alg_2_largest_gain(e):
    """The largest gain of problem state time in a common class of active users, in percent."""
    classes = experiments.gains(e.kept, "user_percent", e.seed, simultaneous=True)
    largest = 100.0 * (classes[["ratio", "ratio_low", "ratio_high"]].max() - 1.0)
    best, margin = classes["ratio"].idxmax(), SHARE * 10.0
    note = f"at {best - 1}-{best} active users; in sight when the drum's order was chosen"
    rule = f"10 ± {margin:.3g}"
    found = judged(largest, 10.0 - margin, 10.0 + margin, 10.0, note, rule)
    return given_up(found, e.kept)


def alg_2_paging(e):
    """Page reads, Algorithm 2 over 1, beyond 22 active users."""
    return below(ratios(e.kept, "page_reads_per_s"), 1.0)


def third_quartile(e, measure, note=""):
    """Find that a benchmark's 75 percentile is considerably lower under Algorithm 2."""
    busy, most = within(e.longer[REPLACEMENT], BUSY), 1.0 - SHARE
    ratio = over(busy, measure, statistic=THIRD_QUARTILE)
    return given_up(judged(ratio, -np.inf, most, most, note, f"< {most:g}"), busy)


def alg_2_mixed(e):
    """75 percentile of the mixed benchmark's time, 2 over 1, beyond 22 active users."""
    return third_quartile(e, "mixed_s")


def alg_2_trivial(e):
    """75 percentile of the trivial benchmark's time, 2 over 1, beyond 22 active users."""
    return third_quartile(e, "trivial_s", "it needs one page and one turn on the processor")


def alg_2_io_bound(e):
    """75 percentile of the I/O-bound benchmark's time, 2 over 1, beyond 22 active users."""
    return third_quartile(e, "io_bound_s", "it is shorter; whether by a tenth is too close to call")


def alg_2_chance(e):
    """How often shuffled versions give as large a difference in problem state time."""
    found = switching.chance(within(e.kept, BUSY), "user_percent", shuffles=SHUFFLES)
    as_large = round(found * (SHUFFLES + 1)) - 1
    low, high = stats.binomtest(as_large, SHUFFLES).proportion_ci()
    note, rule = f"probability, {as_large} of {SHUFFLES} shuffles", f"< {SURE:.4g}"
    return Finding(high < SURE, found, (high - low) / 2.0, SURE, note, rule, low >= SURE)


def alg_2_region(e):
    """Area under the Pareto frontier, Algorithm 2 over 1, day by day at equal numbers."""
    areas = pareto.compare_regions(e.kept, "user_percent", "disc_ios_per_s", seed=e.seed)
    return above(areas["ratio"], 1.0)


def days_confounded(e):
    """Algorithm 2 on a week's two slow days over 1 on its two fast days, mean of the weeks."""
    found = experiments.weeks_that_mislead(e.kept)
    misled = int((found > 1.0).sum())
    note = f"{misled} of {len(found)} weeks can mislead; fast and slow days are picked afterwards,"
    note += " by the same measure, and how much days differ is assumed"
    return above(found, 1.0, note)


def slices_best(e):
    """75 percentile of the mixed benchmark's time at equal loads, 300/3000 over the best other."""
    busy = within(e.longer[SLICES], BUSY)
    busy = busy.assign(relative=at_equal_load(busy, "mixed_s"))
    table = slice_times(busy, "relative", e.seed).drop(BEST_SLICES)
    others = 1.0 / table[["ratio", "ratio_high", "ratio_low"]]
    note = f"the best other is {versions_of(SLICES)[1][others['ratio'].idxmax()]}; the benchmark"
    note += " leaves Q1 at either t1, because supervisor time counts in the slice"
    return given_up(judged(others.max(), -np.inf, 1.0, 1.0, note, "< 1"), busy)


def slice_times(observations, measure="mixed_s", seed=0):
    """Return a time's 75 percentile under each setting, compared with 300/3000.

    The intervals of the three others hold together at 95 %, over days.
    """
    confidence = confidence_each(observations["version"].nunique() - 1)
    return switching.compare(
        within(observations, BUSY), measure, statistic=THIRD_QUARTILE, baseline=BEST_SLICES,
        confidence=confidence, seed=seed,
    )  # fmt: skip


def slices_insensitive(e):
    """Problem state time, the best setting over the worst, beyond 22 active users."""
    table = by_day(within(e.kept_slices, BUSY), "user_percent")
    order = table.mean().sort_values(kind="stable").index
    return about(table[order[-1]] / table[order[0]], 1.0, SHARE)


def p0_slight_to_25(e):
    """Mixed completion time, P0 98 over 1, to 25 active users."""
    ratio = over(within(e.priority, TO_LEVEL), "mixed_s", (0, 2))
    note = "candidates already wait for room before 25 users"
    return judged(ratio, 1.0 - SHARE, 1.0 + SHARE, 1.0, note, f"1 ± {SHARE:g}")


def standstill(observations, versions, note):
    """Find that the mixed benchmark takes STANDSTILL times as long beyond 25 active users."""
    seen = within(observations, ABOVE_LEVEL)
    rule, ratio = f"> {STANDSTILL:g}", over(seen, "mixed_s", versions)
    return given_up(judged(ratio, STANDSTILL, np.inf, STANDSTILL, note, rule), seen)


def p0_spectacular(e):
    """Mixed completion time, P0 98 over 1, beyond 25 active users."""
    return standstill(e.longer[PRIORITY], (0, 2), "our threshold")


def against_quiet(e, version):
    """Return by day mixed completion time beyond 25 active users over that up to 25."""
    above_25, to_25 = (
        by_day(within(e.priority, active), "mixed_s")[version] for active in (ABOVE_LEVEL, TO_LEVEL)
    )
    return (above_25 / to_25).dropna()


def p0_1_even(e):
    """Mixed completion time at P0 = 1, beyond 25 active users over up to 25."""
    return about(
        against_quiet(e, 0),
        1.0,
        SHARE,
        "a head start of 12.25 s is used up when the others wait longer for Q2",
    )


def p0_50_degraded(e):
    """Mixed completion time at P0 = 50, beyond 25 active users over up to 25."""
    return above(against_quiet(e, 1), 1.0 + SHARE)


def p0_98_standstill(e):
    """Mixed completion time beyond 25 active users, P0 98 over 50."""
    note = "T in seconds makes P0 = 98 worth 12 s, once per benchmark"
    return standstill(e.priority, (1, 2), note)


def throughput_levels_off(e):
    """Rise of problem state time per active user beyond 25, of the algorithm that is less level."""
    found = [levels_off(e.kept[e.kept["version"] == version], version + 1) for version in (0, 1)]
    parts = "; ".join(f"{one.ours:.2f} +- {one.half_width:.2f} {one.note}" for one in found)
    worst = farthest(found)
    return worst._replace(holds=all(one.holds for one in found), note=parts)


def levels_off(observations, algorithm):
    """Find that one algorithm's rise beyond 25 is within a tenth of its rise up to 25."""
    beyond = slopes(within(observations, ABOVE_LEVEL))
    rise = slopes(within(observations, TO_LEVEL)).mean()
    return about(beyond, 0.0, SHARE * rise, f"under Algorithm {algorithm} ({rise:.2f} up to 25)")


def slopes(observations):
    """Return by day the rise of problem state time per active user, by least squares."""
    return np.array(
        [
            np.polyfit(day["active_users"], day["user_percent"], 1)[0]
            for _, day in observations.groupby("run")
            if len(day) >= ENOUGH
        ]
    )


def others_pay(e):
    """Others' response after a run of DUSETIMR, at P0 = 1 over 98, beyond 25 active users."""
    table = by_day(within(e.after_priority, ABOVE_LEVEL), "response_s")
    return above(table[0] / table[2], 1.0, "order of P0 drawn; DUSETIMR ran just before")
