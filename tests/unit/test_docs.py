"""The reference pages name every public module, and nothing that is not there."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import perfkit
from perfkit import analytic, des, methods, systems

ROOT = Path(__file__).resolve().parents[2]
PAGES = "\n".join(page.read_text() for page in sorted((ROOT / "docs/api").glob("*.md")))
MODULES = re.findall(r"automodule:: (\S+)", PAGES)
INNER = {
    perfkit: "commands controls record result sources tables values wording",
    analytic: "approximate checks multiclass records solutions",
    des: "parts refusals",
    methods: "",
    systems: "",
}


@pytest.mark.parametrize("name", MODULES)
def test_every_module_that_a_page_documents_is_there(name):
    assert importlib.import_module(name).__doc__


@pytest.mark.parametrize("package", INNER)
def test_every_public_module_is_documented(package):
    there = {m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")}
    packages = {"analytic", "des", "methods", "studies", "systems"}
    public = there - set(INNER[package].split()) - packages
    assert {f"{package.__name__}.{name}" for name in public} <= set(MODULES)


def test_the_table_of_contents_has_every_page():
    settings = (ROOT / "docs/conf.py").read_text()
    for page in (ROOT / "docs/api").glob("*.md"):
        listed = PAGES if (ROOT / "perfkit/systems" / page.stem).is_dir() else settings
        assert re.search(rf"^(docs/api/)?{page.stem}$", listed, re.MULTILINE), page


ANALYTIC = (ROOT / "docs/api/analytic.md").read_text()


@pytest.mark.parametrize("name", re.findall(r"automodule:: (\S+)", ANALYTIC))
def test_each_analytic_model_has_an_example_that_comes_out(name):
    before = ANALYTIC.split(f".. automodule:: {name}\n")[0]
    example = re.findall(r"```pycon\n(.*?)```", before.rsplit("## ", 1)[1], re.DOTALL)
    test = doctest.DocTestParser().get_doctest("".join(example), {}, name, None, None)
    assert test.examples and doctest.DocTestRunner().run(test).failed == 0
