"""Grade a class: from a folder or zip of what was handed in to points, feedback and a table.

Each copy is judged apart; a killed run goes on where it was, and every row is always there.
"""

import contextlib
import functools
import hashlib
import json
import math
import multiprocessing
import shutil
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import nbformat

from perfkit.systems import SYSTEMS
from studies.labs import calls
from tools.labs import gradebook, intake, judge, sandbox
from tools.labs.masters import ROOT, masters, student_copy

COURSE = ROOT / "build" / "labs" / "course"
CELL_LIMIT_S, AT_ONCE, DAY_S = 60, 2, 86_400
ROW = ("student", "lab", "points", "by_hand", "of", "handed_in", "days_late", "counts")
ROW += ("attempts", "note")
BEST = ("system", "rank", "student", "gain_percent", "half_width", "note")
FAILED = "Not graded: the grader itself failed with this copy. Tell who keeps it: {}"
DRAWN = "my_seed was no number of your own, so the copy was run with {}; typed numbers may not fit."


def grade(
    submissions, course=COURSE, *, roster=(), due_s=None, late_percent=0.0, unsealed=False,
    limit_s=CELL_LIMIT_S,
):  # fmt: skip
    """Grade what was handed in; write points, totals, feedback and the table of the best.

    Parameters
    ----------
    submissions : Path
        A folder or zip: one folder per student, or files whose names begin with the student's.
    course : Path
        Keeps the gradebook; labs and folders may be graded one after another.
    roster : sequence of str
        Who is in the class; whoever handed in nothing has a row, too.
    due_s, late_percent : float
        Seconds of the epoch, and what is taken off per day begun after that.
    unsealed : bool
        Run copies without a sandbox: only where every copy is trusted.

    Raises
    ------
    ValueError
        If there is no sandbox, or nothing of that name.
    """
    if not unsealed and not sandbox.is_there():
        raise ValueError(sandbox.NO_SANDBOX)
    handed = intake.collect(Path(submissions), _released(), roster, _beside())
    labs = sorted({one.lab for one in handed if one.book})
    expected = gradebook.prepare(course, labs)
    state = {(one.student, one.lab): _keep(course, one) for one in handed}
    waiting = [key for key, kept in state.items() if kept.get("digest") and not kept["done"]]
    for system in SYSTEMS.values() if waiting else ():  # a sandbox keeps nothing it compiles
        system.module().simulate(system.module().Parameters(), 0)
    prefix = [] if unsealed else None
    one = functools.partial(_grade_one, course, limit_s, prefix, expected)
    for key, told in _each(one, waiting):
        state[key] = kept = state[key] | told | {"done": True}
        _path(course, *key).write_text(json.dumps(kept), encoding="utf-8")
        print(f"{key[0]}, {key[1]}: graded." if not told["failed"] else f"{key[0]}: not graded.")
        _tell(course, due_s, late_percent, roster)
    return _tell(course, due_s, late_percent, roster)


def _released():
    """Return each lab's copy as students got it."""
    return {name: student_copy(nbformat.read(path, 4)) for name, path in masters().items()}


def _beside():
    """Return the names of notebooks that a lab's zip holds besides the lab."""
    return {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}


def _path(course, student, lab):
    return course / "graded" / f"{student}--{lab or 'none'}.json"


def _keep(course, one):
    """Put a copy where nbgrader finds it; return what is known of it, from an earlier run too."""
    path = _path(course, one.student, one.lab)
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    told = {"student": one.student, "lab": one.lab, "handed_in": one.handed_in}
    told |= {"notes": list(one.notes), "source": one.source, "attempts": kept.get("attempts", 0)}
    if not one.book:
        if kept.get("digest"):  # an earlier hand-in of this lab counts
            return kept
        path.write_text(json.dumps(told | {"done": True}), encoding="utf-8")
        return told | {"done": True}
    text = nbformat.writes(one.book)
    sources = json.dumps([cell.source for cell in one.book.cells])
    copy = hashlib.sha256(sources.encode()).hexdigest()
    secret, master = gradebook.secret_of(course), masters()[one.lab].read_bytes()
    stamp = hashlib.sha256(copy.encode() + secret.encode() + master).hexdigest()
    if kept.get("digest") == stamp:  # the same copy; a killed run may have left it to be graded
        return kept | told
    target = course / "submitted" / one.student / one.lab
    another = kept.get("copy") != copy  # if not, the master or the secret is another
    if kept.get("digest") and another and target.exists():
        earlier = course / "earlier" / one.student / f"{one.lab}-{told['attempts']}"
        shutil.copytree(target, earlier, dirs_exist_ok=True)
        told["notes"].append(f"It was handed in before; that copy is kept in {earlier.name}.")
    target.mkdir(parents=True, exist_ok=True)
    (target / f"{one.lab}.ipynb").write_text(text, encoding="utf-8")
    told |= {"copy": copy, "digest": stamp, "done": False, "attempts": told["attempts"] + another}
    path.write_text(json.dumps(told), encoding="utf-8")
    return told


def _each(one, waiting):
    """Yield (key, what came of it) as copies are done; a crash of the grader costs one copy."""
    context = multiprocessing.get_context("spawn")
    left = list(waiting)
    while left:
        with ProcessPoolExecutor(AT_ONCE, mp_context=context) as pool:
            futures = {key: pool.submit(one, *key) for key in left}
            for key, future in futures.items():
                try:
                    yield key, future.result()
                except BrokenProcessPool:
                    yield key, {"failed": FAILED.format("it ended Python"), "scores": []}
                    left = left[left.index(key) + 1 :]
                    break
                except Exception as error:
                    yield key, _failed(error)
            else:
                return


def _failed(error):
    return {"failed": FAILED.format(f"{type(error).__name__} {error}"[:300]), "scores": []}


def _grade_one(course, limit_s, prefix, expected, student, lab):
    """Judge one copy and write it into the gradebook; return the rest as plain data."""
    prefix = sandbox.command() if prefix is None else prefix
    calls.WORKER.prefix = prefix
    secret = gradebook.secret_of(course)
    master = nbformat.read(masters()[lab], 4)
    book = nbformat.read(course / "submitted" / student / lab / f"{lab}.ipynb", 4)
    seed, is_own = judge.seed_of(book, secret, student)
    hidden = judge.drawn(secret, lab) % 10**8  # the same load for all: ranks compare designs
    try:
        with sandbox.Session(prefix, limit_s) as session:
            ran, tests = judge.judged(master, book, session, seed, is_own, hidden, expected[lab])
        gradebook.record(course, student, lab, ran, tests)
    except Exception as error:
        return _failed(error)
    scores = [score for test in tests.values() for score in test.scores]
    known = {"failed": "", "scores": scores, "drawn": [] if is_own else [DRAWN.format(seed)]}
    if "test_score" in tests and not scores:
        why = [line[2:] for line in tests["test_score"].lines if line.startswith("✘")]
        known["no_score"] = (why or ["It kept no score."])[0]
    return known


def _tell(course, due_s, late_percent, roster):
    """Write points.csv, totals.csv and leaderboard.csv from all that is known; return the rows."""
    known = gradebook.points(course) if (course / "gradebook.db").exists() else {}
    kept = [json.loads(p.read_text(encoding="utf-8")) for p in (course / "graded").glob("*.json")]
    kept.sort(key=lambda one: (one["student"], one["lab"]))
    there = {one["student"] for one in kept if one["lab"]}
    rows = [
        _row(one, known.get((one["student"], one["lab"])), due_s, late_percent)
        for one in kept
        if one["lab"] or one["student"] not in there
    ]
    gradebook.write(course / "points.csv", [ROW, *rows])
    labs = sorted({row[1] for row in rows if row[1]})
    counts = {(row[0], row[1]): row[7] for row in rows}
    shown = {intake.safe(name): name for name in roster}
    names = list(dict.fromkeys([*shown, *(row[0] for row in rows)]))
    totals = [
        [shown.get(name, name), *(counts.get((name, lab), 0) for lab in labs)] for name in names
    ]
    gradebook.write(course / "totals.csv", [["student", *labs], *totals])
    leaderboard(course, kept)
    return rows


def _row(one, graded, due_s, late_percent):
    """Return a copy's row of points.csv."""
    late_days = 0
    if due_s and one["handed_in"]:
        late_days = max(0, math.ceil((one["handed_in"] - due_s) / DAY_S))
    failed = one.get("failed", "")
    waits = one.get("digest") and not one["done"]
    earned, by_hand, most = (0, 0, "") if graded is None or failed or waits else graded
    counts = round(earned * max(0.0, 1.0 - late_percent / 100.0 * late_days), 2)
    when = one["handed_in"]
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(when)) if when else ""
    notes = [*([failed] if failed else []), *one["notes"], *one.get("drawn", [])]
    notes += ["Not graded yet."] if waits else []
    told = (one["student"], one["lab"], earned, by_hand, most, when, late_days, counts)
    return (*told, one["attempts"], " ".join(notes))


def leaderboard(course, kept):
    """Write leaderboard.csv: by system and gain; last, and without a rank, whose design failed."""
    found = []
    for one in kept:
        for system, gain, half_width in one.get("scores", []):
            note = "" if abs(gain) > half_width else "0 is within the interval."
            found.append((system, one["student"], gain, half_width, note))
        if "no_score" in one:
            found.append(("", one["student"], None, None, one["no_score"]))
    ranks, table = Counter(), []
    for system, student, gain, half_width, note in sorted(
        found, key=lambda one: (one[2] is None, one[0], -(one[2] or 0.0), one[1])
    ):
        ranks[system] += 1
        rank = "" if gain is None else ranks[system]
        table.append((system, rank, student, gain, half_width, note))
    with contextlib.suppress(FileNotFoundError):
        (course / "leaderboard.csv").unlink()
    if table:
        gradebook.write(course / "leaderboard.csv", [BEST, *table])
    return table
