"""The trace analysis programs, on traces written by hand and on those of other systems."""

import contextlib
import dataclasses
from enum import IntEnum
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from perfkit.methods import tracing
from perfkit.systems import sim61


@pytest.fixture
def residence(by_hand):
    """One residence of process 7, and another process that only joins a queue."""
    return by_hand(
        (0, "wakes", 7),
        (0, "queued", 7, 2, 4),
        (100, "preload_begins", 7, 10, 4),
        (150, "queued", 8, 1, 0),
        (300, "preload_ends", 7, 8, 4),
        (300, "queued", 7, 6, 4),
        (310, "exit_from_supervisor", 7, 6, 4),
        (330, "demand_drum", 7, 3, 4),
        (390, "demanded_page_arrives", 7, 3, 4),
        (390, "queued", 7, 6, 4),
        (395, "exit_from_supervisor", 7, 6, 4),
        (400, "demand_in_core", 7, 130, 4),
        (450, "sleeps", 7, 0, 4),
        (450, "page_leaves_at_removal", 7, 3, 1),
        (450, "page_leaves_at_removal", 7, 4, 4 + 2),
        (480, "removed_from_core", 7, 70_000, 1),
        (900, "wakes", 7),
        (900, "queued", 7, 3, 5),
        (1000, "preload_begins", 7, 0, 5),
        (1000, "preload_ends", 7, 0, 5),
    )


def test_a_program_refuses_a_trace_whose_mask_left_out_what_it_needs(residence, tmp_path):
    masked = dataclasses.replace(residence, left_out=frozenset({"demand_drum"}))
    tracing.save(masked, tmp_path / "masked.npz")
    for trace in (masked, masked.between(0.0), tracing.load(tmp_path / "masked.npz")):
        for program in (tracing.traffic, tracing.transfer_times, tracing.station_waits):
            with pytest.raises(ValueError, match="its mask left out the records 'demand_drum'"):
                program(trace)
        assert len(tracing.residences(trace)) == 1


def test_what_the_programs_say_of_a_residence_by_hand(residence):
    stages = tracing.residence_stages(residence.between(0.0, 0.9))
    assert stages["core_queue"] == 100.0
    assert stages["preload"] == 200.0
    assert stages["run_queue"] == 15.0
    assert stages["page_wait"] == 60.0
    assert stages["on_processor"] == 20.0 + 55.0
    assert stages["cpu"] == 70.0
    assert stages["supervisor"] == 5.0
    waits = tracing.station_waits(residence)
    assert waits.loc["core queue 2", ["entries", "mean_ms"]].tolist() == [1, 100.0]
    assert waits.loc["run queue 0", ["entries", "mean_ms"]].tolist() == [2, 7.5]
    assert waits.loc["run queue 0", "mean_length"] == pytest.approx(0.015)
    assert waits.loc["page wait", "mean_ms"] == 60.0
    assert "core queue 1" not in waits.index
    times = tracing.transfer_times(residence)
    assert times["prepaged"] == 25.0
    assert times["demand_drum"] == 60.0
    assert times["written"] == 30.0
    assert np.isnan(times["demand_disc"])
    pages = tracing.traffic(residence)
    assert pages[["preloads", "preloaded", "preload_transfers"]].tolist() == [2, 10, 8]
    assert pages[["demand_drum", "demand_in_core", "demand_disc"]].tolist() == [1, 1, 0]
    assert tracing.category_transitions(residence, 6)[4, 5] == 1
    assert tracing.category_transitions(residence, 6).sum() == 1
    done = tracing.residences(residence)
    assert len(done) == 1
    assert done.loc[0].tolist() == [7, 4, 0.1, 0.48, 70.0, 1]
    records, seconds = residence.filled({"queued": 3, "wakes": 3}, 11)
    assert records == 4
    assert seconds == 0.3
    assert residence.filled({}, 10_000) == (20, np.inf)


def test_joining_a_queue_again_is_another_visit_but_two_records_of_a_preload_are_one(by_hand):
    waits = tracing.station_waits(
        by_hand(
            (0, "queued", 7, 2, 4),
            (100, "queued", 7, 2, 4),
            (150, "preload_begins", 7, 10, 4),
            (250, "preload_ends", 7, 8, 4),
            (300, "exit_from_supervisor", 7, 6, 4),
        )
    )
    assert waits.loc["core queue 2", ["entries", "mean_ms"]].tolist() == [2, 75.0]
    assert waits.loc["preload", ["entries", "mean_ms"]].tolist() == [1, 150.0]


def test_pages_out_of_core_are_counted_by_their_marks(by_hand):
    """Marks: 1 touched, 2 written to, 4 preloaded, 16 transferred out, as is 17 without a write."""
    removal, compaction = [1, 19, 17, 4, 5, 23], [4, 19, 23]
    found = tracing.traffic(
        by_hand(
            *((0, "page_leaves_at_removal", 1, 9, marks) for marks in removal),
            *((1, "page_leaves_at_compaction", 1, 9, marks) for marks in compaction),
        )
    )
    assert found.iloc[6:].to_dict() == {
        "removed_at_removal": 6,
        "removed_at_compaction": 3,
        "written_at_removal": 3,
        "written_at_compaction": 2,
        "preloaded_not_used": 2,
        "preloaded_written": 2,
        "demanded_written": 2,
        "preloaded_out": 5,
        "demanded_out": 4,
    }


def test_compactions_by_hand(by_hand):
    trace = by_hand(
        (0, "compaction", 1, 3, 20),
        *((0, "page_leaves_at_compaction", 1, page, 4) for page in (5, 6, 7)),
        (1, "compaction", 2, 0, 20),
        (2, "compaction", 1, 1, 20),
        (2, "page_leaves_at_compaction", 1, 8, 4),
        (3, "compaction", 1, 0, 19),
        (4, "compaction", 1, 0, 19),
    )
    found = tracing.compactions(trace)
    assert found.tolist() == [5, 2, 40.0, 4, 2.0]
    assert tracing.compactions(trace.between(0.003)).tolist()[:4] == [2, 0, 0.0, 0]
    none = tracing.compactions(trace.between(0.005))
    assert none.index[none.isna()].tolist() == ["success_percent", "pages_a_success"]


def test_a_trace_knows_its_kinds_and_which_its_mask_left_out(residence):
    events = IntEnum("E", {"PAGE_FAULT": 0, "QUEUED": 1, "WAKES": 2})
    run = SimpleNamespace(trace=residence.records[:3], values={"trace_full": 1})
    run.parameters = SimpleNamespace()
    whole = tracing.Trace.of(run, events)
    assert whole.kinds == {0: "page_fault", 1: "queued", 2: "wakes"}
    assert whole.full and not whole.left_out
    assert whole.counts().to_dict() == {"page_fault": 1, "queued": 1, "wakes": 1}
    assert [whole.numbers(name) for name in ("queued", "wakes", "sleeps")] == [[1], [2], []]
    run.parameters.trace_mask = 0b011
    assert tracing.Trace.of(run, events).left_out == {"wakes"}


def test_a_trace_is_kept_as_a_file_and_whatever_is_no_whole_one_is_refused(tmp_path, residence):
    path = tmp_path / "session.trace"
    tracing.save(residence, path)
    assert list(tmp_path.iterdir()) == [path]
    again = tracing.load(path)
    assert (again.records == residence.records).all()
    assert again.kinds == residence.kinds and not again.full
    whole = path.read_bytes()
    torn = [whole[:size] for size in (0, 3, 30, len(whole) // 2, len(whole) - 1)]
    damaged = [
        whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :]
        for place in range(0, len(whole), 7)
    ]
    np.save(tmp_path / "numbers.npy", residence.records)
    np.savez(tmp_path / "other.npz", records=np.arange(3))
    others = [(tmp_path / name).read_bytes() for name in ("numbers.npy", "other.npz")]
    for content in (*torn, *others):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"session.trace holds no trace: .*[.]$"):
            tracing.load(path)
    for content in damaged:
        path.write_bytes(content)
        with contextlib.suppress(ValueError):
            tracing.load(path)
    for place, said in ((tmp_path, "holds no trace"), (tmp_path / "none.npz", "There is no trac")):
        with pytest.raises(ValueError, match=said):
            tracing.load(place)


def test_wrong_names_fields_and_places_are_refused(residence, tmp_path):
    with pytest.raises(ValueError, match="did you mean wakes"):
        residence.having("wake")
    with pytest.raises(ValueError, match="time_ms is missing"):
        tracing.Trace(np.zeros(2, [("kind", "i8")]), residence.kinds)
    with pytest.raises(ValueError, match="must be in the order of time; these are not"):
        dataclasses.replace(residence, records=residence.records[::-1])
    for place in (".", "nowhere/session.npz"):
        with pytest.raises(ValueError, match=r"in a file of a folder that is there; .* is none"):
            tracing.save(residence, tmp_path / place)
    assert not list(tmp_path.iterdir())


def test_programs_work_on_the_trace_of_another_system():
    result = sim61.simulate(trace=200_000)
    names = {"PAGE_FAULT": "demand_drum", "PAGE_IN": "demanded_page_arrives"}
    kinds = {int(event): names.get(event.name, event.name) for event in sim61.state.Event}
    others = {max(kinds) + 1: "demand_disc", max(kinds) + 2: "demand_in_core"}
    trace = tracing.Trace(result.trace, kinds | others).between(60.0)
    wait_ms = tracing.transfer_times(trace)["demand_drum"]
    assert wait_ms == pytest.approx(result.paging_queue_ms, rel=0.15)
    rates = tracing.paging_rates(trace)
    assert rates["prepaging"].sum() == 0
    assert 20.0 < rates["demand"].mean() < 1000.0 / 17.2


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


KINDS = ["enter", "enter", "leave", "other"]


def run(*times_s, full):
    frame = pd.DataFrame({"time_s": times_s, "kind": KINDS[: len(times_s)]})
    return SimpleNamespace(trace_frame=lambda: frame, values={"trace_full": int(full)})


def test_a_trace_reaches_to_the_run_s_end_or_its_own_last_event_if_it_was_full():
    assert len(tracing.events_until(run(1.0, 2.0, full=False), 10.0, 10.0)) == 2
    assert len(tracing.events_until(run(1.0, 2.0, full=True), 2.0, 10.0)) == 2
    for short, until_s in ((run(1.0, 2.0, full=True), 2.1), (run(full=False), 2.0)):
        with pytest.raises(ValueError, match="larger trace"):
            tracing.events_until(short, until_s, 10.0)


@pytest.mark.parametrize("until_s", [10.1, float("nan"), float("inf")])
def test_nothing_is_known_beyond_the_end_of_the_run(until_s):
    for full in (False, True):
        with pytest.raises(ValueError, match="until_s must be at most 10, the run's end"):
            tracing.events_until(run(1.0, 2.0, full=full), until_s, 10.0)


def test_levels_count_from_time_zero_and_are_shown_where_wanted():
    events = run(1.0, 2.0, 3.0, 4.0, full=False).trace_frame()
    changes = {"inside": {"enter": 1, "leave": -1}, "others": {"other": 1}}
    found = tracing.levels(events, changes, 2.0, 3.5)
    assert found.index.tolist() == [2.0, 3.0]
    assert found["inside"].tolist() == [2, 1] and found["others"].tolist() == [0, 0]


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
