"""A closed network, checked, as its solvers read it."""

from typing import NamedTuple

import numpy as np

from perfkit.analytic.checks import counts, floats, in_order, not_negative, spread
from perfkit.core.wording import one_line

MOST_NUMBERS = 100_000_000
NO_TIME_S = np.finfo(float).tiny  # below it floats lose digits, and a share of it may be zero


class Network(NamedTuple):
    """A closed network, checked; C classes and K stations.

    Attributes
    ----------
    demands_s : numpy.ndarray of shape (C, K)
    population : numpy.ndarray of int, shape (C,)
    think_time_s : numpy.ndarray of shape (C,)
    servers : numpy.ndarray of shape (K,)
        Infinite at a delay station.
    rates : tuple of numpy.ndarray
        By station, its speed with 1, 2, ... customers; the last holds for any more of them. A
        delay station has an empty array.
    stations, classes : tuple of str
    one_class : bool
        Demands came as a vector, so results drop the axis of classes.
    """

    demands_s: np.ndarray
    population: np.ndarray
    think_time_s: np.ndarray
    servers: np.ndarray
    rates: tuple
    stations: tuple
    classes: tuple
    one_class: bool

    @property
    def delay(self):
        """Tell which stations nobody ever queues at."""
        return np.isinf(self.servers)

    @property
    def dependent(self):
        """Return the numbers of the stations whose speed changes with their queue."""
        asked = self.demands_s.any(axis=0)
        return [k for k, rates in enumerate(self.rates) if rates.size > 1 and asked[k]]

    @property
    def fixed_demands_s(self):
        """Return demands at the speed of the one-speed stations, zero elsewhere, (C, K)."""
        return np.where([rates.size == 1 for rates in self.rates], self.demands_s, 0.0)

    @property
    def delay_s(self):
        """Return by class the think time plus all demands at delay stations, (C,)."""
        return self.think_time_s + self.demands_s[:, self.delay].sum(axis=1)

    def busy(self, throughput):
        """Return the share of busy servers, one row per throughput.

        At a delay station it is the mean number there.

        Parameters
        ----------
        throughput : numpy.ndarray of shape (classes,), or any number of them for one class
        """
        capacity = np.where(self.delay, 1.0, self.servers)
        return throughput[:, np.newaxis] * self.demands_s / capacity


def read_network(demands_s, population, think_time_s=0.0, servers=1, stations=None, classes=None):
    """Return a checked `Network`.

    Parameters
    ----------
    demands_s, population, think_time_s, servers, stations, classes
        As for `perfkit.analytic.mva.solve_mva`. Where stations and classes are named, a Series or
        frame among the other arguments is read by its labels, whatever their order.

    Examples
    --------
    >>> read_network([0.04, 0.06], 3).stations
    ('station 1', 'station 2')
    """
    demands, stations, classes = read_demands(demands_s, stations, classes)
    population = counts("population", arranged("population", population, classes, "class"), 0)
    think = arranged("think_time_s", think_time_s, classes, "class")
    if population.size != len(classes):
        raise ValueError(
            f"population must be one number per class, {len(classes)} in all, not"
            f" {population.size}."
        )
    think = spread("think_time_s", not_negative("think_time_s", think), len(classes), "class")
    if np.any(demands.sum(axis=1) + think < NO_TIME_S):
        raise ValueError("demands_s must have a number above zero where think_time_s is zero.")
    servers = read_servers(servers, stations)
    crowd = population.sum() + (population == 0).any()  # with the lone customer of an empty class
    if np.minimum(servers[np.isfinite(servers)], crowd).sum() > MOST_NUMBERS:
        raise ValueError(
            f"servers must be {MOST_NUMBERS} at most, all that the population can use together."
        )
    rates = tuple(
        np.arange(1.0, min(m, crowd) + 1) if np.isfinite(m) else np.empty(0) for m in servers
    )
    one_class = np.ndim(demands_s) == 1
    return Network(demands, population, think, servers, rates, stations, classes, one_class)


def read_demands(demands_s, stations, classes):
    demands = not_negative("demands_s", demands_s)
    if np.ndim(demands) not in (1, 2) or demands.size == 0:
        raise ValueError(
            "demands_s must be one number per station, or a row of them per class,"
            f" not an array of shape {np.shape(demands)}."
        )
    if hasattr(demands_s, "to_numpy"):
        rows, columns = demands_s.index, getattr(demands_s, "columns", None)
        classes = classes if columns is None or classes is not None else rows
        stations = (rows if columns is None else columns) if stations is None else stations
    demands = np.atleast_2d(demands)
    stations = names("stations", stations, "station", demands.shape[1])
    return demands, stations, names("classes", classes, "class", demands.shape[0])


def names(name, given, kind, length):
    """Return different names as a tuple of text, made up as "station 1" when none are given."""
    if given is None:
        return tuple(f"{kind} {number}" for number in range(1, length + 1))
    one = isinstance(given, str) or np.ndim(given) == 0
    given = (str(given),) if one else tuple(str(each) for each in given)
    if len(given) != length or len(set(given)) != length:
        raise ValueError(f"{name} must be {length} different names, not {one_line(given)}.")
    return given


def arranged(name, value, given, kind):
    """Return a Series or frame in the order of the names, unless these were made up."""
    made_up = given == names(name, None, kind, len(given))
    plural = {"station": "stations", "class": "classes"}[kind]
    return value if made_up else in_order(name, value, given, plural)


def read_servers(servers, stations):
    servers, length = arranged("servers", servers, stations, "station"), len(stations)
    servers = floats("servers", servers)
    delay = np.isposinf(servers)
    finite = np.where(delay, 1.0, servers) if np.any(delay) else servers
    finite = spread("servers", counts("servers", finite), length, "station")
    return np.where(np.broadcast_to(delay, length), np.inf, finite)


def position(station, stations):
    """Return the number of a station from its name or number, refused when there is none."""
    if isinstance(station, int | np.integer) and 0 <= station < len(stations):
        return int(station)
    if str(station) in stations and not isinstance(station, int | np.integer):
        return stations.index(str(station))
    raise ValueError(f"The station must be one of {stations}, not {station!r}.")
