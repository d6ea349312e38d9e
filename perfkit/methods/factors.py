"""Performance factors: stepwise regression, and how often a selection ends the same.

Anderson, Reiser and Galati (1975) look for the few of some 70 variables that go with the
logarithm of response. Correlations are in `perfkit.methods.correlation`.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import special
from statsmodels.regression.linear_model import OLSResults, RegressionResultsWrapper

from perfkit.core.values import check_names, check_whole, is_finite, is_number, is_whole
from perfkit.core.wording import one_line
from perfkit.methods.correlation import (
    check_named,
    checked_correlation,
    numbers,
    r2_of,
    standardised,
)

MOST_RESAMPLES = 10**6
CONSTANT = "const"  # what statsmodels calls the constant term
REDUNDANT_R2 = 1.0 - 1e-9  # a candidate that others explain as well as this can't enter
ROUNDING = 1e-12  # what is left of R squared, or gained in it, may be rounding alone


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


def stepwise(frame, response, candidates, *, entry=0.05, removal=0.10):
    """Regress a response on the candidates that earn their place, one step at a time.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per sample.
    response : str
    candidates : list of str
    entry : float
        A candidate enters if its partial F test has a p below this.
    removal : float
        A variable leaves if its p rises above this; not below ``entry``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5], "R": [2.1, 3.9, 6.0, 8.1, 9.9]})
    >>> path, fit = stepwise(frame, "R", ["x"])
    >>> chosen(path), round(float(fit.params["x"]), 2)
    (['x'], 1.98)
    """
    data = _variables(frame, response, candidates)
    correlation = standardised(data).corr()
    path = stepwise_path(correlation, response, len(data), entry=entry, removal=removal)
    return Stepwise(path, _regression(data[response], data[chosen(path)]))


def _regression(response, predictors):
    """Return the regression with a constant, solved less the means and then moved back to them.

    Statsmodels takes a column whose mean is 10^6 times its spread for a second constant.
    """
    means = predictors.mean()
    centred = sm.add_constant(predictors - means, has_constant="add")
    found = sm.OLS(response - response.mean(), centred).fit()
    back = np.eye(1 + means.size)
    back[0, 1:] = -means
    params = back @ found.params.to_numpy()
    params[0] += response.mean()
    covariances = back @ found.normalized_cov_params.to_numpy() @ back.T
    model = sm.OLS(response, sm.add_constant(predictors, has_constant="add"))
    model.df_model, model.df_resid = found.df_model, found.df_resid
    return RegressionResultsWrapper(OLSResults(model, params, covariances))


def _variables(frame, response, candidates):
    check_names("candidates", candidates)
    if CONSTANT in candidates:
        raise ValueError(
            f"No candidate may be called {CONSTANT!r}, as the regression's constant is; rename it."
        )
    return numbers(frame, [response, *candidates])


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
        One row per step: ``action``, ``variable``, ``f_ratio``, ``p``, ``df`` (of the error in the
        partial F test), ``r2`` and ``adjusted_r2`` after it, and ``variables`` that are then in.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame([[1, 0.6], [0.6, 1]], ["R", "N_d"], ["R", "N_d"])
    >>> stepwise_path(table, "R", 100)["variable"].tolist()
    ['N_d']
    """
    if not is_finite(count) or count < 2:
        raise ValueError(f"count must be 2 samples or more; {count!r} is not.")
    shares = is_number(entry) and is_number(removal)
    if not shares or not 0.0 < entry <= removal <= 1.0:
        raise ValueError(
            f"entry and removal must be above 0, at most 1, and entry no more than removal; "
            f"{one_line(entry)} and {one_line(removal)} are not."
        )
    matrix = checked_correlation(correlation)
    check_named(correlation, [response])
    names, target = list(correlation.index), correlation.index.get_loc(response)
    inside, rows = [], []
    while True:
        step = _leaving(matrix, target, count, inside, removal)
        step = step or _entering(matrix, target, count, inside, entry)
        if step is None:
            break
        action, variable, f_ratio, p, df = step
        inside = [v for v in inside if v != variable] + [variable] * (action == "in")
        r2 = r2_of(matrix, target, inside)
        adjusted = 1.0 - (1.0 - r2) * (count - 1) / (count - 1 - len(inside))
        kept = tuple(names[v] for v in inside)
        rows.append((action, names[variable], f_ratio, p, df, r2, adjusted, kept))
    columns = ["action", "variable", "f_ratio", "p", "df", "r2", "adjusted_r2", "variables"]
    return pd.DataFrame(rows, columns=columns, index=pd.RangeIndex(1, len(rows) + 1, name="step"))


def chosen(path):
    """Return the variables that stand in the regression at the end of a path.

    Parameters
    ----------
    path : pandas.DataFrame
        As of `stepwise_path`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame([[1, 0.6], [0.6, 1]], ["R", "N_d"], ["R", "N_d"])
    >>> chosen(stepwise_path(table, "R", 100))
    ['N_d']
    """
    return list(path["variables"].iloc[-1]) if len(path) else []


def _partial_f(matrix, target, count, inside, variable):
    """Return the partial F of one variable in a regression that contains it, its p and df."""
    df = count - 1 - len(inside)
    if df <= 0:
        return 0.0, 1.0, df
    whole = r2_of(matrix, target, inside)
    less = r2_of(matrix, target, [v for v in inside if v != variable])
    gain = max(whole - less, 0.0)
    if whole >= 1.0 - ROUNDING:
        f_ratio = np.inf if gain > ROUNDING else 0.0
    else:
        f_ratio = gain * df / (1.0 - whole)
    return float(f_ratio), float(special.fdtrc(1.0, df, f_ratio)), df


def _entering(matrix, target, count, inside, entry):
    outside = [v for v in range(len(matrix)) if v != target and v not in inside]
    steps = [
        ("in", v, *_partial_f(matrix, target, count, [*inside, v], v))
        for v in outside
        if r2_of(matrix, v, inside) < REDUNDANT_R2
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
    """Return how often each candidate is selected from a random half of the samples.

    A selection that changes from half to half is no finding (Meinshausen and Buehlmann 2010).
    Samples drawn with replacement would not do: each counts several times, so that the F tests
    let chance in more often than their limits say. Half the samples find weak factors less often
    than all. Blocks of successive samples, kept or left out together, keep most of their
    autocorrelation.

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
        Indexed by candidate: ``selected`` and ``first`` (shares of the resamples). One that is
        constant in a half is not selected from it.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": range(40), "R": [2.0 * k + k % 3 for k in range(40)]})
    >>> selection_frequency(frame, "R", ["x"]).to_numpy().tolist()
    [[1.0, 1.0]]
    """
    check_whole("resamples", resamples, most=MOST_RESAMPLES)
    check_whole("seed", seed, 0)
    data = standardised(_variables(frame, response, candidates))
    if not is_whole(block) or not 1 <= block <= len(data) // 2:
        raise ValueError(f"A block must be 1 to {len(data) // 2} samples long; {block!r} is not.")
    rng = np.random.default_rng(seed)
    selected, first = (pd.Series(0.0, index=list(candidates)) for _ in range(2))
    for _ in range(resamples):
        half = data[_half(len(data), block, rng)]
        half = half.loc[:, np.ptp(half.to_numpy(), axis=0) > 0.0]
        if response not in half:
            continue
        path = stepwise_path(half.corr(), response, len(half), entry=entry, removal=removal)
        selected[chosen(path)] += 1.0
        first[path["variable"].iloc[:1]] += 1.0
    return pd.DataFrame({"selected": selected, "first": first}) / resamples


def _half(count, block, rng):
    """Return which samples are in a random half of the blocks, the first one cut anywhere."""
    blocks = (np.arange(count) + rng.integers(block)) // block
    number = blocks[-1] + 1
    return rng.permuted(np.arange(number) < (number + 1) // 2)[blocks]
