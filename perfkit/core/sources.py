"""The hash of perfkit's sources: what is kept on disc depends on it."""

import hashlib
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
VERSION = re.compile(rb"^__version__ = .*$", re.MULTILINE)


def source_hash(package=PACKAGE):
    """Return a short hash of a package's Python sources and tables: twelve hexadecimal digits.

    A package's version is left out: a new number alone makes nothing stale that is kept.
    """
    digest = hashlib.sha256()
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.csv")]):
        digest.update(str(path.relative_to(package)).encode())
        content = path.read_bytes()
        digest.update(VERSION.sub(b"", content) if path.parent == package else content)
    return digest.hexdigest()[:12]
