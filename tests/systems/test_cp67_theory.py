"""CP-67 against theory: where it is reduced to a case that a formula covers.

Seeds are fixed. Intervals over runs are 99 %, so a test errs once in a hundred draws of seeds.
"""

from itertools import combinations, permutations

import numpy as np
import pytest

from perfkit.analytic.repairman import repairman
from perfkit.runs.experiment import interval
from perfkit.systems import cp67
from perfkit.systems.cp67 import Load
from perfkit.systems.cp67.state import SESSION, TASK

FREE_OF_CHARGE = {"fault_ms": 0.0, "write_ms": 0.0, "sio_ms": 0.0, "queue_ms": 0.0}
QUIET = {**FREE_OF_CHARGE, "observation_wait_s": (10**8,) * 19, "dirty_share": 0.0}
QUIET |= {"drift_per_ms": 0.0, "t1_ms": 1e9}
RUNS = 12


def quiet(hottest_per_ms, coldest_per_ms, **changes):
    """A machine of which little more than its references to pages is left."""
    references = {"hottest_per_ms": hottest_per_ms, "coldest_per_ms": coldest_per_ms}
    return cp67.Parameters(**QUIET | references | changes)


def on_from_the_start(users, tasks_each, locality):
    """Return sessions without end and their tasks, which are still to be filled in."""
    sessions = np.zeros(users, SESSION).view(np.recarray)
    sessions.logoff_ms[:] = 1e12
    sessions.first_task[:] = tasks_each * np.arange(users)
    sessions.locality_pages[:] = locality
    return sessions, np.zeros(tasks_each * users, TASK).view(np.recarray)


def computing(users, locality=10):
    """A load of users who are logged on from the start and compute one long task."""

    def load(p, seed, day):
        sessions, tasks = on_from_the_start(users, 2, locality)
        tasks.think_ms[:] = np.tile([0.0, 1e13], users)
        tasks.cpu_ms[:] = 1e9
        return Load(sessions, tasks, 1.0, 1.0)

    return load


def faults_per_ms(p, load):
    """Page faults a ms of virtual time in independent runs: mean and half-width."""
    results = [cp67.simulate(p, seed, load=load) for seed in range(RUNS)]
    return interval([r.values["faults"] / r.values["user_ms"] for r in results], 0.99)


@pytest.mark.parametrize("algorithm", [1, 2])
def test_uniform_references_fault_in_proportion_to_what_is_missing(algorithm):
    """With all pages alike any demand algorithm misses the same: (pages - frames) x rate."""
    p = quiet(0.05, 0.05, algorithm=algorithm, frames=7, measured_s=1500.0)
    mean, half_width = faults_per_ms(p, computing(1))
    assert abs(mean - 3 * 0.05) <= half_width
    assert half_width < 0.01 * mean


def king_fifo_faults(rates, frames):
    """Faults a unit of time of first-in-first-out under independent references (King 1971).

    The resident pages in order of arrival have a probability in proportion to the product of
    their rates.
    """
    weight = faults = 0.0
    for kept in combinations(range(len(rates)), frames):
        product = np.prod([rates[i] for i in kept]) * len(list(permutations(kept)))
        weight += product
        faults += product * (sum(rates) - sum(rates[i] for i in kept))
    return faults / weight


def test_algorithm_1_in_its_fallback_is_first_in_first_out():
    p = quiet(0.5, 0.01, algorithm=1, frames=4, measured_s=2500.0)
    expected = king_fifo_faults(np.geomspace(0.5, 0.01, 7), 4)
    mean, half_width = faults_per_ms(p, computing(1, locality=7))
    assert abs(mean - expected) <= half_width
    assert half_width < 0.03 * expected
    fewer, _ = faults_per_ms(p.replace(algorithm=2), computing(1, locality=7))
    assert fewer < 0.95 * expected


@pytest.mark.parametrize(("algorithm", "frames"), [(1, 64), (1, 8), (2, 8)])
def test_pages_of_a_stay_are_the_working_set_of_independent_references(algorithm, frames):
    """The or estimate after t1 of virtual time, sum of 1 - exp(-rate t1), steals or not."""
    p = quiet(0.3, 0.001, algorithm=algorithm, frames=frames, measured_s=200.0)
    p = p.replace(t1_ms=100.0, t2_ms=100.0, charged_share=0.0)
    estimates = []
    for seed in range(RUNS):
        events = cp67.simulate(p, seed, load=computing(1, locality=20), trace=200_000).trace_frame()
        estimates.append(events.loc[events["kind"] == "leave", "value"].to_numpy()[:-1].mean())
    mean, half_width = interval(estimates, 0.99)
    expected = (1.0 - np.exp(-100.0 * np.geomspace(0.3, 0.001, 20))).sum()
    assert abs(mean - expected) <= half_width
    assert half_width < 0.02 * expected


@pytest.mark.parametrize("users", [1, 6, 15])
def test_without_paging_users_and_processor_are_the_machine_repairman(users):
    """Turns of 2 ms make the processor one that all share, and its repairman indifferent to
    the skewed distribution of demands."""
    task_s, think_s, measured_s = 0.4, 4.0, 2000.0
    p = quiet(1e-3, 1e-6, frames=2000, quantum_ms=2.0, measured_s=measured_s)

    def load(p, seed, day):
        rng = np.random.default_rng([seed, users])
        sessions, tasks = on_from_the_start(users, int(2 * measured_s / think_s), locality=1)
        tasks.think_ms[:] = 1000.0 * think_s * rng.standard_exponential(tasks.size)
        shape = 1.2
        logs = shape * rng.standard_normal(tasks.size) - 0.5 * shape**2
        tasks.cpu_ms[:] = 1000.0 * task_s * np.exp(logs)
        return Load(sessions, tasks, 1.0, 1.0)

    found = [cp67.simulate(p, seed, load=load) for seed in range(RUNS)]
    mean, half_width = interval([r.values["tasks_ended"] / measured_s for r in found], 0.99)
    exact = repairman(users, think_s, task_s).throughput
    assert abs(mean - exact) <= half_width + 0.004 * exact
    assert half_width < 0.06 * exact


def test_the_drum_moves_at_most_what_its_geometry_allows():
    """Every reference a fault: in order 1 / (half a turn + a page), by angle up to a page a
    sector."""
    p = quiet(50.0, 50.0, frames=60, measured_s=60.0, virtual_pages=64)
    p = p.replace(estimator="fixed", in_queue_users=40.0)
    load = computing(30, locality=40)
    in_order = p.replace(drum_shortest_latency=False)
    ordered = cp67.simulate(in_order, 1, load=load).page_reads_per_s
    by_angle = cp67.simulate(p, 1, load=load).page_reads_per_s
    slot_ms = 17.5 / 5
    mean_wait_ms = slot_ms * (5 - 1) / 2
    assert ordered == pytest.approx(1000.0 / (mean_wait_ms + slot_ms), rel=0.02)
    assert 0.9 * 1000.0 / slot_ms < by_angle <= 1000.0 / slot_ms
