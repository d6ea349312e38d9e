"""A class graded, with nbgrader's gradebook: hand-ins become points, feedback and tables."""

import csv
import json
import re

import nbformat
import nbformat.v4 as v4
import pytest

from tools.labs import gradebook, grading, sandbox
from tools.labs.masters import is_answer, masters, named, student_copy

pytest.importorskip("nbgrader", reason="make test-labs installs it")
pytestmark = [
    pytest.mark.skipif(not sandbox.is_there(), reason="bubblewrap is not installed here"),
    pytest.mark.filterwarnings("ignore"),
]
NAME = "lab0_queues"
SCRIPT = "<img src=x onerror=alert(1)><script>alert(1)</script>Because a < b."
LINKS = "\n[x](javascript:alert(2)) [y](JavaScript\\:alert(2)) [z]\n\n[z]: javascript:alert(2)"


def worked(seed=4711, **changed):
    """Return a copy with the master's answers, but for those that are changed."""
    master = nbformat.read(masters()[NAME], 4)
    book = student_copy(master)
    for cell, solved in zip(book.cells, master.cells, strict=True):
        if is_answer(solved):
            cell.source = changed.get(named(cell), solved.source)
        if named(cell) == "my_seed":
            cell.source = f"my_seed = {seed!r}"
    return book


def hand_in(folder, student, book, name=f"{NAME}.ipynb"):
    (folder / student).mkdir(parents=True, exist_ok=True)
    nbformat.write(book, folder / student / name)


def points_of(course):
    with open(course / "points.csv", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def by_machine():
    cells = nbformat.read(masters()[NAME], 4).cells
    return sum(c.metadata.nbgrader.points for c in cells if named(c).startswith("test_"))


def test_a_class_is_graded_row_by_row_and_goes_on_where_it_was(tmp_path, monkeypatch):
    course, folder = tmp_path / "course", tmp_path / "handed_in"
    shown = worked(why_load=SCRIPT + LINKS)
    shown.cells.insert(4, v4.new_code_cell(f"from IPython.display import HTML\nHTML({SCRIPT!r})"))
    hand_in(folder, "ada", shown, f"{NAME} (1).ipynb")
    hand_in(folder, "bob", student_copy(nbformat.read(masters()[NAME], 4)))
    hand_in(folder, "cyd", worked(interval="import os\nos._exit(1)", warm_up="while True: pass"))
    hand_in(folder, "dee", worked("4711", warm_up="throughput_per_s = 88"))
    (folder / "eve").mkdir()
    each = grading._each

    def stopped(one, waiting):
        yield from each(one, waiting[:2])
        raise KeyboardInterrupt

    with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
        killed.setattr(grading, "_each", stopped)
        grading.grade(folder, course, roster=("ada", "fay"), limit_s=20)
    notes = {name: row["note"] for name, row in points_of(course).items()}
    assert [name for name, note in notes.items() if "Not graded yet" in note] == ["cyd", "dee"]
    grading.grade(folder, course, roster=("ada", "fay"), limit_s=20)
    rows, most = points_of(course), by_machine()
    assert not any("handed in before" in row["note"] for row in rows.values())
    assert list(rows) == ["ada", "bob", "cyd", "dee", "eve", "fay"]
    assert [float(rows[name]["points"]) for name in rows] == [
        most,
        0,
        most - 8 - 11,
        most - 8,
        0,
        0,
    ]
    assert float(rows["ada"]["by_hand"]) == 100 - most and float(rows["ada"]["of"]) == 100
    assert "my_seed" in rows["bob"]["note"] and rows["eve"]["note"] and rows["fay"]["note"]
    page = (course / "feedback" / "cyd" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "look for a loop that never ends" in page and "HIDDEN TESTS" not in page
    assert "✔ alone_s" in page and "✘ half_width_s" in page
    page = (course / "feedback" / "ada" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "alert(1)" not in page.replace("&lt;script&gt;alert(1)&lt;/script&gt;", "").replace(
        "onerror=alert(1)&gt;", ""
    )
    assert "<img src=x" not in page and "<script>alert" not in page
    assert "alert(2)" in page and not re.search(r"(href|src)=.javascript", page, re.IGNORECASE)

    # By hand, then a late folder alone; the others are neither graded anew nor lost.
    from nbgrader.api import Gradebook

    with Gradebook(gradebook.url_of(course)) as book:
        grade = book.find_grade("why_load", NAME, NAME, "ada")
        grade.manual_score, grade.needs_manual_grade = 5.0, False
        book.db.commit()
    late = tmp_path / "late"
    hand_in(late, "bob", worked())
    graded = []
    monkeypatch.setattr(grading, "_each", lambda one, waiting: graded.extend(waiting) or [])
    grading.grade(folder, course, roster=("ada", "fay"))
    assert graded == []
    monkeypatch.undo()
    grading.grade(late, course, roster=("ada", "fay"), due_s=1.0, late_percent=1e-9)
    rows = points_of(course)
    assert float(rows["bob"]["points"]) == most and "handed in before" in rows["bob"]["note"]
    assert [rows[name]["attempts"] for name in ("ada", "bob")] == ["1", "2"]
    assert (
        float(rows["ada"]["points"]) == most + 5 and float(rows["ada"]["by_hand"]) == 100 - most - 6
    )
    assert int(rows["bob"]["days_late"]) > 0
    with open(course / "totals.csv", encoding="utf-8") as file:
        assert [row["student"] for row in csv.DictReader(file)][:2] == ["ada", "fay"]


def test_the_table_of_the_best_has_a_rank_per_system_and_failures_last(tmp_path):
    told = {
        "ada": [["unix_v6", 4.2, 1.0]],
        "bea": [["unix_v6", 6.0, 7.0]],
        "dee": [["emas", 5.0, 1.0]],
    }
    kept = [{"student": name, "scores": scores} for name, scores in told.items()]
    kept += [{"student": "cyd", "scores": [], "no_score": "The policy failed."}]
    kept += [{"student": "eve", "scores": [], "no_score": "=HYPERLINK(1)"}]
    assert grading.leaderboard(tmp_path, kept) == [
        ("emas", 1, "dee", 5.0, 1.0, ""),
        ("unix_v6", 1, "bea", 6.0, 7.0, "0 is within the interval."),
        ("unix_v6", 2, "ada", 4.2, 1.0, ""),
        ("", "", "cyd", None, None, "The policy failed."),
        ("", "", "eve", None, None, "=HYPERLINK(1)"),
    ]
    assert (tmp_path / "leaderboard.csv").read_text().count(",'=HYPERLINK") == 1
    assert (tmp_path / "leaderboard.csv").read_text().startswith("system,rank,student,gain")


def test_student_copies_know_the_practice_case_and_no_solution(tmp_path):
    gradebook.prepare(tmp_path, [NAME])
    copy = nbformat.read(tmp_path / "release" / NAME / f"{NAME}.ipynb", 4)
    blank = student_copy(nbformat.read(masters()[NAME], 4))
    assert [cell.source for cell in copy.cells] == [cell.source for cell in blank.cells]
    practice = json.loads((tmp_path / "release" / NAME / "practice.json").read_text())
    assert set(practice) == {named(c)[5:] for c in copy.cells if named(c).startswith("test_")}
    assert (tmp_path / "secret.txt").stat().st_mode & 0o077 == 0
