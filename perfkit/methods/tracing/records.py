"""The trace itself: records, names of their kinds, the file it is kept in."""

import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from perfkit.core.wording import check_known

EVENTS = {
    "wakes": ("what it slept for: 0 nothing yet, 1 output, 2 a line, 3 a command", "category"),
    "queued": ("queue", "category"),
    "preload_begins": ("pages of the working set", "category"),
    "preload_ends": ("pages that needed a transfer", "category"),
    "demand_disc": ("page", "category"),
    "demand_drum": ("page", "category"),
    "demand_in_core": ("page, shared or in core", "category"),
    "demanded_page_arrives": ("page", "category"),
    "overruns": ("1 core, 2 processor time, 3 no frame was left", "category"),
    "compaction": ("pages not touched", "pages in core"),
    "compaction_at_removal": ("pages not touched", "pages in core"),
    "sleeps": ("kind of command", "category"),
    "removed_from_core": ("processor time of the residence in us", "pages written back"),
    "removed_from_drum": ("pages that it had there", "category"),
    "page_leaves_at_removal": (
        "page",
        "marks: 1 touched, 2 written to, 4 preloaded, 8 shared, 16 transferred out",
    ),
    "page_leaves_at_compaction": ("page", "marks, as at removal"),
    "begins_log_out": ("", "category"),
    "suspended": ("core charged", "category"),
    "resumed": ("core charged", "category"),
    "preloaded_page_arrives": ("page", "category"),
    "exit_from_supervisor": ("queue that it comes from", "category"),
    "queues_sampled": ("lengths of six queues, a byte each", "lengths of three, a byte each"),
    "created": ("", "category with which the user begins"),
    "logged_out": ("", "category that the user had last"),
}
FIELDS = ("time_ms", "kind", "actor", "value", "detail")
CLOCK_WORDS = 2
SMALL = 2**15  # numbers below are sorted soon


@dataclass(frozen=True)
class Trace:
    """An event trace.

    Attributes
    ----------
    records : ndarray
        Fields ``time_ms``, ``kind``, ``actor``, ``value``, ``detail``, in the order of time.
    kinds : dict of int to str
        The names of the kinds.
    full : bool
        Whether tracing stopped because its space was used up.
    left_out : frozenset of str
        Kinds that the mask left out. A program that reads one refuses the trace.
    """

    records: np.ndarray
    kinds: dict
    full: bool = False
    left_out: frozenset = frozenset()

    def __post_init__(self):
        missing = [name for name in FIELDS if name not in (self.records.dtype.names or ())]
        if missing:
            raise ValueError(
                f"A trace's records need the fields {', '.join(FIELDS)}; {missing[0]} is missing."
            )
        times = self.records["time_ms"]
        if not (times[1:] >= times[:-1]).all():
            raise ValueError("A trace's records must be in the order of time; these are not.")

    @classmethod
    def of(cls, result, events):
        """Return the trace of a simulated run.

        Parameters
        ----------
        result : Result
            Of any system: ``trace`` and, in ``counts``, ``trace_full``; a parameter
            ``trace_mask``, a bit for each kind, if some may be left out.
        events : IntEnum
            The system's kinds of events.
        """
        kinds = {int(e): e.name.lower() for e in events}
        mask = getattr(result.parameters, "trace_mask", -1)
        left_out = frozenset(name for number, name in kinds.items() if not (mask >> number) & 1)
        return cls(result.trace, kinds, bool(result.values.get("trace_full", 0)), left_out)

    @cached_property
    def _columns(self):
        return {}

    def column(self, name):
        """Return a field of all records in one piece, kind and actor as small as they fit."""
        if name not in self._columns:
            values = np.ascontiguousarray(np.asarray(self.records)[name])
            if name in ("kind", "actor") and values.size:
                small = values.min() > -SMALL and values.max() < SMALL
                values = values.astype(np.int16) if small else values
            self._columns[name] = values
        return self._columns[name]

    @cached_property
    def _by_kind(self):
        """The places of the records by kind, and where in them each kind begins."""
        kind = self.column("kind")
        order = np.argsort(kind, kind="stable")
        numbers = np.arange(max(self.kinds) + 2).astype(kind.dtype)
        return order, np.searchsorted(kind[order], numbers)

    def numbers(self, name):
        """Return a kind's number by its name, in a list; empty if this trace has no such kind."""
        if name in self.left_out:
            raise ValueError(
                f"This trace can't say: its mask left out the records '{name}', which are needed."
            )
        found = [number for number, known in self.kinds.items() if known == name]
        if not found:
            check_known("event", name, EVENTS)
        return found

    def need(self, *names):
        """Refuse this trace if its system has no kind of one of some names."""
        for name in names:
            if not self.numbers(name):
                raise ValueError(
                    f"This trace can't say: its system has no records '{name}', which are needed."
                )

    def places(self, *names):
        """Return the places of the records of some kinds, rising; none of a kind there isn't."""
        order, begins = self._by_kind
        numbers = [number for name in names for number in self.numbers(name)]
        parts = [order[begins[n] : begins[n + 1]] for n in numbers]
        if len(parts) == 1:
            return parts[0]
        return np.sort(np.concatenate([*parts, np.zeros(0, np.int64)]), kind="stable")

    def are(self, place, *names):
        """Return whether the records at some places are of some kinds."""
        wanted = np.zeros(max(self.kinds) + 1, dtype=bool)
        wanted[[number for name in names for number in self.numbers(name)]] = True
        return wanted[self.column("kind")[place]]

    def having(self, *names):
        """Return the records of some kinds; there are none of a kind that the system hasn't."""
        return self.records[self.places(*names)]

    def between(self, from_s, until_s=np.inf):
        """Return the part of the trace from one time to another."""
        first, last = np.searchsorted(
            self.records["time_ms"], [1000.0 * from_s, 1000.0 * until_s], side="left"
        )
        return Trace(self.records[first:last], self.kinds, self.full, self.left_out)

    @property
    def seconds(self):
        """Time from the first record to the last."""
        times = self.records["time_ms"]
        return float(times[-1] - times[0]) / 1000.0 if times.size else 0.0

    def counts(self):
        """Return the number of records of each name that occurs."""
        import pandas as pd

        kinds, counts = np.unique(self.column("kind"), return_counts=True)
        return pd.Series(counts, [self.kinds[int(kind)] for kind in kinds], name="records")

    def filled(self, words_of, space_words):
        """Return how many records a space of so many words holds, and the time until it is full.

        Parameters
        ----------
        words_of : mapping of str to int
            Words of a record by the name of its kind.
        space_words : int

        Returns
        -------
        records : int
        seconds : float
            Infinite if the trace does not fill the space.
        """
        length = np.zeros(max(self.kinds) + 1, np.int64)
        for number, name in self.kinds.items():
            length[number] = words_of.get(name, CLOCK_WORDS)
        words = np.cumsum(length[self.column("kind")])
        held = int(np.searchsorted(words, space_words, side="right"))
        if held == words.size:
            return held, np.inf
        return held, float(self.records["time_ms"][held] - self.records["time_ms"][0]) / 1000.0


def save(trace, path):
    """Keep a trace as a file of this very name, which ``load`` reads (a compressed ``.npz``)."""
    numbers = np.array(list(trace.kinds), np.int64)
    names = np.array(list(trace.kinds.values()))
    left_out = np.array(sorted(trace.left_out), str)
    records = np.asarray(trace.records)
    path = Path(path)
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"A trace is kept in a file of a folder that is there; {path} is none.")
    whole = path.with_name(path.name + ".part")
    with open(whole, "wb") as file:
        np.savez_compressed(
            file, records=records, numbers=numbers, names=names, full=trace.full, left_out=left_out
        )
    whole.replace(path)


def load(path):
    """Return a trace from its file."""
    path = Path(path)
    if not path.exists():
        raise ValueError(f"There is no trace {path}.")
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{path} holds no trace: it is no .npz file, or not whole.")
    try:
        with np.load(path, allow_pickle=False) as kept:
            kinds = {
                int(n): str(name) for n, name in zip(kept["numbers"], kept["names"], strict=True)
            }
            left_out = frozenset(map(str, kept.get("left_out", ())))
            return Trace(kept["records"], kinds, bool(kept["full"]), left_out)
    except Exception as error:  # what a damaged file raises depends on the byte
        raise ValueError(f"{path} holds no trace: {error}.") from None
