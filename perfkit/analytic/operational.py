"""Operational laws and bounds: what follows from counts and times alone.

Denning and Buzen's (Computing Surveys 10, 1978). Numbers and arrays go through, two Series by
their labels; times are in s and throughputs per second, or in any other unit kept throughout.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import alike, counts, fitting, not_negative, one, positive, vector
from perfkit.analytic.records import Record


def throughput(completions, observed_s):
    """Return the throughput X = C / T.

    Parameters
    ----------
    completions, observed_s : array_like of float
        Completions C in the time T.

    Examples
    --------
    >>> float(throughput(completions=1200, observed_s=60.0))
    20.0
    """
    return _quotient(completions=completions, observed_s=observed_s)


def utilization(throughput, service_s):
    """Return the utilization U = X S, the mean number of busy servers (utilization law).

    Parameters
    ----------
    throughput, service_s : array_like of float
        Completions per second of a station and its mean service time; or those of the system and
        the demand.

    Examples
    --------
    >>> round(float(utilization(throughput=40, service_s=0.020)), 2)
    0.8
    """
    return _product(throughput=throughput, service_s=service_s)


def measured_demand(utilization, throughput):
    """Return the service demand D = U / X from measurements of a running system.

    Parameters
    ----------
    utilization, throughput : array_like of float
        Of a station, and interactions per second of the system.

    Examples
    --------
    >>> round(float(measured_demand(utilization=0.8, throughput=10.0)), 2)
    0.08
    """
    return _quotient(utilization=utilization, throughput=throughput)


def littles_law(throughput, residence_s):
    """Return the mean number of customers, N = X R.

    Parameters
    ----------
    throughput, residence_s : array_like of float

    Examples
    --------
    >>> float(littles_law(throughput=2.0, residence_s=5.0))
    10.0
    """
    return _product(throughput=throughput, residence_s=residence_s)


def saturation_point(demands_s, think_time_s=0.0):
    """Return the population N* at which the asymptotes cross, (D + Z) / Dmax.

    Above it some customer must wait somewhere.

    Parameters
    ----------
    demands_s : array_like of float, shape (stations,)
    think_time_s : float, optional

    Examples
    --------
    >>> float(saturation_point([0.5, 1.0], think_time_s=10.0))
    11.5
    """
    demands, think = _closed(demands_s, think_time_s)
    return float((demands.sum() + think) / demands.max())


@dataclass(frozen=True, eq=False)
class Bounds(Record):
    """Bounds of a closed network by population.

    Attributes
    ----------
    saturation_point : float
        Population at which the asymptotes cross.
    population : numpy.ndarray of int, shape (n,)
    throughput_low, throughput_high, response_low_s, response_high_s : numpy.ndarray, shape (n,)
    """

    saturation_point: float
    population: np.ndarray
    throughput_low: np.ndarray
    throughput_high: np.ndarray
    response_low_s: np.ndarray
    response_high_s: np.ndarray
    index = "population"


def asymptotic_bounds(demands_s, population, think_time_s=0.0):
    """Return asymptotic bounds (Denning and Buzen 1978; Jain, section 33.6; Lazowska, 5.2).

    N / (N D + Z) <= X <= min(N / (D + Z), 1 / Dmax) and max(D, N Dmax - Z) <= R <= N D, whatever
    the distributions.

    Parameters
    ----------
    demands_s : array_like of float, shape (stations,)
    population : int or array_like of int
    think_time_s : float, optional

    Examples
    --------
    >>> asymptotic_bounds([0.5, 1.0], 4, think_time_s=2.5).throughput_high.round(2).tolist()
    [1.0]
    """
    demands, think = _closed(demands_s, think_time_s)
    population = counts("population", population)
    low_s = np.maximum(demands.sum(), population * demands.max() - think)
    high_s = population * demands.sum()
    throughputs = population / (think + high_s), population / (think + low_s)
    return Bounds(saturation_point(demands, think), population, *throughputs, low_s, high_s)


def _product(**given):
    first, second = _pair(given)
    return not_negative(*first) * not_negative(*second)


def _quotient(**given):
    first, second = _pair(given)
    return not_negative(*first) / positive(*second)


def _pair(given):
    """Return two names with their values, the second in the order of the first one's labels."""
    (first, value), (second, other) = given.items()
    other = alike(second, other, value)
    fitting(**{first: value, second: other})
    return (first, value), (second, other)


def _closed(demands_s, think_time_s):
    demands = vector("demands_s", not_negative("demands_s", demands_s))
    think = not_negative("think_time_s", one("think_time_s", think_time_s))
    if not demands.any():
        raise ValueError("demands_s must have a number above zero.")
    return demands, float(think)
