"""The benchmark's network: theory, conservation, routing."""

import statistics

import pytest
from scipy import stats

from benchmarks import central_server
from benchmarks.__main__ import exact_measures, measures
from perfkit.des.alarms import NEVER


def queue_of(network, station):
    """Return the customers at a station, in the order of its linked list."""
    found, customer = [], network.stations[station].first
    for _ in range(network.stations[station].length):
        found.append(int(customer))
        customer = network.customers[customer].behind
    return found


def test_throughput_and_response_agree_with_exact_mva():
    """Twelve runs of 200 000 events at fixed seeds; two 99.9 % t intervals.

    A right simulator fails this at one in 500 choices of the seeds at most.
    """
    runs = []
    for seed in range(100, 112):
        network = central_server.new_network(seed)
        central_server.run(network, 20_000)
        before = central_server.counts(network)
        central_server.run(network, 200_000)
        runs.append(measures(before, central_server.counts(network)))
    quantile = stats.t.ppf(0.9995, len(runs) - 1)
    for sample, exact in zip(zip(*runs, strict=True), exact_measures(), strict=True):
        half = quantile * statistics.stdev(sample) / len(runs) ** 0.5
        assert half < 0.05 * exact
        assert abs(statistics.fmean(sample) - exact) <= half


@pytest.mark.parametrize("customers", [1, 2, 50])
def test_every_customer_is_in_exactly_one_place_at_any_time(customers):
    network = central_server.new_network(3, customers)
    for events in (0, 1, 1, 1, 7, 100, 1000, 10_000):
        central_server.run(network, events)
        thinking = [
            customer
            for customer in range(customers)
            if network.alarms.time[central_server.FIRST_CUSTOMER + customer] < NEVER
        ]
        queues = [queue_of(network, s) for s in range(central_server.FIRST_CUSTOMER)]
        present = thinking + [customer for queue in queues for customer in queue]
        assert sorted(present) == list(range(customers))


def test_a_reader_s_own_routing_is_obeyed():
    @central_server.routing_policy
    def first_disc_only(stations, u):
        return -1 if u < 0.05 else 1

    network = central_server.new_network(7)
    central_server.run(network, 5000, first_disc_only)
    served = [int(network.stations[s].served) for s in range(central_server.FIRST_CUSTOMER)]
    assert served[1] > 0
    assert served[2:] == [0, 0]
