"""On-line switching: versions of a running system take turns in short batches.

The method of Bard, "Experimental evaluation of system performance" (1973). A monitor
observes a running system at intervals and, every few observations, stores another version's
switch. Versions that alternate every few minutes see the same load, so that hours suffice
where separate days would need weeks.

Observations are a frame in the order of time, a row an observation, with the columns ``run``
(an uninterrupted stretch, such as a day) and ``version`` beside the measures. ``label`` adds
``batch`` (its number within the run), ``cycle`` (each version has one batch in it) and
``position`` (within the batch).
"""

import numpy as np
import pandas as pd
from scipy import optimize, stats
from statsmodels.stats.power import TTestPower

from perfkit.values import is_finite, is_number

RESAMPLES = 1000
UNITS = {"cycle": ["run", "cycle"], "run": ["run"]}


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

    Raises
    ------
    ValueError
        If a count is below 1.
    """
    for name, count in (("versions", versions), ("batch", batch), ("observations", observations)):
        if count != int(count) or count < 1:
            raise ValueError(f"{name} must be a whole number of 1 or more; {count!r} is not.")
    cycles = np.tile(np.arange(versions), (-(-observations // (versions * batch)), 1))
    if seed is not None:
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
    """
    _check_columns(observations, "run")
    number = observations.groupby("run").cumcount()
    return observations.assign(
        batch=number // batch, cycle=number // (batch * versions), position=number % batch
    )


def settled(observations, discard=1):
    """Return the observations that are left when the first ones of each batch are discarded."""
    _check_columns(observations, "position")
    return observations[observations["position"] >= discard]


def load_classes(load, width, first=1):
    """Sort whole-numbered loads into classes, as Figure 1 does with 2k-1 or 2k active users.

    Parameters
    ----------
    load : pandas.Series of int
    width : int
        Numbers in a class.
    first : int
        The lowest number of the first class.

    Returns
    -------
    pandas.Series of int
        The highest number of each one's class.
    """
    return (load - first) // width * width + first + width - 1


def compare(
    observations,
    measure,
    *,
    by=None,
    statistic="mean",
    baseline=None,
    confidence=0.95,
    unit=None,
    seed=0,
):
    """Compare versions, within load classes if asked, with intervals.

    Whole units are resampled, so the versions of a unit stay together: the load that they
    share cancels, and so does the correlation of successive observations. The half-width is
    Student's t times the standard error over resamplings, that of the paired t test where
    units of equal size have their means compared.

    Parameters
    ----------
    observations : pandas.DataFrame
        With ``run``, ``cycle``, ``version``; transients discarded already.
    measure : str
    by : str or sequence, optional
        A column (or values) of load classes.
    statistic : str or float
        "mean", or the quantile between 0 and 1 to compare.
    baseline : int, optional
        The version that the others are compared with; the lowest if not named.
    confidence : float
    unit : str, optional
        What is independent. "run": the interval is about runs in general, of which these are a
        sample. "cycle": about these very runs; how the difference varies from run to run is
        left out. By default "run" if there are several, else "cycle".
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

    Raises
    ------
    ValueError
        If a column is missing, the statistic or the unit unknown, or the baseline never in force.
    """
    _check_columns(observations, "run", "cycle", "version", measure)
    _check_statistic(statistic)
    versions = np.sort(observations["version"].unique())
    baseline = versions[0] if baseline is None else baseline
    check_versions(observations, baseline)
    base = int(np.flatnonzero(versions == baseline)[0])
    keys = _unit_columns(observations, unit)

    def one(group):
        samples, units = _resampled(group, measure, versions, statistic, keys, seed)
        units = np.minimum(units, units[base])
        count = group["version"].value_counts().reindex(versions, fill_value=0)
        columns = {"value": samples[0], "observations": count.to_numpy(), "units": units}
        columns |= _differences_and_ratios(samples, base, units, confidence)
        return pd.DataFrame(columns, index=pd.Index(versions, name="version"))

    if by is None:
        return one(observations)
    parts = {name: one(group) for name, group in observations.groupby(by)}
    return pd.concat(parts, names=["class", "version"])


def _check_statistic(statistic):
    if not ((is_number(statistic) and 0.0 <= statistic <= 1.0) or statistic == "mean"):
        raise ValueError(f"statistic must be 'mean' or a number from 0 to 1; {statistic!r} is not.")


def _unit_columns(observations, unit):
    """Return the columns that tell the independent units apart."""
    unit = unit or ("run" if observations["run"].nunique() > 1 else "cycle")
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}; {unit!r} is not.")
    return UNITS[unit]


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
    count = unit.max() + 1
    times = rng.multinomial(count, np.full(count, 1.0 / count), size=RESAMPLES)
    times = np.vstack([np.ones(count, int), times])
    values = observations[measure].to_numpy(float)
    samples = np.empty((len(times), versions.size))
    units = np.empty(versions.size, int)
    for column, version in enumerate(versions):
        mine = np.flatnonzero(observations["version"].to_numpy() == version)
        mine = mine[np.argsort(values[mine])]
        samples[:, column] = _weighted(values[mine], times[:, unit[mine]], statistic)
        units[column] = np.unique(unit[mine]).size
    return samples, units


def _weighted(ordered, weights, statistic):
    """Return the statistic of ordered values counted ``weights`` times, a row a resampling."""
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


def carry_over(observations, measure, settled_from=2):
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

    Returns
    -------
    pandas.DataFrame
        Indexed by ``position``: ``carried`` in the measure's unit, ``half_width`` (95 %),
        ``batches``.

    Raises
    ------
    ValueError
        If no batch is long enough or the version never changes.
    """
    _check_columns(observations, "run", "batch", "position", "version", measure)
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
    count = signed.count()
    half_width = stats.t.ppf(0.975, (count - 1).clip(lower=1)) * signed.std() / np.sqrt(count)
    return pd.DataFrame({"carried": signed.mean(), "half_width": half_width, "batches": count})


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
    """
    _check_columns(observations, "run", "version", measure)
    groups = ["version"] if by is None else ["version", by]
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

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If one of the versions keeps no observation.
    """
    order, keep = np.asarray(order), np.asarray(keep, bool)
    second, first = keep & (order == 1), keep & (order == 0)
    if not (first.any() and second.any()):
        raise ValueError("Both versions need an observation that is kept.")
    weights = second / second.sum() - first / first.sum()
    products = np.correlate(weights, weights, "full")[order.size - 1 :]
    lags = np.minimum(np.arange(order.size), len(covariance) - 1)
    gamma = np.asarray(covariance, float)[lags]
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
    """
    rows = {}
    for batch in sizes:
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


def differences(observations, measure, unit="run", versions=(0, 1)):
    """Return the difference of two versions' means in each independent unit.

    Parameters
    ----------
    observations : pandas.DataFrame
        With ``version`` and the unit's column.
    measure, unit : str
        The unit holds both versions: a run under switching, a pair of days, of weeks.
    versions : tuple of int
        The second less the first.

    Returns
    -------
    pandas.Series
        Indexed by unit; units without both versions are left out.

    Raises
    ------
    ValueError
        If a column is missing or a version was never in force.
    """
    return _differences(observations, measure, [unit], versions)


def _differences(observations, measure, keys, versions):
    _check_columns(observations, *keys, "version", measure)
    check_versions(observations, *versions)
    means = observations.groupby([*keys, "version"])[measure].mean().unstack("version")
    return (means[versions[1]] - means[versions[0]]).dropna()


def units_needed(unit_differences, effect, *, confidence=0.95, power=0.9):
    """Return how many independent units show a difference of a size with certainty.

    Parameters
    ----------
    unit_differences : array of float
        One a unit, as ``differences`` returns.
    effect : float
        The difference that must not be missed.
    confidence, power : float
        Of the two-sided t test.

    Returns
    -------
    float
        Not rounded; at least 2.

    Raises
    ------
    ValueError
        If there are fewer than two units, a number is missing or infinite, or the effect is 0.
    """
    values = np.asarray(unit_differences, float)
    known = np.isfinite(values).all() and is_finite(effect)
    if values.size < 2 or effect == 0.0 or not known:
        raise ValueError(
            "units_needed wants two units or more and an effect other than 0, all finite."
        )
    size = abs(effect) / values.std(ddof=1)

    def short_of(units):
        found = TTestPower().power(size, units, 1.0 - confidence)
        return np.nan_to_num(found, nan=1.0) - power  # SciPy gives none where it is nearly 1

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

    Raises
    ------
    ValueError
        If a column is missing or a version was never in force.
    """
    pairs = _differences(observations, measure, ["run", "cycle"], versions).to_numpy()
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(shuffles, pairs.size))
    as_large = np.abs(signs @ pairs) >= np.abs(pairs.sum()) * (1.0 - 1e-12)
    return float((as_large.sum() + 1) / (shuffles + 1))


def _check_columns(frame, *columns):
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"The observations lack the columns {', '.join(missing)}.")


def check_versions(observations, *versions):
    """Refuse versions that were never in force."""
    seen = np.sort(observations["version"].unique()).tolist()
    for version in versions:
        if version not in seen:
            raise ValueError(f"Version {version} was never in force; there are {seen}.")
