"""Paging rates: awaited shared pages apart, and no interval that no class holds."""

import numpy as np
import pandas as pd
import pytest

from perfkit.methods import tracing


@pytest.fixture
def rates():
    """Intervals of 0, 10, 10.5 and 25 transfers a second, all prepaged, 20 ms each."""
    frame = pd.DataFrame({"rate": [0.0, 10.0, 10.5, 25.0]})
    frame["prepaging"] = frame["rate"]
    frame["prepaging_ms"] = [np.nan, 20.0, 20.0, 20.0]
    frame["demand"] = frame["demand_drum"] = 0.0
    frame["demand_ms"] = frame["demand_drum_ms"] = np.nan
    return frame


def test_awaited_shared_pages_are_told_beside_the_rate(by_hand):
    """Two waits of 10 and 30 ms in the first interval; the third page was in core."""
    trace = by_hand(
        (0, "demand_in_core", 1),
        (10, "demanded_page_arrives", 1),
        (20, "demand_in_core", 1),
        (30, "demand_in_core", 1),
        (60, "demanded_page_arrives", 1),
        (100, "demand_disc", 1),
        (500, "demanded_page_arrives", 1),
        (4000, "wakes", 2),
    )
    found = tracing.paging_rates(trace)
    assert found["demand_shared"].tolist() == [1.0, 0.0]
    assert found["demand_shared_ms"][0] == 20.0 and np.isnan(found["demand_shared_ms"][1])
    assert found["rate"].tolist() == found["demand"].tolist() == [0.5, 0.0]
    assert found["demand_ms"][0] == 400.0


def test_the_lowest_edge_and_an_open_class_hold_their_intervals(rates):
    found = tracing.rate_classes(rates, [0, 10, 20, np.inf])
    assert found["intervals"].tolist() == [2, 1, 1]
    assert found["rate"].tolist() == [5.0, 10.5, 25.0]
    assert found["prepaging_ms"].tolist() == [20.0] * 3
    assert found["demand_ms"].isna().all()
    assert tracing.rate_classes(rates, [-1, 0, 25])["intervals"].tolist() == [1, 3]


@pytest.mark.parametrize(("edges", "outside"), [([0, 10], 2), ([1, 30], 1), ([10, 20], 2)])
def test_edges_that_leave_out_intervals_are_refused(rates, edges, outside):
    message = (
        f"^edges leave out {outside} of 4 intervals: they must reach from 0.0 or less to 25.0"
        " or more, such as infinity[.]$"
    )
    with pytest.raises(ValueError, match=message):
        tracing.rate_classes(rates, edges)
