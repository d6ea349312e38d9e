"""What is installed and imported agrees with pyproject.toml; the reference names every module."""

import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from perfkit import __version__, analytic, des, methods, runs, show
from studies import STUDIES, evidence
from studies import show as study_show
from tools import release

ROOT = Path(__file__).resolve().parents[2]
CONDA_NAMES = {"matplotlib-base": "matplotlib"}


def split(requirement):
    name, bound = re.match(r"([A-Za-z0-9_-]+)(.*)", requirement).groups()
    return CONDA_NAMES.get(name, name), bound


def test_environment_yml_agrees_with_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["test"]]
    wanted += [one for name in extras if name != "labs" for one in extras[name]]
    wanted = dict(split(one) for one in wanted if not one.startswith("perfkit["))
    wanted |= {"python": project["project"]["requires-python"]}
    assert set(project["dependency-groups"]["labs"]) < set(extras["labs"])
    entries = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    named = dict(split(entry) for entry in entries if isinstance(entry, str))
    named.pop("pip")
    assert named == wanted


def pins(path):
    return set(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", (ROOT / path).read_text(), re.MULTILINE))


def test_pins_are_no_addresses_and_others_have_the_versions_that_are_tested():
    others = [f"{of}/requirements.txt" for of in ("docs", "notebooks/labs", "notebooks/explore")]
    for path in ("requirements.txt", *others):
        assert pins(path) and "://" not in (ROOT / path).read_text()
    tested = pins("requirements.txt")
    names = {name for name, _ in tested}
    assert all({pin for pin in pins(path) if pin[0] in names} <= tested for path in others)


@pytest.mark.skipif(not shutil.which("make"), reason="runs without make, too")
def test_make_keeps_a_list_of_fonts_of_its_own():
    """A list in the user's cache that a broken installation had spoilt made CI red."""
    asked = "include Makefile\nfonts:\n\t@echo $$MPLCONFIGDIR\n"
    outer = {name for name in os.environ if name.startswith(("MAKE", "MFLAGS", "MPL"))}
    env = {name: value for name, value in os.environ.items() if name not in outer}
    said = subprocess.run(
        ["make", "-s", "-f", "-", "fonts"],
        input=asked,
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
    )
    assert said.stdout.strip() == str(ROOT / ".venv" / "matplotlib"), said.stderr


def test_binder_and_workflows_are_read_and_call_what_is_there():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    called = set()
    for path in workflows:
        jobs = yaml.safe_load(path.read_text())["jobs"].values()
        runs = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
        if path.name == "release.yml":
            assert re.fullmatch(
                r"gh release create \S+ release/perfkit\* .* --draft .*", runs.pop()
            )
        assert all(re.fullmatch(r"make [\w-]+", run) for run in runs), runs
        called |= {run.removeprefix("make ") for run in runs}
    assert called == {"test", "test-site", "site", "wheel", "release", "verify"} <= targets
    build = ROOT / ".binder/postBuild"
    assert os.access(build, os.X_OK) and not subprocess.call(["bash", "-n", build])
    assert all((ROOT / name).exists() for name in re.findall(r"-r (\S+)", build.read_text()))
    keys = re.search(r"for key in (.*); do", build.read_text())[1]
    assert keys.split() == list(STUDIES)


def test_all_that_says_the_version_agrees(monkeypatch):
    found = release.told()
    assert {version for version, _ in found.values()} == {__version__}, found
    assert len({day for _, day in found.values() if day}) == 1, found
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "perfkit.__version__"}
    assert "\nrelease = __version__\n" in (ROOT / "docs/conf.py").read_text()
    assert "is not v" in release.refusal("v0.0.1")
    monkeypatch.setattr(release, "__version__", "0.0.1")
    assert release.refusal("v0.0.1").startswith("CHANGELOG.md has version ")


def test_the_deposit_and_the_citation_say_what_pyproject_and_the_data_say():
    deposit = json.loads((ROOT / ".zenodo.json").read_text())
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert deposit["title"] == cited["title"] and deposit["description"] == cited["abstract"]
    assert deposit["license"].upper() == cited["license"].upper() == project["license"].upper()
    assert deposit["keywords"] == cited["keywords"] == project["keywords"]
    assert deposit["creators"] == cited["authors"] == project["authors"]
    papers = [json.loads((ROOT / f"data/{key}/datapackage.json").read_text()) for key in STUDIES]
    assert deposit["references"] == [paper["sources"][0]["title"] for paper in papers]
    assert (deposit["upload_type"], deposit["language"]) == (cited["type"], "eng")


PAGES = "\n".join(page.read_text() for page in sorted((ROOT / "docs/api").glob("*.md")))
MODULES = re.findall(r"automodule:: (\S+)", PAGES)
INNER = {
    analytic: "approximate checks multiclass records solutions",
    des: "parts refusals",
    evidence: "",
    methods: "",
    runs: "frames",
    show: "controls",
    study_show: "",
}


@pytest.mark.parametrize("name", MODULES)
def test_every_module_that_a_page_documents_is_there(name):
    assert importlib.import_module(name).__doc__


@pytest.mark.parametrize("package", INNER)
def test_every_public_module_is_documented(package):
    there = {m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")}
    public = there - set(INNER[package].split())
    assert {f"{package.__name__}.{name}" for name in public} <= set(MODULES)


def test_the_table_of_contents_has_every_page():
    settings = (ROOT / "docs/conf.py").read_text()
    for page in (ROOT / "docs/api").glob("*.md"):
        listed = PAGES if (ROOT / "perfkit/systems" / page.stem).is_dir() else settings
        assert re.search(rf"^(docs/api/)?{page.stem}$", listed, re.MULTILINE), page
