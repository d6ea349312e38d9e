"""Loads of numbers: what would lead a machine outside its arrays is refused beforehand."""

import numpy as np
import pytest

from perfkit.systems import cp67, unix_v6
from perfkit.systems.cp67 import Load, draw_load
from perfkit.systems.cp67.load import checked_load
from perfkit.systems.unix_v6.load import checked_workload, draw_workload

SMALL = cp67.Parameters(measured_s=100.0, users=5.0, day_users_sd=0.0)
FEW = unix_v6.Parameters(processes=3, interactions=5)


def simulate(load):
    return cp67.simulate(SMALL, load=load)


def cp67_with(part, field, value):
    """Simulate a drawn load of which one number is another."""

    def load(parameters, seed, day):
        drawn = draw_load(parameters, seed, day)
        getattr(drawn, part)[field][-1] = value
        return drawn

    simulate(load)


def unix_v6_with(part, field, value):
    """Simulate a drawn workload of which one number is another."""
    workload = draw_workload(FEW, 0)
    array = getattr(workload, part)
    (array[field] if field else array).flat[-1] = value
    unix_v6.simulate(FEW, workload=workload)


@pytest.mark.parametrize(
    ("simulate_with", "part", "field", "values", "allowed"),
    [
        (cp67_with, "sessions", "logon_ms", (np.nan, np.inf, -1.0), "finite, 0 or more"),
        (cp67_with, "sessions", "logoff_ms", (np.nan, -1.0), "0 or more"),
        (cp67_with, "sessions", "first_task", (-1, 10**9), r"from 0 to \d+"),
        (cp67_with, "sessions", "locality_pages", (0, 64), "from 1 to 63"),
        (cp67_with, "sessions", "drive", (-1, 8), "from 0 to 7"),
        (cp67_with, "sessions", "first_cylinder", (-1, 191), "from 0 to 190"),
        (cp67_with, "tasks", "cpu_ms", (np.nan, np.inf, -5.0), "finite, 0 or more"),
        (unix_v6_with, "interactions", "compute_ms", (np.nan, np.inf, -5.0), "finite, 0 or more"),
        (unix_v6_with, "interactions", "operations", (10**6, -1), r"from 0 to \d\d"),
        (unix_v6_with, "interactions", "first_operation", (2**63 - 1,), r"from 0 to \d\d"),
        (unix_v6_with, "operations", "kind", (3,), "from 0 to 2"),
        (unix_v6_with, "operations", "block", (10**6,), "from 0 to 59"),
        (unix_v6_with, "file_blocks", None, (10**9, -1), "from 0 to 10239"),
    ],
)
def test_numbers_outside_the_machine_are_refused(simulate_with, part, field, values, allowed):
    name = f"{part}.{field}" if field else part
    for value in values:
        with pytest.raises(ValueError, match=rf"{name} must be {allowed}; \S+ is not") as refusal:
            simulate_with(part, field, value)
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "other", [{"processes": 4}, {"processes": 2}, {"interactions": 6}, {"file_blocks": 70}]
)
def test_a_workload_of_other_parameters_is_refused(other):
    with pytest.raises(ValueError, match=r"must be of shape \(.*\) for these parameters, not \("):
        unix_v6.simulate(FEW.replace(**other), workload=draw_workload(FEW, 0))


def test_sessions_that_end_before_they_begin_or_whose_tasks_end_are_refused():
    drawn = draw_load(SMALL, 0)
    unthinking = drawn.tasks.copy().view(np.recarray)
    unthinking.think_ms[:] = 0.0
    with pytest.raises(ValueError, match="logoff_ms must not be before logon_ms; that of session"):
        cp67_with("sessions", "logon_ms", 1e12)
    for tasks, match in (
        (drawn.tasks[:0], r"load\.tasks must hold one task or more"),
        (drawn.tasks[:1], r"first_task must be from 0 to 0"),
        (unthinking, r"thinks that outlast each session .* session 0 do not"),
    ):
        with pytest.raises(ValueError, match=match):
            simulate(lambda *_, tasks=tasks: drawn._replace(tasks=tasks))


def test_what_is_no_load_is_refused():
    drawn, workload = draw_load(SMALL, 0), draw_workload(FEW, 0)
    for load, match in (
        (5, r"load must be a function of \(parameters, seed, day\), not 5"),
        (lambda *_: None, r"load must return a cp67\.Load, not NoneType"),
        (lambda *_: drawn._replace(sessions=np.zeros(3)), r"load\.sessions must be an array of "),
    ):
        with pytest.raises(TypeError, match=match):
            simulate(load)
    for load, match in (
        (5, "workload must be a unix_v6.Workload, not int"),
        (workload._replace(interactions=None), r"workload\.interactions must be an array of "),
    ):
        with pytest.raises(TypeError, match=match):
            unix_v6.simulate(FEW, workload=load)


@pytest.mark.parametrize("amount", [0.0, 3.78, 30.0])
def test_every_drawn_load_and_workload_is_taken_as_it_is(amount):
    p, few = SMALL.replace(users=amount), FEW.replace(operations_per_interaction=amount)
    for seed in range(20):
        drawn, workload = draw_load(p, seed), draw_workload(few, seed)
        np.testing.assert_equal(checked_load(p, drawn), drawn)
        np.testing.assert_equal(checked_workload(few, workload), workload)


def test_sessions_may_share_tasks_think_for_ever_or_be_short_by_rounding():
    drawn = draw_load(SMALL, 0)
    drawn.sessions.first_task[:] = 0
    drawn.sessions.logoff_ms[:] = np.inf
    shared = Load(drawn.sessions, drawn.tasks[:2].copy(), 1.0, 1.0)
    shared.tasks.think_ms[:] = [0.0, np.inf]
    result = simulate(lambda p, seed, day: shared)
    assert 0 < result.values["tasks_ended"] <= shared.sessions.size
    p = SMALL.replace(fault_ms=0.0, queue_ms=0.0, sio_ms=0.0, drift_per_ms=0.0)
    drawn = draw_load(p, 0)
    lone = Load(drawn.sessions[:1].copy(), drawn.tasks[:1].copy(), 1.0, 1.0)
    lone.sessions.logon_ms[:], lone.sessions.logoff_ms[:] = 0.0, 2e4
    lone.tasks.think_ms[:], lone.tasks.cpu_ms[:], lone.tasks.sios[:] = 2e4 - 1e-6, 0.0, 0
    result = cp67.simulate(p, load=lambda p, seed, day: lone, trace=10_000)
    kinds = result.trace_frame().query("actor == 1")["kind"].tolist()
    assert kinds.count("task_end") == 1 and kinds[-1] == "logoff"
