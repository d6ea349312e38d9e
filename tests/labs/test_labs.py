"""The labs' master copies: well marked, full points for their solutions, none for nothing.

The wrong answers of a lab stand in the module of its name beside this one. Its ``WRONG`` names
each: the answer cells that it replaces, and the tests that it must fail with a part of the hint.
Cells run in this process: a state is kept from before each cell of the master. A wrong answer runs
after the master's own, so it says only what differs.
"""

import functools
import importlib
import re
import statistics

import matplotlib.pyplot as plt
import nbformat
import pytest

from perfkit.labs import Hint
from tools import labs, prose

LABS = labs.masters()
HASTE_S = 1.0  # for code that never ends; labs wait longer


def wrong_answers(name):
    return importlib.import_module(f"tests.labs.{name}").WRONG


LOOP = "a loop that never ends"  # ends the process apart, so these come last
CASES = [(name, case) for name in LABS for case in wrong_answers(name)]
CASES.sort(key=lambda one: one[1] == LOOP)


def identity(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id")


@functools.cache
def cells(name):
    return nbformat.read(LABS[name], 4).cells


def execute(sources, names, start=0, states=None):
    """Execute code cells as nbgrader does, on after errors; return the errors by cell."""
    errors = {}
    with plt.rc_context():
        for number, source in enumerate(sources[start:], start):
            if states is not None:
                states.append(dict(names))
            try:
                exec(source, names)
            except Exception as error:
                errors[number] = error
            plt.close("all")
    return errors


@functools.cache
def master(name):
    """Return the sources of the master's code cells, what failed, and the states before each."""
    code = [cell for cell in cells(name) if cell.cell_type == "code"]
    sources, states = [cell.source for cell in code], []
    errors = execute(sources, {"__name__": "__main__"}, states=states)
    return [identity(cell) for cell in code], sources, errors, states


@pytest.mark.parametrize("name", LABS)
def test_a_master_is_marked_and_its_points_and_minutes_add_up(name):
    known = [cell.metadata.get("nbgrader", {}) for cell in cells(name)]
    assert known == [labs.metadata(cell) or {} for cell in cells(name)], "run tools.labs mark"
    ids = [cell["grade_id"] for cell in known if cell]
    assert len(ids) == len(set(ids))
    assert sum(cell.get("points", 0) for cell in known) == 100 and len(wrong_answers(name)) >= 3
    text = "\n".join(cell.source for cell in cells(name) if cell.cell_type == "markdown")
    minutes = [int(found) for found in re.findall(r"^## .*\((\d+) min\)$", text, re.MULTILINE)]
    assert f"*{sum(minutes)} minutes" in text
    for cell in cells(name):
        answer = cell.metadata.get("nbgrader", {}).get("solution")
        assert answer is None or ("BEGIN SOLUTION" in cell.source) == answer
        assert cell.cell_type == "markdown" or not cell.outputs


@pytest.mark.parametrize("name", LABS)
def test_a_lab_is_in_plain_sentences(name):
    lengths = [len(prose.words(sentence)) for sentence in prose.sentences(cells(name))]
    assert max(lengths) <= prose.LONGEST and statistics.median(lengths) < prose.MEDIAN


@pytest.mark.parametrize("name", LABS)
def test_the_solutions_get_full_points(name):
    ids, _, errors, _ = master(name)
    assert {ids[number]: str(error) for number, error in errors.items()} == {}


@pytest.mark.parametrize("name", ["lab3_cp67", "lab5_tss360"])
def test_right_answers_get_full_points_as_people_round_them(name):
    ids, sources, _, states = master(name)
    for number, found in enumerate(ids):
        if (found or "").startswith("test_"):
            answer = sources[ids.index(found[5:])]
            rounded = {
                key: round(value, 0 if "percent" in key else 2)
                for key, value in states[number].items()
                if isinstance(value, float) and re.search(rf"\b{key}\b.* = None", answer)
            }
            assert not rounded or not execute([sources[number]], states[number] | rounded), found


@pytest.mark.parametrize("name", LABS)
def test_a_blank_copy_gets_no_points_and_hints_what_to_fill(name):
    code = [cell for cell in cells(name) if cell.cell_type == "code"]
    solved = [cell.metadata.get("nbgrader", {}).get("solution") for cell in code]
    blank = [labs.cleared(c) if own else c.source for c, own in zip(code, solved, strict=True)]
    errors = execute(blank, {"__name__": "__main__"})
    for number, cell in enumerate(code):
        if (identity(cell) or "").startswith("test_"):
            assert isinstance(errors.get(number), Hint), identity(cell)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_a_wrong_answer_gets_the_hint_that_fits(name, case, monkeypatch):
    answers, hints = wrong_answers(name)[case]
    if case == LOOP:
        monkeypatch.setattr(importlib.import_module("perfkit.labs.apart"), "LONGEST_S", HASTE_S)
    ids, sources, _, states = master(name)
    places = [ids.index(answer) for answer in answers]
    changed = [answers.get(found, source) for found, source in zip(ids, sources, strict=True)]
    last = max(ids.index(test) for test in hints)
    errors = execute(changed[: last + 1], dict(states[min(places) + 1]), min(places))
    told = {ids[number]: error for number, error in errors.items() if ids[number] in hints}
    assert set(told) == set(hints)
    for test, hint in hints.items():
        assert isinstance(told[test], Hint) and hint in str(told[test])
