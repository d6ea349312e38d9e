"""Performance factors: correlations with their significance, and stepwise regression.

Anderson, Reiser and Galati (1975) look for the few of some 70 variables that go with the
logarithm of response, by correlation (Table 5) and stepwise regression.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import special, stats

from perfkit.methods.characterisation import checked_correlation, standardised

REDUNDANT_R2 = 1.0 - 1e-9  # a candidate that others explain as well as this can't enter


def effective_count(first, second, lags=None):
    """Return how many independent pairs two series of samples are worth (Bartlett 1935).

    Successive minutes are alike, so n of them say less of a correlation than n independent
    ones: n / (1 + 2 sum of the products of both autocorrelations).

    Parameters
    ----------
    first, second : array_like of float, shape (n,)
        In order of time.
    lags : int, optional
        How far autocorrelations are summed; by default n to the power 2/3.

    Returns
    -------
    float
        From 2 to n.
    """
    x, y = np.asarray(first, float), np.asarray(second, float)
    n = x.size
    lags = min(n - 1, int(n ** (2 / 3))) if lags is None else lags
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
        If a value is missing, a variable is constant, or there are fewer than three rows.
    """
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

    Returns
    -------
    low, high : numpy.ndarray
        -1 and 1 where there are three samples or fewer.
    """
    r, count = np.asarray(r, float), np.asarray(count, float)
    z = np.arctanh(np.clip(r, -1.0 + 1e-15, 1.0 - 1e-15))
    spread = np.where(count > 3.0, 1.0 / np.sqrt(np.maximum(count - 3.0, 1e-12)), np.inf)
    spread = spread * stats.norm.ppf(0.5 + confidence / 2.0)
    return np.tanh(z - spread), np.tanh(z + spread)


def correlation_p(r, count):
    """Return the two-sided p of correlations of so many independent samples."""
    r, free = np.asarray(r, float), np.asarray(count, float) - 2.0
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
        Of the two-sided test.

    Returns
    -------
    int
    """
    if not 0.0 < abs(r) < 1.0:
        raise ValueError(f"r must lie between -1 and 1 and not be 0; {r!r} does not.")
    count = 3
    while correlation_p(r, count) > level:
        count += 1
    return count


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
        If a pair lacks.
    """
    names = list(dict.fromkeys([*pairs["variable"], *pairs["against"]]))
    table = pd.DataFrame(np.eye(len(names)), index=names, columns=names)
    for pair in pairs.itertuples():
        table.loc[pair.variable, pair.against] = table.loc[pair.against, pair.variable] = pair.r
    if len(pairs) != len(names) * (len(names) - 1) // 2 or table.isna().any(axis=None):
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
    """
    rest = [name for name in correlation.index if name not in given]
    across = correlation.loc[rest, list(given)].to_numpy()
    within = np.linalg.solve(correlation.loc[list(given), list(given)].to_numpy(), across.T)
    left = correlation.loc[rest, rest].to_numpy() - across @ within
    scale = np.sqrt(np.diag(left))
    return pd.DataFrame(left / np.outer(scale, scale), index=rest, columns=rest)


def multiple_r2(correlation, response, predictors):
    """Return the share of the response's variance that a regression on predictors explains."""
    place = correlation.index.get_loc
    return _r2(correlation.to_numpy(), place(response), [place(name) for name in predictors])


def variance_inflation(correlation, predictors):
    """Return how much each predictor's coefficient suffers from the others (1: not at all)."""
    matrix = correlation.loc[list(predictors), list(predictors)].to_numpy()
    return pd.Series(np.diag(np.linalg.inv(matrix)), index=list(predictors))


class Stepwise(NamedTuple):
    """A stepwise regression.

    Attributes
    ----------
    path : pandas.DataFrame
        As of `stepwise_path`.
    model : statsmodels.regression.linear_model.RegressionResults
        The regression on the variables that stay. Its p values don't know of the selection
        and are too small.
    """

    path: pd.DataFrame
    model: object


def stepwise(frame, response, candidates, *, entry=0.05, removal=0.10, log_response=False):
    """Regress a response on the candidates that earn their place, one step at a time.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a sample.
    response : str
    candidates : list of str
    entry : float
        A candidate enters if its partial F test has a p below this.
    removal : float
        A variable leaves if its p rises above this; not below ``entry``.
    log_response : bool
        Take the logarithm of the response. The paper's R* is the mean of the logarithms in a
        minute, which is not the logarithm of the mean; hand that over as it is.

    Returns
    -------
    Stepwise

    Raises
    ------
    ValueError
        If a limit is impossible, a value missing, a variable constant or a response not
        positive whose logarithm is asked for.
    """
    data = frame[[response, *candidates]].astype(float)
    if log_response:
        if not (data[response] > 0.0).all():
            raise ValueError(f"{response} has no logarithm: it is not positive everywhere.")
        data[response] = np.log(data[response])
    correlation = standardised(data).corr()
    path = stepwise_path(correlation, response, len(data), entry=entry, removal=removal)
    predictors = sm.add_constant(data[chosen(path)], has_constant="add")
    return Stepwise(path, sm.OLS(data[response], predictors).fit())


def stepwise_path(correlation, response, count, *, entry=0.05, removal=0.10):
    """Return the steps of a stepwise regression, from correlations alone.

    Forward selection, with a look back after each step (Efroymson): the candidate with the
    greatest partial F enters if it is significant, then the one with the least leaves if it
    no longer is.

    Parameters
    ----------
    correlation : pandas.DataFrame
        Of the response and the candidates.
    response : str
    count : int
        Samples behind the correlations.
    entry, removal : float
        Limits of p.

    Returns
    -------
    pandas.DataFrame
        A row a step: ``action``, ``variable``, ``f_ratio``, ``p``, ``df`` (of the error in the
        partial F test), ``r2`` and ``adjusted_r2`` after it, and ``variables`` that are then in.

    Raises
    ------
    ValueError
        If a limit is impossible or the table none of correlations.
    """
    if not 0.0 < entry <= removal <= 1.0:
        raise ValueError(
            f"entry and removal must be above 0, at most 1, and entry no more than removal; "
            f"{entry!r} and {removal!r} are not."
        )
    matrix = checked_correlation(correlation)
    names, target = list(correlation.index), correlation.index.get_loc(response)
    inside, rows = [], []
    while True:
        step = _leaving(matrix, target, count, inside, removal)
        step = step or _entering(matrix, target, count, inside, entry)
        if step is None:
            break
        action, variable, f_ratio, p, df = step
        inside = [v for v in inside if v != variable] + [variable] * (action == "in")
        r2 = _r2(matrix, target, inside)
        adjusted = 1.0 - (1.0 - r2) * (count - 1) / (count - 1 - len(inside))
        kept = tuple(names[v] for v in inside)
        rows.append((action, names[variable], f_ratio, p, df, r2, adjusted, kept))
    columns = ["action", "variable", "f_ratio", "p", "df", "r2", "adjusted_r2", "variables"]
    return pd.DataFrame(rows, columns=columns, index=pd.RangeIndex(1, len(rows) + 1, name="step"))


def chosen(path):
    """Return the variables that stand in the regression at the end of a path."""
    return list(path["variables"].iloc[-1]) if len(path) else []


def _r2(matrix, target, inside):
    if not inside:
        return 0.0
    r = matrix[inside, target]
    return float(r @ np.linalg.solve(matrix[np.ix_(inside, inside)], r))


def _partial_f(matrix, target, count, inside, variable):
    """Return the partial F of one variable in a regression that contains it, its p and df."""
    df = count - 1 - len(inside)
    if df <= 0:
        return 0.0, 1.0, df
    whole = _r2(matrix, target, inside)
    less = _r2(matrix, target, [v for v in inside if v != variable])
    f_ratio = np.inf if whole >= 1.0 - 1e-12 else max(whole - less, 0.0) * df / (1.0 - whole)
    return float(f_ratio), float(special.fdtrc(1.0, df, f_ratio)), df


def _entering(matrix, target, count, inside, entry):
    outside = [v for v in range(len(matrix)) if v != target and v not in inside]
    steps = [
        ("in", v, *_partial_f(matrix, target, count, [*inside, v], v))
        for v in outside
        if _r2(matrix, v, inside) < REDUNDANT_R2
    ]
    best = max(steps, key=lambda step: step[2], default=None)
    return best if best is not None and best[3] < entry else None


def _leaving(matrix, target, count, inside, removal):
    steps = [("out", v, *_partial_f(matrix, target, count, inside, v)) for v in inside]
    worst = min(steps, key=lambda step: step[2], default=None)
    return worst if worst is not None and worst[3] > removal else None


def selection_frequency(
    frame, response, candidates, *, seed=0, resamples=200, block=1, entry=0.05, removal=0.10
):
    """Return how often each candidate is selected when the samples are drawn again.

    A selection that changes from resample to resample is no finding. Blocks of successive
    samples keep their autocorrelation (moving-block bootstrap).

    Parameters
    ----------
    frame, response, candidates, entry, removal
        As of `stepwise`.
    seed, resamples : int
    block : int
        Successive samples drawn together.

    Returns
    -------
    pandas.DataFrame
        Indexed by candidate: ``selected`` and ``first`` (shares of the resamples).
    """
    data = standardised(frame[[response, *candidates]]).reset_index(drop=True)
    rng = np.random.default_rng(seed)
    starts = len(data) - block + 1
    if starts < 1:
        raise ValueError(f"A block must be 1 to {len(data)} samples long; {block!r} is not.")
    selected, first = (pd.Series(0.0, index=list(candidates)) for _ in range(2))
    for _ in range(resamples):
        begin = rng.integers(starts, size=-(-len(data) // block))
        rows = (begin[:, None] + np.arange(block)).ravel()[: len(data)]
        path = stepwise_path(
            data.iloc[rows].corr(), response, len(data), entry=entry, removal=removal
        )
        selected[chosen(path)] += 1.0
        first[path["variable"].iloc[:1]] += 1.0
    return pd.DataFrame({"selected": selected, "first": first}) / resamples
