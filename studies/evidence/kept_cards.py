"""Scorecards on disc: the committed ones, and those that a run of the runner leaves."""

import ast
import json
import os
from pathlib import Path

import pandas as pd

from perfkit.core.wording import nearest
from studies import shipped
from studies.evidence.scorecard import COLUMNS, MEANINGS

COMMITTED = shipped("notebooks/scorecards")

PARAMETERS = COMMITTED / "parameters.json"


def committed_parameters(key):
    """Return a notebook's parameters by name, as it was committed; ``tools.readme`` writes them."""
    return json.loads(PARAMETERS.read_text())[key]


def check_injected(key, values, own=None):
    """Refuse a name that papermill set and the notebook does not have, which it only warns of.

    ``values`` are the notebook's ``globals()``; its ``In`` holds the cells that were run. ``own``
    are its parameters as committed.
    """
    own = committed_parameters(key) if own is None else own
    for cell in values.get("In", ()):
        if cell.startswith("# Parameters\n"):
            for line in ast.parse(cell).body:
                name = line.targets[0].id
                if name not in own:
                    hint = nearest(name, own) or f"; its parameters are {', '.join(own)}."
                    raise ValueError(f"The notebook {key} has no parameter '{name}'{hint}")


def folder():
    """Return where scorecards are read from: PERFKIT_RESULTS, else the committed ones."""
    return _of_this_run() or COMMITTED


def _of_this_run():
    """Return the folder that PERFKIT_RESULTS names; None if it is unset or empty."""
    named = os.environ.get("PERFKIT_RESULTS")
    return Path(named) if named else None


def save(card, key):
    """Write a study's scorecard for the index, when the runner asks for it.

    Only a run under ``python -m perfkit reproduce`` (which sets PERFKIT_RESULTS) writes;
    a notebook that a reader plays with leaves no file.
    """
    if _of_this_run():
        path = folder() / f"{key}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(card, path)


def write(frame, path):
    """Write a table that appears whole or not at all."""
    replaced(path, frame.to_csv(index=False, float_format="%.6g"))


def replaced(path, text):
    """Write a text that appears whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def note_conditions(key, values, where):
    """Remember beside a scorecard in which notebook parameters its run was not the notebook's own.

    ``values`` are these; ``where`` is the scorecard's folder.
    """
    if (Path(where) / f"{key}.csv").exists():
        (Path(where) / f"{key}.json").write_text(json.dumps(values))


def conditions(key, where=None):
    """Return the notebook parameters that a scorecard was made with, as far as they differ."""
    path = Path(where or folder()) / f"{key}.json"
    if not path.exists():
        return {}
    try:
        values = json.loads(path.read_text())
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}.") from None
    except ValueError as error:
        raise ValueError(f"{path} can't be read as JSON: {error}.") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path} must hold parameters by name, not {values!r}.")
    return values


def told_conditions(key, where=None):
    """Return in words how a scorecard's run differs from the notebook's; empty if it doesn't."""
    changed = ", ".join(f"{name} = {value}" for name, value in conditions(key, where).items())
    return f"made with {changed}, not the notebook's own values" if changed else ""


def load(key, where=None):
    """Return a study's scorecard, or None if no run has left one.

    It is looked for in the folder ``where``; by default in that of this run or, without one, in the
    committed one.
    """
    path = Path(where or folder()) / f"{key}.csv"
    if not path.exists():
        return None
    try:
        card = pd.read_csv(path)
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no scorecard: {error}.") from None
    card = card.fillna({"verdict": "", "quantity": "", "note": ""})
    if list(card.columns) != COLUMNS:
        raise ValueError(
            f"{path} is no scorecard: its columns must be {', '.join(COLUMNS)}; reproduce writes"
            " an older run's anew."
        )
    known = card["kind"].isin(list(MEANINGS)).all()
    if card.empty or card["reproduced"].dtype != bool or not known:
        raise ValueError(
            f"{path} is no scorecard: it must have rows, all of a kind ({', '.join(MEANINGS)}) and"
            " reproduced True or False."
        )
    return card
