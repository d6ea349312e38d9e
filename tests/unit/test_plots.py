"""Figures: what is drawn is what was given."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from perfkit.show import plots
from studies.evidence import scorecard
from studies.show import charts


@pytest.fixture
def ax():
    figure, axis = plt.subplots()
    yield axis
    plt.close(figure)


def test_timeline_has_a_row_a_process_from_the_top_and_a_colour_a_place(ax):
    intervals = pd.DataFrame(
        [(2, "in", 0.0, 2.0), (5, "out", 2.0, 3.0), (2, "out", 2.0, 3.0)],
        columns=["process", "place", "from_s", "to_s"],
    )
    charts.timeline(ax, intervals, {"in": "b", "out": "r"})
    rows = [bar.get_y() + bar.get_height() / 2 for bar in ax.patches]
    assert rows == pytest.approx([2, 5, 2])
    blue, red = matplotlib.colors.to_rgba("b"), matplotlib.colors.to_rgba("r")
    assert [bar.get_facecolor() for bar in ax.patches] == [blue, red, red]
    assert ax.get_legend_handles_labels()[1] == ["in", "out"]
    assert ax.get_yticks().tolist() == [2, 5] and ax.yaxis_inverted()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "process")


CELLS = scorecard.cells("T", ["a", "b", "c"], "s", "predicted", [10.0] * 3, [10.5, 12.0, 30.0])
CLAIMED = [
    ("more", True, False, "x: > 2", 2.0, 3.0, 0.5),
    ("less", False, True, "x: < 2", 2.0, 9.0, 1.0),
    ("so much", False, False, "x: 4 ± 2", 4.0, 6.0, 0.5),
]
NAMES = ("statement", "holds", "refuted", "quantity", "published", "ours", "half_width")
CLAIMS = scorecard.gather(
    *(scorecard.claim("p. 1", **dict(zip(NAMES, row, strict=True))) for row in CLAIMED)
)


def test_a_picture_needs_words_and_shows_them_at_twice_the_resolution(monkeypatch):
    figure, _ = plots.panels()
    with pytest.raises(ValueError, match="alt must tell the picture in 40 characters"):
        plots.picture(figure, "What it shows.", "short")
    with pytest.raises(ValueError, match="needs its caption in words"):
        plots.picture(figure, "", "x" * 40)
    with pytest.raises(ValueError, match='legend must be "right", "below" or None'):
        plots.picture(figure, "What it shows.", "x" * 40, legend="left")
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **how: shown.append((data, how)))
    picture = plots.picture(plots.panels()[0], "What it shows.", "x" * 40)
    picture._ipython_display_()
    (data, how), (caption, _) = shown
    assert how["metadata"]["image/png"] == {"alt": "x" * 40, "width": 630, "height": 270}
    assert int.from_bytes(data["image/png"][16:20], "big") == 2 * 630
    assert caption.data == "*What it shows.*"
    assert not plt.fignum_exists(picture.figure.number)


def test_one_legend_stands_off_the_data_and_names_each_label_once():
    figure, axes = plots.panels(1, 2)
    for ax in axes:
        ax.plot([0, 1], label="ours")
        ax.legend()
    picture = plots.picture(figure, "What it shows.", "x" * 40, legend="below")
    (legend,) = picture.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["ours"]
    assert all(ax.get_legend() is None for ax in axes)


def test_errors_are_percent_off_filled_within_tolerance_and_at_the_edge_beyond_50():
    (ax,) = charts.errors(CELLS, "Errors.").figure.axes
    drawn = {
        (round(float(x), 6), line.get_marker(), line.get_markerfacecolor() == "white")
        for line in ax.lines
        if line.get_linestyle() == "None" and len(line.get_xdata())
        for x in line.get_xdata()
    }
    assert drawn == {(5.0, "o", False), (20.0, "o", True), (52.0, ">", True)}
    with pytest.raises(ValueError, match="needs a forecast or fitted cell"):
        charts.errors(CLAIMS, "None.")


def test_a_forest_has_each_claim_on_its_side_in_percent_of_what_was_asked():
    (ax,) = charts.forest(CLAIMS, "Claims.").figure.axes
    marks = [line.get_xdata() for line in ax.lines if line.get_marker() in ("o", "X", "D", "^")]
    assert [float(x[0]) for x in marks if len(x)] == pytest.approx([50.0, 0.0, -100.0])
    assert ax.texts[0].get_text() == "3.00 ± 0.50; asked > 2"
    assert [text.get_text() for text in ax.get_yticklabels()] == ["more", "so much", "less"]
    assert charts.forest(CLAIMS[:1], "One.").alt.endswith("each of them holds.")


def test_a_conclusion_that_a_move_leaves_undecided_is_not_counted_as_held():
    rows = [("a", "", "holds"), ("a", "x", "undecided"), ("b", "", "holds"), ("b", "x", "holds")]
    moved = pd.DataFrame(rows, columns=["conclusion", "parameter", "verdict"])
    picture = charts.conclusions(moved, {"a": "One", "b": "Two"})
    assert "1 of 2 conclusions hold" in picture.caption and "1 of 2" in picture.alt
