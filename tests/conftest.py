"""Hypothesis draws the same examples in every run, and a first call may compile.

Tests of the simulators themselves run them anew; so do tests that replace a part of the code, whose
runs nobody else may be handed. Others may take earlier runs; the summary says how many.
"""

import inspect
import os
import tempfile

import pytest
from hypothesis import settings

from perfkit.des import memo
from studies import BEYOND

LIVE = ("systems", "unit", "methods", "analytic")

settings.register_profile("perfkit", deadline=None, derandomize=True)
settings.load_profile("perfkit")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        os.environ[memo.COUNTED] = f"{tempfile.mkdtemp()}/runs"


def pytest_collection_modifyitems(items):
    """Put notebooks of all machines behind the studies', which compile each machine once."""
    items.sort(key=lambda one: (one.path.suffix != ".ipynb", one.path.stem in BEYOND))


@pytest.fixture(autouse=True)
def runs_anew(request, monkeypatch):
    replaces = "monkeypatch" in inspect.signature(request.function).parameters
    if replaces or request.path.parent.name in LIVE:
        monkeypatch.setenv(memo.SETTING, memo.OFF)


def pytest_terminal_summary(terminalreporter):
    if memo.COUNTED in os.environ:
        terminalreporter.write_line(memo.told(os.environ[memo.COUNTED]))
