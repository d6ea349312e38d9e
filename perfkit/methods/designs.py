"""2^k designs: their runs in order, their contrasts, and effects of tables of cell means.

``factors`` is everywhere a dictionary from a factor's name to its two levels, the low one
first: ``{"schedule": ("old", "new")}``. An effect is the mean response at the high level less
that at the low one; an interaction is half the difference of the effects of one factor at
both levels of the other.
"""

from itertools import combinations, product

import numpy as np
import pandas as pd
from scipy import stats

from perfkit.values import check_share, check_whole


def factorial_design(factors, replicates=1, *, seed=None, confounded=None):
    """Return a full 2^k design in blocks, one a replicate, in the order to run it.

    Parameters
    ----------
    factors : dict
        Names and levels.
    replicates : int
        Runs of each combination.
    seed : int, optional
        Of the random order within each block; without it, Yates's standard order.
    confounded : sequence of str, optional
        Factors whose interaction is given up: every replicate falls into two blocks that
        differ by it.

    Returns
    -------
    pandas.DataFrame
        A row a run: ``replicate``, ``block`` (both from 1) and the factors.

    Raises
    ------
    ValueError
        If a factor has not two levels, the replicates are no whole number of 1 or more, or a
        confounded factor is unknown.
    """
    _check_factors(factors)
    check_whole("replicates", replicates)
    unknown = sorted(set(confounded or ()) - set(factors))
    if unknown:
        raise ValueError(f"No factor is called {', '.join(unknown)}.")
    levels = reversed(list(factors.values()))
    once = pd.DataFrame([row[::-1] for row in product(*levels)], columns=list(factors))
    half = np.zeros(len(once), int)
    if confounded:
        half = (coded(once, factors)[list(confounded)].prod(axis=1) > 0).astype(int).to_numpy()
    rng = None if seed is None else np.random.default_rng(seed)
    parts = []
    for replicate in range(replicates):
        for which in np.unique(half):
            part = once[half == which]
            part = part if rng is None else part.iloc[rng.permutation(len(part))]
            place = {"replicate": replicate + 1, "block": len(parts) + 1}
            parts.append(pd.DataFrame(place, index=part.index).join(part))
    return pd.concat(parts, ignore_index=True)


def coded(frame, factors):
    """Return the factors of a frame as -1 (low) and 1 (high).

    Parameters
    ----------
    frame : pandas.DataFrame
    factors : dict

    Returns
    -------
    pandas.DataFrame
        A column a factor, indexed as the frame.

    Raises
    ------
    ValueError
        If a column lacks or has a value that is neither level.
    """
    _check_factors(factors)
    signs = {}
    for name, (low, high) in factors.items():
        if name not in frame:
            raise ValueError(f"The frame has no column {name!r}.")
        odd = frame.loc[~frame[name].isin([low, high]), name].unique()
        if len(odd):
            raise ValueError(f"{name} is {low!r} or {high!r}; {odd[0]!r} is neither.")
        signs[name] = np.where(frame[name] == high, 1.0, -1.0)
    return pd.DataFrame(signs, index=frame.index)


def contrasts(frame, factors, order=None):
    """Return the coded factors and their interactions, a column a term: ``a``, ``a:b``.

    Parameters
    ----------
    frame : pandas.DataFrame
    factors : dict
    order : int, optional
        Most factors in an interaction; all by default.

    Returns
    -------
    pandas.DataFrame
        Of -1 and 1, indexed as the frame.

    Raises
    ------
    ValueError
        As `coded`, or if the order is no whole number of 1 or more.
    """
    signs = coded(frame, factors)
    terms = {}
    for count in range(1, highest_order(order, factors) + 1):
        for names in combinations(factors, count):
            terms[":".join(names)] = signs[list(names)].prod(axis=1)
    return pd.DataFrame(terms)


def highest_order(order, factors):
    """Return the most factors in an interaction: all where no order is named."""
    if order is None:
        return len(factors)
    check_whole("order", order)
    return order


def effects_of_means(means, factors):
    """Return the effects of a table of cell means, a row a combination.

    Parameters
    ----------
    means : pandas.DataFrame
        The factors' columns, and a column a response.
    factors : dict

    Returns
    -------
    pandas.DataFrame
        Responses by terms.

    Raises
    ------
    ValueError
        If not every combination is there once.
    """
    signs = contrasts(means, factors)
    if len(means) != 2 ** len(factors) or means[list(factors)].duplicated().any():
        raise ValueError(f"Each of {2 ** len(factors)} combinations must be there once.")
    values = means.drop(columns=list(factors)).astype(float)
    return 2.0 * (values - values.mean()).T @ signs / len(means)


def lenth_margin(effects_, confidence=0.95):
    """Return the margin beyond which an effect of one replicate stands out (Lenth 1989).

    Parameters
    ----------
    effects_ : array_like of float
        All effects of the design, few of them large.
    confidence : float

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If there is no effect, one is missing or infinite, or the confidence is not between 0 and 1.
    """
    check_share("confidence", confidence)
    sizes = np.abs(np.asarray(effects_, float))
    if sizes.size == 0 or not np.isfinite(sizes).all():
        raise ValueError("A margin needs an effect or more, none missing or infinite.")
    first = 1.5 * np.median(sizes)
    pseudo_error = 1.5 * np.median(sizes[sizes < 2.5 * first]) if first > 0 else 0.0
    return float(stats.t.ppf(0.5 + confidence / 2.0, sizes.size / 3.0) * pseudo_error)


def _check_factors(factors):
    for name, levels in factors.items():
        if isinstance(levels, str) or len(levels) != 2 or levels[0] == levels[1]:
            raise ValueError(f"Factor {name!r} must have two levels, low and high; not {levels!r}.")
