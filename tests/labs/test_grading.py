"""nbgrader itself: student copies without solutions, and a folder of submissions graded."""

import csv

import nbformat
import nbformat.v4 as v4
import pytest

from tools import labs

NAME, CHALLENGE = "lab0_queues", "lab6_design"
ENDLESS = """
import time
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
"""
FORGED = """
for name in [name for name in dir(labs) if name.startswith("check")]:
    setattr(labs, name, print)
labs.apart, my_seed = print, 1
"""


@pytest.mark.filterwarnings("ignore")
def test_a_folder_is_graded_and_no_submission_stops_another(tmp_path, capfd):
    pytest.importorskip("nbgrader", reason="make labs installs it")
    course, handed_in = tmp_path / "course", tmp_path / "handed_in"
    labs.prepare(course, [NAME])
    master = nbformat.read(labs.masters()[NAME], 4)
    released = nbformat.read(course / "release" / NAME / f"{NAME}.ipynb", 4)
    blank = nbformat.read(labs.masters()[NAME], 4)
    for cell in blank.cells:
        cell.source = labs.cleared(cell)
    assert [cell.source for cell in released.cells] == [cell.source for cell in blank.cells]
    stuck = nbformat.read(labs.masters()[NAME], 4)
    for cell in stuck.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "warm_up":
            cell.source = ENDLESS
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "interval":
            cell.source = "import os\nos._exit(1)"
    forged = nbformat.from_dict(released)
    forged.cells.insert(3, v4.new_code_cell(FORGED))
    copies = {"ada": master, "bob": released, "cyd": stuck, "eve": forged}
    for student, book in copies.items():
        (handed_in / student).mkdir(parents=True)
        nbformat.write(book, handed_in / student / f"{NAME}{' (1)' * (student == 'ada')}.ipynb")
    (handed_in / "dee").mkdir()
    (handed_in / "dee" / f"{NAME}.ipynb").write_text("{broken")
    for beside in ("poem.ipynb", "cp67.ipynb"):  # the zip has the second
        (handed_in / "dee" / beside).write_text("{}")
    labs.grade(handed_in, course, limit_s=20)
    with open(course / "points.csv", encoding="utf-8") as file:
        rows = {(row["student"], row["lab"]): row for row in csv.DictReader(file)}
    by_hand = sum(
        cell.metadata.nbgrader.points
        for cell in master.cells
        if cell.cell_type == "markdown" and "nbgrader" in cell.metadata
    )
    points = {student: float(row["points"]) for (student, lab), row in rows.items() if lab == NAME}
    found = tuple(points[student] for student in ("ada", "bob", "cyd", "dee", "eve"))
    assert found == (100 - by_hand, 0, 100 - by_hand - 8 - 11, 0, 1)  # a seed is worth 1
    assert "SAWarning" not in capfd.readouterr().err
    assert float(rows["ada", NAME]["by_hand"]) == by_hand
    assert "JSON" in rows["dee", NAME]["note"] and "No lab" in rows["dee", "poem"]["note"]
    assert len(rows) == 6
    page = (course / "feedback" / "cyd" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "look for a loop that never ends" in page and "HIDDEN TESTS" not in page


def graded(course, student, *outputs):
    """Write a graded copy of the challenge whose score cell has some outputs."""
    folder = course / "autograded" / student / CHALLENGE
    folder.mkdir(parents=True)
    cell = v4.new_code_cell("# test: score, 10 points", outputs=list(outputs))
    nbformat.write(v4.new_notebook(cells=[cell]), folder / f"{CHALLENGE}.ipynb")


def test_the_table_of_the_best_has_a_rank_per_system_and_failures_last(tmp_path):
    said = lambda text: v4.new_output("stream", text=f"score: {text}\n")  # noqa: E731
    none_shown = v4.new_output("error", ename="Hint", evalue="No gain is shown.")
    crashed = v4.new_output("error", ename="Hint", evalue="The policy failed with ValueError: no.")
    graded(tmp_path, "ada", said("unix_v6 4.200 1.000"))
    graded(tmp_path, "bea", said("unix_v6 6.000 7.000"), none_shown)
    graded(tmp_path, "cyd", crashed)
    graded(tmp_path, "dee", said("emas 5.000 1.000"))
    rows = [(name, CHALLENGE, 1, 1, 100, "") for name in ("ada", "bea", "cyd", "dee")]
    rows += [("eve", CHALLENGE, 0, 0, 100, "Not graded. JSON."), ("ada", NAME, 0, 0, 100, "")]
    assert labs.leaderboard(tmp_path, rows) == [
        ("emas", 1, "dee", 5.0, 1.0, ""),
        ("unix_v6", 1, "bea", 6.0, 7.0, "0 is within the interval."),
        ("unix_v6", 2, "ada", 4.2, 1.0, ""),
        ("", "", "cyd", None, None, "The policy failed with ValueError: no."),
        ("", "", "eve", None, None, "Not graded. JSON."),
    ]
    assert (tmp_path / "leaderboard.csv").read_text().startswith("system,rank,student,gain")
