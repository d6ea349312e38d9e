"""Working sets by counting, thrashing by balance equations."""

import dataclasses
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import steady_state

from perfkit.analytic import paging, references

STRINGS = st.lists(st.integers(0, 7), min_size=1, max_size=60)


def count_working_sets(string, window):
    """Walk the window over the string: mean size, and share of missing references."""
    sizes = [len(set(string[max(0, i + 1 - window) : i + 1])) for i in range(len(string))]
    missing = [page not in string[max(0, i - window) : i] for i, page in enumerate(string)]
    return np.mean(sizes), np.mean(missing)


@given(STRINGS, st.integers(1, 80))
def test_working_sets_are_what_counting_gives(string, window):
    found = references.working_sets(string, [window])
    expected = count_working_sets(string, window)
    assert (found.mean_pages[0], found.missing_rate[0]) == pytest.approx(expected)


@given(STRINGS, st.data())
def test_pages_since_activation_are_what_counting_gives(string, data):
    length = data.draw(st.integers(1, len(string)))
    starts = range(len(string) - length + 1)
    found = references.pages_since_activation(string, length)
    for after in range(length + 1):
        expected = np.mean([len(set(string[i : i + after])) for i in starts])
        assert found[after] == pytest.approx(expected)


def test_belady_and_kuehners_lifetime_by_hand():
    assert paging.lifetime(3.0, 2.0) == pytest.approx(18)
    assert paging.lifetime([1, 4], 2.0, 1.5) == pytest.approx([2, 16])


def test_dennings_relations_by_hand():
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
