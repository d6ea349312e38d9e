"""Where compiled kernels are kept, and how a damaged one is told from a sound one.

Compiled kernels are kept in a folder ``perfkit-<hash of the sources>`` under ``NUMBA_CACHE_DIR``
or the user's cache folder. An edit of any source of perfkit begins a new folder; old ones stay,
some megabytes each, and can be deleted while nothing runs. Where that can't be written, a
temporary folder of this process takes its place, never Numba's own ``__pycache__``, which only
the file that a function stands in guards. The folder is set for the whole process: functions of
others that are decorated after this import with Numba's ``cache=True`` are kept there too, and
compiled anew after such an edit.

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
import tempfile
import warnings
from pathlib import Path

import numba
import platformdirs
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)

from perfkit.core.sources import source_hash

CHECKSUM_BYTES = hashlib.sha256().digest_size


@functools.cache
def cache_folder():
    """Return the folder that compiled kernels of these very sources are kept in.

    Numba checks only the file that a cached function stands in, not the files of
    the functions it calls. A folder named by a hash of all sources can't be stale. Where it can't
    be written a warning says so, and it is a new one that only this process uses.
    """
    root = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("perfkit")
    try:
        folder = Path(root).expanduser() / f"perfkit-{source_hash()}"
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
    """Return whether a file is there and ends with its checksum; else delete it, with a warning."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return False
    if _checksum(content[:-CHECKSUM_BYTES]) == content[-CHECKSUM_BYTES:]:
        return True
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
        self._cache_file = KernelFiles(
            self._cache_path, self._impl.filename_base, locator.get_source_stamp()
        )

    def load_overload(self, sig, target_context):
        """Return the kernel for a signature, None if it is not there or can't be read."""
        with contextlib.suppress(OSError):
            return super().load_overload(sig, target_context)

    def save_overload(self, sig, data):
        """Keep the kernel for a signature if that can be done."""
        try:
            super().save_overload(sig, data)
        except OSError:
            _warn_not_kept(self._py_func.__name__)
