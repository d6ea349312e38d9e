"""2^k designs: their contrasts, and effects of tables of cell means.

``factors`` is everywhere a dictionary from a factor's name to its two levels, the low one
first: ``{"schedule": ("old", "new")}``. An effect is the mean response at the high level less
that at the low one; an interaction is half the difference of the effects of one factor at
both levels of the other.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from perfkit.core.values import check_columns


def coded(frame, factors):
    """Return the factors of a frame as -1 (low) and 1 (high).

    One column per factor, indexed as the frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"drums": [1, 2, 1]})
    >>> coded(frame, {"drums": (1, 2)})["drums"].tolist()
    [-1.0, 1.0, -1.0]
    """
    signs = {}
    for name, levels in factors.items():
        if isinstance(levels, str) or len(levels) != 2 or levels[0] == levels[1]:
            raise ValueError(f"Factor {name!r} must have two levels, low and high; not {levels!r}.")
        low, high = levels
        check_columns(frame, [name])
        odd = frame.loc[~frame[name].isin([low, high]), name].unique()
        if len(odd):
            raise ValueError(f"{name} is {low!r} or {high!r}; {odd[0]!r} is neither.")
        signs[name] = np.where(frame[name] == high, 1.0, -1.0)
    return pd.DataFrame(signs, index=frame.index)


def contrasts(frame, factors):
    """Return the coded factors and their interactions, one column per term: ``a``, ``a:b``.

    Of -1 and 1, indexed as the frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]})
    >>> contrasts(frame, {"a": (0, 1), "b": (0, 1)})["a:b"].tolist()
    [1.0, -1.0, -1.0, 1.0]
    """
    signs = coded(frame, factors)
    terms = {}
    for count in range(1, len(factors) + 1):
        for names in combinations(factors, count):
            terms[":".join(names)] = signs[list(names)].prod(axis=1)
    return pd.DataFrame(terms)


def effects_of_means(means, factors):
    """Return the effects of a table of cell means, one row per combination.

    Parameters
    ----------
    means : pandas.DataFrame
        The factors' columns, and one column per response.
    factors : dict

    Returns
    -------
    pandas.DataFrame
        Responses by terms.

    Examples
    --------
    >>> import pandas as pd
    >>> means = pd.DataFrame({"drums": [1, 2], "R": [5.0, 4.0]})
    >>> effects_of_means(means, {"drums": (1, 2)}).loc["R", "drums"].item()
    -1.0
    """
    signs = contrasts(means, factors)
    if len(means) != 2 ** len(factors) or means[list(factors)].duplicated().any():
        raise ValueError(f"Each of {2 ** len(factors)} combinations must be there once.")
    values = means.drop(columns=list(factors)).astype(float)
    return 2.0 * (values - values.mean()).T @ signs / len(means)
