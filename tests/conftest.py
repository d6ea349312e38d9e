"""Hypothesis draws the same examples in every run, and a first call may compile.

What is tested of the simulators themselves is run anew, and what has a part of the code replaced,
whose runs nobody else may be handed. Other tests of notebooks, studies and labs may take runs that
were made before from the memo, and the summary says how many.
"""

import inspect
import os
import tempfile

import pytest
from hypothesis import settings

from perfkit.des import memo

LIVE = ("systems", "unit", "methods", "analytic")

settings.register_profile("perfkit", deadline=None, derandomize=True)
settings.load_profile("perfkit")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        os.environ[memo.COUNTED] = f"{tempfile.mkdtemp()}/runs"


@pytest.fixture(autouse=True)
def runs_anew(request, monkeypatch):
    replaces = "monkeypatch" in inspect.signature(request.function).parameters
    if replaces or request.path.parent.name in LIVE:
        monkeypatch.setenv(memo.SETTING, memo.OFF)


def pytest_terminal_summary(terminalreporter):
    if memo.COUNTED in os.environ:
        terminalreporter.write_line(memo.told(os.environ[memo.COUNTED]))
