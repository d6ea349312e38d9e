"""Figures: what is drawn is what was given."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from perfkit import plots


@pytest.fixture
def ax():
    figure, axis = plt.subplots()
    yield axis
    plt.close(figure)


def test_agreement_is_a_square_with_its_diagonal_and_a_marker_a_kind(ax):
    plots.agreement(ax, [2.0, 4.0, 3.0], [3.0, 3.0, 2.9], ["fitted", *["predicted"] * 2], "T", "s")
    diagonal, predicted, fitted = ax.lines
    assert ax.get_xlim() == ax.get_ylim() == (0.0, pytest.approx(4.2))
    np.testing.assert_allclose(diagonal.get_xydata(), [[0.0, 0.0], [4.2, 4.2]])
    assert fitted.get_xydata().tolist() == [[2.0, 3.0]]
    assert predicted.get_xydata().tolist() == [[4.0, 3.0], [3.0, 2.9]]
    assert fitted.get_marker() != predicted.get_marker()
    assert fitted.get_color() != predicted.get_color()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("published (s)", "simulated (s)")
    assert ax.get_title() == "T"


def test_agreement_leaves_out_pairs_of_which_one_is_unknown_with_their_kinds(ax):
    pairs = [np.inf, 2.0, 3.0, 9.0], [1.0, 2.5, 3.5, np.nan]
    plots.agreement(ax, *pairs, ["fitted", "predicted", "predicted", "predicted"], "T", "s")
    assert ax.get_legend_handles_labels()[1] == ["predicted"]
    assert ax.lines[-1].get_xydata().tolist() == [[2.0, 2.5], [3.0, 3.5]]
    assert ax.get_ylim()[1] == pytest.approx(1.05 * 3.5)


@pytest.mark.parametrize(
    ("x", "y"),
    [([-2.0, 1.0], [-1.0, 3.0]), ([1.0, 2.0], [-3.0, 2.0]), ([-1.0], [-2.0]), ([0], [0])],
)
def test_agreement_shows_zeros_and_negative_pairs(ax, x, y):
    plots.agreement(ax, x, y, ["predicted"] * len(x), "T", "s")
    low, high = ax.get_xlim()
    assert low <= min(x + y) and max(x + y) < high
    assert ax.get_ylim() == (low, high)
    assert ax.lines[0].get_xydata().tolist() == [[low, low], [high, high]]


def test_agreement_refuses_other_kinds_and_no_pair_in_a_sentence(ax):
    with pytest.raises(ValueError, match="kind must be predicted or fitted; 'guessed' is not"):
        plots.agreement(ax, [1.0, 2.0], [1.0, 2.0], ["fitted", "guessed"], "T", "s")
    for values in ([], [np.nan]):
        with pytest.raises(ValueError, match="needs a pair of finite values or more"):
            plots.agreement(ax, values, values, ["fitted"] * len(values), "T", "s")


def test_band_spans_the_interval(ax):
    plots.band(ax, [1, 2], [10.0, 20.0], [1.0, 2.0], "b", "ours")
    box = ax.collections[0].get_datalim(ax.transData)
    assert (box.y0, box.y1) == (9.0, 22.0)
    (line,) = ax.lines
    assert line.get_xydata().tolist() == [[1.0, 10.0], [2.0, 20.0]]
    assert (line.get_color(), line.get_label()) == ("b", "ours")


def test_timeline_draws_a_bar_an_interval(ax):
    intervals = pd.DataFrame(
        [(1, "in", 0.0, 2.0), (1, "out", 2.0, 3.0), (2, "in", 1.0, 3.0)],
        columns=["process", "place", "from_s", "to_s"],
    )
    plots.timeline(ax, intervals, {"in": "b"})
    bars = [(bar.get_x(), bar.get_width()) for bar in ax.patches]
    assert bars == [(0.0, 2.0), (1.0, 2.0)]


def test_timeline_has_a_row_a_process_from_the_top_and_a_colour_a_place(ax):
    intervals = pd.DataFrame(
        [(2, "in", 0.0, 2.0), (5, "out", 2.0, 3.0), (2, "out", 2.0, 3.0)],
        columns=["process", "place", "from_s", "to_s"],
    )
    plots.timeline(ax, intervals, {"in": "b", "out": "r"})
    rows = [bar.get_y() + bar.get_height() / 2 for bar in ax.patches]
    assert rows == pytest.approx([2, 5, 2])
    blue, red = matplotlib.colors.to_rgba("b"), matplotlib.colors.to_rgba("r")
    assert [bar.get_facecolor() for bar in ax.patches] == [blue, red, red]
    assert ax.get_legend_handles_labels()[1] == ["in", "out"]
    assert ax.get_yticks().tolist() == [2, 5] and ax.yaxis_inverted()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "process")


def test_published_values_are_open_and_ours_are_not(ax):
    plots.published(ax, np.arange(3), np.arange(3))
    assert ax.lines[0].get_markerfacecolor() == "white"


def test_published_values_are_black_circles_above_all_else(ax):
    plots.published(ax, [1.0, 2.0], [3.0, 5.0], label="Table 6")
    plots.band(ax, [1.0, 2.0], [3.0, 5.0], [1.0, 1.0], "b", "ours")
    marks, line = ax.lines
    assert marks.get_xydata().tolist() == [[1.0, 3.0], [2.0, 5.0]]
    assert (marks.get_color(), marks.get_marker(), marks.get_linestyle()) == ("black", "o", "None")
    assert marks.get_label() == "Table 6" and marks.get_zorder() > line.get_zorder()


def test_colours_are_those_for_the_colour_blind_in_a_fixed_order():
    palette = ["#0173b2", "#de8f05", "#029e73"]
    assert [matplotlib.colors.to_hex(colour) for colour in plots.colours(3)] == palette


def test_the_style_is_wide_with_titles_on_the_left_and_two_spines():
    with matplotlib.rc_context():
        plots.use_style()
        figure, ax = plt.subplots()
        ax.set_title("T")
        width, height = figure.get_size_inches()
        assert width == 8.0 > height
        assert ax.get_title(loc="left") == "T" and ax.get_title(loc="center") == ""
        assert [side for side in ax.spines if ax.spines[side].get_visible()] == ["left", "bottom"]
        plt.close(figure)
