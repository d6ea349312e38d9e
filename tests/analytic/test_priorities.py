"""Priorities, open classes, changes of class and the Linearizer, against hand and exact values."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from oracles import steady_state

from perfkit.analytic.approximate import linearizer, schweitzer
from perfkit.analytic.mixed import chain, solve_mixed
from perfkit.analytic.mva import solve_mva
from perfkit.analytic.priorities import priorities


def test_priorities_by_hand():
    # W0 = 0.3 * 2 / 2 * 2 = 0.6; W1 = W0 / (1 - 0.3), W2 = W0 / (0.7 * 0.4)
    found = priorities([0.3, 0.3], [1.0, 1.0])
    assert found.wait_s == pytest.approx([0.6 / 0.7, 0.6 / 0.28])
    assert found.response_s == pytest.approx(found.wait_s + 1.0)
    assert found.number == pytest.approx(0.3 * found.response_s)
    assert found.to_frame().index.tolist() == [1, 2]
    found = priorities([0.3, 0.4], [1.0, 1.0], preemptive=True)
    assert found.response_s[0] == pytest.approx(1.0 / 0.7)  # M/M/1
    # both classes are exponential alike, so together they are M/M/1 whatever the order
    assert found.number.sum() == pytest.approx(0.7 / 0.3)


@pytest.mark.parametrize(("square", "queue_s"), [(1.0, 0.5), (2.0, 1.0)])
def test_one_class_is_pollaczek_and_khinchine(square, queue_s):
    for preemptive in (False, True):
        found = priorities([0.5], [1.0], [square], preemptive=preemptive)
        assert found.wait_s[0] == pytest.approx(queue_s)


def test_work_that_waits_is_the_same_whoever_goes_first():
    """Kleinrock's conservation law, for services of any variance."""
    arrivals, service, square = np.array([0.2, 0.1, 0.3]), np.array([1.0, 3.0, 0.5]), [1, 20, 0.4]
    rho, left = arrivals @ service, arrivals @ square / 2.0
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        found = priorities(arrivals[order], service[order], np.array(square)[order])
        assert found.utilization @ found.wait_s == pytest.approx(rho * left / (1.0 - rho))


def test_the_linearizer_is_some_ten_times_closer_than_schweitzer():
    off, rng = {solve: [] for solve in (schweitzer, linearizer)}, np.random.default_rng(1)
    for _ in range(60):
        classes, stations = rng.integers(2, 4), rng.integers(2, 5)
        demands = rng.uniform(0.01, 1.0, (classes, stations))
        network = demands, rng.integers(1, 8, classes), rng.uniform(0.0, 5.0, classes)
        exact = solve_mva(*network).response_s
        for solve, errors in off.items():
            errors.append(np.abs(solve(*network).response_s / exact - 1.0).max())
    schweitzers, ours = (np.array(errors) for errors in off.values())
    assert schweitzers.max() > 0.15 and ours.max() < 0.03
    assert ours.mean() < schweitzers.mean() / 10.0


def test_the_linearizer_is_exact_with_a_customer_and_with_servers_for_all():
    assert linearizer([0.5, 2.0], 1, 3.0).response_s == pytest.approx(2.5)
    lone = linearizer([[0.5, 2.0], [1.0, 1.0]], [1, 0])
    assert lone.response_s == pytest.approx(solve_mva([[0.5, 2.0], [1.0, 1.0]], [1, 0]).response_s)
    assert linearizer([1.0, 2.0], 5, servers=np.inf).throughput == pytest.approx(5 / 3)
    assert linearizer([1.0, 2.0], 5).method == "Linearizer"
    nearly = linearizer([1.0, 0.9999], 10**5)  # rounds alone do not settle
    assert nearly.throughput == pytest.approx(solve_mva([1.0, 0.9999], 10**5).throughput, rel=1e-4)


def test_mixed_networks_by_hand():
    mixed = solve_mixed([0.5, 2.0], 4, [0.0, 0.0], 0.0, 3.0)
    closed = solve_mva([0.5, 2.0], 4, 3.0)
    assert mixed.closed.throughput == pytest.approx(closed.throughput)
    assert mixed.closed.utilization == pytest.approx(closed.utilization)
    assert mixed.open_queue == pytest.approx([0.0, 0.0])
    mixed = solve_mixed([0.0, 1.0], 1, [0.5, 0.0], 1.0)
    assert mixed.open_queue[0] == pytest.approx(1.0)  # M/M/1 at a half
    assert mixed.open_response_s == pytest.approx([1.0])
    # One closed customer never leaves a server that an open class loads by half. Processor sharing:
    # the closed one has 1 / (open + 1) of it, so the open ones are negative binomial with 1 + 1
    # stages at a half, which has the mean 2.
    mixed = solve_mixed([1.0], 1, [1.0], 0.5, stations=["server"])
    assert mixed.closed.throughput == pytest.approx(0.5)
    assert mixed.closed.utilization == pytest.approx([0.5])
    assert mixed.open_queue == pytest.approx([2.0])
    assert mixed.open_response_s == pytest.approx([4.0])
    assert mixed.to_frame().index.tolist() == ["server"]


def test_a_mixed_network_is_read_by_its_labels():
    frame = pd.DataFrame([[0.1, 0.2], [0.3, 0.1]], ["a", "b"], ["disc", "drum"])
    opened = pd.DataFrame([[0.1, 0.4], [0.2, 0.1]], ["x", "y"], ["disc", "drum"])
    people, arrivals = pd.Series([5, 1], ["a", "b"]), pd.Series([0.5, 1.0], ["x", "y"])
    told = solve_mixed(frame, people, opened, arrivals)
    other = solve_mixed(frame, people[::-1], opened[["drum", "disc"]], arrivals[::-1])
    assert other.closed.response_s == pytest.approx(told.closed.response_s)
    assert other.open_response_s == pytest.approx(told.open_response_s)
    with pytest.raises(ValueError, match="open_demands_s must have the stations"):
        solve_mixed(frame, people, opened.rename(columns={"disc": "disk"}), arrivals)


def markov_chain(customers, service, change):
    """Return the throughput of class 0 at station 0: two shared stations, classes change at 1.

    A state is how many of each class are at each station, (a0, b0, a1, b1).
    """
    states = [s for s in product(range(customers + 1), repeat=4) if sum(s) == customers]

    def moves(state):
        for k, c, after in product((0, 1), repeat=3):
            here = state[2 * k : 2 * k + 2]
            if here[c]:
                chance = change[c][after] if k == 1 else float(after == c)
                moved = list(state)
                moved[2 * k + c] -= 1
                moved[2 * (1 - k) + after] += 1
                yield chance * here[c] / sum(here) / service[c][k], tuple(moved)

    busy = [s[0] / (s[0] + s[1]) if s[0] else 0.0 for s in states]
    return float(steady_state(states, moves) @ busy) / service[0][0]


def test_customers_that_change_class_are_a_chain_of_chances_or_counts():
    service, change = [[0.5, 1.5], [2.0, 0.25]], [[0.3, 0.7], [0.9, 0.1]]
    visits, demands = chain(change, service)
    assert visits == pytest.approx([1.0, 0.7 / 0.9])
    for customers in (1, 3):
        exact = markov_chain(customers, service, change)
        assert solve_mva(demands, customers).throughput == pytest.approx(exact)
    for one, other in zip(chain([[30, 70], [18, 2]], service), (visits, demands), strict=True):
        assert one == pytest.approx(other)
