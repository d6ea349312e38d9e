"""What versions differ by, over independent units, and what a switch carries over."""

import numpy as np
import pandas as pd
from scipy import stats

from perfkit.core.values import (
    check_columns,
    check_none_missing,
    check_numeric,
    check_share,
    check_whole,
    is_number,
)
from perfkit.methods.switching.observations import check_units, check_versions

RESAMPLES = 1000


def compare(
    observations, measure, *, by=None, statistic="mean", baseline=None, confidence=0.95, seed=0
):
    """Compare versions, within load classes if asked, with intervals.

    Whole units are resampled, so the versions of a unit stay together: the load that they
    share cancels, and so does the correlation of successive observations. The half-width is
    Student's t times the standard error over resamplings, that of the paired t test where
    units of equal size have their means compared. Runs are the units if there are several, and
    the interval is about runs in general, of which these are a sample; else cycles are, and it
    is about this very run.

    Parameters
    ----------
    observations : pandas.DataFrame
        With ``run``, ``cycle``, ``version``; transients discarded already.
    measure : str
        Observations in which it is missing are left out.
    by : str or sequence, optional
        A column (or values) of load classes.
    statistic : str or float
        "mean", or the quantile between 0 and 1 to compare.
    baseline : int, optional
        The version that the others are compared with; the lowest if not named.
    confidence : float
    seed : int
        Of the resampling.

    Returns
    -------
    pandas.DataFrame
        Index ``class`` (if any) and ``version``; columns ``value``, ``observations``, ``units``
        (that hold the version, or the baseline where those are fewer), ``difference`` from the
        baseline with ``low`` and ``high``, and ``ratio`` to it with ``ratio_low`` and
        ``ratio_high`` (an interval of its logarithm). Not a number where a version was not
        seen; intervals need two units.

    Examples
    --------
    >>> import pandas as pd
    >>> from perfkit.methods.switching import label
    >>> frame = pd.DataFrame({"run": 0, "version": [0, 0, 1, 1] * 2, "x": [1, 2, 2, 3] * 2})
    >>> compare(label(frame, 2, 2), "x")["value"].tolist()
    [1.5, 2.5]
    """
    classes = [by] if np.ndim(by) == 0 and by is not None else []
    check_numeric(observations, [measure], "observations")
    check_units(observations, "run", "cycle", "version", *classes)
    if not observations[measure].notna().any():
        raise ValueError(f"No observation has a number of {measure!r}, so nothing is compared.")
    if not ((is_number(statistic) and 0.0 <= statistic <= 1.0) or statistic == "mean"):
        raise ValueError(f"statistic must be 'mean' or a number from 0 to 1; {statistic!r} is not.")
    check_share("confidence", confidence)
    check_whole("seed", seed, 0)
    versions = np.sort(observations["version"].unique())
    baseline = versions[0] if baseline is None else baseline
    check_versions(observations, baseline)
    base = int(np.flatnonzero(versions == baseline)[0])
    keys = ["run"] if observations["run"].nunique() > 1 else ["run", "cycle"]

    def one(group):
        group = group[group[measure].notna()]
        samples, units = _resampled(group, measure, versions, statistic, keys, seed)
        units = np.minimum(units, units[base])
        count = group["version"].value_counts().reindex(versions, fill_value=0)
        columns = {"value": samples[0], "observations": count.to_numpy(), "units": units}
        columns |= _differences_and_ratios(samples, base, units, confidence)
        return pd.DataFrame(columns, index=pd.Index(versions, name="version"))

    if by is None:
        return one(observations)
    if not classes:
        check_none_missing("a class (by)", by)
        if len(by) != len(observations):
            raise ValueError(
                f"by must give each of {len(observations)} rows a class, not {len(by)}."
            )
    parts = {name: one(group) for name, group in observations.groupby(by)}
    return pd.concat(parts, names=["class", "version"])


def _differences_and_ratios(samples, base, units, confidence):
    """Return differences from the baseline and ratios to it, with their intervals."""
    with np.errstate(all="ignore"):
        apart = samples - samples[:, [base]]
        ratio = samples / samples[:, [base]]
        margin = _half_widths(apart[1:], units, confidence)
        factor = np.exp(_half_widths(np.log(ratio[1:]), units, confidence))
    return {
        "difference": apart[0],
        "low": apart[0] - margin,
        "high": apart[0] + margin,
        "ratio": ratio[0],
        "ratio_low": ratio[0] / factor,
        "ratio_high": ratio[0] * factor,
    }


def _half_widths(samples, units, confidence):
    """Return each column's half-width; none with one unit, or if over a tenth of values lack."""
    finite = np.isfinite(samples)
    known = (units > 1) & (finite.mean(axis=0) > 0.9)
    spread = np.nanstd(np.where(finite, samples, np.nan)[:, known], axis=0, ddof=1)
    count = units[known]
    found = np.full(units.shape, np.nan)
    critical = stats.t.ppf(0.5 + confidence / 2.0, count - 1)
    found[known] = critical * np.sqrt(count / (count - 1)) * spread
    return found


def _resampled(observations, measure, versions, statistic, keys, seed):
    """Return each version's statistic, as observed and resampled, and how many units hold it."""
    rng = np.random.default_rng(seed)
    unit = observations.groupby(keys, sort=True).ngroup().to_numpy()
    count = unit.max(initial=0) + 1
    times = rng.multinomial(count, np.full(count, 1.0 / count), size=RESAMPLES)
    times = np.vstack([np.ones(count, int), times])
    values = observations[measure].to_numpy(float)
    samples = np.empty((len(times), versions.size))
    units = np.empty(versions.size, int)
    for column, version in enumerate(versions):
        mine = np.flatnonzero(observations["version"].to_numpy() == version)
        mine = mine[np.argsort(values[mine], kind="stable")]
        samples[:, column] = _weighted(values[mine], times[:, unit[mine]], statistic)
        units[column] = np.unique(unit[mine]).size
    return samples, units


def _weighted(ordered, weights, statistic):
    """Return the statistic of ordered values counted ``weights`` times, one row per resampling."""
    total = weights.sum(axis=1)
    if ordered.size == 0:
        return np.full(len(weights), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        if statistic == "mean":
            return weights @ ordered / total
    reached = np.cumsum(weights, axis=1)
    place = statistic * np.maximum(total - 1, 0)[:, None]
    below = ordered[(reached > np.floor(place)).argmax(axis=1)]
    above = ordered[(reached > np.ceil(place)).argmax(axis=1)]
    between = below + (place % 1.0)[:, 0] * (above - below)
    return np.where(total > 0, between, np.nan)


def carry_over(observations, measure, settled_from=2, *, unit="batch"):
    """Return how much of the old version's level is left at each position of a batch.

    A batch that follows one of another version begins near the old level. At each position
    the distance from the batch's settled mean is counted positive towards the old level; the
    positions whose interval lies above 0 are the transient.

    Parameters
    ----------
    observations : pandas.DataFrame
        As ``label`` returns them.
    measure : str
    settled_from : int
        The first position that is taken to be settled.
    unit : str
        What is independent: "batch", or "run", of whose batches the mean is taken first.

    Returns
    -------
    pandas.DataFrame
        Indexed by ``position``: ``carried`` in the measure's unit, ``half_width`` (95 %),
        ``batches``, or ``runs``.

    Examples
    --------
    >>> import pandas as pd
    >>> from perfkit.methods.switching import label
    >>> frame = pd.DataFrame({"run": 0, "version": [0, 0, 1, 1] * 2, "x": [1, 2, 2, 3] * 2})
    >>> len(carry_over(label(frame, 2, 2), "x", settled_from=1))  # positions of a batch
    2
    """
    if unit not in ("batch", "run"):
        raise ValueError(f"unit must be one of batch, run; {unit!r} is not.")
    check_columns(observations, ["run", "batch", "position", "version"], "observations")
    check_numeric(observations, [measure], "observations")
    table = observations.pivot(index=["run", "batch"], columns="position", values=measure)
    version = observations.groupby(["run", "batch"])["version"].first()
    if settled_from not in table:
        raise ValueError(f"No batch has a position {settled_from}; settle earlier.")
    level = observations.groupby("version")[measure].mean()
    before = version.groupby(level="run").shift()
    switched = before.notna() & (before != version)
    if not switched.any():
        raise ValueError("The version never changes, so nothing can be carried over.")
    towards = np.sign(before[switched].map(level) - version[switched].map(level))
    away = table[switched].sub(table.loc[switched, settled_from:].mean(axis=1), axis=0)
    signed = away.mul(towards, axis=0)
    if unit == "run":
        signed = signed.groupby(level="run").mean()
    count = signed.count()
    half_width = stats.t.ppf(0.975, (count - 1).clip(lower=1)) * signed.std() / np.sqrt(count)
    counted = "runs" if unit == "run" else "batches"
    return pd.DataFrame({"carried": signed.mean(), "half_width": half_width, counted: count})
