"""The machine repairman as a model of time sharing: Scherr's of CTSS (1967).

Users think, each on its own, and then wait for one of the repairmen: the processors. Times are
exponential; with processor sharing, or with round robin by short slices, the service may have
any distribution. Kleinrock's saturation is that of Proc. IFIP Congress 1968.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import MOST_LISTED, count, counts, one, positive
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
    """
    users = counts("users", users, most=MOST_LISTED)
    think, service, repairmen = _checked(think_time_s, service_s, repairmen)
    queue, busy = np.empty(users.size), np.empty(users.size)
    for i, most in enumerate(users):
        chances = _distribution(most, think, service, repairmen)
        number = np.arange(most + 1)
        queue[i] = chances @ number
        busy[i] = chances @ np.minimum(number, repairmen)
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
    """
    think, service, repairmen = _checked(think_time_s, service_s, repairmen)
    return repairmen * (think + service) / service


def _checked(think_time_s, service_s, repairmen):
    think = positive("think_time_s", one("think_time_s", think_time_s))
    service = positive("service_s", one("service_s", service_s))
    return float(think), float(service), count("repairmen", repairmen)


def _distribution(users, think_s, service_s, repairmen):
    """Return the probabilities that 0 to N users wait or are served.

    P(n) (N - n) / Z = P(n + 1) min(n + 1, m) / S. The products are kept as logarithms, and the
    likeliest state is the unit.
    """
    number = np.arange(1, users + 1)
    ratios = (users - number + 1) * service_s / (np.minimum(number, repairmen) * think_s)
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    chances = np.exp(logs - logs.max())
    return chances / chances.sum()
