"""Terminals before a limited memory, against balance equations solved outright."""

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


def test_with_a_limit_it_nears_the_whole_system_as_visits_grow():
    found = memory_constrained(9, 8.0, subsystem_throughput((0.9, 1.3), 3))
    gaps = []
    for visits in (2, 8, 200):
        exact = whole_system(9, 3, 8.0, 0.9, 1.3, visits)
        gaps.append(max(abs(found.eligible / exact[1] - 1), abs(found.dispatchable / exact[2] - 1)))
    assert gaps[0] < 0.15
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.002


def test_no_think_time_keeps_all_users_active():
    found = memory_constrained(5, 0.0, [1.0, 1.5])
    assert (found.eligible, found.dispatchable, found.throughput_per_s) == (3.0, 2.0, 1.5)
    # Too small for its product with a throughput to be a number.
    assert memory_constrained(5, 5e-324, [0.1, 0.15]).eligible == 3.0


@given(
    st.integers(1, 12),
    st.floats(0.1, 50.0),
    st.lists(st.floats(0.1, 10.0), min_size=1, max_size=6),
    st.data(),
)
def test_it_follows_the_balance_equations_and_littles_law(users, think, rates, data):
    limit = data.draw(st.integers(1, len(rates)))
    active = np.arange(users + 1)
    resident = np.minimum(active, limit)

    def moves(k):
        if k < users:
            yield (users - k) / think, k + 1
        if k:
            yield rates[resident[k] - 1], k - 1

    found = memory_constrained(users, think, rates, limit)
    assert found.active_probability == pytest.approx(steady_state(active, moves))
    assert found.dispatchable == pytest.approx(found.active_probability @ resident)
    assert found.thinking + found.eligible + found.dispatchable == pytest.approx(users)
    assert found.throughput_per_s * (found.response_time_s + think) == pytest.approx(users)
    assert found.eligible_time_s * found.throughput_per_s == pytest.approx(found.eligible)
    assert found.eligible_time_s + found.dispatchable_time_s == pytest.approx(found.response_time_s)
    curve = memory_constrained_curve([users], think, rates, limit)
    assert curve.loc[users, "eligible"] == found.eligible
