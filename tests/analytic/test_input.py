"""Limits that models come to, and how long they take to."""

from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.analytic import paging, references, repairman, round_robin, swapping
from perfkit.analytic import swapping_networks as networks
from perfkit.analytic.mva import schweitzer, solve_mva
from perfkit.analytic.open_networks import visit_ratios

Work = networks.SwappedWork


def test_what_has_a_limit_comes_to_it():
    assert swapping.elapsed_ratio(1e50, 1e50, 0.05, 0.05, 0, 0) == pytest.approx(1)
    assert paging.duty_factor(1e50, 1e50) == 0.5
    idle = repairman.repairman(5, 1e50, 1e-50)
    full = repairman.repairman(5, 1e-50, 1e50)
    assert idle.response_s[0] == pytest.approx(1e-50)
    assert full.utilization[0] == pytest.approx(1)
    for solve in (solve_mva, schweitzer):
        assert solve([1e50, 1e-50], 3).throughput == pytest.approx(1e-50)
    short = round_robin.round_robin(0.5, 1, 1e-8)
    assert short.response_s == pytest.approx(2)
    assert short.response_to(1.0) == pytest.approx(2, rel=1e-6)


def test_rows_a_little_above_one_are_mended():
    wide = visit_ratios([[0.5, 0.5000000005], [1, 0]])
    assert wide == pytest.approx([1, 0.5], rel=1e-8)
    passing = visit_ratios([[0.5, 0.5000000005], [0.5, 0]], [1, 0])
    assert passing == pytest.approx([4, 2], rel=1e-8)


def test_one_job_is_never_faster_than_alone():
    few, job = Work(5, 1, 1, 0.1, 0.1, 0.1), Work(1, 0, 1, 1, 10, 0)
    found = networks.limiting_resource(few, job, 0.9)
    assert found.response_time_s["batch"] == pytest.approx(11)
    assert found.utilization["processor"] == pytest.approx(1)
    assert found.saturated
    assert found.throughput_per_s["interactive"] == pytest.approx((1 - 10 / 11) / 0.1)
    idle = networks.limiting_resource(few._replace(customers=1), job, 0.9)
    assert idle.response_time_s == pytest.approx({"interactive": 0.3, "batch": 11})
    assert not idle.saturated
    slow = Work(2, 1e50, 1e3, 1e20, 1e50, 1e20)
    tie = networks.limiting_resource(Work(5, 1e3, 1e-20, 1e20, 1e3, 1e-20), slow, 0.3)
    assert np.isfinite(list(tie.response_time_s.values())).all()


SECONDS = st.floats(0.01, 5.0)
WORK = st.builds(Work, st.integers(1, 9), SECONDS, SECONDS, SECONDS, SECONDS, SECONDS)


@given(WORK, WORK, st.floats(0.01, 0.99))
def test_no_response_is_below_the_demands_and_no_resource_above_full(users, jobs, share):
    found = networks.limiting_resource(users, jobs, share)
    for work, response in zip((users, jobs), found.response_time_s.values(), strict=True):
        assert response >= (work.loads * work.swap_s + work.processor_s + work.file_s) * (1 - 1e-12)
    assert max(found.utilization.values()) <= 1 + 1e-9


def test_long_strings_take_neither_minutes_nor_gigabytes():
    began = perf_counter()
    assert references.pages_since_activation(range(200_000), 100_000)[-1] == pytest.approx(100_000)
    assert perf_counter() - began < 10
