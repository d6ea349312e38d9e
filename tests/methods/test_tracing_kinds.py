"""Kinds of other systems: several of one name, and programs that lack one that they need."""

import dataclasses
from enum import IntEnum
from types import SimpleNamespace

import numpy as np
import pytest

from perfkit.des.trace import EVENT
from perfkit.methods import tracing
from perfkit.systems import tss360

FAULTS = {
    "page_fault": "demand_drum",
    "sharable_fault": "demand_drum",
    "page_in": "demanded_page_arrives",
}
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
    "queue_samples": tracing.queue_samples,
}


@pytest.fixture
def two_faults():
    """A private page waited for during 30 ms, a sharable one during 50 ms; both renamed."""
    events = IntEnum("E", {"PAGE_FAULT": 0, "SHARABLE_FAULT": 1, "PAGE_IN": 2, "ELSE": 3})
    records = np.zeros(5, EVENT)
    records["time_ms"] = [0, 30, 100, 150, 1000]
    records["kind"] = [0, 2, 1, 2, 3]
    run = SimpleNamespace(trace=records, counts={}, parameters=SimpleNamespace())
    return tracing.Trace.of(run, events, FAULTS)


@pytest.fixture
def of_tss360():
    p = tss360.Parameters(settle_s=0.0, measured_s=60.0)
    return tracing.Trace.of(tss360.simulate(p, trace=100_000), tss360.state.Event, FAULTS)


def test_all_kinds_of_one_name_are_its_records(two_faults, tmp_path):
    tracing.save(two_faults, tmp_path / "two.npz")
    for trace in (two_faults, tracing.load(tmp_path / "two.npz")):
        assert trace.numbers("demand_drum") == [0, 1]
        assert trace.numbers("wakes") == []
        assert trace.having("demand_drum")["time_ms"].tolist() == [0, 100]
        expected = {"demand_drum": 2, "demanded_page_arrives": 2, "else": 1}
        assert trace.counts().to_dict() == expected
    with pytest.raises(ValueError, match="'demand_drum' is the name of 2 kinds"):
        two_faults.number("demand_drum")


def test_all_kinds_of_one_name_are_waited_for(two_faults):
    assert tracing.transfer_times(two_faults)["demand_drum"] == 40.0
    rates = tracing.paging_rates(two_faults, 1.0)
    assert rates.loc[0, ["rate", "demand_drum", "demand_ms"]].tolist() == [2.0, 2.0, 40.0]


def test_all_kinds_of_one_name_lead_to_its_station(by_hand):
    trace = by_hand(
        (0, "exit_from_supervisor", 1),
        (10, "demand_drum", 1),
        (40, "queued", 1, 6),
        (45, "exit_from_supervisor", 1),
        (60, "demand_disc", 1),
        (110, "queued", 1, 6),
    )
    kinds = {n: "demand_drum" if name == "demand_disc" else name for n, name in trace.kinds.items()}
    waits = tracing.station_waits(dataclasses.replace(trace, kinds=kinds))
    assert waits.loc["page wait", ["entries", "mean_ms"]].tolist() == [2, 40.0]


def test_a_mask_that_leaves_out_one_of_two_kinds_of_a_name_leaves_out_the_name(two_faults):
    events = IntEnum("E", {"PAGE_FAULT": 0, "SHARABLE_FAULT": 1, "PAGE_IN": 2, "ELSE": 3})
    run = SimpleNamespace(trace=two_faults.records, counts={})
    run.parameters = SimpleNamespace(trace_mask=0b1101)
    with pytest.raises(ValueError, match="its mask left out the records 'demand_drum'"):
        tracing.transfer_times(tracing.Trace.of(run, events, FAULTS))


def test_programs_that_tss360_has_no_records_for_refuse_its_trace(of_tss360):
    needed = {
        "traffic": "preload_begins",
        "compactions": "compaction",
        "visits": "queued",
        "station_waits": "queued",
        "wait_distribution": "queued",
        "length_distribution": "queued",
        "residence_stages": "preload_begins",
        "residences": "preload_begins",
        "category_transitions": "queued",
        "queue_samples": "queues_sampled",
    }
    for program, name in needed.items():
        message = f"^This trace can't say: its system has no records '{name}', which are needed[.]$"
        with pytest.raises(ValueError, match=message):
            PROGRAMS[program](of_tss360)


def test_demands_of_both_kinds_of_tss360_are_told(of_tss360):
    events = tss360.state.Event
    both = np.isin(of_tss360.records["kind"], [events.PAGE_FAULT, events.SHARABLE_FAULT])
    assert of_tss360.counts()["demand_drum"] == both.sum() > 100
    assert tracing.transfer_times(of_tss360)["demand_drum"] > 0.0
    assert np.isnan(tracing.transfer_times(of_tss360)["prepaged"])
    assert tracing.paging_rates(of_tss360)["demand"].sum() > 0.0


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("traffic", "preload_begins"),
        ("traffic", "preload_ends"),
        ("traffic", "page_leaves_at_removal"),
        ("transfer_times", "demanded_page_arrives"),
        ("paging_rates", "demanded_page_arrives"),
        ("compactions", "compaction"),
        ("compactions", "page_leaves_at_compaction"),
        ("visits", "exit_from_supervisor"),
        ("residence_stages", "removed_from_core"),
        ("residences", "removed_from_core"),
    ],
)
def test_what_a_program_can_not_do_without(by_hand, program, name):
    trace = by_hand((0, "wakes", 1), (4000, "sleeps", 1), without=(name,))
    with pytest.raises(ValueError, match=f"its system has no records '{name}'"):
        PROGRAMS[program](trace)


def test_one_kind_of_demands_is_enough_and_none_is_not(by_hand):
    rows = (0, "wakes", 1), (4000, "sleeps", 1)
    without = ["demand_disc", "demand_drum"]
    for program in (tracing.traffic, tracing.transfer_times, tracing.paging_rates):
        program(by_hand(*rows, without=without))
        with pytest.raises(ValueError, match="'demand_drum' or 'demand_in_core', one of which"):
            program(by_hand(*rows, without=[*without, "demand_in_core"]))


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


def test_a_trace_without_any_residence_has_no_mean_of_one(by_hand):
    trace = by_hand((0, "queued", 1, 6), (20, "exit_from_supervisor", 1), (50, "queued", 1, 6))
    stages = tracing.residence_stages(trace)
    assert stages.isna().all() and "run_queue" in stages


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_trace_without_records_is_no_error_but_of_an_interval(by_hand, program):
    if program == "paging_rates":
        with pytest.raises(ValueError, match="at most the trace's 0 s"):
            tracing.paging_rates(by_hand())
    else:
        PROGRAMS[program](by_hand())
