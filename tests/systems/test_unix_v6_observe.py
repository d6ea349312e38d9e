"""Observing a running machine changes nothing; switching changes what it is told to."""

import numpy as np
import pytest

from perfkit.systems import unix_v6
from perfkit.systems.unix_v6.result import read_out
from perfkit.systems.unix_v6.run import LOOP
from perfkit.systems.unix_v6.state import new_machine

SMALL = unix_v6.Parameters(processes=6, interactions=120)


def test_a_run_with_pauses_is_the_run_without():
    whole = unix_v6.simulate(SMALL, 3)
    machine = new_machine(SMALL, unix_v6.draw_workload(SMALL, 3), 3)
    pauses = 0
    while machine.kernel.users_left:
        LOOP.until(machine, 777.7 * pauses)
        pauses += 1
    assert pauses > 100
    assert read_out(machine, SMALL, 3).measures() == whole.measures()


def test_observations_add_up_to_a_longer_one():
    rows = unix_v6.observe(SMALL, 3, versions=[{}], order=np.zeros(8, int), period_s=20.0)
    long = unix_v6.observe(SMALL, 3, versions=[{}], order=[0], period_s=40.0)[0]
    first = int(np.flatnonzero(rows["start_s"] == long["start_s"])[0])
    for measure in ("swaps_per_min", "characters_per_s"):
        assert rows[measure][first : first + 2].mean() == pytest.approx(long[measure])


def test_a_longer_minimum_time_in_gets_more_done_by_fewer_swaps():
    order = np.arange(60) // 5 % 2
    large = unix_v6.Parameters(process_clicks=(314,), interactions=2000)
    versions = [{"minimum_time_in_s": 0}, {"minimum_time_in_s": 3}]
    rows = unix_v6.observe(large, 1, versions=versions, order=order)
    settled = np.arange(60) % 5 > 0
    hasty, patient = (rows[settled & (order == version)] for version in (0, 1))
    assert patient["swaps_per_min"].mean() < hasty["swaps_per_min"].mean()
    assert patient["characters_per_s"].mean() > hasty["characters_per_s"].mean()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"parameters": {}}, r"observe takes unix_v6\.Parameters\(\.\.\.\), not dict"),
        ({"versions": [{"buffers": 5}]}, "buffers can't be switched on line"),
        ({"versions": []}, "versions must hold at least one dictionary of changes"),
        ({"versions": [5]}, "sequence of dictionaries of changes; 5 is no dictionary"),
        ({"versions": {"minimum_time_in_s": 1}}, "of changes; 'minimum_time_in_s' is no dict"),
        ({"order": np.zeros(1000, int)}, "ask for more interactions"),
        ({"order": [1]}, "name versions by whole numbers from 0 to 0,"),
        ({"order": [True]}, "name versions by whole numbers from 0 to 0,"),
        ({"order": [[0]]}, "name versions by whole numbers from 0 to 0,"),
        ({"order": []}, "name versions by whole numbers from 0 to 0,"),
        ({"period_s": 1 / 60}, r"period_s must be a finite number of 1/30 \(two clock ticks\) or"),
        ({"period_s": np.inf}, "period_s must be a finite number"),
        ({"period_s": [60.0]}, "period_s must be a finite number"),
    ],
)
def test_what_cannot_be_observed_is_refused(given, message):
    with pytest.raises((ValueError, TypeError), match=message):
        unix_v6.observe(**{"parameters": SMALL, "versions": [{}], "order": [0]} | given)
