"""Tables that a reader hands over: in any shape, or refused in one sentence."""

import math

import pandas as pd
import pytest

from perfkit.systems import emas, sim61, tss360
from perfkit.systems.emas.load import read_scripts
from perfkit.systems.emas.memory.categories import TABLE_4, TRANSITIONS, read_categories
from perfkit.systems.sim61.load import read_load
from perfkit.systems.tss360.load import read_schedule

ROWS = [emas.ScriptCommand(script, "other", 0.1, 1, 8, 2, 20, 1.0) for script in (1, 0, 1)]
# Of each table what takes it, what reads it, and one that is sound.
READERS = {
    "load": (lambda table: sim61.simulate(load=table), read_load, sim61.backing_store_load()),
    "categories": (
        lambda table: emas.simulate(categories=table),
        read_categories,
        emas.category_table(),
    ),
    "scripts": (
        lambda table: emas.simulate(scripts=table),
        lambda table: [s.tolist() for s in read_scripts(emas.Parameters(), table)],
        pd.DataFrame(ROWS),
    ),
    "schedule": (
        lambda table: tss360.simulate(schedule_table=table),
        lambda table: read_schedule(table, 150)[0].tolist(),
        tss360.schedule_table(tss360.Parameters()),
    ),
}


@pytest.mark.parametrize("what", READERS)
def test_a_table_may_be_a_frame_columns_or_rows_and_indexed_by_a_column(what):
    _, read, frame = READERS[what]
    expected = read(frame)
    first = frame.columns[0]
    for table in (
        frame.to_dict("list"),
        frame.to_dict("records"),
        frame.set_index(first),
        frame.set_index([first, frame.columns[1]]),
        frame.set_axis(frame.index.rename(first)),
        frame.set_axis(frame.index.rename("row")),
    ):
        assert read(table) == expected
    if what != "load":  # its names may be left out
        with pytest.raises(ValueError, match=f"must have a column '{first}'"):
            read(frame.set_index(first).rename_axis("other"))


@pytest.mark.parametrize("what", READERS)
def test_what_is_no_such_table_is_refused_in_one_sentence(what):
    simulate, _, frame = READERS[what]
    name = frame.columns[1]
    for table, message in (
        (17, "must be a frame"),
        ([1, 2], "must be a frame"),
        (pd.Series([1, 2]), "must be a frame"),
        ({name: 1}, "must be a frame"),
        (frame.rename(columns={name: f"{name}x"}), f"'{name}x'; did you mean {name}"),
        (frame.drop(columns=name), f"must have a column '{name}'"),
        (frame[[name, *frame.columns]], f"each column once; '{name}' is there twice"),
        ({name: [1, 2], frame.columns[2]: [1]}, "of one length"),
        ([], "at least one|must have an entry 'first'"),
    ):
        with pytest.raises(ValueError, match=message) as refusal:
            simulate(table)
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("what", "row", "column", "value", "message"),
    [
        ("load", 0, "task_type", "batches", "task_type must be one of interactive, batch"),
        ("load", 0, "tasks", 1.5, "tasks must be a whole number"),
        ("load", slice(None), "tasks", 0, "at least one task"),
        ("load", 0, "compute_ms", 0, "compute_ms must be a number above 0"),
        ("load", 0, "think_s", 0, "think_s must be above 0"),
        ("load", 0, "io_interval_ms", math.nan, "io_interval_ms must be a number of 0 or more"),
        ("categories", 0, "core_queue", 6, r"core_queue must be from 1 to 5; 6 is not\."),
        ("categories", 0, "more_core", 21, "more_core of category 1 must be from 1 to 20; 21 is"),
        ("categories", 0, "asleep", 0, "asleep of category 1 must be from 1 to 20; 0 is not"),
        ("categories", 0, "compaction_s", 1e-12, r"compaction_s .* from 0\.0001 to inf; 1e-12 is"),
        ("categories", 0, "core_pages", 2.5, r"a whole number from 1 to 10{9}; 2\.5 is not"),
        ("categories", 0, "core_pages", 10**10, "a whole number from 1 to 10{9}; 10{10} is not"),
        ("categories", 0, "category", 2, "must be numbered from 1 in order; row 1 has 2"),
        ("categories", 0, "min_drum_pages", 99, "min_drum_pages of category 1 must not exceed max"),
        ("scripts", 0, "kind", "print", "kind must be one of edit, compile, execute, other"),
        ("scripts", 0, "input_lines", 0, "input_lines must be a whole number of 1 or more"),
        ("scripts", 0, "cpu_s", 0.0, "cpu_s must be a number above 0"),
        ("scripts", 0, "think_s", 10**400, "think_s must be a number of 0 or more"),
        ("scripts", 0, "typing_characters_per_s", 0.0, "typing_characters_per_s .* above 0"),
        ("schedule", 0, "p_max_pages", 200, "must be less than the .* frames"),
        ("schedule", 0, "p_max_pages", 10**30, "whole number from 1 to 1000000000"),
        ("schedule", 1, "priority", -1, "priority of entry 'slice 2' must be a whole number"),
        ("schedule", 1, "deadline_s", "soon", "deadline_s of entry 'slice 2' must be a number"),
        ("schedule", 1, "steals", "yes", "steals of entry 'slice 2' must be true or false"),
        ("schedule", 0, "if_over", "smal", "names no entry 'smal'; did you mean small"),
        ("schedule", 0, "if_more", ["x"], "if_more names no entry"),
        ("schedule", 1, "entry", "first", "a name of its own"),
        ("schedule", 0, "entry", "begin", "must have an entry 'first'"),
    ],
)
def test_an_impossible_value_is_refused_by_its_column(what, row, column, value, message):
    simulate, _, frame = READERS[what]
    rows = frame.astype(object).to_dict("records")
    for given in rows[row] if isinstance(row, slice) else [rows[row]]:
        given[column] = value
    with pytest.raises(ValueError, match=message) as refusal:
        simulate(rows)
    assert "\n" not in str(refusal.value)


def test_a_single_category_will_do():
    single = {name: [value] for name, value in TABLE_4[13]._asdict().items()}
    single |= {name: [1] for name in ("category", *TRANSITIONS)}
    short = emas.Parameters(settle_s=1.0, measured_s=20.0)
    assert emas.simulate(short, categories=single).transitions.shape == (1, 1)
