"""Parameters and scheduling tables: those of the paper, and what follows from them."""

import pytest

from perfkit.systems.tss360 import Parameters, schedule_table
from perfkit.systems.tss360.state import popular_pages


@pytest.mark.parametrize(("schedule", "passes"), [("old", 1), ("new", 3)])
def test_the_papers_tables_have_one_or_three_foreground_passes(schedule, passes):
    p = Parameters(schedule=schedule)
    table = schedule_table(p).set_index("entry")
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


def test_references_to_sharable_pages_fall_with_rank():
    pages = popular_pages(50, 1.0)
    counts = [(pages == k).sum() for k in range(50)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] / counts[9] == pytest.approx(10.0, rel=0.05)
    even = popular_pages(8, 0.0)
    assert {(even == k).sum() for k in range(8)} == {1024}
