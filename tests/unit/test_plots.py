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


def test_agreement_draws_every_run_by_kind_and_the_diagonal(ax):
    plots.agreement(
        ax, [1.0, 2.0, 3.0], [1.1, 2.1, 2.9], ["fitted", "predicted", "predicted"], "T", "s"
    )
    drawn = {line.get_label(): line.get_xydata() for line in ax.lines}
    assert drawn["predicted"].tolist() == [[2.0, 2.1], [3.0, 2.9]]
    assert drawn["fitted"].tolist() == [[1.0, 1.1]]
    assert ax.get_xlim() == ax.get_ylim()


def test_agreement_leaves_out_pairs_of_which_one_is_missing(ax):
    plots.agreement(ax, [1.0, 2.0, np.nan], [1.1, np.nan, 3.0], ["predicted"] * 3, "T", "s")
    drawn = {line.get_label(): line.get_xydata() for line in ax.lines}
    assert drawn["predicted"].tolist() == [[1.0, 1.1]]
    assert ax.get_ylim()[1] == pytest.approx(1.05 * 1.1)


@pytest.mark.parametrize(
    ("x", "y"), [([-2.0, 1.0], [-1.0, 3.0]), ([1.0, 2.0], [-3.0, 2.0]), ([-1.0], [-2.0])]
)
def test_agreement_shows_negative_pairs(ax, x, y):
    plots.agreement(ax, x, y, ["predicted"] * len(x), "T", "s", tolerance=0.1)
    low, high = ax.get_xlim()
    assert low < min(x + y) and max(x + y) < high
    assert ax.get_ylim() == (low, high)


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


def test_timeline_draws_a_bar_an_interval(ax):
    intervals = pd.DataFrame(
        [(1, "in", 0.0, 2.0), (1, "out", 2.0, 3.0), (2, "in", 1.0, 3.0)],
        columns=["process", "place", "from_s", "to_s"],
    )
    plots.timeline(ax, intervals, {"in": "b"})
    bars = [(bar.get_x(), bar.get_width()) for bar in ax.patches]
    assert bars == [(0.0, 2.0), (1.0, 2.0)]


def test_published_values_are_open_and_ours_are_not(ax):
    plots.published(ax, np.arange(3), np.arange(3))
    assert ax.lines[0].get_markerfacecolor() == "white"
