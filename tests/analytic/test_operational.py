"""Operational laws and bounds against printed examples and exact solutions."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.analytic import operational as laws
from perfkit.analytic.mva import solve_mva

DEMANDS = st.lists(st.floats(0.01, 10.0), min_size=1, max_size=6)
THINK = st.one_of(st.just(0.0), st.floats(0.0, 100.0))
USERS = st.integers(1, 60)


def test_jains_timesharing_example_and_bounds_by_hand():
    assert laws.saturation_point([5, 4, 3], 18) == 6
    found = laws.asymptotic_bounds([2, 3, 1], [1, 20], 4)
    assert found.throughput_low == pytest.approx([1 / 10, 20 / 124])
    assert found.throughput_high == pytest.approx([1 / 10, 1 / 3])
    assert found.response_low_s == pytest.approx([6, 56])
    assert found.response_high_s == pytest.approx([6, 120])


@settings(deadline=None)
@given(DEMANDS, USERS, THINK)
def test_bounds_bracket_the_exact_solution(demands, users, think):
    exact = solve_mva(demands, users, think)
    bounds = laws.asymptotic_bounds(demands, users, think)
    slack = 1e-9
    assert bounds.throughput_low[0] <= exact.throughput * (1 + slack)
    assert bounds.throughput_high[0] >= exact.throughput * (1 - slack)
    assert bounds.response_low_s[0] <= exact.response_s * (1 + slack)
    assert bounds.response_high_s[0] >= exact.response_s * (1 - slack)


@pytest.mark.parametrize(
    ("law", "by_hand"),
    [
        (laws.throughput, [10.0 / 2.0, 4.0 / 5.0]),
        (laws.utilization, [20.0, 20.0]),
        (laws.measured_demand, [5.0, 0.8]),
        (laws.littles_law, [20.0, 20.0]),
    ],
)
def test_every_law_pairs_series_by_their_labels(law, by_hand):
    first = pd.Series({"processor": 10.0, "disc": 4.0})
    second = pd.Series({"disc": 5.0, "processor": 2.0})
    assert law(first, second) == pytest.approx(by_hand)
    with pytest.raises(ValueError, match="must have the labels"):
        law(first, second.rename({"disc": "drum"}))
