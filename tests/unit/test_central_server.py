"""The benchmark's network against theory."""

import statistics

from scipy import stats

from benchmarks import central_server
from benchmarks.__main__ import exact_measures, measures


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
