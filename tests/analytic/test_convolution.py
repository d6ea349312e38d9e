"""Convolution against textbooks, exact fractions and mean value analysis."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import constants, one_sentence, spreads, station_weight

from perfkit.analytic.convolution import solve_convolution
from perfkit.analytic.mva import mva_curve

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


def test_bolch_8_1_with_two_and_three_servers():
    demands = np.array([1, 0.667, 0.2]) / [0.8, 0.6, 0.4]
    found = solve_convolution(demands, 3, servers=[2, 3, 1])
    assert np.exp(found.log_constants) == pytest.approx([1, 2.861, 4.218, 4.465], abs=5e-3)
    assert found.throughput[-1] == pytest.approx(0.945, abs=1e-3)
    assert found.queue == pytest.approx([1.290, 1.050, 0.660], abs=1e-3)


def test_marginals_are_the_sum_over_all_states():
    demands, speeds, population = [1, 2, 3, 2], [[1], [1, 2], [2, 1, 3], None], 5
    weights = np.zeros((4, population + 1))
    for state in spreads(population, 4):
        weight = 1
        for count, demand, rates in zip(state, demands, speeds, strict=True):
            weight *= station_weight([count], [demand], rates)
        for k, count in enumerate(state):
            weights[k, count] += float(weight)
    found = solve_convolution(demands, population, servers=[1, 2, 1, np.inf], rates={2: [2, 1, 3]})
    marginals = np.array([found.marginal(k) for k in range(4)])
    assert marginals == pytest.approx(weights / weights.sum(axis=1, keepdims=True), rel=1e-12)
    assert found.queue == pytest.approx(marginals @ np.arange(6), rel=1e-12)
    assert found.utilization[2] == pytest.approx(1 - marginals[2, 0])


def test_constants_keep_their_digits_far_outside_the_range_of_numbers():
    demands, speeds = [300, 200, 300, 7], [[1], range(1, 5), [1], [1, 3, 2]]
    exact = constants(demands, 2000, speeds, 150)
    found = solve_convolution(demands, 150, 2000, servers=[1, 4, 1, 1], rates={3: [1, 3, 2]})
    rates = [float(low / high) for low, high in pairwise(exact)]
    assert found.throughput == pytest.approx(rates, rel=1e-13)
    digits = exact[-1].numerator // exact[-1].denominator
    assert found.log_constants[-1] / np.log(10) == pytest.approx(len(str(digits)), abs=1)


@settings(deadline=None)
@given(DEMANDS, USERS, THINK, st.lists(SERVERS, min_size=5, max_size=5))
def test_convolution_equals_mean_value_analysis(demands, users, think, servers):
    servers = servers[: len(demands)]
    found = solve_convolution(demands, users, think, servers)
    curve = mva_curve(demands, users, think, servers)
    assert found.throughput == pytest.approx(curve.throughput, rel=1e-10)
    assert found.queue == pytest.approx(curve.queue[-1], rel=1e-9)
    assert found.utilization == pytest.approx(curve.utilization[-1], rel=1e-9)


@settings(deadline=None, max_examples=30)
@given(DEMANDS, USERS, THINK, st.lists(SERVERS, min_size=5, max_size=5))
def test_marginals_are_probabilities_with_the_queue_as_mean(demands, users, think, servers):
    servers = servers[: len(demands)]
    found = solve_convolution(demands, users, think, servers)
    for k in range(len(demands)):
        chances = found.marginal(k)
        assert chances.sum() == pytest.approx(1)
        assert chances @ np.arange(users + 1) == pytest.approx(found.queue[k], rel=1e-8)
        if servers[k] == 1:
            assert 1 - chances[0] == pytest.approx(found.utilization[k], rel=1e-8)


@pytest.mark.parametrize("think", [0.0, 500.0])
def test_it_is_sound_at_a_hundred_thousand_customers(think):
    demands = [*np.linspace(0.1, 1.0, 10), 3.0]
    servers = [1] * 10 + [4]
    found = solve_convolution(demands, 100_000, think, servers)
    assert np.all(np.isfinite(found.log_constants))
    assert found.throughput[-1] == pytest.approx(1, rel=1e-11)
    assert found.queue[:9] == pytest.approx([d / (1 - d) for d in demands[:9]], rel=1e-9)
    assert found.queue.sum() + think == pytest.approx(100_000, rel=1e-10)


@pytest.mark.parametrize(
    "call",
    [
        lambda: solve_convolution([[1, 3], [2, 4]], [2, 2]),
        lambda: solve_convolution([[1, 3]], 2),
        lambda: solve_convolution([1, 3], 3).marginal("drum"),
        lambda: solve_convolution([1, 3], 3).marginal(2),
    ],
)
def test_what_is_impossible_is_refused_in_one_sentence(call):
    with pytest.raises(ValueError) as error:
        call()
    assert one_sentence(error)
