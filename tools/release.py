"""Build what a release holds, into build/release. Nothing is published by it.

``python -m tools.release v1.0.0`` first refuses a tag, a file or a heading that has another version
than perfkit. Then it writes the source archive, the wheel for any machine, the wheel with kernels
for this Python and platform, and the release notes.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import yaml

from perfkit import __version__
from tools import kernels

ROOT = kernels.ROOT
FOLDER = ROOT / "build" / "release"
SECTION = re.compile(r"^## (\d\S*) \((\S+)\)\n(.*?)^##", re.MULTILINE | re.DOTALL)
ARCHIVE = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


def told():
    """Return the version and the day that each file has, by file; None where it has no day."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    studies = tomllib.loads((ROOT / "studies/pyproject.toml").read_text())
    return {
        "CHANGELOG.md": SECTION.search((ROOT / "CHANGELOG.md").read_text()).groups()[:2],
        "CITATION.cff": (cited["version"], str(cited["date-released"])),
        ".zenodo.json": (json.loads((ROOT / ".zenodo.json").read_text())["version"], None),
        "studies/pyproject.toml": (studies["project"]["version"], None),
    }


def refusal(tag=""):
    """Return in a sentence what keeps the version from being released, or nothing."""
    if tag and tag != f"v{__version__}":
        return f"The tag {tag} is not v{__version__}, perfkit's version."
    for name, (version, _) in told().items():
        if version != __version__:
            return f"{name} has version {version}, perfkit has {__version__}."
    days = {day for _, day in told().values() if day}
    if len(days) > 1:
        return f"CHANGELOG.md and CITATION.cff have two days: {' and '.join(sorted(days))}."
    if "\n## Unreleased\n" in (ROOT / "CHANGELOG.md").read_text():
        return "CHANGELOG.md has changes under Unreleased; a release has none."
    return ""


def notes():
    """Return the release notes: the head of the version's section in the changelog."""
    return SECTION.search((ROOT / "CHANGELOG.md").read_text())[3].strip() + "\n"


def archive(folder):
    """Write the source archive of the library into a folder, from a copy; return its path."""
    with tempfile.TemporaryDirectory(prefix="perfkit-") as place:
        copy = kernels.copied(Path(place) / "perfkit")
        subprocess.run(
            [sys.executable, "-c", ARCHIVE, Path(folder).resolve()],
            cwd=copy,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return Path(folder) / f"perfkit-{__version__}.tar.gz"


def main(tag=""):
    """Refuse, or build all anew."""
    if said := refusal(tag):
        sys.exit(said)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "NOTES.md").write_text(notes())
    archive(FOLDER)
    kernels.build(FOLDER, keys=())
    kernels.build(FOLDER)
    print(f"Version {__version__} is in {FOLDER}; nothing is published.")


if __name__ == "__main__":
    main(*sys.argv[1:])
