"""EMAS's users: why processes sleep; times, lines and references are drawn as the paper says."""

import math

import numpy as np
import pytest

from perfkit.des.draws import stream
from perfkit.systems.emas import KINDS, TABLE_6, Event, Parameters, ScriptCommand, simulate
from perfkit.systems.emas.load import draw_commands, kind_records, mean_output_lines

SILENT = {name: kind._replace(output_lines=0.0) for name, kind in TABLE_6.items()}
EDITS = {name: kind._replace(count=int(name == "edit")) for name, kind in SILENT.items()}
OUTPUT, LINE, COMMAND = 1, 2, 3
NO_WORK = dict.fromkeys(
    (
        "drum_transfer_ms", "disc_transfer_ms", "preload_page_ms", "marker_page_ms",
        "drum_loading_ms", "process_control_ms", "dispatch_ms", "svc_ms", "line_ms", "command_ms",
        "polling_ms_per_s", "magtape_ms_per_s", "miscellaneous_ms_per_s",
    ),
    0.0,
)  # fmt: skip
ALONE = {"users": 1, "settle_s": 0.0, "measured_s": 3600.0, "commands_per_session": 1e4}
ALONE |= NO_WORK | {"trace_record_us": 0.0}


def sleeps(result):
    """Return when a lone process slept, how long in s, and what for."""
    trace = result.trace
    down = trace[trace.kind == Event.SLEEPS]
    up = trace[trace.kind == Event.WAKES]
    up = up[up.value > 0][: len(down)]
    down = down[: len(up)]
    return (up.time_ms - down.time_ms) / 1000.0, up.value


@pytest.mark.parametrize("change", [{"reference_ms": 3.0}, {"drums": 3, "frames": 300}])
def test_users_think_for_the_same_times_on_every_machine(change):
    """Without output a sleep is the user's thinking and typing: 140 / 11 characters, 2 a second.

    Nobody is removed from drum, for who is woken while he is must wait for the end of it; nor for
    the supervisor, whose work takes no time.
    """
    alone = {**ALONE, "drum_hold_s": math.inf}
    two = [
        simulate(Parameters(**alone, **more), 5, kinds=EDITS, trace=10**6) for more in ({}, change)
    ]
    (here, why), (there, why_there) = (sleeps(result) for result in two)
    count = min(len(here), len(there))
    assert count > 100 and np.array_equal(why[:count], why_there[:count])
    assert here[:count] == pytest.approx(there[:count], abs=1e-6)
    lines = here[why == LINE]
    assert lines.min() >= 13 / 2.0
    assert lines.mean() - 13 / 2.0 == pytest.approx(Parameters().line_think_s, rel=0.3)


@pytest.mark.parametrize(
    ("own", "changes", "think_s"),
    [((1.5, 4.0), {}, (4.5, 4.0, 4.0)),
     ((), {"line_think_s": 3.0, "typing_characters_per_s": 5.0}, (4.0, 5.0, 5.0))],
)  # fmt: skip
def test_a_scripts_user_thinks_and_types_as_script_or_parameters_say(own, changes, think_s):
    """Three lines of 10 characters at 4 a second, 1.5 s of thought before the later two."""
    row = ScriptCommand(0, "edit", 0.5, 3, 10, 0, 0, 2.0, *own)
    slept_s, why = sleeps(simulate(Parameters(**ALONE | changes), scripts=[row], trace=10**5))
    assert why.tolist() == [COMMAND, LINE, LINE]
    assert slept_s == pytest.approx(think_s)


def test_what_is_executed_prints_while_it_computes_other_commands_afterwards():
    """Ten seconds of processor time, ten lines of four seconds each: the buffer takes one line.

    An execution has its third line after three seconds and a few page waits and sleeps; from then
    on computing and printing overlap. A compilation prints its first line after ten seconds. A
    command is ready when the last of its 400 characters are in the buffer.
    """
    p = Parameters(**ALONE, buffer_characters=76, resume_characters=70)
    first_s, elapsed_s = {}, {}
    for kind in ("execute", "compile"):
        row = ScriptCommand(0, kind, 10.0, 1, 10, 10, 40, 2.0)
        result = simulate(p, scripts=[row], trace=10**5)
        assert sleeps(result)[1][:2].tolist() == [COMMAND, OUTPUT]
        command = result.session().iloc[0]
        down = result.trace.time_ms[result.trace.kind == Event.SLEEPS] / 1000.0
        first_s[kind] = down[1] - command["received_s"]
        elapsed_s[kind] = command["elapsed_s"]
    assert 3.0 < first_s["execute"] < 9.0 < 10.0 < first_s["compile"]
    assert (400 - 76) / 10.0 < elapsed_s["execute"] < elapsed_s["compile"] - 5.0


def test_idle_time_is_without_work_or_blocked():
    for users, least, most in ((1, 80.0, 99.0), (30, 0.0, 1.0)):
        result = simulate(Parameters(users=users, settle_s=300.0, measured_s=1800.0), 2)
        counts = result.values
        parts = counts["no_work_percent"] + counts["blocked_percent"]
        assert parts == pytest.approx(result.idle_percent)
        assert least <= counts["no_work_percent"] <= most and counts["blocked_percent"] > 0.0


@pytest.mark.parametrize(
    ("name", "changes", "factor"),
    [
        ("edit", {}, 1.0),
        ("execute", {}, 3.0),
        ("execute", {"silent_share": (1.0, 1.0, 0.5, 1.0)}, 0.5 + 0.5 * 3.0),
    ],
)
def test_what_is_executed_prints_in_proportion_where_it_is_not_silent(name, changes, factor):
    kind, number = TABLE_6[name], KINDS.index(name)
    drawn = kind_records(Parameters(**changes), TABLE_6)[number]
    lines = mean_output_lines(drawn, 3.0 * kind.cpu_s)
    assert lines == pytest.approx(factor * kind.output_lines)


@pytest.mark.parametrize(
    "changes", [{"cpu_cv": (1.0, 1.0, 1.8, 1.0)}, {"silent_share": (0.5,) * 4}]
)
def test_users_ask_for_the_same_commands_whatever_these_print(changes):
    """Common random numbers: only times and lines of output differ, and nobody's other draws."""
    here, there = (
        draw_commands(p, stream(7, "test"), 500) for p in (Parameters(), Parameters(**changes))
    )
    for name in ("kind", "input_lines", "think_ms", "own_pages"):
        assert np.array_equal(here[name], there[name])
    assert not np.array_equal(here["output_lines"], there["output_lines"])


def test_the_kinds_of_commands_keep_their_mean_times_and_lines_whatever_their_spread():
    """50 000 commands, five standard errors of each mean: one false alarm in 200 000 means."""
    p = Parameters(cpu_cv=(1.0, 1.0, 2.0, 1.0))
    rows = draw_commands(p, stream(4, "test"), 50_000)
    for number, name in enumerate(KINDS):
        kind, mine = TABLE_6[name], rows[rows.kind == number]
        for found, wanted in (
            (mine.cpu_ms, 1000.0 * kind.cpu_s),
            (mine.output_lines, kind.output_lines),
        ):
            error = found.std() / np.sqrt(found.size)
            assert found.mean() == pytest.approx(wanted, abs=5.0 * error)
