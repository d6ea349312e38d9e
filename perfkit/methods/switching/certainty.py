"""How sure a difference is: how many units it takes, and chance alone."""

import numpy as np
from scipy import optimize, stats

from perfkit.analytic.checks import floats
from perfkit.core.values import check_numeric, check_share, check_whole, is_finite
from perfkit.methods.power import MOST_NONCENTRALITY, f_power
from perfkit.methods.switching.observations import check_units, check_versions


def units_needed(unit_differences, effect, *, confidence=0.95, power=0.9):
    """Return how many independent units show a difference of a size with certainty.

    Parameters
    ----------
    unit_differences : array of float
        One a unit.
    effect : float
        The difference that must not be missed.
    confidence, power : float
        Of the two-sided t test.

    Returns
    -------
    float
        Not rounded; at least 2.

    Examples
    --------
    >>> int(units_needed([1.0, 2.0, 0.5, 1.5], 1.0))
    6
    """
    check_share("confidence", confidence)
    check_share("power", power)
    values = floats("unit_differences", unit_differences)
    known = np.isfinite(values).all() and is_finite(effect)
    if values.size < 2 or effect == 0.0 or not known:
        raise ValueError(
            "units_needed wants two units or more and an effect other than 0, all finite."
        )
    size = abs(effect) / values.std(ddof=1)

    def short_of(units):
        # As F: SciPy's noncentral t gives no number for the far tail, of whatever power.
        noncentrality = min(size**2 * units, MOST_NONCENTRALITY)
        return f_power(noncentrality, 1, units - 1.0, 1.0 - confidence) - power

    if short_of(2.0) >= 0.0:
        return 2.0
    normal = (stats.norm.ppf(0.5 + confidence / 2.0) + stats.norm.ppf(power)) / size
    return float(optimize.brentq(short_of, 2.0, 10.0 + 2.0 * normal**2))


def chance(observations, measure, versions=(0, 1), *, shuffles=2000, seed=0):
    """Return how often shuffling the versions within each cycle gives as large a difference.

    Exact for designs whose order was drawn at random; for a fixed order it supposes that
    nothing in the load keeps step with the cycles.

    Parameters
    ----------
    observations : pandas.DataFrame
        With ``run``, ``cycle``, ``version``.
    measure : str
    versions : tuple of int
    shuffles, seed : int

    Returns
    -------
    float
        Two-sided probability; never below 1 / (shuffles + 1).

    Examples
    --------
    >>> import pandas as pd
    >>> from perfkit.methods.switching import label
    >>> frame = pd.DataFrame({"run": 0, "version": [0, 0, 1, 1] * 2, "x": [1, 2, 2, 3] * 2})
    >>> round(float(chance(label(frame, 2, 2), "x", shuffles=200)), 1)  # two cycles tell little
    0.5
    """
    check_whole("shuffles", shuffles)
    check_whole("seed", seed, 0)
    keys = ["run", "cycle", "version"]
    check_numeric(observations, [measure], "observations")
    check_units(observations, *keys)
    check_versions(observations, *versions)
    means = observations.groupby(keys)[measure].mean().unstack("version")
    pairs = (means[versions[1]] - means[versions[0]]).dropna().to_numpy()
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(shuffles, pairs.size))
    as_large = np.abs(signs @ pairs) >= np.abs(pairs.sum()) * (1.0 - 1e-12)
    return float((as_large.sum() + 1) / (shuffles + 1))
