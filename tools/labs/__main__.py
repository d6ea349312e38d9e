"""``python -m tools.labs``: mark the masters, make what students get, grade what comes back."""

import argparse
import csv
import shutil
import sys
from datetime import datetime
from pathlib import Path

from tools.labs import gradebook, grading
from tools.labs.masters import BUILD, complete, mark, masters, wheels


def release(course=grading.COURSE):
    """Write into build/labs a zip per lab, the solutions, and the wheels that students install."""
    names = masters()
    gradebook.prepare(course, names)
    for part in ("release", "solutions"):
        shutil.rmtree(BUILD / part, ignore_errors=True)
        (BUILD / part).mkdir(parents=True)
    packages = " ".join(path.name for path in wheels(BUILD / "release"))
    for name, path in names.items():
        folder = BUILD / "release" / name
        shutil.copytree(course / "release" / name, folder)
        complete(folder, packages)
        shutil.make_archive(str(folder), "zip", folder.parent, name)
        shutil.copy(path, BUILD / "solutions")
    print(f"Student copies are in {BUILD / 'release'}, solutions in {BUILD / 'solutions'}.")
    print(f"Keep {course}: its secret makes the graded cases of this term.")


def _roster(path):
    """Return the names in a roster's first column."""
    if not path:
        return ()
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = [row for row in csv.reader(file) if row and row[0].strip()]
    return tuple(row[0].strip() for row in rows if row[0].strip().lower() != "student")


def main(arguments):
    """Do what the first argument names."""
    parser = argparse.ArgumentParser(prog="python -m tools.labs", description=__doc__)
    commands = parser.add_subparsers(dest="do", required=True)
    commands.add_parser("mark", help="write nbgrader's metadata into the masters")
    commands.add_parser("release", help="a zip per lab, solutions and wheels, in build/labs")
    one = commands.add_parser("grade", help="grade a folder or zip of what was handed in")
    one.add_argument("submissions")
    one.add_argument("--roster", help="a CSV file whose first column names each student")
    one.add_argument("--due", help="2026-12-01T12:00; later ones are late")
    one.add_argument("--late", type=float, default=0.0, help="percent off per day begun (0)")
    one.add_argument("--unsealed", action="store_true", help="trust every copy: no sandbox")
    told = parser.parse_args(arguments)
    if told.do != "grade":
        return mark() if told.do == "mark" else release()
    try:
        due_s = datetime.fromisoformat(told.due).timestamp() if told.due else None
        options = {"due_s": due_s, "late_percent": told.late, "unsealed": told.unsealed}
        grading.grade(Path(told.submissions), roster=_roster(told.roster), **options)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    print(f"Points, totals and feedback pages are in {grading.COURSE}.")


if __name__ == "__main__":
    main(sys.argv[1:])
