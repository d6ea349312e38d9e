"""Open networks against textbooks and balance equations; visits from routing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import steady_state

from perfkit.analytic.open_networks import delay_probability, solve_open, visit_ratios

PROCESSOR_AND_DISCS = [[0, 0.4, 0.5], [1, 0, 0], [1, 0, 0]]


def test_lazowska_page_138():
    found = solve_open([[1, 3], [2, 4]], [3 / 19, 2 / 19])
    assert found.utilization == pytest.approx(np.array([[3, 9], [4, 8]]) / 19)
    assert found.residence_s == pytest.approx(np.array([[19 / 12, 57 / 2], [19 / 6, 38]]))
    assert found.queue[0, 0] == pytest.approx(0.25)
    assert found.to_frame()["utilization"].tolist() == pytest.approx([7 / 19, 17 / 19])


@pytest.mark.parametrize(("servers", "load"), [(1, 0.6), (2, 1.5), (5, 4.0), (3, 0.1)])
def test_several_servers_follow_the_balance_equations(servers, load):
    size = 400

    def moves(n):
        if n < size - 1:
            yield load, n + 1
        if n:
            yield min(n, servers), n - 1

    chances = steady_state(range(size), moves)
    found = solve_open([1.0], load, servers)
    assert found.queue[0] == pytest.approx(chances @ np.arange(size), rel=1e-9)
    assert delay_probability(servers, load) == pytest.approx(chances[servers:].sum(), rel=1e-9)


@settings(deadline=None)
@given(
    st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5),
    st.floats(0.01, 0.99),
    st.integers(1, 4),
)
def test_laws_hold_and_classes_add_up(demands, share, servers):
    rate = share * servers / max(demands)
    found = solve_open(demands, rate, servers)
    assert found.queue == pytest.approx(rate * found.residence_s)
    assert found.utilization == pytest.approx(rate * np.array(demands) / servers)
    assert np.all(found.residence_s >= np.array(demands) * (1 - 1e-12))
    split = solve_open([demands, demands], [0.3 * rate, 0.7 * rate], servers)
    assert split.queue.sum(axis=0) == pytest.approx(found.queue)
    assert split.response_s == pytest.approx([found.response_s] * 2)


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5), st.integers(1, 4))
def test_a_class_without_arrivals_changes_nothing_and_sees_the_others(demands, servers):
    rate, own = 0.9 * servers / max(demands), demands[::-1]
    found = solve_open([demands, own], [rate, 0], servers)
    other = solve_open(demands, rate, servers)
    assert found.queue == pytest.approx(np.array([other.queue, 0 * other.queue]))
    assert found.utilization[1].tolist() == [0] * len(demands)
    slowdown = other.residence_s / demands
    assert found.response_s == pytest.approx([other.response_s, own @ slowdown])


@pytest.mark.filterwarnings("error")
def test_where_nobody_arrives_a_customer_is_alone():
    found = solve_open([0.1, 0.5], 0, servers=[2, 1])
    assert found.response_s == pytest.approx(0.6)
    assert found.queue.tolist() == found.utilization.tolist() == [0, 0]
    assert found.to_frame()["residence_s"].isna().all()


def test_visits_of_a_central_server():
    closed = np.array(PROCESSOR_AND_DISCS)
    closed[0, 0] = 0.1
    assert visit_ratios(closed) == pytest.approx([1, 0.4, 0.5])
    assert visit_ratios(closed, reference=1) == pytest.approx([2.5, 1, 1.25])
    assert visit_ratios(PROCESSOR_AND_DISCS, arrivals=[2, 0, 0]) == pytest.approx([10, 4, 5])


@given(st.integers(1, 6), st.randoms(use_true_random=False))
def test_visits_balance(size, random):
    routing = np.array([[random.random() + 0.01 for _ in range(size)] for _ in range(size)])
    routing /= routing.sum(axis=1, keepdims=True)
    visits = visit_ratios(routing, reference=size - 1)
    assert visits @ routing == pytest.approx(visits)
    assert visits[-1] == pytest.approx(1)
    arrivals = np.array([random.random() + 0.01 for _ in range(size)])
    leaving = visit_ratios(0.8 * routing, arrivals)
    assert leaving == pytest.approx(arrivals / arrivals.sum() + leaving @ (0.8 * routing))
    assert leaving.sum() == pytest.approx(5)


def test_labelled_rates_and_servers_go_to_their_classes_and_stations():
    demands = pd.DataFrame([[0.1, 0.2], [0.2, 0.1]], ["a", "b"], ["processor", "disc"])
    rates, servers = pd.Series({"b": 2.0, "a": 0.5}), pd.Series({"disc": 2, "processor": 1})
    found = solve_open(demands, rates, servers)
    plain = solve_open(demands.to_numpy(), [0.5, 2.0], [1, 2])
    assert found.arrival_rates == pytest.approx([0.5, 2.0])
    assert found.response_s == pytest.approx(plain.response_s, rel=1e-12)


def test_rows_a_little_above_one_are_mended():
    wide = visit_ratios([[0.5, 0.5000000005], [1, 0]])
    assert wide == pytest.approx([1, 0.5], rel=1e-8)
    passing = visit_ratios([[0.5, 0.5000000005], [0.5, 0]], [1, 0])
    assert passing == pytest.approx([4, 2], rel=1e-8)
