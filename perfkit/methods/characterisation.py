"""Workload characterisation: principal components of demands, and classes of transactions.

Anderson, Reiser and Galati (1975) class transactions by the data they move and single out the
typical ones; finer classes they found with principal components.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.cluster import hierarchy, vq

from perfkit.methods.correlation import checked_correlation, standardised
from perfkit.values import check_columns, check_none_missing, check_whole, is_number, is_whole

TYPICAL_CPU_S = 0.2
TYPICAL_ACCESSES = 10
MOVES = ["none", "in", "in and out", "out"]


class Components(NamedTuple):
    """Principal components.

    Attributes
    ----------
    variance : pandas.DataFrame
        Indexed by component, the greatest first: ``eigenvalue``, ``share`` and ``cumulative``
        share of the variance.
    loadings : pandas.DataFrame
        Variables by components: the weights of the standardised variables, each component of
        length one, with its largest weight positive.
    correlations : pandas.DataFrame
        Variables by components: how each variable correlates with each component.
    scores : pandas.DataFrame or None
        The components of every row of the frame; none if only correlations were given.
    """

    variance: pd.DataFrame
    loadings: pd.DataFrame
    correlations: pd.DataFrame
    scores: pd.DataFrame | None


def principal_components(frame, variables=None):
    """Return the principal components of the correlations of a frame's variables.

    Demands are skewed; take logarithms first unless the few largest transactions are what the
    components should be about: ``numpy.log`` where no demand is 0, else ``numpy.log1p`` in a unit
    in which most values are well above 1. Below 1 it is nearly a straight line, so that seconds
    of processing time must be made milliseconds before.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a transaction.
    variables : list of str, optional
        All columns by default.

    Returns
    -------
    Components

    Raises
    ------
    ValueError
        If a column lacks or is there twice, none is named, a value is missing, a variable is
        constant, or there are fewer than three rows.
    """
    values = standardised(frame, variables)
    found = components_of(values.corr())
    return found._replace(scores=values @ found.loadings)


def components_of(correlation):
    """Return the principal components of a table of correlations.

    Parameters
    ----------
    correlation : pandas.DataFrame
        Square, with ones on its diagonal.

    Returns
    -------
    Components
        Without scores.

    Raises
    ------
    ValueError
        If the table is none of correlations: not symmetric, not one on its diagonal, or with
        a negative eigenvalue.
    """
    matrix = checked_correlation(correlation)
    eigenvalues, vectors = np.linalg.eigh(matrix)
    eigenvalues, vectors = np.clip(eigenvalues[::-1], 0.0, None), vectors[:, ::-1]
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(largest.size)])
    names = [f"PC{k + 1}" for k in range(eigenvalues.size)]
    share = eigenvalues / eigenvalues.sum()
    variance = pd.DataFrame(
        {"eigenvalue": eigenvalues, "share": share, "cumulative": share.cumsum()}, index=names
    )
    loadings = pd.DataFrame(vectors, index=correlation.index, columns=names)
    return Components(variance, loadings, loadings * np.sqrt(eigenvalues), None)


def parallel_analysis(frame, variables=None, *, seed=0, resamples=200, quantile=0.95):
    """Return which components exceed what unrelated variables would show (Horn 1965).

    Each resample shuffles every variable on its own, which keeps its distribution and
    destroys its relations.

    Parameters
    ----------
    frame, variables
        As of `principal_components`.
    seed, resamples : int
    quantile : float
        Of the eigenvalues over the resamples.

    Returns
    -------
    pandas.DataFrame
        Indexed by component: ``eigenvalue``, ``by_chance`` (the quantile over resamples) and
        ``kept``: this component and all before it exceed theirs.

    Raises
    ------
    ValueError
        As `principal_components`; or if there is no resample, or no such quantile.
    """
    check_whole("resamples", resamples)
    if not is_number(quantile) or not 0.0 <= quantile <= 1.0:
        raise ValueError(f"quantile must be a number from 0 to 1; {quantile!r} is not.")
    values = standardised(frame, variables)
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(resamples):
        shuffled = rng.permuted(values.to_numpy(), axis=0)
        matrix = np.atleast_2d(np.corrcoef(shuffled, rowvar=False))
        rows.append(np.linalg.eigvalsh(matrix)[::-1])
    table = components_of(values.corr()).variance[["eigenvalue"]]
    table["by_chance"] = np.quantile(rows, quantile, axis=0)
    table["kept"] = (table["eigenvalue"] > table["by_chance"]).cummin()
    return table


def data_moved(reads, writes):
    """Class transactions by the data that they move, as the paper reads its Table 3.

    Parameters
    ----------
    reads, writes : array_like of float
        Data set accesses of each transaction.

    Returns
    -------
    pandas.Series of category
        ``none``, ``in``, ``in and out`` or ``out`` (which the paper's table has none of),
        indexed as the reads where they are a series.
    """
    index = _index(reads)
    reads, writes = np.asarray(reads) > 0, np.asarray(writes) > 0
    kind = np.select([reads & writes, reads, writes], ["in and out", "in", "out"], "none")
    return pd.Series(pd.Categorical(kind, MOVES), index)


def is_typical(cpu_s, reads, writes, *, cpu_limit_s=TYPICAL_CPU_S, access_limit=TYPICAL_ACCESSES):
    """Tell the paper's typical transactions from others.

    Parameters
    ----------
    cpu_s : array_like of float
        Virtual storage processing time of each transaction (s).
    reads, writes : array_like of float
        Its data set accesses.
    cpu_limit_s : float
        A typical one needs less.
    access_limit : int
        A typical one makes no more of both together.

    Returns
    -------
    pandas.Series of bool
        Indexed as the processing times where they are a series.
    """
    accesses = np.asarray(reads) + np.asarray(writes)
    typical = (np.asarray(cpu_s) < cpu_limit_s) & (accesses <= access_limit)
    return pd.Series(typical, _index(cpu_s))


def _index(values):
    return values.index if isinstance(values, pd.Series) else None


def class_table(frame, classes, demands):
    """Return what each class of transactions is and what it takes.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a transaction.
    classes : array_like
        The class of each.
    demands : list of str
        Columns of the frame.

    Returns
    -------
    pandas.DataFrame
        Indexed by class: ``count``, ``share`` of transactions, and for each demand its mean,
        ``<demand>_variation`` (standard deviation over mean) and ``<demand>_share`` of all.

    Raises
    ------
    ValueError
        If a column lacks, has the name of one of the table's own, or there is not one class a
        row.
    """
    check_columns(frame, demands)
    own = [
        "count",
        "share",
        *(f"{name}_{part}" for name in demands for part in ("variation", "share")),
    ]
    if taken := sorted(set(demands) & set(own)):
        raise ValueError(f"The table has a column '{taken[0]}' of its own; rename the demand.")
    if len(classes) != len(frame):
        raise ValueError(f"{len(frame)} rows need as many classes; {len(classes)} are given.")
    check_none_missing("a class", classes)
    groups = frame[demands].groupby(np.asarray(classes), observed=True)
    table = pd.DataFrame({"count": groups.size()})
    table["share"] = table["count"] / len(frame)
    for name in demands:
        values = groups[name]
        table[name] = values.mean()
        table[f"{name}_variation"] = values.std() / values.mean()
        table[f"{name}_share"] = values.sum() / frame[name].sum()
    return table.rename_axis(index="class")


def clusters(frame, count, variables=None, *, method="kmeans", seed=0, starts=20):
    """Class transactions by their standardised variables.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a transaction; skewed demands as logarithms, or scores of a few components.
    count : int
        Classes, 2 or more.
    variables : list of str, optional
        All columns by default.
    method : str
        ``kmeans``, the best of several starts; or ``ward``, hierarchical, whose time and memory
        grow as the square of the rows.
    seed, starts : int
        Of k-means.

    Returns
    -------
    pandas.Series of int
        Classes from 1, the most frequent first, indexed as the frame.

    Raises
    ------
    ValueError
        If the method is unknown, there is no start, or the rows are too few or too alike for the
        classes.
    """
    check_whole("starts", starts)
    values = standardised(frame, variables).to_numpy()
    if not is_whole(count) or not 2 <= count < len(values):
        raise ValueError(f"Classes must be 2 to {len(values) - 1} here; {count!r} is not.")
    if method == "kmeans":
        labels = _kmeans(values, count, seed, starts)
    elif method == "ward":
        labels = hierarchy.fcluster(hierarchy.linkage(values, "ward"), count, "maxclust")
    else:
        raise ValueError(f"The method must be 'kmeans' or 'ward'; {method!r} is not.")
    order = pd.Series(labels).value_counts().index
    if len(order) < count:
        raise ValueError(f"The rows do not fall into {count} classes; ask for fewer.")
    rank = {label: k + 1 for k, label in enumerate(order)}
    return pd.Series([rank[label] for label in labels], index=frame.index, name="class")


def _kmeans(values, count, seed, starts):
    rng = np.random.default_rng(seed)
    best, least = None, np.inf
    for _ in range(starts):
        centres, labels = vq.kmeans2(values, count, iter=50, minit="++", rng=rng)
        within = ((values - centres[labels]) ** 2).sum()
        if within < least and np.unique(labels).size == count:
            best, least = labels, within
    if best is None:
        raise ValueError(f"The rows do not fall into {count} classes; ask for fewer.")
    return best


def cluster_quality(frame, counts, variables=None, **options):
    """Return how well the rows fall into so many classes, for several counts.

    Parameters
    ----------
    frame, variables, **options
        As of `clusters`.
    counts : iterable of int

    Returns
    -------
    pandas.DataFrame
        Indexed by count: ``between`` (share of the variance that lies between classes) and
        ``pseudo_f`` (Calinski and Harabasz 1974; the greatest points to the count).
    """
    values = standardised(frame, variables)
    rows = {}
    for count in counts:
        labels = clusters(frame, count, variables, **options)
        within = ((values - values.groupby(labels).transform("mean")) ** 2).to_numpy().sum()
        total = (values**2).to_numpy().sum()
        degrees = (len(values) - count) / (count - 1)
        rows[count] = (1.0 - within / total, degrees * (total - within) / within)
    table = pd.DataFrame(rows, index=["between", "pseudo_f"]).T
    return table.rename_axis(index="classes")
