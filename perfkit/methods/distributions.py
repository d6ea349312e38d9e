"""Tables of distributions: shares up to limits, joint classes, and their conditional means.

The forms are those of Anderson, Reiser and Galati (1975): Table 2 (shares at most a limit) and
Tables 3 and 4 (relative frequencies of two quantities in classes).
"""

from itertools import pairwise

import numpy as np
import pandas as pd

from perfkit.analytic.checks import floats, vector
from perfkit.core.values import check_columns


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
        One row per limit: ``limit``, ``count``, ``cdf``.

    Examples
    --------
    >>> cumulative_table([1.0, 2.0, 3.0, 4.0], [2.0, 3.5])["cdf"].tolist()
    [0.5, 0.75]
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
        One row per transaction.
    rows, columns : str
        The two quantities.
    row_limits, column_limits : array_like of float
        Growing.

    Returns
    -------
    pandas.DataFrame
        Classes of ``rows`` by classes of ``columns``, labelled ``<=0``, ``0-10``, ``>10``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"cpu_s": [0.1, 0.1, 2.0, 2.0], "frames": [5, 15, 15, 15]})
    >>> joint_table(frame, "cpu_s", "frames", [1.0], [10]).to_numpy().tolist()
    [[0.25, 0.25], [0.0, 0.5]]
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


def conditional_means(joint, column_values):
    """Return the mean of the columns' quantity in each row of a joint table, and in all.

    Parameters
    ----------
    joint : pandas.DataFrame
        Relative frequencies, as of `joint_table`.
    column_values : array_like of float
        One value per column: the middle of its class.

    Returns
    -------
    pandas.Series
        Indexed as the rows, and ``all``; not a number for an empty row.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"cpu_s": [0.1, 0.1, 2.0, 2.0], "frames": [5, 15, 15, 15]})
    >>> joint = joint_table(frame, "cpu_s", "frames", [1.0], [10])
    >>> conditional_means(joint, [5.0, 15.0]).tolist()
    [10.0, 15.0, 12.5]
    """
    shares = joint.to_numpy(float)
    values = vector("column_values", column_values)
    if values.size != shares.shape[1]:
        raise ValueError(f"{shares.shape[1]} columns need as many values; {values.size} are given.")
    total = shares.sum(axis=1)
    means = pd.Series(shares @ values / np.where(total > 0.0, total, np.nan), index=joint.index)
    means["all"] = float(shares.sum(axis=0) @ values / shares.sum())
    return means


def _values(values):
    values = np.atleast_1d(floats("values", values))
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError("A distribution needs at least one value, and none that is missing.")
    return values


def _growing(limits, name):
    limits = vector(name, limits)
    if not (np.diff(limits) > 0).all():
        raise ValueError(f"The {name} must grow; {limits.tolist()} do not.")
    return limits
