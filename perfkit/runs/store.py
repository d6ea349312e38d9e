"""Finished runs of a sweep in a folder, so that nothing is lost when a run is killed.

A store is a folder; each sweep has one within it, named by what is run. Finished batches are
Parquet files in subfolders, whole or not there, under names that hold their checksums.
They hold points, seeds and measures, not parameters: the same sweep, called again, adds those.
"""

import fcntl
import functools
import hashlib
import inspect
import io
import json
import os
import pickle
import sys
import warnings
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import numpy as np
import pandas as pd
from joblib import hash as content_hash

from perfkit.core.extras import extra
from perfkit.core.sources import source_hash
from perfkit.core.wording import with_article
from perfkit.runs.executors import Run, unkept

ABOUT, LOCK = "about.json", "lock"
PART, BATCH, FAILED = ".part-", "batch-", "failed-"
HELD = (bool, int, float, str, type(None))  # what Parquet gives back as it was
KEY_DIGITS, SUM_DIGITS = 12, 16
OWN = ["point", "seed"]


def what_is_run(simulate, options, parameters, design, seed):
    """Return what tells a sweep from others, as hashes by name; ``seed`` is each point's first."""
    try:
        return {
            "simulator": content_hash(_identity(simulate)),
            "options": {name: content_hash(_identity(value)) for name, value in options.items()},
            "parameters": content_hash([type(parameters).__module__, parameters.as_dict()]),
            "design": content_hash(design.to_dict("split")),
            "seed": seed,
            # No part of the folder's name: runs of other sources are refused, not overlooked.
            "sources": source_hash(),
        }
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError):
        raise ValueError(
            "A store needs a simulator and options that can be told apart by their contents;"
            " leave it out for these."
        ) from None


def _identity(value):
    """Return what tells a function or value from others, the same in every process."""
    value = getattr(value, "py_func", value)
    if isinstance(value, functools.partial):
        return [_identity(value.func), [*map(_identity, value.args)], _identity(value.keywords)]
    if isinstance(value, dict):
        return {name: _identity(each) for name, each in value.items()}
    if not inspect.isfunction(value):
        return value
    inner = [_identity(cell.cell_contents) for cell in value.__closure__ or ()]
    try:
        source = inspect.getsource(value)
    except OSError:
        source = value.__code__.co_code
    defaults = _identity(value.__defaults__), _identity(value.__kwdefaults__)
    package = _package_hash(value.__module__.partition(".")[0])
    return [value.__module__, value.__qualname__, source, package, inner, *defaults]


def _package_hash(name):
    """Return the hash of a package's sources, of which a function of it may call any."""
    folders = getattr(sys.modules.get(name), "__path__", ())
    return [source_hash(Path(folder)) for folder in folders if name != "perfkit"]


class Kept:
    """The finished runs of one sweep, in its folder within a store.

    The store is made if it is not there; the folder above it must be. ``what`` is that of
    ``what_is_run``, ``about`` what ``status`` says of it: ``system``, ``points``, ``runs``.
    """

    def __init__(self, store, what, about):
        key = content_hash({name: value for name, value in what.items() if name != "sources"})
        self.folder = Path(store) / key[:KEY_DIGITS]
        with extra("sweep", "A store"):
            import pyarrow  # noqa: F401
        try:
            Path(store).mkdir(exist_ok=True)
            self.folder.mkdir(exist_ok=True)
            self._lock = (self.folder / LOCK).open("w")
        except FileNotFoundError:
            raise ValueError(f"There is no folder {Path(store).parent} for a store.") from None
        except OSError as error:
            raise ValueError(f"The store {store} can't be written to: {error.strerror}.") from None
        self._take_lock(store)
        self._session = uuid4().hex
        self._begin({**what, **about, "session": self._session})

    def _take_lock(self, store):
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise ValueError(
                f"Another process is at this very sweep in {store}; wait for it, or name another"
                " store."
            ) from None

    def _begin(self, about):
        """Say what is run, or refuse what other sources of perfkit began."""
        for left in self.folder.glob(f"{PART}*"):
            left.unlink(missing_ok=True)
        path = self.folder / ABOUT
        began = _told_of(path) if path.exists() else about
        if began["sources"] != about["sources"]:
            self.close()
            raise ValueError(
                f"{self.folder} holds runs of other sources of perfkit ({began['sources']}, not"
                f" {about['sources']}); name another store, or delete that folder."
            )
        self._told(_write, ABOUT, json.dumps(about, indent=1).encode())

    def close(self):
        """Let others at this sweep."""
        self._lock.close()

    def writer(self, names):
        """Return what keeps a worker's batches; of its measures the client needs ``names``."""
        return Writer(self.folder.absolute(), self._session, names)

    def keep(self, runs):
        """Add a batch, a list of Run; a full disk is one sentence."""
        self._told(_keep, runs)

    def _told(self, write, *what):
        try:
            write(self.folder, *what)
        except OSError as error:
            raise RuntimeError(
                f"{self.folder} can't be written to ({error.strerror}); what it holds is whole, and"
                " the same sweep goes on from there."
            ) from None

    def _whole(self, kind):
        """Yield files' contents; a damaged one is named, and deleted to be run again."""
        for path in sorted(self.folder.rglob(f"{kind}*"), key=lambda path: path.name):
            content = path.read_bytes()
            if _sum(content) == path.stem.rsplit("-", 1)[-1]:
                yield content
            else:
                warnings.warn(f"The batch {path} was damaged; it is run again.", stacklevel=3)
                path.unlink()

    def batches(self, columns=None):
        """Yield what was kept, a frame per batch: ``point``, ``seed`` and measures, all or some."""
        names = None if columns is None else OWN + list(columns)
        for content in self._whole(BATCH):
            yield pd.read_parquet(io.BytesIO(content), columns=names)

    def failures(self):
        """Return the runs that failed, as a list of Run."""
        return [Run(*run) for content in self._whole(FAILED) for run in json.loads(content)]


def _told_of(path):
    """Return what a sweep's folder says that it holds."""
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        about = None
    if not isinstance(about, dict) or not {"sources", "system", "points", "runs"} <= set(about):
        raise ValueError(
            f"{path} is damaged; delete it, and the same sweep goes on from its batches."
        )
    return about


class Writer(NamedTuple):
    """Keeps batches where they were computed, if that sees the folder of the sweep at work."""

    folder: Path
    session: str  # a worker that a killed sweep left behind must not write into the next one
    names: list

    def __call__(self, runs):
        """Return what the client needs of a batch's runs, and whether they are kept."""
        try:
            if json.loads((self.folder / ABOUT).read_bytes())["session"] != self.session:
                return runs, False
            _keep(self.folder, runs)
        except (OSError, ValueError, KeyError):  # the client tries, too, and says what is wrong
            return runs, False
        return [run._replace(measures=self._needed(run.measures)) for run in runs], True

    def _needed(self, measures):
        return measures and {name: measures[name] for name in self.names if name in measures}


def _keep(folder, runs):
    """Add a batch to a folder, in a subfolder by its checksum: many files in one are slow."""
    rows = [
        {"point": run.point, "seed": run.seed}
        | {name: _plain(name, value) for name, value in run.measures.items()}
        for run in runs
        if not run.failure
    ]
    failed = [run for run in runs if run.failure]
    if rows:
        content = pd.DataFrame(rows).to_parquet(index=False)
        _write(folder, _name(BATCH, runs[0], content, "parquet"), content)
    if failed:
        content = json.dumps(failed).encode()
        _write(folder, _name(FAILED, failed[0], content, "json"), content)


def _name(kind, first, content, suffix):
    total = _sum(content)
    return f"{total[:2]}/{kind}{first.point:08d}-{first.seed}-{total}.{suffix}"


def _plain(name, value):
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, HELD):
        raise ValueError(
            f"The store can't hold the measure '{name}', {with_article(type(value).__name__)};"
            " measures must be numbers or words, or leave the store out."
        )
    return plain


def _write(folder, name, content):
    """Write a file that appears whole or not at all."""
    part = folder / f"{PART}{uuid4().hex}"
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or, after a crash, the new name may have no content
        (folder / name).parent.mkdir(exist_ok=True)
        os.replace(part, folder / name)
    except OSError:
        part.unlink(missing_ok=True)
        raise


class Memory:
    """Finished runs of a sweep that has no store: ``Kept``'s face, without a folder."""

    def __init__(self):
        self._runs = []

    def writer(self, _):
        """Leave batches to the client."""
        return unkept

    def keep(self, runs):
        """Add a batch of runs."""
        self._runs += runs

    def batches(self, columns=None):
        """Yield what was kept as one frame, as ``Kept`` does."""
        runs = [run for run in self._runs if run.measures is not None]
        rows = [{"point": run.point, "seed": run.seed} | run.measures for run in runs]
        if rows:
            frame = pd.DataFrame(rows, dtype=object)
            yield frame if columns is None else frame[OWN + list(columns)]

    def failures(self):
        """Return the runs that failed."""
        return [run for run in self._runs if run.failure]

    def close(self):
        """Nothing is to be given back."""


def _sum(content):
    return hashlib.sha256(content).hexdigest()[:SUM_DIGITS]


def status(store):
    """Return what each sweep of a store has come to.

    Parameters
    ----------
    store : path

    Returns
    -------
    pandas.DataFrame
        One row per sweep: ``sweep`` (its folder), ``system``, ``points``, ``runs`` (the most there
        may be), ``done``, ``failed``, ``sources`` ("these", or others' hash).

    Examples
    --------
    >>> status("no/folder")
    Traceback (most recent call last):
    ValueError: There is no sweep in no/folder; perfkit sweep --store no/folder begins one.
    """
    with extra("sweep", "A store"):
        from pyarrow.parquet import read_metadata

    folders = sorted(path.parent for path in Path(store).glob(f"*/{ABOUT}"))
    if not folders:
        raise ValueError(f"There is no sweep in {store}; perfkit sweep --store {store} begins one.")
    rows = []
    for folder in folders:
        about = _told_of(folder / ABOUT)
        same = about["sources"] == source_hash()
        done = sum(read_metadata(file).num_rows for file in folder.rglob(f"{BATCH}*"))
        rows.append(
            {
                "sweep": folder.name,
                "system": about["system"],
                "points": about["points"],
                "runs": max(about["runs"], done),
                "done": done,
                "failed": sum(len(json.loads(f.read_text())) for f in folder.rglob(f"{FAILED}*")),
                "sources": "these" if same else about["sources"],
            }
        )
    return pd.DataFrame(rows)
