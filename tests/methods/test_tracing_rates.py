"""Paging rates by interval and by class of rates, by hand."""

import numpy as np
import pandas as pd
import pytest

from perfkit.methods import tracing


def test_paging_rates_by_hand(by_hand):
    """Transfers count where they are asked for; awaited shared pages and the drum's apart."""
    trace = by_hand(
        (1000, "demand_disc", 1),
        (1000, "preload_begins", 4, 6),
        (1100, "demanded_page_arrives", 1),
        (1100, "preload_ends", 4, 4),
        (1200, "demand_in_core", 5),
        (2900, "demand_drum", 2),
        (2900, "demand_in_core", 3),
        (2910, "demanded_page_arrives", 3),
        (3100, "demanded_page_arrives", 2),
        (3200, "demand_drum", 1),
        (3500, "demanded_page_arrives", 1),
        (5900, "demand_drum", 1),
        (6000, "demanded_page_arrives", 1),
    )
    rates = tracing.paging_rates(trace)
    assert rates["rate"].tolist() == [3.0, 0.5]
    assert rates["prepaging"].tolist() == [2.0, 0.0]
    assert rates["prepaging_ms"][0] == 25.0 and np.isnan(rates["prepaging_ms"][1])
    assert rates["demand"].tolist() == [1.0, 0.5]
    assert rates["demand_ms"].tolist() == [150.0, 300.0]
    assert rates["demand_drum"].tolist() == [0.5, 0.5]
    assert rates["demand_drum_ms"].tolist() == [200.0, 300.0]
    assert rates["demand_shared"].tolist() == [0.5, 0.0]
    assert rates["demand_shared_ms"][0] == 10.0
    assert [len(tracing.paging_rates(trace, length)) for length in (5.0, 0.5)] == [1, 10]


def test_three_tenths_of_a_second_are_three_intervals_of_a_tenth(by_hand):
    trace = by_hand((0, "wakes", 1), (250, "demand_disc", 1, 9), (300, "wakes", 3))
    assert trace.seconds / 0.1 < 3.0
    assert len(tracing.paging_rates(trace, 0.1)) == 3


def test_classes_weight_times_by_transfers_and_no_interval_is_left_out():
    """(10 + 3 * 30) / 4 ms of the first two intervals."""
    rates = pd.DataFrame({"rate": [0.0, 10.0, 10.5, 25.0], "prepaging": [1.0, 3.0, 0.0, 2.0]})
    rates["prepaging_ms"] = [10.0, 30.0, np.nan, 20.0]
    rates["demand"], rates["demand_drum"] = 1.0, 0.0
    rates["demand_ms"], rates["demand_drum_ms"] = 5.0, np.nan
    found = tracing.rate_classes(rates, [0, 10, 20, np.inf])
    assert found["intervals"].tolist() == [2, 1, 1]
    assert found["rate"].tolist() == [5.0, 10.5, 25.0]
    assert found["prepaging"].tolist() == [2.0, 0.0, 2.0]
    assert found["prepaging_ms"].dropna().tolist() == [25.0, 20.0]
    assert found["demand_ms"].tolist() == [5.0] * 3 and found["demand_drum_ms"].isna().all()
    for edges, outside in (([0, 10], 2), ([1, 30], 1)):
        with pytest.raises(ValueError, match=f"^edges leave out {outside} of 4 intervals: they"):
            tracing.rate_classes(rates, edges)
