"""A drum as a paging device: one request at a time, or a queue for each sector.

A revolution passes under the heads s sectors of one page each. Every request asks for a sector
drawn at random, whatever has gone before; a page starts only at its sector's edge and takes a
sector's time. Times are in s, and a rate is in pages per s.

- First come, first served: the drum turns to the next request's sector, often past others
  that could have been served.
- Sectored (shortest latency first on equal records): each sector has its own queue, and a turn
  of the drum serves one request of every queue that has any. Coffman, "Analysis of a drum
  input/output queue under scheduled operation in a paged computer system", JACM 16 (1969).

A drum of one page a track, as the RCA 8567 of SIM/61 with its window, is s = 1: a page a
revolution under either rule. The papers were not at hand; all formulas are derived here and
held against simulation and the chain's balance equations in the tests.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import MOST_LISTED, count, not_negative, one, positive, vector
from perfkit.analytic.records import Record


@dataclass(frozen=True, eq=False)
class DrumResponse(Record):
    """A drum under Poisson arrivals, in the steady state.

    Attributes
    ----------
    arrivals_per_s : numpy.ndarray, shape (n,)
        Requests per s.
    utilization : numpy.ndarray, shape (n,)
        Share of the greatest rate that the drum sustains.
    wait_s : numpy.ndarray, shape (n,)
        Mean time from request to the start of the transfer, latency and all.
    response_s : numpy.ndarray, shape (n,)
        Mean time from request to the end of the transfer: the traverse time of a page.
    outstanding : numpy.ndarray, shape (n,)
        Mean requests waiting or in transfer.
    """

    arrivals_per_s: np.ndarray
    utilization: np.ndarray
    wait_s: np.ndarray
    response_s: np.ndarray
    outstanding: np.ndarray

    def frame(self):
        """Return one row an arrival rate."""
        import pandas as pd

        return pd.DataFrame(vars(self)).set_index("arrivals_per_s")

    def plot(self, ax=None, **style):
        """Draw the mean response over the arrival rate."""
        axes = self.frame()["response_s"].plot(ax=ax, **style)
        axes.set_ylabel("response_s")
        return axes


def mean_service(revolution_s, sectors):
    """Return the mean time of a request that finds another one just done (FIFO).

    The heads stand at a sector's edge, the next sector is any of s: the latency is 0 to s - 1
    sectors with equal chance, so service is (s + 1) / 2 sectors. The usual half a revolution
    and a sector is what a request costs that finds the drum idle (see `idle_service`).

    Parameters
    ----------
    revolution_s : float
        Time of one revolution in s.
    sectors : int
        Pages on a track.

    Returns
    -------
    float
        In s.
    """
    revolution_s, sectors = _geometry(revolution_s, sectors)
    return revolution_s * (sectors + 1) / (2 * sectors)


def idle_service(revolution_s, sectors):
    """Return the mean time of a request at a random moment to an idle drum.

    Half a revolution of latency and a sector of transfer, the same under either rule.

    Parameters
    ----------
    revolution_s, sectors
        As for `mean_service`.

    Returns
    -------
    float
        In s.
    """
    revolution_s, sectors = _geometry(revolution_s, sectors)
    return revolution_s * (0.5 + 1.0 / sectors)


def greatest_rate(revolution_s, sectors, sectored=True):
    """Return the device limit: the pages per s of a drum that is never without requests.

    Parameters
    ----------
    revolution_s, sectors
        As for `mean_service`.
    sectored : bool, optional
        Whether each sector has its queue (a page a sector) or requests are served first come,
        first served (2 / (s + 1) of that).

    Returns
    -------
    float
        Pages per s.
    """
    revolution_s, sectors = _geometry(revolution_s, sectors)
    return sectors / revolution_s if sectored else 1.0 / mean_service(revolution_s, sectors)


def fifo_response(arrivals_per_s, revolution_s, sectors):
    """Return waits and responses of Poisson arrivals, first come, first served.

    M/G/1 whose first customer of each busy period is served otherwise than the rest. The rest
    start at a sector's edge and take 1 to s sectors. The first comes when the drum has been
    idle for an exponential time; its latency runs from there to the next edge and on by 0 to
    s - 1 sectors. With V the time that an arrival would wait for those before it, the balance
    of V squared gives E[V] = r (p a2 + (1 - p) b2) / (2 (1 - r b1)), r the arrival rate, p the
    chance of an idle drum, a and b the moments of first and later services.

    Parameters
    ----------
    arrivals_per_s : float or array_like of float, shape (n,)
        Requests per s, below `greatest_rate`.
    revolution_s, sectors
        As for `mean_service`.

    Returns
    -------
    DrumResponse

    Raises
    ------
    ValueError
        If the drum cannot keep up.
    """
    revolution_s, sectors = _geometry(revolution_s, sectors)
    rate = _sustained(arrivals_per_s, greatest_rate(revolution_s, sectors, sectored=False))
    sector_s = revolution_s / sectors
    first, first_square = _first_service(rate, sector_s, sectors)
    later = sector_s * (sectors + 1) / 2
    later_square = sector_s**2 * (sectors + 1) * (2 * sectors + 1) / 6
    spare = 1 - rate * later
    idle = spare / (spare + rate * first)
    ahead = rate * (idle * first_square + (1 - idle) * later_square) / (2 * spare)
    response = ahead + idle * first + (1 - idle) * later
    return DrumResponse(rate, rate * later, response - sector_s, response, rate * response)


def _first_service(rate, sector_s, sectors):
    """Return mean and mean square of the service that ends an idle time.

    Idle time began at an edge, so the age x of an arrival within its sector has a density
    proportional to e^(-r x); to the next edge it is the rest, and then 1 to s sectors. The two
    moments by Gauss's quadrature: r times a sector is below one here, so 16 points are exact
    to rounding, where the closed form cancels for small r.
    """
    points, weights = np.polynomial.legendre.leggauss(16)
    age = (points + 1) / 2
    density = weights * np.exp(-np.outer(rate * sector_s, age))
    density /= density.sum(axis=1, keepdims=True)
    left, left_square = density @ (1 - age), density @ (1 - age) ** 2
    whole = (sectors + 1) / 2
    whole_square = (sectors + 1) * (2 * sectors + 1) / 6
    square = left_square + 2 * left * whole + whole_square
    return sector_s * (left + whole), sector_s**2 * square


def sectored_response(arrivals_per_s, revolution_s, sectors):
    """Return waits and responses of Poisson arrivals, a queue for each sector.

    Each queue is served once a revolution T if it is not empty: with rho its mean arrivals a
    revolution, a request waits half a revolution for the first passing of its sector and one
    revolution for each request before it, T / (2 (1 - rho)) in all (Coffman 1969).

    Parameters
    ----------
    arrivals_per_s, revolution_s, sectors
        As for `fifo_response`; all sectors together, each is asked for equally often.

    Returns
    -------
    DrumResponse

    Raises
    ------
    ValueError
        If the drum cannot keep up.
    """
    revolution_s, sectors = _geometry(revolution_s, sectors)
    limit = greatest_rate(revolution_s, sectors)
    rate = _sustained(arrivals_per_s, limit)
    load = rate / limit
    wait = revolution_s / (2 * (1 - load))
    response = wait + revolution_s / sectors
    return DrumResponse(rate, load, wait, response, rate * response)


def closed_rates(most_outstanding, revolution_s, sectors, sectored=True):
    """Return the pages per s with a fixed number of outstanding requests.

    Each page that is done is asked for anew at once, at a random sector. First come, first
    served the rate is `greatest_rate` from the first request on. Sectored, n requests keep
    2 n / (2 n + s - 1) of the sectors busy. (For n = 1 that is FIFO, and every n that the tests
    solve outright agrees; the result is known from Burge and Konheim, JACM 18, 1971.) The array
    serves as the rates of a paging device in `perfkit.analytic.paging.thrashing_curve`.

    Parameters
    ----------
    most_outstanding : int
        Greatest number n of outstanding requests.
    revolution_s, sectors, sectored
        As for `greatest_rate`.

    Returns
    -------
    numpy.ndarray, shape (most_outstanding,)
        Pages per s with 1 to ``most_outstanding`` requests.
    """
    revolution_s, sectors = _geometry(revolution_s, sectors)
    limit = greatest_rate(revolution_s, sectors, sectored)
    most = count("most_outstanding", most_outstanding, most=MOST_LISTED)
    requests = np.arange(1, most + 1)
    if not sectored:
        return np.full(requests.size, limit)
    return limit * 2 * requests / (2 * requests + sectors - 1)


def useful_sectors(requests, sectors):
    """Return the sectors asked for at least once by requests that are all there at the start.

    What one revolution can serve of a batch: s (1 - (1 - 1/s)^n). With new requests coming in
    place of those served use `closed_rates`.

    Parameters
    ----------
    requests : array_like of float
        Requests n, each for a sector drawn at random.
    sectors : int
        Pages on a track.

    Returns
    -------
    float or numpy.ndarray
    """
    requests = not_negative("requests", requests)
    sectors = count("sectors", sectors)
    return sectors * (1.0 - (1.0 - 1.0 / sectors) ** requests)


def _geometry(revolution_s, sectors):
    revolution_s = positive("revolution_s", one("revolution_s", revolution_s))
    return revolution_s, count("sectors", sectors)


def _sustained(arrivals_per_s, limit):
    rate = positive("arrivals_per_s", vector("arrivals_per_s", arrivals_per_s))
    if not np.all(rate < limit):
        raise ValueError(
            f"arrivals_per_s must be below the {limit:.6g} that the drum sustains, not {rate}."
        )
    return rate
