"""Where perfkit stands: its sources, which what is kept on disc hangs on, and its data."""

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def shipped(folder):
    """Return a folder of the checkout, or the copy of it that an installed package carries.

    Parameters
    ----------
    folder : str
        From the checkout's root: "data".

    Returns
    -------
    pathlib.Path
    """
    inside = PACKAGE / Path(folder).name
    return inside if inside.is_dir() else PACKAGE.parent / folder


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
