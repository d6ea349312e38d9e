"""Brachman's swapping model against the digits he printed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit import published
from perfkit.analytic import swapping

TIMES = st.floats(0.001, 10.0)
COUNTS = st.integers(1, 50)
PN_12_RUNS = [
    (623, 8, 50.7),
    (637, 6, 50.7),
    (717, 4, 50.7),
    (854, 4, 69.8),
    (920, 3, 69.8),
    (1032, 2, 69.8),
]


def predictions(target, block_time):
    return np.array(
        [
            swapping.predict_elapsed(t, n, target[1], block_time, block_time, s, target[2])
            for t, n, s in PN_12_RUNS
            if (t, n, s) != target
        ]
    )


@given(COUNTS, COUNTS, COUNTS, TIMES, TIMES, TIMES, TIMES, TIMES, TIMES)
def test_ratios_chain(na, nb, nc, ba, bb, bc, sa, sb, sc):
    ab = swapping.elapsed_ratio(na, nb, ba, bb, sa, sb)
    bc_ = swapping.elapsed_ratio(nb, nc, bb, bc, sb, sc)
    assert ab * bc_ == pytest.approx(swapping.elapsed_ratio(na, nc, ba, bc, sa, sc))


def test_table_viii_is_equation_3_1_with_a_block_time_of_40_ms():
    printed = published.table("unix_v6", "table_8", readings=True).set_index("measured_s")
    for run in PN_12_RUNS:
        found = predictions(run, 40.0)
        assert round(found.mean(), 1) == printed.loc[run[0], "predicted_mean_s"]
        assert round(found.std(ddof=1), 1) == printed.loc[run[0], "predicted_sd_s"]


def test_the_measured_block_time_does_not_give_table_viii():
    assert round(predictions(PN_12_RUNS[5], 39.8).mean(), 1) == 1043.9


def test_the_mixed_run_is_predicted_within_a_second():
    swap = (50.7 + 69.8) / 2
    found = [swapping.predict_elapsed(t, n, 5, 40.0, 40.0, s, swap) for t, n, s in PN_12_RUNS]
    assert np.mean(found) == pytest.approx(724, abs=1.0)


def test_table_iv_is_access_transfer_and_cylinder_crossings():
    printed = published.table("unix_v6", "table_4", readings=True)
    least, greatest = swapping.calculated_swap_times(printed["process_clicks"].to_numpy())
    assert list(least.round(1)) == list(printed["calculated_min_ms"])
    assert list(greatest.round(1)) == list(printed["calculated_max_ms"])


def test_table_v_is_access_and_transfer():
    printed = published.table("unix_v6", "table_5")["calculated_ms"].item()
    assert round(swapping.calculated_block_time(), 1) == printed


def test_the_specified_times_by_hand():
    """40 blocks fill a cylinder, and half a block more begins the next one."""
    assert swapping.calculated_block_time() == pytest.approx(67.5 + 2.35 * 0.512)
    full = 67.5 + 2.35 * 20.48
    assert swapping.calculated_swap_times(320) == pytest.approx((full, full + 15.0))
    more = 67.5 + 2.35 * 20.736
    assert swapping.calculated_swap_times(324) == pytest.approx((more + 15.0, more + 30.0))
    other = swapping.calculated_swap_times(320, 50.0, 1.0, 10.0, 20, 1024)
    assert other == pytest.approx((70.48, 80.48))
    assert swapping.calculated_swap_times(320, 50.0, 1.0, 10.0, 20)[0] == pytest.approx(80.48)


def test_every_row_loads_the_floor_and_no_more_than_there_are():
    for name in ("table_6", "table_7"):
        rows = published.table("unix_v6", name)
        rows = rows[rows["process_clicks"] != "157/314"]
        found = swapping.processes_loaded(
            rows["memory_clicks"], rows["process_clicks"].astype(float), rows["processes"]
        )
        assert list(found) == list(rows["loaded"])


def test_the_applications_print_what_their_formulas_give():
    printed = published.table("unix_v6", "examples").set_index("id")["printed_ratio"]
    for found in swapping.applications():
        assert round(found.ratio_by_printed_formula, 2) == printed[found.name]


def test_only_the_fifth_application_departs_from_the_equation():
    gap = [a.ratio_by_equation - a.ratio_by_printed_formula for a in swapping.applications()]
    assert gap[:4] == pytest.approx([0.0] * 4)
    assert swapping.applications()[4].ratio_by_equation == pytest.approx(1.44 / 1.62)


def test_the_inputs_of_the_applications_are_the_published_ones():
    rows = published.table("unix_v6", "example_inputs")
    for found in swapping.applications():
        given_ = rows[rows["id"] == found.name].set_index("name")["value"]
        assert found.inputs == {name: given_[name] for name in found.inputs}


def test_the_worked_queue_ratio_is_within_three_percent():
    assert swapping.elapsed_by_queue(717, 4.8, 3.4) == pytest.approx(987, rel=0.03)


def test_the_queue_ratio_breaks_down_at_354_ms():
    assert round(swapping.elapsed_by_queue(623, 8.6, 3.8)) == 1410


def test_the_processor_bound_case_by_hand():
    assert swapping.elapsed_without_overlap(100.0, 0.07, [200, 0]) == pytest.approx([114.0, 100.0])
    assert swapping.smallest_quantum(0.07) == 0.14
    assert swapping.swapping_is_hidden(0.14, 0.07, 2)
    assert not swapping.swapping_is_hidden(0.13, 0.07, 2)
    assert not swapping.swapping_is_hidden(1.0, 0.07, 1)
