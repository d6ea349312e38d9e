"""The built site and a browser, or a reason why they are not there."""

import importlib.util
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
    folder = ROOT / "build" / "site"
    command = ["-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "."]
    built = subprocess.run(
        [sys.executable, *command, folder], cwd=ROOT, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr[-4000:]
    return folder


@pytest.fixture(scope="module")
def browser():
    """Return a headless Chromium, one per file: an app that has ended holds its tab."""
    if not chromium.executable():
        pytest.skip("Chromium is not installed (Debian's package chromium).")
    with chromium.started() as one:
        yield one
