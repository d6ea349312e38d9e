"""What a string of page references asks of memory: working sets, LRU, pages since activation.

The working set W(t, T) is the set of pages among the last T references up to the t-th
(Denning, "The working set model for program behavior", CACM 11, 1968). Time is virtual, in
references; a page is anything that can be told apart (a number or a name).
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import count, probabilities, rising, vector
from perfkit.analytic.records import Record

MOST_NUMBERS = 100_000_000


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

    def frame(self):
        """Return one row a window."""
        import pandas as pd

        return pd.DataFrame(vars(self)).set_index("window")

    def plot(self, ax=None, **style):
        """Draw the mean working set size over the window."""
        axes = self.frame()["mean_pages"].plot(ax=ax, **style)
        axes.set_ylabel("mean_pages")
        return axes


@dataclass(frozen=True, eq=False)
class FaultCurve(Record):
    """Faults of one program under LRU by memory.

    Attributes
    ----------
    memory_pages : numpy.ndarray of int, shape (n,)
        Frames, 1 to the distinct pages of the string.
    faults : numpy.ndarray of int, shape (n,)
        Faults, with an empty memory at the start.
    lifetime : numpy.ndarray, shape (n,)
        Mean references from one fault to the next: references over faults.
    """

    memory_pages: np.ndarray
    faults: np.ndarray
    lifetime: np.ndarray

    def frame(self):
        """Return one row a memory size."""
        import pandas as pd

        return pd.DataFrame(vars(self)).set_index("memory_pages")

    def plot(self, ax=None, **style):
        """Draw the lifetime over memory."""
        axes = self.frame()["lifetime"].plot(ax=ax, **style)
        axes.set_ylabel("references between faults")
        return axes


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
        Windows T of 1 or more.

    Returns
    -------
    WorkingSets
    """
    pages = _string(references)
    window = _windows(windows)
    before, after = _intervals(pages)
    mean_pages = [np.minimum(after, t).mean() for t in window]
    missing = [(before > t).mean() for t in window]
    return WorkingSets(window, np.array(mean_pages), np.array(missing))


def working_sets_of_independent(probability, windows):
    """Return expected working sets of independent references.

    Page i with probability p_i is in the working set unless T references in a row miss it:
    s(T) = sum of 1 - (1 - p_i)^T, m(T) = sum of p_i (1 - p_i)^T (Denning and Schwartz 1972).

    Parameters
    ----------
    probability : array_like of float, shape (pages,)
        Chance of each page at each reference; sums to 1.
    windows : array_like of int, shape (n,)
        Windows T of 1 or more.

    Returns
    -------
    WorkingSets
    """
    p = probabilities("probability", probability)
    window = _windows(windows)
    if window.size * p.size > MOST_NUMBERS:
        most = MOST_NUMBERS // p.size
        raise ValueError(f"windows must be {most} at most with {p.size} pages, not {window.size}.")
    missed = (1.0 - p) ** window[:, None]
    return WorkingSets(window, (1.0 - missed).sum(axis=1), missed @ p)


def working_sets_of_interreferences(probability, windows):
    """Return expected working sets of a stationary program with given interreference intervals.

    m(T) is the chance of an interval longer than T, and s(T) the sum of m(0) to m(T - 1), as
    s(T + 1) - s(T) = m(T) (Denning and Schwartz 1972).

    Parameters
    ----------
    probability : array_like of float, shape (k,)
        Chance that a page's next reference comes 1, 2, ... k references later, over all
        references; sums to 1.
    windows : array_like of int, shape (n,)
        Windows T of 1 or more.

    Returns
    -------
    WorkingSets
    """
    p = probabilities("probability", probability)
    window = _windows(windows)
    longer = np.concatenate((np.cumsum(p[::-1])[::-1], [0.0]))
    size = np.concatenate(([0.0], np.cumsum(longer)))
    at = np.minimum(window, p.size).astype(int)
    return WorkingSets(window, size[at], longer[at])


def stack_distances(references):
    """Return each reference's place in the LRU stack (Mattson and others, 1970).

    LRU with m frames faults at just those of a distance above m.

    Parameters
    ----------
    references : sequence, shape (k,)

    Returns
    -------
    numpy.ndarray of float, shape (k,)
        Distinct pages referenced since the page's last reference, itself with them; infinite
        for a first reference.
    """
    pages = _string(references)
    distance = np.full(pages.size, np.inf)
    latest, marks = {}, _Marks(pages.size)
    for i, page in enumerate(pages.tolist()):
        last = latest.get(page)
        if last is not None:
            distance[i] = len(latest) - marks.before(last)
            marks.change(last, -1)
        marks.change(i, 1)
        latest[page] = i
    return distance


class _Marks:
    """Places with or without a mark, counted in few steps (Fenwick's tree).

    In `stack_distances` each page's latest reference is marked; the marks from there on are the
    pages at its place in the stack and above.
    """

    def __init__(self, places):
        self._sums = [0] * (places + 1)

    def change(self, place, by):
        place += 1
        while place < len(self._sums):
            self._sums[place] += by
            place += place & -place

    def before(self, place):
        """Return the marks before a place."""
        total = 0
        while place:
            total += self._sums[place]
            place &= place - 1
        return total


def lru_curve(references):
    """Return LRU's faults and lifetime of a string at each memory size.

    Parameters
    ----------
    references : sequence, shape (k,)

    Returns
    -------
    FaultCurve
    """
    distance = stack_distances(references)
    first = int(np.isinf(distance).sum())
    memory = np.arange(1, first + 1)
    reuse = np.bincount(distance[np.isfinite(distance)].astype(int), minlength=first + 1)
    faults = first + reuse.sum() - np.cumsum(reuse)[1:]
    return FaultCurve(memory, faults, distance.size / faults)


def pages_since_activation(references, length, starts=None):
    """Return the mean pages demanded since activation, by references made: Fine's curve.

    Fine, Jackson and McIsaac (1966) plotted the pages that a program demands after it has been
    activated with none in memory. The paper was not at hand; assumed: pages are only gained,
    none is replaced, and the curve is the mean over activations.

    Parameters
    ----------
    references : sequence, shape (k,)
    length : int
        References followed after each activation, at most k.
    starts : array_like of int, optional
        Where activations begin, each at least ``length`` before the end; every such place
        if not given.

    Returns
    -------
    numpy.ndarray, shape (length + 1,)
        Mean pages after 0, 1, ... ``length`` references.

    Raises
    ------
    ValueError
        If an activation would begin outside the string, between two references or run beyond
        the string's end.
    """
    pages = _string(references)
    length = count("length", length)
    last = pages.size - length
    if last < 0:
        raise ValueError(f"length must be at most the {pages.size} references, not {length}.")
    before, _ = _intervals(pages)
    if starts is None:
        new = _new_from_everywhere(before, length) / (last + 1)
    else:
        starts = _starts(starts, last)
        new = [np.mean(before[starts + ago] > ago) for ago in range(length)]
    return np.concatenate(([0.0], np.cumsum(new)))


def _starts(starts, last):
    starts = vector("starts", starts)
    wrong = (starts < 0) | (starts > last) | (starts != np.floor(starts))
    if wrong.any():
        raise ValueError(f"starts must be from 0 to {last} and whole, not {starts[wrong][0]}.")
    return starts.astype(int)


def _new_from_everywhere(before, length):
    """Return by references made how many activations meet a new page; they begin everywhere.

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


def _windows(windows):
    window = rising("windows", windows)
    if window[0] < 1 or np.any(window != np.floor(window)):
        raise ValueError(f"windows must be whole numbers of 1 or more, not {window}.")
    return window
