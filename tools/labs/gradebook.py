"""nbgrader's part: student copies made of masters, the gradebook, feedback pages.

nbgrader only ever reads notebooks that were written here, and runs no cell of them.
"""

import csv
import hashlib
import html
import json
import logging
import os
import re
import secrets
import shutil
import sys
import warnings
from pathlib import Path

import nbformat
from nbformat import v4

from studies.labs.practice import FILE
from tools.labs import judge
from tools.labs.masters import MASTERS, STUB, masters

SCRIPT_LINK = re.compile(r"((?:java|vb)script)\\*(?=:)", re.IGNORECASE)
CONFIG = """# For the Formgrader: start JupyterLab in this folder, by the Python that graded.
c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.db_url = {url!r}
c.HTMLExporter.sanitize_html = True  # what students wrote is shown, not run
"""


def url_of(course):
    """Return the address of a course's gradebook."""
    return f"sqlite:///{course}/gradebook.db?timeout=60"


def config(course):
    """Return nbgrader's settings for a course folder."""
    from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
    from nbgrader.preprocessors import ClearHiddenTests, GetGrades
    from sqlalchemy.exc import SAWarning
    from traitlets.config import Config

    warnings.filterwarnings("ignore", category=SAWarning)  # of nbgrader's own gradebook
    settings = Config()
    settings.CourseDirectory.root = str(course)
    settings.CourseDirectory.db_url = url_of(course)
    settings.ClearSolutions.code_stub = {"python": STUB["code"]}
    settings.ClearSolutions.text_stub = STUB["markdown"]
    settings.HTMLExporter.sanitize_html = True
    # What a student may see of a graded copy has the hints, not the tests behind them.
    steps = [GetGrades, ClearHiddenTests, CSSHTMLHeaderPreprocessor]
    settings.GenerateFeedback.preprocessors = steps
    return settings


def api(course, settings=None):
    """Return nbgrader's interface to a course folder."""
    from nbgrader.apps import NbGraderAPI

    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    beside, path = str(Path(sys.executable).parent), os.environ["PATH"]
    if beside not in path.split(os.pathsep):  # nbgrader calls alembic by its name
        os.environ["PATH"] = os.pathsep.join([beside, path])
    return NbGraderAPI(config=settings or config(course))


def secret_of(course):
    """Return a course's secret, which makes its graded cases; a new one for a new folder."""
    path = course / "secret.txt"
    if not path.exists():
        course.mkdir(parents=True, exist_ok=True)
        path.touch(0o600)
        path.write_text(secrets.token_hex(16))
    return path.read_text().strip()


def prepare(course, names):
    """Make the student copies of labs in a course folder; return what each test judges, by lab."""
    secret_of(course)
    (course / "nbgrader_config.py").write_text(CONFIG.format(root=str(course), url=url_of(course)))
    expected = {}
    for name in names:
        source, kept = course / "source" / name, course / "expected" / f"{name}.json"
        stamp = hashlib.sha256(masters()[name].read_bytes()).hexdigest()
        if not kept.exists() or json.loads(kept.read_text())["stamp"] != stamp:
            practice, judges = judge.solved(nbformat.read(masters()[name], 4))
            shutil.copytree(MASTERS / name, source, dirs_exist_ok=True)
            (source / FILE).write_text(json.dumps(practice), encoding="utf-8")
            done = api(course).generate_assignment(name)
            if not done["success"]:
                raise RuntimeError(f"{name}: {done['log']}")
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(json.dumps({"stamp": stamp, "judges": judges}))
        expected[name] = json.loads(kept.read_text())["judges"]
    return expected


def record(course, student, name, ran, tests):
    """Write a judged copy into the gradebook, with its feedback page."""
    from nbgrader.converters import Autograde

    settings = config(course)
    steps = list(Autograde.autograde_preprocessors.default_args[0])
    settings.Autograde.autograde_preprocessors = [_shown(ran, tests), *steps[1:]]
    grader = api(course, settings)
    for step in (grader.autograde, grader.generate_feedback):
        done = step(name, student)
        if not done["success"]:
            raise RuntimeError(done.get("log", "") + done.get("error", ""))


def _shown(ran, tests):
    """Return what takes the place of nbgrader's execution: outputs as the sandbox gave them."""
    from nbgrader.preprocessors import NbGraderPreprocessor

    class Shown(NbGraderPreprocessor):
        def preprocess_cell(self, cell, resources, index):
            known = cell.metadata.get("nbgrader", {})
            if cell.cell_type == "markdown" and known.get("solution"):
                cell.source = SCRIPT_LINK.sub(r"\1 ", html.escape(cell.source, quote=False))
                cell.pop("attachments", None)
            elif known.get("grade_id") in tests and known.get("grade"):
                cell.outputs = _result(tests[known["grade_id"]], known["points"])
            elif cell.cell_type == "code" and cell.id in ran:
                cell.outputs = _outputs(ran[cell.id])
            return cell, resources

    return Shown


def _result(test, points):
    """Return a test cell's outputs: its lines, and what makes nbgrader give its points."""
    told = [v4.new_output("stream", text="\n".join(test.lines) + "\n")] if test.lines else []
    if test.share <= 0.0:
        return [*told, v4.new_output("error", ename="0 points", evalue="", traceback=[])]
    if test.share < 1.0:
        earned = f"{round(test.share * points, 2):g}"
        told.append(v4.new_output("execute_result", data={"text/plain": earned}))
    return told


def _outputs(answer):
    shown = [
        v4.new_output("stream", text=data)
        if kind == "text"
        else v4.new_output("display_data", data={"image/png": data, "text/plain": "a picture"})
        for kind, data in answer["outputs"]
    ]
    if answer["failed"]:
        shown.append(v4.new_output("stream", text=f"✘ {answer['failed']}\n"))
    return shown


def points(course):
    """Return {(student, lab): (points, points that wait for a hand, points at most)} of all."""
    from nbgrader.api import Gradebook

    found = {}
    with Gradebook(url_of(course)) as book:
        for lab in book.assignments:
            for handed in lab.submissions:
                grades = [g for one in handed.notebooks for g in one.grades]
                waiting = [g for g in grades if g.needs_manual_grade and g.manual_score is None]
                earned = round(sum(g.score for g in grades), 2)
                by_hand = sum(g.max_score for g in waiting)
                found[handed.student.id, lab.name] = (earned, by_hand, lab.max_score)
    return found


def _no_formula(value):
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if is_formula else value


def write(path, rows):
    """Write a table whole or not at all."""
    with open(path.with_suffix(".new"), "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([*map(_no_formula, row)] for row in rows)
    path.with_suffix(".new").replace(path)
