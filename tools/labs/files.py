"""Yield every file of a folder or zip, those in zips too: in memory, and within bounds.

Links are not followed, and nothing is written. What cannot be read is a sentence.
"""

import io
import os
import stat
import time
import unicodedata
import zipfile
from pathlib import Path
from typing import NamedTuple

from tools.labs.copies import plain

FILE_BYTES, ZIP_BYTES, ALL_BYTES = 20 * 10**6, 100 * 10**6, 4 * 10**9
MEMBERS, DEPTH, RATIO = 100_000, 2, 200
JUNK = {"__MACOSX", ".git", ".venv", "env", "venv", "site-packages", "__pycache__", ".DS_Store"}
ALONE = "hand in the notebook alone."
LINK = "{} is a link, not a file: hand in the file itself."
UNREADABLE = "{} cannot be read: hand it in again."
BAD_ZIP = "{} is a damaged zip: " + ALONE
LOCKED_ZIP = "{} is locked by a password: " + ALONE
TOO_LARGE = "{} is too large: clear the outputs, save, and " + ALONE
TOO_DEEP = "{} is a zip within zips: " + ALONE


class Found(NamedTuple):
    """A file: its path, with zips as folders, and its bytes. A folder's path ends in ""."""

    path: tuple[str, ...]
    time_s: float | None = None
    data: bytes | None = None
    note: str = ""


def everything(submissions):
    """Yield what a folder or zip holds, folders first.

    Examples
    --------
    >>> [found.note for found in everything(Path(__file__))]
    ['']
    """
    if not submissions.is_dir():
        yield from _file(submissions, ())
    for base, inner, files in os.walk(submissions):
        path = tuple(map(composed, Path(base).relative_to(submissions).parts))
        inner[:] = sorted(set(inner) - JUNK)
        yield Found((*path, ""))
        for name in sorted({*files, *(n for n in inner if Path(base, n).is_symlink())} - JUNK):
            yield from _file(Path(base, name), (*path, composed(name)))


def composed(name):
    """Return a name of a file in one form of its accents."""
    return unicodedata.normalize("NFC", plain(name))[-200:]


def _file(place, path):
    own = path or (composed(place.name),)
    try:
        about = place.lstat() if path else place.stat()
        if not stat.S_ISREG(about.st_mode):
            yield Found(own, note=LINK)
        elif place.suffix.lower() == ".zip":
            with place.open("rb") as file:
                for one in _zip(file, path, 1, [ALL_BYTES]):
                    yield one if one.path else one._replace(path=own)
        else:
            with place.open("rb") as file:
                data = file.read(FILE_BYTES + 1) if _is_read(place.name) else None
            yield from _opened(own, data, about.st_mtime, 0)
    except OSError:
        yield Found(own, note=UNREADABLE)


def _is_read(name):
    kinds = (".py", ".json", ".txt", ".zip")
    return ".ipynb" in name.lower() or name.lower().endswith(kinds) or "." not in name


def _opened(path, data, time_s, depth):
    is_zip = bool(data) and (data[:4] == b"PK\3\4" or path[-1].lower().endswith(".zip"))
    if data and len(data) > (ZIP_BYTES if is_zip and depth else FILE_BYTES):
        yield Found(path, time_s, note=TOO_LARGE)
    elif is_zip and depth == DEPTH:
        yield Found(path, time_s, note=TOO_DEEP)
    elif is_zip:
        yield from _zip(io.BytesIO(data), path, depth + 1, [2 * ZIP_BYTES])
    else:
        yield Found(path, time_s, data)


def _zip(file, path, depth, room):
    """Yield what a zip holds, which may be zips, or more than any disc can store."""
    try:
        blocks = iter(lambda: file.read(1 << 20), b"")
        if sum(block.count(b"PK\1\2") for block in blocks) > MEMBERS:
            yield Found(path, note=TOO_LARGE)
            return
        with zipfile.ZipFile(file) as archive:
            yield Found((*path, ""))
            for member in archive.infolist():
                names = member.filename.replace("\\", "/").split("/")[-12:]
                names = [composed(name) for name in names if name.strip() not in ("", ".", "..")]
                if names and JUNK.isdisjoint(names):
                    inside = (*path, *names, *[""] * member.is_dir())
                    yield from _member(archive, member, inside, depth, room)
    except Exception:  # zipfile has no class of its own for all that can be wrong
        yield Found(path, note=BAD_ZIP)


def _member(archive, member, path, depth, room):
    try:
        time_s = time.mktime((*member.date_time, 0, 0, -1)) if member.date_time[0] > 1980 else None
    except (ValueError, OverflowError):
        time_s = None
    is_link, is_locked = stat.S_ISLNK(member.external_attr >> 16), member.flag_bits & 1
    most = ZIP_BYTES if path[-1].lower().endswith(".zip") else FILE_BYTES
    if not path[-1] or not _is_read(path[-1]):
        yield Found(path, time_s)
    elif is_link or is_locked:
        yield Found(path, time_s, note=LOCKED_ZIP if is_locked else LINK)
    elif member.file_size > min(most, room[0], max(10**7, RATIO * member.compress_size)):
        yield Found(path, time_s, note=TOO_LARGE)
    else:
        room[0] -= member.file_size
        try:
            with archive.open(member) as file:
                data = file.read(most)
        except Exception:  # as in _zip
            yield Found(path, time_s, note=BAD_ZIP)
        else:
            yield from _opened(path, data, time_s, depth)
