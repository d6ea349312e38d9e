"""Fits of distributions by maximum likelihood, to values or classes, and to printed tables."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import hash as content_hash
from scipy import optimize, special, stats
from statsmodels.tools.numdiff import approx_fprime, approx_hess

from perfkit.values import check_above_0, check_list, check_share, check_whole, is_finite

TINY = 1e-300
FAR = 1e6  # times a fit's values, or the classes: no likelihood has its maximum so far away
CLOSE = 1e-6  # difference of log likelihoods, a value, that the search does not see
LINKS = {
    "identity": (lambda x: x, lambda x: x),
    "log": (np.log, np.exp),
    "logit": (special.logit, special.expit),
}


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
    covariance : numpy.ndarray
        Of the free numbers; not a number where the data don't determine them.
    data : str
        What it was fitted to: values, or values in so many classes or in a printed table.
    digest : str
        Which ones these were: fits to the same values share it.
    """

    family: object
    free: np.ndarray
    cost: float
    count: float
    covariance: np.ndarray
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

    def frame(self, confidence=0.95):
        """Return the parameters with their intervals.

        Intervals are Wald's on the scale of the parameter's link (a logarithm where it must
        be positive), from the curvature of the likelihood.

        Returns
        -------
        pandas.DataFrame
            Indexed by parameter: ``value``, ``low``, ``high``.

        Raises
        ------
        ValueError
            If the confidence is not between 0 and 1.
        """
        check_share("confidence", confidence)
        values = self.family.unpack(self.free)
        links = [LINKS[name] for name in self.family.links]

        def linked(free):
            return np.array(
                [to(p) for (to, _), p in zip(links, self.family.unpack(free), strict=True)]
            )

        slopes = np.atleast_2d(approx_fprime(self.free, linked, centered=True))
        slopes = slopes.reshape(len(values), self.free.size)
        spread = np.sqrt(np.diag(slopes @ self.covariance @ slopes.T))
        spread = spread * stats.norm.ppf(0.5 + confidence / 2.0)
        rows = [
            (value, back(to(value) - s), back(to(value) + s))
            for value, s, (to, back) in zip(values, spread, links, strict=True)
        ]
        return pd.DataFrame(rows, index=self.family.parameters, columns=["value", "low", "high"])


def fit_values(family, values):
    """Fit a family to values by maximum likelihood.

    Parameters
    ----------
    family : Family
        One of `perfkit.methods.families`.
    values : array_like of float
        Positive.

    Returns
    -------
    DistributionFit

    Raises
    ------
    ValueError
        If the values are no list, one is not positive, or there are not more of them than free
        numbers.
    """
    values = np.asarray(values, float)
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
    digest = content_hash(np.sort(values))
    cost = _minus_log(family, values)
    return _search(family, cost, family.starts(*scale), values.size, "values", digest)


def _minus_log(family, values):
    def cost(free):
        found = family.distribution(family.unpack(free)).logpdf(values)
        return -float(np.maximum(found, np.log(TINY)).sum())

    return cost


def fit_classes(family, edges, counts=None, *, shares=None):
    """Fit a family to counts or shares in classes by maximum likelihood.

    The likelihood is that of values known to lie in one of the classes: where these leave out
    a range, nothing is said about how many values it holds.

    Parameters
    ----------
    family : Family
    edges : array_like of float, shape (classes + 1,)
        From 0 to infinity for classes that leave out nothing.
    counts : array_like of float, shape (classes,)
        How many values lie in each class.
    shares : array_like of float, shape (classes,)
        In place of counts, where only shares are known, in any unit and as rounded as they are
        printed. The parameters are the same, but there are no intervals.

    Returns
    -------
    DistributionFit

    Raises
    ------
    ValueError
        If edges do not grow, there are no more classes or counted values than free numbers, not
        one of counts and shares is given, all values lie in one class, where a family of more
        than one free number may be as narrow as it likes, or the fit becomes the better the
        longer or the shorter its values are, as where shares rise to the last class.
    """
    edges, counts, known = _classes(edges, counts, shares)
    if counts.size <= family.size:
        raise ValueError(
            f"A {family.name} has {family.size} free numbers and needs more classes than that; "
            f"{counts.size} are given."
        )
    total = counts.sum()
    if family.size > 1 and counts.max() == total:
        raise ValueError(f"A {family.name} can't be fitted to values that all lie in one class.")
    if known and total <= family.size:
        raise ValueError(
            f"A {family.name} is fitted to more than {family.size} values; the counts add up to "
            f"{total:g}. Shares are given as shares=."
        )

    def cost(free):
        return _cost_of_classes(family.distribution(family.unpack(free)), edges, counts)

    inner = _finite_edges(edges)
    scale = inner[0] / 3.0, np.sqrt(inner[0] * inner[min(1, inner.size - 1)]), inner[-1] * 3.0
    data = f"values in {counts.size} classes"
    digest = content_hash([edges, counts])
    count = total if known else np.nan
    fit = _search(family, cost, family.starts(*scale), count, data, digest)
    _check_scale(fit, edges, counts)
    return fit


def _finite_edges(edges):
    return edges[(edges > 0.0) & np.isfinite(edges)]


def _cost_of_classes(distribution, edges, counts):
    found = _shares_of_classes(distribution, edges)
    return -float(special.xlogy(counts, np.maximum(found, TINY)).sum())


def _check_scale(fit, edges, counts):
    """Refuse a fit that becomes no worse the longer, or the shorter, its values are."""
    limits = _finite_edges(edges)
    with np.errstate(all="ignore"):
        median = fit.distribution.ppf(0.5)
        gone = {"longer": median > FAR * limits[-1], "shorter": median < limits[0] / FAR}
        for way, factor in (("longer", 1.0 / FAR), ("shorter", FAR)):
            cost = _cost_of_classes(fit.distribution, edges * factor, counts)
            gone[way] |= cost <= fit.cost + CLOSE * counts.sum()
    for way in gone:
        if gone[way]:
            raise ValueError(
                f"No {fit.family.name} fits these classes best: the {way} its values are, the"
                " better it fits."
            )


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

    Raises
    ------
    ValueError
        If limits and shares do not pair, limits do not rise, shares fall or are none, fewer
        numbers are printed than the family has free, a moment is negative or not finite, or half
        a digit is not above 0.
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
    nothing = np.full((family.size, family.size), np.nan)
    digest = content_hash([limits, cdf, mean, sd])
    return DistributionFit(
        family, best.x, float(best.cost), np.nan, nothing, "values in a table", digest
    )


def _check_printed(half_digit, mean, sd, moment_half_digits):
    check_above_0("half_digit", half_digit)
    if np.shape(moment_half_digits) != (2,):
        raise ValueError(f"moment_half_digits must be two numbers; not {moment_half_digits!r}.")
    for half in moment_half_digits:
        check_above_0("Each of moment_half_digits", half)
    for name, moment in (("mean", mean), ("sd", sd)):
        if moment is not None and not (is_finite(moment) and moment >= 0.0):
            raise ValueError(f"{name} must be a finite number of 0 or more; {moment!r} is not.")


def class_shares(distribution, edges):
    """Return the share of a distribution in each class, exact in both tails.

    Parameters
    ----------
    distribution : object
        With ``cdf`` and ``sf``.
    edges : array_like of float, shape (classes + 1,)

    Returns
    -------
    numpy.ndarray, shape (classes,)
    """
    edges = np.asarray(edges, float)
    low, high = distribution.cdf(edges), distribution.sf(edges)
    return np.where(low[:-1] < 0.5, np.diff(low), -np.diff(high))


def _shares_of_classes(distribution, edges):
    """Return the share in each class of the values that lie in any."""
    shares = class_shares(distribution, edges)
    return shares / np.maximum(shares.sum(), TINY)


def goodness_of_classes(fit, edges, counts=None, *, shares=None):
    """Return the likelihood-ratio and Pearson tests of a fit to counts or shares in classes.

    Parameters
    ----------
    fit : DistributionFit
    edges, counts, shares : array_like of float
        As of `fit_classes`.

    Returns
    -------
    pandas.DataFrame
        Indexed ``likelihood_ratio`` and ``pearson``: ``statistic``, ``df``, ``p`` and
        ``rejected_from`` (how many values in the same shares would reject the fit at 5 %).
        With no degree of freedom left, p and the last are not numbers. For shares in place
        of counts, the statistic is a value's and p is not a number.

    Raises
    ------
    ValueError
        If edges do not grow, or not one of counts and shares is given.
    """
    edges, counts, known = _classes(edges, counts, shares)
    total = counts.sum()
    expected = np.maximum(total * _shares_of_classes(fit.distribution, edges), 0.0)
    ratio = 2.0 * special.rel_entr(counts, expected).sum()
    df = counts.size - 1 - fit.family.size
    statistic = {"likelihood_ratio": ratio, "pearson": _pearson(counts, expected)}
    table = pd.DataFrame({"statistic": statistic})
    table["df"] = df
    table["p"] = stats.chi2.sf(table["statistic"], df) if known and df > 0 else np.nan
    limit = stats.chi2.isf(0.05, df) if df > 0 else np.nan
    table["rejected_from"] = limit * total / table["statistic"]
    return table


def _pearson(counts, expected):
    """Return Pearson's statistic: infinite where something is in a class that expects nothing."""
    impossible = np.where(counts > 0.0, np.inf, 0.0)
    return np.divide((counts - expected) ** 2, expected, out=impossible, where=expected > 0.0).sum()


def goodness_of_values(fit, values, *, seed=0, resamples=99):
    """Return the Kolmogorov-Smirnov distance of a fit, and its p by parametric bootstrap.

    Because the parameters were fitted to the same values, the usual tables of the distance
    would accept too often; here each resample is drawn from the fit and fitted anew.

    Parameters
    ----------
    fit : DistributionFit
        By ``fit_values``.
    values : array_like of float
        Those that it was fitted to, in any order.
    seed : int
    resamples : int
        1 or more; p is one of 1 / (resamples + 1), ..., 1.

    Returns
    -------
    pandas.Series
        ``distance``, ``p``.

    Raises
    ------
    ValueError
        If the values are not those of the fit, or ``resamples`` no whole number of 1 or more.
    """
    values = np.asarray(values, float)
    check_list("values", values)
    check_whole("resamples", resamples)
    if content_hash(np.sort(values)) != fit.digest:
        told = f"{fit.count:g} {fit.data}; these {values.size} are others"
        raise ValueError(f"Goodness is told by what was fitted ({told}).")
    distance = stats.kstest(values, fit.distribution.cdf).statistic
    rng = np.random.default_rng(seed)
    beyond = 0
    for _ in range(resamples):
        drawn = fit.distribution.rvs(values.size, random_state=rng)
        again = optimize.minimize(_minus_log(fit.family, drawn), fit.free, method="BFGS").x
        refitted = fit.family.distribution(fit.family.unpack(again))
        beyond += stats.kstest(drawn, refitted.cdf).statistic >= distance
    return pd.Series({"distance": distance, "p": (beyond + 1) / (resamples + 1)})


def compare(fits):
    """Return fits side by side, the best by Akaike's criterion first.

    Parameters
    ----------
    fits : iterable of DistributionFit
        By likelihood, to the same values or classes.

    Returns
    -------
    pandas.DataFrame
        Indexed by family: ``free``, ``log_likelihood``, ``aic``, ``mean``, ``sd``, ``median``.

    Raises
    ------
    ValueError
        If a fit is not by likelihood to values that were counted, or values, classes or counts
        differ.
    """
    fits = list(fits)
    data = {(fit.count, fit.data) for fit in fits}
    if len(data) != 1 or not all(np.isfinite(fit.count) for fit in fits):
        raise ValueError(
            "Akaike's criterion compares fits by likelihood to the same values or classes; these "
            f"are to {', '.join(f'{fit.count:g} {fit.data}' for fit in fits) or 'nothing'} "
            "(nan: shares, or no likelihood)."
        )
    if len({fit.digest for fit in fits}) != 1:
        raise ValueError(
            "Akaike's criterion compares fits by likelihood to the same values or classes; these "
            f"are to as many, but not the same {next(iter(fits)).data}."
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
    return pd.DataFrame(rows).T.astype({"free": int}).sort_values("aic")


def _search(family, cost, starts, count, data, digest):
    with np.errstate(all="ignore"):
        found = [optimize.minimize(cost, start, method="BFGS") for start in starts]
        best = min(found, key=lambda result: result.fun)
        if not best.success:
            polished = optimize.minimize(cost, best.x, method="Nelder-Mead")
            best = min(best, polished, key=lambda result: result.fun)
        covariance = np.full((family.size, family.size), np.nan)
        if np.isfinite(count):
            curvature = approx_hess(best.x, cost)
            if np.isfinite(curvature).all() and np.linalg.eigvalsh(curvature).min() > 0.0:
                covariance = np.linalg.inv(curvature)
    return DistributionFit(family, best.x, float(best.fun), float(count), covariance, data, digest)


def _points(limits, cdf):
    """Return the limits and shares of a printed table as arrays."""
    limits, cdf = np.asarray(limits, float), np.asarray(cdf, float)
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


def _classes(edges, counts, shares):
    """Return edges, what is in the classes, and whether it is counted; shares add up to one."""
    if (counts is None) == (shares is None):
        raise ValueError("Give one of counts and shares: what is known of the classes.")
    known = counts is not None
    edges, inside = np.asarray(edges, float), np.asarray(counts if known else shares, float)
    if inside.size != edges.size - 1 or not (np.diff(edges) > 0.0).all() or not (inside >= 0).all():
        raise ValueError("Counts are one a class, never negative; a class lies between two edges.")
    if not 0.0 < inside.sum() < np.inf:
        raise ValueError("All classes are empty, or one holds an infinite number of values.")
    if not _finite_edges(edges).size:
        raise ValueError(f"A finite edge must lie above 0; of {edges.tolist()} none does.")
    return edges, inside if known else inside / inside.sum(), known
