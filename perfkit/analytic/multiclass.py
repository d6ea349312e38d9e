"""Exact mean value analysis of several classes, over all combinations of their populations.

An arrival sees the network without itself (Reiser and Lavenberg 1980): a lone customer of a class
that is empty sees it as it is.
"""

from math import log10

import numpy as np

from perfkit.analytic.networks import MOST_NUMBERS


def solve(network):
    """Solve several classes at single servers and delays (Reiser and Lavenberg 1980).

    Combinations of populations with the same sum are one level and need the level before it
    alone, so a level is one array operation and no more than two are kept.

    Parameters
    ----------
    network : perfkit.analytic.networks.Network

    Returns
    -------
    throughput : numpy.ndarray of shape (classes,)
    residence_s : numpy.ndarray of shape (classes, stations)
        Of a lone customer where a class is empty.

    Raises
    ------
    ValueError
        If the combinations are too many for the memory, or a station has several servers.
    """
    if network.dependent:
        several = network.stations[network.dependent[0]]
        raise ValueError(
            f"servers must be 1 or infinite where classes are several; {several} has"
            f" {network.servers[network.dependent[0]]:g}, which schweitzer approximates."
        )
    lattice = Lattice(network.population, len(network.stations))
    demands, delays = network.fixed_demands_s, network.delay_s
    throughput, residence = np.zeros(len(demands)), np.zeros_like(demands)
    queue = np.zeros((1, demands.shape[1]))
    for points, members in lattice.levels():
        seen, queue = queue, np.zeros((points.size, demands.shape[1]))
        for c, (present, count, before) in enumerate(members):
            wait = demands[c] * (1.0 + seen[before])
            flow = count / (delays[c] + wait.sum(axis=1))
            queue[present] += flow[:, np.newaxis] * wait
            if points[0] == lattice.points - 1 and present.size:
                throughput[c], residence[c] = flow[0], wait[0]
    nobody = network.population == 0
    residence[nobody] = demands[nobody] * (1.0 + queue[0])
    residence[:, network.delay] = network.demands_s[:, network.delay]
    return throughput, residence


class Lattice:
    """All combinations of populations from none to all, level by level.

    Parameters
    ----------
    population : numpy.ndarray of int, shape (classes,)
    stations : int

    Attributes
    ----------
    points : int
    """

    def __init__(self, population, stations):
        self.population = population
        widths = [int(count) + 1 for count in population]
        self.points = 1
        for width in widths:
            self.points *= width
        sizes = _level_sizes(widths) if 3 * self.points <= MOST_NUMBERS else np.zeros(1)
        numbers_kept = 3 * self.points + int(5 * stations * sizes.max())
        if numbers_kept > MOST_NUMBERS:
            raise ValueError(
                f"population gives about 1e{log10(self.points):.0f} combinations of its classes,"
                " more than memory holds; schweitzer approximates them."
            )
        self._strides = np.cumprod([1, *widths[:-1]])
        self._starts = np.concatenate([[0], np.cumsum(sizes.round().astype(int))])
        numbers = np.arange(self.points)
        level = sum(numbers // s % w for s, w in zip(self._strides, widths, strict=True))
        self._order = np.argsort(level, kind="stable")
        self._place = np.empty(self.points, int)
        self._place[self._order] = numbers - self._starts[level[self._order]]

    def levels(self):
        """Yield each level after the empty one: its combinations, and by class who is there.

        Yields
        ------
        points : numpy.ndarray of int
            Numbers of the combinations.
        members : list of tuple
            By class: where in ``points`` it has customers, how many, and the places in the level
            before of those combinations with one less.
        """
        ends = zip(self._starts[1:-1], self._starts[2:], strict=True)
        for start, stop in ends:
            points = self._order[start:stop]
            members = []
            for stride, most in zip(self._strides, self.population, strict=True):
                count = points // stride % (most + 1)
                present = np.flatnonzero(count)
                before = self._place[points[present] - stride]
                members.append((present, count[present], before))
            yield points, members


def _level_sizes(widths):
    """Return how many combinations there are of each sum."""
    sizes = np.ones(1)
    for width in widths:
        sizes = np.convolve(sizes, np.ones(width))
    return sizes
