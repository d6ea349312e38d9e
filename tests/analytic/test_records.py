"""How every model's result becomes a frame, is printed and drawn."""

from matplotlib.figure import Figure

from perfkit.analytic.multiprogramming import memory_constrained
from perfkit.analytic.mva import mva_curve
from perfkit.analytic.repairman import repairman


def test_a_record_turns_into_a_frame_by_its_index_or_a_row_a_measure():
    frame = repairman([3, 5], 9.0, 1.0).to_frame()
    assert frame.index.name == "users" and list(frame.index) == [3, 5]
    assert list(frame) == ["throughput", "response_s", "queue", "utilization"]
    curve = mva_curve([1.0, 2.0], 2).to_frame()
    assert curve.index.name == "population" and list(curve) == ["throughput", "response_s"]
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
