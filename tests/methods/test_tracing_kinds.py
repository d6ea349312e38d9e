"""Kinds of other systems: programs that lack one that they need."""

import pytest

from perfkit.methods import tracing

PROGRAMS = {
    "traffic": tracing.traffic,
    "transfer_times": tracing.transfer_times,
    "paging_rates": tracing.paging_rates,
    "compactions": tracing.compactions,
    "visits": tracing.visits,
    "station_waits": tracing.station_waits,
    "wait_distribution": tracing.wait_distribution,
    "length_distribution": tracing.length_distribution,
    "residence_stages": tracing.residence_stages,
    "residences": tracing.residences,
    "category_transitions": lambda trace: tracing.category_transitions(trace, 20),
}


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("traffic", "preload_begins"),
        ("transfer_times", "demanded_page_arrives"),
        ("paging_rates", "demanded_page_arrives"),
        ("compactions", "compaction"),
        ("visits", "exit_from_supervisor"),
        ("residence_stages", "removed_from_core"),
        ("residences", "removed_from_core"),
    ],
)
def test_what_a_program_can_not_do_without(by_hand, program, name):
    trace = by_hand((0, "wakes", 1), (4000, "sleeps", 1), without=(name,))
    with pytest.raises(ValueError, match=f"its system has no records '{name}'"):
        PROGRAMS[program](trace)


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


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_trace_without_records_is_no_error_but_of_an_interval(by_hand, program):
    if program == "paging_rates":
        with pytest.raises(ValueError, match="at most the trace's 0 s"):
            tracing.paging_rates(by_hand())
    else:
        PROGRAMS[program](by_hand())
