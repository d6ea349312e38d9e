"""The labs' master copies, and what students get of them (``make labs``).

A master under ``notebooks/labs`` says in a cell's first line what nbgrader makes of it:
``# given: setup`` is locked, ``# answer: mean`` is the student's, ``# test: mean, 10 points`` is
graded by machine, ``<!-- answer: why, 6 points -->`` by hand. ``python -m tools.labs mark`` turns
these lines into nbgrader's metadata.
"""

import copy
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
MASTERS = ROOT / "notebooks" / "labs"
BUILD = ROOT / "build" / "labs"
MARK = re.compile(r"(?:# |<!-- )(given|answer|test): (\w+)(?:, (\d+) points?)?(?: -->)?$")
STUB = {"code": "# YOUR CODE HERE", "markdown": "YOUR ANSWER HERE"}
README = """{title}

1. You need Python 3.11 or later. Once for all labs: make a folder for them, and put into it the two
   files whose names end in .whl, which your teacher hands out with the first lab. In that folder:
       python -m venv env
       env/bin/python -m pip install {wheels}
   On Windows it is env\\Scripts\\python in place of env/bin/python. This needs a network.
2. Unpack this zip in that folder, and open the lab:
       env/bin/python -m jupyter lab {name}/{name}.ipynb
   The first run of a system compiles it, which takes up to a minute. Do it before class.
3. {read}
4. Work with my_seed = 0 first: of this case the checks know what is right, from practice.json,
   which must stay beside the notebook. Then set my_seed to a number of your own, and run all.
5. Before you hand in: Run > Restart Kernel and Run All Cells. Then save.
   Hand in {name}.ipynb under this name, and no other file.
"""
FOR_EYES = "given_watch"  # a cell that sets no name; it is not run where a copy is graded


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


def named(cell):
    """Return a marked cell's grade_id: "mean" of an answer, else "given_setup", "test_mean"."""
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def is_answer(cell):
    """Return whether a marked cell is the student's to fill."""
    return cell.metadata.get("nbgrader", {}).get("solution", False)


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


def student_copy(master):
    """Return a master as students get it."""
    book = copy.deepcopy(master)
    for cell in book.cells:
        cell.source = cleared(cell) if named(cell) else cell.source
    return book


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
    built = BUILD / "wheel"
    shutil.rmtree(built, ignore_errors=True)
    skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for part in ("perfkit", "studies", "data", "notebooks/scorecards"):
        shutil.copytree(ROOT / part, built / part, ignore=skip)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, built)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    subprocess.run([*command, *options, built, built / "studies"], check=True)
    shutil.rmtree(built)
    return sorted(Path(folder).glob("perfkit*.whl"))
