"""What every model asks of its input, and how every result prints, by hand."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from oracles import one_sentence

from perfkit.analytic import checks
from perfkit.analytic.multiprogramming import memory_constrained
from perfkit.analytic.mva import mva_curve
from perfkit.analytic.repairman import repairman


def labelled(*labels):
    return pd.Series(np.arange(1.0, len(labels) + 1), list(labels))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: checks.positive("x", [1, 0, -2]), "x must be greater than zero, not 0.0."),
        (lambda: checks.not_negative("x", [0, 1, -2]), "x must be zero or more, not -2.0."),
        (lambda: checks.count("x", 10**9 + 1), "a whole number of 1e+09 at most, not 1000000001.0"),
        (lambda: checks.counts("x", [1, 2.5, 0]), "whole numbers of 1 or more, not 2.5."),
        (lambda: checks.numbers("x", pd.DataFrame([["a"], ["b"]])), "must be a number or numbers"),
        (
            lambda: checks.in_order("x", labelled("b", "a", "c"), ["a", "b"], "stations"),
            "x must have the stations ('a', 'b'), not ('b', 'a', 'c').",
        ),
        (
            lambda: checks.alike("x", labelled("a", "b", "a"), labelled("a", "a", "b")),
            "x must have the labels",
        ),
    ],
)
def test_the_first_wrong_number_is_named(call, sentence):
    with pytest.raises(ValueError) as error:
        call()
    assert sentence in str(error.value) and one_sentence(error)


def test_series_are_read_by_their_labels():
    assert list(checks.alike("x", labelled("c", "a", "b"), labelled("a", "b", "c"))) == [2, 3, 1]


def test_a_record_turns_into_a_frame_of_what_goes_with_its_index():
    frame = repairman([3, 5], 9.0, 1.0).to_frame()
    assert frame.index.name == "users" and list(frame.index) == [3, 5]
    assert list(frame) == ["throughput", "response_s", "queue", "utilization"]
    curve = mva_curve([1.0, 2.0], 2).to_frame()
    assert curve.index.name == "population" and list(curve) == ["throughput", "response_s"]


def test_a_record_of_single_values_has_a_row_a_measure():
    found = memory_constrained(3, 5.0, [1.0, 1.5])
    frame = found.to_frame()
    assert frame.index.name == "measure" and "active_probability" not in frame.index
    assert frame.loc["eligible", "value"] == found.eligible
    assert "eligible" in str(found)


def test_a_record_prints_four_digits_and_loses_its_middle():
    short, long = repairman([1, 2], 4.0, 1234.5678), repairman(range(1, 101), 35.2, 0.88)
    for text in (str(short), short._repr_html_()):
        assert "1235" in text and "0.0008074" in text
    assert "<table" in short._repr_html_()
    assert len(str(long).splitlines()) < 50 and long._repr_html_().count("<tr") < 50


def test_a_record_is_drawn_on_the_axes_given_and_as_told():
    axes = Figure().subplots()
    assert repairman(range(1, 4), 9.0, 1.0).plot(ax=axes, color="red") is axes
    assert {line.get_color() for line in axes.lines} == {"red"} and len(axes.lines) == 4
