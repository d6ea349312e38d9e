"""What solving a closed network gives: its steady state, and its curve over populations."""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.records import Record


def by_station(names, utilization, queue, per_s):
    """Return utilization, queue and residence as a frame, one row per station, classes together.

    Parameters
    ----------
    names : sequence of str
    utilization, queue : numpy.ndarray of shape (stations,) or (classes, stations)
    per_s : float or numpy.ndarray
        Customers per second of each class; residence is the mean customer's, nan if there is none.
    """
    import pandas as pd

    queue = np.atleast_2d(queue).sum(axis=0)
    flow = np.sum(per_s)
    columns = {
        "utilization": np.atleast_2d(utilization).sum(axis=0),
        "queue": queue,
        "residence_s": queue / (flow if flow > 0 else np.nan),
    }
    return pd.DataFrame(columns, index=pd.Index(names, name="station"))


@dataclass(frozen=True, eq=False)
class NetworkSolution(Record):
    """The steady state of a closed network.

    With demands given as a vector there is one class and no axis for it: throughput and
    response are numbers, the other three arrays have shape (stations,). With a matrix they have
    shapes (classes,) and (classes, stations). An empty class has throughput, queue and utilization
    0; its response and residence are those of one customer who joins the others.

    Attributes
    ----------
    station_names, class_names : tuple of str
    method : str
        "exact", "Schweitzer" or "Linearizer".
    population, think_time_s : int and float, or numpy.ndarray
    throughput : float or numpy.ndarray
        Customers per second.
    response_s : float or numpy.ndarray
        From the end of thinking to its next start, all stations together.
    residence_s : numpy.ndarray
        Time at a station over all visits.
    queue : numpy.ndarray
        Mean number at a station, in service or waiting.
    utilization : numpy.ndarray
        Share of the servers busy; at a delay station the mean number there.
    """

    station_names: tuple
    class_names: tuple
    method: str
    population: object
    think_time_s: object
    throughput: object
    response_s: object
    residence_s: np.ndarray
    queue: np.ndarray
    utilization: np.ndarray

    def to_frame(self):
        """Return one row per station, all classes together; residence is the mean customer's."""
        return by_station(self.station_names, self.utilization, self.queue, self.throughput)


@dataclass(frozen=True, eq=False)
class Curve(Record):
    """The steady states of a closed network with 1 to N customers of one class.

    Attributes
    ----------
    station_names : tuple of str
    think_time_s : float
    population : numpy.ndarray of int, shape (N,)
    throughput, response_s : numpy.ndarray of shape (N,)
    queue, utilization : numpy.ndarray of shape (N, stations)
    """

    station_names: tuple
    think_time_s: float
    population: np.ndarray
    throughput: np.ndarray
    response_s: np.ndarray
    queue: np.ndarray
    utilization: np.ndarray
    index = "population"


def solution(network, throughput, residence_s, method="exact"):
    """Return the `NetworkSolution` of a `networks.Network`.

    Parameters
    ----------
    network : perfkit.analytic.networks.Network
    throughput : numpy.ndarray of shape (classes,)
    residence_s : numpy.ndarray of shape (classes, stations)
    method : str, optional
    """
    arrays = {
        "population": network.population,
        "think_time_s": network.think_time_s,
        "throughput": throughput,
        "response_s": residence_s.sum(axis=1),
        "residence_s": residence_s,
        "queue": throughput[:, np.newaxis] * residence_s,
        "utilization": network.busy(throughput),
    }
    if network.one_class:
        arrays = {name: array[0] for name, array in arrays.items()}
    return NetworkSolution(network.stations, network.classes, method, **arrays)
