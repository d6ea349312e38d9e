"""Mean value analysis of closed product-form networks.

The recursion over populations is Reiser and Lavenberg's (J. ACM 27, 1980). Where speeds depend
on the queue the textbook form takes the probability of an empty station as one minus all the
others and loses every digit near saturation. Here it comes from the throughput of the network
without that station, as in Reiser (Performance Evaluation 1, 1981), so that nothing is ever
subtracted and results keep their digits at any population.
"""

import numpy as np

from perfkit.analytic import multiclass
from perfkit.analytic.approximate import schweitzer
from perfkit.analytic.checks import count
from perfkit.analytic.networks import MOST_NUMBERS, NO_TIME_S, read_network
from perfkit.analytic.solutions import Curve, NetworkSolution, solution

MOST_STEPS = 10**9  # half a minute

__all__ = ["Curve", "NetworkSolution", "mva_curve", "schweitzer", "solve_mva"]


def solve_mva(demands_s, population, think_time_s=0.0, servers=1, stations=None, classes=None):
    """Solve a closed network exactly (Jain, sections 34.2 and 36.1; Bolch, section 8.2).

    Customers of a class visit stations whose service is exponential and first come first served
    with the same mean for every class, or shared, or pre-emptive last come first served; a
    delay station may have any service.

    Parameters
    ----------
    demands_s : array_like, pandas.Series or pandas.DataFrame
        Service an interaction wants of each station over all its visits, in s: shape (stations,),
        or (classes, stations). A Series or a frame names its stations and classes.
    population : int or array_like of int
        Customers, one number per class; 0 where a class is empty.
    think_time_s : float or array_like, optional
        Mean think time Z, one for all classes or one per class.
    servers : float or array_like, optional
        1 for a queue, m for m servers that share it, infinite for a delay; one for all stations
        or one per station. A demand is that of one server. Several classes share single servers
        and delays only.
    stations, classes : sequence of str, optional
        Names.

    Raises
    ------
    ValueError
        If classes and populations are too many for memory and time.

    Examples
    --------
    >>> solution = solve_mva([0.04, 0.06], 10, think_time_s=1.0)
    >>> round(float(solution.throughput), 2), round(float(solution.response_s), 3)
    (8.6, 0.163)
    """
    network = read_network(demands_s, population, think_time_s, servers, stations, classes)
    if len(network.classes) > 1 or not network.population.any():
        return solution(network, *multiclass.solve(network))
    gaps, parts, single = _solve_one_class(network)
    if parts:
        residence = gaps[-1] * _queues(network, gaps, parts)[-1]
    else:
        residence = np.where(network.delay, network.demands_s[0], gaps[-1] * single)
    return solution(network, 1.0 / gaps[-1:], residence[np.newaxis])


def mva_curve(demands_s, population, think_time_s=0.0, servers=1, stations=None):
    """Solve a closed network of one class exactly for every population from 1 up.

    Parameters
    ----------
    demands_s : array_like or pandas.Series, shape (stations,)
    population : int
        The largest, N.
    think_time_s, servers, stations
        As for `solve_mva`.

    Examples
    --------
    >>> mva_curve([0.04, 0.06], 3, think_time_s=1.0).response_s.round(3).tolist()
    [0.1, 0.105, 0.11]
    """
    network = read_network(
        demands_s, count("population", population), think_time_s, servers, stations
    )
    if not network.one_class:
        raise ValueError("demands_s must be one number per station, because a curve has one class.")
    gaps, parts, _ = _solve_one_class(network)
    queue = _queues(network, gaps, parts)
    throughput, population = 1.0 / gaps, np.arange(1, gaps.size + 1)
    found = (throughput, queue.sum(axis=1) * gaps, queue, network.busy(throughput))
    return Curve(network.stations, float(network.think_time_s[0]), population, *found)


def _solve_one_class(network):
    """Return the mean gaps between departures by population, in s, parts, and a queue.

    Parts are by station of several servers: the gaps again, and its own queue, by population. The
    queue is that at stations of one speed as if there were no others.
    """
    if network.population[0] > MOST_NUMBERS // len(network.stations):
        raise ValueError(
            f"population must be at most {MOST_NUMBERS // len(network.stations)} to be solved"
            f" exactly at {len(network.stations)} stations; schweitzer approximates larger ones."
        )
    speeds = sum(network.rates[k].size for k in network.dependent)
    if network.population[0] * speeds > MOST_STEPS:
        raise ValueError(
            f"population times the servers that it can use must be at most"
            f" {MOST_STEPS:g}, not {network.population[0] * speeds:.4g}; schweitzer approximates."
        )
    gaps, single = _one_speed(network.fixed_demands_s[0], network.delay_s[0], network.population[0])
    dependent = [(k, network.demands_s[0, k], network.rates[k]) for k in network.dependent]
    parts = dict(_in_company(gaps, dependent)) if dependent else {}
    return next(iter(parts.values()))[0] if parts else gaps, parts, single


def _one_speed(demands_s, delay_s, population):
    """Return the gaps of queues of one speed and a delay, and the queues of all customers.

    Gaps are zeros where there is neither.
    """
    gaps, queue = np.zeros(population), np.zeros(demands_s.size)
    alone = delay_s + demands_s.sum()
    if alone < NO_TIME_S:
        return gaps, queue
    for n in range(population):
        gaps[n] = gap = (alone + demands_s @ queue) / (n + 1)
        queue += 1.0
        queue *= demands_s
        queue /= gap
    return gaps, queue


def _in_company(gaps, stations):
    """Yield every dependent station's number and what `_join` gives, all others there too.

    A station joins last, so that the network without it is at hand; halves share the work.
    """
    if len(stations) == 1:
        ((k, demand_s, rates),) = stations
        yield k, _join(gaps, demand_s, rates)
        return
    half = len(stations) // 2
    for some, others in ((stations[:half], stations[half:]), (stations[half:], stations[:half])):
        company = gaps
        for _, demand_s, rates in others:
            company = _join(company, demand_s, rates)[0]
        yield from _in_company(company, some)


def _join(gaps, demand_s, rates):
    """Add a station to a network known by its gaps; return its gaps then and the queue there.

    With n customers in all, k of them here: P(0, n) = P(0, n-1) X(n) / X'(n), X' of the network
    without the station, and P(k, n) = P(k-1, n-1) X(n) D / rate(k). That they sum to one gives
    X(n). States from the last rate on are kept together, with their sum of k P(k).
    """
    last = rates.size
    spells = demand_s / rates
    joined, queue = np.empty((2, gaps.size))
    here = np.zeros(last + 1)
    here[0], crowd = 1.0, 0.0
    below = np.arange(last)
    for n, company_gap in enumerate(gaps):
        crowd = spells[-1] * (crowd + here[last] + last * here[last - 1])
        together = spells[-1] * here[last]
        nobody = company_gap * here[0]
        here[1:] = spells * here[:-1]
        here[0] = nobody
        here[last] += together
        gap = here.sum()
        here /= gap
        crowd /= gap
        joined[n], queue[n] = gap, below @ here[:-1] + crowd
    return joined, queue


def _queues(network, gaps, parts):
    """Return the mean number at every station by population, shape (N, stations)."""
    queue = network.demands_s[0] / gaps[:, np.newaxis]
    for k, (_, own) in parts.items():
        queue[:, k] = own
    single = np.flatnonzero(network.fixed_demands_s[0])
    flow = network.fixed_demands_s[0, single] / gaps[:, np.newaxis]
    seen = np.zeros(single.size)
    for n, utilization in enumerate(flow):
        seen = utilization * (1.0 + seen)
        queue[n, single] = seen
    return queue
