"""Commands killed at random moments, and gone on with, against one that nobody disturbed."""

import contextlib
import csv
import os
import random
import shutil
import signal
import time

import nbformat

from tools.labs import sandbox
from tools.robustness import runs

COURSE = runs.ROOT / "build/labs/course"


def sweep(folder):
    """Return the command, and what of its end must be the same."""
    words = ["-m", "perfkit", *runs.SWEEP, "replications=8", "--csv", "--store", folder / "store"]
    return words, lambda done: done.stdout


def reproduce(folder):
    words = ["-m", "perfkit", "reproduce", "unix_v6", "--quick", "--results", folder / "results"]
    return words, lambda _: _texts(folder / "results")


def calibrate(folder):
    words = ["-m", "perfkit", "calibrate", "unix_v6", "--iterations", "1", "--replications", "2"]
    return [*words, "--results", folder / "results"], lambda _: _texts(folder / "results")


def grade(folder):
    from tools.labs.masters import masters, student_copy

    for student in ("ada", "bob"):
        target = folder / "handed_in" / student / "lab0_queues.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(student_copy(nbformat.read(masters()["lab0_queues"], 4)), target)
    return ["-m", "tools.labs", "grade", folder / "handed_in"], lambda _: _points()


def _points():
    with open(COURSE / "points.csv", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return [(row["student"], row["points"], row["of"], row["note"]) for row in rows]


def _texts(folder):
    """Return the tables below a folder by name; notebooks tell how many minutes they took."""
    paths = [p for p in sorted(folder.rglob("*")) if p.suffix in (".csv", ".json")]
    return {str(p.relative_to(folder)): p.read_bytes() for p in paths if ".part" not in str(p)}


COMMANDS = {one.__name__: one for one in (sweep, reproduce, calibrate, grade)}


def rows(names, kills, limit_s, folder):
    """Yield of each command how often it was killed, finished, and ended as if it never was."""
    for name in names:
        if name == "grade" and not sandbox.is_there():
            yield {"command": name, "kills": 0, "said": "Not run: there is no sandbox here."}
            continue
        yield {"command": name, **_killed(COMMANDS[name], kills, limit_s, folder / name)}


def _fresh(folder):
    for left in (folder, *([COURSE] if folder.name == "grade" else [])):
        shutil.rmtree(left, ignore_errors=True)
    folder.mkdir(parents=True)


def _killed(made, kills, limit_s, folder):
    draw, end = random.Random(7), time.monotonic() + limit_s
    _fresh(folder)
    words, read = made(folder)
    began = time.monotonic()
    done = runs.command(*words)
    whole_s, expected = time.monotonic() - began, read(done)
    count = finished = same = during = 0
    said = "" if done.returncode == 0 else runs.last_line(done.stderr)
    _fresh(folder)
    made(folder)
    while count < kills and not said:
        ended = _started_and_killed(words, draw.uniform(0.05, 1.0) * whole_s)
        if ended is None:
            count += 1
            during += any(path.is_file() for path in _written(folder))
        kills = count if time.monotonic() > end else kills
        if ended is not None or count == kills:
            ended = ended or runs.command(*words)
            finished, same = finished + 1, same + (read(ended) == expected)
            said = said or ("" if ended.returncode == 0 else runs.last_line(ended.stderr))
            _fresh(folder)
            made(folder)
    told = {"kills": count, "with something written": during, "finished": finished}
    return told | {"as if undisturbed": same, "seconds undisturbed": round(whole_s), "said": said}


def _written(folder):
    own = COURSE if folder.name == "grade" else folder
    return (p for p in own.rglob("*") if p.name not in ("about.json", "lock"))


def _started_and_killed(words, after_s):
    """Return None if it was killed, with all that it started; how it ended if it was quicker."""
    began = runs.start(*words)
    with contextlib.suppress(Exception):
        out, err = began.communicate(timeout=after_s)
        return runs.subprocess.CompletedProcess(words, began.returncode, out, err)
    os.killpg(began.pid, signal.SIGKILL)
    began.communicate()
    return None
