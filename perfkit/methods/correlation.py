"""Correlations of samples: their significance, also of minutes that are alike, and what is left.

The form is that of Table 5 of Anderson, Reiser and Galati (1975): a row a pair of variables.
"""

from bisect import bisect_left

import numpy as np
import pandas as pd
from scipy import stats

from perfkit.values import check_columns, check_share, check_whole, is_constant

MOST_SAMPLES, ROUNDING = 10**12, 1e-9
SQUARE = "Correlations are a square table with the same rows and columns, all known."


def effective_count(first, second, lags=None):
    """Return how many independent pairs two series of samples are worth (Bartlett 1935).

    Successive minutes are alike, so n of them say less of a correlation than n independent
    ones: n / (1 + 2 sum of the products of both autocorrelations).

    Parameters
    ----------
    first, second : array_like of float, shape (n,)
        In order of time.
    lags : int, optional
        How far autocorrelations are summed; by default n to the power 2/3, rounded down.

    Returns
    -------
    float
        From 2 to n.

    Raises
    ------
    ValueError
        If a series is constant, the series are not equally long, a sample is missing, or ``lags``
        is no whole number from 0 to n - 1.
    """
    x, y = np.asarray(first, float), np.asarray(second, float)
    if x.ndim != 1 or x.shape != y.shape or not np.isfinite([x, y]).all():
        raise ValueError(
            "effective_count needs two equally long series of finite samples; their shapes are"
            f" {x.shape} and {y.shape}."
        )
    if is_constant(x) or is_constant(y):
        raise ValueError("A constant series has no correlation, so it is worth no samples.")
    n = x.size
    lags = min(n - 1, int(np.cbrt(n) ** 2 + ROUNDING)) if lags is None else lags
    check_whole("lags", lags, 0)
    if lags > n - 1:
        raise ValueError(f"{n} samples have lags up to {n - 1}; {lags!r} is not.")
    products = sum(_autocorrelation(x, k) * _autocorrelation(y, k) for k in range(1, lags + 1))
    return float(np.clip(n / max(1.0 + 2.0 * products, 1e-12), 2.0, n))


def _autocorrelation(values, lag):
    deviations = values - values.mean()
    return float(deviations[:-lag] @ deviations[lag:] / (deviations @ deviations))


def correlations(frame, variables=None, *, confidence=0.95, serial=False):
    """Return every pair's correlation, with its interval and significance.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a sample: a minute.
    variables : list of str, optional
        All columns by default.
    confidence : float
        Of the interval, by Fisher's transformation.
    serial : bool
        Count no more samples than the series are worth (`effective_count`); the frame must be
        one unbroken series.

    Returns
    -------
    pandas.DataFrame
        A row a pair, in the order of Table 5: ``variable``, ``against``, ``r``, ``low``,
        ``high``, ``count`` and ``p`` (two-sided t test of no correlation).

    Raises
    ------
    ValueError
        If a column lacks or is there twice, a value is missing, a variable is constant, there
        are fewer than three rows, or the confidence is not between 0 and 1.
    """
    check_share("confidence", confidence)
    values = standardised(frame, variables)
    names, r = list(values.columns), values.corr().to_numpy()
    i, j = np.triu_indices(len(names), 1)
    table = pd.DataFrame(
        {"variable": [names[k] for k in i], "against": [names[k] for k in j], "r": r[i, j]}
    )
    counts = np.full(i.size, float(len(values)))
    if serial:
        columns = values.to_numpy().T
        counts = np.array(
            [effective_count(columns[a], columns[b]) for a, b in zip(i, j, strict=True)]
        )
    low, high = correlation_interval(table["r"], counts, confidence)
    return table.assign(low=low, high=high, count=counts, p=correlation_p(table["r"], counts))


def correlation_interval(r, count, confidence=0.95):
    """Return the interval of correlations by Fisher's transformation.

    Parameters
    ----------
    r : array_like of float
    count : array_like of float
        Independent samples behind each.
    confidence : float

    Returns
    -------
    low, high : numpy.ndarray
        -1 and 1 where there are three samples or fewer.

    Raises
    ------
    ValueError
        If a correlation is not from -1 to 1, or the confidence not between 0 and 1.
    """
    check_share("confidence", confidence)
    r, count = _checked_r(r), np.asarray(count, float)
    z = np.arctanh(np.clip(r, -1.0 + 1e-15, 1.0 - 1e-15))
    spread = np.where(count > 3.0, 1.0 / np.sqrt(np.maximum(count - 3.0, 1e-12)), np.inf)
    spread = spread * stats.norm.ppf(0.5 + confidence / 2.0)
    return np.tanh(z - spread), np.tanh(z + spread)


def _checked_r(r):
    """Return correlations as an array; those that rounding puts beyond 1 are let pass."""
    r = np.asarray(r, float)
    beyond = r[~(np.abs(r) <= 1.0 + ROUNDING)]
    if beyond.size:
        raise ValueError(f"A correlation must be from -1 to 1; {beyond[0]} is not.")
    return r


def correlation_p(r, count):
    """Return the two-sided p of correlations of so many independent samples.

    Parameters
    ----------
    r, count : array_like of float

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    ValueError
        If a correlation is not from -1 to 1.
    """
    r, free = _checked_r(r), np.asarray(count, float) - 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(r) * np.sqrt(free / (1.0 - r**2))
    return np.where(free > 0.0, 2.0 * stats.t.sf(t, np.maximum(free, 1e-12)), 1.0)


def samples_for_significance(r, level=0.05):
    """Return the fewest independent samples in which a correlation of r is significant.

    Parameters
    ----------
    r : float
        Between -1 and 1, not 0.
    level : float
        Of the two-sided test, between 0 and 1.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If no number of samples would do, or three always; if the level is impossible, or more
        than 10^12 samples would be needed.
    """
    if not 0.0 < abs(r) < 1.0:
        raise ValueError(f"r must lie between -1 and 1 and not be 0; {r!r} does not.")
    check_share("level", level)
    if correlation_p(r, MOST_SAMPLES) > level:
        raise ValueError(f"A correlation of {r!r} needs more than {MOST_SAMPLES} samples.")
    counts = range(3, MOST_SAMPLES + 1)
    return counts[bisect_left(counts, True, key=lambda count: correlation_p(r, count) <= level)]


def correlation_table(pairs):
    """Return the square table of correlations from a row a pair.

    Parameters
    ----------
    pairs : pandas.DataFrame
        ``variable``, ``against`` and ``r``, as of `correlations` or of a printed triangle.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ValueError
        If a pair lacks or is given twice.
    """
    names = list(dict.fromkeys([*pairs["variable"], *pairs["against"]]))
    diagonal = np.where(np.eye(len(names)) > 0.0, 1.0, np.nan)
    table = pd.DataFrame(diagonal, index=names, columns=names)
    for pair in pairs.itertuples():
        if not np.isnan(table.loc[pair.variable, pair.against]):
            raise ValueError(f"{pair.variable!r} against {pair.against!r} is given twice.")
        table.loc[pair.variable, pair.against] = table.loc[pair.against, pair.variable] = pair.r
    if table.isna().any(axis=None):
        raise ValueError(f"{len(names)} variables have more pairs than the known ones here.")
    return table


def partial_correlations(correlation, given):
    """Return the correlations that are left when some variables are held fixed.

    Parameters
    ----------
    correlation : pandas.DataFrame
    given : list of str

    Returns
    -------
    pandas.DataFrame
        Of the other variables.

    Raises
    ------
    ValueError
        If the table is none of correlations (see `checked_correlation`), a variable unknown or
        named twice, one of the given follows from the others, or another one from them.
    """
    check_named(correlation, given)
    checked_correlation(correlation)
    rest = [name for name in correlation.index if name not in given]
    across = correlation.loc[rest, list(given)].to_numpy()
    within = np.linalg.solve(_not_redundant(correlation, given), across.T)
    left = correlation.loc[rest, rest].to_numpy() - across @ within
    gone = [name for name, share in zip(rest, np.diag(left), strict=True) if share < ROUNDING]
    if gone:
        raise ValueError(
            f"Nothing is left of {', '.join(map(str, gone))} with"
            f" {', '.join(map(str, given))} held fixed."
        )
    scale = np.sqrt(np.diag(left))
    return pd.DataFrame(left / np.outer(scale, scale), index=rest, columns=rest)


def multiple_r2(correlation, response, predictors):
    """Return the share of the response's variance that a regression on predictors explains.

    Parameters
    ----------
    correlation : pandas.DataFrame
    response : str
    predictors : list of str

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the variables have no table of correlations (see `checked_correlation`), one is unknown
        or named twice, or a predictor follows from the others.
    """
    named = [response, *predictors]
    check_named(correlation, named)
    _not_redundant(correlation, predictors)
    checked_correlation(correlation.loc[named, named])
    place = correlation.index.get_loc
    return r2_of(correlation.to_numpy(), place(response), [place(name) for name in predictors])


def variance_inflation(correlation, predictors):
    """Return how much each predictor's coefficient suffers from the others.

    Parameters
    ----------
    correlation : pandas.DataFrame
    predictors : list of str

    Returns
    -------
    pandas.Series
        The factor by which its variance grows; 1 is not at all.

    Raises
    ------
    ValueError
        If the predictors have no table of correlations (see `checked_correlation`), or one is
        unknown, named twice or follows from the others.
    """
    check_named(correlation, predictors)
    matrix = _not_redundant(correlation, predictors)
    return pd.Series(np.diag(np.linalg.inv(matrix)), index=list(predictors))


def check_named(correlation, names):
    """Refuse names that a table of correlations does not have, each once.

    Raises
    ------
    ValueError
        If a name is unknown, or given or in the table twice, or the table is not square.
    """
    _check_square(correlation)
    check_once(names)
    check_once(correlation.index)
    unknown = [name for name in names if name not in correlation.index]
    if unknown:
        raise ValueError(f"The correlations have no variable {', '.join(map(repr, unknown))}.")


def _check_square(correlation):
    if not isinstance(correlation, pd.DataFrame):
        raise TypeError(
            f"Correlations must be a pandas.DataFrame, not {type(correlation).__name__}."
        )
    if correlation.empty or list(correlation.index) != list(correlation.columns):
        raise ValueError(SQUARE)


def check_once(names):
    """Refuse names of variables that are not all different.

    Raises
    ------
    ValueError
        If one is there twice.
    """
    names = pd.Index(names)
    if names.has_duplicates:
        twice = ", ".join(map(repr, names[names.duplicated()].unique()))
        raise ValueError(f"Each variable must be named once; {twice} is not.")


def _not_redundant(correlation, names):
    """Return the correlations of variables with each other, or refuse what follows from others."""
    if len(names) == 0:
        return np.empty((0, 0))
    table = correlation.loc[list(names), list(names)]
    if table.isna().any(axis=None):
        raise ValueError(f"The correlations of {', '.join(map(str, names))} must all be known.")
    matrix = checked_correlation(table)
    if (np.abs(np.linalg.eigvalsh(matrix)) < ROUNDING).any():
        raise ValueError(
            f"One of {', '.join(map(str, names))} follows from the others; leave it out."
        )
    return matrix


def r2_of(matrix, target, inside):
    """Return R squared of column ``target`` on the columns ``inside`` of a correlation matrix."""
    if not inside:
        return 0.0
    r = matrix[inside, target]
    return float(r @ np.linalg.solve(matrix[np.ix_(inside, inside)], r))


def standardised(frame, variables=None):
    """Return variables less their means, over their standard deviations.

    Parameters
    ----------
    frame : pandas.DataFrame
    variables : list of str, optional
        All columns by default.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ValueError
        If a column lacks or is there twice, none is named, a value is missing, a variable is
        constant, or there are fewer than three rows.
    """
    values = numbers(frame, variables)
    if values.columns.empty:
        raise ValueError("Name one variable or more; there is none.")
    if len(values) < 3 or not np.isfinite(values.to_numpy()).all():
        raise ValueError("Three rows or more are needed, and no value may be missing or infinite.")
    constant = [name for name in values if is_constant(values[name])]
    if constant:
        raise ValueError(f"A constant has no correlation: {', '.join(map(str, constant))}.")
    return (values - values.mean()) / values.std()


def numbers(frame, variables=None):
    """Return columns of a frame as floats; all by default.

    Raises
    ------
    ValueError
        If a column lacks or is there twice.
    """
    names = list(frame.columns if variables is None else variables)
    check_once(names)
    check_columns(frame, names)
    found = frame[names]
    check_once(found.columns)
    return found.astype(float)


def checked_correlation(correlation):
    """Return a table of correlations as an array.

    Parameters
    ----------
    correlation : pandas.DataFrame

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    ValueError
        If it is none: not square, not symmetric, not one on its diagonal, or with a negative
        eigenvalue.
    """
    _check_square(correlation)
    try:
        matrix = correlation.to_numpy(float)
    except (TypeError, ValueError):
        matrix = np.array([np.nan])
    if not np.isfinite(matrix).all():
        raise ValueError(SQUARE)
    if not (np.allclose(matrix, matrix.T) and np.allclose(np.diag(matrix), 1.0)):
        raise ValueError("Correlations are symmetric, with ones on the diagonal.")
    least = np.linalg.eigvalsh(matrix)[0]
    if least < -1e-9:
        raise ValueError(f"No data have these correlations: an eigenvalue is {least:.2g}.")
    return matrix
