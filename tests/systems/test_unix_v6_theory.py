"""The UNIX V6 simulator against queueing theory, where theory applies.

Memory for all, no seeks, no processor time but the compute loops, exponential through the
workload record, one read an interaction, never twice the same block. What cannot be made
neutral: a read's time is rotational, not exponential. So exact theory here is the cyclic
queue of an exponential server and a general one (M/G/1 with room for N, by the embedded
chain). /etc/update comes by once in 3600 s and reads and writes the inodes in use, which is
under a thousandth of the work.
"""

import numpy as np
import pytest

from perfkit.analytic.mva import solve_mva
from perfkit.des.draws import stream
from perfkit.runs.experiment import interval
from perfkit.systems import unix_v6
from perfkit.systems.unix_v6.state import INTERACTION, OPERATION

COMPUTE_MS, GAP_MS, REVOLUTION_MS, BLOCK_MS = 12.0, 0.6, 25.0, 1.25
INTERACTIONS, RUNS = 1500, 20


def neutral(processes):
    return unix_v6.Parameters(
        processes=processes,
        interactions=INTERACTIONS,
        memory_clicks=4000,
        disc_seek_ms=(0.0, 0.0, 0.0),
        controller_ms=GAP_MS,
        system_call_ms=0.0,
        block_io_ms=0.0,
        scheduler_ms=0.0,
        flush_period_s=3600,
        other_inodes=0,
        file_blocks=8,
        discipline="FCFS",
    )


def exponential_workload(p, seed):
    rng = stream(seed, "demand")
    interactions = np.zeros((p.processes, INTERACTIONS), INTERACTION).view(np.recarray)
    interactions.compute_ms[:] = rng.exponential(COMPUTE_MS, interactions.shape)
    interactions.operations[:] = 1
    interactions.first_operation[:] = np.arange(interactions.size).reshape(interactions.shape)
    operations = np.zeros(interactions.size, OPERATION).view(np.recarray)
    operations.block[:] = np.tile(rng.permutation(INTERACTIONS), p.processes)
    blocks = rng.permutation(p.disc_cylinders * p.disc_heads * p.disc_blocks_per_track)
    files = blocks[: interactions.size].reshape(interactions.shape)
    return unix_v6.Workload(interactions, operations, files)


def simulated_throughput(processes, seed):
    """Interactions a second between 10 s and the first process's end."""
    p = neutral(processes)
    result = unix_v6.simulate(
        p, seed, workload=exponential_workload(p, seed), trace=20 * processes * INTERACTIONS
    )
    events = result.trace_frame()
    assert result.swaps == 0 and not result.values["trace_full"]
    assert result.values["cache_hits"] < 0.01 * processes * INTERACTIONS
    begun = events.loc[events["kind"] == "interaction", "time_s"].to_numpy()
    end = result.finished_s.min()
    return np.count_nonzero((begun > 10.0) & (begun <= end)) / (end - 10.0)


def cyclic_queue_throughput(customers, arrival_rate, times):
    """Return the throughput of a cycle of an exponential and a general server.

    ``times`` are equally likely service times. The embedded chain has the customers left
    behind at the end of a service, 0 to N - 1.
    """
    load = arrival_rate * times
    a = np.empty(customers)
    weight = np.exp(-load)
    for k in range(customers):
        a[k] = weight.mean()
        weight = weight * load / (k + 1)
    chain = np.zeros((customers, customers))
    for left in range(customers):
        start = max(left, 1)
        for come in range(customers - start):
            chain[left, start - 1 + come] = a[come]
        chain[left, -1] = 1.0 - chain[left, :-1].sum()
    balance = np.vstack([chain.T - np.eye(customers), np.ones(customers)])
    left_behind = np.linalg.lstsq(balance, np.append(np.zeros(customers), 1.0), rcond=None)[0]
    return arrival_rate / (left_behind[0] + arrival_rate * times.mean())


def test_the_oracle_gives_the_exponential_network_for_exponential_times():
    times = -np.log1p(-(np.arange(200_000) + 0.5) / 200_000) * 14.0
    found = cyclic_queue_throughput(4, 1.0 / 12.0, times)
    assert found == pytest.approx(solve_mva([12.0, 14.0], 4).throughput, rel=1e-4)


@pytest.mark.parametrize("processes", [1, 3, 6])
def test_throughput_agrees_with_the_cyclic_queue_within_its_99_percent_interval(processes):
    runs = [simulated_throughput(processes, seed) for seed in range(RUNS)]
    mean, half_width = interval(runs, 0.99)
    times = GAP_MS + REVOLUTION_MS * (np.arange(2000) + 0.5) / 2000 + BLOCK_MS
    exact = 1000.0 * cyclic_queue_throughput(processes, 1.0 / COMPUTE_MS, times)
    assert abs(mean - exact) <= half_width + 0.001 * exact
