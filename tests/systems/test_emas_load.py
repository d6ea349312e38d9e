"""What EMAS's users ask for: times, lines and references are drawn as the paper says."""

import numpy as np
import pytest

from perfkit.des.draws import stream
from perfkit.des.elementary import each_power
from perfkit.systems.emas import KINDS, TABLE_6, Parameters
from perfkit.systems.emas.load import (
    draw_commands,
    draw_output_lines,
    draw_session,
    turn_into_references,
)


@pytest.mark.parametrize(
    ("name", "changes", "factor"),
    [
        ("edit", {}, 1.0),
        ("execute", {}, 3.0),
        ("execute", {"silent_share": (1.0, 1.0, 0.5, 1.0)}, 0.5 + 0.5 * 3.0),
    ],
)
def test_what_is_executed_prints_in_proportion_where_it_is_not_silent(name, changes, factor):
    """Three times the mean time. Six standard errors of a Poisson mean, a false alarm in 10^8."""
    kind, number = TABLE_6[name], KINDS.index(name)
    cpu_s = np.full(40_000, 3.0 * kind.cpu_s)
    lines = draw_output_lines(Parameters(**changes), stream(3, "test"), cpu_s, kind, number)
    wanted = factor * kind.output_lines
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
