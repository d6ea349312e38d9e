"""Mean value analysis against textbooks, exact fractions and itself."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import constants, one_sentence, product_form

from perfkit.analytic import approximate
from perfkit.analytic.mva import mva_curve, schweitzer, solve_mva

DEMAND = st.floats(0.01, 10.0)
DEMANDS = st.lists(DEMAND, min_size=1, max_size=6)
THINK = st.one_of(st.just(0.0), st.floats(0.0, 50.0))
USERS = st.integers(1, 40)
SERVERS = st.one_of(st.integers(1, 5), st.just(np.inf))
JAIN = [2, 3, 1]
BOLCH_8_3 = np.array([0.02, 0.2, 0.4, 0.6]) * [1, 0.4, 0.2, 0.1]


@st.composite
def networks(draw, classes=1):
    stations = draw(st.integers(1, 4))
    shape = (classes, stations)
    demands = np.array([[draw(DEMAND) for _ in range(stations)] for _ in range(classes)])
    servers = [draw(SERVERS) for _ in range(stations)]
    population = [draw(st.integers(1, 5)) for _ in range(classes)]
    think = [draw(THINK) for _ in range(classes)]
    return demands.reshape(shape), population, think, servers


def same(found, expected):
    return found == pytest.approx(np.array(expected, float), rel=1e-9, abs=1e-12)


def test_jain_chapter_34_exactly():
    curve = mva_curve(JAIN, 20, 4)
    assert curve.throughput[1:4] == pytest.approx([10 / 57, 171 / 746, 746 / 2807], rel=1e-14)
    assert round(curve.response_s[-1], 3) == 56.016
    solution = solve_mva(JAIN, 20, 4)
    assert list(solution.queue.round(3)) == [1.991, 16.177, 0.5]
    assert list((solution.residence_s / [16, 10, 5]).round(3)) == [0.373, 4.854, 0.3]


def test_bolch_8_3():
    solution = solve_mva(BOLCH_8_3, 6)
    assert round(solution.throughput, 3) == 9.920
    assert list(solution.queue.round(3)) == [0.244, 2.261, 2.261, 1.234]
    assert list(solution.utilization.round(3)) == [0.198, 0.794, 0.794, 0.595]
    assert list((solution.residence_s / [1, 0.4, 0.2, 0.1]).round(3)) == [
        0.025,
        0.570,
        1.140,
        1.244,
    ]


def test_bolch_8_4_with_two_processors_and_a_delay():
    solution = solve_mva([0.5, 0.3, 0.4, 1.0], 3, servers=[2, 1, 1, np.inf])
    assert solution.throughput == pytest.approx(1.218, abs=1e-3)
    assert solution.queue == pytest.approx([0.624, 0.473, 0.686, 1.217], abs=1e-3)


def test_bolch_9_5_with_two_classes_and_two_processors():
    demands = np.array([[0.2, 0.4, 1], [0.2, 0.6, 2]]) * [[1, 0.6, 0.4], [1, 0.3, 0.7]]
    solution = solve_mva(demands, [2, 1], servers=[2, 1, np.inf])
    assert list(solution.throughput.round(3)) == [2.113, 0.524]
    assert solution.queue.round(3).tolist() == [[0.428, 0.726, 0.845], [0.108, 0.158, 0.734]]


def test_lazowska_page_142_exactly():
    solution = solve_mva([[1, 3], [2, 4]], [1, 1])
    assert same(solution.throughput, [3 / 19, 2 / 19])
    assert same(solution.queue, [[4 / 19, 15 / 19], [5 / 19, 14 / 19]])
    assert same(solution.residence_s, [[4 / 3, 5], [5 / 2, 7]])


def test_schwetman_1982_table_5():
    solution = solve_mva([[0.025], [0.5]], [15, 5], [1, 15])
    assert list(solution.throughput.round(3)) == [14.323, 0.314]
    assert list(solution.queue[:, 0].round(3)) == [0.677, 0.293]
    assert list(solution.response_s.round(3)) == [0.047, 0.934]
    assert list(solution.utilization[:, 0].round(3)) == [0.358, 0.157]


@settings(deadline=None, max_examples=25)
@given(networks())
def test_one_class_is_the_sum_over_all_states(network):
    check_against_all_states(network, one_class=True)


@settings(deadline=None, max_examples=15)
@given(networks(classes=2))
def test_two_classes_are_the_sum_over_all_states(network):
    check_against_all_states(network, one_class=False)


def check_against_all_states(network, one_class):
    demands, population, think, servers = network
    rates = [None if np.isinf(m) else range(1, int(m) + 1) for m in servers]
    throughput, queue, _ = product_form(demands.tolist(), population, think, rates)
    if one_class:
        solution = solve_mva(demands[0], population[0], think[0], servers)
        throughput, queue = throughput[0], queue[0]
    else:
        solution = solve_mva(demands, population, think, servers)
    assert same(solution.throughput, throughput)
    assert same(solution.queue, queue)


@pytest.mark.parametrize("classes", [1, 2])
def test_given_rates_are_the_sum_over_all_states(classes):
    rates = {1: [0.5, 1.7, 1.2], 2: [1, 3, 2, 2.5, 4, 4]}
    demands = [[1.5, 2.0, 0.7], [0.3, 1.0, 2.2]][:classes]
    population, think = [6, 3][:classes], [2.0, 0.0][:classes]
    speeds = [[1], rates[1], rates[2]]
    throughput, queue, empty = product_form(demands, population, think, speeds)
    if classes == 1:
        solution = solve_mva(demands[0], 6, 2.0, rates=rates)
        throughput, queue, utilization = throughput[0], queue[0], solution.utilization
    else:
        solution = solve_mva(demands, population, think, rates=rates)
        utilization = solution.utilization.sum(axis=0)
    assert same(solution.throughput, throughput)
    assert same(solution.queue, queue)
    assert same(utilization, [1 - float(chance) for chance in empty])


@pytest.mark.filterwarnings("error")
@settings(deadline=None, max_examples=25)
@given(networks(classes=3), st.sets(st.integers(0, 2)), st.sampled_from([0, 1]))
def test_an_empty_class_changes_nothing_and_its_lone_customer_sees_the_others(network, gone, by):
    """Its response is that of one customer more, who sees but the others."""
    demands, population, think, servers = network
    population = [0 if c in gone else n for c, n in enumerate(population)]
    rates = {0: [0.5, 1.7, 1.2]} if by else None
    servers = [1 if by else servers[0], *servers[1:]]
    found = solve_mva(demands, population, think, servers, rates)
    for c in range(3):
        if c in gone:
            more = [n + (c == d) for d, n in enumerate(population)]
            one = solve_mva(demands, more, think, servers, rates)
            assert found.throughput[c] == 0 == found.queue[c].any() == found.utilization[c].any()
            assert same(found.residence_s[c], one.residence_s[c])
            assert same(found.response_s[c], one.response_s[c])
    there = [c for c in range(3) if c not in gone]
    if there:
        kept = (np.array(each)[there] for each in (demands, population, think))
        alone = solve_mva(*kept, servers, rates)
        for name in ("throughput", "response_s", "queue", "utilization"):
            assert same(getattr(found, name)[there], getattr(alone, name))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("solve", [solve_mva, schweitzer])
def test_where_nobody_is_a_customer_is_alone(solve):
    found = solve([1, 2], 0, 5, servers=[3, 1])
    assert (found.throughput, found.response_s) == (0, 3)
    assert found.queue.tolist() == found.utilization.tolist() == [0, 0]
    assert found.to_frame()["residence_s"].isna().all()


def test_three_dependent_stations_keep_their_digits():
    demands = [Fraction(3, 2), Fraction(2), Fraction(1, 4), Fraction(1)]
    speeds = [range(1, 4), [1, 3, 2, Fraction(5, 2)], [1], range(1, 20)]
    exact = constants(demands, 25, speeds, 120)
    curve = mva_curve(
        [float(demand) for demand in demands],
        120,
        25,
        servers=[3, 1, 1, 19],
        rates={1: [1, 3, 2, 2.5]},
    )
    found = [float(low / high) for low, high in pairwise(exact)]
    assert curve.throughput == pytest.approx(found, rel=1e-12)
    assert curve.queue.sum(axis=1) + curve.throughput * 25 == pytest.approx(curve.population)


def test_a_hundred_thousand_customers_at_fifty_stations():
    demands = np.linspace(0.1, 1.0, 50)
    solution = solve_mva(demands, 100_000, 30.0)
    expected = demands[:-1] / (1 - demands[:-1])
    assert solution.throughput == pytest.approx(1.0, rel=1e-12)
    assert solution.queue[:-1] == pytest.approx(expected, rel=1e-9)
    assert solution.queue.sum() + 30 * solution.throughput == pytest.approx(100_000, rel=1e-12)


@settings(deadline=None)
@given(DEMANDS, USERS, THINK, SERVERS)
def test_laws_hold_and_throughput_never_falls(demands, users, think, servers):
    curve = mva_curve(demands, users, think, servers)
    solution = solve_mva(demands, users, think, servers)
    cycle = solution.response_s + think
    assert solution.throughput * cycle == pytest.approx(users)
    assert solution.queue == pytest.approx(solution.throughput * solution.residence_s)
    busy = solution.throughput * np.array(demands) / (1 if np.isinf(servers) else servers)
    assert solution.utilization == pytest.approx(busy)
    assert np.isinf(servers) or np.all(solution.utilization <= 1 + 1e-12)
    assert np.all(np.diff(curve.throughput) >= -1e-12 * curve.throughput[:-1])
    assert curve.throughput[-1] == pytest.approx(solution.throughput)
    assert curve.queue[-1] == pytest.approx(solution.queue)
    assert curve.utilization[-1] == pytest.approx(solution.utilization)
    assert curve.response_s[-1] == pytest.approx(solution.response_s)


@settings(deadline=None, max_examples=30)
@given(networks(classes=2), st.randoms(use_true_random=False))
def test_permuted_stations_permute_results(network, random):
    demands, population, think, servers = network
    order = list(range(len(servers)))
    random.shuffle(order)
    solution = solve_mva(demands, population, think, servers)
    again = solve_mva(demands[:, order], population, think, np.array(servers)[order])
    assert again.throughput == pytest.approx(solution.throughput)
    assert again.queue == pytest.approx(solution.queue[:, order])
    assert again.utilization == pytest.approx(solution.utilization[:, order])


@settings(deadline=None, max_examples=30)
@given(networks(), st.integers(1, 5))
def test_a_class_split_in_two_changes_nothing(network, more):
    demands, population, think, servers = network
    halves = [population[0], more]
    split = solve_mva(demands.repeat(2, axis=0), halves, think * 2, servers)
    whole = solve_mva(demands[0], sum(halves), think[0], servers)
    assert split.throughput.sum() == pytest.approx(whole.throughput)
    assert split.queue.sum(axis=0) == pytest.approx(whole.queue)
    assert split.response_s == pytest.approx(whole.response_s)
    near = schweitzer(demands.repeat(2, axis=0), [4, 4], think * 2, servers)
    assert near.throughput.sum() == pytest.approx(
        schweitzer(demands[0], 8, think[0], servers).throughput, rel=1e-8
    )


def test_a_think_time_too_small_for_its_share_to_be_a_number_is_none():
    tiny, none = solve_mva([1], 3, 5e-324, servers=2), solve_mva([1], 3, servers=2)
    assert tiny.throughput == none.throughput == pytest.approx(2)
    classes = solve_mva([[1], [1]], [2, 1], [5e-324, 1e-300], servers=2)
    assert classes.throughput.sum() == pytest.approx(2)


def test_schweitzer_as_lazowska_prints_it():
    solution = schweitzer([[1, 3], [2, 4]], [1, 1])
    assert solution.queue.round(3).tolist() == [[0.192, 0.808], [0.248, 0.752]]
    assert list(solution.throughput.round(3)) == [0.154, 0.104]


@settings(deadline=None, max_examples=30)
@given(DEMANDS, USERS, THINK)
def test_schweitzer_is_near_for_one_class_and_exact_for_one_customer(demands, users, think):
    exact = solve_mva(demands, users, think)
    assert schweitzer(demands, users, think).throughput == pytest.approx(exact.throughput, rel=0.1)
    assert schweitzer(demands, 1, think).throughput == pytest.approx(
        1 / (sum(demands) + think), rel=1e-9
    )


def test_schweitzer_solves_its_equations_with_hundreds_of_classes():
    rng = np.random.default_rng(1)
    demands, think = rng.random((300, 50)), 30 * rng.random(300)
    population = rng.integers(1, 1000, 300)
    found = schweitzer(demands, population, think)
    seen = found.queue.sum(axis=0) - found.queue / population[:, np.newaxis]
    assert found.residence_s == pytest.approx(demands * (1 + seen), rel=1e-9)
    assert found.throughput * (found.response_s + think) == pytest.approx(population)
    assert found.to_frame()["utilization"].max() < 1


def test_schweitzer_says_when_it_does_not_settle(monkeypatch):
    monkeypatch.setattr(approximate, "MOST_ROUNDS", 2)
    with pytest.raises(RuntimeError, match="did not settle in 2 rounds") as error:
        schweitzer([[1, 3], [2, 4]], [100, 100], 3)
    assert one_sentence(error)


def test_servers_and_rates_are_read_by_their_labels_where_stations_have_names():
    demands = pd.Series({"processor": 0.1, "disc": 0.3})
    plain = solve_mva([0.1, 0.3], 5, servers=[1, 2])
    for call in (
        lambda s: solve_mva(demands, 5, servers=s),
        lambda s: solve_mva([0.1, 0.3], 5, servers=s, stations=["processor", "disc"]),
    ):
        found = call(pd.Series({"disc": 2, "processor": 1}))
        assert found.response_s == pytest.approx(plain.response_s, rel=1e-12)
    rates = pd.DataFrame([[1.0, 2.0], [1.0, 1.0]], index=["disc", "processor"])
    found = solve_mva(demands, 5, rates=rates)
    assert found.response_s == pytest.approx(plain.response_s, rel=1e-12)
    with pytest.raises(ValueError, match="servers must have the stations") as error:
        solve_mva(demands, 5, servers=pd.Series({"drum": 2, "processor": 1}))
    assert one_sentence(error)


def test_frames_name_stations_and_classes_and_order_the_populations():
    demands = pd.DataFrame(
        [[1, 3], [2, 4]], index=["batch", "terminal"], columns=["processor", "disc"]
    )
    population = pd.Series({"terminal": 5, "batch": 1})
    solution = solve_mva(demands, population, pd.Series({"terminal": 20, "batch": 0}))
    plain = solve_mva(demands.to_numpy(), [1, 5], [0, 20])
    assert solution.throughput == pytest.approx(plain.throughput)
    assert list(solution.population) == [1, 5]
    assert list(solution.to_frame().index) == ["processor", "disc"]
    assert solution.class_names == ("batch", "terminal")
    one = solve_mva(demands.loc["batch"], 3, rates={"disc": [1, 2]})
    assert one.station_names == ("processor", "disc")


def test_a_curve_by_hand():
    curve = mva_curve(JAIN, 2, 4)
    frame = curve.to_frame()
    assert list(frame["throughput"]) == pytest.approx([1 / 10, 10 / 57])
    assert list(frame["response_s"]) == pytest.approx([6, 7.4])
    assert curve.queue[0] == pytest.approx([0.2, 0.3, 0.1])
    assert curve.queue[1].sum() == pytest.approx(2 - 40 / 57)


def test_arrays_are_not_changed():
    demands, think = np.array([[1.0, 3.0], [2.0, 4.0]]), np.array([1.0, 2.0])
    solve_mva(demands, [2, 2], think, servers=[2, np.inf])
    assert demands.tolist() == [[1, 3], [2, 4]]
    assert think.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: solve_mva([0, 0], 3), "must have a number above zero"),
        (lambda: solve_mva([[1, 2], [3, 4]], 3), "population must be one number a class"),
        (lambda: solve_mva([[1, 2], [3, 4]], [3, -1]), "population must be whole numbers"),
        (lambda: schweitzer([[1, 2]], [3, 4]), "population must be one number a class"),
        (lambda: solve_mva([1, 2], 3, rates={0: [1, 0]}), "rates must be greater than zero"),
        (lambda: solve_mva([1, 2], 3, rates={7: [1, 2]}), "The station must be one of"),
        (lambda: solve_mva([1, 2], 3, rates={"disc": [1, 2]}), "The station must be one of"),
        (lambda: solve_mva([1, 2], 3, rates=[[1, 2]]), "rates must have one row a station"),
        (lambda: solve_mva([1, 2], 3, servers=2, rates={0: [1, 2]}), "not both"),
        (
            lambda: solve_mva([1, 2], 3, rates={0: [1, 2], "station 1": [1, 3]}),
            "rates must name station 1 once",
        ),
        (lambda: solve_mva(np.ones((6, 3)), [999] * 6), "schweitzer approximates"),
        (lambda: solve_mva(np.ones((30, 3)), [1] * 30), "schweitzer approximates"),
        (lambda: solve_mva(np.ones((300, 3)), [9999] * 300), "about 1e1200 combinations"),
        (lambda: solve_mva([1, 2], 10**9), "population must be at most 50000000"),
        (lambda: mva_curve([[1, 2], [3, 4]], 5), "population must be one number a class"),
        (lambda: mva_curve([[1, 2]], 5), "a curve has one class"),
        (
            lambda: solve_mva(pd.DataFrame(np.eye(2) + 1), pd.Series({"a": 1, "b": 2})),
            "population must have the classes",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_sentence(call, match):
    with pytest.raises(ValueError, match=match) as error:
        call()
    assert one_sentence(error)
