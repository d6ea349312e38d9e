"""A reader's load: what would lead the machine outside its arrays is refused beforehand."""

import numpy as np
import pytest

from perfkit.systems.cp67 import Load, Parameters, draw_load, simulate
from perfkit.systems.cp67.load import checked_load

SMALL = Parameters(measured_s=100.0, users=5.0, day_users_sd=0.0)


def edited(part, field, value, row=-1):
    """Return a load function whose loads have one number changed."""

    def load(parameters, seed, day):
        drawn = draw_load(parameters, seed, day)
        getattr(drawn, part)[field][row] = value
        return drawn

    return load


@pytest.mark.parametrize(
    ("part", "field", "value", "match"),
    [
        ("sessions", "logon_ms", np.nan, "logon_ms must be finite, 0 or more; nan is not"),
        ("sessions", "logon_ms", np.inf, "logon_ms must be finite, 0 or more; inf is not"),
        ("sessions", "logon_ms", -1.0, "logon_ms must be finite, 0 or more; -1"),
        ("sessions", "logoff_ms", np.nan, "logoff_ms must be 0 or more; nan is not"),
        ("sessions", "logoff_ms", -1.0, "logoff_ms must be 0 or more; -1"),
        ("sessions", "first_task", -1, r"first_task must be from 0 to \d+; -1 is not"),
        ("sessions", "first_task", 10**9, r"first_task must be from 0 to \d+; 1000000000 is not"),
        ("sessions", "locality_pages", 0, "locality_pages must be from 1 to 63; 0 is not"),
        ("sessions", "locality_pages", 64, "locality_pages must be from 1 to 63; 64 is not"),
        ("sessions", "drive", -1, "drive must be from 0 to 7; -1 is not"),
        ("sessions", "drive", 8, "drive must be from 0 to 7; 8 is not"),
        ("sessions", "first_cylinder", -1, "first_cylinder must be from 0 to 190; -1 is not"),
        ("sessions", "first_cylinder", 191, "first_cylinder must be from 0 to 190; 191 is not"),
        ("tasks", "think_ms", np.nan, "think_ms must be 0 or more; nan is not"),
        ("tasks", "think_ms", -5.0, "think_ms must be 0 or more; -5"),
        ("tasks", "cpu_ms", np.nan, "cpu_ms must be finite, 0 or more; nan is not"),
        ("tasks", "cpu_ms", np.inf, "cpu_ms must be finite, 0 or more; inf is not"),
        ("tasks", "cpu_ms", -5.0, "cpu_ms must be finite, 0 or more; -5"),
        ("tasks", "sios", -1, "sios must be 0 or more; -1 is not"),
    ],
)
def test_numbers_outside_the_machine_are_refused(part, field, value, match):
    with pytest.raises(ValueError, match=rf"^load\.{part}\.{match}") as refusal:
        simulate(SMALL, load=edited(part, field, value))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "other",
    [
        {"discs": 100},
        {"virtual_pages": 2000, "locality_pages": (100, 1000)},
        {"disc_cylinders": 5000},
    ],
)
def test_a_load_of_other_parameters_is_refused(other):
    with pytest.raises(ValueError, match=r"load\.sessions\.\w+ must be from \d to \d+; \d+ is not"):
        simulate(SMALL, load=lambda p, seed, day: draw_load(p.replace(**other), seed, day))


def test_a_session_that_ends_before_it_begins_is_refused():
    with pytest.raises(ValueError, match="logoff_ms must not be before logon_ms; that of session"):
        simulate(SMALL, load=edited("sessions", "logon_ms", 1e12))


def test_sessions_whose_tasks_come_to_an_end_are_refused():
    def all_but_the_thinks(p, seed, day):
        drawn = draw_load(p, seed, day)
        drawn.tasks.think_ms[:] = 0.0
        return drawn

    def cut_off(rows):
        def load(p, seed, day):
            drawn = draw_load(p, seed, day)
            return drawn._replace(tasks=drawn.tasks[:rows])

        return load

    with pytest.raises(ValueError, match=r"load\.tasks must hold a task or more"):
        simulate(SMALL, load=cut_off(0))
    with pytest.raises(ValueError, match=r"first_task must be from 0 to 0"):
        simulate(SMALL, load=cut_off(1))
    with pytest.raises(ValueError, match=r"thinks that outlast each session .* session 0 do not"):
        simulate(SMALL, load=all_but_the_thinks)


@pytest.mark.parametrize(
    ("load", "match"),
    [
        (5, r"load must be a function of \(parameters, seed, day\), not 5"),
        (lambda p, seed, day: None, r"load must return a cp67\.Load, not NoneType"),
        (lambda p, seed, day: tuple(draw_load(p, seed, day)), "Load, not tuple"),
        (
            lambda p, seed, day: draw_load(p, seed, day)._replace(tasks=None),
            r"load\.tasks must be an array of one row of ",
        ),
        (
            lambda p, seed, day: draw_load(p, seed, day)._replace(sessions=np.zeros(3)),
            r"load\.sessions must be an array of one row of ",
        ),
    ],
)
def test_what_is_no_load_is_refused(load, match):
    with pytest.raises(TypeError, match=match):
        simulate(SMALL, load=load)


@pytest.mark.parametrize("users", [0.0, 30.0])
def test_every_drawn_load_is_taken_as_it_is(users):
    p = SMALL.replace(users=users)
    for seed in range(20):
        drawn = draw_load(p, seed)
        taken = checked_load(p, drawn)
        for ours, theirs in zip(taken[:2], drawn[:2], strict=True):
            assert np.shares_memory(ours, theirs) or theirs.size == 0
            assert type(ours) is type(theirs)
    given = simulate(p, 3, load=draw_load)
    np.testing.assert_equal(given.measures(), simulate(p, 3).measures())


def test_sessions_may_share_their_tasks_and_think_for_ever():
    drawn = draw_load(SMALL, 0)
    drawn.sessions.first_task[:] = 0
    drawn.sessions.logoff_ms[:] = np.inf
    shared = Load(drawn.sessions, drawn.tasks[:2].copy(), 1.0, 1.0)
    shared.tasks.think_ms[:] = [0.0, np.inf]
    result = simulate(SMALL, load=lambda p, seed, day: shared)
    assert 0 < result.counts["tasks_ended"] <= shared.sessions.size


def test_thinks_that_are_short_by_rounding_alone_lead_to_the_logoff():
    p = SMALL.replace(fault_ms=0.0, queue_ms=0.0, sio_ms=0.0, drift_per_ms=0.0)
    drawn = draw_load(p, 0)
    lone = Load(drawn.sessions[:1].copy(), drawn.tasks[:1].copy(), 1.0, 1.0)
    lone.sessions.logon_ms[:], lone.sessions.logoff_ms[:] = 0.0, 2e4
    lone.tasks.think_ms[:], lone.tasks.cpu_ms[:], lone.tasks.sios[:] = 2e4 - 1e-6, 0.0, 0
    result = simulate(p, load=lambda p, seed, day: lone, trace=10_000)
    kinds = result.events().query("actor == 1")["kind"].tolist()
    assert kinds.count("task_end") == 1 and kinds[-1] == "logoff"
