"""nbgrader itself: student copies without solutions, and a folder of submissions graded."""

import csv

import nbformat
import pytest

from tools import labs

pytest.importorskip("nbgrader", reason="make labs installs it")
NAME = "lab0_queues"
ENDLESS = """
import time
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
"""


@pytest.mark.filterwarnings("ignore")
def test_a_folder_is_graded_and_no_submission_stops_another(tmp_path):
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
    for student, book in (("ada", master), ("bob", released), ("cyd", stuck)):
        (handed_in / student).mkdir(parents=True)
        nbformat.write(book, handed_in / student / f"{NAME}.ipynb")
    (handed_in / "dee").mkdir()
    (handed_in / "dee" / f"{NAME}.ipynb").write_text("{broken")
    (handed_in / "dee" / "poem.ipynb").write_text("{}")
    labs.grade(handed_in, course, limit_s=20)
    with open(course / "points.csv", encoding="utf-8") as file:
        rows = {(row["student"], row["lab"]): row for row in csv.DictReader(file)}
    by_hand = sum(
        cell.metadata.nbgrader.points
        for cell in master.cells
        if cell.cell_type == "markdown" and "nbgrader" in cell.metadata
    )
    points = {student: float(row["points"]) for (student, lab), row in rows.items() if lab == NAME}
    assert points == {"ada": 100 - by_hand, "bob": 0, "cyd": 100 - by_hand - 8 - 11, "dee": 0}
    assert float(rows["ada", NAME]["by_hand"]) == by_hand
    assert "JSON" in rows["dee", NAME]["note"] and "No lab" in rows["dee", "poem"]["note"]
    page = (course / "feedback" / "cyd" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "look for a loop that never ends" in page and "HIDDEN TESTS" not in page
