"""CP-67's parameters, versions and orders: what is impossible is refused in one sentence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit import published
from perfkit.systems.cp67 import POLICY_FIELDS, Parameters, draw_load, simulate
from perfkit.systems.cp67.parameters import BENCHMARKS
from perfkit.systems.cp67.run import checked_order


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"frame": 5}, "did you mean frames"),
        ({"frames": 3}, "frames must be a whole number from 4"),
        ({"algorithm": 4}, "algorithm must be a whole number from 1 to 3"),
        ({"t1_ms": 0.0}, "t1_ms must be a number from"),
        ({"dusetimr_priority": 99}, "dusetimr_priority must be a number from 0"),
        ({"estimator": "bit"}, "one of or, resident, bits, fixed"),
        ({"io_wait": "keep"}, "one of keeps, to_q1, to_candidates"),
        ({"locality_pages": (5, 2)}, "the fewest and the most"),
        ({"locality_pages": (5, 64)}, "at most 63"),
        ({"benchmark_cpu_ms": (1.0, 2.0)}, "four numbers each"),
        ({"benchmark_pages": (1, 62, 1, 1)}, "fit into virtual_pages"),
        ({"observation_wait_s": (60,)}, "19 numbers"),
        ({"minidisk_cylinders": 201}, "not exceed disc_cylinders"),
        ({"hottest_per_ms": 0.001}, "not be less than coldest"),
        ({"disc_seek_ms": (25.0, 200.0, 130.0)}, "No seek curve"),
        ({"disc_seek_ms": (25.0, 60.0)}, "track to track, average, maximum"),
        ({"days": 0}, "days must be a whole number"),
        ({"absence_share": 1.0, "absence_s": 0.0}, "thinks of 0.01 s or more on average, not 0 s"),
        ({"absence_share": 1.0, "absence_s": 1e-9}, "on average, not 1e-09 s"),
        ({"absence_share": 1.0 - 1e-9, "absence_s": 0.0}, "0.01 s or more on average"),
        ({"charged_share": 1.5}, "charged_share must be a number from 0"),
    ],
)
def test_impossible_values_are_refused_in_one_sentence(values, message):
    with pytest.raises(ValueError, match=message) as refusal:
        Parameters(**values)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("old", "new"), Parameters.renamed.items())
def test_an_old_name_of_a_parameter_is_refused_with_the_new_one(old, new):
    assert new in Parameters.names()
    with pytest.raises(ValueError, match=f"no parameter '{old}'; it is called {new}"):
        Parameters(**{old: 1.0})


@pytest.mark.parametrize(
    ("versions", "order", "message"),
    [
        ([{"frames": 50}], [0], "'frames' can't be switched"),
        ([{"t3_ms": 50}], [0], "no parameter 't3_ms'; did you mean"),
        ([{"t1_ms": -50}], [0], "t1_ms must be"),
        ([], [0], "at least one dictionary"),
        ([{}], [1], "whole numbers from 0 to 0"),
        ([{}, {}], [-1, 0], "whole numbers from 0 to 1"),
        ([{}], [], "whole numbers from 0 to 0"),
        ([{}], [0.5], "whole numbers"),
    ],
)
def test_impossible_versions_and_orders_are_refused_in_one_sentence(versions, order, message):
    with pytest.raises(ValueError, match=message) as refusal:
        simulate(Parameters(measured_s=10.0), versions=versions, order=order)
    assert "\n" not in str(refusal.value)


def test_simulate_refuses_another_systems_parameters():
    with pytest.raises(TypeError, match=r"cp67\.Parameters"):
        simulate({"frames": 5})


def test_the_papers_tables_are_the_defaults():
    p = Parameters()
    waits = published.table("cp67", "table_1", readings=True)["wait_s"]
    assert list(p.observation_wait_s) == waits.tolist()
    two = published.table("cp67", "table_2")
    assert two["benchmark"].tolist() == list(BENCHMARKS)
    assert list(p.benchmark_cpu_ms) == two["virtual_cpu_ms"].tolist()
    assert list(p.benchmark_sios) == two["virtual_sio"].tolist()
    assert list(p.benchmark_pages) == two["pages_referenced"].tolist()


def test_every_rule_may_be_switched_and_every_field_has_a_source():
    p = Parameters()
    assert set(POLICY_FIELDS) < set(p.names())
    frame = p.provenance()
    assert list(frame.index) == p.names()
    assert (frame["source"].str.len() > 0).all()
    fitted = frame.query("status == 'calibrated'")
    assert fitted["source"].str.contains("50 page reads").all()


def test_an_order_is_one_row_or_a_row_a_day():
    assert checked_order(None, 1).tolist() == [[0]]
    assert checked_order([0, 1, 1], 2).tolist() == [[0, 1, 1]]
    assert checked_order(np.array([[0], [1]]), 2).shape == (2, 1)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.floats(0.0, 40.0), st.floats(60.0, 3000.0))
def test_any_load_is_in_order_and_lasts(seed, users, session_s):
    p = Parameters(users=users, session_s=session_s, measured_s=1000.0)
    load = draw_load(p, seed)
    s, tasks = load.sessions, load.tasks
    assert (np.diff(s.logon_ms) >= 0).all()
    assert (s.logon_ms <= 1e6).all() and (s.logoff_ms >= s.logon_ms).all()
    ends = np.append(s.first_task[1:], tasks.size)
    assert (ends > s.first_task).all()
    assert (tasks.cpu_ms > 0).all() and (tasks.sios >= 0).all()
    assert ((s.drive >= 0) & (s.drive < p.discs)).all()
    assert (s.first_cylinder + p.minidisk_cylinders <= p.disc_cylinders).all()
