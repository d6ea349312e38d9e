"""Switching and evolving on line: designs, comparison, transients, certainty, effects, moves."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, signal, stats

from perfkit.methods import switching
from perfkit.methods.evop import Adjustable, corners, effects, evolve


def autoregressive(rng, count, correlation):
    """A stationary load of unit variance that forgets slowly."""
    noise = rng.normal(size=count) * np.sqrt(1.0 - correlation**2)
    noise[0] = rng.normal()
    return signal.lfilter([1.0], [1.0, -correlation], noise)


def experiment(
    rng, effect=0.0, runs=1, observations=400, batch=5, correlation=0.9, varies_by_run=0.0
):
    """Switched observations whose load is autocorrelated and whose versions differ by effect."""
    order = switching.switching_order(2, batch, observations)
    parts = [
        pd.DataFrame(
            {
                "run": run,
                "version": order,
                "reads": 10.0
                + autoregressive(rng, observations, correlation)
                + 0.3 * rng.normal(size=observations)
                + (effect + varies_by_run * rng.normal()) * order,
            }
        )
        for run in range(runs)
    ]
    return switching.label(pd.concat(parts, ignore_index=True), batch, 2)


def test_an_order_labels_and_discards_by_hand():
    assert switching.switching_order(2, 2, 7).tolist() == [0, 0, 1, 1, 0, 0, 1]
    frame = switching.label(pd.DataFrame({"run": [0] * 5 + [1] * 3}), 2, 2)
    assert frame["batch"].tolist() == [0, 0, 1, 1, 2, 0, 0, 1]
    assert frame["cycle"].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]
    assert frame["position"].tolist() == [0, 1, 0, 1, 0, 0, 1, 0]
    assert len(switching.settled(frame)) == 3
    assert switching.load_classes(pd.Series([1, 2, 3, 21]), 2).tolist() == [2, 2, 4, 22]


@given(
    st.integers(1, 5), st.integers(1, 6), st.integers(1, 8), st.one_of(st.none(), st.integers(0))
)
def test_each_cycle_has_each_version_once(versions, batch, cycles, seed):
    order = switching.switching_order(versions, batch, versions * batch * cycles, seed=seed)
    for cycle in order.reshape(cycles, versions, batch):
        assert (cycle == cycle[:, :1]).all()
        assert sorted(cycle[:, 0]) == list(range(versions))


@pytest.mark.parametrize(
    ("seed", "statistic", "design"),
    [
        (7, 0.75, {}),
        # With cycles as units a few in ten would hold it.
        (8, "mean", {"runs": 6, "observations": 60, "varies_by_run": 0.5}),
        # Quantiles of the resampled differences hold it in 5 to 8 of 10.
        (2, "mean", {"observations": 20, "correlation": 0.0}),
    ],
)
def test_intervals_hold_the_true_difference(seed, statistic, design):
    """Of 200 intervals at 95 % 180 or fewer do once in 350 if all is well."""
    rng, hits = np.random.default_rng(seed), 0
    for _ in range(200):
        table = switching.compare(experiment(rng, 0.5, **design), "reads", statistic=statistic)
        hits += table.loc[1, "low"] <= 0.5 <= table.loc[1, "high"]
    assert hits > 180


def test_the_interval_of_equal_units_is_the_paired_t_test_s():
    frame = experiment(np.random.default_rng(9), 0.5, runs=8, observations=50)
    table = switching.compare(frame, "reads")
    means = frame.groupby(["run", "version"])["reads"].mean().unstack()
    paired = stats.ttest_1samp(means[1] - means[0], 0.0)
    low, high = paired.confidence_interval()
    # A standard error over 1000 resamplings errs by 2.2 % itself: 7 % off once in 700.
    wanted = (high - low) / 2.0
    assert table.loc[1, "high"] - table.loc[1, "difference"] == pytest.approx(wanted, rel=0.07)
    assert table["units"].tolist() == [8, 8]


def test_comparison_values_by_hand():
    frame = pd.DataFrame(
        {
            "run": 0,
            "cycle": [0, 0, 1, 1],
            "version": [0, 1, 0, 1],
            "users": [3, 3, 4, 4],
            "x": [1.0, 2.0, 3.0, 6.0],
        }
    )
    pooled = switching.compare(frame, "x")
    assert pooled.loc[1, ["value", "difference", "ratio"]].tolist() == [4.0, 2.0, 2.0]
    assert switching.compare(frame, "x", statistic=0.25)["value"].tolist() == [1.5, 3.0]
    classes = switching.compare(frame, "x", by="users", baseline=1)
    assert classes.loc[(4, 0), "difference"] == -3.0
    assert classes.loc[(4, 0), ["low", "high", "ratio_low", "ratio_high"]].isna().all()


def test_the_interval_of_a_ratio_is_that_of_its_logarithm():
    """Over a baseline of 2 without spread; for small spreads log's is the difference's / mean."""
    second = 6.0 + np.array([-0.03, 0.01, 0.02, -0.01, 0.02, -0.01])
    frame = pd.DataFrame({"run": np.repeat(np.arange(6), 2), "cycle": 0, "version": [0, 1] * 6})
    frame["x"] = np.column_stack([np.full(6, 2.0), second]).ravel()
    row = switching.compare(frame, "x").loc[1]
    half = (row["high"] - row["difference"]) / 6.0
    assert half == pytest.approx(stats.t.ppf(0.975, 5) * stats.sem(second) / 6.0, rel=0.07)
    assert row["ratio"] == pytest.approx(3.0)
    assert row["ratio_low"] == pytest.approx(3.0 * np.exp(-half), rel=1e-5)
    assert row["ratio_high"] == pytest.approx(3.0 * np.exp(half), rel=1e-5)


@pytest.mark.filterwarnings("error")
def test_a_class_that_lacks_the_baseline_has_no_difference():
    frame = pd.DataFrame({"run": 0, "cycle": 0, "version": [0, 1, 1], "users": [1, 1, 2], "x": 1.0})
    table = switching.compare(frame, "x", by="users", baseline=0)
    assert table.loc[(2, 1), "value"] == 1.0
    assert table.loc[2, ["difference", "low", "high"]].isna().all(axis=None)
    with pytest.raises(ValueError, match="Version 0 was never in force"):
        switching.compare(frame[frame["users"] == 2], "x", baseline=0)


@pytest.mark.parametrize(
    ("unit", "carried", "spread", "counted"),
    [("batch", 3.0, np.sqrt(22.0 / 5.0), ("batches", 6)), ("run", 3.0, np.sqrt(2.0), ("runs", 2))],
)
def test_carry_over_by_hand(unit, carried, spread, counted):
    """Two runs whose batches keep 2, 4, 0 and 4, 6, 2 of the old level: by run 2 and 4."""
    levels = [0, 0, 0, 8, 10, 10, 4, 0, 0, 10, 10, 10]
    more = [0, 0, 0, 6, 10, 10, 6, 0, 0, 8, 10, 10]
    order = switching.switching_order(2, 3, 12)
    frame = pd.DataFrame({"run": np.repeat([0, 1], 12), "version": np.tile(order, 2)})
    frame["x"] = np.array(levels + more, float)
    found = switching.carry_over(switching.label(frame, 3, 2), "x", unit=unit)
    assert found["carried"].tolist() == [carried, 0.0, 0.0]
    name, count = counted
    wide = stats.t.ppf(0.975, count - 1) * spread / np.sqrt(count)
    assert found["half_width"].tolist() == pytest.approx([wide, 0.0, 0.0])
    assert found[name].tolist() == [count] * 3


def test_contrast_variance_is_that_of_weighted_observations():
    order, keep = switching.switching_order(2, 4, 120), np.arange(120) % 4 > 0
    known = 3.0 * 0.8 ** np.arange(60)  # and stays at its last value
    weights = keep * np.where(order == 1, 1.0, -1.0) / 45
    whole = linalg.toeplitz(np.append(known, np.full(60, known[-1])))
    found = switching.contrast_variance(order, keep, known)
    assert found == pytest.approx(weights @ whole @ weights)


def test_batch_sizes_by_hand():
    """Of 12 observations of unit variance; sizes without a cycle or an observation are left out."""
    found = switching.batch_sizes([1.0, 0.0], 2, 12)
    assert found.index.tolist() == [3, 4, 5, 6]
    assert found["kept_percent"].tolist() == pytest.approx([100 / 3, 50, 60, 200 / 3])
    # 2 kept of each version; 2, of 8 observations in place of 12; 3 of 10; 4 of 12.
    variance = np.array([2 / 2, 2 / 2 * 8 / 12, 2 / 3 * 10 / 12, 2 / 4])
    assert found["standard_error"].tolist() == pytest.approx(np.sqrt(variance))
    assert found["relative"].tolist() == pytest.approx(np.sqrt(variance / variance[-1]))


def test_autocovariance_by_hand():
    frame = pd.DataFrame({"run": 0, "version": 0, "load": [0, 0, 1, 1], "x": [1.0, 2.0, 3.0, 6.0]})
    # Around the mean of 3: -2, -1, 0, 3.
    found = switching.autocovariance(frame, "x", 4)
    assert found == pytest.approx([14 / 4, 2 / 3, -3 / 2, -6.0, 0.0])
    # Products of two runs are no products; the mean is that of both.
    apart = switching.autocovariance(frame.assign(run=[0, 0, 1, 1]), "x", 2)
    assert apart == pytest.approx([14 / 4, 2 / 2, 0.0])
    # Around 1.5 and 4.5, the means of two classes or versions: -0.5, 0.5, -1.5, 1.5.
    wanted = pytest.approx([5 / 4, (-0.25 - 0.75 - 2.25) / 3])
    assert switching.autocovariance(frame, "x", 1, by="load") == wanted
    assert switching.autocovariance(frame.assign(version=[0, 0, 1, 1]), "x", 1) == wanted


def test_the_units_that_a_difference_needs():
    # Cohen's table (1988, 2.4.1): d = 0.5, one sample, 90 % power, two-sided 5 %: 44 units.
    values = np.array([-1.0, 1.0]) * np.sqrt(0.5) + 0.5
    assert switching.units_needed(values, 0.5) == pytest.approx(44, abs=0.5)
    # statsmodels' own search fails at these sizes (found on simulated days of cp67).
    needed = [switching.units_needed(values, effect) for effect in (0.01, 0.1, 2, 3, 5, 30)]
    assert np.isfinite(needed).all()
    assert (np.diff(needed) <= 0.0).all()


@pytest.mark.parametrize("effect", [3.0, 6.0, 12.0])
def test_few_units_have_the_power_that_is_asked_for_too(effect):
    units = switching.units_needed(np.array([-1.0, 1.0]) * np.sqrt(0.5), effect)
    assert 2.0 < units < 4.0
    critical = stats.t.ppf(0.975, units - 1.0)
    found = stats.nct.sf(critical, units - 1.0, effect * np.sqrt(units))
    assert found == pytest.approx(0.9, abs=1e-6)


def test_chance_is_exact_by_hand_uniform_without_an_effect_and_small_with_one():
    frame = pd.DataFrame({"run": 0, "cycle": np.repeat(np.arange(40), 2), "version": [0, 1] * 40})
    frame["x"] = 1.0 + frame["version"]
    # One difference is as large either way; 40 of one sign come once in 2 ** 39.
    assert switching.chance(frame.head(2), "x", shuffles=99) == 1.0
    assert switching.chance(frame, "x", shuffles=99) == 0.01
    rng = np.random.default_rng(2)
    null = [switching.chance(experiment(rng), "reads", shuffles=199) for _ in range(200)]
    # Of 200 at 5 % a binomial gives more than 20 once in 430.
    assert np.sum(np.array(null) <= 0.05) <= 20
    assert switching.chance(experiment(rng, 2.0), "reads") < 0.01


@pytest.mark.parametrize("statistic", ["mean", 0.0, 0.3, 0.75, 1])
def test_a_missing_value_is_left_out_of_a_comparison_and_not_counted(statistic):
    frame = experiment(np.random.default_rng(0), runs=3)
    frame.loc[::7, "reads"] = np.nan
    found = switching.compare(frame, "reads", statistic=statistic)
    reads = frame.groupby("version")["reads"]
    wanted = reads.mean() if statistic == "mean" else reads.quantile(statistic)
    assert found["value"].tolist() == pytest.approx(wanted.tolist())
    assert found.equals(switching.compare(frame.dropna(), "reads", statistic=statistic))
    assert found["observations"].sum() == frame["reads"].count()


def test_observations_of_no_unit_or_class_are_refused():
    frame = experiment(np.random.default_rng(0))
    for part, by, sentence in (
        (frame.head(0), None, "No observation has a number"),
        (frame, [np.nan] * 400, r"400 of 400 rows lack a class \(by\)"),
        (frame.replace({"cycle": {0: np.nan}}), None, "10 of 400 rows lack cycle; leave them out"),
    ):
        with pytest.raises(ValueError, match=sentence):
            switching.compare(part, "reads", by=by)


SLICES = (Adjustable("t1_ms", 200.0, 25.0, 50.0, 800.0), Adjustable("t2_ms", 4.0, 0.5, 1.0, 20.0))


def valley(best, rng, noise=0.5):
    """A response that is lowest at ``best`` (in steps of each parameter), and noisy."""

    def observe(settings, cycle):
        t1_steps, t2_steps = best(cycle) if callable(best) else best
        off = ((settings["t1_ms"] - 200.0) / 25.0 - t1_steps) ** 2
        off += ((settings["t2_ms"] - 4.0) / 0.5 - t2_steps) ** 2
        return 10.0 + 0.3 * off + rng.normal() + noise * rng.normal(size=len(settings))

    return observe


def test_effects_by_hand_keep_the_digits_of_differences():
    # Centre 5, corners 1 3 5 7: first factor (5+7)/2 - (1+3)/2 = 4, second 2, mean 4.2 - 5.
    responses = np.array([[5.0, 1.0, 3.0, 5.0, 7.0], [6.0, 2.0, 4.0, 6.0, 8.0]])
    effect, half_width = effects(responses, corners(2))
    assert effect == pytest.approx([4.0, 2.0, -0.8])
    assert half_width == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    responses = np.random.default_rng(4).normal(size=(3, 5)) + 1e12
    found, plain = (effects(part, corners(2)) for part in (responses, responses - 1e12))
    np.testing.assert_allclose(found, plain, rtol=1e-11)


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=3), st.integers(0, 2**31))
def test_what_a_cycle_shares_drops_out(loads, seed):
    responses = np.random.default_rng(seed).normal(size=(3, 5))
    shifted = responses + np.array(loads)[:, None]
    for one, other in zip(
        effects(responses, corners(2)), effects(shifted, corners(2)), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-9)


def test_the_point_walks_to_the_best_setting_or_its_limit_and_stays():
    history = evolve(valley((4.0, -3.0), np.random.default_rng(0)), SLICES, 120)
    end = history.iloc[-30:]
    assert end["t1_ms"].between(275.0, 325.0).all()
    assert end["t2_ms"].between(2.0, 3.0).all()
    narrow = (Adjustable("t1_ms", 200.0, 25.0, 150.0, 250.0), SLICES[1])
    history = evolve(valley((9.0, 0.0), np.random.default_rng(2)), narrow, 60)
    assert history["t1_ms"].max() == 225.0
    history = evolve(valley((-9.0, 0.0), np.random.default_rng(2)), narrow, 60)
    assert history["t1_ms"].min() == 175.0


@pytest.mark.parametrize(("minimize", "way"), [(True, -25.0), (False, 25.0)])
def test_the_point_moves_to_the_better_side(minimize, way):
    history = evolve(lambda s, cycle: s["t1_ms"], SLICES[:1], 5, minimize=minimize)
    assert history["t1_ms"].tolist() == [200.0] * 2 + [200.0 + way] * 2 + [200.0 + 2.0 * way]
    assert history["moved"].tolist() == [False, True, False, True, False]


def test_without_evidence_old_observations_are_forgotten():
    still = valley((0.0, 0.0), np.random.default_rng(3))
    history = evolve(still, SLICES, 7, patience=3, confidence=0.9999)
    assert not history["moved"].any()
    forgotten = history["half_width_t1_ms"].isna()
    assert forgotten.tolist() == [True, False, False, True, False, False, True]
