"""Planned experiments: effects, analysis of variance and of covariance, and what they assume.

Anderson, Reiser and Galati (1975) try two changes together in a 2^2 design and take out by
analysis of covariance what the uncontrolled load explains (Tables 6 and 7). Factors and
effects are those of `perfkit.methods.designs`.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from statsmodels.formula.api import ols

from perfkit.core.values import (
    ROUNDING,
    check_columns,
    check_names,
    check_share,
    is_constant,
    is_finite,
    is_truth,
)
from perfkit.methods.designs import contrasts

SUFFIX = "_"  # of columns in formulas, where one called C, Q or Sum would hide the function
MEAN = "const"  # what statsmodels calls the constant term
HELD = 16.0 * np.finfo(float).eps  # how far floats may be from what they stand for, relative


def effects(frame, response, factors, covariates=(), *, block=None, confidence=0.95):
    """Return the effects with their intervals, after covariates have been eliminated.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per run.
    response : str
    factors : dict
    covariates : sequence of str
        Uncontrolled quantities that go with the response; the effects are at equal values of
        them. One that the factors themselves move takes part of their effect away with it:
        see `covariate_effects`.
    block : str, optional
        A column of blocks, whose differences are taken out: ``block`` of a design, or ``seed``
        where the runs of a seed share their load, as `perfkit.runs.experiment.sweep` makes them.
    confidence : float

    Returns
    -------
    pandas.DataFrame
        Indexed by term: ``effect``, ``low``, ``high``, ``half_width``, ``p``. Without an error
        (one replicate, or a response that follows exactly from the terms) only the effects are
        numbers. A term that does not change within
        any block is confounded with them and has no number.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"drums": [1, 2] * 3, "R": [5.0, 4.0, 5.2, 4.1, 4.8, 3.9]})
    >>> float(effects(frame, "R", {"drums": (1, 2)}).loc["drums", "effect"].round(2))
    -1.0
    """
    check_share("confidence", confidence)
    model, terms = _coded_model(frame, response, factors, covariates, block)
    table = pd.DataFrame({"effect": 2.0 * model.params.reindex(terms)})
    if model.df_resid < 1 or _is_exact(model, frame[response]):
        return table.assign(low=np.nan, high=np.nan, half_width=np.nan, p=np.nan)
    half = 2.0 * stats.t.ppf(0.5 + confidence / 2.0, model.df_resid) * model.bse.reindex(terms)
    return table.assign(
        low=table["effect"] - half,
        high=table["effect"] + half,
        half_width=half,
        p=model.pvalues.reindex(terms),
    )


def covariate_effects(frame, factors, covariates, *, block=None, confidence=0.95):
    """Return what the factors do to the covariates, which they should not.

    Parameters
    ----------
    frame, factors, covariates, block, confidence
        As of `effects`.

    Returns
    -------
    pandas.DataFrame
        Indexed by covariate and term; the columns of `effects`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"drums": [1, 2] * 3, "R": [5.0, 4.0, 5.2, 4.1, 4.8, 3.9]})
    >>> frame = frame.assign(N_d=[3, 3, 4, 3, 2, 4])
    >>> len(covariate_effects(frame, {"drums": (1, 2)}, ["N_d"]))
    1
    """
    check_names("covariates", covariates)
    parts = {
        name: effects(frame, name, factors, block=block, confidence=confidence)
        for name in covariates
    }
    return pd.concat(parts, names=["covariate", "term"])


def variance_table(frame, response, factors, covariates=(), *, block=None):
    """Return the analysis of variance, or with covariates of covariance.

    Each sum of squares is that of a term after all others (type 3, with sum contrasts).

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per run.
    response : str
    factors : dict or list of str
        Here they may have any number of levels.
    covariates : sequence of str
    block : str, optional
        A column of blocks, taken out without interactions.

    Returns
    -------
    pandas.DataFrame
        In the form of Table 7, indexed by ``source``, the last of which is ``error``: ``df``,
        ``sum_of_squares``, ``mean_square``, ``f_ratio``, ``p``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"drums": [1, 2] * 3, "R": [5.0, 4.0, 5.2, 4.1, 4.8, 3.9]})
    >>> variance_table(frame, "R", {"drums": (1, 2)})["df"].tolist()
    [1, 4]
    """
    model, names = _formula_model(frame, response, factors, covariates, block)
    if model.df_resid < 1:
        raise ValueError("No degree of freedom is left for the error: replicate.")
    _check_error(model, frame[response])
    table = sm.stats.anova_lm(model, typ=3).rename(
        columns={"sum_sq": "sum_of_squares", "F": "f_ratio", "PR(>F)": "p"}
    )
    table = table.drop(index="Intercept", errors="ignore").rename(index=names)
    table["mean_square"] = table["sum_of_squares"] / table["df"]
    columns = ["df", "sum_of_squares", "mean_square", "f_ratio", "p"]
    return table[columns].astype({"df": int}).rename_axis(index="source")


def adjusted_means(frame, response, factors, covariates=(), *, confidence=0.95):
    """Return the mean of each cell, as it is and at the covariates' means over all runs.

    Each interval is of one cell on its own. Where runs of several cells share a block, what
    differs between cells is known better than the intervals say: see `effects`.

    Parameters
    ----------
    frame, response, factors, covariates
        As of `variance_table`.
    confidence : float

    Returns
    -------
    pandas.DataFrame
        One row per cell: the factors, ``count``, ``mean``, ``adjusted``, ``low``, ``high``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"drums": [1, 2] * 3, "R": [5.0, 4.0, 5.2, 4.1, 4.8, 3.9]})
    >>> frame = frame.assign(N_d=[3, 3, 4, 3, 2, 4])
    >>> adjusted_means(frame, "R", {"drums": (1, 2)}, ["N_d"])["mean"].round(2).tolist()
    [5.0, 4.0]
    """
    check_share("confidence", confidence)
    model, _ = _formula_model(frame, response, factors, covariates, None)
    cells = frame.groupby(list(factors), sort=False, observed=True)[response].agg(["count", "mean"])
    cells = cells.reset_index()
    at = cells.assign(**dict.fromkeys(covariates, 0.0))
    found = model.get_prediction(at.add_suffix(SUFFIX)).summary_frame(alpha=1.0 - confidence)
    found = found[["mean", "mean_ci_lower", "mean_ci_upper"]].to_numpy()
    cells[["adjusted", "low", "high"]] = found + frame[response].astype(float).mean()
    return cells


def slopes(frame, response, factors, covariates, *, block=None, confidence=0.95):
    """Return the slopes of the covariates, common to all cells.

    Parameters
    ----------
    frame, response, factors, covariates, block
        As of `variance_table`.
    confidence : float

    Returns
    -------
    pandas.DataFrame
        Indexed by covariate: ``slope``, ``low``, ``high``, ``p``. Only the slopes are numbers
        where the response follows exactly from the terms.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"drums": [1, 2] * 3, "R": [5.0, 4.0, 5.2, 4.1, 4.8, 3.9]})
    >>> frame = frame.assign(N_d=[3, 3, 4, 3, 2, 4])
    >>> float(slopes(frame, "R", {"drums": (1, 2)}, ["N_d"]).loc["N_d", "slope"].round(2))
    0.11
    """
    check_share("confidence", confidence)
    model, _ = _formula_model(frame, response, factors, covariates, block)
    names = {_quoted(name): name for name in covariates}
    interval = model.conf_int(1.0 - confidence)
    table = pd.DataFrame({"slope": model.params, "low": interval[0], "high": interval[1]})
    table = table.assign(p=model.pvalues).loc[list(names)].rename(index=names)
    exact = _is_exact(model, frame[response])
    return table.assign(low=np.nan, high=np.nan, p=np.nan) if exact else table


def slope_homogeneity(frame, response, factors, covariates, *, block=None):
    """Test whether the covariates' slopes are the same in every cell, as adjustment assumes.

    Parameters
    ----------
    frame, response, factors, covariates, block
        As of `variance_table`.

    Returns
    -------
    pandas.Series
        ``f_ratio``, ``df``, ``error_df``, ``p``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"drums": [1, 2] * 3, "R": [5.0, 4.0, 5.2, 4.1, 4.8, 3.9]})
    >>> frame = frame.assign(N_d=[3, 3, 4, 3, 2, 4])
    >>> slope_homogeneity(frame, "R", {"drums": (1, 2)}, ["N_d"])[["df", "error_df"]].tolist()
    [1.0, 2.0]
    """
    common, _ = _formula_model(frame, response, factors, covariates, block)
    _check_error(common, frame[response])
    cells = "+".join(_category(name) for name in factors)
    lines = "+".join(_quoted(name) for name in covariates)
    blocks = f" + {_category(block)}" if block else ""
    right = f"(({cells}) ** {len(factors)}) * ({lines}){blocks}"
    own = ols(f"{_quoted(response)} ~ {right}", common.model.data.frame).fit()
    if own.df_resid < 1:
        raise ValueError("The cells have too few runs for slopes of their own.")
    f_ratio, p, df = own.compare_f_test(common)
    return pd.Series({"f_ratio": f_ratio, "df": df, "error_df": own.df_resid, "p": p})


def _checked(frame, response, factors, covariates, block):
    """Return the frame, numbers as floats less their means, its rows numbered anew.

    Centred, because squares of large numbers would leave no digits to what lies between them.
    """
    check_names("covariates", covariates)
    if not len(factors):
        raise ValueError("Name one factor or more; there is none.")
    wanted = [response, *factors, *covariates, *([block] if block else [])]
    check_columns(frame, wanted)
    _check_once(wanted, "The response, each factor, covariate and block must be another column")
    if frame[wanted].isna().any(axis=None):
        raise ValueError(
            "No value of the response, a factor, a covariate or a block may be missing."
        )
    frame = frame.reset_index(drop=True)
    for name in (response, *covariates):
        frame[name] = _finite(frame[name])
    parts = frame.groupby(frame[block].to_numpy())[response] if block else [(None, frame[response])]
    if all(is_constant(part) for _, part in parts):
        where = " within any block" if block else ""
        raise ValueError(f"{response!r} does not vary{where}, so there is nothing to analyse.")
    for name in covariates:
        if is_constant(frame[name]):
            raise ValueError(f"Covariate {name!r} is constant and explains nothing; leave it out.")
    for name in (response, *covariates):
        frame[name] -= frame[name].mean()
    return frame


def _check_once(names, rule):
    names = pd.Index(names)
    if names.has_duplicates:
        raise ValueError(f"{rule}; {names[names.duplicated()][0]!r} is there twice.")


def _finite(column):
    """Return a column of numbers or truth values as floats; texts and times are neither."""
    known = np.array([is_finite(value) or is_truth(value) for value in column], bool)
    if not known.all():
        odd = column[~known].iloc[0]
        raise ValueError(f"{column.name!r} must be finite numbers; {odd} is none.")
    return column.astype(float)


def _is_exact(model, response):
    """Return whether the terms give the response exactly, its error being rounding alone.

    The rounding is that of the fit, to a centred response, and of the response as it came.
    """
    rounding = ROUNDING * np.abs(model.model.endog).max()
    rounding += HELD * np.abs(response.astype(float)).max()
    return model.ssr <= model.nobs * rounding**2


def _check_error(model, response):
    if _is_exact(model, response):
        raise ValueError("The response follows exactly from the terms, so it has no error to test.")


def _check_rank(matrix, covariates, block):
    if np.linalg.matrix_rank(matrix) < matrix.shape[1]:
        reasons = ["a combination of levels was never run"]
        if block:
            reasons.append(f"a term is confounded with {block}")
        if covariates:
            reasons.append(f"{', '.join(covariates)} follow from the factors or each other")
        raise ValueError(f"The terms can't be told apart: {', or '.join(reasons)}.")


def _coded_model(frame, response, factors, covariates, block):
    """Return the model fitted to the centred response, and the names of all terms.

    Those confounded with blocks are among them.
    """
    frame = _checked(frame, response, factors, covariates, block)
    terms = contrasts(frame, factors)
    names = list(terms.columns)
    blocks = pd.DataFrame(index=frame.index)
    if block:
        place = pd.factorize(frame[block])[0]
        blocks = pd.get_dummies(place, drop_first=True, dtype=float).add_prefix("block ")
        terms = terms.loc[:, (terms.groupby(place).nunique() > 1).any()]
    called = pd.Index([MEAN, *blocks.columns, *names, *covariates])
    if called.has_duplicates:
        raise ValueError(
            f"No factor or covariate may be called {called[called.duplicated()][0]!r}, as another"
            " term of the model is; rename it."
        )
    terms = terms.join(blocks)
    terms = sm.add_constant(terms, has_constant="add").join(frame[list(covariates)])
    _check_rank(terms.to_numpy(), covariates, block)
    return sm.OLS(frame[response], terms).fit(), names


def _formula_model(frame, response, factors, covariates, block):
    """Return the model fitted to the centred response, and the plain names of its terms."""
    frame = _checked(frame, response, factors, covariates, block)
    names = {_quoted(name): name for name in covariates} | {"Residual": "error"}
    if block:
        names[_category(block)] = block
    for count in range(1, len(factors) + 1):
        for group in combinations(factors, count):
            names[":".join(_category(name) for name in group)] = ":".join(group)
    right = " + ".join(term for term in names if term != "Residual")
    model = ols(f"{_quoted(response)} ~ {right}", frame.add_suffix(SUFFIX))
    _check_rank(model.exog, covariates, block)
    return model.fit(), names


def _quoted(name):
    text = f"{name}{SUFFIX}"
    return f"Q({text!r})"  # quotes and line ends as Python writes them


def _category(name):
    return f"C({_quoted(name)}, Sum)"
