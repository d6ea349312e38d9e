"""Users who come and go: what a process did for one does not go on with the next."""

import numpy as np
import pytest

from perfkit.methods import tracing


@pytest.fixture
def two_users(by_hand):
    """Process 1 serves a user until 200 ms, nobody until 1000 ms, then another."""
    return by_hand(
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


def test_a_process_without_user_is_nowhere(two_users):
    found = tracing.visits(two_users)
    outside = found[found["station"] == tracing.STATIONS.index("outside core")]
    assert outside["from_ms"].tolist() == [180.0, 1000.0, 1000.0]
    assert outside["time_ms"].tolist() == [20.0, 0.0, 300.0]
    assert found["session"].tolist() == [0] * 4 + [1] * 4
    assert found["record"].tolist() == [0, 1, 2, 3, 5, 6, 7, 8]
    assert found["until_record"].tolist() == [1, 2, 3, 4, 6, 7, 8, -1]


def test_a_wait_before_leaving_and_one_after_coming_are_two(two_users):
    waits = tracing.station_waits(two_users)
    assert waits.loc["outside core", ["entries", "mean_ms"]].tolist() == [2, 160.0]
    assert waits["mean_length"].sum() == pytest.approx((1400 - 800) / 1400)


def test_no_transition_leads_from_one_user_to_the_next(two_users):
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
