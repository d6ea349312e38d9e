"""Terminals before a limited memory, against balance equations solved outright."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import steady_state

from perfkit.analytic import multiprogramming
from perfkit.analytic.multiprogramming import (
    memory_constrained,
    memory_constrained_curve,
    subsystem_throughput,
)

DEMANDS = st.lists(st.floats(0.01, 5.0), min_size=1, max_size=4)
THINK = st.floats(0.0, 50.0)
USERS = st.integers(1, 40)


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


def test_a_chain_stops_at_a_zero_and_may_be_long():
    steady = multiprogramming.steady_state
    assert steady(np.array([1.0, 0.0, 5.0]), np.ones(3)) == pytest.approx([0.5, 0.5, 0, 0])
    chances = steady(np.full(100_000, 2.0), np.full(100_000, 1.0))
    assert chances[-3:] == pytest.approx([0.125, 0.25, 0.5])


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


def test_beyond_full_memory_each_further_user_waits_for_it():
    curve = subsystem_throughput((0.5, 0.4, 0.2), 4)
    full = 4 + curve[-1] * 20.0
    found = memory_constrained_curve([round(2 * full), round(2 * full) + 1], 20.0, curve)
    assert np.diff(found["eligible"]).item() == pytest.approx(1.0, abs=1e-3)
    assert found["dispatchable"].iloc[-1] == pytest.approx(4.0, abs=1e-3)


def test_a_limit_beyond_the_loads_that_are_known_is_refused():
    with pytest.raises(ValueError, match="memory_limit must be at most 1"):
        memory_constrained(2, 1.0, [1.0], 2)


def test_no_think_time_keeps_all_users_active():
    found = memory_constrained(5, 0.0, [1.0, 1.5])
    assert (found.eligible, found.dispatchable, found.throughput_per_s) == (3.0, 2.0, 1.5)
    # Too small for its product with a throughput to be a number.
    assert memory_constrained(5, 5e-324, [0.1, 0.15]).eligible == 3.0
