"""Sliders: what a panel runs, draws and refuses when its controls are turned."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from perfkit import explore
from perfkit.experiment import replicate, sweep
from perfkit.systems import sim61, unix_v6

SMALL = unix_v6.Parameters(processes=3, interactions=5)
TURN = {
    "processes": (2, 6),
    "write_share": (0.0, 1.0),
    "discipline": ["LOOK", "FCFS"],
    "process_clicks": [157, (157, 314, 157)],
}


def panel(**options):
    return explore.sliders(unix_v6.simulate, SMALL, TURN, ["elapsed_s", "swap_ms"], **options)


def lines(figure):
    return {line.get_label(): line.get_xydata() for line in figure.axes[0].lines}


def test_controls_are_of_the_parameters_kind_and_say_its_unit():
    controls = panel().controls
    processes, share = controls["processes"], controls["write_share"]
    assert (type(processes).__name__, processes.min, processes.max) == ("IntSlider", 2, 6)
    assert (type(share).__name__, share.step) == ("FloatSlider", 0.02)
    assert share.description == "write_share (of operations)"
    assert controls["discipline"].options == (("LOOK", "LOOK"), ("FCFS", "FCFS"))
    assert controls["process_clicks"].options[1] == ("157, 314, 157", (157, 314, 157))
    assert not processes.continuous_update


def test_a_range_is_widened_to_hold_the_system_as_it_is_and_as_turned():
    turn = {"processes": (4, 6), "discipline": ["FCFS"]}
    options = {"turned": {"processes": 9}, "replications": 2}
    one = explore.sliders(unix_v6.simulate, SMALL, turn, ["queue"], **options)
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
    wanted = replicate(unix_v6.simulate, changed, 3, seed=7, progress=False)
    assert one.runs()["elapsed_s"].tolist() == wanted["elapsed_s"].tolist()
    assert (one.runs()["seed"] == [7, 8, 9]).all()


def test_a_place_where_the_controls_have_been_is_not_run_again():
    calls = []

    def simulate(parameters, seed):
        calls.append(parameters.processes)
        return unix_v6.simulate(parameters, seed)

    one = explore.sliders(simulate, SMALL, TURN, ["queue"], replications=2, jobs=1)
    for processes in (3, 4, 3, 4):
        one.controls["processes"].value = processes
        one.figure()
    assert calls == [3, 3, 4, 4]


def test_curves_are_means_along_a_parameter_for_both():
    along = {"memory_clicks": [250, 500, 1000]}
    one = panel(along=along, turned={"processes": 6})
    design = pd.DataFrame(along)
    wanted = sweep(unix_v6.simulate, SMALL.replace(processes=6), design, 3, progress=False)
    means = wanted.groupby("point")["elapsed_s"].mean()
    drawn = lines(one.figure())
    np.testing.assert_allclose(drawn["as turned"], np.c_[along["memory_clicks"], means])
    assert set(drawn) == {"as it is", "as turned"}
    assert one.figure().axes[0].get_xlabel() == "memory_clicks (64-byte clicks)"
    assert "processes 6" in one.figure().get_suptitle()


def test_a_system_that_can_not_be_is_said_in_one_sentence_and_the_last_figure_stands():
    parameters = sim61.Parameters(measured_s=20.0)
    turn = {"memory_pages": (50, 300), "supervisor_pages": (10, 200)}
    one = explore.sliders(sim61.simulate, parameters, turn, ["response_s"], replications=2)
    one.controls["supervisor_pages"].value = 200
    assert one.message.value == ""
    one.controls["memory_pages"].value = 50
    assert "supervisor_pages" in one.message.value
    one.controls["supervisor_pages"].value = 30
    assert one.message.value == ""


def test_reset_puts_every_control_back_and_draws_once():
    one = panel(turned={"processes": 6, "write_share": 0.1})
    shown = []
    one._shown = SimpleNamespace(update=lambda figure: shown.append(figure.get_suptitle()))
    one.reset()
    assert one.changes == {}
    assert shown == ["as it is"]
