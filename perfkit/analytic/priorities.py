"""One server with priorities: M/G/1, head of line or preemptive (Cobham 1954, Kleinrock 1976)."""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import fitting, not_negative, positive, vector
from perfkit.analytic.records import Record


@dataclass(frozen=True, eq=False)
class Priorities(Record):
    """The steady state of one server, a row per class, the first served first.

    Attributes
    ----------
    priority : numpy.ndarray of int
        From 1.
    utilization : numpy.ndarray
        Share of the server's time.
    wait_s, response_s : numpy.ndarray
        Mean time not served, and mean time in all.
    number : numpy.ndarray
        Mean customers present.
    """

    priority: np.ndarray
    utilization: np.ndarray
    wait_s: np.ndarray
    response_s: np.ndarray
    number: np.ndarray
    index = "priority"


def priorities(arrivals_per_s, service_s, square_s2=None, *, preemptive=False):
    """Solve an M/G/1 queue whose classes are served by priority.

    Parameters
    ----------
    arrivals_per_s, service_s : array_like, shape (classes,)
        The most urgent class first. Arrivals are Poisson; ``service_s`` is the mean of any
        distribution.
    square_s2 : array_like, optional
        Mean square of service, in s squared; exponential service by default.
    preemptive : bool
        Whether an arrival interrupts the service of a less urgent one, which is resumed later.
        If not, it goes to the head of the line.

    Examples
    --------
    >>> priorities([0.3, 0.3], [1.0, 1.0], preemptive=True).response_s.round(2).tolist()
    [1.43, 3.57]
    >>> priorities([0.3, 0.3], [1.0, 1.0]).response_s.round(2).tolist()
    [1.86, 3.14]
    """
    arrivals = not_negative("arrivals_per_s", vector("arrivals_per_s", arrivals_per_s))
    service = positive("service_s", vector("service_s", service_s))
    fitting(arrivals_per_s=arrivals, service_s=service)
    square = 2.0 * service**2
    if square_s2 is not None:
        square = positive("square_s2", vector("square_s2", square_s2))
    fitting(service_s=service, square_s2=square)
    if np.any(square < service**2 * (1.0 - 1e-12)):
        raise ValueError("square_s2 must be at least the square of service_s.")
    busy = arrivals * service
    if busy.sum() >= 1.0:
        raise ValueError(f"Arrivals must load the server below 1; these come to {busy.sum():.4g}.")
    above = np.concatenate([[0.0], np.cumsum(busy)])
    found = arrivals * square / 2.0  # what is left of services in progress
    residual = np.cumsum(found) if preemptive else np.full(busy.size, found.sum())
    queued = residual / ((1.0 - above[:-1]) * (1.0 - above[1:]))
    served = service / (1.0 - above[:-1]) if preemptive else service
    response = queued + served
    number = np.arange(1, busy.size + 1)
    return Priorities(number, busy, response - service, response, arrivals * response)
