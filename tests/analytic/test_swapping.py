"""Brachman's swapping model by hand; Tables IV, V and VIII are held by test_unix_v6_study."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit import published
from perfkit.analytic import swapping

TIMES = st.floats(0.001, 10.0)
COUNTS = st.integers(1, 50)


@given(COUNTS, COUNTS, COUNTS, TIMES, TIMES, TIMES, TIMES, TIMES, TIMES)
def test_ratios_chain(na, nb, nc, ba, bb, bc, sa, sb, sc):
    ab = swapping.elapsed_ratio(na, nb, ba, bb, sa, sb)
    bc_ = swapping.elapsed_ratio(nb, nc, bb, bc, sb, sc)
    assert ab * bc_ == pytest.approx(swapping.elapsed_ratio(na, nc, ba, bc, sa, sc))


def test_the_mixed_run_of_724_s_is_predicted_within_a_second():
    swap = np.repeat([50.7, 69.8], 3)
    elapsed, loaded = [623, 637, 717, 854, 920, 1032], [8, 6, 4, 4, 3, 2]
    found = swapping.predict_elapsed(elapsed, loaded, 5, 40.0, 40.0, swap, swap.mean())
    assert found.mean() == pytest.approx(723.4, abs=0.05)


def test_the_specified_times_by_hand():
    """40 blocks fill a cylinder, and half a block more begins the next one."""
    assert swapping.calculated_block_time() == pytest.approx(67.5 + 2.35 * 0.512)
    full = 67.5 + 2.35 * 20.48
    assert swapping.calculated_swap_times(320) == pytest.approx((full, full + 15.0))
    more = 67.5 + 2.35 * 20.736
    assert swapping.calculated_swap_times(324) == pytest.approx((more + 15.0, more + 30.0))


def test_every_row_loads_the_floor_and_no_more_than_there_are():
    for name in ("table_6", "table_7"):
        rows = published.table("unix_v6", name)
        rows = rows[rows["process_clicks"] != "157/314"]
        found = swapping.processes_loaded(
            rows["memory_clicks"], rows["process_clicks"].astype(float), rows["processes"]
        )
        assert list(found) == list(rows["loaded"])


def test_only_the_fifth_application_departs_from_the_equation():
    gap = [a.ratio_by_equation - a.ratio_by_printed_formula for a in swapping.applications()]
    assert gap[:4] == pytest.approx([0.0] * 4)
    assert swapping.expected_queue(6) == 7
    assert swapping.applications()[4].ratio_by_equation == pytest.approx(1.44 / 1.62)


def test_the_inputs_of_the_applications_are_the_published_ones():
    rows = published.table("unix_v6", "example_inputs")
    for found in swapping.applications():
        given_ = rows[rows["id"] == found.name].set_index("name")["value"]
        assert found.inputs == {name: given_[name] for name in found.inputs}


def test_the_processor_bound_case_by_hand():
    assert swapping.elapsed_without_overlap(100.0, 0.07, [200, 0]) == pytest.approx([114.0, 100.0])
    assert swapping.smallest_quantum(0.07) == 0.14
    assert swapping.swapping_is_hidden(0.14, 0.07, 2)
    assert not swapping.swapping_is_hidden(0.13, 0.07, 2)
    assert not swapping.swapping_is_hidden(1.0, 0.07, 1)
