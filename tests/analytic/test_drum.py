"""The drum's closed forms against simulation, balance equations, enumeration and the papers.

Simulated means are compared within a 99 % interval by batches, seeds fixed: a sound formula
fails a fresh seed once in a hundred for each of the comparisons, nine in all.
"""

from collections import deque
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.stats import t as student

from perfkit.analytic import drum
from perfkit.des.storage import Disc, transfer_end

SECTORS = st.integers(1, 40)
TURN = st.floats(0.001, 0.1)


def interval(values, batches=25):
    """Return the middle and half-width of the 99 % interval of a mean, by batches."""
    means = np.asarray(values[len(values) // 10 :])
    means = means[: len(means) // batches * batches].reshape(batches, -1).mean(axis=1)
    half = student.ppf(0.995, batches - 1) * means.std(ddof=1) / np.sqrt(batches)
    return means.mean(), half


def simulate_fifo(rate, revolution, sectors, requests, seed):
    """Serve Poisson arrivals in order on a drum built of perfkit.des's disc."""
    rng = np.random.default_rng(seed)
    device = Disc(np.zeros(2), 1, sectors, revolution, 0.0, 0.0, 0.0)
    arrivals = np.cumsum(rng.exponential(1 / rate, requests))
    targets = rng.integers(sectors, size=requests)
    free, responses = 0.0, np.empty(requests)
    for i in range(requests):
        free = transfer_end(device, max(free, arrivals[i]), int(targets[i]), 1)
        responses[i] = free - arrivals[i]
    return responses


def simulate_sectored(rate, revolution, sectors, requests, seed):
    """Turn a drum sector by sector, a queue of arrival times for each."""
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1 / rate, requests))
    targets = rng.integers(sectors, size=requests)
    queues = [deque() for _ in range(sectors)]
    responses, slot, nxt = [], 0, 0
    while len(responses) < requests:
        now = slot * revolution / sectors
        while nxt < requests and arrivals[nxt] <= now:
            queues[targets[nxt]].append(arrivals[nxt])
            nxt += 1
        queue = queues[slot % sectors]
        if queue:
            responses.append(now + revolution / sectors - queue.popleft())
        slot += 1
    return np.array(responses)


def closed_chain_utilization(requests, sectors):
    """Solve the closed sectored drum: states are queue lengths from the heads on."""
    states = [q for q in product(range(requests + 1), repeat=sectors) if sum(q) == requests]
    number = {q: i for i, q in enumerate(states)}
    step = np.zeros((len(states), len(states)))
    for q in states:
        if not q[0]:
            step[number[q], number[q[1:] + q[:1]]] = 1.0
            continue
        for new in range(sectors):
            after = list(q)
            after[0] -= 1
            after[new] += 1
            step[number[q], number[(*after[1:], after[0])]] += 1 / sectors
    system = np.vstack([step.T - np.eye(len(states)), np.ones(len(states))])
    p = np.linalg.lstsq(system, np.append(np.zeros(len(states)), 1.0), rcond=None)[0]
    return sum(p[number[q]] for q in states if q[0])


@pytest.mark.parametrize(
    "sectors, load, seed", [(4, 0.3, 1), (4, 0.85, 2), (1, 0.6, 3), (9, 0.7, 4)]
)
def test_fifo_response_is_that_of_the_simulated_device(sectors, load, seed):
    rate = load * drum.greatest_rate(0.02, sectors, sectored=False)
    middle, half = interval(simulate_fifo(rate, 0.02, sectors, 60_000, seed))
    assert abs(drum.fifo_response(rate, 0.02, sectors).response_s[0] - middle) < half


@pytest.mark.parametrize(
    "sectors, load, seed", [(4, 0.3, 5), (4, 0.85, 6), (1, 0.6, 7), (9, 0.7, 8)]
)
def test_sectored_response_is_that_of_the_simulated_drum(sectors, load, seed):
    rate = load * drum.greatest_rate(0.02, sectors)
    middle, half = interval(simulate_sectored(rate, 0.02, sectors, 120_000, seed))
    assert abs(drum.sectored_response(rate, 0.02, sectors).response_s[0] - middle) < half


def test_a_drum_that_is_never_idle_takes_the_mean_service():
    rng = np.random.default_rng(9)
    device = Disc(np.zeros(2), 1, 4, 0.02, 0.0, 0.0, 0.0)
    now, services = 0.0, np.empty(20_000)
    for i in range(services.size):
        start, now = now, transfer_end(device, now, int(rng.integers(4)), 1)
        services[i] = now - start
    middle, half = interval(services)
    assert abs(drum.mean_service(0.02, 4) - middle) < half


@pytest.mark.parametrize(
    "requests, sectors", [(1, 1), (1, 5), (2, 2), (3, 3), (5, 4), (7, 3), (3, 6)]
)
def test_closed_sectored_rate_is_the_chains(requests, sectors):
    found = drum.closed_rates(requests, sectors * 1.0, sectors)[-1]
    assert found == pytest.approx(closed_chain_utilization(requests, sectors))


@pytest.mark.parametrize("requests, sectors", [(0, 3), (1, 4), (3, 4), (5, 3), (4, 1)])
def test_useful_sectors_by_enumeration(requests, sectors):
    drawn = [len(set(q)) for q in product(range(sectors), repeat=requests)]
    assert drum.useful_sectors(requests, sectors) == pytest.approx(np.mean(drawn))


def test_the_emas_drum_by_hand():
    assert drum.mean_service(0.020, 4) == pytest.approx(0.0125)
    assert drum.idle_service(0.020, 4) == pytest.approx(0.015)
    assert drum.greatest_rate(0.020, 4, sectored=False) == pytest.approx(80.0)
    assert drum.greatest_rate(0.020, 4) == pytest.approx(200.0)
    assert drum.sectored_response(100.0, 0.020, 4).response_s == pytest.approx(0.025)


def test_utilization_is_of_the_greatest_rate():
    fifo = drum.fifo_response([20.0, 60.0], 0.020, 4)
    assert fifo.utilization == pytest.approx([0.25, 0.75])
    sectored = drum.sectored_response([20.0, 150.0], 0.020, 4)
    assert sectored.utilization == pytest.approx([0.1, 0.75])


def test_the_sim61_drum_pages_at_its_limit():
    limit = drum.greatest_rate(0.0172, 1)
    assert round(limit) == 58
    assert 2 * limit == pytest.approx(114, rel=0.02)


@given(TURN, st.floats(0.01, 0.95))
def test_a_page_a_track_makes_both_rules_one(revolution, load):
    rate = load / revolution
    fifo = drum.fifo_response(rate, revolution, 1)
    sectored = drum.sectored_response(rate, revolution, 1)
    assert fifo.response_s == pytest.approx(sectored.response_s)


@given(TURN, SECTORS, st.floats(0.001, 0.98))
def test_sector_queues_never_answer_later_and_never_carry_less(revolution, sectors, load):
    limit = drum.greatest_rate(revolution, sectors, sectored=False)
    fifo = drum.fifo_response(load * limit, revolution, sectors).response_s
    sectored = drum.sectored_response(load * limit, revolution, sectors).response_s
    assert sectored <= fifo * (1 + 1e-9)
    assert limit <= drum.greatest_rate(revolution, sectors) * (1 + 1e-9)


@given(TURN, SECTORS)
def test_a_rare_request_costs_the_idle_service_under_either_rule(revolution, sectors):
    rare = 1e-7 / revolution
    idle = pytest.approx(drum.idle_service(revolution, sectors), rel=1e-5)
    assert drum.fifo_response(rare, revolution, sectors).response_s == idle
    assert drum.sectored_response(rare, revolution, sectors).response_s == idle


@given(TURN, SECTORS, st.lists(st.floats(0.01, 0.98), min_size=2, max_size=6, unique=True))
def test_responses_rise_with_the_load(revolution, sectors, loads):
    loads = np.sort(loads)
    for sectored, model in ((False, drum.fifo_response), (True, drum.sectored_response)):
        limit = drum.greatest_rate(revolution, sectors, sectored)
        found = model(loads * limit, revolution, sectors)
        assert np.all(np.diff(found.response_s) >= -1e-9 * revolution)
        assert found.outstanding == pytest.approx(found.arrivals_per_s * found.response_s)
        assert found.wait_s == pytest.approx(found.response_s - revolution / sectors)


@given(st.integers(1, 200), TURN, SECTORS)
def test_closed_rates_rise_from_fifo_to_the_limit(most, revolution, sectors):
    rates = drum.closed_rates(most, revolution, sectors)
    fifo = drum.closed_rates(most, revolution, sectors, sectored=False)
    assert rates[0] == pytest.approx(fifo[0])
    assert np.all(np.diff(rates) >= -1e-9 * rates[0])
    assert np.all(rates >= fifo * (1 - 1e-12))
    assert rates[-1] <= drum.greatest_rate(revolution, sectors) * (1 + 1e-12)


def test_records_print_and_turn_into_frames():
    found = drum.sectored_response([50.0, 100.0], 0.020, 4)
    assert list(found.frame().index) == [50.0, 100.0]
    assert "response_s" in str(found)
    axes = Figure().subplots()
    assert found.plot(ax=axes) is axes
    assert list(axes.lines[0].get_ydata()) == list(found.response_s)


BAD = [
    (lambda: drum.fifo_response(80.0, 0.02, 4), "must be below the 80 that the drum sustains"),
    (lambda: drum.sectored_response(200.0, 0.02, 4), "must be below the 200"),
    (lambda: drum.fifo_response([10.0, 90.0], 0.02, 4), "must be below the 80"),
    (lambda: drum.sectored_response(0.0, 0.02, 4), "arrivals_per_s must be greater than zero"),
    (lambda: drum.mean_service(0.0, 4), "revolution_s must be greater than zero"),
    (lambda: drum.mean_service(0.02, 1.5), "sectors must be a whole number of 1 or more"),
    (lambda: drum.closed_rates(0, 0.02, 4), "most_outstanding must be a whole number of 1"),
    (lambda: drum.useful_sectors(-1, 4), "requests must be zero or more"),
]


@pytest.mark.parametrize("call, sentence", BAD)
def test_bad_input_is_refused_in_one_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
