"""Results of traces by category, by the number awake, by user, and as distributions."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.methods import tracing

BY = ("category", "awake")


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


def test_joining_again_is_another_stay_two_records_of_a_preload_are_one_where_it_begins(by_hand):
    trace = by_hand(
        (0, "wakes", 1),
        (0, "queued", 1, 1, 3),
        (4, "queued", 1, 1, 3),
        (10, "preload_begins", 1),
        (20, "wakes", 2),
        (110, "preload_ends", 1),
        (150, "queued", 1, 6, 3),
    )
    waits = tracing.station_waits(trace, by="awake")
    assert waits.index.names == ["awake", "station"]
    assert waits.loc[(1, "core queue 1"), ["entries", "mean_ms"]].tolist() == [2, 5.0]
    waits = waits.xs("preload", level="station")
    assert waits["entries"].to_dict() == {1: 1, 2: 0}
    assert waits.loc[1, "mean_ms"] == 140.0 and np.isnan(waits.loc[2, "mean_ms"])
    assert waits["mean_length"].to_dict() == {1: 0.5, 2: 1.0}


def test_transfer_times_by_group(by_hand):
    """Process 1 of category 3 preloads and demands; process 2 of category 7 demands."""
    two_paging = by_hand(
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


def test_a_process_without_user_is_nowhere_and_what_it_did_does_not_go_on_with_the_next(by_hand):
    """Process 1 serves a user until 200 ms, nobody until 1000 ms, then another."""
    two_users = by_hand(
        (0, "queued", 1, 1, 4),
        (100, "exit_from_supervisor", 1),
        (150, "begins_log_out", 1, 0, 4),
        (180, "removed_from_core", 1),
        (200, "logged_out", 1, 0, 4),
        (1000, "created", 1, 0, 0),
        (1000, "wakes", 1),
        (1300, "queued", 1, 1, 0),
        (1400, "queued", 1, 2, 3),
    )
    found = tracing.visits(two_users)
    outside = found[found["station"] == tracing.STATIONS.index("outside core")]
    assert outside["from_ms"].tolist() == [180.0, 1000.0, 1000.0]
    assert outside["time_ms"].tolist() == [20.0, 0.0, 300.0]
    assert found["session"].tolist() == [0] * 4 + [1] * 4
    assert found["record"].tolist() == [0, 1, 2, 3, 5, 6, 7, 8]
    assert found["until_record"].tolist() == [1, 2, 3, 4, 6, 7, 8, -1]
    waits = tracing.station_waits(two_users)
    assert waits.loc["outside core", ["entries", "mean_ms"]].tolist() == [2, 160.0]
    assert waits["mean_length"].sum() == pytest.approx((1400 - 800) / 1400)
    matrix = tracing.category_transitions(two_users, 5)
    assert np.argwhere(matrix).tolist() == [[0, 3]]
    assert matrix.sum() == 1


def test_what_is_told_of_a_process_without_user_is_left_out(by_hand):
    rows = (
        (0, "queued", 1, 1, 4),
        (100, "logged_out", 1),
        (200, "queued", 1, 2, 3),
        (300, "queued", 1, 3, 2),
    )
    found = tracing.visits(by_hand(*rows, (400, "created", 1), (450, "queued", 1, 1, 1)))
    assert found["from_ms"].tolist() == [0.0, 400.0, 450.0]
    assert found["time_ms"].tolist()[:2] == [100.0, 50.0]
    assert tracing.category_transitions(by_hand(*rows), 5).sum() == 0
    never_created = by_hand(*rows, without=["created"])
    assert tracing.visits(never_created)["time_ms"].tolist()[:2] == [100.0, 100.0]
    assert np.argwhere(tracing.category_transitions(never_created, 5)).tolist() == [[3, 2]]


def test_a_new_user_ends_the_last_one_s_session_at_a_time_unknown(by_hand):
    trace = by_hand(
        (0, "queued", 1, 1, 4),
        (400, "created", 1),
        (450, "queued", 1, 1, 1),
        without=["logged_out"],
    )
    found = tracing.visits(trace)
    assert found["time_ms"].isna().tolist() == [True, False, True]
    assert tracing.category_transitions(trace, 5).sum() == 0


def test_quantiles_of_waits_and_shares_of_the_time_by_length(by_hand):
    """In run queue 0: process 1 from 0 to 100 and 300 to 400 ms, process 2 from 50 to 250.

    Waits of 100, 100 and 200 ms; one preload of 200 ms, told by two records.
    """
    queueing = by_hand(
        (0, "queued", 1, 6),
        (50, "queued", 2, 6),
        (100, "preload_begins", 1),
        (250, "exit_from_supervisor", 2),
        (290, "preload_ends", 1),
        (300, "queued", 1, 6),
        (400, "exit_from_supervisor", 1),
    )
    found = tracing.wait_distribution(queueing, quantiles=(0, 0.5, 0.75, 1))
    assert found.columns.tolist() == [0.0, 0.5, 0.75, 1.0]
    assert found.loc["run queue 0"].tolist() == [100.0, 100.0, 150.0, 200.0]
    assert found.loc["preload"].tolist() == [200.0] * 4
    assert found.index.tolist() == ["run queue 0", "preload"]
    assert tracing.wait_distribution(queueing).shape == (2, 5)
    # None from 250 to 300 ms, two from 50 to 100 ms, else one.
    found = tracing.length_distribution(queueing)
    assert found.columns.tolist() == [0, 1, 2]
    assert found.loc["run queue 0"].tolist() == [0.125, 0.75, 0.125]
    assert found.loc["preload"].tolist() == [0.5, 0.5, 0.0]


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 8), st.floats(0.001, 9)), min_size=2))
@settings(max_examples=60)
def test_visits_cover_all_time_and_distributions_have_the_means_of_the_waits(by_hand, steps):
    now, rows = 0.0, []
    for process, queue, wait in steps:
        now += wait
        name = "preload_begins" if queue == 0 else "queued"
        rows.append((now, name, process, queue, 0))
    trace = by_hand(*rows)
    waits, found = tracing.station_waits(trace), tracing.visits(trace)
    by_process = pd.DataFrame(rows).groupby(2)[0]
    covered = found.groupby("process")["time_ms"].sum()
    np.testing.assert_allclose(covered, by_process.max() - by_process.min())
    lengths = tracing.length_distribution(trace, found)
    assert lengths.index.tolist() == waits.index.tolist()
    np.testing.assert_allclose(lengths.sum(axis=1), 1.0)
    means = lengths.to_numpy() @ lengths.columns.to_numpy(float)
    np.testing.assert_allclose(means, waits["mean_length"], rtol=1e-9)
    ends = tracing.wait_distribution(trace, found, quantiles=(0, 1))
    assert (ends[0.0] <= waits["mean_ms"] * (1 + 1e-12)).all()
    assert (ends[1.0] >= waits["mean_ms"] * (1 - 1e-12)).all()
