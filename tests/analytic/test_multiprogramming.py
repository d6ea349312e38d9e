"""Terminals before a limited memory, against balance equations solved outright."""

from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from perfkit.analytic.multiprogramming import (
    birth_death,
    memory_constrained,
    memory_constrained_curve,
    paged_throughput,
    saturated_users,
    subsystem_throughput,
)

DEMANDS = st.lists(st.floats(0.01, 5.0), min_size=1, max_size=4)
THINK = st.floats(0.0, 50.0)
USERS = st.integers(1, 40)


def steady_state(states, moves):
    """Solve a Markov process outright; ``moves(state)`` yields (rate, next state)."""
    number = {state: i for i, state in enumerate(states)}
    flow = np.zeros((len(states), len(states)))
    for state in states:
        for rate, after in moves(state):
            flow[number[state], number[after]] += rate
            flow[number[state], number[state]] -= rate
    system = np.vstack([flow.T, np.ones(len(states))])
    right = np.append(np.zeros(len(states)), 1.0)
    return np.linalg.lstsq(system, right, rcond=None)[0]


def whole_system(users, limit, think, processor, disc, visits):
    """Return X, N_e and N_d of processor and disc with a first-come queue for memory.

    An interaction is on average ``visits`` spells at the processor with a disc access between
    each two; ``processor`` and ``disc`` are its demands.
    """
    states = [(k, j) for k in range(users + 1) for j in range(min(k, limit) + 1)]

    def moves(state):
        active, at_processor = state
        resident = min(active, limit)
        if active < users:
            enters = active < limit
            yield (users - active) / think, (active + 1, at_processor + enters)
        if at_processor:
            waits = active > limit
            yield 1 / processor, (active - 1, at_processor - 1 + waits)
            if visits > 1:
                yield (visits - 1) / processor, (active, at_processor - 1)
        if resident > at_processor:
            yield (visits - 1) / disc, (active, at_processor + 1)

    p = steady_state(states, moves)
    done = sum(p[i] for i, (_, j) in enumerate(states) if j) / processor
    eligible = sum(p[i] * max(k - limit, 0) for i, (k, _) in enumerate(states))
    dispatchable = sum(p[i] * min(k, limit) for i, (k, _) in enumerate(states))
    return done, eligible, dispatchable


def test_birth_and_death_is_the_balance_equations_solution():
    up, down = [3.0, 1.0, 2.5, 0.5], [1.0, 2.0, 2.0, 4.0]

    def moves(k):
        if k < 4:
            yield up[k], k + 1
        if k:
            yield down[k - 1], k - 1

    assert birth_death(up, down) == pytest.approx(steady_state(list(range(5)), moves))


def test_birth_and_death_stops_at_a_zero_and_stands_long_chains():
    assert birth_death([1.0, 0.0, 5.0], [1.0, 1.0, 1.0]) == pytest.approx([0.5, 0.5, 0, 0])
    p = birth_death(np.full(100_000, 2.0), np.full(100_000, 1.0))
    assert p[-3:] == pytest.approx([0.125, 0.25, 0.5])


def test_bolch_8_3_central_server():
    demands = np.multiply((0.02, 0.2, 0.4, 0.6), (1, 0.4, 0.2, 0.1))
    assert subsystem_throughput(demands, 6)[-1] == pytest.approx(9.920, abs=5e-4)


@pytest.mark.parametrize("users, exact", [(2, (10, 57)), (3, (171, 746)), (4, (746, 2807))])
def test_jain_chapter_34_when_memory_holds_all(users, exact):
    found = memory_constrained(users, 4.0, subsystem_throughput((2, 3, 1), users))
    assert found.throughput_per_s == pytest.approx(exact[0] / exact[1])


def test_jain_chapter_34_at_20_users():
    found = memory_constrained(20, 4.0, subsystem_throughput((2, 3, 1), 20))
    assert round(found.response_time_s, 3) == 56.016
    assert found.dispatchable == pytest.approx(1.991 + 16.177 + 0.500, abs=2e-3)
    assert found.eligible == 0.0


def test_one_server_is_the_machine_repairman():
    users, ratio = 7, Fraction(3, 20)
    weight = [Fraction(factorial(users), factorial(users - k)) * ratio**k for k in range(users + 1)]
    busy = 1 - weight[0] / sum(weight)
    for limit in (1, 3, 7):
        found = memory_constrained(users, 20.0, [1 / 3] * limit)
        assert found.throughput_per_s == pytest.approx(float(busy) / 3)
        assert found.active_probability == pytest.approx([float(w / sum(weight)) for w in weight])


def test_without_a_limit_it_is_the_whole_system_exactly():
    exact = whole_system(6, 6, 10.0, 0.9, 1.3, 8)
    found = memory_constrained(6, 10.0, subsystem_throughput((0.9, 1.3), 6))
    assert (found.throughput_per_s, found.eligible, found.dispatchable) == pytest.approx(
        (exact[0], 0.0, exact[2])
    )


def test_with_a_limit_it_nears_the_whole_system_as_visits_grow():
    found = memory_constrained(9, 8.0, subsystem_throughput((0.9, 1.3), 3))
    gaps = []
    for visits in (2, 8, 200):
        exact = whole_system(9, 3, 8.0, 0.9, 1.3, visits)
        gaps.append(max(abs(found.eligible / exact[1] - 1), abs(found.dispatchable / exact[2] - 1)))
    assert gaps[0] < 0.15
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.002


@given(USERS, THINK, DEMANDS, st.integers(1, 12))
def test_everyone_is_somewhere_and_little_holds(users, think, demands, limit):
    found = memory_constrained(users, think, subsystem_throughput(demands, limit))
    assert found.thinking + found.eligible + found.dispatchable == pytest.approx(users)
    assert found.throughput_per_s * (found.response_time_s + think) == pytest.approx(users)
    assert found.eligible_time_s + found.dispatchable_time_s == pytest.approx(found.response_time_s)
    assert found.dispatchable <= limit + 1e-9
    assert found.active_probability.sum() == pytest.approx(1.0)


@given(USERS, THINK, DEMANDS, st.integers(1, 12))
def test_more_memory_and_more_users_never_lower_throughput(users, think, demands, limit):
    curve = subsystem_throughput(demands, limit + 1)
    base = memory_constrained(users, think, curve, limit)
    roomier = memory_constrained(users, think, curve)
    fuller = memory_constrained(users + 1, think, curve, limit)
    slack = 1 + 1e-9
    assert base.throughput_per_s <= roomier.throughput_per_s * slack
    assert roomier.eligible <= base.eligible * slack + 1e-9
    assert base.throughput_per_s <= fuller.throughput_per_s * slack
    assert base.response_time_s <= fuller.response_time_s * slack


@given(USERS, st.floats(0.1, 50.0), DEMANDS, st.integers(1, 12))
def test_the_asymptotes_bound_the_throughput(users, think, demands, limit):
    curve = subsystem_throughput(demands, limit)
    saturation, _ = saturated_users(think, curve)
    found = memory_constrained(users, think, curve).throughput_per_s
    assert found <= min(users / saturation, 1.0) * curve.max() * (1 + 1e-9)


def test_beyond_full_memory_each_further_user_waits_for_it():
    curve = subsystem_throughput((0.5, 0.4, 0.2), 4)
    _, full = saturated_users(20.0, curve)
    found = memory_constrained_curve([round(2 * full), round(2 * full) + 1], 20.0, curve).frame()
    assert np.diff(found["eligible"]).item() == pytest.approx(1.0, abs=1e-3)
    assert found["dispatchable"].iloc[-1] == pytest.approx(4.0, abs=1e-3)


def test_saturated_users_by_hand():
    """With 4 programs memory would do better, with 3 it thrashes already."""
    found = saturated_users(10.0, [0.5, 0.8, 0.6, 1.0], 3)
    assert found == pytest.approx((0.8 * (10.0 + 2.0), 3 + 0.6 * 10.0))


def test_a_curve_keeps_the_memory_limit():
    frame = memory_constrained_curve([2, 3], 5.0, [1.0, 1.5, 2.0], 1).frame()
    alone = memory_constrained(3, 5.0, [1.0])
    assert frame.loc[3, "eligible"] == pytest.approx(alone.eligible)
    assert frame.loc[3, "throughput_per_s"] == pytest.approx(alone.throughput_per_s)
    assert (frame["memory_limit"] == 1).all()
    assert frame.index.dtype.kind == "i"


def test_no_think_time_keeps_all_users_active():
    found = memory_constrained(5, 0.0, [1.0, 1.5])
    assert (found.eligible, found.dispatchable, found.throughput_per_s) == (3.0, 2.0, 1.5)
    # Too small for its product with a throughput to be a number.
    assert memory_constrained(5, 5e-324, [0.1, 0.15]).eligible == 3.0


def test_a_lifetime_that_ignores_memory_is_the_plain_subsystem():
    found = paged_throughput(0.6, lambda frames: 0.02, 100.0, 0.01, 5, other_demands_s=[0.2])
    assert found == pytest.approx(subsystem_throughput([0.6, 0.3, 0.2], 5))


def test_pages_that_come_at_once_cost_nothing():
    assert paged_throughput(0.5, lambda frames: 0.02, 50.0, 0.0, 2) == pytest.approx([2.0, 2.0])


def test_paging_by_hand_with_one_and_two_programs():
    found = paged_throughput(1.0, lambda frames: frames / 100, 50.0, 0.1, 2, fault_overhead_s=0.05)
    one = 1 / (1.0 + 2 * 0.05 + 2 * 0.1)
    processor, drum = 1.0 + 4 * 0.05, 4 * 0.1
    two = (processor + drum) / (processor**2 + processor * drum + drum**2)
    assert found == pytest.approx([one, two])


def test_a_limit_that_is_too_high_thrashes():
    curve = paged_throughput(1.0, lambda frames: 1e-5 * frames**2.5, 128.0, 0.017, 12)
    best = int(np.argmax(curve)) + 1
    assert 1 < best < 12
    good = memory_constrained(60, 30.0, curve, best)
    bad = memory_constrained(60, 30.0, curve)
    assert good.response_time_s < bad.response_time_s
    assert good.eligible > 0


def test_records_print_and_turn_into_frames():
    found = memory_constrained(3, 5.0, [1.0, 1.5])
    assert "eligible" in str(found)
    assert list(found.frame().index) == [
        "terminals",
        "memory_limit",
        "throughput_per_s",
        "response_time_s",
        "thinking",
        "eligible",
        "dispatchable",
        "eligible_time_s",
        "dispatchable_time_s",
    ]
    table = found.distribution()
    assert table["probability"].sum() == pytest.approx(1.0)
    assert table["eligible"].tolist() == [0, 0, 0, 1]
    assert table["dispatchable"].tolist() == [0, 1, 2, 2]
    frame = memory_constrained_curve([1, 2], 5.0, [1.0, 1.5]).frame()
    assert list(frame.index) == [1, 2]
    (line,) = found.plot(ax=Figure().subplots()).lines
    assert list(line.get_ydata()) == list(found.active_probability)
    axes = memory_constrained_curve([1, 2], 5.0, [1.0, 1.5]).plot(ax=Figure().subplots())
    assert [line.get_label() for line in axes.lines] == ["dispatchable", "eligible"]


BAD = [
    (lambda: memory_constrained(0, 1.0, [1.0]), "terminals must be a whole number of 1"),
    (lambda: memory_constrained(2, -1.0, [1.0]), "think_time_s must be zero or more"),
    (lambda: memory_constrained(2, 1.0, [0.0]), "throughput_by_load must be greater than zero"),
    (lambda: memory_constrained(2, 1.0, [[1.0]]), "throughput_by_load must be a list"),
    (lambda: memory_constrained(2, 1.0, [1.0], 2), "memory_limit must be at most 1"),
    (lambda: saturated_users(1.0, [1.0], 2), "memory_limit must be at most 1"),
    (lambda: birth_death([1.0], [1.0, 2.0]), "up_rates has 1 rates and down_rates 2"),
    (lambda: birth_death([1.0], [0.0]), "down_rates must be greater than zero"),
    (lambda: subsystem_throughput([0.0], 2), "the sum of demands_s must be greater"),
    (lambda: subsystem_throughput([1.0], 0), "most_resident must be a whole number of 1"),
    (lambda: paged_throughput(1, lambda m: 0.0, 10, 0.1, 2), "lifetime of a program must be"),
]


@pytest.mark.parametrize("call, sentence", BAD)
def test_bad_input_is_refused_in_one_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_the_oracle_agrees_with_two_machines_by_hand():
    pairs = list(product(range(2), range(2)))

    def moves(state):
        for i in range(2):
            after = list(state)
            after[i] = 1 - state[i]
            yield (2.0 if state[i] else 1.0), tuple(after)

    assert steady_state(pairs, moves) == pytest.approx([4 / 9, 2 / 9, 2 / 9, 1 / 9])
