"""Levels against areas worked by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.des.counters import (
    change_level,
    difference,
    mean_level,
    new_levels,
    ratio,
    read,
    restart_level,
)
from perfkit.des.records import fields, record, records


def test_a_restart_forgets_the_past_but_keeps_the_value():
    level = new_levels(1)[0]
    change_level(level, 1.0, 8.0)
    change_level(level, 2.0, 4.0)
    restart_level(level, 10.0)
    assert level.peak == 4.0
    change_level(level, 12.0, 1.0)  # 4 for 2
    assert mean_level(level, 10.0, 16.0) == pytest.approx((8.0 + 4.0) / 6.0)  # 1 for 4
    assert level.peak == 4.0


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


def test_counters_since_a_moment_are_differences_of_copies():
    machine = SimpleNamespace(
        kernel=record(fields("pages", "now_ms")),
        levels=new_levels(2),
        devices=records(2, fields("operations")),
    )
    change_level(machine.levels[1], 0.0, 3.0)
    earlier = read(machine, ["pages"], devices=machine.devices)
    machine.kernel.now_ms, machine.kernel.pages = 4.0, 7
    machine.devices.operations[1] += 5
    found = difference(read(machine, ["pages"], devices=machine.devices), earlier)
    assert found["pages"] == 7 and found["now_ms"] == 4.0
    assert found["areas"].tolist() == [0.0, 12.0]
    assert found["devices"]["operations"].tolist() == [0, 5]
    assert ratio(found["pages"], 2) == 3.5 and np.isnan(ratio(1, 0))
