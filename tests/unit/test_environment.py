"""environment.yml names what pyproject.toml names; no committed pin holds an address."""

import re
import tomllib
from pathlib import Path

import yaml

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


def test_no_address_in_the_pins():
    assert "://" not in (ROOT / "requirements.txt").read_text()
