"""environment.yml names what pyproject.toml names; no pin is an address; what may import what."""

import os
import pkgutil
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import perfkit

ROOT = Path(__file__).resolve().parents[2]
CONDA_NAMES = {"matplotlib-base": "matplotlib"}


def split(requirement):
    name, bound = re.match(r"([A-Za-z0-9_-]+)(.*)", requirement).groups()
    return CONDA_NAMES.get(name, name), bound


def test_environment_yml_agrees_with_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["test"]]
    wanted = dict(map(split, wanted)) | {"python": project["project"]["requires-python"]}
    entries = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    named = dict(split(entry) for entry in entries if isinstance(entry, str))
    named.pop("pip")
    assert named == wanted


def test_the_analytic_models_may_import_records_and_wording_alone_of_perfkit():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = {rule["name"]: rule for rule in project["tool"]["importlinter"]["contracts"]}
    rule = contracts["The analytic models stand alone"]
    modules = {f"perfkit.{module.name}" for module in pkgutil.iter_modules(perfkit.__path__)}
    assert rule["type"] == "forbidden" and rule["source_modules"] == ["perfkit.analytic"]
    allowed = {"perfkit.analytic", "perfkit.record", "perfkit.values", "perfkit.wording"}
    assert set(rule["forbidden_modules"]) == modules - allowed


def pins(path):
    return set(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", (ROOT / path).read_text(), re.MULTILINE))


def test_pins_are_no_addresses_and_site_and_labs_have_the_versions_that_are_tested():
    others = ("docs/requirements.txt", "notebooks/labs/requirements.txt")
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
