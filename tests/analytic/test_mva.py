"""Mean value analysis against textbooks, exact fractions and itself; the machine repairman."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import one_sentence, product_form

from perfkit.analytic import approximate
from perfkit.analytic.mva import mva_curve, schweitzer, solve_mva
from perfkit.analytic.repairman import repairman, saturation_point

DEMAND = st.floats(0.01, 10.0)
THINK = st.one_of(st.just(0.0), st.floats(0.0, 50.0))
SERVERS = st.one_of(st.integers(1, 5), st.just(np.inf))


@st.composite
def networks(draw, classes=1):
    """Return demands, population, think times and servers, one or any where classes share."""
    stations = range(draw(st.integers(1, 4)))
    demands = np.array([[draw(DEMAND) for _ in stations] for _ in range(classes)])
    population = [draw(st.integers(1, 5)) for _ in range(classes)]
    think = [draw(THINK) for _ in range(classes)]
    servers = SERVERS if classes == 1 else st.sampled_from([1, np.inf])
    return demands, population, think, [draw(servers) for _ in stations]


def same(found, expected):
    return found == pytest.approx(np.array(expected, float), rel=1e-9, abs=1e-12)


def test_jain_chapter_34_exactly():
    curve = mva_curve([2, 3, 1], 20, 4)
    assert curve.throughput[1:4] == pytest.approx([10 / 57, 171 / 746, 746 / 2807], rel=1e-14)
    assert round(curve.response_s[-1], 3) == 56.016
    solution = solve_mva([2, 3, 1], 20, 4)
    assert list(solution.queue.round(3)) == [1.991, 16.177, 0.5]
    assert list((solution.residence_s / [16, 10, 5]).round(3)) == [0.373, 4.854, 0.3]


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 2).flatmap(networks))
def test_one_or_two_classes_are_the_sum_over_all_states(network):
    demands, population, think, servers = network
    speeds = [None if np.isinf(m) else range(1, int(m) + 1) for m in servers]
    throughput, queue = product_form(demands.tolist(), population, think, speeds)
    throughput, queue = np.array(throughput, float), np.array(queue, float)
    if len(population) == 1:
        solution = solve_mva(demands[0], population[0], think[0], servers)
    else:
        solution = solve_mva(demands, population, think, servers)
    residence = queue / throughput[:, np.newaxis]
    assert same(np.atleast_1d(solution.throughput), throughput)
    assert same(np.atleast_1d(solution.response_s), residence.sum(axis=1))
    assert same(np.atleast_2d(solution.queue), queue)
    assert same(np.atleast_2d(solution.residence_s), residence)
    for k, m in enumerate(servers):
        found = np.atleast_2d(solution.utilization)[:, k]
        assert same(found, throughput * demands[:, k] / (1 if np.isinf(m) else m))


@pytest.mark.filterwarnings("error")
@settings(deadline=None, max_examples=25)
@given(networks(classes=3), st.sets(st.integers(0, 2)))
def test_an_empty_class_changes_nothing_and_its_lone_customer_sees_the_others(network, gone):
    """Its response is that of one customer more, who sees but the others."""
    demands, population, think, servers = network
    population = [0 if c in gone else n for c, n in enumerate(population)]
    found = solve_mva(demands, population, think, servers)
    for c in range(3):
        if c in gone:
            more = [n + (c == d) for d, n in enumerate(population)]
            one = solve_mva(demands, more, think, servers)
            assert found.throughput[c] == 0 == found.queue[c].any() == found.utilization[c].any()
            assert same(found.residence_s[c], one.residence_s[c])
            assert same(found.response_s[c], one.response_s[c])
    there = [c for c in range(3) if c not in gone]
    if there:
        kept = (np.array(each)[there] for each in (demands, population, think))
        alone = solve_mva(*kept, servers)
        for name in ("throughput", "response_s", "queue", "utilization"):
            assert same(getattr(found, name)[there], getattr(alone, name))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("solve", [solve_mva, schweitzer])
def test_where_nobody_is_a_customer_is_alone(solve):
    found = solve([1, 2], 0, 5, servers=[3, 1])
    assert (found.throughput, found.response_s) == (0, 3)
    assert found.queue.tolist() == found.utilization.tolist() == [0, 0]
    assert found.to_frame()["residence_s"].isna().all()


@settings(deadline=None)
@given(st.lists(DEMAND, min_size=1, max_size=6), st.integers(1, 40), THINK, SERVERS)
def test_a_curve_never_falls_and_ends_at_the_solution(demands, users, think, servers):
    curve = mva_curve(demands, users, think, servers)
    solution = solve_mva(demands, users, think, servers)
    assert np.all(np.diff(curve.throughput) >= -1e-12 * curve.throughput[:-1])
    for name in ("throughput", "response_s", "queue", "utilization"):
        assert getattr(curve, name)[-1] == pytest.approx(getattr(solution, name))


def test_a_think_time_too_small_for_its_share_to_be_a_number_is_none():
    tiny, none = solve_mva([1], 3, 5e-324, servers=2), solve_mva([1], 3, servers=2)
    assert tiny.throughput == none.throughput == pytest.approx(2)
    classes = solve_mva([[1], [1]], [2, 1], [5e-324, 1e-300])
    assert classes.throughput.sum() == pytest.approx(1)


def test_schweitzer_as_lazowska_prints_it():
    solution = schweitzer([[1, 3], [2, 4]], [1, 1])
    assert solution.queue.round(3).tolist() == [[0.192, 0.808], [0.248, 0.752]]
    assert list(solution.throughput.round(3)) == [0.154, 0.104]


def test_schweitzer_says_when_it_does_not_settle(monkeypatch):
    monkeypatch.setattr(approximate, "MOST_ROUNDS", 2)
    with pytest.raises(RuntimeError, match="did not settle in 2 rounds") as error:
        schweitzer([[1, 3], [2, 4]], [100, 100], 3)
    assert one_sentence(error)


def test_schweitzer_solves_its_equations_with_hundreds_of_classes():
    """Of m servers, the m-th part of the demand queues and the rest is a delay."""
    rng = np.random.default_rng(1)
    demands, think = rng.random((300, 50)), 30 * rng.random(300)
    population, servers = rng.integers(1, 1000, 300), rng.choice([1, 2, 3, np.inf], 50)
    found = schweitzer(demands, population, think, servers)
    queueing = demands / servers
    apart = demands - queueing
    queue = found.throughput[:, np.newaxis] * (found.residence_s - apart)
    seen = queue.sum(axis=0) - queue / population[:, np.newaxis]
    assert found.residence_s == pytest.approx(apart + queueing * (1 + seen), rel=1e-9)
    assert found.throughput * (found.response_s + think) == pytest.approx(population)


def test_frames_and_series_are_read_by_their_labels():
    demands = pd.DataFrame([[1, 3], [2, 4]], ["batch", "terminal"], ["processor", "disc"])
    population, think = pd.Series({"terminal": 5, "batch": 1}), {"terminal": 20, "batch": 0}
    servers = pd.Series({"disc": np.inf, "processor": 1})
    solution = solve_mva(demands, population, pd.Series(think), servers)
    plain = solve_mva(demands.to_numpy(), [1, 5], [0, 20], [1, np.inf])
    assert solution.response_s == pytest.approx(plain.response_s)
    assert list(solution.population) == [1, 5]
    assert list(solution.to_frame().index) == ["processor", "disc"]
    assert solution.class_names == ("batch", "terminal")
    one = solve_mva(demands.loc["batch"], 3, servers=[1, np.inf])
    assert one.station_names == ("processor", "disc")
    named = solve_mva([1, 3], 3, servers=servers, stations=["processor", "disc"])
    assert named.response_s == pytest.approx(one.response_s, rel=1e-12)


TIMES = st.floats(0.01, 100.0)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 60), TIMES, TIMES, st.integers(1, 6))
def test_it_is_mean_value_analysis_with_a_delay(users, think, service, repairmen):
    found = repairman(range(1, users + 1), think, service, repairmen)
    curve = mva_curve([service], users, think, repairmen)
    assert found.throughput == pytest.approx(curve.throughput, rel=1e-10)
    assert found.response_s == pytest.approx(curve.response_s, rel=1e-10)
    assert found.queue == pytest.approx(curve.queue[:, 0], rel=1e-10)
    assert found.utilization == pytest.approx(curve.utilization[:, 0], rel=1e-10)


def test_kleinrock_saturation():
    assert saturation_point(35.2, 0.88) == pytest.approx(41)
    assert saturation_point(9, 1, 2) == 20
    found = repairman([1000, 1001], 35.2, 0.88)
    assert np.diff(found.response_s) == pytest.approx(0.88)
    assert found.response_s == pytest.approx(found.users * 0.88 - 35.2)
