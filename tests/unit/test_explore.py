"""Sliders: what a panel runs, draws and refuses when its controls are turned."""

import asyncio
import re
import threading
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.runs.experiment import interval, replicate, sweep
from perfkit.show import explore
from perfkit.systems import cp67, emas, sim61, tss360, unix_v6

SMALL = unix_v6.Parameters(processes=3, interactions=5)
TURN = {
    "processes": (2, 6),
    "write_share": (0.0, 1.0),
    "discipline": ["LOOK", "FCFS"],
    "process_clicks": [157, (157, 314, 157)],
}
ALONG = {"memory_clicks": [250, 500, 1000]}
THEN = st.sampled_from(["go on", "begin", "rest"])
TURNS = st.lists(st.tuples(st.integers(2, 6), THEN), min_size=1, max_size=12)


def formula(parameters, seed):
    """Stand in for a simulator: quick, different at each state and seed."""
    noise = np.random.default_rng([seed, parameters.memory_clicks]).normal()
    elapsed = parameters.processes * (1.0 + noise / 10.0) + 1000.0 / parameters.memory_clicks
    return SimpleNamespace(measures=lambda: {"elapsed_s": elapsed, "queue": noise})


def panel(**options):
    return explore.sliders(formula, SMALL, TURN, ["elapsed_s", "queue"], **options)


def quick(simulate=formula, **options):
    turn = {"processes": (2, 6)}
    return explore.sliders(simulate, SMALL, turn, ["elapsed_s", "queue"], **options)


def without_pictures(one):
    """Let a panel's picture be the number of processes, and return the panel."""
    one._page = lambda turned, small: (
        {"image/png": str(turned.processes).encode()},
        {"image/png": {"alt": ""}},
    )
    return one


def lines(ax):
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def texts(figure):
    found = [text.get_text() for text in (figure._suptitle, *figure.legends[0].get_texts())]
    for ax in figure.axes:
        found += [ax.get_title("left"), ax.get_xlabel(), ax.get_ylabel()]
    return found


def test_controls_are_of_the_parameters_kind_and_say_its_unit():
    controls = panel(words={"discipline": "order of the disc's queue"}).controls
    processes, share = controls["processes"], controls["write_share"]
    assert (type(processes).__name__, processes.min, processes.max) == ("IntSlider", 2, 6)
    assert (type(share).__name__, share.step) == ("FloatSlider", 0.02)
    assert share.description == "write share (of operations)"
    assert controls["process_clicks"].description == "process (64-byte clicks)"
    assert controls["discipline"].description == "order of the disc's queue"
    assert controls["discipline"].options == (("LOOK", "LOOK"), ("FCFS", "FCFS"))
    assert controls["process_clicks"].options[1] == ("157, 314, 157", (157, 314, 157))
    assert not processes.continuous_update
    assert all(control.tooltip.startswith(name) for name, control in controls.items())


@pytest.mark.parametrize("system", [cp67, emas, sim61, tss360, unix_v6])
def test_no_system_shows_an_identifier(system):
    own = system.Parameters()
    values = own.as_dict()
    length = "measured_s" if "measured_s" in values else "flush_period_s"
    along = next(name for name in values if name.endswith("_ms"))
    turn = {name: [value] for name, value in values.items() if name != along}
    measures = dict.fromkeys(system.MEASURES, 1.0)
    one = explore.sliders(
        lambda parameters, seed: SimpleNamespace(measures=lambda: measures),
        *(own, turn, [*measures][:4]),
        along={along: [values[along]]},
        turned={length: 3600.0},
    )
    picture = one.picture()
    shown = [control.description for control in one.controls.values()]
    shown += [*texts(picture.figure), picture.alt, picture.caption]
    assert not [text for text in shown if "_" in text]
    said = [set(re.findall(r"[^\s(),]+", text)) for text in system.MEASURES.values()]
    title = picture.figure.axes[0].get_title("left")  # the unit stands last there, in brackets
    assert any(set(re.findall(r"[^\s(),]+", title)) <= one for one in said)


def test_a_range_is_widened_to_hold_the_system_as_it_is_and_as_turned():
    turn = {"processes": (4, 6), "discipline": ["FCFS"]}
    options = {"turned": {"processes": 9}, "replications": 2}
    one = explore.sliders(formula, SMALL, turn, ["queue"], **options)
    assert (one.controls["processes"].min, one.controls["processes"].max) == (3, 9)
    assert [value for _, value in one.controls["discipline"].options] == ["FCFS", "LOOK"]


def test_a_panel_stands_where_the_system_is_and_runs_what_it_is_turned_to_over_the_same_seeds():
    one = panel(seed=7)
    assert one.changes == {}
    assert {name: control.value for name, control in one.controls.items()} == {
        name: getattr(SMALL, name) for name in TURN
    }
    one.controls["processes"].value = 5
    one.controls["discipline"].value = "FCFS"
    assert one.changes == {"processes": 5, "discipline": "FCFS"}
    changed = SMALL.replace(processes=5, discipline="FCFS")
    wanted = replicate(formula, changed, 3, seed=7, progress=False)
    assert one.runs()["elapsed_s"].tolist() == wanted["elapsed_s"].tolist()
    assert (one.runs()["seed"] == [7, 8, 9]).all()


@settings(max_examples=30)
@given(st.lists(st.integers(2, 6), max_size=12), st.integers(1, 3))
def test_the_newest_states_are_kept_and_not_run_again(visited, most):
    calls = []

    def simulate(parameters, seed):
        calls.append(parameters.processes)
        return formula(parameters, seed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explore, "MOST_KEPT", most)
        one = without_pictures(quick(simulate, replications=2, jobs=1))
    wanted, kept = [3], [3]
    for processes in visited:
        one.runs({"processes": processes})
        wanted += [processes] * (processes not in kept)
        kept = [*(old for old in kept if old != processes), processes][-most:]
    assert calls == [each for each in wanted for _ in range(2)]


@settings(max_examples=12)  # of a picture each
@given(st.integers(2, 6), st.integers(2, 5), st.booleans(), st.integers(0, 99))
def test_values_and_differences_are_means_over_the_same_seeds(processes, runs, curves, seed):
    options = {"along": ALONG} if curves else {}
    one = quick(turned={"processes": processes}, replications=runs, seed=seed, **options)
    design = pd.DataFrame(ALONG if curves else {"memory_clicks": [SMALL.memory_clicks]})
    changed = SMALL.replace(processes=processes)
    base, turned = (
        sweep(formula, p, design, runs, seed=seed, progress=False) for p in (SMALL, changed)
    )
    axes = one.picture().figure.axes
    wanted = {"baseline": base, "as turned": turned} if one.changes else {"baseline": base}
    assert len(axes) == 2 * len(wanted)
    for column, measure in enumerate(one.measures):
        found = {name: frame[measure] for name, frame in wanted.items()}
        if one.changes:
            apart = found["as turned"] - found["baseline"]
            drawn = axes[2 + column]
            assert zero_line(drawn)
            check(drawn, "difference", apart, base["point"], design)
        for name, values in found.items():
            check(axes[column], name, values, base["point"], design)


def zero_line(ax):
    return any(len(line.get_ydata()) == 2 and not any(line.get_ydata()) for line in ax.lines)


def check(ax, name, values, points, design):
    """Look for the means and intervals of values, by point, in what axes show under a name."""
    wanted = [interval(own) for _, own in values.groupby(points)]
    means, widths = np.array(wanted).T
    marks = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    if len(design) > 1:
        np.testing.assert_allclose(lines(ax)[name], np.c_[design["memory_clicks"], means])
        band = ax.collections[list(marks).index(name)].get_datalim(ax.transData)
        np.testing.assert_allclose(
            (band.y0, band.y1), (min(means - widths), max(means + widths)), atol=1e-12
        )
    else:
        point, _, (bar,) = marks[name].lines
        assert point.get_ydata().tolist() == means.tolist()
        ends = bar.get_segments()[0][:, 1]
        np.testing.assert_allclose(ends, np.r_[means - widths, means + widths], atol=1e-12)


def test_a_picture_says_what_is_turned_and_where_its_curves_begin_and_end():
    one = quick(along=ALONG, turned={"processes": 6}, words={"processes": "people at work"})
    picture = one.picture()
    assert picture.figure._suptitle.get_text() == "as turned: people at work = 6"
    assert picture.figure.axes[-1].get_xlabel() == "memory (64-byte clicks)"
    assert "from the start to the exit of the last process (s): baseline " in picture.alt
    assert "difference " in picture.alt and "same 3 seeds" in picture.caption
    headed = quick(along=ALONG, turned={"processes": 6}, title="what memory does").picture()
    assert headed.figure._suptitle.get_text() == "what memory does\nas turned: processes = 6"
    assert headed.alt.startswith("What memory does. As turned: processes = 6. Means with ")


def test_a_system_that_can_not_be_is_said_in_one_sentence_and_the_last_figure_stands():
    def simulate(parameters, seed):
        return SimpleNamespace(measures=lambda: {"response_s": 1.0})

    turn = {"memory_pages": (50, 300), "supervisor_pages": (10, 200)}
    one = explore.sliders(simulate, sim61.Parameters(), turn, ["response_s"], replications=2)
    one.controls["supervisor_pages"].value = 200
    assert one.message.value == ""
    last = one.image.value
    one.controls["memory_pages"].value = 50
    assert "supervisor_pages" in one.message.value and one.image.value == last
    one.controls["supervisor_pages"].value = 30
    assert one.message.value == "" and one.image.value != last


def test_an_error_of_any_kind_is_said_and_the_next_turn_is_drawn():
    def simulate(parameters, seed):
        if parameters.processes == 5:
            raise KeyError("a < b")
        return formula(parameters, seed)

    one = without_pictures(quick(simulate))
    one.controls["processes"].value = 5
    assert "a &lt; b" in one.message.value and one.image.value == b""
    one.controls["processes"].value = 6
    assert one.message.value == "" and one.image.value == b"6"


def test_reset_puts_every_control_back_and_draws_once():
    one = panel(turned={"processes": 6, "write_share": 0.1})
    drawn = []
    one._show = drawn.append
    one.reset()
    assert one.changes == {}
    assert drawn == [SMALL]


@given(TURNS)
def test_of_states_that_wait_only_the_newest_is_run_and_the_last_is_shown(turns):
    """In an event loop, whatever is turned while runs are computed."""
    begun, said, go = [], [], threading.Event()

    def simulate(parameters, seed):
        if threading.current_thread() is not threading.main_thread():
            begun.append(parameters.processes)
            assert go.wait(10.0)
        return formula(parameters, seed)

    async def turn_all(one):
        for processes, then in [*turns, (turns[-1][0], "rest")]:
            one.controls["processes"].value = processes
            if then == "begin":
                await asyncio.sleep(0.001)
            elif then == "rest":
                await asyncio.sleep(0)
                go.set()
                while one._busy:
                    await asyncio.sleep(0.0005)
                go.clear()

    one = without_pictures(quick(simulate, replications=2, jobs=1))
    one.message.observe(lambda change: said.append(change["new"]), names="value")
    asyncio.run(turn_all(one))
    turned = any(processes != SMALL.processes for processes, _ in turns)
    assert one.image.value == (b"%d" % turns[-1][0] if turned else b"")
    rests = 1 + sum(then == "rest" for _, then in turns)
    assert len(begun) <= 2 * 2 * rests  # replications, and the first and the newest state
    assert said == ["computing ...", ""] * (len(said) // 2)
