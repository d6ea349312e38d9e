"""Power of a planned experiment: by the noncentral F distribution."""

from bisect import bisect_left

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from perfkit.analytic.checks import floats, numbers
from perfkit.core.values import check_above_0, check_share, check_whole, is_finite, is_number

MOST_REPLICATES = 100_000
MOST_NONCENTRALITY = 1e10  # beyond it SciPy's noncentral F loses its digits


def f_power(noncentrality, effect_df, error_df, level=0.05):
    """Return the chance that an F test finds an effect.

    Parameters
    ----------
    noncentrality : array_like of float
        The effect's sum of squares without error, over the error's variance.
    effect_df, error_df : float
    level : float
        The chance of a false alarm.

    Examples
    --------
    >>> round(float(f_power(0.0, 1, 32)), 2)  # without an effect, the level
    0.05
    """
    check_share("level", level)
    limit = stats.f.isf(level, effect_df, error_df)
    noncentrality = np.clip(floats("noncentrality", noncentrality), 1e-12, MOST_NONCENTRALITY)
    if np.isnan(noncentrality).any():
        raise ValueError("noncentrality must be a number or numbers; one is missing.")
    # SciPy's noncentral F is not a number at 0 in some releases; there it is the central one.
    power = stats.ncf.sf(limit, effect_df, error_df, noncentrality)
    return float(power) if power.ndim == 0 else power


def effect_power(effect, error_variance, runs, error_df, level=0.05):
    """Return the chance that a balanced 2^k design finds an effect of so much.

    Parameters
    ----------
    effect : array_like of float
        Mean at the high level less mean at the low one.
    error_variance : float
        Mean square of the error.
    runs : int
        In all.
    error_df : float
        Runs less cells less covariates.
    level : float

    Examples
    --------
    >>> round(float(effect_power(1.0, 1.0, 36, 32)), 2)
    0.83
    """
    _check(error_variance, runs, error_df, level)
    effect = numbers("effect", effect)
    with np.errstate(over="ignore"):
        noncentrality = runs * (effect / 2.0) ** 2 / error_variance
    return f_power(noncentrality, 1, error_df, level)


def replicates_needed(effect, error_variance, cells, *, covariates=0, power=0.8, level=0.05):
    """Return the fewest replicates with which a 2^k design finds an effect with this chance.

    Parameters
    ----------
    effect : float
        Difference between the means of the two levels, of either sign.
    error_variance : float
        Mean square of the error, such as ``planned.variance_table`` has.
    cells : int
        2^k.
    covariates : int
        Each takes a degree of freedom.
    power, level : float

    Examples
    --------
    >>> int(replicates_needed(1.0, 1.0, 4))
    9
    """
    check_whole("cells", cells, 2)
    check_whole("covariates", covariates, 0)
    check_share("power", power)
    if not is_finite(effect) or effect == 0.0:
        raise ValueError(f"effect must be a finite number other than 0; {effect!r} is not.")

    def found(replicates):
        runs = replicates * cells
        error_df = runs - cells - covariates
        return (
            error_df >= 1 and effect_power(effect, error_variance, runs, error_df, level) >= power
        )

    if not found(MOST_REPLICATES):
        raise ValueError(f"An effect this small needs more than {MOST_REPLICATES} replicates.")
    return bisect_left(range(1, MOST_REPLICATES + 1), True, key=found) + 1


def rejection_share(p_values, level=0.05, confidence=0.95):
    """Return which share of experiments was significant, with its exact interval.

    Parameters
    ----------
    p_values : array_like of float
        One an independent experiment.
    level, confidence : float

    Returns
    -------
    pandas.Series
        ``share``, ``low``, ``high``, ``experiments``.

    Examples
    --------
    >>> float(rejection_share([0.01, 0.2, 0.03, 0.6])["share"])
    0.5
    """
    check_share("level", level)
    check_share("confidence", confidence)
    p_values = floats("p_values", p_values)
    if p_values.size == 0 or not np.isfinite(p_values).all():
        raise ValueError("A share needs at least one experiment, and no p that is missing.")
    found = int((p_values < level).sum())
    low, high = proportion_confint(found, p_values.size, 1.0 - confidence, method="beta")
    return pd.Series(
        {"share": found / p_values.size, "low": low, "high": high, "experiments": p_values.size}
    )


def _check(error_variance, runs, error_df, level):
    check_share("level", level)
    check_above_0("error_variance", error_variance)
    check_whole("runs", runs, 3)
    if not is_number(error_df) or not 1 <= error_df < runs:
        raise ValueError(
            f"error_df must be 1 or more and less than the runs, {runs!r}; {error_df!r} is not."
        )
