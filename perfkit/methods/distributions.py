"""Tables of distributions: shares up to limits, joint classes, and what classes say of moments.

The forms are those of Anderson, Reiser and Galati (1975): Table 2 (shares at most a limit) and
Tables 3 and 4 (relative frequencies of two quantities in classes).
"""

from itertools import pairwise

import numpy as np
import pandas as pd

from perfkit.values import check_columns, is_finite


def cumulative_table(values, limits):
    """Return which share of the values is at most each limit.

    Parameters
    ----------
    values : array_like of float
    limits : array_like of float
        Growing.

    Returns
    -------
    pandas.DataFrame
        A row a limit: ``limit``, ``count``, ``cdf``.

    Raises
    ------
    ValueError
        If a value is missing, there is none, or the limits do not grow.
    """
    values, limits = _values(values), _growing(limits, "limits")
    count = np.searchsorted(np.sort(values), limits, side="right")
    return pd.DataFrame({"limit": limits, "count": count, "cdf": count / values.size})


def joint_table(frame, rows, columns, row_limits, column_limits):
    """Return the relative frequencies of two quantities in classes.

    A class reaches from above one limit to the next, which belongs to it; one class more lies
    at or below the first limit and one above the last, so that the shares add up to one.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a transaction.
    rows, columns : str
        The two quantities.
    row_limits, column_limits : array_like of float
        Growing.

    Returns
    -------
    pandas.DataFrame
        Classes of ``rows`` by classes of ``columns``, labelled ``<=0``, ``0-10``, ``>10``.

    Raises
    ------
    ValueError
        If a column or a value is missing, there is none, or limits do not grow.
    """
    check_columns(frame, [rows, columns])
    first = _classes(frame[rows], row_limits)
    second = _classes(frame[columns], column_limits)
    return pd.crosstab(first, second, normalize=True, dropna=False).rename_axis(
        index=rows, columns=columns
    )


def _classes(values, limits):
    limits = _growing(limits, "limits")
    inner = [f"{low:g}-{high:g}" for low, high in pairwise(limits)]
    labels = [f"<={limits[0]:g}", *inner, f">{limits[-1]:g}"]
    edges = [-np.inf, *limits, np.inf]
    return pd.Series(pd.cut(_values(values), edges, labels=labels))


def moments(values):
    """Return the moments of values.

    Parameters
    ----------
    values : array_like of float

    Returns
    -------
    pandas.Series
        ``count``, ``mean``, ``sd``, ``coefficient_of_variation``, ``median``, ``skewness``.
    """
    values = pd.Series(_values(values))
    mean, sd = values.mean(), values.std()
    return pd.Series(
        {
            "count": values.size,
            "mean": mean,
            "sd": sd,
            "coefficient_of_variation": sd / mean if mean else np.nan,
            "median": values.median(),
            "skewness": values.skew(),
        }
    )


def moment_bounds(low, high, shares):
    """Return what a table of classes alone says of the first two moments.

    Parameters
    ----------
    low, high : array_like of float, shape (classes,)
        The least and the greatest value of each class, not negative; of whole numbers, 11 and
        20. ``high`` may be infinite.
    shares : array_like of float, shape (classes,)
        They add up to one.

    Returns
    -------
    pandas.DataFrame
        Indexed ``mean`` and ``mean_square``: ``least``, ``middle`` and ``most``, with every
        value at the bottom, in the middle and at the top of its class.

    Raises
    ------
    ValueError
        If a class has its bounds reversed, a bound is negative, or the shares are none.
    """
    low, high, shares = _class_bounds(low, high, shares)
    if abs(shares.sum() - 1.0) > 1e-9:
        raise ValueError(f"The shares must add up to 1; they add up to {shares.sum():g}.")
    return _class_moments(low, high, shares)


def open_class(low, high, shares, mean, sd):
    """Return what the open class above a table must hold for printed moments to be right.

    The closed classes can add no less and no more than with every value at the bottom or the
    top of its class; the open class makes up the rest, and reaches down to the last limit.

    Parameters
    ----------
    low, high : array_like of float, shape (classes,)
        Bounds of the closed classes, as of `moment_bounds`, growing and finite.
    shares : array_like of float, shape (classes,)
        Of the closed classes; what lacks to one lies in the open class.
    mean, sd : float
        Of all values.

    Returns
    -------
    pandas.DataFrame
        Indexed ``mean`` and ``root_mean_square`` of the open class: ``least``, ``middle``,
        ``most``. A ``most`` below the last limit, or that is not a number, says that table and
        moments contradict each other.

    Raises
    ------
    ValueError
        If bounds are impossible, nothing is left for the open class, or a moment is negative or
        not finite.
    """
    for name, moment in (("mean", mean), ("sd", sd)):
        if not is_finite(moment) or moment < 0.0:
            raise ValueError(f"{name} must be a finite number of 0 or more; {moment!r} is not.")
    low, high, shares = _class_bounds(low, high, shares)
    left = 1.0 - shares.sum()
    if left <= 1e-12:
        raise ValueError(f"The shares add up to {shares.sum():g}; an open class needs less than 1.")
    wanted = pd.Series({"mean": mean, "mean_square": sd**2 + mean**2})
    rest = -_class_moments(low, high, shares).sub(wanted, axis=0) / left
    rest = rest.rename(columns={"least": "most", "most": "least"})[["least", "middle", "most"]]
    rest[["least", "middle"]] = rest[["least", "middle"]].clip(lower=0.0)
    rest.loc["mean_square"] = np.sqrt(rest.loc["mean_square"].where(rest.loc["mean_square"] >= 0))
    rest[["least", "middle"]] = rest[["least", "middle"]].clip(lower=high[-1])
    return rest.rename(index={"mean_square": "root_mean_square"})


def _class_bounds(low, high, shares):
    low, high, shares = (np.asarray(part, float) for part in (low, high, shares))
    if not (low.shape == high.shape == shares.shape) or not (shares >= 0.0).all():
        raise ValueError("Each class has a least and a greatest value and a share of 0 or more.")
    if not ((low >= 0.0) & (low <= high)).all():
        raise ValueError("A class lies between bounds that are not negative, the least one first.")
    return low, high, shares


def _class_moments(low, high, shares):
    """Return the classes' sums; an empty one adds nothing, even at infinity."""
    used = shares > 0.0
    low, high, shares = low[used], high[used], shares[used]
    at = {"least": low, "middle": (low + high) / 2.0, "most": high}
    sums = {name: [shares @ values, shares @ values**2] for name, values in at.items()}
    return pd.DataFrame(sums, index=["mean", "mean_square"])


def conditional_means(joint, column_values):
    """Return the mean of the columns' quantity in each row of a joint table, and in all.

    Parameters
    ----------
    joint : pandas.DataFrame
        Relative frequencies, as of `joint_table`.
    column_values : array_like of float
        A value a column: the middle of its class.

    Returns
    -------
    pandas.Series
        Indexed as the rows, and ``all``; not a number for an empty row.

    Raises
    ------
    ValueError
        If there is not one value a column.
    """
    shares = joint.to_numpy(float)
    values = np.asarray(column_values, float)
    if values.size != shares.shape[1]:
        raise ValueError(f"{shares.shape[1]} columns need as many values; {values.size} are given.")
    total = shares.sum(axis=1)
    means = pd.Series(shares @ values / np.where(total > 0.0, total, np.nan), index=joint.index)
    means["all"] = float(shares.sum(axis=0) @ values / shares.sum())
    return means


def class_correlation(joint, row_values, column_values):
    """Return the correlation of two quantities given in classes, each at one value a class.

    Parameters
    ----------
    joint : array_like of float, shape (rows, columns)
        Relative frequencies; they need not add up to one.
    row_values, column_values : array_like of float

    Returns
    -------
    float
    """
    shares = np.asarray(joint, float)
    shares = shares / shares.sum()
    x, y = np.asarray(row_values, float), np.asarray(column_values, float)
    along, across = shares.sum(axis=1), shares.sum(axis=0)
    dx, dy = x - along @ x, y - across @ y
    return float(dx @ shares @ dy / np.sqrt((along @ dx**2) * (across @ dy**2)))


def _values(values):
    values = np.asarray(values, float)
    if values.size == 0 or not np.isfinite(values).all():
        raise ValueError("A distribution needs at least one value, and none that is missing.")
    return values


def _growing(limits, name):
    limits = np.asarray(limits, float)
    if limits.size == 0 or np.isnan(limits).any() or not (np.diff(limits) > 0).all():
        raise ValueError(f"The {name} must grow; {limits.tolist()} do not.")
    return limits
