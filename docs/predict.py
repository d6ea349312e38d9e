"""Pages that ask first: a study's panel opens once the reader has sealed a prediction."""

import json
import tomllib
from pathlib import Path

from docs import panels
from studies import STUDIES
from tools.wasm import describe

QUESTIONS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
PARTS = "statistics", "state", "picture", "predict"


def told(key):
    """Return what a page says before the machine runs: the question, and how A and B are set."""
    panel, cls = panels.PANELS[key], STUDIES[key].module().Parameters
    specs = {name: cls.spec_of(name) for name in {**panel.a, **panel.b, panel.along["name"]: ""}}
    rows = [
        {"name": name, "unit": spec.metadata["unit"], "a": panel.a.get(name, spec.default)}
        | {"b": panel.b.get(name, spec.default)}
        for name, spec in specs.items()
    ]
    return QUESTIONS[key] | {"key": key, "names": panel.names, "rows": rows}


def script(key):
    """Return the script of a page: it holds no machine, and opens the panel when it may."""
    page = told(key) | {"first": panels.first(key)}
    page["measures"] = STUDIES[key].module().MEASURES
    parts = describe.sources(*PARTS, folder=panels.SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\nask({json.dumps(page)});\n}})();'
