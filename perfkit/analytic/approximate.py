"""Schweitzer and Bard's approximation, and the Linearizer, beyond the exact solvers."""

import numpy as np

from perfkit.analytic.networks import read_network
from perfkit.analytic.solutions import solution

MOST_ROUNDS = 20_000
CLOSE = 1e-12
MIXED = 11
SMALLEST_SHARE = 1e-14
LONGEST_STEP = 1.0
LINEARIZED = 3  # rounds, as the Linearizer's authors recommend


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

    Raises
    ------
    RuntimeError
        If the fixed point is not reached.

    Examples
    --------
    >>> round(float(schweitzer([0.04, 0.06], 10, think_time_s=1.0).throughput), 2)  # 8.60 exactly
    8.55
    """
    network = read_network(demands_s, population, think_time_s, servers, stations, classes)
    return solution(network, *_approximate(network, 1), "Schweitzer")


def _fixed_point(demands_s, delay_s, population, moved):
    """Return residence at the queues and the share of each class there, (classes, stations).

    ``moved[j]`` is how much the shares change when a customer of class j leaves. Rounds alone creep
    where bottlenecks are nearly balanced, so Anderson's mixing of the last rounds (J. ACM 12, 1965)
    chooses where to go next. It mixes logarithms of shares, because a round multiplies them, and so
    that none turns negative.
    """
    asked = (demands_s > 0) & (population[:, np.newaxis] > 0)
    share = np.where(asked, 1.0 / demands_s.shape[1], 0.0)
    rest = np.maximum(population - np.eye(population.size), 0.0)  # by class that lacks a customer
    change = np.einsum("jc,jck->jk", rest, moved)
    found, gaps = [], []
    for _ in range(MOST_ROUNDS):
        wait = demands_s * (1.0 + np.maximum(rest @ share + change, 0.0))
        after = np.where(asked, wait / (delay_s + wait.sum(axis=1))[:, np.newaxis], 0.0)
        if np.max(np.abs(after - share)) < CLOSE:
            return wait, after
        told = np.log(after[asked])
        gaps = [*gaps[-MIXED:], told - np.log(share[asked])]
        found = [*found[-MIXED:], told]
        share[asked] = np.exp(_mixture(np.array(found), np.array(gaps)))
    raise RuntimeError(
        f"The approximation did not settle in {MOST_ROUNDS} rounds; solve_mva is exact."
    )


def _mixture(found, gaps):
    """Return the mixture of rounds with the least gap between before and after.

    It is found from the normal equations, scaled, and moves a logarithm by `LONGEST_STEP` at
    most from where the newest round is.
    """
    apart = gaps[:-1] - gaps[-1]
    scale = np.maximum(np.linalg.norm(apart, axis=1), np.finfo(float).tiny)
    apart /= scale[:, np.newaxis]
    shares = np.linalg.lstsq(apart @ apart.T, -apart @ gaps[-1], rcond=SMALLEST_SHARE)[0]
    step = (shares / scale) @ (found[:-1] - found[-1])
    return found[-1] + np.clip(step, -LONGEST_STEP, LONGEST_STEP)


def linearizer(demands_s, population, think_time_s=0.0, servers=1, stations=None, classes=None):
    """Solve a closed network approximately (Chandy and Neuse, CACM 25, 1982).

    Schweitzer takes the share of a class's customers at a station to stay when one customer
    leaves. Here the change of the share is estimated, by solving the network with one customer
    less of each class too. Servers are treated as in `schweitzer`.

    Parameters
    ----------
    demands_s, population, think_time_s, servers, stations, classes
        As for `perfkit.analytic.mva.solve_mva`.

    Raises
    ------
    RuntimeError
        If a fixed point is not reached.

    Examples
    --------
    >>> round(float(linearizer([0.04, 0.06], 10, think_time_s=1.0).throughput), 2)  # 8.60 exactly
    8.6
    """
    network = read_network(demands_s, population, think_time_s, servers, stations, classes)
    return solution(network, *_approximate(network, LINEARIZED), "Linearizer")


def _approximate(network, rounds):
    """Return throughput and residence, the changes of shares estimated anew in each round."""
    queueing = network.demands_s / network.servers
    apart = network.demands_s - queueing
    delay_s, whole = network.think_time_s + apart.sum(axis=1), network.population.astype(float)
    count = whole.size
    less = [np.maximum(whole - one, 0.0) for one in np.eye(count)]
    moved = np.zeros((count, *queueing.shape))  # by class that lacks a customer
    for left in range(rounds, 0, -1):
        wait, share = _fixed_point(queueing, delay_s, whole, moved)
        if left > 1:
            fewer = [_fixed_point(queueing, delay_s, some, moved)[1] for some in less]
            moved = np.array([one - share for one in fewer])
            moved[:, whole == 0] = 0.0
    return whole / (delay_s + wait.sum(axis=1)), wait + apart
