"""Levels against areas counted unit by unit."""

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

CHANGES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9), st.booleans()), max_size=30)


@settings(max_examples=100, deadline=None)
@given(CHANGES)
def test_a_level_of_whole_numbers_has_the_area_and_peak_since_it_was_last_restarted(changes):
    level = new_levels(1)[0]
    since = now = value = area = peak = 0
    for lasts, new_value, restarts in changes:
        now += lasts
        area += value * lasts
        if restarts:
            restart_level(level, float(now))
            since, area, peak = now, 0, value
        value = new_value
        peak = max(peak, value)
        change_level(level, float(now), float(value))
    assert (level.area, level.peak) == (area, peak)
    mean = (area + 4 * value) / (now + 4 - since)
    assert mean_level(level, float(since), now + 4.0) == pytest.approx(mean)


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
