"""What a string of page references asks of memory: working sets, pages since activation.

The working set W(t, T) is the set of pages among the last T references up to the t-th
(Denning, "The working set model for program behavior", CACM 11, 1968). Time is virtual, in
references; a page is anything that can be told apart (a number or a name).
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import count, counts, rising
from perfkit.analytic.records import Record


@dataclass(frozen=True, eq=False)
class WorkingSets(Record):
    """Working sets by window.

    Attributes
    ----------
    window : numpy.ndarray, shape (n,)
        Window T in references.
    mean_pages : numpy.ndarray, shape (n,)
        Mean working set size s(T).
    missing_rate : numpy.ndarray, shape (n,)
        Share of references to a page outside the working set, m(T).
    """

    window: np.ndarray
    mean_pages: np.ndarray
    missing_rate: np.ndarray
    index = "window"


def working_sets(references, windows):
    """Return mean working set size and missing-page rate of a string, exactly.

    No window is walked: a page stays in the working set from a reference to its next, but for
    T references at most, so the mean size is the mean of min(interval, T); intervals that the
    string's end cuts off count up to the end (Denning and Schwartz, CACM 15, 1972; Slutz and
    Traiger, CACM 17, 1974). First references are missing whatever the window.

    Parameters
    ----------
    references : sequence, shape (k,)
        Pages in the order in which they are referenced.
    windows : array_like of int, shape (n,)
        Windows T of 1 or more, rising.

    Examples
    --------
    >>> sets = working_sets([1, 2, 1, 2, 3, 3, 3, 1], [2, 4])
    >>> sets.mean_pages.tolist(), sets.missing_rate.tolist()
    ([1.625, 2.125], [0.5, 0.5])
    """
    before, after = _intervals(_string(references))
    window = counts("windows", windows)
    rising("windows", window)
    mean_pages = [np.minimum(after, t).mean() for t in window]
    missing = [(before > t).mean() for t in window]
    return WorkingSets(window, np.array(mean_pages), np.array(missing))


def pages_since_activation(references, length):
    """Return the mean pages demanded since activation, by references made: Fine's curve.

    Fine, Jackson and McIsaac (1966) plotted the pages that a program demands after it has been
    activated with none in memory. The paper was not at hand; assumed: pages are only gained,
    none is replaced, and the curve is the mean over activations at every place of the string.

    Parameters
    ----------
    references : sequence, shape (k,)
    length : int
        References followed after each activation, at most k.

    Returns
    -------
    numpy.ndarray, shape (length + 1,)
        Mean pages after 0, 1, ... ``length`` references.

    Examples
    --------
    >>> pages_since_activation([1, 2, 1, 3], 2).tolist()
    [0.0, 1.0, 2.0]
    """
    pages = _string(references)
    length = count("length", length)
    if length > pages.size:
        raise ValueError(f"length must be at most the {pages.size} references, not {length}.")
    new = _new_by_references_made(_intervals(pages)[0], length)
    return np.concatenate(([0.0], np.cumsum(new / (pages.size - length + 1))))


def _new_by_references_made(before, length):
    """Return by references made how many activations meet a new page.

    The reference at i is new to those that began at most ``before[i] - 1`` references ago, so
    it counts for a run of distances; a difference array adds the runs up.
    """
    place = np.arange(before.size)
    first = np.maximum(place - (before.size - length), 0)
    beyond = np.minimum(np.minimum(place + 1, length), before).astype(int)
    some = first < beyond
    change = np.bincount(first[some], minlength=length + 1)
    change -= np.bincount(beyond[some], minlength=length + 1)
    return np.cumsum(change[:length])


def _intervals(pages):
    """Return each reference's distance to the one before (inf) and the one after (the end)."""
    order = np.argsort(pages, kind="stable")
    same = pages[order][1:] == pages[order][:-1]
    gap = np.diff(order)[same]
    before = np.full(pages.size, np.inf)
    after = np.arange(pages.size, 0, -1).astype(float)
    before[order[1:][same]] = gap
    after[order[:-1][same]] = gap
    return before, after


def _string(references):
    pages = np.asarray(references)
    if pages.ndim != 1 or pages.size == 0:
        raise ValueError(
            f"references must be a list of pages, not an array of shape {pages.shape}."
        )
    return np.unique(pages, return_inverse=True)[1]
