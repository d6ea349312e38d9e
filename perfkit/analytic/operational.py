"""Operational laws and bounds: what follows from counts and times alone.

The laws are Denning and Buzen's (Computing Surveys 10, 1978), the bounds theirs and those of
Zahorjan, Sevcik, Eager and Galler (Comm. ACM 25, 1982). Numbers and arrays go through, two
Series by their labels; times are in s and throughputs a second, or in any other unit kept
throughout.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import alike, counts, fitting, not_negative, positive, spread, vector
from perfkit.analytic.records import Record


def throughput(completions, observed_s):
    """Return the throughput X = C / T.

    Parameters
    ----------
    completions, observed_s : array_like of float
        Completions C in the time T.

    Returns
    -------
    float or numpy.ndarray
        Completions a second.
    """
    observed_s = alike("observed_s", observed_s, completions)
    fitting(completions=completions, observed_s=observed_s)
    return not_negative("completions", completions) / positive("observed_s", observed_s)


def utilization(throughput, service_s):
    """Return the utilization U = X S (utilization law).

    Parameters
    ----------
    throughput, service_s : array_like of float
        Completions a second of a station and its mean service time; or those of the system and
        the demand.

    Returns
    -------
    float or numpy.ndarray
        Mean number of busy servers.
    """
    service_s = alike("service_s", service_s, throughput)
    fitting(throughput=throughput, service_s=service_s)
    return not_negative("throughput", throughput) * not_negative("service_s", service_s)


def service_demand(visits, service_s):
    """Return the service demand D = V S.

    Parameters
    ----------
    visits, service_s : array_like of float
        Mean visits of an interaction to a station, and mean service time of one.

    Returns
    -------
    float or numpy.ndarray
        In s.
    """
    service_s = alike("service_s", service_s, visits)
    fitting(visits=visits, service_s=service_s)
    return not_negative("visits", visits) * not_negative("service_s", service_s)


def measured_demand(utilization, throughput):
    """Return the service demand D = U / X from measurements of a running system.

    Parameters
    ----------
    utilization, throughput : array_like of float
        Of a station, and interactions a second of the system.

    Returns
    -------
    float or numpy.ndarray
        In s.
    """
    throughput = alike("throughput", throughput, utilization)
    fitting(utilization=utilization, throughput=throughput)
    return not_negative("utilization", utilization) / positive("throughput", throughput)


def forced_flow(throughput, visits):
    """Return the throughput of a station, X V (forced flow law).

    Parameters
    ----------
    throughput, visits : array_like of float
        Interactions a second of the system, and mean visits of one to the station.

    Returns
    -------
    float or numpy.ndarray
        Visits a second.
    """
    visits = alike("visits", visits, throughput)
    fitting(throughput=throughput, visits=visits)
    return not_negative("throughput", throughput) * not_negative("visits", visits)


def littles_law(throughput, residence_s):
    """Return the mean number of customers, N = X R.

    Parameters
    ----------
    throughput, residence_s : array_like of float

    Returns
    -------
    float or numpy.ndarray
    """
    residence_s = alike("residence_s", residence_s, throughput)
    fitting(throughput=throughput, residence_s=residence_s)
    return not_negative("throughput", throughput) * not_negative("residence_s", residence_s)


def residence_time(customers, throughput):
    """Return the mean time of a customer, R = N / X (Little's law).

    Parameters
    ----------
    customers, throughput : array_like of float
        Mean number there, and departures a second.

    Returns
    -------
    float or numpy.ndarray
        In s.
    """
    throughput = alike("throughput", throughput, customers)
    fitting(customers=customers, throughput=throughput)
    return not_negative("customers", customers) / positive("throughput", throughput)


def response_time(visits, residence_s):
    """Return the response time as the sum of V R (general response time law).

    Parameters
    ----------
    visits, residence_s : array_like of float, shape (stations,)
        Mean visits, and mean time of one visit.

    Returns
    -------
    float
        In s.
    """
    residence_s = alike("residence_s", residence_s, visits)
    visits = vector("visits", not_negative("visits", visits))
    residence = vector("residence_s", not_negative("residence_s", residence_s))
    return float(visits @ spread("residence_s", residence, visits.size, "station"))


def response_time_law(users, throughput, think_time_s=0.0):
    """Return the response time R = N / X - Z (interactive response time law).

    Parameters
    ----------
    users, throughput : array_like of float
        Users N and their interactions a second.
    think_time_s : array_like of float, optional

    Returns
    -------
    float or numpy.ndarray
        In s.

    Raises
    ------
    ValueError
        If the users think longer than a whole cycle takes.
    """
    throughput = alike("throughput", throughput, users)
    first = throughput if hasattr(throughput, "iloc") else users
    think_time_s = alike("think_time_s", think_time_s, first)
    fitting(users=users, throughput=throughput, think_time_s=think_time_s)
    cycle = positive("users", users) / positive("throughput", throughput)
    think = not_negative("think_time_s", think_time_s)
    if np.any(think > cycle):
        raise ValueError("think_time_s must be no more than users / throughput.")
    return cycle - think


def saturation_point(demands_s, think_time_s=0.0, servers=1):
    """Return the population N* at which the asymptotes cross, (D + Z) / Dmax.

    Above it some customer must wait somewhere.

    Parameters
    ----------
    demands_s : array_like of float, shape (stations,)
    think_time_s : float, optional
    servers : int or array_like of int, optional
        By station; the demand of a station is then shared by them.

    Returns
    -------
    float
    """
    demands, think, largest = _closed(demands_s, think_time_s, servers)
    return float((demands.sum() + think) / largest)


@dataclass(frozen=True, eq=False)
class Bounds(Record):
    """Bounds of a closed network by population.

    Attributes
    ----------
    kind : str
        "asymptotic" or "balanced job".
    saturation_point : float
        Population at which the asymptotes cross.
    population : numpy.ndarray of int, shape (n,)
    throughput_low, throughput_high, response_low_s, response_high_s : numpy.ndarray, shape (n,)
    """

    kind: str
    saturation_point: float
    population: np.ndarray
    throughput_low: np.ndarray
    throughput_high: np.ndarray
    response_low_s: np.ndarray
    response_high_s: np.ndarray

    def frame(self):
        """Return one row a population."""
        import pandas as pd

        columns = ("throughput_low", "throughput_high", "response_low_s", "response_high_s")
        index = pd.Index(self.population, name="population")
        return pd.DataFrame({name: getattr(self, name) for name in columns}, index=index)

    def plot(self, ax=None, quantity="throughput", **style):
        """Draw both bounds of "throughput" or "response_s", and N* as a vertical line."""
        columns = {
            "throughput": ["throughput_low", "throughput_high"],
            "response_s": ["response_low_s", "response_high_s"],
        }
        if quantity not in columns:
            raise ValueError(f"quantity must be one of {tuple(columns)}, not {quantity!r}.")
        frame = self.frame()[columns[quantity]]
        ax = frame.plot(ax=ax, **{"ylabel": quantity, **style})
        ax.axvline(self.saturation_point, color="0.6", linewidth=1)
        return ax


def asymptotic_bounds(demands_s, population, think_time_s=0.0, servers=1):
    """Return asymptotic bounds (Denning and Buzen 1978; Jain, section 33.6; Lazowska, 5.2).

    N / (N D + Z) <= X <= min(N / (D + Z), 1 / Dmax) and max(D, N Dmax - Z) <= R <= N D, whatever
    the distributions.

    Parameters
    ----------
    demands_s : array_like of float, shape (stations,)
    population : int or array_like of int
    think_time_s : float, optional
    servers : int or array_like of int, optional
        By station.

    Returns
    -------
    Bounds
    """
    demands, think, largest = _closed(demands_s, think_time_s, servers)
    population = counts("population", population)
    total = demands.sum()
    return _bounds(
        "asymptotic",
        population,
        think,
        low_s=np.maximum(total, population * largest - think),
        high_s=population * total,
        crossing=(total + think) / largest,
    )


def balanced_job_bounds(demands_s, population, think_time_s=0.0):
    """Return balanced job bounds (Zahorjan et al. 1982; Jain, section 34.4; Lazowska, 5.4).

    Of all product-form networks with the same total and largest demand, the balanced ones are
    the fastest and the slowest. An arriving customer finds (N - 1) R / (R + Z) others, where
    D <= R <= (N - 1) D, and waits for each from Davg to Dmax. (Lazowska prints N for this last
    N - 1, which is looser.) Stations without demand don't count in Davg. It holds for stations
    of one server each.

    Parameters
    ----------
    demands_s : array_like of float, shape (stations,)
    population : int or array_like of int
    think_time_s : float, optional

    Returns
    -------
    Bounds
    """
    demands, think, largest = _closed(demands_s, think_time_s, 1)
    population = counts("population", population)
    total, asked = demands.sum(), np.count_nonzero(demands)
    others = population - 1
    fewest = others * total / (total + think)
    most = others * others * total / np.maximum(others * total + think, np.finfo(float).tiny)
    return _bounds(
        "balanced job",
        population,
        think,
        low_s=np.maximum(population * largest - think, total + fewest * total / asked),
        high_s=total + most * largest,
        crossing=(total + think) / largest,
    )


def _closed(demands_s, think_time_s, servers):
    """Return demands, think time and the largest demand of one server."""
    demands = vector("demands_s", not_negative("demands_s", demands_s))
    servers = alike("servers", servers, demands_s)
    servers = spread("servers", counts("servers", servers), demands.size, "station")
    think = not_negative("think_time_s", think_time_s)
    if np.ndim(think):
        raise ValueError("think_time_s must be one number.")
    if not demands.any():
        raise ValueError("demands_s must have a number above zero.")
    return demands, float(think), (demands / servers).max()


def _bounds(kind, population, think_s, low_s, high_s, crossing):
    low_s, high_s = np.broadcast_arrays(low_s, high_s)
    return Bounds(
        kind,
        float(crossing),
        population,
        population / (think_s + high_s),
        population / (think_s + low_s),
        low_s.astype(float),
        high_s.astype(float),
    )
