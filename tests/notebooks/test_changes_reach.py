"""A notebook's parameters reach every run that its cells simulate, claims and what-ifs too.

Each notebook's code is run with other parameters. What it simulates is noted, and answered with
one of a few short runs, which makes that a matter of seconds.
"""

import ast
import functools
import importlib
import os
import sys

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest

from studies import STUDIES
from studies.commands.reproduce import notebook_parameters
from studies.evidence import kept_cards

SEED, COUNTS = 1_000_003, ("days", "replications")
CHANGED = {
    "unix_v6": {
        "replications": 2,
        "memory_factor": 1.25,
        "minimum_time_out_s": 4,
        "minimum_time_in_s": 2,
        "buffers": 23,
        "disc_speed": 1.1,
        "discipline": "SSTF",
    },
    "sim61": {
        "replications": 2,
        "core_mb": 1.5,
        "drums": 3,
        "dirty_share": 0.3,
        "window_algorithm": False,
    },
    "cp67": {"days": 2, "days_spread": 1.1, "frames": 101, "priority_clock_s": 1.5},
    "emas": {"replications": 2, "users": 31, "over_allocation_pages": 36, "loaders": 1},
    "tss360": {"days": 2, "front_slices": 2, "users": 33.0, "estimate_threshold": 11},
}
SHORT = {
    "unix_v6": {},
    "sim61": {"settle_s": 20.0, "measured_s": 100.0},
    "cp67": {"measured_s": 14400.0},
    "emas": {"measured_s": 620.0},
    "tss360": {},
}
# Parameters of a notebook that are no parameter of the machine, and one that they set. (`loaders`
# of emas is none of them, because many of its cells run one loader and two.)
SETS = {"days_spread": "day_users_sd", "front_slices": "foreground_passes"}
PAPER_MEMORY_CLICKS = (650, 1000, 1280)
# Cells that keep what is committed on purpose, by their beginning: one counts the cells that are
# fitted on, one surveys numbers of users.
ON_PURPOSE = {
    "own = sim61.Parameters()": {"seed", "dirty_share", "window_algorithm"},
    "survey = evidence.survey": {"users"},
}


def stand_in(key, simulate, note):
    """Return a simulator that notes what it is asked for and answers with a run of that kind."""
    found = {}

    @functools.wraps(simulate)
    def answer(parameters, seed=0, **options):
        note(parameters, seed)
        short = {name: min(most, getattr(parameters, name)) for name, most in SHORT[key].items()}
        kind = {name: str(value) for name, value in options.items()} | {"seed": seed % 2} | short
        if "versions" in options:
            kind["versions"] = len(options["versions"])
        if key == "sim61" and "devices" not in options:  # its claims need configurations apart
            kind["parameters"] = parameters
        kind = tuple(sorted(kind.items()))
        if kind not in found:
            found[kind] = simulate(parameters.replace(**short), seed % 2, **options)
        return found[kind]

    return answer


def replace_everywhere(monkeypatch, old, new):
    """Put a function in the place of another in every module of both packages."""
    for module in list(sys.modules.values()):
        if module.__name__.startswith(("perfkit", "studies")):
            for name in [name for name, value in vars(module).items() if value is old]:
                monkeypatch.setattr(module, name, new)


def not_reached(key, cell, parameters, seed):
    """Return what a run has as committed, though the cell does not set it by name."""
    committed = type(parameters)().as_dict()
    own = parameters.as_dict()
    changed = {SETS.get(name, name) for name in CHANGED[key]} & set(own) - set(COUNTS)
    kept = {name for name in changed if own[name] == committed[name]}
    if own.get("memory_clicks") in PAPER_MEMORY_CLICKS:
        kept.add("memory_clicks")
    kept = {name for name in kept if name not in cell}
    return kept | {"seed"} if seed < SEED else kept


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", STUDIES)
def test_every_run_of_a_notebook_has_the_changes_of_its_parameters_cell(key, monkeypatch):
    assert set(notebook_parameters(STUDIES[key].notebook)) == {*CHANGED[key], "seed"}
    cells = [c for c in nbformat.read(STUDIES[key].notebook, 4).cells if c.cell_type == "code"]
    lines = [line for cell in cells for line in ast.parse(cell.source).body]
    imports = [line for line in lines if isinstance(line, ast.Import | ast.ImportFrom)]
    for line in imports:  # all that the notebook uses, before anything is replaced
        exec(ast.unparse(line), {})
    names = {"display": print}
    missed, runs, source = {}, [], None

    def note(parameters, seed):
        runs.append(seed)
        cell = source.splitlines()[0]
        kept = not_reached(key, source, parameters, seed) - ON_PURPOSE.get(cell, set())
        if kept:
            missed.setdefault(cell, set()).update(kept)

    system = importlib.import_module(f"perfkit.systems.{key}")
    replace_everywhere(monkeypatch, system.simulate, stand_in(key, system.simulate, note))
    monkeypatch.setattr(kept_cards, "save", lambda *_: None)
    monkeypatch.setattr(pd, "set_option", lambda *_: None)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    with plt.rc_context():
        for cell in cells:
            source = cell.source
            exec(source, names)
            if "parameters" in cell.metadata.get("tags", []):
                names |= CHANGED[key] | {"seed": SEED}
            plt.close("all")
    assert len(runs) > 50
    assert not missed
