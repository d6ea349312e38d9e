"""Pareto-maximal observations: the outer limit of the region in which a system operates.

Bard (1973), Figure 4: the observations that no other exceeds in both problem state time and
disc I/O. The limit of n observations grows with n by chance, so regions are compared at equal
numbers of observations, and over independent runs.
"""

import numpy as np
import pandas as pd

from perfkit.analytic.checks import floats
from perfkit.core.values import check_numeric, check_whole
from perfkit.methods.switching import check_versions
from perfkit.methods.switching.observations import check_units
from perfkit.runs.experiment import interval


def pareto_maximal(observations, x, y):
    """Return which observations no other exceeds in both measures.

    Parameters
    ----------
    observations : pandas.DataFrame
    x, y : str
        More is better in each.

    Returns
    -------
    ndarray of bool
        Read as the paper defines it: an observation that another equals in one measure and
        exceeds in the other stays in.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"run": 0, "x": [1, 2, 3], "y": [3, 1, 2]})
    >>> pareto_maximal(frame, "x", "y").tolist()
    [True, False, True]
    """
    first, second = _measures(observations, x, y)
    order = np.argsort(first, kind="stable")
    highest = np.append(np.maximum.accumulate(second[order][::-1])[::-1], -np.inf)
    beyond = np.searchsorted(first[order], first, side="right")
    return second >= highest[beyond]


def frontier(observations, x, y):
    """Return the Pareto-maximal observations on two measures, by the first one.

    The two columns, ``x`` rising and so ``y`` falling.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"run": 0, "x": [1, 2, 3], "y": [3, 1, 2]})
    >>> frontier(frame, "x", "y")[["x", "y"]].to_numpy().tolist()
    [[1, 3], [3, 2]]
    """
    maximal = pareto_maximal(observations, x, y)
    return observations.loc[maximal, [x, y]].sort_values([x, y], ascending=[True, False])


def attained(observations, x, y, at):
    """Return how much of one measure goes with at least so much of another.

    Parameters
    ----------
    observations : pandas.DataFrame
    x, y : str
    at : array of float
        Levels of ``x``.

    Returns
    -------
    ndarray of float
        The largest ``y`` among observations whose ``x`` is no smaller; 0 where there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"run": 0, "x": [1, 2, 3], "y": [3, 1, 2]})
    >>> attained(frame, "x", "y", [1, 2]).tolist()  # of y, with x at least 1, or 2
    [3.0, 2.0]
    """
    first, second = _measures(observations, x, y)
    order = np.argsort(first, kind="stable")
    highest = np.append(np.maximum.accumulate(second[order][::-1])[::-1], 0.0)
    return highest[np.searchsorted(first[order], floats("at", at))]


def region(observations, x, y):
    """Return the area that the frontier encloses with the axes, both measures being positive.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"run": 0, "x": [1, 2, 3], "y": [3, 1, 2]})
    >>> float(region(frame, "x", "y"))  # 1 x 3 + 2 x 2
    7.0
    """
    edge = frontier(observations, x, y).drop_duplicates(x)
    return float(np.diff(edge[x].to_numpy(float), prepend=0.0) @ edge[y].to_numpy(float))


def compare_regions(observations, x, y, *, seed=0):
    """Compare the regions of versions 1 and 0, run by run, at equal numbers of observations.

    Parameters
    ----------
    observations : pandas.DataFrame
        With ``run`` and ``version``.
    x, y : str
    seed : int
        Draws which observations of the larger set are left out.

    Returns
    -------
    pandas.DataFrame
        One row per run: ``first``, ``second`` (areas), ``ratio`` (not a number where the first area
        is 0), ``observations`` a version. Runs without both versions are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"run": [0, 0, 1, 1], "version": [0, 1] * 2, "x": [1, 2] * 2, "y": 3})
    >>> float(compare_regions(frame, "x", "y")["ratio"].iloc[0])
    2.0
    """
    check_units(observations, "run", "version")
    check_versions(observations, 0, 1)
    check_whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    rows = {}
    for name, run in observations.groupby("run"):
        sets = [run[run["version"] == version] for version in (0, 1)]
        equal = min(len(part) for part in sets)
        if equal:
            areas = [region(part.sample(equal, random_state=rng), x, y) for part in sets]
            rows[name] = (*areas, areas[1] / (areas[0] or np.nan), equal)
    columns = ["first", "second", "ratio", "observations"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis(index="run")


def attained_band(observations, x, y, at):
    """Return the frontier's mean height over independent runs, with its 95 % half-width.

    Indexed by the levels ``at``: ``mean``, ``half_width``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"run": [0, 1], "x": [1, 2], "y": [3, 5]})
    >>> attained_band(frame, "x", "y", [1])["mean"].tolist()
    [4.0]
    """
    check_units(observations, "run")
    heights = np.array([attained(run, x, y, at) for _, run in observations.groupby("run")])
    columns = [interval(height) for height in heights.T]
    return pd.DataFrame(columns, columns=["mean", "half_width"], index=pd.Index(at, name=x))


def _measures(observations, x, y):
    check_numeric(observations, [x, y], "observations")
    values = observations[[x, y]].to_numpy(float)
    lacking = int(np.isnan(values).any(axis=1).sum())
    if lacking:
        raise ValueError(
            f"{lacking} of {len(values)} observations lack {x} or {y}; leave them out (dropna)."
        )
    return values.T
