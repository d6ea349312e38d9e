"""Open product-form networks, and visits from routing probabilities (Jackson 1957, 1963)."""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import count, in_order, not_negative, one, share, vector
from perfkit.analytic.networks import arranged, read_demands, read_servers
from perfkit.analytic.records import Record
from perfkit.analytic.solutions import by_station

MOST_SERVERS = 10**8


@dataclass(frozen=True, eq=False)
class OpenSolution(Record):
    """The steady state of an open network.

    With demands given as a vector there is one class and no axis for it. A class without arrivals
    has queue and utilization 0; its response and residence are those of one customer who comes.

    Attributes
    ----------
    station_names, class_names : tuple of str
    arrival_rates : float, or numpy.ndarray of shape (classes,)
        Arrivals a second, which are departures too.
    response_s : float, or numpy.ndarray of shape (classes,)
    residence_s, queue, utilization : numpy.ndarray of shape (stations,) or (classes, stations)
        As in `perfkit.analytic.solutions.NetworkSolution`.
    """

    station_names: tuple
    class_names: tuple
    arrival_rates: object
    response_s: object
    residence_s: np.ndarray
    queue: np.ndarray
    utilization: np.ndarray

    def to_frame(self):
        """Return one row a station, all classes together; residence is the mean customer's."""
        return by_station(self.station_names, self.utilization, self.queue, self.arrival_rates)


def solve_open(demands_s, arrival_rates, servers=1, stations=None, classes=None):
    """Solve an open network (Jain, section 34.1; Lazowska, sections 6.4 and 7.4).

    A queue of one server has R = D / (1 - U), U over all classes; several servers follow
    Erlang's delay formula; a delay has R = D. Service is as in
    `perfkit.analytic.mva.solve_mva`, arrivals are Poisson.

    Parameters
    ----------
    demands_s, servers, stations, classes
        As for `perfkit.analytic.mva.solve_mva`.
    arrival_rates : float or array_like of float
        Arrivals a second, one number a class; 0 where a class is empty.

    Raises
    ------
    ValueError
        If a station is saturated.
    """
    demands, stations, classes = read_demands(demands_s, stations, classes)
    rates = arranged("arrival_rates", arrival_rates, classes, "class")
    rates = vector("arrival_rates", not_negative("arrival_rates", rates))
    if rates.size != len(classes):
        raise ValueError(
            f"arrival_rates must be one number a class, {len(classes)} in all, not {rates.size}."
        )
    servers = read_servers(servers, stations)
    load = rates[:, np.newaxis] * demands
    _refuse_saturated(load.sum(axis=0) / servers, stations)
    residence = demands * _slowdowns(load.sum(axis=0), servers)
    arrays = {
        "arrival_rates": rates,
        "response_s": residence.sum(axis=1),
        "residence_s": residence,
        "queue": rates[:, np.newaxis] * residence,
        "utilization": load / np.where(np.isinf(servers), 1.0, servers),
    }
    if np.ndim(demands_s) == 1:
        arrays = {name: array[0] for name, array in arrays.items()}
    return OpenSolution(stations, classes, **arrays)


def _refuse_saturated(utilization, stations):
    k = int(np.argmax(utilization))
    if utilization[k] >= 1:
        raise ValueError(
            f"{stations[k]} is saturated: its utilization would be {utilization[k]:.4g},"
            " so arrival_rates or its demand must be less."
        )


def _slowdowns(load, servers):
    """Return residence over demand by station."""
    slowdowns = np.ones(load.size)
    queues = np.isfinite(servers)
    for k in np.flatnonzero(queues):
        waits = delay_probability(int(servers[k]), load[k])
        slowdowns[k] = 1.0 + waits / (servers[k] - load[k])
    return slowdowns


def delay_probability(servers, load):
    """Return the probability that an arrival waits at m servers (Erlang's C).

    Parameters
    ----------
    servers : int
    load : float
        Arrivals a second times the mean service, below the number of servers.
    """
    servers = count("servers", servers, most=MOST_SERVERS)
    load = not_negative("load", one("load", load))
    if load >= servers:
        raise ValueError(f"load must be less than the {servers} servers, not {load}.")
    blocked = 1.0
    for n in range(1, servers + 1):
        blocked = load * blocked / (n + load * blocked)
    return blocked / (1.0 - load / servers * (1.0 - blocked))


def visit_ratios(routing, arrivals=None, reference=0):
    """Return mean visits by station from routing probabilities (Jain, section 33.2; Bolch, 7.1).

    Parameters
    ----------
    routing : array_like of float or pandas.DataFrame, shape (stations, stations)
        Row i has the probabilities of going from station i to each station. In a closed network
        they sum to one (what is off by 1e-9 at most is mended); in an open one what is missing
        leaves. A frame's columns, and arrivals as a Series, are read by their labels.
    arrivals : array_like of float, shape (stations,), optional
        An open network's arrivals from outside, by station, to any scale; left out, the network
        is closed.
    reference : int, optional
        A closed network's station of one visit.

    Returns
    -------
    numpy.ndarray of shape (stations,)
        Visits an arrival from outside, or a visit to the reference.

    Raises
    ------
    ValueError
        If nobody ever leaves an open network, or the visits of a closed one depend on where a
        customer starts.
    """
    if hasattr(routing, "columns"):
        arrivals = in_order("arrivals", arrivals, routing.index, "stations")
        routing = in_order("routing", routing.T, routing.index, "columns").T
    routing = share("routing", routing)
    if np.ndim(routing) != 2 or routing.shape[0] != routing.shape[1]:
        raise ValueError(f"routing must be a square matrix, not of shape {np.shape(routing)}.")
    leaves = 1.0 - routing.sum(axis=1)
    if np.any(leaves < -1e-9):
        row = int(np.argmin(leaves))
        raise ValueError(f"routing must have rows of sum 1 or less, not {1 - leaves[row]:.6g}.")
    if arrivals is None:
        return _closed_visits(routing, leaves, reference)
    size = len(routing)
    routing = _mended(routing, leaves < 0)
    arrivals = not_negative("arrivals", vector("arrivals", arrivals))
    if arrivals.size != size or not arrivals.any():
        raise ValueError(f"arrivals must be {size} numbers, one at least above zero.")
    balance = np.eye(size) - routing.T
    if _rank(balance) < size:
        raise ValueError("routing must let customers of an open network leave from everywhere.")
    return np.linalg.solve(balance, arrivals / arrivals.sum())


def _closed_visits(routing, leaves, reference):
    size = len(routing)
    if np.any(np.abs(leaves) > 1e-9):
        raise ValueError("routing must have rows of sum 1 in a closed network.")
    reference = count("reference", reference, least=0)
    if reference >= size:
        raise ValueError(f"reference must be a station's number below {size}, not {reference}.")
    routing = _mended(routing, leaves != 0)
    balance = np.eye(size) - routing.T
    if _rank(balance) < size - 1:
        raise ValueError("routing must lead from every station to one set of stations.")
    balance[0] = 1.0
    visits = np.linalg.solve(balance, np.eye(size)[0])
    if visits[reference] <= 1e-12:
        raise ValueError(f"reference must be a station that is visited for ever, not {reference}.")
    return visits / visits[reference]


def _mended(routing, wrong):
    """Return the matrix with the wrong rows of sum 1, but for those that are off by rounding."""
    total = routing.sum(axis=1, keepdims=True)
    rounding = len(routing) * np.finfo(float).eps
    wrong = wrong[:, np.newaxis] & (np.abs(total - 1.0) > rounding)
    return np.where(wrong, routing / np.where(wrong, total, 1.0), routing)


def _rank(balance):
    """Return the rank where what is within rounding of the probabilities counts as zero."""
    largest = max(np.linalg.norm(balance, 2), 1.0)
    return np.linalg.matrix_rank(balance, tol=largest * len(balance) * np.finfo(float).eps)
