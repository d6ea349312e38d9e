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


def test_what_cannot_be_switched_is_refused():
    with pytest.raises(ValueError, match="buffers can't be switched on line"):
        unix_v6.observe(SMALL, versions=[{"buffers": 5}], order=[0])
    with pytest.raises(ValueError, match="ask for more interactions"):
        unix_v6.observe(SMALL, versions=[{}], order=np.zeros(1000, int))


def test_orders_that_name_no_versions_and_versions_that_are_no_changes_are_refused():
    for order in ([1], [-1], [], [0.5], [True], [[0]], 0, "0", [None]):
        with pytest.raises(ValueError, match="name versions by whole numbers from 0 to 0,"):
            unix_v6.observe(SMALL, versions=[{}], order=order)
    with pytest.raises(ValueError, match="versions must hold at least one dictionary of changes"):
        unix_v6.observe(SMALL, versions=[], order=[0])
    for versions in ([5], {"minimum_time_in_s": 1}, ["minimum_time_in_s"]):
        with pytest.raises(TypeError, match=r"sequence of dictionaries of changes; .* is no dict"):
            unix_v6.observe(SMALL, versions=versions, order=[0])
    with pytest.raises(TypeError, match=r"observe takes unix_v6.Parameters\(...\), not dict"):
        unix_v6.observe({}, versions=[{}], order=[0])


@pytest.mark.parametrize(
    "period_s", [0.0, -1.0, 1e-9, 1 / 60, np.nan, np.inf, "60", None, True, [60.0]]
)
def test_a_period_that_no_clock_tick_falls_into_is_refused(period_s):
    with pytest.raises(
        ValueError, match=r"period_s must be a finite number of 1/30 \(two clock ticks\) or"
    ):
        unix_v6.observe(SMALL, versions=[{}], order=[0], period_s=period_s)
