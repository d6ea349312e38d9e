"""Exact mean value analysis of several classes, over all combinations of their populations.

An arrival sees the network without itself (Reiser and Lavenberg 1980): a lone customer of a class
that is empty sees it as it is.
"""

from math import log10

import numpy as np

from perfkit.analytic.networks import MOST_NUMBERS, NO_TIME_S


def solve(network):
    """Solve a closed network of several classes (Reiser and Lavenberg 1980).

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
    empty : dict of int to float
        By station whose speed depends on its queue, the probability of none there.

    Raises
    ------
    ValueError
        If the combinations are too many for the memory.
    """
    speeds = max((network.rates[k].size for k in network.dependent), default=0)
    lattice = Lattice(network.population, len(network.stations) + speeds)
    constants, throughput, residence = _one_speed(network, lattice)
    dependent = network.dependent
    if not dependent:
        return throughput, _with_delays(network, residence), {}
    joined = dict(_in_company(network, lattice, constants, dependent))
    constants = joined[dependent[0]][0]
    _, throughput, residence = _one_speed(network, lattice, constants)
    for k, (_, waits, _) in joined.items():
        residence[:, k] = network.demands_s[:, k] * waits
    empty = {k: nobody for k, (_, _, nobody) in joined.items()}
    return throughput, _with_delays(network, residence), empty


class Lattice:
    """All combinations of populations from none to all, level by level.

    Parameters
    ----------
    population : numpy.ndarray of int, shape (classes,)
    stations : int
        Columns that a level takes: stations, and the speeds of the one with the most.

    Attributes
    ----------
    strides : numpy.ndarray of int, shape (classes,)
        A combination's number less a class's stride is the combination with one customer less.
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
        self.strides = np.cumprod([1, *widths[:-1]])
        self._starts = np.concatenate([[0], np.cumsum(sizes.round().astype(int))])
        numbers = np.arange(self.points)
        level = sum(numbers // s % w for s, w in zip(self.strides, widths, strict=True))
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
            for stride, most in zip(self.strides, self.population, strict=True):
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


def _one_speed(network, lattice, full=None):
    """Solve the stations of one speed and the delays.

    Parameters
    ----------
    network : perfkit.analytic.networks.Network
    lattice : Lattice
    full : numpy.ndarray, optional
        Logarithms of the normalising constants of the whole network, when it has more stations;
        throughputs then come from these.

    Returns
    -------
    constants : numpy.ndarray of shape (points,)
        Logarithms of the normalising constants of these stations alone, or ``full``.
    throughput : numpy.ndarray of shape (classes,)
    residence_s : numpy.ndarray of shape (classes, stations)
        With all customers in the network.
    """
    demands, delays = network.fixed_demands_s, network.delay_s
    constants = np.zeros(lattice.points) if full is None else full
    throughput, residence = np.zeros(len(demands)), np.zeros_like(demands)
    nowhere = delays + demands.sum(axis=1) < NO_TIME_S
    queue = np.zeros((1, demands.shape[1]))
    for points, members in lattice.levels():
        seen, queue = queue, np.zeros((points.size, demands.shape[1]))
        for c, (present, count, before) in enumerate(members):
            wait = demands[c] * (1.0 + seen[before])
            last = points[present] - lattice.strides[c]
            if full is not None:
                flow = np.exp(full[last] - full[points[present]])
            elif nowhere[c]:
                flow = np.zeros(count.size)
                constants[points[present]] = -np.inf
            else:
                flow = count / (delays[c] + wait.sum(axis=1))
                constants[points[present]] = constants[last] - np.log(flow)
            queue[present] += flow[:, np.newaxis] * wait
            if points[0] == lattice.points - 1 and present.size:
                throughput[c], residence[c] = flow[0], wait[0]
    nobody = network.population == 0
    residence[nobody] = demands[nobody] * (1.0 + queue[0])
    return constants, throughput, residence


def _with_delays(network, residence):
    residence[:, network.delay] = network.demands_s[:, network.delay]
    return residence


def _in_company(network, lattice, constants, stations):
    """Yield every dependent station's number and what `_join` gives, the others there too."""
    if len(stations) == 1:
        yield stations[0], _join(network, lattice, constants, stations[0])
        return
    half = len(stations) // 2
    for some, others in ((stations[:half], stations[half:]), (stations[half:], stations[:half])):
        company = constants
        for k in others:
            company = _join(network, lattice, company, k)[0]
        yield from _in_company(network, lattice, company, some)


def _join(network, lattice, constants, k):
    """Add a station whose speed depends on its queue to a network.

    With j customers here of the combination n, G(n) P(j, n) = sum over classes c of
    D[c] / rate(j) G(n - c) P(j-1, n - c), and G(n) P(0, n) is the constant G'(n) of the network
    without the station: all terms are positive. States from the last rate on are kept together.

    Returns
    -------
    constants : numpy.ndarray of shape (points,)
        Logarithms of G.
    waits : numpy.ndarray of shape (classes,)
        Residence at the station over the demand, by class, with all customers in the network.
    empty : float
    """
    demands, rates = network.demands_s[:, k], network.rates[k]
    last = rates.size
    joined = np.full(lattice.points, -np.inf)
    joined[0] = constants[0]
    here, crowd = np.zeros((1, last + 1)), np.zeros(1)
    here[0, 0] = 1.0
    waits, steps = np.zeros(demands.size), np.arange(1, last) / rates[:-1]
    for points, members in lattice.levels():
        seen, seen_crowd = here, crowd
        here, crowd = np.zeros((points.size, last + 1)), np.zeros(points.size)
        largest = _largest(constants, joined, points, members, lattice.strides)
        here[:, 0] = np.exp(constants[points] - largest)
        for c, (present, _, before) in enumerate(members):
            weight = np.exp(joined[points[present] - lattice.strides[c]] - largest[present])
            weight *= demands[c]
            arriving = seen[before]
            tail = _tail(arriving, seen_crowd[before])
            here[present, 1:] += weight[:, np.newaxis] * arriving[:, :-1] / rates
            here[present, last] += weight * arriving[:, last] / rates[-1]
            crowd[present] += weight * tail / rates[-1]
            if points[0] == lattice.points - 1 and present.size:
                waits[c] = arriving[0, : last - 1] @ steps + tail[0] / rates[-1]
        total = here.sum(axis=1)
        with np.errstate(divide="ignore"):
            joined[points] = largest + np.log(total)
        reached = np.where(total > 0, total, 1.0)
        here /= reached[:, np.newaxis]
        crowd /= reached
    nobody = lattice.population == 0
    waits[nobody] = here[0, : last - 1] @ steps + _tail(here, crowd)[0] / rates[-1]
    return joined, waits, here[0, 0]


def _tail(here, crowd):
    """Return the sum over the states from the last rate on, one customer more being there."""
    last = here.shape[1] - 1
    return crowd + here[:, last] + last * here[:, last - 1]


def _largest(constants, joined, points, members, strides):
    """Return by combination the largest logarithm that goes into it, zero where there is none."""
    largest = constants[points].copy()
    for (present, _, _), stride in zip(members, strides, strict=True):
        largest[present] = np.maximum(largest[present], joined[points[present] - stride])
    return np.where(np.isfinite(largest), largest, 0.0)
