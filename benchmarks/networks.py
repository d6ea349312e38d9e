"""Time the solvers of queueing networks at the sizes that they promise.

Run ``python -m benchmarks.networks`` from the repository. A timing fails if it is impossible.
"""

import statistics
import time

import numpy as np

from benchmarks.figures import possible, run_seconds
from perfkit.analytic.convolution import solve_convolution
from perfkit.analytic.mva import mva_curve, schweitzer, solve_mva
from perfkit.analytic.repairman import repairman

ROUNDS = 3
STATIONS = 50
THINK_S = 30.0


def demands_s(*shape):
    """Return demands between 0.1 and 1 s, the same at every call."""
    return 0.1 + 0.9 * np.random.default_rng(1973).random(shape)


def plain_mva(demands, population, think_s):
    """Solve one class by exact MVA one station at a time, as a textbook's listing does."""
    queue = [0.0] * len(demands)
    throughput = 0.0
    for n in range(1, population + 1):
        residence = [demand * (1.0 + number) for demand, number in zip(demands, queue, strict=True)]
        throughput = n / (think_s + sum(residence))
        queue = [throughput * each for each in residence]
    return throughput


def cases():
    """Return the timed calls by name; a name says the size."""
    one, three, many = demands_s(STATIONS), demands_s(3, STATIONS), demands_s(300, STATIONS)
    servers = [1] * (STATIONS - 5) + [4] * 5
    population = np.random.default_rng(1).integers(1, 1000, 300)
    return {
        "exact MVA, 100,000 customers": lambda: solve_mva(one, 100_000, THINK_S),
        "the same in plain Python loops": lambda: plain_mva(one.tolist(), 100_000, THINK_S),
        "exact MVA, 10,000, 5 of 4 servers": lambda: mva_curve(one, 10_000, THINK_S, servers),
        "exact MVA, 3 classes of 40": lambda: solve_mva(three, [40] * 3, THINK_S),
        "Schweitzer, 3 classes of 40": lambda: schweitzer(three, [40] * 3, THINK_S),
        "Schweitzer, 300 classes to 1,000": lambda: schweitzer(many, population, THINK_S),
        "convolution, 10,000 customers": lambda: solve_convolution(one, 10_000, THINK_S),
        "convolution, 10,000, 5 of 4 servers": lambda: solve_convolution(
            one, 10_000, THINK_S, servers
        ),
        "repairman, each of 1 to 3,000 users": lambda: repairman(range(1, 3001), THINK_S, 0.5),
    }


def seconds(call):
    """Return the median seconds of a call and its last result."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        result = call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken), result


def main():
    """Print the time of each case, and what one costs or misses beside another."""
    print(f"\nQueueing networks of {STATIONS} stations, median of {ROUNDS}")
    taken, results = {}, {}
    for name, call in cases().items():
        taken[name], results[name] = seconds(call)
        run_seconds(name, taken[name])
        print(f"{name:44}{1e3 * taken[name]:9.1f} ms")
    plain, array = "the same in plain Python loops", "exact MVA, 100,000 customers"
    exact, near = "exact MVA, 3 classes of 40", "Schweitzer, 3 classes of 40"
    missed = np.max(np.abs(results[near].throughput / results[exact].throughput - 1.0))
    possible("The largest error of Schweitzer", missed, 0.0, 1.0)
    print(f"{'speed of exact MVA over plain loops':44}{taken[plain] / taken[array]:9.1f}")
    print(f"{'speed of Schweitzer over exact, 3 classes':44}{taken[exact] / taken[near]:9.1f}")
    print(f"{'its largest error of a throughput, %':44}{100 * missed:9.2f}")


if __name__ == "__main__":
    main()
