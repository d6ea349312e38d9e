"""Convolution against textbooks, exact fractions and mean value analysis."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import constants, spreads, station_weight

from perfkit.analytic.convolution import solve_convolution
from perfkit.analytic.mva import mva_curve, solve_mva

DEMANDS = st.lists(st.floats(0.01, 10.0), min_size=1, max_size=5)
THINK = st.one_of(st.just(0.0), st.floats(0.0, 50.0))
USERS = st.integers(1, 40)
SERVERS = st.one_of(st.integers(1, 5), st.just(np.inf))


def test_jain_chapter_35():
    found = solve_convolution([1, 3, 2], 3)
    assert np.exp(found.log_constants) == pytest.approx([1, 6, 25, 90])
    assert found.throughput == pytest.approx([1 / 6, 6 / 25, 25 / 90])
    assert found.utilization == pytest.approx([25 / 90, 75 / 90, 50 / 90])
    assert found.queue == pytest.approx([32 / 90, 156 / 90, 82 / 90])
    assert found.marginal(1) == pytest.approx([15 / 90, 21 / 90, 27 / 90, 27 / 90])


def test_marginals_are_the_sum_over_all_states():
    demands, speeds, population = [1, 2, 3, 2], [[1], [1, 2], [1, 2, 3], None], 5
    weights = np.zeros((4, population + 1))
    for state in spreads(population, 4):
        weight = 1
        for count, demand, rates in zip(state, demands, speeds, strict=True):
            weight *= station_weight([count], [demand], rates)
        for k, count in enumerate(state):
            weights[k, count] += float(weight)
    found = solve_convolution(demands, population, servers=[1, 2, 3, np.inf])
    marginals = np.array([found.marginal(k) for k in range(4)])
    assert marginals == pytest.approx(weights / weights.sum(axis=1, keepdims=True), rel=1e-12)
    assert found.queue == pytest.approx(marginals @ np.arange(6), rel=1e-12)


@settings(deadline=None)
@given(DEMANDS, USERS, THINK, st.lists(SERVERS, min_size=5, max_size=5))
def test_convolution_equals_mean_value_analysis(demands, users, think, servers):
    servers = servers[: len(demands)]
    found = solve_convolution(demands, users, think, servers)
    curve = mva_curve(demands, users, think, servers)
    assert found.throughput == pytest.approx(curve.throughput, rel=1e-10)
    assert found.queue == pytest.approx(curve.queue[-1], rel=1e-9)
    assert found.utilization == pytest.approx(curve.utilization[-1], rel=1e-9)


def test_digits_are_kept_far_outside_the_range_of_numbers():
    demands, speeds = [300, 200, 300, 7, 400], [[1], range(1, 5), [1], [1], range(1, 20)]
    exact = constants(demands, 2000, speeds, 150)
    servers = [1, 4, 1, 1, 19]
    found = solve_convolution(demands, 150, 2000, servers)
    curve = mva_curve(demands, 150, 2000, servers)
    rates = [float(low / high) for low, high in pairwise(exact)]
    assert found.throughput == pytest.approx(rates, rel=1e-13)
    assert curve.throughput == pytest.approx(rates, rel=1e-12)
    assert curve.queue.sum(axis=1) + curve.throughput * 2000 == pytest.approx(curve.population)
    digits = exact[-1].numerator // exact[-1].denominator
    assert found.log_constants[-1] / np.log(10) == pytest.approx(len(str(digits)), abs=1)


@pytest.mark.parametrize("think", [0.0, 500.0])
def test_both_methods_are_sound_at_a_hundred_thousand_customers(think):
    demands = np.linspace(0.1, 1.0, 10)
    found = solve_convolution([*demands, 3.0], 100_000, think, [1] * 10 + [4])
    curve = solve_mva(demands, 100_000, think)
    assert np.all(np.isfinite(found.log_constants))
    for queue, throughput in ((found.queue, found.throughput[-1]), (curve.queue, curve.throughput)):
        assert throughput == pytest.approx(1, rel=1e-11)
        assert queue[:9] == pytest.approx(demands[:-1] / (1 - demands[:-1]), rel=1e-9)
        assert queue.sum() + think == pytest.approx(100_000, rel=1e-10)
