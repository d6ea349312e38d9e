"""CP-67's parameters, versions and orders: what is impossible is refused in one sentence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit import published
from perfkit.systems.cp67 import Parameters, draw_load, replacement_policy, simulate
from perfkit.systems.cp67.parameters import BENCHMARKS


@pytest.mark.parametrize(
    ("versions", "order", "message"),
    [
        ([{"frames": 50}], [0], "'frames' can't be switched"),
        ([{"replacement": min}], [0], "handed over beside the versions, as replacement="),
        ([{"algorithm": 3}], [0], "reader's own"),
        ([], [0], "at least one dictionary"),
        ({"algorithm": 1}, [0], "must be a list of dictionaries"),
        ([{}, {}], [-1, 0], "whole numbers from 0 to 1"),
        ([{}], [], "whole numbers from 0 to 0"),
    ],
)
def test_impossible_versions_and_orders_are_refused_in_one_sentence(versions, order, message):
    with pytest.raises(ValueError, match=message) as refusal:
        simulate(Parameters(measured_s=10.0), versions=versions, order=order)
    assert "\n" not in str(refusal.value)


def test_a_replacement_that_no_version_uses_is_refused():
    @replacement_policy
    def mine(referenced, in_queue, trip, resident_ms, queue):
        return 0

    with pytest.raises(ValueError, match="Algorithm 3, which none of the versions has"):
        simulate(Parameters(measured_s=600.0), 0, versions=[{}], replacement=mine)


def test_the_papers_tables_are_the_defaults():
    p = Parameters()
    waits = published.table("cp67", "table_1", readings=True)["wait_s"]
    assert list(p.observation_wait_s) == waits.tolist()
    two = published.table("cp67", "table_2")
    assert two["benchmark"].tolist() == list(BENCHMARKS)
    assert list(p.benchmark_cpu_ms) == two["virtual_cpu_ms"].tolist()
    assert list(p.benchmark_sios) == two["virtual_sio"].tolist()
    assert list(p.benchmark_pages) == two["pages_referenced"].tolist()


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
