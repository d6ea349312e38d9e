"""The built site and a browser, or a reason why they are not there."""

import fcntl
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site import browser as chromium

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site():
    """Build the site; return its folder."""
    if not importlib.util.find_spec("sphinx") or not importlib.util.find_spec("myst_nb"):
        pytest.skip("Sphinx is not installed; make test-site installs it.")
    folder, mark = ROOT / "build" / "site", ROOT / "build" / "site-tested"
    folder.mkdir(parents=True, exist_ok=True)
    this_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    command = ["-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "."]
    with mark.open("a+") as built_by:
        fcntl.flock(built_by, fcntl.LOCK_EX)  # one worker builds it, the others wait
        built_by.seek(0)
        if built_by.read() != this_run:
            built = subprocess.run(
                [sys.executable, *command, folder], cwd=ROOT, capture_output=True, text=True
            )
            assert built.returncode == 0, built.stderr[-4000:]
            built_by.truncate(0)
            built_by.write(this_run)
    return folder


@pytest.fixture(scope="module")
def browser():
    """Return a headless Chromium, one per file: an app that has ended holds its tab."""
    if not chromium.executable():
        pytest.skip("Chromium is not installed (Debian's package chromium).")
    with chromium.started() as one:
        yield one
