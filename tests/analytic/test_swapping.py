"""Swapping by hand, against balance equations and its limits; tables in test_unix_v6_study."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import spreads, steady_state

from perfkit.analytic import swapping
from perfkit.analytic import swapping_networks as networks
from perfkit.analytic.multiprogramming import memory_constrained, subsystem_throughput
from perfkit.analytic.round_robin import (
    processor_sharing_response,
    processor_sharing_swap_time,
    round_robin,
)
from studies.evidence import published

TIMES = st.floats(0.001, 10.0)
COUNTS = st.integers(1, 50)


@given(COUNTS, COUNTS, COUNTS, TIMES, TIMES, TIMES, TIMES, TIMES, TIMES)
def test_ratios_chain(na, nb, nc, ba, bb, bc, sa, sb, sc):
    ab = swapping.elapsed_ratio(na, nb, ba, bb, sa, sb)
    bc_ = swapping.elapsed_ratio(nb, nc, bb, bc, sb, sc)
    assert ab * bc_ == pytest.approx(swapping.elapsed_ratio(na, nc, ba, bc, sa, sc))


def test_the_mixed_run_of_724_s_is_predicted_within_a_second():
    swap = np.repeat([50.7, 69.8], 3)
    elapsed, loaded = [623, 637, 717, 854, 920, 1032], [8, 6, 4, 4, 3, 2]
    found = swapping.predict_elapsed(elapsed, loaded, 5, 40.0, 40.0, swap, swap.mean())
    assert found.mean() == pytest.approx(723.4, abs=0.05)


def test_the_specified_times_by_hand():
    """40 blocks fill a cylinder, and half a block more begins the next one."""
    assert swapping.calculated_block_time() == pytest.approx(67.5 + 2.35 * 0.512)
    full = 67.5 + 2.35 * 20.48
    assert swapping.calculated_swap_times(320) == pytest.approx((full, full + 15.0))
    more = 67.5 + 2.35 * 20.736
    assert swapping.calculated_swap_times(324) == pytest.approx((more + 15.0, more + 30.0))


def test_every_row_loads_the_floor_and_no_more_than_there_are():
    for name in ("table_6", "table_7"):
        rows = published.table("unix_v6", name)
        rows = rows[rows["process_clicks"] != "157/314"]
        found = swapping.processes_loaded(
            rows["memory_clicks"], rows["process_clicks"].astype(float), rows["processes"]
        )
        assert list(found) == list(rows["loaded"])


def test_applications_have_the_published_inputs_and_only_the_fifth_departs_from_the_equation():
    rows = published.table("unix_v6", "example_inputs")
    for found in swapping.applications():
        given_ = rows[rows["id"] == found.name].set_index("name")["value"]
        assert found.inputs == {name: given_[name] for name in found.inputs}
    gap = [a.ratio_by_equation - a.ratio_by_printed_formula for a in swapping.applications()]
    assert gap[:4] == pytest.approx([0.0] * 4)
    assert swapping.expected_queue(6) == 7
    assert swapping.applications()[4].ratio_by_equation == pytest.approx(1.44 / 1.62)


def test_the_processor_bound_case_by_hand():
    assert swapping.elapsed_without_overlap(100.0, 0.07, [200, 0]) == pytest.approx([114.0, 100.0])
    assert swapping.smallest_quantum(0.07) == 0.14
    assert swapping.swapping_is_hidden(0.14, 0.07, 2)
    assert not swapping.swapping_is_hidden(0.13, 0.07, 2)
    assert not swapping.swapping_is_hidden(1.0, 0.07, 1)


LOADS = st.floats(0.05, 0.95)
QUANTA = st.floats(0.02, 20.0)


@given(LOADS, QUANTA, st.floats(0.0, 0.4), st.floats(0.1, 10.0))
def test_passes_follow_from_each_other_and_make_up_the_means(load, quantum, swap, demand):
    """Ahead in the next pass are those who come back of this one's, and who arrives in it."""
    back, before = np.exp(-quantum), np.arange(1, int(60 / quantum) + 3)
    quantum, run = quantum * demand, demand * (1 - back)
    rate = load / (demand + swap / (1 - back))
    found = round_robin(rate, demand, quantum, swap)
    ends = found.response_to(np.append(before, before[-1] + 1) * quantum)
    full = np.diff(ends)
    waits = full - quantum - swap
    ahead = back * waits[:-1] + rate * (run + swap) * full[:-1]
    assert waits[1:] == pytest.approx(ahead, rel=1e-6, abs=1e-9)
    spent_s = full - quantum + run
    mean = ends[0] - quantum + run + back**before @ spent_s
    assert found.response_s == pytest.approx(mean, rel=1e-6)
    expended_s = rate * swap * (before * back**before) @ spent_s
    assert found.swap_time_expended_s == pytest.approx(expended_s)
    assert found.in_system == pytest.approx(rate * found.response_s)
    assert found.utilization == pytest.approx(load)
    assert found.swapping + rate * demand == pytest.approx(load)


@pytest.mark.parametrize("quantum", [1e3, np.inf])
def test_an_endless_quantum_is_first_come_first_served(quantum):
    found = round_robin(0.5, 1.0, quantum)
    assert found.response_to(np.array([0.2, 3.0])) == pytest.approx([1.2, 4.0])
    swapped = round_robin(0.5, 1.0, quantum, 0.25)
    second_moment = 2.0 + 2 * 0.25 + 0.25**2
    wait = 0.5 * second_moment / (2 * (1 - 0.625))
    assert swapped.response_to(0.2) == pytest.approx(wait + 0.45)
    assert swapped.response_s == pytest.approx(wait + 1.25)


def test_an_endlessly_short_quantum_is_processor_sharing_and_that_by_hand():
    for swap_share in (0.0, 0.3):
        found = round_robin(0.5, 1.0, 1e-4, swap_share * 1e-4)
        service = np.array([0.2, 1.0, 3.0])
        sharing = processor_sharing_response(service, 0.5, 1.0, swap_share)
        assert found.response_to(service) == pytest.approx(sharing, rel=1e-3)
        expended = processor_sharing_swap_time(0.5, 1.0, swap_share)
        assert found.swap_time_expended_s == pytest.approx(expended, rel=1e-3)
    assert processor_sharing_response(3.0, 0.4, 1.0) == pytest.approx(5.0)
    assert processor_sharing_response(3.0, 0.4, 1.0, 0.25) == pytest.approx(7.5)
    assert processor_sharing_swap_time(0.4, 1.0, 0.25) == pytest.approx(0.25)
    assert processor_sharing_swap_time(0.2, 2.0, 0.25) == pytest.approx(0.5)


def whole_network(users, think, demands, swap, chance):
    """Solve users, swap channel, processor and disc outright; return X, swaps and queues."""
    states = [state[:3] for state in spreads(users, 4)]

    def moves(state):
        a, b, c = state
        k = a + b + c
        if k < users:
            yield (users - k) / think * chance[k], (a + 1, b, c)
            yield (users - k) / think * (1 - chance[k]), (a, b + 1, c)
        if a:
            yield 1 / swap, (a - 1, b + 1, c)
        if b:
            yield 1 / demands[0], (a, b - 1, c + 1)
            yield 1 / demands[0], (a, b - 1, c)
        if c:
            yield 1 / demands[1], (a, b + 1, c - 1)

    p = steady_state(states, moves)
    swaps = p[[s[0] > 0 for s in states]].sum() / swap
    done = p[[s[1] > 0 for s in states]].sum() / demands[0]
    return done, swaps / done, p @ np.array(states)


def test_a_chance_that_is_always_the_same_makes_the_network_exact():
    chance = np.full(6, 0.4)
    exact = whole_network(6, 5.0, (0.8, 0.6), 1.1, chance)
    found = networks.swapping_network(6, 5.0, (0.8, 0.6), 1.1, chance)
    assert found.swap_probability == pytest.approx(0.4)
    assert found.terminals.throughput_per_s == pytest.approx(exact[0])
    assert found.queue_length == pytest.approx(np.roll(exact[2], -1))
    assert found.utilization == pytest.approx(exact[0] * np.array([0.8, 0.6, 0.44]))


@pytest.mark.parametrize("places", [1, 3, 5])
def test_the_iteration_is_near_the_whole_network(places):
    chance = networks.swap_in_probability(8, places)
    exact = whole_network(8, 5.0, (0.5, 0.4), 0.7, chance)
    found = networks.swapping_network(8, 5.0, (0.5, 0.4), 0.7, chance)
    assert found.terminals.throughput_per_s == pytest.approx(exact[0], rel=0.005)
    assert found.swap_probability == pytest.approx(exact[1], rel=0.006)
    response = 8 / exact[0] - 5.0
    assert found.terminals.response_time_s == pytest.approx(response, rel=0.012)


def test_the_chance_of_a_swap_by_hand():
    assert networks.swap_in_probability(4, 2) == pytest.approx([1 / 2, 2 / 3, 1.0, 1.0])
    assert list(networks.swap_in_probability(3, 5)) == [0, 0, 0]


def test_saturated_swapping_by_hand():
    found = networks.limiting_resource(40, 10.0, 1.5, 0.4, 0.3, 0.2)
    assert (found.limiting, found.saturated) == ("swap", True)
    assert found.throughput_per_s == pytest.approx(1 / 0.6)
    assert found.response_time_s == pytest.approx(40 * 0.6 - 10.0)
    alone = networks.limiting_resource(5, 10.0, 1.5, 0.4, 0.3, 0.2)
    assert not alone.saturated
    assert alone.throughput_per_s == pytest.approx(5 / (10.0 + 1.1))
    assert alone.response_time_s == pytest.approx(1.1)


@given(
    st.integers(1, 60),
    st.floats(0.0, 30.0),
    st.floats(0.1, 3.0),
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
)
def test_one_class_is_the_asymptote_of_the_closed_network(users, think, swap, processor, file):
    limit = networks.limiting_resource(users, think, 1.0, swap, processor, file)
    curve = subsystem_throughput((swap, processor, file), users)
    exact = memory_constrained(users, think, curve)
    assert exact.throughput_per_s <= limit.throughput_per_s * (1 + 1e-9)
    assert exact.response_time_s >= limit.response_time_s - 1e-6
    many = memory_constrained(2000, think, subsystem_throughput((swap, processor, file), 2000))
    crowd = networks.limiting_resource(2000, think, 1.0, swap, processor, file)
    assert many.throughput_per_s == pytest.approx(crowd.throughput_per_s, rel=0.01)


def test_a_swap_shared_by_a_file_request_of_each_loaded_is_brachmans_ratio():
    def elapsed(loaded, block, swap):
        work = (500, 0.0, 7 / loaded, swap, 0.01, 7 * block)
        return 1 / networks.limiting_resource(*work, file_on_swap_channel=True).throughput_per_s

    ratio = elapsed(8, 0.04, 0.055) / elapsed(4, 0.05, 0.07)
    assert ratio == pytest.approx(swapping.elapsed_ratio(4, 8, 0.05, 0.04, 0.07, 0.055))


SECONDS = st.floats(0.01, 5.0)


@given(st.integers(1, 9), *[SECONDS] * 5)
def test_no_response_is_below_the_demands(users, think, loads, swap, processor, file):
    found = networks.limiting_resource(users, think, loads, swap, processor, file)
    assert found.response_time_s >= (loads * swap + processor + file) * (1 - 1e-12)
    assert found.throughput_per_s * max(loads * swap, processor, file) <= 1 + 1e-9
