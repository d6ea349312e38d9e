"""The order of versions, and frames of observations: labels, those kept, classes of load."""

import numpy as np

from perfkit.analytic.checks import numbers
from perfkit.core.values import check_columns, check_none_missing, check_whole


def switching_order(versions, batch, observations, *, seed=None):
    """Return which version is in force during each observation of a run.

    Parameters
    ----------
    versions : int
        How many take turns; numbered from 0.
    batch : int
        Observations between switches.
    observations : int
        Length of the run; its last cycle may be cut short.
    seed : int, optional
        Draws the order of the versions within each cycle; without it the order is fixed.

    Returns
    -------
    ndarray of int, shape (observations,)

    Examples
    --------
    >>> switching_order(2, 3, 12).tolist()
    [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]
    """
    for name, count in (("versions", versions), ("batch", batch), ("observations", observations)):
        check_whole(name, count)
    cycles = np.tile(np.arange(versions), (-(-observations // (versions * batch)), 1))
    if seed is not None:
        check_whole("seed", seed, 0)
        cycles = np.random.default_rng(seed).permuted(cycles, axis=1)
    return np.repeat(cycles.ravel(), batch)[:observations]


def label(observations, batch, versions):
    """Say for each observation in which batch and cycle it is, and where in the batch.

    Parameters
    ----------
    observations : pandas.DataFrame
        With ``run``, in the order of time within each run.
    batch, versions : int
        As the design had them.

    Returns
    -------
    pandas.DataFrame
        The same rows with ``batch``, ``cycle`` and ``position``, each from 0.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"run": 0, "version": [0, 0, 1, 1]})
    >>> label(frame, batch=2, versions=2)[["batch", "cycle", "position"]].to_numpy().tolist()
    [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]
    """
    check_units(observations, "run")
    check_whole("batch", batch)
    check_whole("versions", versions)
    number = observations.groupby("run").cumcount()
    return observations.assign(
        batch=number // batch, cycle=number // (batch * versions), position=number % batch
    )


def settled(observations, discard=1):
    """Return the observations that are left when the first ones of each batch are discarded.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"run": 0, "version": [0, 0, 1, 1], "x": [1.5, 1.0, 1.6, 2.0]})
    >>> settled(label(frame, batch=2, versions=2))["x"].tolist()
    [1.0, 2.0]
    """
    check_columns(observations, ["position"], "observations")
    check_whole("discard", discard, 0)
    return observations[observations["position"] >= discard]


def load_classes(load, width):
    """Sort whole-numbered loads from 1 into classes, as Figure 1 does with 2k-1 or 2k users.

    Parameters
    ----------
    load : pandas.Series of int
    width : int
        Numbers in a class.

    Returns
    -------
    pandas.Series of int
        The highest number of each one's class.

    Examples
    --------
    >>> import pandas as pd
    >>> load_classes(pd.Series([1, 2, 3, 4]), 2).tolist()
    [2, 2, 4, 4]
    """
    check_whole("width", width)
    numbers("load", load)
    return (load - 1) // width * width + width


def check_units(frame, *columns):
    """Refuse observations that lack a column, or a value of it: they would be in no unit."""
    check_columns(frame, columns, "observations")
    for column in columns:
        check_none_missing(column, frame[column])


def check_versions(observations, *versions):
    """Refuse versions that were never in force."""
    seen = np.sort(observations["version"].unique()).tolist()
    for version in versions:
        if version not in seen:
            raise ValueError(f"Version {version} was never in force; there are {seen}.")
