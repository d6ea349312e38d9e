"""Operational laws and bounds against printed examples and exact solutions."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import one_sentence

from perfkit.analytic import operational as laws
from perfkit.analytic.mva import solve_mva

DEMANDS = st.lists(st.floats(0.01, 10.0), min_size=1, max_size=6)
THINK = st.one_of(st.just(0.0), st.floats(0.0, 100.0))
USERS = st.integers(1, 60)


def test_the_timesharing_example_of_jain_chapter_33():
    throughput = 15.70 / 80
    assert throughput == pytest.approx(0.1963, abs=5.1e-5)
    demands = [5, laws.service_demand(80, 0.050), laws.service_demand(100, 0.030)]
    assert demands == pytest.approx([5, 4, 3])
    assert round(laws.response_time_law(17, throughput, 18), 1) == 68.6
    assert laws.forced_flow(throughput, 100) == pytest.approx(19.6, abs=0.05)
    assert laws.utilization(15.70, 0.050) == pytest.approx(0.785)
    assert laws.saturation_point(demands, 18) == 6


def test_up_to_23_users_can_have_a_response_below_100_s():
    bounds = laws.asymptotic_bounds([5, 4, 3], range(1, 31), 18)
    assert bounds.population[bounds.response_low_s < 100].max() == 23


def test_the_file_server_example_of_jain_chapter_34():
    throughput = laws.throughput(10_800, 3600)
    utilization = np.array([1728, 1512, 2592]) / 3600
    demands = laws.measured_demand(utilization, throughput)
    assert throughput == 3
    assert demands == pytest.approx([0.16, 0.14, 0.24])


def test_little_and_the_general_response_law_by_hand():
    assert laws.littles_law(2.0, 3.0) == 6.0
    assert laws.residence_time(6.0, 2.0) == 3.0
    assert laws.response_time([2, 10], [0.5, 0.1]) == pytest.approx(2.0)


def test_bounds_by_hand():
    found = laws.asymptotic_bounds([2, 3, 1], [1, 20], 4)
    assert found.throughput_low == pytest.approx([1 / 10, 20 / 124])
    assert found.throughput_high == pytest.approx([1 / 10, 1 / 3])
    assert found.response_low_s == pytest.approx([6, 56])
    assert found.response_high_s == pytest.approx([6, 120])
    balanced = laws.balanced_job_bounds([2, 3, 1], [1, 2], 4)
    assert balanced.response_low_s == pytest.approx([6, 6 + 2 * 6 / 10])
    assert balanced.response_high_s == pytest.approx([6, 6 + 3 * 6 / 10])


def test_the_mean_and_largest_demand_make_balanced_bounds_of_batch_work():
    found = laws.balanced_job_bounds([2, 3, 1], 5)
    assert found.throughput_low == pytest.approx(5 / (6 + 4 * 3))
    assert found.throughput_high == pytest.approx(min(1 / 3, 5 / (6 + 4 * 2)))


@settings(deadline=None)
@given(DEMANDS, USERS, THINK)
def test_bounds_bracket_the_exact_solution_and_balanced_ones_are_closer(demands, users, think):
    exact = solve_mva(demands, users, think)
    wide = laws.asymptotic_bounds(demands, users, think)
    close = laws.balanced_job_bounds(demands, users, think)
    slack = 1e-9
    for bounds in (wide, close):
        assert bounds.throughput_low[0] <= exact.throughput * (1 + slack)
        assert bounds.throughput_high[0] >= exact.throughput * (1 - slack)
        assert bounds.response_low_s[0] <= exact.response_s * (1 + slack)
        assert bounds.response_high_s[0] >= exact.response_s * (1 - slack)
    assert close.throughput_low[0] >= wide.throughput_low[0] * (1 - slack)
    assert close.throughput_high[0] <= wide.throughput_high[0] * (1 + slack)


@settings(deadline=None, max_examples=30)
@given(DEMANDS, USERS, THINK, st.integers(1, 4))
def test_asymptotic_bounds_bracket_several_servers_too(demands, users, think, servers):
    exact = solve_mva(demands, users, think, servers)
    bounds = laws.asymptotic_bounds(demands, users, think, servers)
    assert bounds.throughput_low[0] <= exact.throughput * (1 + 1e-9)
    assert bounds.throughput_high[0] >= exact.throughput * (1 - 1e-9)


@given(st.integers(1, 12), st.floats(0.01, 10.0), USERS)
def test_a_balanced_network_without_thinking_meets_both_bounds(stations, demand, users):
    bounds = laws.balanced_job_bounds([demand] * stations, users)
    exact = users / (demand * (users + stations - 1))
    assert bounds.throughput_low[0] == pytest.approx(exact)
    assert bounds.throughput_high[0] == pytest.approx(exact)


def test_stations_without_demand_change_nothing():
    some, more = (laws.balanced_job_bounds(d, 9, 4) for d in ([2, 3, 1], [2, 0, 3, 1, 0]))
    assert some.throughput_high == pytest.approx(more.throughput_high)


def test_bounds_print_turn_into_frames_and_plot():
    matplotlib.use("Agg")
    bounds = laws.asymptotic_bounds([5, 4, 3], range(1, 101), 18)
    assert bounds.frame().loc[6, "throughput_high"] == pytest.approx(1 / 5)
    assert bounds.frame().index.name == "population"
    assert len(str(bounds).splitlines()) < 60
    ax = bounds.plot(quantity="response_s")
    assert [line.get_xdata()[0] for line in ax.lines][-1] == 6


@pytest.mark.parametrize(
    "call",
    [
        lambda: laws.asymptotic_bounds([1, -2], 3),
        lambda: laws.asymptotic_bounds([1, 2], 0),
        lambda: laws.asymptotic_bounds([1, 2], 1.5),
        lambda: laws.asymptotic_bounds([[1, 2], [3, 4]], 3),
        lambda: laws.asymptotic_bounds([], 3),
        lambda: laws.asymptotic_bounds([0, 0], 3),
        lambda: laws.asymptotic_bounds([1, np.inf], 3),
        lambda: laws.asymptotic_bounds("fast", 3),
        lambda: laws.balanced_job_bounds([1, 2], 3, [1, 2]),
        lambda: laws.balanced_job_bounds([1, 2], 3, -1),
        lambda: laws.saturation_point([1, 2], 3, [1, 2, 3]),
        lambda: laws.utilization(-1, 2),
        lambda: laws.measured_demand(0.5, 0),
        lambda: laws.response_time_law(10, 5, 3),
        lambda: laws.response_time([1, 2], [1, 2, 3]),
        lambda: laws.throughput(3, 0),
        lambda: laws.asymptotic_bounds([1], 3).plot(quantity="speed"),
    ],
)
def test_what_is_impossible_is_refused_in_one_sentence(call):
    with pytest.raises(ValueError) as error:
        call()
    assert one_sentence(error)


def test_two_series_are_paired_by_their_labels():
    visits = pd.Series({"processor": 10.0, "disc": 4.0})
    times = pd.Series({"disc": 0.03, "processor": 0.01})
    demands = pd.Series({"processor": 0.1, "disc": 0.12})
    assert laws.service_demand(visits, times) == pytest.approx([0.1, 0.12])
    assert laws.response_time(visits, times) == pytest.approx(0.22)
    servers = pd.Series({"disc": 2, "processor": 1})
    assert laws.saturation_point(demands, 1.0, servers) == pytest.approx(1.22 / 0.1)
    with pytest.raises(ValueError, match="service_s must have the labels"):
        laws.service_demand(visits, times.rename({"disc": "drum"}))


@pytest.mark.parametrize(
    ("law", "by_hand"),
    [
        (laws.throughput, [10.0 / 2.0, 4.0 / 5.0]),
        (laws.utilization, [20.0, 20.0]),
        (laws.measured_demand, [5.0, 0.8]),
        (laws.forced_flow, [20.0, 20.0]),
        (laws.littles_law, [20.0, 20.0]),
        (laws.residence_time, [5.0, 0.8]),
        (laws.response_time_law, [5.0, 0.8]),
    ],
)
def test_every_law_pairs_series_by_their_labels(law, by_hand):
    first = pd.Series({"processor": 10.0, "disc": 4.0})
    second = pd.Series({"disc": 5.0, "processor": 2.0})
    assert law(first, second) == pytest.approx(by_hand)
    with pytest.raises(ValueError, match="must have the labels"):
        law(first, second.rename({"disc": "drum"}))


def test_think_times_are_paired_by_their_labels_too():
    users = pd.Series({"day": 10.0, "night": 4.0})
    rate = pd.Series({"night": 4.0, "day": 2.0})
    think = pd.Series({"night": 0.5, "day": 3.0})
    assert laws.response_time_law(users, rate, think) == pytest.approx([2.0, 0.5])
    assert laws.response_time_law(users.to_numpy(), rate[["day", "night"]], think) == (
        pytest.approx([2.0, 0.5])
    )
