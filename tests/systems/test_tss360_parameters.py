"""Parameters and scheduling tables: what is impossible is refused in one clear sentence."""

import pandas as pd
import pytest

from perfkit.systems.tss360 import Parameters, schedule_table, simulate
from perfkit.systems.tss360.load import COLUMNS, EXITS, read_schedule
from perfkit.systems.tss360.state import popular_pages


def changed(row, column, value):
    table = schedule_table(Parameters()).astype(object)
    table.loc[row, column] = value
    return table


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (changed(0, "p_max_pages", 200), "must be less than the .* frames"),
        (changed(0, "p_max_pages", 0), "whole number from 1 to"),
        (changed(0, "p_max_pages", 2.5), "whole number"),
        (changed(1, "priority", -1), "priority of entry 'slice 2' must be a whole number"),
        (changed(0, "p_max_pages", 10**30), "whole number from 1 to 1000000000"),
        (changed(1, "slice_ms", 0.0), "slice_ms of entry 'slice 2' must be a number from 0.1 to"),
        (changed(1, "quantum_ms", 1e-6), "quantum_ms of entry 'slice 2' must be a number from 0.1"),
        (changed(1, "deadline_s", "soon"), "deadline_s of entry 'slice 2' must be a number"),
        (changed(1, "steals", "yes"), "steals of entry 'slice 2' must be true or false"),
        (changed(0, "if_over", "smal"), "names no entry 'smal'; did you mean small"),
        (changed(1, "entry", "first"), "a name of its own"),
        (changed(0, "entry", "begin"), "must have an entry 'first'"),
        (schedule_table(Parameters()).rename(columns={"steals": "steal"}), "did you mean steals"),
        (schedule_table(Parameters()).drop(columns="if_done"), "must have a column 'if_done'"),
        (changed(0, "if_more", ["x"]), "if_more names no entry"),
        (changed(0, "entry", ["x"]), "a name of its own"),
        (17, "must be a frame"),
        (pd.Series([1, 2]), "must be a frame"),
        ({"entry": "first", "priority": 1}, "must be a frame"),
        (pd.DataFrame([[1, 2]], columns=["entry"] * 2), "each column once; 'entry' is there twice"),
        ({"entry": ["first"], "priority": [1, 2]}, "of one length"),
    ],
)
def test_impossible_schedules_are_refused_in_one_sentence(table, message):
    with pytest.raises(ValueError, match=message) as refusal:
        simulate(Parameters(), schedule_table=table)
    assert "\n" not in str(refusal.value)


def test_a_schedule_may_be_a_frame_columns_or_rows():
    frame = schedule_table(Parameters())
    tables = [frame, frame.to_dict("list"), frame.to_dict("records")]
    tables += [frame.set_index("entry"), frame.set_index(["entry", "priority"])]
    records = [read_schedule(table, 150)[0].tolist() for table in tables]
    assert all(one == records[0] for one in records)


def test_an_index_is_a_column_only_where_it_bears_a_missing_ones_name():
    frame = schedule_table(Parameters())
    named = frame.set_axis(frame.index.rename("entry"))
    other = frame.set_axis(frame.index.rename("row"))
    for table in (named, other):
        assert read_schedule(table, 150)[1] == read_schedule(frame, 150)[1]
    with pytest.raises(ValueError, match="must have a column 'entry'"):
        read_schedule(frame.set_index("entry").rename_axis("name"), 150)


@pytest.mark.parametrize(("schedule", "passes"), [("old", 1), ("new", 3)])
def test_the_papers_tables_have_one_or_three_foreground_passes(schedule, passes):
    p = Parameters(schedule=schedule)
    table = schedule_table(p).set_index("entry")
    assert list(table.reset_index().columns) == list(COLUMNS)
    entry, seen = "first", []
    while table.loc[entry, "priority"] == 1:
        seen.append(entry)
        assert table.loc[entry, "if_done"] == "first"
        entry = table.loc[entry, "if_within"]
    assert len(seen) == passes
    assert table.loc["first", "p_max_pages"] == 24
    background = table.loc[["small", "medium", "large"]]
    assert tuple(background["p_max_pages"]) == p.background_p_max
    assert (background["slice_ms"] == p.background_slice_ms).all()
    short = table[table.index.str.startswith(("first", "slice"))]
    assert (short["slice_ms"] == p.foreground_slice_ms).all()
    assert set(table[list(EXITS)].to_numpy().ravel()) <= set(table.index)


def test_the_two_schedules_differ_in_what_is_foreground_only():
    old, new = (
        schedule_table(Parameters(schedule=s)).set_index("entry").sort_index()
        for s in ("old", "new")
    )
    differing = [name for name in old if not old[name].equals(new[name])]
    assert differing == ["priority"]
    moved = old.index[old["priority"] != new["priority"]]
    assert set(moved) == {"slice 2", "slice 2 larger", "slice 3", "slice 3 larger"}


def test_the_limit_follows_the_frames_that_a_task_held():
    table = schedule_table(Parameters()).set_index("entry")
    for name in ("small", "medium", "large"):
        row = table.loc[name]
        limits = table["p_max_pages"]
        assert limits[row["if_more"]] >= limits[name] >= limits[row["if_fewer"]]
        assert limits[row["if_over"]] >= limits[name]
        assert row["if_within"] == name or limits[row["if_within"]] == limits[name]


def test_frames_and_absences_follow_from_other_parameters():
    p = Parameters(memory_pages=256, supervisor_pages=100, users=22.0, user_slots=44)
    assert p.frames == 156
    assert p.away_min == p.session_min


def test_references_to_sharable_pages_fall_with_rank():
    pages = popular_pages(50, 1.0)
    counts = [(pages == k).sum() for k in range(50)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] / counts[9] == pytest.approx(10.0, rel=0.05)
    even = popular_pages(8, 0.0)
    assert {(even == k).sum() for k in range(8)} == {1024}
