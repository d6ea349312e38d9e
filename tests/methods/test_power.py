"""Power: statsmodels, inverses, monotony."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import FTestAnovaPower

from perfkit.methods import power

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


@given(st.floats(0.4, 3.0))
def test_the_fewest_replicates(size):
    count = power.replicates_needed(size, 1.0, 4, covariates=2)
    assert power.effect_power(size, 1.0, 4 * count, 4 * count - 6) >= 0.8
    if 4 * (count - 1) > 6:
        assert power.effect_power(size, 1.0, 4 * (count - 1), 4 * count - 10) < 0.8


def test_a_share_of_significant_experiments_by_hand():
    found = power.rejection_share([0.01, 0.04, 0.2, 0.9])
    assert found["share"] == 0.5 and found["experiments"] == 4
    # The exact interval: 2 or more of 4 have a chance of 2.5 % at the low end.
    low = found["low"]
    assert 1 - (1 - low) ** 4 - 4 * low * (1 - low) ** 3 == pytest.approx(0.025)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("effect", [1e3, 1e6, -1e9, 1e200])
def test_a_huge_effect_needs_two_replicates(effect):
    assert power.replicates_needed(effect, 1.0, 4) == 2
    assert power.effect_power(effect, 1.0, 8, 4) == 1.0
