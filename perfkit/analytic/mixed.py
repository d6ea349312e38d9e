"""Networks with an open and a closed part, and customers that change class (BCMP, J. ACM 1975)."""

from dataclasses import dataclass, replace

import numpy as np

from perfkit.analytic.checks import in_order, not_negative, numbers, vector
from perfkit.analytic.mva import solve_mva
from perfkit.analytic.networks import arranged, read_demands
from perfkit.analytic.records import Record
from perfkit.analytic.solutions import NetworkSolution


@dataclass(frozen=True, eq=False)
class Mixed(Record):
    """The steady state of a mixed network, a row per station.

    Attributes
    ----------
    station : tuple of str
    closed : NetworkSolution
        Of the closed classes, beside the open ones; its utilization is theirs alone.
    open_utilization, open_queue : numpy.ndarray of shape (stations,)
        Of all open classes together.
    open_response_s : numpy.ndarray of shape (open classes,)
    """

    station: tuple
    closed: NetworkSolution
    open_utilization: np.ndarray
    open_queue: np.ndarray
    open_response_s: np.ndarray
    index = "station"


def solve_mixed(
    demands_s, population, open_demands_s, arrivals_per_s, think_time_s=0.0, stations=None
):
    """Solve a network of single servers that closed and open classes share.

    To the closed classes the open ones make a server slower, by the share that they take; the
    open ones find the closed ones' queues before them.

    Parameters
    ----------
    demands_s, population, think_time_s, stations
        Of the closed classes, as for `perfkit.analytic.mva.solve_mva`.
    open_demands_s : array_like, shape (stations,) or (open classes, stations)
        Service that an open customer wants of each station. A Series or frame is read by labels.
    arrivals_per_s : float or array_like
        Of each open class, Poisson.

    Examples
    --------
    >>> mixed = solve_mixed([1.0], 1, [1.0], arrivals_per_s=0.5)
    >>> float(mixed.closed.throughput), mixed.open_queue.tolist()
    (0.5, [2.0])
    """
    closed, names, classes = read_demands(demands_s, stations, None)
    if hasattr(open_demands_s, "columns"):
        each = open_demands_s.index
        arrivals_per_s = in_order("arrivals_per_s", arrivals_per_s, each, "open classes")
    if hasattr(open_demands_s, "iloc"):
        open_demands_s = arranged("open_demands_s", open_demands_s.T, names, "station").T
    opened = np.atleast_2d(
        not_negative("open_demands_s", numbers("open_demands_s", open_demands_s))
    )
    arrivals = not_negative(
        "arrivals_per_s", vector("arrivals_per_s", np.atleast_1d(arrivals_per_s))
    )
    if opened.shape != (arrivals.size, closed.shape[1]):
        raise ValueError(
            f"open_demands_s must be a row of {closed.shape[1]} stations for each of"
            f" arrivals_per_s, not an array of shape {opened.shape}."
        )
    busy = arrivals @ opened
    if np.any(busy >= 1.0):
        raise ValueError(
            f"The open classes must leave each station time; one is at {busy.max():.4g}."
        )
    slowed = np.asarray(demands_s, float) / (1.0 - busy)
    found = solve_mva(slowed, population, think_time_s, stations=names, classes=classes)
    found = replace(found, utilization=found.utilization * (1.0 - busy))
    present = np.atleast_2d(found.queue).sum(axis=0)
    residence = opened * (1.0 + present) / (1.0 - busy)
    return Mixed(names, found, busy, arrivals @ residence, residence.sum(axis=1))


def chain(transitions, demands_s):
    """Return what a customer that changes class asks for, per pass through its first class.

    In a product-form network customers that change class are one chain; it has the demands of
    its classes, each as often as it is visited.

    Parameters
    ----------
    transitions : array_like, shape (classes, classes)
        Chance, or count, of the next class after each visit.
    demands_s : array_like, shape (classes, stations)
        Service per visit in each class.

    Returns
    -------
    visits : numpy.ndarray of shape (classes,)
        Per visit in the first class.
    demands_s : numpy.ndarray of shape (stations,)
        Per visit in the first class, for `perfkit.analytic.mva.solve_mva`.

    Examples
    --------
    >>> visits, demands_s = chain([[0.5, 0.5], [1.0, 0.0]], [[0.2], [0.1]])
    >>> visits.round(2).tolist(), demands_s.tolist()  # every second pass goes by class 2
    ([1.0, 0.5], [0.25])
    """
    chance = not_negative("transitions", numbers("transitions", transitions))
    demands = not_negative("demands_s", numbers("demands_s", demands_s))
    square = np.ndim(chance) == 2 and chance.shape[0] == chance.shape[1]
    if not square or np.ndim(demands) != 2 or len(demands) != len(chance):
        raise ValueError("transitions must be square, with a row of demands_s for each class.")
    if np.any(chance.sum(axis=1) == 0.0):
        raise ValueError("transitions must lead on from every class.")
    chance = chance / chance.sum(axis=1, keepdims=True)
    equations = np.vstack([chance.T - np.eye(len(chance)), np.eye(1, len(chance))])
    wanted = np.append(np.zeros(len(chance)), 1.0)
    visits, _, rank, _ = np.linalg.lstsq(equations, wanted, rcond=None)
    if rank < len(chance) or np.any(visits < -1e-9):
        raise ValueError("transitions must lead from every class back to the first.")
    return visits, visits @ demands
