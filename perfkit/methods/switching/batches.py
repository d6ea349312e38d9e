"""How long a batch should be: the load's autocovariance against the observations discarded."""

import numpy as np
import pandas as pd

from perfkit.analytic.checks import vector
from perfkit.core.values import check_numeric, check_whole
from perfkit.methods.switching.observations import check_units, switching_order


def autocovariance(observations, measure, lags, *, by=None):
    """Return the autocovariance of a measure around the mean of its version and load class.

    The mean over all runs is taken out, so what differs from day to day does not die away.

    Parameters
    ----------
    observations : pandas.DataFrame
        With ``run`` and ``version``, all observations kept.
    measure : str
    lags : int
        The longest lag, in observations.
    by : str, optional
        Column of load classes.

    Returns
    -------
    ndarray of float, shape (lags + 1,)
        Averaged over runs, each product counted once (unbiased but for the mean taken out).

    Examples
    --------
    >>> import pandas as pd
    >>> from perfkit.methods.switching import label
    >>> frame = pd.DataFrame({"run": 0, "version": [0, 0, 1, 1] * 2, "x": [1, 2, 2, 3] * 2})
    >>> autocovariance(label(frame, 2, 2), "x", 1).round(4).tolist()
    [0.25, -0.25]
    """
    check_whole("lags", lags, 0)
    groups = ["version"] if by is None else ["version", by]
    check_numeric(observations, [measure], "observations")
    check_units(observations, "run", *groups, measure)
    rest = observations[measure] - observations.groupby(groups)[measure].transform("mean")
    sums, counts = np.zeros(lags + 1), np.zeros(lags + 1)
    for _, run in rest.groupby(observations["run"]):
        values = run.to_numpy(float)
        for lag in range(min(lags + 1, values.size)):
            sums[lag] += values[lag:] @ values[: values.size - lag]
            counts[lag] += values.size - lag
    return sums / np.maximum(counts, 1)


def contrast_variance(order, keep, covariance):
    """Return the variance of the difference of two versions' means under a design.

    Parameters
    ----------
    order : array of int, shape (n,)
        The version (0 or 1) of each observation.
    keep : array of bool, shape (n,)
        Which are not discarded.
    covariance : array of float
        Autocovariance by lag; beyond its end it is taken to stay at its last value (what
        differs from run to run and never dies away within one).

    Examples
    --------
    >>> keep = [True] * 4
    >>> round(float(contrast_variance([0, 1, 0, 1], keep, [1.0, 0.0])), 2)  # 1 / 2 + 1 / 2
    1.0
    """
    order, keep = np.asarray(order), np.asarray(keep, bool)
    second, first = keep & (order == 1), keep & (order == 0)
    if not (first.any() and second.any()):
        raise ValueError("Both versions need an observation that is kept.")
    weights = second / second.sum() - first / first.sum()
    products = np.correlate(weights, weights, "full")[order.size - 1 :]
    lags = np.minimum(np.arange(order.size), len(covariance) - 1)
    gamma = vector("covariance", covariance)[lags]
    return float(products[0] * gamma[0] + 2.0 * products[1:] @ gamma[1:])


def batch_sizes(covariance, discard, observations, sizes=range(2, 21)):
    """Return how certain a comparison of two versions is, by batch size.

    Long batches discard less; short ones let the load's slow changes cancel.

    Parameters
    ----------
    covariance : array of float
        Autocovariance of the measure by lag, as ``autocovariance`` returns it.
    discard : int
        Observations discarded at the beginning of each batch.
    observations : int
        Length of the experiment; a run of it.
    sizes : iterable of int

    Returns
    -------
    pandas.DataFrame
        Indexed by ``batch``: ``kept_percent``, ``standard_error`` of the difference (none where
        a noisy covariance gives a negative variance), ``relative`` to the best size's.

    Examples
    --------
    >>> batch_sizes([1.0, 0.5, 0.0], 1, 60, sizes=[2, 5]).index.tolist()
    [2, 5]
    """
    check_whole("discard", discard, 0)
    check_whole("observations", observations)
    rows = {}
    for batch in sizes:
        check_whole("Each of sizes", batch)
        if discard < batch and 2 * batch <= observations:
            whole = observations // (2 * batch) * 2 * batch
            order = switching_order(2, batch, whole)
            keep = np.arange(whole) % batch >= discard
            variance = contrast_variance(order, keep, covariance) * whole / observations
            error = np.sqrt(variance) if variance >= 0.0 else np.nan
            rows[batch] = (100.0 * (batch - discard) / batch, error)
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["kept_percent", "standard_error"])
    frame.index.name = "batch"
    return frame.assign(relative=frame["standard_error"] / frame["standard_error"].min())
