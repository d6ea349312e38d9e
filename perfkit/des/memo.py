"""Runs that were made before: the same run is read from the user's cache folder, not made again.

A run is the same if nothing is changed that it depends on: the sources of its system, of ``core``
and ``des``; Python, NumPy and the compiler; its parameters, seed and tables. What a study observes
depends on all sources of perfkit and of the studies, and on the data that it names. A run with a
policy is always made, for nobody knows what a reader's function looks at. So is one with a class of
the reader's in a table, one that is traced or interpreted, and any where IPython reloads edited
sources by itself. Runs of `LEAST_S` or more are kept, without traces, under checksums. Of them
`MOST_BYTES` stay, those that were asked for last. ``PERFKIT_MEMO=off`` switches the memo off, and
another value names another folder. Who can write there can change results, as with kernels.
"""

import contextlib
import functools
import hashlib
import inspect
import io
import os
import pickle
import platform
import sys
import tempfile
import time
import types
from importlib.metadata import version
from pathlib import Path

import llvmlite
import numba
import numpy as np
import platformdirs

from perfkit.core.sources import PACKAGE, source_hash
from perfkit.core.values import is_whole

SETTING, COUNTED, OFF = "PERFKIT_MEMO", "PERFKIT_MEMO_COUNTS", "off"
LEAST_S, MOST_BYTES = 0.01, 2 * 10**9
RELOADER = "IPython.extensions.autoreload"
KNOWN = ("builtins", "collections", "copyreg", "numpy", "pandas", "perfkit")
SUM_BYTES = hashlib.sha256().digest_size


def remembered(simulate, data=None):
    """Have a system's ``simulate``, or an observation of a study, take from the memo what it did.

    An observation returns no trace. ``data`` is the folder of tables that it depends on.
    """
    # At the import: what is edited later is not what runs.
    sources = _sources(simulate, data)

    @functools.wraps(simulate)
    def run(parameters=None, seed=0, **options):
        path = _place(sources, parameters, seed, options)
        found = path and _read(path)
        _count(found is not None)
        if found is not None:
            return found
        began = time.perf_counter()
        result = simulate(parameters, seed, **options)
        if path and time.perf_counter() - began >= LEAST_S:
            _keep(path, result)
        return result

    return run


def _count(taken):
    """Add a byte to the file that ``PERFKIT_MEMO_COUNTS`` names: kernels end without a word."""
    if COUNTED in os.environ:
        with contextlib.suppress(OSError), open(os.environ[COUNTED], "ab", buffering=0) as file:
            file.write(b"t" if taken else b"m")


def told(file):
    """Say how many runs were taken from the memo by all that counted into a file."""
    runs = Path(file).read_bytes() if Path(file).exists() else b""
    return f"{runs.count(b't')} of {len(runs)} runs were taken from the memo of earlier ones."


def root():
    """Return the memo's folder, or None if it is off."""
    named = os.environ.get(SETTING, "")
    if named == OFF or numba.config.DISABLE_JIT or RELOADER in sys.modules:
        return None
    return Path(named or platformdirs.user_cache_dir("perfkit")).expanduser() / "runs"


def _sources(simulate, data):
    """Return what tells all that runs depend on but what they are given."""
    room, of = Path(inspect.getfile(simulate)).resolve().parent, simulate.__module__
    versions = numba.__version__, llvmlite.__version__, np.__version__, platform.python_version()
    folders = [PACKAGE / "core", PACKAGE / "des", room]
    if not room.is_relative_to(PACKAGE):
        whole = Path(sys.modules[of.split(".")[0]].__file__).parent
        folders = [PACKAGE, whole, *filter(None, [data])]
        versions += version("scipy"), version("pandas")
    return [of, simulate.__qualname__, *versions, *(source_hash(folder) for folder in folders)]


def _place(sources, parameters, seed, options):
    """Return the file of a run, or None if it is one that is not kept."""
    tables = {name: value for name, value in options.items() if value is not None}
    traced, folder = tables.pop("trace", 0), root()
    if not folder or not is_whole(seed) or not is_whole(traced) or traced:
        return None
    try:
        values = parameters and (type(parameters).__module__, parameters.as_dict())
        asked = io.BytesIO()
        asked.write(repr((sources, values, int(seed))).encode())
        Telling(asked, protocol=5).dump(tables)
    except Exception:
        return None  # the run itself refuses what can't be, and makes what can't be told
    key = hashlib.sha256(asked.getvalue()).hexdigest()
    return folder / key[:2] / key


class Telling(pickle.Pickler):
    """Writes what tells a table from others; refuses what goes by its name alone."""

    def persistent_id(self, value):
        """Refuse a policy, and a function or class of whose sources nothing is known."""
        named = isinstance(value, type | types.FunctionType)
        if hasattr(value, "py_func") or (named and value.__module__.split(".")[0] not in KNOWN):
            raise pickle.PicklingError(value)


def _read(path):
    """Return a kept run; a damaged one is deleted, and made anew."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content[SUM_BYTES:]).digest() != content[:SUM_BYTES]:
        path.unlink(missing_ok=True)
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # what was asked for last stays longest
    return pickle.loads(content[SUM_BYTES:])


def _keep(path, result):
    """Keep a run in a file that appears whole or not at all; a full disc keeps none."""
    part = None
    try:
        content = pickle.dumps(result, protocol=5)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            part = Path(file.name)
            file.write(hashlib.sha256(content).digest() + content)
        part.replace(path)
        _trim_once()
    except (OSError, pickle.PicklingError, AttributeError, TypeError):
        if part:
            part.unlink(missing_ok=True)


@functools.cache
def _trim_once():
    trim()


def trim(most_bytes=MOST_BYTES):
    """Delete what was not asked for longest, until the rest is small enough."""
    folder = root()
    with contextlib.suppress(OSError, AttributeError):
        kept = [(file.stat(), file) for file in folder.glob("*/*")]
        kept.sort(key=lambda one: one[0].st_mtime, reverse=True)
        sizes = np.cumsum([stat.st_size for stat, _ in kept])
        for (_, file), size in zip(kept, sizes, strict=True):
            if size > most_bytes:
                file.unlink(missing_ok=True)
