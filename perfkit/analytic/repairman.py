"""The machine repairman as a model of time sharing: Scherr's of CTSS (1967).

Users think, each on its own, and then wait for one of the repairmen: the processors. Times are
exponential; with processor sharing, or with round robin by short slices, the service may have
any distribution. Kleinrock's saturation is that of Proc. IFIP Congress 1968.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import MOST_LISTED, count, counts, one, positive
from perfkit.analytic.multiprogramming import steady_state
from perfkit.analytic.records import Record


@dataclass(frozen=True, eq=False)
class Repairman(Record):
    """The steady state of the machine repairman by number of users.

    Attributes
    ----------
    think_time_s, service_s : float
    repairmen : int
    saturation_point : float
        Users at which the asymptotes of the response cross.
    users : numpy.ndarray of int, shape (n,)
    throughput : numpy.ndarray of shape (n,)
        Interactions per second.
    response_s : numpy.ndarray of shape (n,)
    queue : numpy.ndarray of shape (n,)
        Mean number of users who wait or are served.
    utilization : numpy.ndarray of shape (n,)
        Share of the repairmen busy.
    """

    think_time_s: float
    service_s: float
    repairmen: int
    saturation_point: float
    users: np.ndarray
    throughput: np.ndarray
    response_s: np.ndarray
    queue: np.ndarray
    utilization: np.ndarray
    index = "users"


def repairman(users, think_time_s, service_s, repairmen=1):
    """Solve the machine repairman (Scherr 1967).

    Parameters
    ----------
    users : int or array_like of int
    think_time_s, service_s : float
        Mean think time Z and mean service S of an interaction.
    repairmen : int, optional

    Examples
    --------
    >>> round(float(repairman(40, think_time_s=35, service_s=0.9).response_s[-1]), 2)  # Scherr's
    5.06
    """
    users = counts("users", users, most=MOST_LISTED)
    think, service, repairmen = _checked(think_time_s, service_s, repairmen)
    queue, busy = np.empty(users.size), np.empty(users.size)
    for i, most in enumerate(users):
        number = np.arange(most + 1)
        served = np.minimum(number, repairmen)
        chances = steady_state(number[:0:-1] / think, served[1:] / service)
        queue[i], busy[i] = chances @ number, chances @ served
    throughput = busy / service
    point = saturation_point(think, service, repairmen)
    by_users = (users, throughput, queue / throughput, queue, busy / repairmen)
    return Repairman(think, service, repairmen, point, *by_users)


def saturation_point(think_time_s, service_s, repairmen=1):
    """Return Kleinrock's saturation point N* = m (Z + S) / S.

    So many users could be served without a wait if none were random; each one above it delays
    all the others by a whole service.

    Parameters
    ----------
    think_time_s, service_s : float
    repairmen : int, optional

    Examples
    --------
    >>> round(saturation_point(think_time_s=35, service_s=0.9), 1)
    39.9
    """
    think, service, repairmen = _checked(think_time_s, service_s, repairmen)
    return repairmen * (think + service) / service


def _checked(think_time_s, service_s, repairmen):
    think = positive("think_time_s", one("think_time_s", think_time_s))
    service = positive("service_s", one("service_s", service_s))
    return float(think), float(service), count("repairmen", repairmen)
