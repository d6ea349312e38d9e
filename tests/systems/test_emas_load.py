"""Job scripts and mixes of commands: in any shape of table, or refused in one sentence."""

import math

import numpy as np
import pandas as pd
import pytest

from perfkit.des.draws import stream
from perfkit.des.elementary import each_power
from perfkit.systems import emas
from perfkit.systems.emas import KINDS, TABLE_6, CommandKind, Parameters, ScriptCommand
from perfkit.systems.emas.load import (
    draw_commands,
    draw_output_lines,
    draw_session,
    read_kinds,
    read_scripts,
    turn_into_references,
)

ROWS = [ScriptCommand(script, "other", 0.1, 1, 8, 2, 20, 1.0) for script in (1, 0, 1)]
SHORT = Parameters(users=3, settle_s=1.0, measured_s=20.0)


def changed(name="edit", **changes):
    return {**TABLE_6, name: TABLE_6[name]._replace(**changes)}


@pytest.mark.parametrize(
    "shape", [list, pd.DataFrame, lambda rows: pd.DataFrame(rows).to_dict("list")]
)
def test_job_scripts_may_be_a_frame_columns_or_rows(shape):
    scripts = read_scripts(Parameters(), shape(ROWS))
    assert [len(script) for script in scripts] == [1, 2]
    assert [script.last.tolist() for script in scripts] == [[1], [0, 1]]


@pytest.mark.parametrize(
    ("scripts", "message"),
    [
        (17, "A table of job scripts must be a frame"),
        ([1, 2], "A table of job scripts must be a frame"),
        ({"script": [1, 2], "kind": ["edit"]}, "of one length"),
        ([{**ROWS[0]._asdict(), "cpu": 1.0}], "no column 'cpu'; did you mean cpu_s"),
        ([{"script": 1}], "must have a column 'kind'"),
        ([ROWS[0]._replace(cpu_s=0.0)], "cpu_s must be a number above 0"),
        ([ROWS[0]._replace(think_s=10**400)], "think_s must be a number of 0 or more"),
    ],
)
def test_impossible_job_scripts_are_refused_in_one_sentence(scripts, message):
    with pytest.raises(ValueError, match=message) as refusal:
        emas.simulate(scripts=scripts)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({}, "kinds must have a CommandKind for 'edit'"),
        ([1], r"kinds must be a mapping of str to CommandKind, not \[1\]"),
        (
            {**TABLE_6, "edits": TABLE_6["edit"]},
            "There is no kind of command 'edits'; did you mean",
        ),
        ({**TABLE_6, "edit": (1, 2)}, "kinds must have a CommandKind for 'edit'"),
        (changed(cpu_s=0.0), "cpu_s of kind 'edit' must be a number from"),
        (changed(input_lines=0), "input_lines of kind 'edit' must be a number from 1 to"),
        (changed("other", count=-1), "count of kind 'other' must be a number from 0 to"),
        (changed(output_lines=math.nan), "output_lines of kind 'edit' must be a number"),
        (changed(count="many"), "'many' is not"),
        ({name: TABLE_6[name]._replace(count=0) for name in KINDS}, "a count above 0"),
    ],
)
def test_an_impossible_mix_of_commands_is_refused_in_one_sentence(kinds, message):
    with pytest.raises(ValueError, match=message) as refusal:
        emas.simulate(kinds=kinds)
    assert "\n" not in str(refusal.value)


def test_table_6_is_a_mix_and_stands_for_none():
    assert read_kinds(TABLE_6) == TABLE_6
    assert all(isinstance(kind, CommandKind) for kind in TABLE_6.values())
    runs = [emas.simulate(SHORT, 4, **given).measures() for given in ({}, {"kinds": None})]
    assert runs[0] == pytest.approx(runs[1], nan_ok=True)


def test_what_is_executed_prints_in_proportion_to_its_processor_time_other_kinds_do_not():
    """40 000 draws each; six standard errors of a Poisson mean, one false alarm in 10^8."""
    rng = stream(3, "test")
    for name, factor in (("edit", 1.0), ("execute", 3.0)):
        kind, number = TABLE_6[name], KINDS.index(name)
        cpu_s = np.full(40_000, 3.0 * kind.cpu_s)
        lines = draw_output_lines(Parameters(), rng, cpu_s, kind, number)
        wanted = factor * kind.output_lines
        assert lines.mean() == pytest.approx(wanted, abs=6.0 * np.sqrt(wanted / cpu_s.size))


def test_where_half_of_a_stretch_is_silent_half_of_the_lines_are_in_proportion():
    """Three times the mean time gives 0.5 + 0.5 * 3 = 2 times the lines; six standard errors."""
    kind, number = TABLE_6["execute"], KINDS.index("execute")
    p = Parameters(silent_share=(1.0, 1.0, 0.5, 1.0))
    cpu_s = np.full(40_000, 3.0 * kind.cpu_s)
    lines = draw_output_lines(p, stream(6, "test"), cpu_s, kind, number)
    wanted = 2.0 * kind.output_lines
    assert lines.mean() == pytest.approx(wanted, abs=6.0 * np.sqrt(wanted / cpu_s.size))


@pytest.mark.parametrize(
    "changes", [{"cpu_cv": (1.0, 1.0, 1.8, 1.0)}, {"silent_share": (0.5,) * 4}]
)
def test_users_ask_for_the_same_commands_whatever_these_print(changes):
    """Common random numbers: only times and lines of output differ, and nobody's other draws."""
    sessions = []
    for p in (Parameters(), Parameters(**changes)):
        rng = stream(7, "test")
        sessions.append(np.concatenate([draw_session(p, rng) for _ in range(40)]))
    here, there = sessions
    assert len(here) == len(there) > 300
    for name in ("kind", "input_lines", "think_ms", "own_pages", "last"):
        assert np.array_equal(here[name], there[name])
    assert not np.array_equal(here["output_lines"], there["output_lines"])


def test_sessions_executions_print_in_proportion_other_commands_do_not():
    """Correlations of 2000 commands and more: lines vary by their own Poisson draw, too."""
    rows = draw_commands(Parameters(), stream(8, "test"), 20_000)
    for number, name in enumerate(KINDS):
        mine = rows[rows.kind == number]
        alike = np.corrcoef(mine.cpu_ms, mine.output_lines)[0, 1]
        assert alike > 0.95 if name == "execute" else abs(alike) < 0.15


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


@pytest.mark.parametrize("to_power", [-0.2, -10.0])
def test_references_are_draws_sorted_into_popularities_and_raised_to_a_power(to_power):
    draws = stream(9, "test").random((4000, 4))
    base, programme = np.array([0.5, 0.8, 1.0]), np.array([0.7, 1.0])
    rows = draws.copy()
    turn_into_references(rows, 0.6, 0.4, base, programme, to_power)
    ranks = np.where(
        draws[:, 1] < 0.4,
        np.searchsorted(base, draws[:, 2], side="right"),
        base.size + np.searchsorted(programme, draws[:, 2], side="right"),
    )
    own = draws[:, 0] >= 0.6
    distances = np.minimum(each_power(1.0 - draws[:, 2], to_power) - 1.0, 1e6)
    assert (rows[:, 0] == np.where(own, -1.0, ranks)).all()
    assert (rows[own, 1] == distances[own]).all() and (rows[:, 3] == draws[:, 3]).all()
    assert to_power > -10.0 or distances[own].max() == 1e6
