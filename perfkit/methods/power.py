"""Power of a planned experiment: by the noncentral F distribution, and by simulation."""

from bisect import bisect_left

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import brentq
from statsmodels.stats.proportion import proportion_confint

from perfkit.methods.designs import contrasts
from perfkit.values import check_above_0, check_share, check_whole, is_finite, is_number

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

    Returns
    -------
    numpy.ndarray or float

    Raises
    ------
    ValueError
        If the level is not between 0 and 1.
    """
    check_share("level", level)
    limit = stats.f.isf(level, effect_df, error_df)
    noncentrality = np.clip(np.asarray(noncentrality, float), 1e-12, MOST_NONCENTRALITY)
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

    Returns
    -------
    numpy.ndarray or float

    Raises
    ------
    ValueError
        If the effect, variance, runs, degrees of freedom or level are impossible.
    """
    _check(error_variance, runs, error_df, level)
    effect = np.asarray(effect, float)
    if not np.isfinite(effect).all():
        raise ValueError("An effect must be a finite number.")
    with np.errstate(over="ignore"):
        noncentrality = runs * (effect / 2.0) ** 2 / error_variance
    return f_power(noncentrality, 1, error_df, level)


def detectable_effect(power, error_variance, runs, error_df, level=0.05):
    """Return the least effect that a balanced 2^k design finds with this chance.

    Parameters
    ----------
    power : float
        The chance.
    error_variance, runs, error_df, level
        As of `effect_power`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the power is not between the level and 1, another number is impossible, or the effect
        is so large that SciPy's noncentral F fails.
    """
    _check(error_variance, runs, error_df, level)
    check_share("power", power)
    if power <= level:
        raise ValueError(f"power must lie between the level, {level}, and 1; {power!r} does not.")
    high = 1.0
    while f_power(high, 1, error_df, level) < power:
        high *= 2.0
        if high > MOST_NONCENTRALITY:
            raise ValueError(
                f"No effect is found at a level of {level!r} with a chance of {power!r}: the "
                f"error's degrees of freedom, {error_df!r}, are too few."
            )
    noncentrality = brentq(lambda x: f_power(x, 1, error_df, level) - power, 0.0, high)
    return float(2.0 * np.sqrt(noncentrality * error_variance / runs))


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

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If more than 100,000 would be needed, the effect is 0 or not finite, the variance not above
        0, the power or level not between 0 and 1, or a count no whole number or too small.
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


def effect_half_width(error_variance, runs, error_df, confidence=0.95):
    """Return the half-width of an effect's interval in a balanced 2^k design.

    Parameters
    ----------
    error_variance, runs, error_df
        As of `effect_power`.
    confidence : float

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the variance, runs or degrees of freedom are impossible, or the confidence is not
        between 0 and 1.
    """
    check_share("confidence", confidence)
    _check(error_variance, runs, error_df, 1.0 - confidence)
    return float(
        stats.t.ppf(0.5 + confidence / 2.0, error_df) * 2.0 * np.sqrt(error_variance / runs)
    )


def simulated_power(
    design, factors, effects, error_sd, *, covariates=None, level=0.05, resamples=2000, seed=0
):
    """Return how often simulated experiments on a design find each effect.

    Parameters
    ----------
    design : pandas.DataFrame
        A row a run, as of `perfkit.methods.designs.factorial_design`.
    factors : dict
        Names and levels.
    effects : dict
        Term (``a``, ``a:b``) to effect; terms left out have none, and what is found of them
        is false alarm.
    error_sd : float
        Standard deviation of the normal error of a run, above 0.
    covariates : dict, optional
        Name to (slope, standard deviation): normal covariates, drawn anew in each experiment
        and untouched by the factors, which the analysis eliminates.
    level : float
    resamples : int
    seed : int

    Returns
    -------
    pandas.DataFrame
        Indexed by term: ``effect``, ``power``, and its exact 95 % interval ``low``, ``high``.

    Raises
    ------
    ValueError
        If a term is unknown, no degree of freedom is left for the error, a standard deviation is
        not above 0, an effect not finite, the level not between 0 and 1, or there is no resample.
    """
    check_share("level", level)
    check_whole("resamples", resamples)
    terms = contrasts(design, factors)
    unknown = sorted(set(effects) - set(terms.columns))
    if unknown:
        raise ValueError(f"The design has no term {', '.join(unknown)}.")
    true = pd.Series(effects, dtype=float).reindex(terms.columns, fill_value=0.0)
    if not np.isfinite(true).all():
        raise ValueError("Every effect must be a finite number.")
    rng = np.random.default_rng(seed)
    fixed = np.column_stack([np.ones(len(terms)), terms.to_numpy()])
    slopes, spread = _slopes_and_spreads(covariates or {})
    error_df = len(terms) - fixed.shape[1] - slopes.size
    if error_df < 1:
        raise ValueError("No degree of freedom is left for the error: replicate the design.")
    if not (is_finite(error_sd) and error_sd > 0.0):
        raise ValueError(f"error_sd must be a finite number above 0; {error_sd!r} is not.")
    loads = rng.normal(0.0, spread, (resamples, len(terms), slopes.size))
    error = rng.normal(0.0, error_sd, (resamples, len(terms)))
    response = fixed[:, 1:] @ (true.to_numpy() / 2.0) + loads @ slopes + error
    p = _p_values(fixed, loads, response, error_df)
    found = (p[:, 1 : fixed.shape[1]] < level).sum(axis=0)
    low, high = proportion_confint(found, resamples, method="beta")
    return pd.DataFrame(
        {"effect": true, "power": found / resamples, "low": low, "high": high}, index=terms.columns
    )


def _slopes_and_spreads(covariates):
    for name, pair in covariates.items():
        if np.shape(pair) != (2,) or not all(map(is_finite, pair)) or pair[1] <= 0.0:
            raise ValueError(
                f"Covariate {name!r} must be a slope and a standard deviation above 0, both "
                f"finite; {pair!r} is not."
            )
    return np.array(list(covariates.values()), float).reshape(-1, 2).T


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

    Raises
    ------
    ValueError
        If there is no experiment, a p is missing, or the level or confidence is not between 0
        and 1.
    """
    check_share("level", level)
    check_share("confidence", confidence)
    p_values = np.asarray(p_values, float)
    if p_values.size == 0 or not np.isfinite(p_values).all():
        raise ValueError("A share needs at least one experiment, and no p that is missing.")
    found = int((p_values < level).sum())
    low, high = proportion_confint(found, p_values.size, 1.0 - confidence, method="beta")
    return pd.Series(
        {"share": found / p_values.size, "low": low, "high": high, "experiments": p_values.size}
    )


def _p_values(fixed, loads, response, error_df):
    """Return the t tests of every coefficient, all experiments at once."""
    terms = np.concatenate([np.broadcast_to(fixed, (len(loads), *fixed.shape)), loads], axis=2)
    inverse = np.linalg.inv(terms.mT @ terms)
    found = inverse @ (terms.mT @ response[..., None])
    left = response - (terms @ found)[..., 0]
    variance = (left**2).sum(axis=1) / error_df
    errors = np.sqrt(variance[:, None] * np.diagonal(inverse, axis1=1, axis2=2))
    return 2.0 * stats.t.sf(np.abs(found[..., 0]) / errors, error_df)


def _check(error_variance, runs, error_df, level):
    check_share("level", level)
    check_above_0("error_variance", error_variance)
    check_whole("runs", runs, 3)
    if not is_number(error_df) or not 1 <= error_df < runs:
        raise ValueError(
            f"error_df must be 1 or more and less than the runs, {runs!r}; {error_df!r} is not."
        )
