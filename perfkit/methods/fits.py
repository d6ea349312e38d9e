"""Fits of distributions: to values by maximum likelihood, to printed tables by least squares."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import hash as content_hash
from scipy import optimize

from perfkit.analytic.checks import floats
from perfkit.core.values import check_above_0, check_list, is_finite

TINY = 1e-300


@dataclass(frozen=True)
class DistributionFit:
    """A fitted distribution.

    Attributes
    ----------
    family : perfkit.methods.families.Family
    free : numpy.ndarray
        The free numbers that the search found.
    cost : float
        What it made least: minus the log likelihood, or half a sum of squares.
    count : float
        How many values; not a number where only shares are known.
    data : str
        What it was fitted to: values, or values in a printed table.
    digest : str
        Which ones these were: fits to the same values share it.
    """

    family: object
    free: np.ndarray
    cost: float
    count: float
    data: str
    digest: str

    @property
    def parameters(self):
        """The parameters as a series."""
        return pd.Series(self.family.unpack(self.free), index=self.family.parameters)

    @property
    def distribution(self):
        """The distribution, with ``cdf``, ``ppf``, ``mean`` and ``std``."""
        return self.family.distribution(self.family.unpack(self.free))

    @property
    def aic(self):
        """Akaike's criterion, the smaller the better; not a number where the count is unknown."""
        return 2.0 * self.family.size + 2.0 * self.cost if np.isfinite(self.count) else np.nan


def fit_values(family, values):
    """Fit a family to values by maximum likelihood.

    Parameters
    ----------
    family : Family
        One of `perfkit.methods.families`.
    values : array_like of float
        Positive.

    Examples
    --------
    >>> from perfkit.methods import families
    >>> fit = fit_values(families.GAMMA, [1.0, 2.0, 3.0])
    >>> round(float(fit.parameters["mean"]), 2)
    2.0
    """
    values = floats("values", values)
    check_list("values", values)
    if values.size <= family.size or not (values > 0.0).all() or not np.isfinite(values).all():
        raise ValueError(
            f"A {family.name} is fitted to more than {family.size} values, all positive and finite."
        )

    if values.min() == values.max():
        raise ValueError("A distribution can't be fitted to values that are all equal.")
    scale = np.quantile(values, [0.02, 0.5, 0.98])
    if scale[0] == scale[2]:
        scale[[0, 2]] = values.min(), values.max()

    def minus_log(free):
        found = family.distribution(family.unpack(free)).logpdf(values)
        return -float(np.maximum(found, np.log(TINY)).sum())

    with np.errstate(all="ignore"):
        begins = family.starts(*scale)
        found = [optimize.minimize(minus_log, start, method="BFGS") for start in begins]
        best = min(found, key=lambda result: result.fun)
        if not best.success:
            polished = optimize.minimize(minus_log, best.x, method="Nelder-Mead")
            best = min(best, polished, key=lambda result: result.fun)
    digest = content_hash(np.sort(values))
    return DistributionFit(family, best.x, float(best.fun), float(values.size), "values", digest)


def fit_printed(family, limits, cdf, half_digit, mean=None, sd=None, moment_half_digits=(1, 1)):
    """Fit a family to a printed table of shares, and its printed moments, by least squares.

    A residual of one means half of the last printed digit, so nothing is left to explain
    where all residuals are within one. It is the fit for a table whose count is not printed.

    Parameters
    ----------
    family : Family
    limits, cdf : array_like of float
        Shares of values at most each limit; the limits rise and the last is above 0.
    half_digit : float
        Half of the last printed digit of a share.
    mean, sd : float, optional
        Printed moments of all values.
    moment_half_digits : tuple of float
        Half of the last printed digit of each.

    Returns
    -------
    DistributionFit
        Its ``cost`` is half the sum of the squares.

    Examples
    --------
    >>> from perfkit.methods import families
    >>> fit = fit_printed(families.WEIBULL, [1.0, 2.0], [0.63, 0.86], 0.005)
    >>> round(float(fit.parameters["shape"]), 1)  # 1 - exp(-1) is 0.63: exponential
    1.0
    """
    limits, cdf = _points(limits, cdf)
    _check_printed(half_digit, mean, sd, moment_half_digits)
    printed = limits.size + (mean is not None) + (sd is not None)
    if printed < family.size:
        raise ValueError(f"A {family.name} has {family.size} free numbers; {printed} are printed.")

    def residuals(free):
        found = family.distribution(family.unpack(free))
        parts = list((found.cdf(limits) - cdf) / half_digit)
        if mean is not None:
            parts.append((found.mean() - mean) / moment_half_digits[0])
        if sd is not None:
            parts.append((found.std() - sd) / moment_half_digits[1])
        return np.clip(np.nan_to_num(parts, nan=1e6), -1e6, 1e6)

    inner = limits[limits > 0.0]
    begins = family.starts(inner[0] / 3.0, inner[0], inner[-1] * 3.0)
    with np.errstate(all="ignore"):
        found = [optimize.least_squares(residuals, begin, x_scale="jac") for begin in begins]
    best = min(found, key=lambda result: result.cost)
    digest = content_hash([limits, cdf, mean, sd])
    return DistributionFit(family, best.x, float(best.cost), np.nan, "values in a table", digest)


def _check_printed(half_digit, mean, sd, moment_half_digits):
    check_above_0("half_digit", half_digit)
    if np.shape(moment_half_digits) != (2,):
        raise ValueError(f"moment_half_digits must be two numbers; not {moment_half_digits!r}.")
    for half in moment_half_digits:
        check_above_0("Each of moment_half_digits", half)
    for name, moment in (("mean", mean), ("sd", sd)):
        if moment is not None and not (is_finite(moment) and moment >= 0.0):
            raise ValueError(f"{name} must be a finite number of 0 or more; {moment!r} is not.")


def compare(fits):
    """Return fits side by side, the best by Akaike's criterion first.

    Parameters
    ----------
    fits : iterable of DistributionFit
        By likelihood, to the same values.

    Returns
    -------
    pandas.DataFrame
        Indexed by family: ``free``, ``log_likelihood``, ``aic``, ``mean``, ``sd``, ``median``.

    Examples
    --------
    >>> from perfkit.methods import families
    >>> kinds = (families.GAMMA, families.LOGNORMAL)
    >>> len(compare([fit_values(kind, [1.0, 2.0, 2.5, 4.0]) for kind in kinds]))
    2
    """
    fits = list(fits)
    if len({fit.digest for fit in fits}) != 1 or not np.isfinite(fits[0].count):
        raise ValueError(
            "Akaike's criterion compares fits by likelihood to the same values; these are to "
            f"{', '.join(f'{fit.count:g} {fit.data}' for fit in fits) or 'nothing'} "
            "(nan: no likelihood)."
        )
    rows = {
        fit.family.name: {
            "free": fit.family.size,
            "log_likelihood": -fit.cost,
            "aic": fit.aic,
            "mean": fit.distribution.mean(),
            "sd": fit.distribution.std(),
            "median": fit.distribution.ppf(0.5),
        }
        for fit in fits
    }
    return pd.DataFrame(rows).T.astype({"free": int}).sort_values("aic", kind="stable")


def _points(limits, cdf):
    """Return the limits and shares of a printed table as arrays."""
    limits, cdf = floats("limits", limits), floats("cdf", cdf)
    if limits.ndim != 1 or limits.size == 0 or limits.shape != cdf.shape:
        raise ValueError(
            f"Limits must be a list with a share each; their shapes are {limits.shape} and "
            f"{cdf.shape}."
        )
    if not ((np.diff(limits) > 0.0).all() and 0.0 < limits[-1] < np.inf):
        raise ValueError(
            f"Printed limits must rise to a finite one above 0; {limits.tolist()} do not."
        )
    if not ((cdf >= 0.0) & (cdf <= 1.0)).all() or (np.diff(cdf) < 0.0).any():
        raise ValueError(
            f"cdf must hold shares from 0 to 1 that do not fall; {cdf.tolist()} are not."
        )
    return limits, cdf
