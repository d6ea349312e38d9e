"""Schweitzer and Bard's approximation, for populations and classes beyond the exact solvers."""

import numpy as np

from perfkit.analytic.networks import read_network
from perfkit.analytic.solutions import solution

MOST_ROUNDS = 20_000
CLOSE = 1e-12
MIXED = 7
SMALLEST_SHARE = 1e-10


def schweitzer(demands_s, population, think_time_s=0.0, servers=1, stations=None, classes=None):
    """Solve a closed network approximately (Schweitzer 1979, Bard 1979; Jain, section 34.3).

    A customer who arrives at a station is taken to see all the other classes' customers there
    and its own class's in the proportion (N - 1) / N, which makes the recursion over populations
    a fixed point. Time and memory don't depend on the population. For one class it is exact
    with one customer and as the population grows without end. Several servers are a faster queue
    and a delay (Seidmann et al. 1987): m servers of demand D are a queue of demand D / m and a
    delay of (m - 1) D / m.

    Parameters
    ----------
    demands_s, population, think_time_s, servers, stations, classes
        As for `perfkit.analytic.mva.solve_mva`.

    Returns
    -------
    NetworkSolution

    Raises
    ------
    ValueError
        If an input is impossible.
    RuntimeError
        If the fixed point is not reached.
    """
    network = read_network(demands_s, population, think_time_s, servers, None, stations, classes)
    queueing = network.demands_s / network.servers
    apart = network.demands_s - queueing
    wait = _fixed_point(queueing, network.think_time_s + apart.sum(axis=1), network.population)
    throughput = network.population / (network.think_time_s + apart.sum(axis=1) + wait.sum(axis=1))
    return solution(network, throughput, wait + apart, {}, "Schweitzer")


def _fixed_point(demands_s, delay_s, population):
    """Return the residence at the queues, shape (classes, stations).

    Rounds alone creep where bottlenecks are nearly balanced, so Anderson's mixing of the last
    few rounds (J. ACM 12, 1965) chooses where to go next; a mixture below zero starts it afresh.
    """
    count = population[:, np.newaxis].astype(float)
    queue = np.where(demands_s > 0, count / demands_s.shape[1], 0.0)
    found, gaps = [], []
    for _ in range(MOST_ROUNDS):
        wait = demands_s * (1.0 + queue.sum(axis=0) - queue / count)
        after = count * wait / (delay_s + wait.sum(axis=1))[:, np.newaxis]
        gap = (after - queue) / count
        if np.max(np.abs(gap)) < CLOSE:
            return wait
        found, gaps = [*found[-MIXED:], after], [*gaps[-MIXED:], gap]
        queue = _mixture(found, gaps)
        if queue.min() < 0:
            queue, found, gaps = after, [], []
    raise RuntimeError(
        f"Schweitzer's approximation did not settle in {MOST_ROUNDS} rounds; solve_mva is exact."
    )


def _mixture(found, gaps):
    """Return the mixture of rounds with the least gap between before and after."""
    if len(found) == 1:
        return found[0]
    apart = np.array([(gap - gaps[-1]).ravel() for gap in gaps[:-1]])
    shares = np.linalg.lstsq(apart.T, -gaps[-1].ravel(), rcond=SMALLEST_SHARE)[0]
    newest = found[-1]
    return newest + sum(
        share * (each - newest) for share, each in zip(shares, found[:-1], strict=True)
    )
