"""The command that makes the skeleton of a study of one's own, beside the five."""

import importlib.util
import keyword
import os
import re
import sys
import tempfile
from pathlib import Path

from studies import BOOKS, PACKAGE

TEMPLATE = PACKAGE / "template"
PLACEHOLDER = "study_key"
NAME = re.compile(r"[a-z][a-z0-9_]*")
LONGEST = 24  # letters: a line of the skeleton with a longer key would be too long
FOLDERS = ("data", "tests")  # beside which the package of that key stands
NEXT = """{folder} has a study that runs: a small machine, its table, its claim, its notebook. Next:
  cd {folder}
  {python} -m {key} users=40
  {python} -m pytest --nbval
README.md there says what to replace first."""


def new(given):
    """Make the skeleton of a study in a folder of its own, and say how it is run."""
    key, folder = given.key, Path(given.folder)
    check_folder(key, folder)
    check_key(key)
    make(key, folder)
    python = Path(sys.executable).stem if sys.prefix == sys.base_prefix else sys.executable
    print(NEXT.format(folder=folder / key, key=key, python=python))


def check_key(key):
    """Refuse a key that can't be the name of a package here."""
    if not key:
        raise ValueError("Name the study, as in studies new belady.")
    if not NAME.fullmatch(key) or keyword.iskeyword(key) or len(key) > LONGEST:
        raise ValueError(
            f"KEY must be at most {LONGEST} small letters, digits and _, a letter first, and no"
            f" keyword of Python, such as belady; {key!r} is not."
        )
    if key in BOOKS:
        raise ValueError(f"{key} is a study of the collection; take another key.")
    if key in sys.stdlib_module_names:
        raise ValueError(f"{key} is a module of Python's own library; take another key.")
    found = None if key in FOLDERS else importlib.util.find_spec(key)
    if key in FOLDERS or (found and found.origin):
        raise ValueError(f"{key} is the name of another package or folder; take another key.")


def check_folder(key, folder):
    """Refuse a folder that is not there, or one that has something of that key."""
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder}.")
    if key and os.path.lexists(folder / key):
        raise ValueError(f"{folder / key} is there already; take another key or folder.")


def make(key, folder):
    """Write the skeleton beside its place and move it there, so that it appears whole or not."""
    with tempfile.TemporaryDirectory(prefix=f".{key}-", dir=folder) as part:
        whole = Path(part) / key
        for path in files():
            target = whole / str(path.relative_to(TEMPLATE)).replace(PLACEHOLDER, key)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes().replace(PLACEHOLDER.encode(), key.encode()))
        whole.rename(folder / key)


def files():
    """Return the files of the template, without what tools leave in it."""
    paths = [path.relative_to(TEMPLATE) for path in sorted(TEMPLATE.rglob("*"))]
    own = [path for path in paths if not any(part[0] in "._" for part in path.parts[:-1])]
    return [TEMPLATE / path for path in own if path.name[0] != "." and (TEMPLATE / path).is_file()]
