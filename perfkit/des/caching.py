"""Where compiled kernels are kept, and how a damaged one is told from a sound one.

Compiled kernels are kept in a folder ``perfkit-<hash of the sources>`` under ``NUMBA_CACHE_DIR``
or the user's cache folder. An edit of any source of perfkit begins a new folder; old ones stay,
some megabytes each, and can be deleted while nothing runs. Where that can't be written, a
temporary folder of this process takes its place, never Numba's own ``__pycache__``, which only
the file that a function stands in guards. The folder is set for the whole process: functions of
others that are decorated after this import with Numba's ``cache=True`` are kept there too, and
compiled anew after such an edit.

A wheel may bring kernels with it (``tools/kernels.py``), compiled for any processor of its
architecture: what is not in the cache folder is looked for there. They run up to a tenth longer
than those compiled for the one at hand. They are trusted as the package's code is.

This stands on Numba's classes for its cache files. Each file ends with a checksum of the rest:
Numba reads what it finds as a pickle and as machine code, whatever has become of it.
"""

import atexit
import contextlib
import functools
import hashlib
import io
import os
import shutil
import sys
import tempfile
import warnings
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import llvmlite
import numba
import platformdirs
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)
from numba.np.numpy_support import numpy_version

from perfkit.core.sources import PACKAGE, source_hash

CHECKSUM_BYTES = hashlib.sha256().digest_size
SOURCES = source_hash()
GENERIC = ("generic", "")  # the processor that the wheel's kernels are compiled for, its features


@functools.cache
def cache_folder():
    """Return the folder that compiled kernels of these very sources are kept in.

    Numba checks only the file that a cached function stands in, not the files of
    the functions it calls. A folder named by a hash of all sources can't be stale. Where it can't
    be written a warning says so, and it is a new one that only this process uses.
    """
    root = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("perfkit")
    try:
        folder = Path(root).expanduser() / f"perfkit-{SOURCES}"
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or error
        folder = Path(tempfile.mkdtemp(prefix="perfkit-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        warnings.warn(
            f"Compiled kernels can't be kept in {root} ({why}), so"
            " each process compiles them anew; let NUMBA_CACHE_DIR name a folder to write to.",
            stacklevel=2,
        )
    return folder


def shipped_folder():
    """Return the folder of the kernels that came with the package, whether or not it is there.

    Its name has all that compiled code depends on but the processor: the sources, the Python that
    calls it, Numba, LLVM, the series of NumPy (Numba looks at no more of it), and Numba's settings.
    """
    config = numba.config
    settings = f"{config.OPT:d}-{config.BOUNDSCHECK}-{config.DEBUGINFO_DEFAULT}"
    series = ".".join(map(str, numpy_version))
    versions = f"numba-{numba.__version__}-llvm-{llvmlite.__version__}-numpy-{series}"
    return PACKAGE / "kernels" / f"{SOURCES}{EXTENSION_SUFFIXES[0]}-{versions}-{settings}"


numba.config.CACHE_DIR = str(cache_folder())
numba.config.CACHE_LOCATOR_CLASSES = ""  # which would go before the folder


def keep(compiled):
    """Keep what a function is compiled into and look for it there first; warn if that can't be."""
    try:
        compiled._cache = KernelCache(compiled.py_func)
    except RuntimeError:
        _warn_not_kept(compiled.__name__)
    return compiled


def _warn_not_kept(name):
    warnings.warn(
        f"{name} can't be kept in {cache_folder()}; each process compiles it anew.", stacklevel=3
    )


def is_sound(path):
    """Return whether a file is there and ends with its checksum; else warn, and delete it if kept.

    One that came with the package is left: what is compiled in its place is found before it.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return False
    if _checksum(content[:-CHECKSUM_BYTES]) == content[-CHECKSUM_BYTES:]:
        return True
    if not path.is_relative_to(PACKAGE):
        path.unlink(missing_ok=True)
    warnings.warn(f"The kept kernel {path} was damaged; it is compiled anew.", stacklevel=2)
    return False


def _checksum(content):
    return hashlib.sha256(content).digest()


class KernelFiles(IndexDataCacheFile):
    """Numba's files of one kernel, with checksums."""

    @contextlib.contextmanager
    def _open_for_write(self, filepath):
        with super()._open_for_write(filepath) as file:
            content = io.BytesIO()
            yield content
            file.write(content.getvalue() + _checksum(content.getvalue()))

    def _load_index(self):
        return super()._load_index() if is_sound(Path(self._index_path)) else {}

    def _load_data(self, name):
        if not is_sound(Path(self._data_path(name))):
            raise FileNotFoundError(name)  # by which Numba knows that it must compile
        return super()._load_data(name)


class KernelPlace(CompileResultCacheImpl):
    """Where Numba puts a kernel: in the cache folder only."""

    _locator_classes = (UserProvidedCacheLocator,)


class KernelCache(FunctionCache):
    """Numba's cache of one kernel, which never stops a run: at worst it compiles."""

    _impl_class = KernelPlace

    def __init__(self, py_func):
        super().__init__(py_func)
        locator = self._impl.locator
        stamp = locator.get_source_stamp(), *_hashes_around(py_func)
        about = (self._impl.filename_base, stamp)
        self._cache_file = KernelFiles(self._cache_path, *about)
        self._shipped = KernelFiles(shipped_folder() / room_of(self._cache_path), *about)

    def load_overload(self, sig, target_context):
        """Return the kernel for a signature, None if it is not there or can't be read."""
        with contextlib.suppress(OSError):
            kept = super().load_overload(sig, target_context)
            if kept or numba.config.CPU_NAME:  # who names a processor means it
                return kept
            _, (triple, *_), code = self._index_key(sig, target_context.codegen())
            data = self._shipped.load((sig, (triple, *GENERIC), code))
            return data and self._impl.rebuild(target_context, data)

    def save_overload(self, sig, data):
        """Keep the kernel for a signature if that can be done."""
        try:
            super().save_overload(sig, data)
        except OSError:
            _warn_not_kept(self._py_func.__name__)


def _hashes_around(function):
    """Return the hash of the package that a function stands in, none for perfkit's own.

    Of a package beside perfkit the folder's name says nothing, and Numba looks at one file only,
    though a kernel holds what it calls in the others.
    """
    name = function.__module__.partition(".")[0]
    folders = getattr(sys.modules.get(name), "__path__", ())
    return [source_hash(Path(folder)) for folder in folders if name != PACKAGE.name]


def room_of(folder):
    """Return the name of the sources' folder from Numba's for their kernels, which adds a hash."""
    return Path(folder).name.rpartition("_")[0]
