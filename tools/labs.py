"""Make the course labs' student copies, and grade what comes back (``make labs``, ``make grade``).

A master under ``notebooks/labs`` says in a cell's first line what nbgrader makes of it:
``# given: setup`` is locked, ``# answer: mean`` is the student's, ``# test: mean, 10 points`` is
graded by machine, ``<!-- answer: why, 6 points -->`` by hand. ``python -m tools.labs mark`` turns
these lines into nbgrader's metadata.
"""

import ast
import csv
import functools
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
MASTERS = ROOT / "notebooks" / "labs"
BUILD = ROOT / "build" / "labs"
MARK = re.compile(r"(?:# |<!-- )(given|answer|test): (\w+)(?:, (\d+) points?)?(?: -->)?$")
STUB = {"code": "# YOUR CODE HERE", "markdown": "YOUR ANSWER HERE"}
CELL_LIMIT_S, AT_ONCE, MOST_STUCK = 60, 2, 3
README = """{title}

1. You need Python 3.11 or later. Put the two files whose names end in .whl, which your teacher
   hands out with this lab, into this folder. In this folder write:
       python -m venv env
       env/bin/python -m pip install {wheels}
   On Windows it is env\\Scripts\\python in place of env/bin/python. This needs a network.
2. Open the lab:
       env/bin/python -m jupyter lab {name}.ipynb
   The first run of a system compiles it, which takes up to a minute. Do it before class.
3. {read}
4. Before you hand in: Run > Restart Kernel and Run All Cells. Then save.
   Hand in {name}.ipynb under this name, and no other file.
"""
RESTORED = """import importlib, sys
[importlib.reload(sys.modules[name]) for name in ("perfkit.labs.checks", "perfkit.labs")]"""
QUIET_KERNEL = ["--HistoryManager.hist_file=:memory:", "--log-level=40"]
NOT_GRADED, NO_LAB = "Not graded.", "No lab of this name, or handed in twice."
COLUMNS = ("student", "lab", "points", "by_hand", "of", "note")
SECOND = re.compile(r"( ?\(\d+\)|-\d+|[- ]copy ?\d*)+$", re.IGNORECASE)  # of a downloaded name
SCORE = re.compile(r"^score: (\w+) (\S+) (\S+)$", re.MULTILINE)
BEST = ("system", "rank", "student", "gain_percent", "half_width", "note")


def masters():
    """Return the labs' master copies by name."""
    return {path.stem: path for path in sorted(MASTERS.glob("lab*/lab*.ipynb"))}


def metadata(cell):
    """Return what nbgrader wants to know of a cell, by its first line; None if it is not marked."""
    found = MARK.match(cell.source.partition("\n")[0])
    if not found:
        return None
    kind, name, points = found.groups()
    known = {
        "grade": points is not None,
        "grade_id": name if kind == "answer" else f"{kind}_{name}",
        "locked": kind != "answer",
        "schema_version": 3,
        "solution": kind == "answer",
        "task": False,
    }
    return known | ({"points": int(points)} if points else {})


def mark():
    """Write nbgrader's metadata into all masters, and drop outputs and counts."""
    for path in masters().values():
        book = nbformat.read(path, 4)
        for cell in book.cells:
            known = metadata(cell)
            cell.metadata = nbformat.from_dict({"nbgrader": known} if known else {})
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
        book.metadata = nbformat.from_dict(
            {"kernelspec": kernel, "language_info": {"name": "python"}}
        )
        nbformat.write(book, path)


def cleared(cell):
    """Return a cell's source without solutions and hidden tests, as a student gets it."""
    stub = rf"\1{STUB[cell.cell_type]}"
    text = re.sub(r"\n.*BEGIN HIDDEN TESTS(.|\n)*?END HIDDEN TESTS.*", "", cell.source)
    return re.sub(r"( *).*BEGIN SOLUTION(.|\n)*?END SOLUTION.*", stub, text)


def _config(course):
    from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
    from nbgrader.preprocessors import ClearHiddenTests, GetGrades
    from sqlalchemy.exc import SAWarning
    from traitlets.config import Config

    warnings.filterwarnings("ignore", category=SAWarning)  # of nbgrader's own gradebook

    settings = Config()
    settings.CourseDirectory.root = str(course)
    settings.CourseDirectory.db_url = f"sqlite:///{course}/gradebook.db?timeout=60"
    settings.ClearSolutions.code_stub = {"python": STUB["code"]}
    settings.ClearSolutions.text_stub = STUB["markdown"]
    settings.OverwriteCells.add_missing_cells = True
    # What a student may see of a graded copy has the hints, not the tests behind them.
    settings.GenerateFeedback.preprocessors = [
        GetGrades,
        ClearHiddenTests,
        CSSHTMLHeaderPreprocessor,
    ]
    return settings


def _api(course, settings=None):
    import logging

    from nbgrader.apps import NbGraderAPI

    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    beside, path = str(Path(sys.executable).parent), os.environ["PATH"]
    if beside not in path.split(os.pathsep):  # nbgrader calls alembic by its name
        os.environ["PATH"] = os.pathsep.join([beside, path])
    return NbGraderAPI(config=settings or _config(course))


def prepare(course, names):
    """Generate the student copies of labs in a course folder, which keeps its gradebook."""
    course.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copytree(MASTERS / name, course / "source" / name, dirs_exist_ok=True)
        done = _api(course).generate_assignment(name)
        if not done["success"]:
            raise RuntimeError(f"{name}: {done['log']}")


def release():
    """Write into build/labs a zip per lab, the solutions, and the wheels that students install."""
    names = masters()
    prepare(BUILD / "course", names)
    for part in ("release", "solutions"):
        shutil.rmtree(BUILD / part, ignore_errors=True)
    (BUILD / "solutions").mkdir()
    (BUILD / "release").mkdir()
    packages = " ".join(path.name for path in wheels(BUILD / "release"))
    for name, path in names.items():
        folder = BUILD / "release" / name
        shutil.copytree(BUILD / "course" / "release" / name, folder)
        complete(folder, packages)
        shutil.make_archive(str(folder), "zip", folder.parent, name)
        shutil.copy(path, BUILD / "solutions")
    print(f"Student copies are in {BUILD / 'release'}, solutions in {BUILD / 'solutions'}.")


def complete(folder, packages):
    """Put beside a student's copy what to do, and the study's notebook if the lab has one."""
    name = folder.name
    study = ROOT / "notebooks" / f"{name.partition('_')[2]}.ipynb"
    read = "This lab needs no other notebook."
    if study.exists():
        shutil.copy(study, folder)
        read = f"Read {study.name} first, as far as the lab asks for. You need not run it."
    title = nbformat.read(masters()[name], 4).cells[0].source.partition("\n")[0].lstrip("# ")
    told = README.format(title=title, name=name, wheels=packages, read=read)
    (folder / "README.txt").write_text(told, encoding="utf-8")


def wheels(folder):
    """Build both packages' wheels into a folder, from a copy of the sources; return their paths."""
    copy = BUILD / "wheel"
    shutil.rmtree(copy, ignore_errors=True)
    skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for part in ("perfkit", "studies", "data", "notebooks/scorecards"):
        shutil.copytree(ROOT / part, copy / part, ignore=skip)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, copy)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    subprocess.run([*command, *options, copy, copy / "studies"], check=True)
    shutil.rmtree(copy)
    return sorted(Path(folder).glob("perfkit*.whl"))


def definitions(source):
    """Return a cell's imports and functions, each as a source of its own."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef)
    return [ast.unparse(node) for node in ast.parse(source).body if isinstance(node, kinds)]


def _patient_execution(limit_s):
    """Return nbgrader's execution; a cell that never ends loses its own points, not all.

    Before each test the checks, and what locked cells import and define, are put back.
    """
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from nbgrader.preprocessors import Execute

    class Patient(Execute):
        timeout, interrupt_on_timeout, shutdown_kernel = limit_s, False, "immediate"
        extra_arguments = QUIET_KERNEL

        def on_cell_execute(self, cell, cell_index):
            self.at = cell

        def preprocess(self, nb, resources, *more, **options):
            stuck = []
            try:
                while True:
                    self.locked = [RESTORED]
                    try:
                        return super().preprocess(nb, resources, *more, **options)
                    except (CellTimeoutError, DeadKernelError) as error:
                        if len(stuck) == MOST_STUCK:
                            raise
                        stuck.append((self.at, self.at.source))
                        self.at.source = f"raise TimeoutError({self._told(error)!r})"
            finally:
                for cell, source in stuck:
                    cell.source = source

        def preprocess_cell(self, cell, resources, index):
            known, source = cell.metadata.get("nbgrader", {}), cell.source
            locked = cell.cell_type == "code" and known.get("locked")
            try:
                if locked and known["grade"]:
                    cell.source = "\n".join([*self.locked, source])
                return super().preprocess_cell(cell, resources, index)
            finally:
                cell.source = source
                self.locked += definitions(source) if locked else []

        def _told(self, error):
            if isinstance(error, DeadKernelError):
                return "This cell ended Python."
            return f"This cell was stopped after {self.timeout} s: look for a loop that never ends."

    return Patient


def grade_one(course, limit_s, student, name):
    """Autograde one submission, write its feedback, and return a note on what went wrong."""
    from nbgrader.converters import Autograde

    settings = _config(course)
    steps = list(Autograde.autograde_preprocessors.default_args[0])
    settings.Autograde.autograde_preprocessors = [_patient_execution(limit_s), *steps[1:]]
    api = _api(course, settings)
    for step, lacks in ((api.autograde, NOT_GRADED), (api.generate_feedback, "No feedback page.")):
        done = step(name, student)
        if not done["success"]:
            told = done.get("log", "") + done.get("error", "")
            errors = re.findall(r"^\s*[\w.]*(?:Error|Exception): .*", told, re.MULTILINE)
            return f"{lacks} {' '.join(errors[:1]).strip()}"
    return ""


def collect(submissions, course):
    """Copy submissions into a course folder; return (student, lab) pairs and files left over."""
    found, left = {}, []
    paths = Path(submissions).glob("*/**/*.ipynb")
    for path in sorted(paths, key=lambda path: (path.parent, len(path.name), path.name)):
        inside = path.relative_to(submissions)
        if ".ipynb_checkpoints" in inside.parts or (ROOT / "notebooks" / path.name).exists():
            continue
        key = (inside.parts[0], SECOND.sub("", path.stem))
        if key[1] not in masters() or key in found:
            left.append(inside)
            continue
        target = course / "submitted" / key[0] / key[1]
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        shutil.copy(path, target / f"{key[1]}.ipynb")
        found[key] = inside
    return list(found), left


def points(course, student, name, note=""):
    """Return a row of the list of points from the gradebook."""
    from nbgrader.api import Gradebook, MissingEntry

    with Gradebook(_config(course).CourseDirectory.db_url) as book:
        try:
            grades = book.find_submission(name, student).notebooks[0].grades
        except (MissingEntry, IndexError):
            grades = []
        grades = [] if note.startswith(NOT_GRADED) else grades
        waiting = sum(g.max_score for g in grades if g.needs_manual_grade)
        most = book.find_assignment(name).max_score
        return (student, name, sum(g.score for g in grades), waiting, most, note)


def scored(course, student, name, note):
    """Return a graded copy's (system, gain, half-width, note); None if its lab keeps no score.

    The lab's cell ``test: score`` prints them, or ends with the reason why there is none.
    """
    path = course / "autograded" / student / name / f"{name}.ipynb"
    if note.startswith(NOT_GRADED) or not path.exists():
        known = "# test: score" in (MASTERS / name / f"{name}.ipynb").read_text(encoding="utf-8")
        return ("", None, None, note or NOT_GRADED) if known else None
    cells = [c for c in nbformat.read(path, 4).cells if c.source.startswith("# test: score")]
    if not cells:
        return None
    told = "".join(output.get("text", "") for output in cells[0].outputs)
    failed = [output.evalue for output in cells[0].outputs if output.output_type == "error"]
    found = SCORE.search(told)
    if not found:
        return "", None, None, (failed or ["It printed no score."])[0]
    system, gain, half_width = found[1], float(found[2]), float(found[3])
    return system, gain, half_width, "" if abs(gain) > half_width else "0 is within the interval."


def leaderboard(course, rows):
    """Write leaderboard.csv: by system and gain; last, and without a rank, whose design failed."""
    found = [(row[0], scored(course, row[0], row[1], row[5])) for row in rows]
    found = [(student, *score) for student, score in found if score]
    ranks, table = Counter(), []
    for student, system, gain, half_width, note in sorted(
        found, key=lambda one: (one[2] is None, one[1], -(one[2] or 0.0), one[0])
    ):
        ranks[system] += 1
        rank = "" if gain is None else ranks[system]
        table.append((system, rank, student, gain, half_width, note))
    if table:
        _write(course / "leaderboard.csv", [BEST, *table])
    return table


def _write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def grade(submissions, course=BUILD / "course", limit_s=CELL_LIMIT_S):
    """Grade a folder with one folder per student; write points, feedback and the leaderboard."""
    pairs, left = collect(submissions, course)
    prepare(course, sorted({name for _, name in pairs}))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(AT_ONCE, mp_context=context) as pool:
        each = functools.partial(grade_one, course, limit_s)
        notes = list(pool.map(each, *zip(*pairs, strict=True)))
    rows = [points(course, *pair, note) for pair, note in zip(pairs, notes, strict=True)]
    best = leaderboard(course, rows)
    rows += [(inside.parts[0], inside.stem, 0, 0, "", NO_LAB) for inside in left]
    _write(course / "points.csv", [COLUMNS, *rows])
    print(f"Points are in {course / 'points.csv'}, feedback pages in {course / 'feedback'}.")
    if best:
        print(f"The table of the best is in {course / 'leaderboard.csv'}.")
    return rows


def main(arguments):
    """Do what the first argument names."""
    match arguments:
        case ["mark"]:
            mark()
        case ["release"]:
            release()
        case ["grade", submissions] if Path(submissions).is_dir():
            grade(submissions)
        case _:
            sys.exit("Write: python -m tools.labs mark | release | grade FOLDER.")


if __name__ == "__main__":
    main(sys.argv[1:])
