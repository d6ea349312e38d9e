"""EMAS's table of categories refuses what can't be, in one sentence."""

import pytest

from perfkit.systems.emas import category_table
from perfkit.systems.emas.memory.categories import read_categories


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("core_queue", 6, "core_queue must be from 1 to 5; 6 is not."),
        ("more_core", 21, "more_core of category 1 must be from 1 to 20; 21 is not."),
        ("asleep", 0, "asleep of category 1 must be from 1 to 20; 0 is not."),
        ("cpu_s", -1.0, "cpu_s must be a number of 0.0001 s or more; -1.0 is not."),
        ("compaction_s", 1e-12, "compaction_s must be a number of 0.0001 s or more; 1e-12 is not."),
        ("less_core", -1, "less_core must be a whole number from 0 to 1000000000; -1 is not."),
        ("core_pages", 2.5, "core_pages must be a whole number from 1 to 1000000000; 2.5 is not."),
        (
            "core_pages",
            10**10,
            "core_pages must be a whole number from 1 to 1000000000; 10000000000 is not.",
        ),
        ("category", 2, "Categories must be numbered from 1 in order; row 1 has 2."),
        ("min_drum_pages", 99, "min_drum_pages of category 1 must not exceed max_drum_pages."),
    ],
)
def test_an_impossible_category_is_refused_in_one_sentence(column, value, message):
    rows = category_table().to_dict("records")
    rows[0][column] = value
    with pytest.raises(ValueError) as refusal:
        read_categories(rows)
    assert str(refusal.value) == message


def test_a_table_may_be_indexed_by_its_categories():
    frame = category_table()
    assert read_categories(frame.set_index("category")) == read_categories(frame)


def test_unknown_columns_are_refused():
    with pytest.raises(ValueError, match="did you mean core_pages"):
        read_categories(category_table().rename(columns={"core_pages": "core_page"}))
    with pytest.raises(ValueError, match="must have a column 'asleep'"):
        read_categories(category_table().drop(columns="asleep"))
