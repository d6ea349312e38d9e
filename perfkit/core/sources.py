"""The hash of perfkit's sources: what is kept on disc depends on it."""

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def source_hash(package=PACKAGE):
    """Return a short hash over every Python source of a package: twelve hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
