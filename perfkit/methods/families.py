"""Families of distributions of demands: how many numbers each has, and where a search begins."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special, stats
from scipy.optimize import elementwise

from perfkit.core.values import check_whole


@dataclass(frozen=True)
class Hyperexponential:
    """A mixture of exponential phases.

    Attributes
    ----------
    weights, means : numpy.ndarray, shape (phases,)
        The share of each phase and its mean; the weights add up to one.
    """

    weights: np.ndarray
    means: np.ndarray

    def cdf(self, x):
        """Return the share of values at most x."""
        x = np.maximum(np.asarray(x, float), 0.0)
        return -np.expm1(-x[..., None] / self.means) @ self.weights

    def logpdf(self, x):
        """Return the logarithm of the density, minus infinity below zero."""
        x = np.asarray(x, float)
        parts = np.log(self.weights / self.means) - x[..., None] / self.means
        return np.where(x >= 0.0, special.logsumexp(parts, axis=-1), -np.inf)

    def ppf(self, share):
        """Return the value that this share of values is at most."""
        share = np.asarray(share, float)
        with np.errstate(all="ignore"):
            bracket = 0.0, self.means.max() * (1.0 - np.log1p(-share))
            found = elementwise.find_root(lambda x, p: self.cdf(x) - p, bracket, args=(share,)).x
        return np.where(share == 1.0, np.inf, found)[()]

    def mean(self):
        """Return the mean."""
        return float(self.weights @ self.means)

    def std(self):
        """Return the standard deviation."""
        return float(np.sqrt(2.0 * self.weights @ self.means**2 - self.mean() ** 2))

    def moment(self, power):
        """Return the mean of a power of the values; the power is above -1 and need not be whole."""
        return float(special.gamma(1.0 + power) * (self.weights @ self.means**power))


class Family(NamedTuple):
    """A family of distributions on the positive numbers.

    Attributes
    ----------
    name : str
    parameters : tuple of str
    size : int
        How many numbers are free.
    unpack : callable
        Turns free numbers, any real ones, into the parameters.
    distribution : callable
        Turns parameters into an object with ``cdf``, ``logpdf``, ``ppf``, ``mean`` and
        ``std``.
    starts : callable
        Takes a typical low, middle and high value; returns free numbers to begin a search from.
    """

    name: str
    parameters: tuple
    size: int
    unpack: callable
    distribution: callable
    starts: callable


MOST_PHASES = 100

LOGNORMAL = Family(
    "lognormal",
    ("log_mean", "log_sd"),
    2,
    lambda free: np.array([free[0], np.exp(free[1])]),
    lambda p: stats.lognorm(p[1], scale=np.exp(p[0])),
    lambda low, middle, high: [[np.log(middle), np.log(np.log(high / low) / 4.0)]],
)
GAMMA = Family(
    "gamma",
    ("shape", "mean"),
    2,
    np.exp,
    lambda p: stats.gamma(p[0], scale=p[1] / p[0]),
    lambda low, middle, high: [[np.log(k), np.log((middle * high) ** 0.5)] for k in (0.2, 1.0)],
)
WEIBULL = Family(
    "weibull",
    ("shape", "scale"),
    2,
    np.exp,
    lambda p: stats.weibull_min(p[0], scale=p[1]),
    lambda low, middle, high: [[np.log(k), np.log(middle)] for k in (0.4, 1.0)],
)


def hyperexponential(phases):
    """Return the family of mixtures of so many exponential phases, the shortest first.

    Returns
    -------
    Family
        With ``2 phases - 1`` free numbers.

    Examples
    --------
    >>> hyperexponential(2).name
    'hyperexponential of 2 phases'
    """
    check_whole("phases", phases, 2, MOST_PHASES)

    def unpack(free):
        weights = special.softmax(np.append(free[: phases - 1], 0.0))
        means = np.exp(free[phases - 1 :])
        order = np.argsort(means, kind="stable")
        return np.concatenate([weights[order], means[order]])

    def starts(low, middle, high):
        found = []
        for least, most in ((middle / 3, high), (middle, high), (low, high / 3), (low, middle)):
            means = np.geomspace(least, most, phases)
            found.append([*(np.log(means[-1]) - np.log(means[:-1])), *np.log(means)])
        return found

    names = [f"{what}_{k + 1}" for what in ("weight", "mean") for k in range(phases)]
    return Family(
        f"hyperexponential of {phases} phases",
        tuple(names),
        2 * phases - 1,
        unpack,
        lambda p: Hyperexponential(np.asarray(p[:phases]), np.asarray(p[phases:])),
        starts,
    )
