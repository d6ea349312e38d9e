"""The machine repairman against balance equations, exact fractions and mean value analysis."""

from fractions import Fraction
from math import comb, factorial

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import one_sentence
from oracles import steady_state as balance

from perfkit.analytic.mva import mva_curve
from perfkit.analytic.repairman import repairman, saturation_point, steady_state

TIMES = st.floats(0.01, 100.0)


def test_two_users_by_hand():
    assert steady_state(2, 1.0, 1.0) == pytest.approx([1 / 5, 2 / 5, 2 / 5])
    found = repairman(2, 1.0, 1.0)
    assert found.throughput[0] == pytest.approx(4 / 5)
    assert found.response_s[0] == pytest.approx(3 / 2)


@pytest.mark.parametrize(("users", "repairmen"), [(1, 1), (7, 1), (9, 3), (4, 6), (40, 5)])
def test_the_distribution_solves_the_balance_equations(users, repairmen):
    think, service = 7.0, 2.0
    rates = np.zeros((users + 1, users + 1))
    for n in range(users):
        rates[n, n + 1] = (users - n) / think
        rates[n + 1, n] = min(n + 1, repairmen) / service
    expected = balance(rates)
    assert steady_state(users, think, service, repairmen) == pytest.approx(expected, rel=1e-9)


def test_the_distribution_in_fractions():
    ratio = Fraction(88, 3520)
    weights = [Fraction(factorial(60), factorial(60 - n)) * ratio**n for n in range(61)]
    expected = [float(weight / sum(weights)) for weight in weights]
    assert steady_state(60, 35.2, 0.88) == pytest.approx(expected, rel=1e-12)


def test_as_many_repairmen_as_users_are_independent_users():
    expected = [comb(30, n) * 0.2**n * 0.8 ** (30 - n) for n in range(31)]
    assert steady_state(30, 4.0, 1.0, 30) == pytest.approx(expected)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 60), TIMES, TIMES, st.integers(1, 6))
def test_it_is_mean_value_analysis_with_a_delay(users, think, service, repairmen):
    found = repairman(range(1, users + 1), think, service, repairmen)
    curve = mva_curve([service], users, think, repairmen)
    assert found.throughput == pytest.approx(curve.throughput, rel=1e-10)
    assert found.response_s == pytest.approx(curve.response_s, rel=1e-10)
    assert found.queue == pytest.approx(curve.queue[:, 0], rel=1e-10)
    assert found.utilization == pytest.approx(curve.utilization[:, 0], rel=1e-10)


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 200), TIMES, TIMES, st.integers(1, 6))
def test_the_laws_hold_and_the_response_is_above_its_asymptotes(users, think, service, repairmen):
    found = repairman([1, users], think, service, repairmen)
    assert found.users / found.throughput == pytest.approx(found.response_s + think)
    assert found.utilization == pytest.approx(found.throughput * service / repairmen)
    assert np.all(found.response_s >= found.asymptote_s() * (1 - 1e-9))
    assert found.response_s[0] == pytest.approx(service)
    assert found.throughput[1] >= found.throughput[0]


def test_kleinrock_saturation():
    assert saturation_point(35.2, 0.88) == pytest.approx(41)
    assert saturation_point(9, 1, 2) == 20
    found = repairman([1000, 1001], 35.2, 0.88)
    assert np.diff(found.response_s) == pytest.approx(0.88)
    assert found.response_s == pytest.approx(found.asymptote_s())


@pytest.mark.parametrize(("think", "service"), [(35.2, 0.88), (35.2, 1e-4), (1e6, 1e-3)])
def test_thousands_of_users_are_sound(think, service):
    chances = steady_state(5000, think, service)
    assert np.all(np.isfinite(chances))
    assert chances.sum() == pytest.approx(1)
    found = repairman(5000, think, service)
    assert found.throughput[0] == pytest.approx(
        mva_curve([service], 5000, think).throughput[-1], rel=1e-11
    )


def test_results_print_turn_into_frames_and_plot():
    matplotlib.use("Agg")
    found = repairman(range(1, 101), 35.2, 0.88)
    assert found.frame().index.name == "users"
    assert "response_s" in str(found)
    ax = found.plot()
    assert ax.lines[-1].get_xdata()[0] == pytest.approx(41)
    assert ax.lines[1].get_ydata() == pytest.approx(found.asymptote_s())


@pytest.mark.parametrize(
    "call",
    [
        lambda: repairman(0, 1, 1),
        lambda: repairman([3, 2.5], 1, 1),
        lambda: repairman([[1, 2], [3, 4]], 1, 1),
        lambda: repairman("many", 1, 1),
        lambda: repairman(3, 0, 1),
        lambda: repairman(3, 1, -1),
        lambda: repairman(3, np.inf, 1),
        lambda: repairman(3, 1, [1, 2]),
        lambda: repairman(3, 1, 1, 0),
        lambda: steady_state([1, 2], 1, 1),
        lambda: saturation_point(1, 0),
    ],
)
def test_what_is_impossible_is_refused_in_one_sentence(call):
    with pytest.raises(ValueError) as error:
        call()
    assert one_sentence(error)
