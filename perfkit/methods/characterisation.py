"""Workload characterisation: principal components of demands, and classes of transactions.

Anderson, Reiser and Galati (1975) class transactions by the data they move and single out the
typical ones; finer classes they found with principal components.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.cluster import vq

from perfkit.core.values import (
    check_names,
    check_none_missing,
    check_numeric,
    is_whole,
)
from perfkit.methods.correlation import standardised

TYPICAL_CPU_S = 0.2
STARTS = 20  # of k-means
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
    scores : pandas.DataFrame
        The components of every row of the frame.
    """

    variance: pd.DataFrame
    loadings: pd.DataFrame
    correlations: pd.DataFrame
    scores: pd.DataFrame


def principal_components(frame, variables=None):
    """Return the principal components of the correlations of a frame's variables.

    Demands are skewed; take logarithms first unless the few largest transactions are what the
    components should be about: ``numpy.log`` where no demand is 0, else ``numpy.log1p`` in a unit
    in which most values are well above 1. Below 1 it is nearly a straight line, so that seconds
    of processing time must be made milliseconds before.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per transaction.
    variables : list of str, optional
        All columns by default.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"cpu_s": [1.0, 2.0, 3.0], "pages": [2.0, 4.0, 6.0]})
    >>> principal_components(frame).variance["share"].round(2).tolist()  # one thing, measured twice
    [1.0, 0.0]
    """
    values = standardised(frame, variables)
    eigenvalues, vectors = np.linalg.eigh(values.corr().to_numpy())
    eigenvalues, vectors = np.clip(eigenvalues[::-1], 0.0, None), vectors[:, ::-1]
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(largest.size)])
    names = [f"PC{k + 1}" for k in range(eigenvalues.size)]
    share = eigenvalues / eigenvalues.sum()
    variance = pd.DataFrame(
        {"eigenvalue": eigenvalues, "share": share, "cumulative": share.cumsum()}, index=names
    )
    loadings = pd.DataFrame(vectors, index=values.columns, columns=names)
    scores = values @ loadings
    return Components(variance, loadings, loadings * np.sqrt(eigenvalues), scores)


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

    Examples
    --------
    >>> [str(kind) for kind in data_moved([0, 40, 5], [0, 0, 5])]
    ['none', 'in', 'in and out']
    """
    index = reads.index if isinstance(reads, pd.Series) else None
    reads, writes = np.asarray(reads) > 0, np.asarray(writes) > 0
    kind = np.select([reads & writes, reads, writes], ["in and out", "in", "out"], "none")
    return pd.Series(pd.Categorical(kind, MOVES), index)


def class_table(frame, classes, demands):
    """Return what each class of transactions is and what it takes.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per transaction.
    classes : array_like
        The class of each.
    demands : list of str
        Columns of the frame.

    Returns
    -------
    pandas.DataFrame
        Indexed by class: ``count``, ``share`` of transactions, and for each demand its mean,
        ``<demand>_variation`` (standard deviation over mean) and ``<demand>_share`` of all.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"cpu_s": [1.0, 3.0, 6.0]})
    >>> class_table(frame, ["a", "a", "b"], ["cpu_s"])["cpu_s"].tolist()
    [2.0, 6.0]
    """
    check_names("demands", demands)
    check_numeric(frame, demands)
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


def clusters(frame, count, variables=None):
    """Class transactions by their standardised variables: k-means, the best of 20 starts.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per transaction; skewed demands as logarithms, or scores of a few components.
    count : int
        Classes, 2 or more.
    variables : list of str, optional
        All columns by default.

    Returns
    -------
    pandas.Series of int
        Classes from 1, the most frequent first, indexed as the frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"cpu_s": [1.0, 1.1, 9.0, 9.1], "pages": [2.0, 2.1, 7.0, 7.2]})
    >>> clusters(frame, 2).tolist()
    [1, 1, 2, 2]
    """
    values = standardised(frame, variables).to_numpy()
    if not is_whole(count) or not 2 <= count < len(values):
        raise ValueError(f"Classes must be 2 to {len(values) - 1} here; {count!r} is not.")
    labels = _kmeans(values, count)
    order = pd.Series(labels).value_counts().index
    rank = {label: k + 1 for k, label in enumerate(order)}
    return pd.Series([rank[label] for label in labels], index=frame.index, name="class")


def _kmeans(values, count):
    rng = np.random.default_rng(0)
    best, least = None, np.inf
    for _ in range(STARTS):
        centres, labels = vq.kmeans2(values, count, iter=50, minit="++", rng=rng)
        within = ((values - centres[labels]) ** 2).sum()
        if within < least and np.unique(labels).size == count:
            best, least = labels, within
    if best is None:
        raise ValueError(f"The rows do not fall into {count} classes; ask for fewer.")
    return best


def cluster_quality(frame, counts, variables=None):
    """Return how well the rows fall into so many classes, for several counts.

    Parameters
    ----------
    frame, variables
        As of `clusters`.
    counts : iterable of int

    Returns
    -------
    pandas.DataFrame
        Indexed by count: ``between`` (share of the variance that lies between classes) and
        ``pseudo_f`` (Calinski and Harabasz 1974; the greatest points to the count).

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"cpu_s": [1.0, 1.1, 9.0, 9.1], "pages": [2.0, 2.1, 7.0, 7.2]})
    >>> cluster_quality(frame, [2, 3]).index.tolist()
    [2, 3]
    """
    values = standardised(frame, variables)
    rows = {}
    for count in counts:
        labels = clusters(frame, count, variables)
        within = ((values - values.groupby(labels).transform("mean")) ** 2).to_numpy().sum()
        total = (values**2).to_numpy().sum()
        degrees = (len(values) - count) / (count - 1)
        rows[count] = (1.0 - within / total, degrees * (total - within) / within)
    table = pd.DataFrame(rows, index=["between", "pseudo_f"]).T
    return table.rename_axis(index="classes")
