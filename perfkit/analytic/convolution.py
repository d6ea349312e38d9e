"""Buzen's convolution for closed networks of one class (Comm. ACM 16, 1973).

Normalising constants leave the range of numbers at a few hundred customers, so they are kept as
logarithms, in units of the largest demand, which keeps their rounding small. Every sum is of
positive terms; a station is never divided out again, the network without it is summed anew.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import MOST_LISTED, count
from perfkit.analytic.networks import Network, position, read_network
from perfkit.analytic.records import Record
from perfkit.analytic.solutions import by_station

MOST_STEPS = 10**10  # half a minute


@dataclass(frozen=True, eq=False)
class Convolution(Record):
    """A closed network of one class with N customers and its normalising constants.

    Attributes
    ----------
    network : perfkit.analytic.networks.Network
    log_constants : numpy.ndarray of shape (N + 1,)
        Natural logarithms of G(0) to G(N), with demands in s.
    throughput : numpy.ndarray of shape (N,)
        With 1 to N customers: X(n) = G(n - 1) / G(n), a second.
    queue, utilization : numpy.ndarray of shape (stations,)
        With N customers; as in `perfkit.analytic.solutions.NetworkSolution`.
    """

    network: Network
    log_constants: np.ndarray
    throughput: np.ndarray
    queue: np.ndarray
    utilization: np.ndarray

    def marginal(self, station):
        """Return the probabilities of 0 to N customers at a station (Jain, section 35.3).

        Parameters
        ----------
        station : str or int
            Its name, or its number from 0.

        Returns
        -------
        numpy.ndarray of shape (N + 1,)
        """
        return _marginal(self.network, position(station, self.network.stations))

    def to_frame(self):
        """Return one row per station."""
        return by_station(self.network.stations, self.utilization, self.queue, self.throughput[-1])


def solve_convolution(demands_s, population, think_time_s=0.0, servers=1, stations=None):
    """Solve a closed network of one class by convolution (Jain, chapter 35; Bolch, section 8.1).

    Parameters
    ----------
    demands_s : array_like or pandas.Series, shape (stations,)
    population : int
    think_time_s, servers, stations
        As for `perfkit.analytic.mva.solve_mva`.

    Examples
    --------
    >>> solution = solve_convolution([0.04, 0.06], 10, think_time_s=1.0)
    >>> round(float(solution.throughput[-1]), 2)
    8.6
    """
    network = read_network(demands_s, population, think_time_s, servers, stations)
    if not network.one_class:
        raise ValueError("demands_s must be one number per station: convolution is of one class.")
    _refuse_long(network)
    unit = _unit(network)
    scaled = _constants(network, unit)
    throughput = np.exp(scaled[:-1] - scaled[1:]) / unit
    queue = np.array([_queue(network, k, scaled, unit) for k in range(len(network.stations))])
    utilization = network.busy(throughput[-1:])[0]
    log_constants = scaled + np.arange(scaled.size) * np.log(unit)
    return Convolution(network, log_constants, throughput, queue, utilization)


def _refuse_long(network):
    """Refuse more customers than memory holds or, with several servers, than patience allows."""
    population = count("population", network.population[0], most=MOST_LISTED)
    sums = sum(rates.size for rates in network.rates) * (1 + len(network.dependent))
    if population * sums > MOST_STEPS:
        raise ValueError(
            "population times the servers that it can use, summed anew for each such"
            f" station, must be at most {MOST_STEPS:g}, not {population * sums:.4g}."
        )


def _unit(network):
    """Return the largest demand at full speed, or the delay where there is nothing else, in s."""
    fastest = [rates[-1] if rates.size else np.inf for rates in network.rates]
    largest = (network.demands_s[0] / np.array(fastest)).max()
    return largest if largest > 0 else network.delay_s[0]


def _constants(network, unit, without=None):
    """Return logarithms of G(0) to G(N) in a unit of time, perhaps without one station."""
    demands = network.demands_s[0] / unit
    delay = network.delay_s[0] / unit
    if without is not None and network.delay[without]:
        delay -= demands[without]
    population = network.population[0]
    constants = _weights(max(delay, 0.0), np.arange(1.0, population + 1), population)
    for k, rates in enumerate(network.rates):
        if k != without and rates.size and demands[k] > 0:
            constants = _convolve(constants, demands[k], rates)
    return constants


def _weights(demand, rates, population):
    """Return logarithms of F(0) to F(N), F(j) = F(j - 1) D / rate(j)."""
    if demand == 0:
        return np.concatenate([[0.0], np.full(population, -np.inf)])
    speeds = np.concatenate([rates, np.full(population - rates.size, rates[-1])])
    return np.concatenate([[0.0], np.cumsum(np.log(demand / speeds))])


def _convolve(constants, demand, rates):
    """Add a station: G(n) = sum over j of F(j) G'(n - j).

    From the last rate on F is geometric, and that part of the sum a running one, as Buzen's.
    """
    size, last = constants.size, rates.size - 1
    weights = _weights(demand, rates, size - 1)
    slope = np.log(demand / rates[-1])
    steps = slope * np.arange(size - last)
    summed = np.full(size, -np.inf)
    summed[last:] = constants[: size - last] - steps
    summed[last:] = weights[last] + steps + np.logaddexp.accumulate(summed[last:])
    for j in range(last):
        summed[j:] = np.logaddexp(summed[j:], weights[j] + constants[: size - j])
    return summed


def _queue(network, k, scaled, unit):
    """Return the mean number at a station."""
    population = network.population[0]
    demand, rates = network.demands_s[0, k] / unit, network.rates[k]
    if demand == 0:
        return 0.0
    if network.delay[k]:
        return demand * np.exp(scaled[-2] - scaled[-1])
    if rates.size > 1:
        return _marginal(network, k) @ np.arange(population + 1)
    powers = np.log(demand / rates[0]) * np.arange(1, population + 1)
    return np.exp(powers + scaled[-2::-1] - scaled[-1]).sum()


def _marginal(network, k):
    """Return P(j) = F(j) G'(N - j) / G(N), G' of the network without the station."""
    unit = _unit(network)
    population = network.population[0]
    rates = network.rates[k] if network.rates[k].size else np.arange(1.0, population + 1)
    weights = _weights(network.demands_s[0, k] / unit, rates, population)
    found = weights + _constants(network, unit, without=k)[::-1]
    found = np.exp(found - found.max())
    return found / found.sum()
