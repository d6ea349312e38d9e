"""Results by category and by the number of processes awake."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.methods import tracing

BY = ("category", "awake")


@pytest.fixture
def two_paging(by_hand):
    """Process 1 of category 3 preloads and demands; process 2 of category 7 demands."""
    return by_hand(
        (0, "wakes", 1),
        (0, "queued", 1, 1, 3),
        (10, "preload_begins", 1, 5, 3),
        (20, "wakes", 2),
        (110, "preload_ends", 1, 4, 3),
        (120, "demand_drum", 1, 9, 3),
        (150, "demanded_page_arrives", 1, 9, 3),
        (160, "queued", 2, 2, 7),
        (170, "demand_drum", 2, 8, 7),
        (180, "sleeps", 1),
        (180, "page_leaves_at_removal", 1, 9, 1 + 2 + 16),
        (230, "demanded_page_arrives", 2, 8, 7),
        (240, "removed_from_core", 1, 0, 1),
    )


def test_processes_awake_at_the_start_are_those_that_the_records_tell_of(by_hand):
    """Awake at the start: 1, which is queued, and 3, which sleeps later; 4 had left before."""
    trace = by_hand(
        (0, "queued", 1, 6),
        (10, "wakes", 2),
        (20, "sleeps", 3),
        (30, "sleeps", 1),
        (40, "queued", 2, 6),
        (50, "begins_log_out", 2),
        (60, "logged_out", 2),
        (70, "created", 2),
        (70, "wakes", 2),
        (80, "logged_out", 4),
        (90, "sleeps", 1),
    )
    assert tracing.groups(trace, "awake").tolist() == [2, 3, 2, 1, 1, 0, 0, 1, 1, 1, 1]


def test_a_category_holds_from_one_core_queue_to_the_next(by_hand):
    trace = by_hand(
        (0, "wakes", 1, 0, 9),
        (0, "queued", 1, 0, 9),
        (10, "queued", 1, 2, 4),
        (15, "queued", 2, 5, 6),
        (20, "preload_begins", 1, 0, 4),
        (30, "queued", 1, 6, 8),
        (40, "queued", 1, 1, 5),
        (50, "logged_out", 1, 0, 5),
        (60, "created", 1, 0, 0),
        (70, "queued", 1, 1, 0),
        (80, "sleeps", 2),
    )
    found = tracing.groups(trace, "category").tolist()
    assert found == [-1, -1, 4, 6, 4, 4, 5, 5, -1, 0, 6]


def test_a_stay_told_by_two_records_is_of_the_group_in_which_it_begins(by_hand):
    trace = by_hand(
        (0, "wakes", 1),
        (0, "queued", 1, 1, 3),
        (10, "preload_begins", 1),
        (20, "wakes", 2),
        (110, "preload_ends", 1),
        (150, "queued", 1, 6, 3),
    )
    waits = tracing.station_waits(trace, by="awake")
    assert waits.index.names == ["awake", "station"]
    waits = waits.xs("preload", level="station")
    assert waits["entries"].to_dict() == {1: 1, 2: 0}
    assert waits.loc[1, "mean_ms"] == 140.0 and np.isnan(waits.loc[2, "mean_ms"])
    assert waits["mean_length"].to_dict() == {1: 0.5, 2: 1.0}


def test_transfer_times_by_group(two_paging):
    expected = {
        "awake": {1: {"prepaged": 25.0, "written": 60.0}, 2: {"demand_drum": 45.0}},
        "category": {
            3: {"prepaged": 25.0, "demand_drum": 30.0, "written": 60.0},
            7: {"demand_drum": 60.0},
        },
    }
    for by, rows in expected.items():
        found = tracing.transfer_times(two_paging, by=by)
        assert found.name == "ms" and found.index.names[0] == by
        for group, times in rows.items():
            assert found.loc[group].dropna().to_dict() == times


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 12), st.integers(0, 9)), max_size=40))
@settings(max_examples=60)
def test_all_groups_together_are_the_whole(by_hand, steps):
    """Lengths by number awake count by the time for which so many were awake."""
    kinds = ["wakes", "sleeps", "exit_from_supervisor", "logged_out", "created"]
    now, rows = 0, []
    for process, what, wait in steps:
        now += wait
        name = kinds[what] if what < len(kinds) else "queued"
        rows.append((now, name, process, what - 4, what))
    trace = by_hand(*rows, (now + 1, "queues_sampled", -1))
    whole = tracing.station_waits(trace)
    level = tracing.groups(trace, "awake")[:-1]
    assert (level >= 0).all()
    held_ms = np.diff(trace.records["time_ms"])
    share = pd.Series(held_ms).groupby(level).sum() / held_ms.sum()
    for by in BY:
        parts = tracing.station_waits(trace, by=by)
        assert parts["entries"].groupby(level=1).sum().to_dict() == whole["entries"].to_dict()
        lengths = parts["mean_length"].fillna(0.0)
        if by == "awake":
            lengths = lengths * share.reindex(parts.index.get_level_values(0)).to_numpy()
        lengths = lengths.groupby(level=1).sum().reindex(whole.index)
        np.testing.assert_allclose(lengths, whole["mean_length"], atol=1e-12)


def test_groups_that_a_trace_can_not_tell_are_refused(by_hand):
    for by, name in (("category", "queued"), ("awake", "wakes"), ("awake", "sleeps")):
        with pytest.raises(ValueError, match=f"its system has no records '{name}'"):
            tracing.transfer_times(by_hand(without=[name]), by=by)
