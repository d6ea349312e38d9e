"""Kinds of other systems: programs that lack one that they need."""

import pytest

from perfkit.methods import tracing


def test_waits_of_a_system_with_little_more_than_queues(by_hand):
    """No suspension, no compaction, no preload, no users who come and go."""
    trace = by_hand(
        (0, "queued", 1, 6),
        (20, "exit_from_supervisor", 1),
        (50, "sleeps", 1),
        (100, "queued", 1, 6),
        only=("queued", "exit_from_supervisor", "sleeps"),
    )
    waits = tracing.station_waits(trace)
    assert waits["mean_ms"].to_dict() == {"run queue 0": 20.0, "processor": 30.0, "removal": 50.0}
    assert waits["mean_length"].tolist() == [0.2, 0.3, 0.5]
    assert tracing.length_distribution(trace).loc["processor"].tolist() == [0.7, 0.3]


@pytest.mark.parametrize(
    ("program", "needed"),
    [
        (tracing.traffic, "preload_begins"),
        (tracing.transfer_times, "demanded_page_arrives"),
        (tracing.compactions, "compaction"),
        (tracing.visits, "exit_from_supervisor"),
        (tracing.station_waits, "queued"),
        (tracing.wait_distribution, "queued"),
        (tracing.length_distribution, "queued"),
        (tracing.residence_stages, "removed_from_core"),
        (tracing.residences, "removed_from_core"),
        (lambda trace: tracing.category_transitions(trace, 20), "queued"),
    ],
)
def test_a_trace_without_records_is_no_error_but_one_without_a_kind_is(by_hand, program, needed):
    program(by_hand())
    with pytest.raises(ValueError, match=f"its system has no records '{needed}'"):
        program(by_hand((0, "wakes", 1), (4000, "sleeps", 1), without=(needed,)))
