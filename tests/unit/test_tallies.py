"""Levels against areas worked by hand, ticks against literal counting."""

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perfkit.des.tallies import (
    change_level,
    mean_level,
    new_levels,
    restart_level,
    ticks_between,
)


def test_a_mean_level_is_its_area_over_the_time():
    level = new_levels(1)[0]
    change_level(level, 2.0, 3.0)  # 0 for 2
    change_level(level, 5.0, 1.0)  # 3 for 3
    assert level.area == 9.0
    assert mean_level(level, 0.0, 9.0) == pytest.approx(13.0 / 9.0)  # 1 for 4
    assert level.peak == 3.0


def test_asking_for_the_mean_changes_nothing():
    level = new_levels(1)[0]
    change_level(level, 1.0, 2.0)
    before = level.tolist()
    assert mean_level(level, 0.0, 3.0) == mean_level(level, 0.0, 3.0)
    assert level.tolist() == before


def test_a_restart_forgets_the_past_but_keeps_the_value():
    level = new_levels(1)[0]
    change_level(level, 1.0, 8.0)
    change_level(level, 2.0, 4.0)
    restart_level(level, 10.0)
    assert level.peak == 4.0
    change_level(level, 12.0, 1.0)  # 4 for 2
    assert mean_level(level, 10.0, 16.0) == pytest.approx((8.0 + 4.0) / 6.0)  # 1 for 4
    assert level.peak == 4.0


def test_two_changes_at_one_time_count_the_peak_but_no_area():
    level = new_levels(1)[0]
    change_level(level, 1.0, 5.0)
    change_level(level, 1.0, 2.0)
    assert level.area == 0.0
    assert level.peak == 5.0


def test_levels_of_one_array_are_independent():
    levels = new_levels(2)
    change_level(levels[0], 1.0, 2.0)
    change_level(levels[0], 3.0, 0.0)
    assert mean_level(levels[0], 0.0, 4.0) == 1.0
    assert mean_level(levels[1], 0.0, 4.0) == 0.0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), min_size=1, max_size=30))
def test_a_level_of_whole_numbers_has_the_area_counted_unit_by_unit(changes):
    level = new_levels(1)[0]
    now, value, area = 0, 0, 0
    for lasts, new_value in changes:
        area += value * lasts
        now += lasts
        value = new_value
        change_level(level, float(now), float(value))
    assert level.area == area
    assert level.peak == max(new_value for _, new_value in changes)


def literal_ticks(start, end, period):
    """Count the multiples of ``period`` in (start, end], one at a time."""
    ticks, tick = 0, 1
    while tick * period <= end:
        ticks += tick * period > start
        tick += 1
    return ticks


@pytest.mark.parametrize(
    ("start", "end", "ticks"),
    [(0.0, 0.0, 0), (0.0, 9.9, 0), (0.0, 10.0, 1), (10.0, 20.0, 1), (9.9, 30.1, 3), (5.0, 9.0, 0)],
)
def test_a_tick_at_the_end_counts_and_one_at_the_start_does_not(start, end, ticks):
    assert ticks_between(start, end, 10.0) == ticks


@settings(max_examples=200, deadline=None)
@given(
    st.floats(0.0, 200.0),
    st.floats(0.0, 200.0),
    st.sampled_from([0.5, 1.0, 16.0, 1000.0 / 60.0]),
)
def test_ticks_agree_with_literal_counting(start, length, period):
    end = start + length
    # A time within rounding of a tick may fall to either side of it.
    near = [abs(t / period - round(t / period)) for t in (start, end)]
    assume(all(distance > 1e-9 or distance == 0.0 for distance in near))
    assert ticks_between(start, end, period) == literal_ticks(start, end, period)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0.0, 1e6), min_size=2, max_size=20))
def test_ticks_of_adjoining_spans_add_up(times):
    times.sort()
    parts = [ticks_between(a, b, 16.7) for a, b in pairwise(times)]
    assert sum(parts) == ticks_between(times[0], times[-1], 16.7)
