"""Input that no model can use: one sentence names it and says what is allowed."""

from functools import partial
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import one_sentence

from perfkit.analytic import convolution, drum, multiprogramming, paging, repairman, swapping
from perfkit.analytic import operational as laws
from perfkit.analytic import swapping_networks as networks
from perfkit.analytic.mva import mva_curve, schweitzer, solve_mva
from perfkit.analytic.open_networks import delay_probability, solve_open, visit_ratios

Work = networks.SwappedWork
POWER = paging.Lifetime("power", {"scale": 1e-4, "exponent": 2.0})
TWO, THREE = np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])

TEXTS = [
    (lambda: drum.fifo_response(10, "0.02", "4"), "revolution_s must be a number"),
    (lambda: drum.sectored_response("10", 0.02, 4), "arrivals_per_s must be a number"),
    (lambda: drum.closed_rates(3, 0.02, "4"), "sectors must be a number"),
    (lambda: networks.round_robin(0.5, 1, "0.1"), "quantum_s must be a number"),
    (lambda: networks.round_robin(0.5, 1, "inf"), "quantum_s must be a number"),
    (lambda: paging.Lifetime("power", {"scale": "2", "exponent": "1"}), "scale must be a number"),
    (lambda: networks.limiting_resource(Work("5", 1, 1, 1, 1, 1)), "customers must be a number"),
    (lambda: solve_mva([1, 2], 3, servers="inf"), "servers must be a number"),
    (lambda: solve_mva([1, 2], 3, servers=["inf", 1]), "servers must be a number"),
    (lambda: solve_open([1, 2], 0.1, servers=b"1"), "servers must be a number"),
    (lambda: solve_mva(np.array(["1", 2], object), 3), "demands_s must be a number"),
    (lambda: solve_mva([1, 2j], 3), "demands_s must be a number"),
    (lambda: solve_mva([1, 2], 10**400), "population must be a number of 1e"),
    (lambda: solve_mva([1, 2], 10**5000), "population must be a number of 1e"),
    (lambda: solve_mva(["a"] * 900, 3), r"demands_s must be a number or numbers, not .*\.\.\."),
]

ARRAYS = [
    (lambda: networks.round_robin(TWO, 1, 1), "arrivals_per_s must be one number"),
    (lambda: networks.round_robin(0.5, TWO, 1), "demand_s must be one number"),
    (lambda: networks.round_robin(0.5, 1, TWO), "quantum_s must be one number"),
    (lambda: networks.round_robin(0.1, 1, 1, TWO), "swap_s must be one number"),
    (lambda: networks.smallest_quantum(0.1, TWO, 0.1), "demand_s must be one number"),
    (
        lambda: networks.processor_sharing_response(1, 0.1, 1, TWO),
        "swap_share must be one number",
    ),
    (
        lambda: networks.processor_sharing_swap_time(0.1, 1, 0.1, TWO),
        "square_s2 must be one number",
    ),
    (lambda: delay_probability(2, TWO), "load must be one number"),
    (lambda: multiprogramming.saturated_users(TWO, [1.0]), "think_time_s must be one number"),
    (lambda: multiprogramming.memory_constrained(2, TWO, [1.0]), "think_time_s must be one"),
    (lambda: multiprogramming.paged_throughput(TWO, POWER, 9, 1, 2), "compute_s must be one"),
    (lambda: paging.thrashing_curve(POWER, TWO, 1.0, 2), "memory_pages must be one number"),
    (lambda: paging.Lifetime("power", {"scale": TWO, "exponent": 1}), "scale must be one number"),
    (lambda: drum.fifo_response(10, TWO / 100, 4), "revolution_s must be one number"),
    (
        lambda: networks.limiting_resource(*[Work(5, 0, 1, 1, 1, 1)] * 2, batch_share=[0.9]),
        "batch_share must be one number",
    ),
    (lambda: networks.limiting_resource(Work(5, TWO, 1, 1, 1, 1)), "think_time_s must be one"),
]

EXTREMES = [
    (lambda: repairman.repairman(5, 1e-300, 1e300), "think_time_s must be from 1e-50 to 1e"),
    (lambda: repairman.repairman(5, 1e300, 1e-300), "think_time_s must be from 1e-50 to 1e"),
    (lambda: solve_mva([1e308, 1e308], 3), "demands_s must be from 0 to"),
    (lambda: convolution.solve_convolution([1e308, 1e308], 3), "demands_s must be from 0"),
    (lambda: schweitzer([1e308, 1e308], 3), "demands_s must be from 0"),
    (lambda: laws.balanced_job_bounds([1e308] * 2, 10**9, 1e9), "demands_s must be from 0"),
    (lambda: swapping.elapsed_ratio(1e300, 1e300, 1, 1, 0, 0), "loaded_a must be from 1e-50"),
    (lambda: swapping.predict_elapsed(1, *[1e50, 1e-50] * 3), "the ratio of elapsed times must"),
    (lambda: paging.duty_factor(1e308, 1e308), "lifetime_s must be from 1e-50 to 1e"),
    (lambda: networks.round_robin(0.5, 1, 1e-200), "quantum_s must be from 1e-50 to 1e"),
    (lambda: networks.round_robin(0.5, 1, 1e-16, 1e-17), "quantum_s must be at least 1e-08"),
    (
        lambda: paging.Lifetime("exponential", {"scale": 1, "growth_pages": 1e-3})(10),
        "memory_pages must give lifetimes",
    ),
]

TOO_LARGE = [
    (
        lambda: convolution.solve_convolution([1, 2], 10**9),
        "population must be a whole number of 1e.07",
    ),
    (
        lambda: convolution.solve_convolution([1, 2], 10**6, servers=10**6),
        "must be at most 1e.10, not 6e.12",
    ),
    (lambda: solve_mva([1, 2], 10**6, servers=10**6), "must be at most 1e.09, not 2e.12"),
    (lambda: mva_curve([1, 2], 10**9, servers=10**9), "servers must be 100000000 at most"),
    (lambda: schweitzer([1, 2], 10**9, servers=10**9), "servers must be 100000000 at most"),
    (
        lambda: solve_mva(np.ones((2, 2)), [5000, 5000], servers=[1, 10**4]),
        "schweitzer approximates",
    ),
    (lambda: paging.thrashing_curve(POWER, 9, 1, 10**9), "a whole number of 3e.04 at most"),
    (lambda: repairman.repairman(10**9, 1, 1), "users must be whole numbers of 1e.07 at most"),
    (lambda: repairman.steady_state(10**9, 1, 1), "users must be a whole number of 1e.07"),
    (lambda: networks.swap_in_probability(10**9, 5), "users must be a whole number of 1e.07"),
    (lambda: drum.closed_rates(10**9, 0.02, 4), "most_outstanding must be a whole number of 1e"),
    (lambda: multiprogramming.memory_constrained(10**9, 1, [1]), "terminals must be a whole"),
    (
        lambda: multiprogramming.paged_throughput(1, POWER, 9, 1, 10**9),
        "most_resident must be a whole number of 5000 at most",
    ),
    (lambda: delay_probability(10**9, 1), "servers must be a whole number of 1e.08 at most"),
    (
        lambda: paging.working_sets_of_independent([1e-4] * 10**4, range(1, 10**5)),
        "windows must be 10000 at most with 10000 pages",
    ),
]

ODD = [
    (lambda: paging.fit_lifetime(["power"], [1, 2], [1, 2]), "family must be one of power"),
    (lambda: paging.fit_lifetime("power", [5, 5, 5], [1, 4, 9]), "2 different memory_pages"),
    (
        lambda: solve_mva([1, 2], 3, rates={0: [1, 2], "station 1": [1, 3]}),
        "rates must name station 1 once",
    ),
    (lambda: paging.pages_since_activation([1, 2], 1, [0.7]), "from 0 to 1 and whole, not 0.7"),
    (lambda: networks.swapping_network(2, 1, [1], 0, [0, 0], swap_device=9), "must be below 1"),
    (lambda: visit_ratios([[0.5, 0.5000000005]] * 2, [1, 0]), "leave from everywhere"),
    (lambda: visit_ratios([[1 - 5e-10, 0], [0, 1]]), "one set of stations"),
    (lambda: visit_ratios([[1 - 5e-13, 0], [0, 1]]), "one set of stations"),
]

UNEQUAL = [
    *[
        partial(law, TWO, THREE)
        for law in (
            laws.throughput,
            laws.utilization,
            laws.service_demand,
            laws.measured_demand,
            laws.forced_flow,
            laws.littles_law,
            laws.residence_time,
            laws.response_time_law,
            swapping.throughput,
            swapping.response_time,
            swapping.processes_loaded,
            paging.duty_factor,
        )
    ],
    lambda: swapping.elapsed_ratio(4, 4, TWO, 1, 1, THREE),
    lambda: swapping.predict_elapsed(THREE, 4, 4, 1, 1, 1, TWO),
    lambda: swapping.elapsed_without_overlap(1, TWO, THREE),
    lambda: swapping.swapping_is_hidden(TWO, THREE, 1),
    lambda: swapping.elapsed_by_processes(1, TWO, THREE),
    lambda: swapping.elapsed_by_queue(TWO, 1, THREE),
    lambda: swapping.calculated_block_time(TWO, 1, THREE),
    lambda: swapping.calculated_swap_times(TWO, blocks_per_cylinder=THREE),
    lambda: paging.space_time(TWO, 1, THREE, 1),
    lambda: paging.memory_for_processors(TWO, THREE, 1, 1),
]


@pytest.mark.parametrize(("call", "match"), [*TEXTS, *ARRAYS, *EXTREMES, *TOO_LARGE, *ODD])
def test_what_no_model_can_use_is_refused_in_one_sentence(call, match):
    with pytest.raises(ValueError, match=match) as error:
        call()
    assert one_sentence(error)


@pytest.mark.parametrize("call", UNEQUAL)
def test_unequal_lengths_are_refused_by_name(call):
    with pytest.raises(ValueError, match="must be one number each or alike in shape") as error:
        call()
    assert one_sentence(error)


def test_a_lifetime_is_a_function():
    for call in (
        lambda: paging.thrashing_curve(5, 9, 1, 3),
        lambda: multiprogramming.paged_throughput(1, None, 9, 1, 2),
    ):
        with pytest.raises(TypeError, match="lifetime must be a function, not") as error:
            call()
        assert one_sentence(error)


def test_what_has_a_limit_comes_to_it():
    assert swapping.elapsed_ratio(1e50, 1e50, 0.05, 0.05, 0, 0) == pytest.approx(1)
    assert paging.duty_factor(1e50, 1e50) == 0.5
    idle = repairman.repairman(5, 1e50, 1e-50)
    full = repairman.repairman(5, 1e-50, 1e50)
    assert idle.response_s[0] == pytest.approx(1e-50)
    assert full.utilization[0] == pytest.approx(1)
    for solve in (solve_mva, schweitzer):
        assert solve([1e50, 1e-50], 3).throughput == pytest.approx(1e-50)
    low = laws.balanced_job_bounds([1e50, 1e50], 10**9, 1e50)
    assert np.isfinite(low.frame().to_numpy()).all()
    short = networks.round_robin(0.5, 1, 1e-8)
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


def stack_by_hand(pages):
    stack, distance = [], []
    for page in pages:
        distance.append(stack.index(page) + 1 if page in stack else np.inf)
        stack = [page, *(other for other in stack if other != page)]
    return distance


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60))
def test_stack_distances_are_places_in_a_list(pages):
    assert list(paging.stack_distances(pages)) == stack_by_hand(pages)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.data())
def test_activations_everywhere_are_the_mean_of_each(pages, data):
    length = data.draw(st.integers(1, len(pages)))
    each = [
        [len(set(pages[start : start + made])) for made in range(length + 1)]
        for start in range(len(pages) - length + 1)
    ]
    found = paging.pages_since_activation(pages, length)
    assert found == pytest.approx(np.mean(each, axis=0))
    named = paging.pages_since_activation(pages, length, range(len(each)))
    assert list(named) == list(found)


def test_long_strings_take_neither_minutes_nor_gigabytes():
    began = perf_counter()
    assert set(paging.stack_distances([*range(50_000)] * 2)) == {np.inf, 50_000}
    assert paging.pages_since_activation(range(200_000), 100_000)[-1] == pytest.approx(100_000)
    assert perf_counter() - began < 10
