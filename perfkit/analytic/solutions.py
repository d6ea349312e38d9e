"""What solving a closed network gives: its steady state, and its curve over populations."""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.records import Record, as_html, as_text

STATION_QUANTITIES = ("queue", "utilization")


def by_station(solution, per_s):
    """Return a solution's utilization, queue and residence, a row a station, classes together.

    Parameters
    ----------
    solution : record
        With ``station_names``, ``queue`` and ``utilization``.
    per_s : float or numpy.ndarray
        Customers a second of each class; residence is the mean customer's, nan if there is none.

    Returns
    -------
    pandas.DataFrame
    """
    import pandas as pd

    queue = np.atleast_2d(solution.queue).sum(axis=0)
    flow = np.sum(per_s)
    columns = {
        "utilization": np.atleast_2d(solution.utilization).sum(axis=0),
        "queue": queue,
        "residence_s": queue / (flow if flow > 0 else np.nan),
    }
    return pd.DataFrame(columns, index=pd.Index(solution.station_names, name="station"))


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
        "exact" or "Schweitzer".
    population, think_time_s : int and float, or numpy.ndarray
    throughput : float or numpy.ndarray
        Customers a second.
    response_s : float or numpy.ndarray
        From the end of thinking to its next start, all stations together.
    residence_s : numpy.ndarray
        Time at a station over all visits.
    queue : numpy.ndarray
        Mean number at a station, in service or waiting.
    utilization : numpy.ndarray
        Share of the servers busy; at a delay station the mean number there; at a station with
        given rates the share of time that it is not empty.
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

    def frame(self):
        """Return one row a station, all classes together; residence is the mean customer's."""
        return by_station(self, self.throughput)

    def classes(self):
        """Return one row a class: population, think time, throughput and response."""
        import pandas as pd

        columns = ("population", "think_time_s", "throughput", "response_s")
        return pd.DataFrame(
            {column: np.atleast_1d(getattr(self, column)) for column in columns},
            index=pd.Index(self.class_names, name="class"),
        )

    def detail(self):
        """Return one row a class and station."""
        import pandas as pd

        index = pd.MultiIndex.from_product(
            [self.class_names, self.station_names], names=["class", "station"]
        )
        columns = ("utilization", "queue", "residence_s")
        return pd.DataFrame(
            {column: getattr(self, column).ravel() for column in columns}, index=index
        )

    def __str__(self):
        """Return the frames by class and by station as text."""
        return f"{as_text(self.classes())}\n\n{as_text(self.frame())}"

    def _repr_html_(self):
        return as_html(self.classes()) + as_html(self.frame())

    def plot(self, ax=None, **style):
        """Draw the mean number at each station as a bar, the classes stacked."""
        queue = self.detail()["queue"].unstack("class")[list(self.class_names)]
        queue = queue.loc[list(self.station_names)]
        style = {"stacked": True, "ylabel": "mean number there", **style}
        return queue.plot.bar(ax=ax, **style)


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

    def frame(self):
        """Return throughput and response by population."""
        import pandas as pd

        columns = {"throughput": self.throughput, "response_s": self.response_s}
        return pd.DataFrame(columns, index=pd.Index(self.population, name="population"))

    def stations(self, quantity="queue"):
        """Return "queue" or "utilization", a column a station, by population."""
        import pandas as pd

        if quantity not in STATION_QUANTITIES:
            raise ValueError(f"quantity must be queue or utilization, not {quantity!r}.")
        index = pd.Index(self.population, name="population")
        columns = pd.Index(self.station_names, name="station")
        return pd.DataFrame(getattr(self, quantity), index=index, columns=columns)

    def plot(self, ax=None, quantity="throughput", **style):
        """Draw "throughput", "response_s", "queue" or "utilization" against the population."""
        ours = ("throughput", "response_s")
        if quantity not in (*ours, *STATION_QUANTITIES):
            known = ", ".join((*ours, *STATION_QUANTITIES))
            raise ValueError(f"quantity must be one of {known}, not {quantity!r}.")
        frame = self.frame()[quantity] if quantity in ours else self.stations(quantity)
        return frame.plot(ax=ax, **{"ylabel": quantity, **style})


def solution(network, throughput, residence_s, empty, method="exact"):
    """Return the `NetworkSolution` of a `networks.Network`.

    Parameters
    ----------
    network : perfkit.analytic.networks.Network
    throughput : numpy.ndarray of shape (classes,)
    residence_s : numpy.ndarray of shape (classes, stations)
    empty : mapping of int to float
        The probability that a station is empty, where the speed depends on the queue.
    method : str, optional

    Returns
    -------
    NetworkSolution
    """
    utilization = network.busy(throughput)
    for k, nobody in empty.items():
        if network.by_rates[k] and utilization[:, k].any():
            utilization[:, k] *= (1.0 - nobody) / utilization[:, k].sum()
    arrays = {
        "population": network.population,
        "think_time_s": network.think_time_s,
        "throughput": throughput,
        "response_s": residence_s.sum(axis=1),
        "residence_s": residence_s,
        "queue": throughput[:, np.newaxis] * residence_s,
        "utilization": utilization,
    }
    if network.one_class:
        arrays = {name: array[0] for name, array in arrays.items()}
    return NetworkSolution(network.stations, network.classes, method, **arrays)
