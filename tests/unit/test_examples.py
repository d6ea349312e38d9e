"""What the library's docstrings show comes out, and all that a user calls shows something."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import perfkit
from perfkit import analytic, methods, runs, show

MODULES = [m.name for m in pkgutil.walk_packages(perfkit.__path__, "perfkit.")]
MODULES.remove("perfkit.__main__")
# Helpers that other modules of perfkit call: not a user. Traces have one example, in `tracing`.
HELPERS = (
    *("checks", "solutions", "multiclass", "networks", "chains", "executors", "controls"),
    *("films", "page"),  # players: the package's own examples
)
CALLED = [
    function
    for room in (analytic, methods, runs, show)
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")
    if module.name.split(".")[-1] not in HELPERS and ".tracing" not in module.name
    for name, function in vars(importlib.import_module(module.name)).items()
    if inspect.isfunction(function) and function.__module__ == module.name and name[0] != "_"
]
INNER = {
    *("check_named", "check_once", "check_units", "check_versions", "checked_correlation"),
    *("standardised", "numbers", "r2_of", "evolve", "check_runs", "check_until"),
    *("names_of", "collected", "what_is_run", "in_order", "few_colours", "texts", "drawn"),
    *("use_style", "band", "paired"),  # they draw on axes
}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_come_out(name):
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert not found.failed


@pytest.mark.parametrize("function", CALLED, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_what_a_user_calls_has_an_example(function):
    assert function.__name__ in INNER or ">>> " in function.__doc__
