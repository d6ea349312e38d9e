"""The benchmarks: a network against theory, what they time, and that what can't be ends them."""

import statistics
import time

import pytest
from scipy import stats

from benchmarks import __main__ as bench
from benchmarks import actors, central_server, many_tasks
from benchmarks.__main__ import exact_measures, measures
from benchmarks.figures import ImpossibleFigure, event_seconds
from perfkit.systems import sim61


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


def test_assembly_is_not_in_the_cost_of_an_event(monkeypatch):
    p, load = sim61.Parameters(measured_s=400.0), sim61.backing_store_load()
    monkeypatch.setattr(many_tasks, "ROUNDS", 2)
    put_together, slow_s = many_tasks.new_machine, 0.1

    def slow_assembly(*given):
        end = time.thread_time() + slow_s
        while time.thread_time() < end:
            pass
        return put_together(*given)

    monkeypatch.setattr(many_tasks, "new_machine", slow_assembly)
    events = sim61.simulate(p, load=load).values["events"]
    assert many_tasks.event_cost_s(p, load) < 0.1 * slow_s / events


@pytest.mark.parametrize("costs", [(1e-7, -3e-9, 1e-7), (1e-7, 1e-7, 1e-8), (1e-9, 1e-7, 1e-6)])
def test_a_benchmark_with_an_impossible_figure_exits_1_with_a_sentence(costs, monkeypatch, capsys):
    found = iter(costs)
    monkeypatch.setattr(many_tasks, "simulated_seconds", lambda *_: 0.01)
    monkeypatch.setattr(
        many_tasks, "event_cost_s", lambda *_: event_seconds("so many tasks", next(found))
    )
    monkeypatch.setattr(bench, "report", many_tasks.main)
    assert bench.main() == 1
    said = capsys.readouterr().err
    assert "can't be" in said and said.count("\n") == 1


def test_actors_have_as_many_events_as_their_alarms_say():
    assert actors.event_s("Numba", actors.time_numba, 7, 20_000) > 0.0
    with pytest.raises(ImpossibleFigure, match="Numba: 7 actors had 20000 events in"):
        actors.event_s("Numba", lambda *_: (1.0, 1.0), 7, 20_000)
