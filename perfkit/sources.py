"""Which sources of perfkit these are: what is kept on disc from run to run hangs on them."""

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def source_hash(package=PACKAGE):
    """Return a short hash over every Python source of a package.

    Parameters
    ----------
    package : pathlib.Path
        The package's folder.

    Returns
    -------
    str
        Twelve hexadecimal digits.
    """
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
