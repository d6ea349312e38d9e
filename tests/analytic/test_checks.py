"""What every model asks of its input, and how every result prints, by hand."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from oracles import one_sentence

from perfkit.analytic import checks
from perfkit.analytic.records import Record


class Table(Record):
    def __init__(self, rows):
        self.rows = rows

    def frame(self):
        return pd.DataFrame({"x": 1234.5678 + np.arange(self.rows), "y": 0.000123456})


def labelled(*labels):
    return pd.Series(np.arange(1.0, len(labels) + 1), list(labels))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: checks.positive("x", [1, 0, -2]), "x must be greater than zero, not 0.0."),
        (lambda: checks.not_negative("x", [0, 1, -2]), "x must be zero or more, not -2.0."),
        (lambda: checks.share("x", [0, 1, -0.5]), "x must be from 0 to 1, not -0.5."),
        (lambda: checks.share("x", [0, 1, 1.5]), "x must be from 0 to 1, not 1.5."),
        (lambda: checks.probabilities("x", [0.5, 0.499]), "x must sum to 1, not to 0.999."),
        (lambda: checks.probabilities("x", [0.5, 0.501]), "x must sum to 1, not to 1.001."),
        (lambda: checks.count("x", 10**9 + 1), "a whole number of 1e+09 at most, not 1000000001.0"),
        (lambda: checks.counts("x", [1, 2.5, 0]), "whole numbers of 1 or more, not 2.5."),
        (lambda: checks.numbers("x", {}), "x must be a number or numbers, not {}."),
        (
            lambda: checks.numbers("x", pd.DataFrame([["a"], ["b"]])),
            "x must be a number or numbers",
        ),
        (lambda: checks.numbers("x", [1, np.nan, np.inf]), "x must be finite, not nan."),
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


def test_limits_are_allowed():
    assert list(checks.share("x", [0, 0.5, 1])) == [0, 0.5, 1]
    assert list(checks.probabilities("x", [0.7, 0.2, 0.1])) == [0.7, 0.2, 0.1]
    assert checks.count("x", 10**9) == 10**9 and list(checks.counts("x", [1, 10**9])) == [1, 10**9]


def test_series_are_read_by_their_labels():
    assert list(checks.alike("x", labelled("c", "a", "b"), labelled("a", "b", "c"))) == [2, 3, 1]


def test_a_record_prints_four_digits_and_loses_its_middle():
    short, long = Table(2), Table(100)
    for text in (str(short), short._repr_html_()):
        assert "1235" in text and "1236" in text and "0.0001235" in text
    assert "<table" in short._repr_html_()
    assert len(str(long).splitlines()) < 50 and long._repr_html_().count("<tr") < 50


def test_a_record_is_drawn_on_the_axes_given_and_as_told():
    axes = Figure().subplots()
    assert Table(3).plot(ax=axes, color="red") is axes
    assert [line.get_color() for line in axes.lines] == ["red", "red"]


def test_a_record_without_a_frame_is_none():
    with pytest.raises(NotImplementedError):
        str(Record())
