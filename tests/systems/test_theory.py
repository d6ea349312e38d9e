"""Every system's throughput against queueing theory, where it is reduced to what theory covers.

Seeds are fixed; the intervals over independent runs are 99 %, so that each case errs once in a
hundred draws of seeds.
"""

from typing import NamedTuple

import numpy as np
import pytest

from perfkit.analytic.mva import solve_mva
from perfkit.analytic.operational import asymptotic_bounds
from perfkit.analytic.repairman import repairman
from perfkit.runs.experiment import interval
from perfkit.systems import cp67, sim61, tss360, unix_v6
from tests.systems import neutral


def around(exact, share):
    return exact * (1.0 - share), exact * (1.0 + share)


def unix_v6_throughput(processes, seed):
    """Return interactions a second between 10 s and the first process's end."""
    p = neutral.UNIX_V6.replace(processes=processes)
    workload = neutral.unix_v6_workload(p, seed, compute_ms=12.0)
    total = processes * p.interactions
    result = unix_v6.simulate(p, seed, workload=workload, trace=20 * total)
    assert result.swaps == 0 and not result.values["trace_full"]
    assert result.values["cache_hits"] < 0.01 * total
    events = result.trace_frame()
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


def unix_v6_bounds(processes):
    """A read's time is rotational, not exponential, and /etc/update is a thousandth of the work."""
    p = neutral.UNIX_V6
    turn_ms = p.disc_revolution_ms
    block_ms = turn_ms / p.disc_blocks_per_track
    times = p.controller_ms + turn_ms * (np.arange(2000) + 0.5) / 2000 + block_ms
    return around(1000.0 * cyclic_queue_throughput(processes, 1.0 / 12.0, times), 0.001)


def sim61_throughputs(tasks, seeds):
    """The utilisation law holds on the runs' mean."""
    load = neutral.sim61_terminals(tasks, think_s=2.0, compute_s=0.2)
    results = [sim61.simulate(neutral.SIM61, seed, load=load) for seed in seeds]
    assert all(result.paging_pages_per_s < 0.01 for result in results)
    throughputs = [result.interactions / 540.0 for result in results]
    user_percent = np.mean([result.user_percent for result in results])
    assert user_percent == pytest.approx(100.0 * np.mean(throughputs) * 0.2, rel=0.01)
    return throughputs


def sim61_bounds(tasks):
    """Compute times are normal and served in turn, so waits are shorter than the repairman's.

    One task goes round in think and compute time, and may be in the midst of it at the end.
    """
    if tasks == 1:
        return 1.0 / 2.2 - 0.5 / 540.0, 1.0 / 2.2 + 0.5 / 540.0
    upper = asymptotic_bounds([0.2], tasks, 2.0).throughput_high[-1]
    return solve_mva([0.2], tasks, 2.0).throughput, upper


def cp67_throughput(users, seed):
    """Turns of 2 ms make the processor one that all share, and its repairman indifferent to
    the skewed distribution of demands."""
    p = neutral.cp67_machine(1e-3, 1e-6, frames=2000, quantum_ms=2.0, measured_s=2000.0)
    rng = np.random.default_rng([seed, users])
    each, shape = int(2 * p.measured_s / 4.0), 1.2
    think_ms = 4000.0 * rng.standard_exponential(each * users)
    logs = shape * rng.standard_normal(each * users) - 0.5 * shape**2
    load = neutral.cp67_load(users, each, 1, think_ms, 400.0 * np.exp(logs))
    result = cp67.simulate(p, seed, load=lambda p, seed, day: load)
    return result.values["tasks_ended"] / p.measured_s


def emas_throughputs(users, seeds):
    """Processor sharing is insensitive to the spread of the demand; the utilisation law holds."""
    p = neutral.EMAS.replace(users=users)
    runs = [neutral.run_emas(p, seed) for seed in seeds]
    used_s = np.mean([r.user_percent for r in runs]) / 100.0 * p.measured_s
    assert used_s == pytest.approx(np.mean([r.session()["cpu_s"].sum() for r in runs]), rel=0.02)
    assert all(r.supervisor_percent == 0.0 for r in runs)
    return [r.commands / p.measured_s for r in runs]


def tss360_throughput(users, seed):
    """Pages are read once and then reclaimed at no cost; the utilisation law holds in each run."""
    result = tss360.simulate(neutral.tss360_terminals(users), seed)
    row, demand_s = result.measures(), result.transaction_log()["cpu_s"].mean()
    assert row["r_pf"] < 1.0
    assert row["p_v"] == pytest.approx(row["transactions"] * demand_s, rel=0.01)
    return row["transactions"]


def each_seed(throughput):
    return lambda users, seeds: [throughput(users, seed) for seed in seeds]


class Theory(NamedTuple):
    """What gives throughputs, what bounds them in theory, and for how many users."""

    throughputs: object
    bounds: object
    users: tuple
    runs: int = 12


TSS360_MEAN_S = (0.6 - 0.02) / np.log(0.6 / 0.02)
THEORIES = {
    "unix_v6": Theory(each_seed(unix_v6_throughput), unix_v6_bounds, (1, 3, 6), runs=20),
    "sim61": Theory(sim61_throughputs, sim61_bounds, (1, 5, 11, 20), runs=20),
    "cp67": Theory(
        each_seed(cp67_throughput),
        lambda users: around(repairman(users, 4.0, 0.4).throughput, 0.004),
        (1, 6, 15),
    ),
    "emas": Theory(
        emas_throughputs,
        lambda users: around(solve_mva([0.5], users, 4.0).throughput, 0.005),
        (1, 4, 8, 14),
    ),
    "tss360": Theory(
        each_seed(tss360_throughput),
        lambda users: around(solve_mva([TSS360_MEAN_S], users, 2.0).throughput, 0.004),
        (1, 6, 12, 25),
    ),
}


@pytest.mark.usefixtures("no_accesses")
@pytest.mark.parametrize(("key", "users"), [(k, n) for k, t in THEORIES.items() for n in t.users])
def test_throughput_is_that_of_theory_within_its_99_percent_interval(key, users):
    theory = THEORIES[key]
    mean, half_width = interval(theory.throughputs(users, range(theory.runs)), 0.99)
    least, greatest = theory.bounds(users)
    assert least - half_width <= mean <= greatest + half_width
    assert mean <= 1.15 * least and half_width < 0.06 * least


def test_the_oracle_gives_the_exponential_network_for_exponential_times():
    times = -np.log1p(-(np.arange(200_000) + 0.5) / 200_000) * 14.0
    found = cyclic_queue_throughput(4, 1.0 / 12.0, times)
    assert found == pytest.approx(solve_mva([12.0, 14.0], 4).throughput, rel=1e-4)
