"""The EMAS tables have their cells, and the arithmetic of the badly scanned print closes."""

import numpy as np
import pandas as pd
import pytest

from perfkit import published

KEY = "emas"


def table(name, readings=False):
    frame = published.table(KEY, name, readings=readings)
    return frame.set_index(frame.columns[0])


def claimed(name):
    return published.claims(KEY).set_index("id").loc[name, "value"]


@pytest.fixture
def residence():
    return table("residence")["mean_ms"]


@pytest.fixture
def paging():
    return table("paging")["value"]


@pytest.fixture
def session():
    return table("session")["value"]


@pytest.mark.parametrize(
    ("name", "fewest"),
    [("paging", 17), ("session", 6)],
)
def test_claims_repeat_the_numbers_of_the_text_tables(name, fewest):
    values = table(name)["value"]
    texts = published.claims(KEY).set_index("id")["value"]
    both = values.index.intersection(texts.index)
    assert len(both) >= fewest
    assert values[both].equals(texts[both])


def test_only_the_cells_that_the_scan_lost_are_empty():
    hardware = table("table_1")[["machine_a", "machine_b"]]
    assert list(hardware.index[hardware.isna().all(axis=1)]) == ["datel_4800"]
    assert hardware.isna().sum().tolist() == [1, 1]
    words = table("table_5")["words"]
    assert list(words.index[words.isna()]) == [8]
    assert table("table_5", readings=True)["words"].between(2, 5).all()
    for name in ("table_2", "table_3", "table_4", "table_6", "residence", "paging"):
        assert table(name).notna().all(axis=None)


def test_the_share_of_core_loading_is_read_from_table_2():
    read = published.table(KEY, "claims", readings=True).set_index("id")["value"]
    seconds = table("table_2")["seconds"]
    shares = (100 * seconds / seconds["supervisor"]).round()
    assert shares["drum_transfers"] == read["drum_transfer_share"]
    assert shares["core_loading"] == read["core_loading_share"]


def test_the_samples_of_table_3_lie_between_their_extremes():
    frame = table("table_3")
    means = frame["total"] / claimed("samples")
    assert (means >= frame["minimum"]).all()
    assert (means <= frame["maximum"]).all()
    hardware = table("table_1")["machine_a"]
    drum = table("devices")["value"]
    pages = hardware["drums"] * drum["drum_tracks"] * drum["drum_pages_per_track"]
    assert frame.loc["drum_unallocated", "maximum"] < pages
    queues = means.filter(like="core_queue")
    assert queues.sum() == pytest.approx(5.572)
    assert queues.idxmax() == "core_queue_5"


def test_unused_and_unallocated_pages_differ_the_same_way_in_all_three_pairs():
    frame = table("table_3")
    for kind in ("core", "drum", "block_page_tables"):
        unused, unallocated = frame.loc[f"{kind}_unused"], frame.loc[f"{kind}_unallocated"]
        assert unused["total"] > unallocated["total"]
        assert unused["minimum"] > unallocated["minimum"]
        assert unused["maximum"] < unallocated["maximum"]


def test_table_4_sums_to_a_hundred_and_its_drum_allowances_are_two():
    frame = table("table_4", readings=True)
    share = frame["transitions_percent"]
    assert share.sum() == pytest.approx(100.2)
    assert set(zip(frame["min_drum_pages"], frame["max_drum_pages"], strict=True)) == {
        (64, 80),
        (80, 128),
    }
    by_queue = share.groupby(frame["core_queue"]).sum().round(1)
    assert by_queue.tolist() == [56.3, 29.3, 10.3, 1.9, 2.4]
    assert (share * frame["core_pages"]).sum() / share.sum() == pytest.approx(35.42, abs=0.01)
    assert (share * frame["cpu_s"]).sum() / share.sum() == pytest.approx(1.301, abs=0.001)
    assert (share * frame["compaction_s"]).sum() / share.sum() == pytest.approx(0.6886, abs=1e-4)


def test_the_events_are_numbered_and_a_record_has_the_mean_length_of_the_trace():
    words = table("table_5", readings=True)["words"]
    assert list(words.index) == [*range(1, 29), 32, 33]
    assert words.value_counts().to_dict() == {4: 14, 2: 8, 3: 6, 5: 2}
    mean = claimed("trace_space") * table("devices").loc["page", "value"] / 4
    mean /= claimed("trace_records")
    assert words.min() < mean < words.max()
    assert mean == pytest.approx(3.56, abs=0.005)


def test_tracing_costs_46_microseconds_a_record():
    seconds = claimed("trace_cost") / 100 * 60 * claimed("trace_minutes")
    assert 1e6 * seconds / claimed("trace_records") == pytest.approx(45.65, abs=0.01)


def test_the_shares_of_table_6_sum_to_a_hundred(session):
    frame = table("table_6")
    assert frame["count"].sum() == session["commands"] == claimed("session_commands")
    for column in ("percent", "cpu_percent", "elapsed_percent"):
        assert frame[column].sum() == 100


def test_the_elapsed_shares_of_table_6_meet_in_one_total():
    means = table("command_means")["elapsed_s"].dropna()
    frame = table("table_6").loc[means.index]
    rounding = pd.Series({"edit": 3.0, "compile": 0.5, "execute": 0.5})
    low = (means - rounding) * frame["count"] / (frame["elapsed_percent"] + 0.5) * 100
    high = (means + rounding) * frame["count"] / (frame["elapsed_percent"] - 0.5) * 100
    assert 132_000 < low.max() < high.min() < 132_600
    assert means["edit"] == 60 * claimed("edit_elapsed")


def test_terminal_traffic_leaves_a_short_line_for_the_other_commands(session):
    counts = table("table_6")["count"]
    means = table("command_means")
    rest = {}
    for column in ("input_lines", "input_characters", "output_lines", "output_characters"):
        known = (means[column] * counts).sum()
        left = session[column] * session["commands"] - known
        rest[column] = left / (counts["compile"] + counts["other"])
    np.testing.assert_allclose(list(rest.values()), [1.27, 15.6, 2.43, 96.1], rtol=0.005)
    seconds = means.loc["execute", "output_characters"] / session["terminal_rate"]
    assert 0.75 < seconds / means.loc["execute", "elapsed_s"] < 0.80


def test_the_text_repeats_the_stages_of_a_residence(residence):
    for stage in ("core_queue", "preload", "run_queue"):
        assert residence[stage] == claimed(f"{stage}_wait")
    assert residence["page_wait"] == claimed("page_wait")
    assert residence["cpu"] == claimed("cpu_residence")


def test_page_wait_and_preload_follow_from_pages_and_their_times(residence, paging):
    demands = paging["preload_pages"] * paging["demand_share"] / paging["prepaged_share"]
    faults = residence["cpu"] / claimed("headway")
    drum = 100 - paging["demand_disc"] - paging["demand_shared"]
    assert drum == claimed("demand_drum")
    mean_ms = paging["demand_disc"] * paging["time_demand_disc"]
    mean_ms = (mean_ms + drum * paging["time_demand_drum"]) / 100
    assert mean_ms == 74.5
    assert demands * mean_ms < residence["page_wait"] < faults * mean_ms
    assert paging["preload_transfers"] * paging["time_prepaged"] == pytest.approx(
        residence["preload"], rel=0.03
    )
    transferred = paging["preload_pages"] * paging["prepage_transfers"] / 100
    assert round(transferred) == paging["preload_transfers"]


def test_the_break_even_of_the_print_is_the_useful_share_of_its_factor(paging):
    useful = (100 - paging["wasted"]) / paging["demand_only_factor"]
    assert int(useful) == paging["waste_break_even"]
    read = table("paging", readings=True)["value"]
    assert round(100 - useful + 0.01) == read["waste_break_even"]


def test_a_drum_holds_its_capacity_and_its_slots_fit_the_revolution():
    value = table("devices")["value"]
    pages = value["drum_tracks"] * value["drum_pages_per_track"]
    assert pages * value["page"] == 2 * 1024**2 == value["drum_capacity"] * 1024**2
    slot_ms = value["drum_revolution"] / value["drum_pages_per_track"]
    assert 0.9 * slot_ms < value["page"] / value["drum_rate"] < slot_ms
    access = value["disc_arm"] + value["disc_revolution"] / 2 + value["page"] / value["disc_rate"]
    assert access == 96


def test_the_labels_of_figure_4_stand_where_the_shares_put_them(paging):
    frame = table("figure_4")
    ticks = frame.dropna(subset="pages")
    slope, top = np.polyfit(ticks["scan_row"], ticks["pages"].astype(float), 1)
    height = top + slope * frame["scan_row"]
    assert (height - ticks["pages"]).abs().max() < 700
    transferred, shared, wasted, disc = (
        paging[name] / 100
        for name in ("prepage_transfers", "demand_shared", "wasted", "demand_disc")
    )
    demand = paging["demand_share"] / paging["prepaged_share"]
    middle = pd.Series(
        {
            "prepaged_in_core": (1 + transferred) / 2,
            "prepaged_transferred": transferred / 2,
            "prepaged_not_used": 1 - wasted / 2,
            "demand_in_core": demand * (1 - shared / 2),
            "demand_drum": demand * (1 - shared + disc) / 2,
            "in_preload": transferred / 2,
            "in_drum": transferred + demand * (1 - shared - disc) / 2,
            "in_disc": transferred + demand * (1 - shared - disc / 2),
        }
    )
    at = height[middle.index]
    preloaded = (at * middle).sum() / (middle**2).sum()
    assert preloaded == pytest.approx(48_000, rel=0.05)
    assert np.abs(at - preloaded * middle).max() < 3000
