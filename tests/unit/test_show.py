"""Tables to read and numbers as texts: what they say, in HTML and within 96 columns."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core.wording import nearest, short, with_half_width
from perfkit.show import tables as show
from studies import STUDIES
from studies.evidence import kept_cards, scorecard
from studies.show import cards

CARDS = {key: kept_cards.load(key, kept_cards.COMMITTED) for key in STUDIES}
FORMS = {
    "cells": lambda card: cards.cells(card[card["kind"] != "claim"], null=True, why=True),
    "claims": cards.claims,
    "verdicts": cards.verdicts,
}


def cells():
    one = scorecard.cells("Table 1", ["a", "b"], "s", "predicted", [10.0, 20.0], [10.5, 30.0])
    two = scorecard.cells("Table 1", ["a", "b"], "jobs", "fitted", [1.0, 0.0], [1.0, 0.1])
    return scorecard.gather(one, two)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", STUDIES)
def test_every_committed_card_fits_96_columns_and_loses_no_row(form, key):
    table = FORMS[form](CARDS[key])
    assert max(len(line) for line in repr(table).split("\n")) <= show.WIDTH
    html = table._repr_html_()
    assert html.count("<tr>") == html.count("</thead>") + len(table.frame)
    assert table.frame.shape[1] <= show.MOST_COLUMNS


@given(st.lists(st.lists(st.text("ab <&", max_size=60), min_size=4, max_size=4), max_size=4))
def test_any_texts_stand_whole_within_the_width(rows):
    table = show.Table(pd.DataFrame(rows, columns=["one", "two", "three", "a longer heading"]))
    lines = repr(table).split("\n")
    assert max(len(line) for line in lines) <= show.WIDTH
    letters = sum(text.count("a") + text.count("b") for row in rows for text in row)
    told = "".join(lines[2:])
    assert told.count("a") + told.count("b") == letters
    assert "<&" not in table._repr_html_()


def test_a_cell_tells_its_verdict_in_mark_and_distance_and_fitted_rows_are_shaded():
    table = cards.cells(cells())
    assert table.frame["verdict"].tolist() == [
        "✔ +5 %, predicted",
        "✘ +50 %, predicted",
        "✔ 0 %, fitted",
        "✘ +0.1, fitted",
    ]
    assert "Shaded rows" in repr(table) and table._repr_html_().count('fitted" >') == 8


def test_beside_has_paper_and_ours_under_each_quantity_and_marks_what_misses():
    table = cards.beside(cells())
    assert table.frame.columns.tolist() == [
        ("s", "paper"),
        ("s", "ours"),
        ("jobs", "paper"),
        ("jobs", "ours"),
    ]
    assert table.frame.loc["b"].tolist() == ["20", "30.0 ✘", "0", "0.100 ✘"]
    with pytest.raises(ValueError, match="'a' stands twice"):
        cards.beside(pd.concat([cells(), cells()]))


def test_claims_and_their_counts_say_all_four_verdicts():
    told = {"holds": True}, {"holds": False, "refuted": True}, {"holds": False}
    told = *told, {"holds": False, "misprint": True}
    card = scorecard.gather(*(scorecard.claim("p. 1", f"c{n}", **t) for n, t in enumerate(told)))
    verdicts = ["✔ holds", "✘ refuted", "? undecided", "⚠ the paper misprints"]
    assert cards.claims(card).frame["verdict"].tolist() == verdicts
    card = scorecard.gather(card, cells())
    assert all(f"1 {verdict}" in cards.verdicts(card).caption for verdict in verdicts)


@pytest.mark.parametrize(
    ("pair", "text"),
    [
        ((1.00506, 0.00064), "1.0051 ± 0.0006"),
        ((11.622, 0.088), "11.62 ± 0.09"),
        ((8123.4, 35.0), "8123 ± 35"),
        ((3.0, np.nan), "3"),
        ((np.nan, 1.0), ""),
    ],
)
def test_a_number_and_its_half_width_have_few_digits(pair, text):
    assert show.pm(*pair) == text


def test_a_column_has_its_points_in_line_and_two_levels_of_rows_are_both_shown():
    frame = pd.DataFrame({"x": [1.0, 22.25, np.nan], "ok": [True, False, None]})
    assert show.table(frame).frame["x"].tolist() == ["1.0", "22.2", ""]
    assert show.table(frame).frame["ok"].tolist() == ["yes", "no", ""]
    with pytest.raises(ValueError, match="7 columns at most; this has 8"):
        show.table(pd.DataFrame(np.zeros((1, 8))))
    frame = pd.DataFrame({"s": [1.0, 2.0]}, pd.MultiIndex.from_product([["drum"], ["a", "b"]]))
    table = show.table(frame)
    assert all(text in form for text in ("drum", "b") for form in (table._repr_html_(), f"{table}"))


def test_no_name_of_a_row_is_broken():
    frame = pd.DataFrame({x: ["some words " * 9] for x in "abcde"}, ["paging_pages_per_s"])
    assert "paging_pages_per_s" in repr(show.Table(frame))


@given(st.lists(st.text("ab", min_size=1, max_size=show.MOST_KEY), min_size=1, max_size=7))
def test_no_word_of_a_heading_is_broken_and_no_line_is_too_long(words):
    heads = pd.MultiIndex.from_arrays([[f"{word} {word}" for word in words], range(len(words))])
    text = repr(show.Table(pd.DataFrame([["1"] * len(words)], ["row"], heads)))
    assert set(words) <= set(text.split())
    assert max(map(len, text.split("\n"))) <= show.WIDTH


@pytest.mark.parametrize(
    ("pair", "texts"),
    [
        ((1.0438, 0.00922), ("1.0438", "0.0092")),
        ((230000.4, 34512.0), ("230000", "34512")),
        ((-0.107, 0.0601), ("-0.107", "0.060")),
        ((1.17327, 1.5e-16), ("1.17", "0")),
        ((0.0, 0.0), ("0", "0")),
        ((1005.54, math.nan), ("1006", "")),
        ((math.nan, 0.0), ("", "")),
    ],
)
def test_a_number_goes_to_the_second_digit_of_its_half_width(pair, texts):
    assert with_half_width(*pair) == texts


@pytest.mark.parametrize(("value", "text"), [(999.4, "999"), (999.7, "1000"), (-9999.7, "-10000")])
def test_a_number_just_below_a_power_of_ten_is_written_out(value, text):
    assert short(value, 3) == text


@pytest.mark.parametrize(
    ("word", "names", "hint"),
    [
        ("procesess", ["processes", "buffers"], "; did you mean processes?"),
        ("typ", ["task_type", "tasks"], "; did you mean task_type?"),
        ("policy", ["process_clicks", "victim"], ""),
        ("tasks", ["seek_ms", "load"], ""),
        ("BULK", ["Bulk core", "drum"], "; did you mean Bulk core?"),
    ],
)
def test_a_hint_is_a_name_that_was_likely_meant(word, names, hint):
    assert nearest(word, names) == hint
