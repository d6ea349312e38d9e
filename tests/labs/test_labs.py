"""The labs' master copies: well marked, full points for their solutions, none for nothing.

The wrong answers of a lab stand in the module of its name beside this one. Its ``WRONG`` names
each: the answer cells that it replaces, and the tests that must then hint so. A wrong answer runs
after the master's own, so it says only what differs. Cells run in this process, functions in forks,
policies in the process apart; ``test_grading.py`` has the sandbox.
"""

import ast
import functools
import importlib
import re
import statistics
import sys

import nbformat
import pytest

from studies.labs import Hint, calls, checks, inside, practice
from tools import prose
from tools.labs import judge
from tools.labs.masters import cleared, is_answer, masters, metadata, named

LABS = masters()
HASTE_S = 1.0  # for code that never ends; labs wait longer
LOOP = "a loop that never ends"  # ends the process apart, so these come last


def wrong_answers(name):
    return importlib.import_module(f"tests.labs.{name}").WRONG


CASES = [(name, case) for name in LABS for case in wrong_answers(name)]
CASES.sort(key=lambda one: one[1] == LOOP)


@functools.cache
def book(name):
    return nbformat.read(LABS[name], 4)


def code_of(name):
    return [c for c in book(name).cells if c.cell_type == "code" and named(c) != "given_watch"]


def answered(cell, source, names):
    """Execute an answer; its functions are then called as those of a graded copy are."""
    before = names.setdefault("sources", [])
    names["sources"] = [*before, cell.source, source]
    for text in dict.fromkeys((cell.source, source)):
        exec(text, names)
    for name in judge.stubs(book_of(cell)).get(named(cell), ()):
        if callable(names.get(name)):
            own = names[name]
            call = lambda word, given, limit_s, own=own: inside.call_in_fork(  # noqa: E731
                own, given, min(limit_s, calls.LONGEST_S), word
            )
            names[name] = judge.Function(name, call, names["sources"])


def book_of(cell):
    return nbformat.v4.new_notebook(cells=[cell])


def execute(cells, names, changed=(), states=None):
    """Run a master's cells; return what each test found, by its name, and what ended it."""
    found = {}
    for cell in cells:
        if states is not None:
            states.append(dict(names))
        if is_answer(cell):
            answered(cell, dict(changed).get(named(cell), cell.source), names)
        elif named(cell):
            verdicts, _, _, error = judge.run_trusted(cell, names)
            found[named(cell)] = judge.worth(verdicts, error, None)
    return found


@functools.cache
def solved(name):
    """Return what the master's own tests found, and the states before each of its cells."""
    states = []
    names = {"__name__": "__main__", "hidden_seed": 500, "seed_is_own": True}
    return execute(code_of(name), names, states=states), states


@pytest.mark.parametrize("name", LABS)
def test_a_master_is_marked_and_its_points_and_minutes_add_up(name):
    cells = book(name).cells
    known = [cell.metadata.get("nbgrader", {}) for cell in cells]
    assert known == [metadata(cell) or {} for cell in cells], "run tools.labs mark"
    ids = [cell["grade_id"] for cell in known if cell]
    assert len(ids) == len(set(ids))
    assert sum(cell.get("points", 0) for cell in known) == 100 and len(wrong_answers(name)) >= 3
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    minutes = [int(found) for found in re.findall(r"^## .*\((\d+) min\)$", text, re.MULTILINE)]
    assert f"*{sum(minutes)} minutes" in text
    for cell in cells:
        assert ("BEGIN SOLUTION" in cell.source) == bool(is_answer(cell))
        assert cell.cell_type == "markdown" or not cell.outputs


@pytest.mark.parametrize("name", LABS)
def test_every_table_of_a_lab_is_shown(name):
    """A table is returned: Jupyter shows only that of a cell's last line, and not one in an if."""
    for cell in code_of(name):
        tree = ast.parse(cell.source)
        lines = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]
        lost = [ast.unparse(one.value) for one in lines if one is not tree.body[-1]]
        assert not [call for call in lost if call.startswith("show.")]


@pytest.mark.parametrize("name", LABS)
def test_a_lab_is_in_plain_sentences(name):
    cells = book(name).cells
    lengths = [len(prose.words(sentence)) for sentence in prose.sentences(cells)]
    assert max(lengths) <= prose.LONGEST and statistics.median(lengths) < prose.MEDIAN


@pytest.mark.parametrize("name", LABS)
def test_a_student_copy_has_no_right_answer_of_its_own_seed(name):
    """What is left of a test is the call of what it may know, and lines that print."""
    for cell in book(name).cells:
        if named(cell).startswith("test_"):
            left = cleared(cell)
            assert f'labs.practice("{named(cell)[5:]}", globals()' in left or named(cell) in (
                "test_my_seed",
            )
            assert not re.search(r"labs\.check_(number|mean|call|choice)", left)


@pytest.mark.parametrize("name", LABS)
def test_the_solutions_get_full_points(name):
    found, _ = solved(name)
    assert {test: lines for test, (share, lines) in found.items() if share < 1} == {}


@pytest.mark.parametrize("name", LABS)
def test_a_blank_copy_gets_no_points_and_a_practice_case_knows_the_solutions(
    name, tmp_path, monkeypatch
):
    known, expected = judge.solved(book(name))
    blank = judge.tested(book(name), {}, 1234, False, 500, expected)
    assert {test: one.share for test, one in blank.items() if one.share} == {}
    assert all(any(line[0] == "✘" for line in one.lines) for one in blank.values())
    monkeypatch.setattr(sys.modules["studies.labs.practice"], "_cases", lambda: known)
    monkeypatch.setattr(checks, "_COLLECTED", [])
    for test, cases in known.items():
        if cases:
            with pytest.raises(Hint):
                practice(test, {"my_seed": 0})
            with pytest.raises(Hint):
                practice(test, {"my_seed": 1234})


@pytest.mark.parametrize(("name", "case"), CASES)
def test_a_wrong_answer_gets_the_hint_that_fits(name, case, monkeypatch):
    answers, hints = wrong_answers(name)[case]
    if case == LOOP:
        monkeypatch.setattr(calls, "LONGEST_S", HASTE_S)
    cells, (_, states) = code_of(name), solved(name)
    ids = [named(cell) for cell in cells]
    first, last = min(map(ids.index, answers)), max(map(ids.index, hints))
    found = execute(cells[first : last + 1], dict(states[first]), list(answers.items()))
    told = {test: "\n".join(lines) for test, (_, lines) in found.items() if test in hints}
    for test, hint in hints.items():
        assert hint in told[test] and "✘" in told[test]
        assert found[test][0] < 1.0
