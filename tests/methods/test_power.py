"""Power: statsmodels, inverses, monotony, and the noncentral F against simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import FTestAnovaPower

from perfkit.methods import designs, planned, power

TWO = {"schedule": ("old", "new"), "purge": ("old", "new")}
effect = st.floats(0.05, 3.0)
runs = st.integers(2, 30).map(lambda n: 4 * n)


def test_two_groups_are_those_of_statsmodels():
    for size, count in ((0.5, 20), (1.0, 36), (2.0, 12)):
        theirs = FTestAnovaPower().power(size / 2.0, count, 0.05, k_groups=2)
        assert power.effect_power(size, 1.0, count, count - 2) == pytest.approx(theirs)


@given(effect, runs)
def test_more_runs_and_larger_effects_are_found_more_often(size, count):
    one = power.effect_power(size, 1.0, count, count - 4)
    assert 0.05 < one <= 1.0
    assert power.effect_power(size, 1.0, count + 4, count) >= one - 1e-9
    assert power.effect_power(1.2 * size, 1.0, count, count - 4) >= one - 1e-9
    assert power.effect_power(-size, 1.0, count, count - 4) == pytest.approx(one)
    assert power.effect_power(2.0 * size, 4.0, count, count - 4) == pytest.approx(one)


def test_without_an_effect_the_level_is_found():
    assert power.effect_power(0.0, 1.0, 36, 29, 0.01) == pytest.approx(0.01)


@given(st.floats(0.1, 0.99), runs)
def test_the_detectable_effect_is_found_with_that_chance(wanted, count):
    size = power.detectable_effect(wanted, 2.0, count, count - 4)
    assert power.effect_power(size, 2.0, count, count - 4) == pytest.approx(wanted)


@pytest.mark.parametrize(("level", "error_df"), [(0.01, 1), (0.001, 1), (1e-4, 2)])
def test_few_degrees_of_freedom_detect_large_effects_only(level, error_df):
    size = power.detectable_effect(0.9, 1.0, 5, error_df, level)
    assert power.effect_power(size, 1.0, 5, error_df, level) == pytest.approx(0.9)


@given(st.floats(0.4, 3.0))
def test_the_fewest_replicates(size):
    count = power.replicates_needed(size, 1.0, 4, covariates=2)
    assert power.effect_power(size, 1.0, 4 * count, 4 * count - 6) >= 0.8
    if 4 * (count - 1) > 6:
        assert power.effect_power(size, 1.0, 4 * (count - 1), 4 * count - 10) < 0.8


def test_one_degree_of_freedom_is_enough_for_a_large_effect():
    assert power.replicates_needed(100.0, 1.0, 2, covariates=1) == 2


def test_simulation_meets_the_noncentral_f():
    """Three terms at four standard errors: one seed in 5,000 would fail."""
    design = designs.factorial_design(TWO, 4)
    sizes = {"schedule": -0.8, "purge": 0.4}
    found = power.simulated_power(design, TWO, sizes, 0.7, resamples=20_000, seed=1)
    expected = power.effect_power([-0.8, 0.4, 0.0], 0.49, 16, 12)
    assert expected[2] == pytest.approx(0.05)
    error = np.sqrt(expected * (1.0 - expected) / 20_000)
    assert (np.abs(found["power"] - expected) < 4.0 * error).all()
    assert ((found["low"] < found["power"]) & (found["power"] < found["high"])).all()


def test_eliminated_covariates_keep_the_level_and_cost_a_little_power():
    """Two terms at four standard errors: one seed in 8,000 would fail."""
    design = designs.factorial_design(TWO, 9)
    loads = {"N_d": (1.2, 0.3), "N_e": (0.3, 1.0)}
    found = power.simulated_power(
        design, TWO, {"schedule": -0.75}, 0.83, covariates=loads, resamples=10_000, seed=2
    )["power"]
    assert (np.abs(found[["purge", "schedule:purge"]] - 0.05) < 4 * 0.00218).all()
    balanced = power.effect_power(0.75, 0.83**2, 36, 30)
    assert balanced - 0.06 < found["schedule"] < balanced


def test_each_covariate_costs_a_degree_of_freedom():
    """With 2 left, a count of 4 would double the false alarms; three terms at four errors."""
    design = designs.factorial_design(TWO, 2)
    loads = {"N_d": (1.0, 1.0), "N_e": (1.0, 1.0)}
    found = power.simulated_power(design, TWO, {}, 1.0, covariates=loads, resamples=10_000, seed=3)
    assert (np.abs(found["power"] - 0.05) < 4 * 0.00218).all()


def test_simulated_experiments_are_analysed_as_by_effects():
    rng = np.random.default_rng(3)
    design = designs.factorial_design(TWO, 3)
    frame = design.assign(N_d=rng.normal(size=12), R=rng.normal(size=12))
    fixed = np.column_stack([np.ones(12), designs.contrasts(design, TWO)])
    p = power._p_values(
        fixed, frame["N_d"].to_numpy()[None, :, None], frame["R"].to_numpy()[None], 7
    )
    np.testing.assert_allclose(p[0, 1:4], planned.effects(frame, "R", TWO, ["N_d"])["p"])


def test_the_half_width_is_that_of_an_effect():
    rng = np.random.default_rng(4)
    frame = designs.factorial_design(TWO, 5).assign(R=rng.normal(size=20))
    error = planned.variance_table(frame, "R", TWO).loc["error", "mean_square"]
    found = planned.effects(frame, "R", TWO)["half_width"]
    np.testing.assert_allclose(found, power.effect_half_width(error, 20, 16))


def test_a_share_of_significant_experiments_by_hand():
    found = power.rejection_share([0.01, 0.04, 0.2, 0.9])
    assert found["share"] == 0.5 and found["experiments"] == 4
    # The exact interval: 2 or more of 4 have a chance of 2.5 % at the low end.
    low = found["low"]
    assert 1 - (1 - low) ** 4 - 4 * low * (1 - low) ** 3 == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda d: power.effect_power(1.0, 0.0, 36, 29), "above 0"),
        (lambda d: power.detectable_effect(0.04, 1.0, 36, 29), "between the level"),
        (
            lambda d: power.detectable_effect(0.9, 1.0, 5, 1, 1e-9),
            "of freedom, 1, are too few",
        ),
        (lambda d: power.replicates_needed(1e-4, 1.0, 4), "100000"),
        (lambda d: power.simulated_power(d, TWO, {"x": 1.0}, 1.0), "no term x"),
        (lambda d: power.simulated_power(d.head(4), TWO, {}, 1.0), "No degree of freedom"),
        (lambda d: power.simulated_power(d, TWO, {}, 0.0), "error_sd must be a finite number abo"),
        (
            lambda d: power.simulated_power(d, TWO, {}, 1.0, covariates={"N_d": (1.2, 0.0)}),
            r"'N_d' must be a slope and .* above 0, both finite; \(1.2, 0.0\) is not",
        ),
        (
            lambda d: power.simulated_power(d, TWO, {}, 1.0, covariates={"N_d": (np.inf, 1.0)}),
            "both finite",
        ),
        (
            lambda d: power.simulated_power(d, TWO, {}, 1.0, covariates={"N_d": 1.2}),
            "must be a slope and a standard deviation",
        ),
        (lambda d: power.rejection_share([]), "at least one"),
        (lambda d: power.effect_power(1.0, np.nan, 36, 29), "error_variance must be a finite"),
        (lambda d: power.effect_power(np.nan, 1.0, 36, 29), "effect must be a finite number"),
        (lambda d: power.effect_power(1.0, 1.0, 36, 40), "less than the runs, 36; 40 is not"),
        (lambda d: power.effect_power(1.0, 1.0, 36, np.nan), "error_df must be 1 or more"),
        (lambda d: power.effect_power(1.0, 1.0, -36, 2), "runs must be a whole number"),
        (lambda d: power.effect_power(1.0, 1.0, 36.5, 2), "runs must be a whole number"),
        (lambda d: power.replicates_needed(np.nan, 1.0, 4), "effect must be a finite number oth"),
        (lambda d: power.replicates_needed(0.0, 1.0, 4), "other than 0; 0.0 is not"),
        (lambda d: power.replicates_needed(1.0, np.nan, 4), "error_variance must be a finite"),
        (lambda d: power.replicates_needed(1.0, 1.0, 0), "cells must be a whole number of 2"),
        (lambda d: power.replicates_needed(1.0, 1.0, 4.5), "cells must be a whole number"),
        (lambda d: power.replicates_needed(1.0, 1.0, 4, covariates=-1), "covariates must be a wh"),
        (lambda d: power.simulated_power(d, TWO, {}, 1.0, resamples=0), "resamples must be a wh"),
        (lambda d: power.simulated_power(d, TWO, {"schedule": np.nan}, 1.0), "a finite number"),
    ],
)
def test_bad_input_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(designs.factorial_design(TWO, 2))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("effect", [1e3, 1e6, -1e9, 1e200])
def test_a_huge_effect_needs_two_replicates(effect):
    assert power.replicates_needed(effect, 1.0, 4) == 2
    assert power.effect_power(effect, 1.0, 8, 4) == 1.0
