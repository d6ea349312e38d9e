"""Build a wheel of the library that brings compiled kernels, for releases.

``python -m tools.kernels`` compiles every system, in some three minutes, for any processor of this
machine's architecture and writes the wheel into build/wheel. It is for this Python and this system
alone, as Numba's own wheel is. With other versions of Numba, NumPy or LLVM than those here it runs
too, but compiles as a wheel without kernels does. The checkout itself stays as it is.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

from perfkit.systems import SYSTEMS

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "wheel"
BESIDE = ("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff")
COMPILE = """
import shutil, sys
from perfkit.des import caching
from perfkit.systems import find
for key in sys.argv[1:]:
    find(key).module().simulate()
for folder in caching.cache_folder().iterdir():
    to = caching.shipped_folder() / caching.room_of(folder)
    shutil.copytree(folder, to, dirs_exist_ok=True)
"""
# Not "any" machine, although no extension module says so.
SETUP = """
from setuptools import Distribution, setup
Distribution.has_ext_modules = lambda self: True
setup(options={{"bdist_wheel": {{"plat_name": "{platform}"}}}})
"""


def platform():
    """Return the platform of Numba's wheel: kernels call it, Python and the C library alone."""
    about = distribution("numba").read_text("WHEEL").splitlines()
    tags = [line.split(":")[1].strip() for line in about if line.startswith("Tag:")]
    return min(tags).rpartition("-")[2]


def copied(to):
    """Copy the library's sources, and what a source archive has beside them; return the copy."""
    shutil.copytree(ROOT / "perfkit", to / "perfkit", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "MANIFEST.in", *BESIDE):
        shutil.copy(ROOT / name, to)
    return to


def wheel(sources, folder):
    """Build the wheel of sources into a folder, with what is installed."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder]
    subprocess.run([*pip, *options, sources], check=True)


def build(folder, keys=tuple(SYSTEMS)):
    """Write into a folder a wheel with the kernels of some systems, from a copy of the sources.

    Without systems it is the wheel that pip builds of the checkout, for any machine.
    """
    with tempfile.TemporaryDirectory(prefix="perfkit-") as place:
        copy = copied(Path(place) / "perfkit")
        if keys:
            (copy / "setup.py").write_text(SETUP.format(platform=platform()))
            own = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
            generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
            own |= generic | {"NUMBA_CACHE_DIR": f"{place}/kept", "PYTHONPATH": str(copy)}
            subprocess.run([sys.executable, "-c", COMPILE, *keys], cwd=copy, env=own, check=True)
        wheel(copy, folder)


if __name__ == "__main__":
    build(FOLDER)
    print(f"The wheel is in {FOLDER}.")
