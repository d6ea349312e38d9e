"""Working sets by counting, thrashing and limited memory by balance equations, the drum."""

import dataclasses
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import steady_state

from perfkit.analytic import drum, multiprogramming, paging, references
from perfkit.analytic.multiprogramming import (
    memory_constrained,
    memory_constrained_curve,
    subsystem_throughput,
)
from perfkit.des.devices import Disc, transfer_end

STRINGS = st.lists(st.integers(0, 7), min_size=1, max_size=60)


@given(STRINGS, st.integers(1, 80))
def test_working_sets_are_what_counting_gives(string, window):
    """Mean size, and share of missing references, as the window walks over the string."""
    sizes = [len(set(string[max(0, i + 1 - window) : i + 1])) for i in range(len(string))]
    missing = [page not in string[max(0, i - window) : i] for i, page in enumerate(string)]
    found = references.working_sets(string, [window])
    expected = np.mean(sizes), np.mean(missing)
    assert (found.mean_pages[0], found.missing_rate[0]) == pytest.approx(expected)


@given(STRINGS, st.data())
def test_pages_since_activation_are_what_counting_gives(string, data):
    length = data.draw(st.integers(1, len(string)))
    starts = range(len(string) - length + 1)
    found = references.pages_since_activation(string, length)
    for after in range(length + 1):
        expected = np.mean([len(set(string[i : i + after])) for i in starts])
        assert found[after] == pytest.approx(expected)


def test_dennings_and_belady_and_kuehners_relations_by_hand():
    assert paging.lifetime(3.0, 2.0) == pytest.approx(18)
    assert paging.lifetime([1, 4], 2.0, 1.5) == pytest.approx([2, 16])
    assert paging.duty_factor(0.010, 0.040) == pytest.approx(0.2)
    assert paging.memory_for_processors(2, 20, 0.010, 0.040) == pytest.approx(200)


@given(
    st.floats(0.01, 1.0),
    st.floats(100.0, 500.0),
    st.lists(st.floats(20.0, 500.0), min_size=1, max_size=8),
    st.integers(1, 8),
)
def test_thrashing_follows_the_balance_equations(limit, memory, rates, programs):
    def lifetime(pages):
        return limit / (1 + (40 / pages) ** 2)

    def moves(waiting):
        if waiting < programs:
            yield 1 / between, waiting + 1
        if waiting:
            yield rates[min(waiting, len(rates)) - 1], waiting - 1

    between = lifetime(memory / programs)
    found = paging.thrashing_curve(lifetime, memory, rates, 8, 2.0)
    chances = steady_state(range(programs + 1), moves)
    busy = chances[:programs].sum()
    faults = busy / between
    expected = {
        "processor_useful": busy,
        "device_busy": faults / max(rates),
        "faults_per_s": faults,
        "traverse_time_s": chances @ np.arange(programs + 1) / faults,
        "throughput_per_s": busy / 2.0,
    }
    assert found.to_frame().loc[programs, list(expected)].to_dict() == pytest.approx(expected)


def test_throughput_rises_then_collapses_and_the_rules_stand_near_the_top():
    curve = paging.thrashing_curve(lambda pages: 0.08 / (1 + (60 / pages) ** 2), 300.0, 50.0, 30)
    found = paging.choose_degree(curve, 0.020)
    best = curve.throughput_per_s.max()
    assert curve.throughput_per_s == pytest.approx(curve.processor_useful)
    assert 1 < found.loc["greatest_throughput", "programs"] < 30
    assert curve.throughput_per_s[-1] < 0.5 * best
    assert found.loc["knee", "programs"] == 5
    assert np.all(found["throughput_per_s"] > 0.85 * best)


def test_each_rule_by_hand():
    """Lifetime over memory is greatest with 1, and 3 reach the greatest throughput first."""
    curve = dataclasses.replace(
        paging.thrashing_curve(np.sqrt, 60.0, 1.0, 5),
        lifetime_s=np.array([0.9, 0.4, 0.2, 0.1, 0.05]),
        device_busy=np.array([0.4, 0.5, 0.51, 0.7, 0.8]),
        throughput_per_s=np.array([1.0, 1.99, 2.0, 2.0, 1.5]),
    )
    frame = paging.choose_degree(curve, 0.1)
    assert frame["programs"].to_dict() == {
        "greatest_throughput": 3,
        "knee": 1,
        "lifetime_equals_service": 4,
        "half_busy": 2,
    }
    assert list(frame["throughput_per_s"]) == [2.0, 1.0, 2.0, 1.99]


def test_long_strings_take_neither_minutes_nor_gigabytes():
    began = perf_counter()
    assert references.pages_since_activation(range(200_000), 100_000)[-1] == pytest.approx(100_000)
    assert perf_counter() - began < 10


@given(st.floats(0.001, 0.1), st.integers(1, 40), st.floats(0.001, 0.999))
def test_an_idle_drum_turns_to_any_sector_alike(revolution, sectors, part):
    """Over all sectors, from a moment within a sector, as the simulated device has it."""
    device = Disc(np.zeros(2), 1, sectors, revolution, 0.0, 0.0, 0.0)
    now = (7 + part) * revolution / sectors
    each = [transfer_end(device, now, target, 1) - now for target in range(sectors)]
    mean = np.mean(each) + (part - 0.5) * revolution / sectors
    assert revolution * (0.5 + 1.0 / sectors) == pytest.approx(mean)


def test_the_sim61_drum_pages_at_its_limit():
    limit = drum.greatest_rate(0.0172, 1)
    assert round(limit) == 58
    assert 2 * limit == pytest.approx(114, rel=0.02)


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
