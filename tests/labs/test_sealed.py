"""The sandbox that copies run in: what a copy may try, and that each attempt gives nothing.

An attempt prints BROKEN, or leaves a file, if it gets what it wants; each is a cell of a blank
copy, which must get no point by it.
"""

import subprocess
from pathlib import Path

import nbformat
import nbformat.v4 as v4
import numpy as np
import pytest

from studies.labs import Hint, calls, plain, policies
from tools.labs import judge, sandbox
from tools.labs.masters import ROOT, masters, student_copy

NAME, LOOP = "lab0_queues", "while True: pass"
WARM = "throughput_per_s, utilization = 6 / leaves[-1], sum(leaves - begins) / leaves[-1]"
SEALED = sandbox.is_there()
needs_sandbox = pytest.mark.skipif(not SEALED, reason="bubblewrap is not installed here")
QUIET = {  # what leaves the copy's other cells as they are: tried in one copy
    "the gradebook changed": """
import pathlib, sqlite3
for path in COURSE, "/tmp/../" + COURSE:
    if pathlib.Path(path).exists():
        print("BROKEN")
sqlite3.connect(COURSE + "/gradebook.db").execute("UPDATE grade SET auto_score = 80")
""",
    "a file in the home folder": "open(HOME + '/BROKEN', 'w').write('x')",
    "a file beside the packages": "import perfkit; open(perfkit.__file__ + '.BROKEN', 'w')",
    "a kernel put into the cache": """
from perfkit.des.caching import cache_folder
kept = next(path for path in cache_folder().rglob("*.nbi"))
kept.write_bytes(b"BROKEN")
print("BROKEN")
""",
    "the master's solution run by its path": """
import json
book = json.load(open(MASTER))
for cell in book["cells"]:
    exec("".join(cell["source"]))
print("BROKEN")
""",
    "a score that is printed": "print('score: unix_v6 99.000 0.100')",
    "the network": """
import socket
for host in ("1.1.1.1", "127.0.0.1"):
    try:
        socket.create_connection((host, 80), timeout=2)
        print("BROKEN")
    except OSError:
        pass
socket.create_connection(("8.8.8.8", 53), timeout=2)
print("BROKEN")
""",
    "what the teacher's shell knows": """
import os
if "TEACHER" in os.environ:
    print("BROKEN")
for path in os.listdir("/proc"):
    if path.isdigit() and b"TEACHER" in open("/proc/" + path + "/environ", "rb").read():
        print("BROKEN")
""",
    "a process that stays": """
import os, subprocess
if not os.fork():
    os.setsid()
    subprocess.Popen(["sleep", "98765"])
    os._exit(0)
""",
    "a way out by a link": """
import os
os.symlink("/", "/tmp/out")
for path in ("/tmp/out" + COURSE, "/proc/1/root" + COURSE, "/proc/1/cwd"):
    if os.path.exists(path) and "release" in os.listdir(path):
        print("BROKEN")
""",
    "files where nothing bounds them": """
for folder in ("/", "/dev/", "/dev/shm/"):
    try:
        for number in range(6):
            with open(f"{folder}flood{number}", "wb") as file:
                file.write(bytes(60 * 2**20))
        print("BROKEN")
    except OSError:
        pass
""",
}
LOUD = {
    "checks that are put in place": """
import importlib
importlib.reload = lambda module: module
for name in [name for name in dir(labs) if name.startswith("check")]:
    setattr(labs, name, lambda *a, **k: None)
""",
    "a check that prints what is right": """
from studies.labs import checks
checks.check_number = labs.check_number = lambda name, given, right, *a, **k: print("BROKEN", right)
""",
    "answers written for the grader": """
import os
for number in range(3, 64):
    try:
        os.write(number, LINE)
    except OSError:
        pass
""",
    "a value that runs when it is read": """
class Odd:
    def __reduce__(self):
        import os
        return os.system, (f"touch {HOME}/BROKEN",)
throughput_per_s = Odd()
""",
    "a number that equals every other": """
class Yes(float):
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda self, other: True
    __sub__ = __rsub__ = __abs__ = lambda self, *other: 0.0
throughput_per_s = utilization = response_s = mean_number = Yes(3.3)
""",
    "all the memory": "hoard = [bytearray(2**30) for _ in range(64)]\nprint('BROKEN')",
    "more output than anybody reads": "while True:\n    print('x' * 10**6)",
    "a function of which the second answer can't be checked": """
def ragged(first):
    return lambda given, other: first if list(given)[:2] in ([0, 1], [50, 10]) else [[1], [1, 2]]

odd = {"responses": ragged([2, 3, 2, 3, 4, 2]), "elevator": ragged([50, 50, 90, 40, 10])}
get_ipython().events.register("post_run_cell", lambda _: globals().update(odd))
""",
}


def copy_with(*attempts, **answers):
    """Return a blank copy of lab 0 with cells of its own, and with answers."""
    book = student_copy(nbformat.read(masters()[NAME], 4))
    for cell in book.cells:
        cell.source = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
    places = [c.metadata.get("nbgrader", {}).get("grade_id") for c in book.cells]
    after = places.index("warm_up") + 1
    book.cells[after:after] = map(v4.new_code_cell, attempts)
    return book


def judged(book, limit_s=5.0):
    """Return what a copy's cells showed, and its tests, with a hint where there is one."""
    master = nbformat.read(masters()[NAME], 4)
    with sandbox.Session(sandbox.command(), limit_s) as session:
        return judge.judged(master, book, session, 4711, True, 987_654, None)


@needs_sandbox
@pytest.mark.parametrize("attempts", [QUIET, *({name: LOUD[name]} for name in LOUD)], ids=", ".join)
def test_attempts_get_nothing(attempts, tmp_path, monkeypatch):
    monkeypatch.setenv("TEACHER", "token")
    (tmp_path / "release").mkdir()
    (tmp_path / "gradebook.db").write_bytes(b"as it was")
    outputs = [("text", "x" * 2**21), ("png", "x" * 2**21), *[("text", "x")] * 99]
    forged = {"outputs": outputs, "failed": "", "values": {"hidden_seed": ("value", 1), "x": 3}}
    known = str(tmp_path), str(Path.home()), str(masters()[NAME]), plain.dumps(forged) * 3
    told = [f"COURSE, HOME, MASTER, LINE = {known!r}\n{one}" for one in attempts.values()]
    ran, tests = judged(copy_with(*told))
    assert {test for test, one in tests.items() if one.share} == {"test_my_seed"}
    assert not any(one.scores for one in tests.values())
    assert "BROKEN" not in str([one["outputs"] for one in ran.values()])
    assert len(str(ran)) < 10**5
    for folder in (Path.home(), tmp_path, ROOT / "perfkit", ROOT / "studies"):
        assert not list(folder.glob("*BROKEN*"))
    assert (tmp_path / "gradebook.db").read_bytes() == b"as it was"
    assert subprocess.run(["pgrep", "-f", "sleep 98765"], capture_output=True).returncode == 1


@needs_sandbox
def test_a_cell_that_never_ends_or_ends_python_costs_its_own_points():
    """So does a function that does; what stands after them is run and judged."""
    ends = "import os\nos._exit(3)"
    hangs = "def responses(gaps, services):\n    while True:\n        pass"
    right = "alone_s, most_per_s = processor_s + disc_s, 1 / disc_s\nsaturation = 1.0"
    ran, tests = judged(
        copy_with(warm_up="while True: pass", mean_response=ends, responses=hangs, bounds=right),
        3.0,
    )
    assert tests["test_bounds"].share == pytest.approx(2 / 3)
    assert "look for a loop that never ends" in tests["test_responses"].lines[0]
    told = [one["failed"] for one in ran.values() if one["failed"].startswith("This cell")]
    assert len(told) == 2 and "stopped after 3 s" in told[0] and "ended Python" in told[1]


@needs_sandbox
def test_a_copy_of_endless_cells_ends_and_keeps_what_came_before_them(monkeypatch):
    endless = dict.fromkeys(("prediction_queue", "responses", "mean_response", "total_seek"), LOOP)
    _, tests = judged(copy_with(warm_up=WARM, **endless), 4.0)
    assert tests["test_throughput"].share == 1.0 and tests["test_bounds"].share == 0.0
    monkeypatch.setattr(sandbox, "COPY_LIMIT_S", 0.0)
    ran, _ = judged(copy_with(warm_up=WARM))
    assert {one["failed"] for one in ran.values()} == {sandbox.TOO_MANY}


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("def rule(a, b=open('BROKEN', 'w')): return 0", "no default value"),
        ("@print\ndef rule(a): return 0", "no decorator"),
        ("def rule(a):\n    import os\n    return 0", "more than that"),
        ("def rule(a): return max(a, key=lambda x: x)", "more than that"),
        ("def rule(a):\n    a.age_s = 1\n    return 0", "must not change"),
        ("def rule(a): return a.__class__", "begin with _"),
        ("def rule(a): return open('x')", "can't call open"),
        ("def rule(a): return np.lib.stride_tricks.as_strided(a)", "can't call"),
        ("N = print('BROKEN')\ndef rule(a): return N", "no number"),
        ("rule = print", "plain function"),
        ("def rule(a)", "plain function"),
    ],
)
def test_a_policy_is_text_of_which_nothing_runs_before_it_is_compiled(source, hint, capsys):
    with pytest.raises(Hint, match=hint):
        policies.text_of("rule", [source])
    assert not capsys.readouterr().out and not Path("BROKEN").exists()


def test_a_policy_keeps_the_numbers_that_it_names():
    text = policies.text_of(
        "rule", ["N = 1", "x = N", "N = 7", "def rule(a):\n    return min(a, N)"]
    )
    assert policies.compiled_from(text)(9) == 7


def test_what_an_answer_would_fill_the_memory_with_is_an_error_here():
    line = plain.dumps(np.array(["x" * 10**6, *"a" * 2000], object))
    with judge.in_memory(), pytest.raises(ValueError, match="no plain values"):
        plain.loads(line)


@needs_sandbox
def test_a_copy_may_answer_so_much_and_no_more(monkeypatch):
    monkeypatch.setattr(sandbox, "COPY_BYTES", 10**6)
    _, tests = judged(copy_with(warm_up=WARM, interval="half_width_s = 'x' * 2**20"))
    assert tests["test_throughput"].share == 1.0
    _, tests = judged(copy_with(responses="def responses(*_):\n    return 'x' * 2**20"))
    assert "ended the process" in tests["test_responses"].lines[0]


@pytest.mark.parametrize(
    ("typed", "is_own"),
    [
        *[("7", True), ("' 7 '", True), ("7.0", True), ("0", False), ("1e400", False)],
        *[("'7", False), (f"'{'9' * 5000}'", False), ("-" * 200_000 + "7", False)],
    ],
)
def test_a_seed_is_what_was_typed_or_drawn_whatever_was_typed(typed, is_own):
    book = copy_with(my_seed=f"my_seed = {typed}")
    found = judge.seed_of(book, "secret", "ada")
    assert found[1] == is_own and (found[0] == 7) == is_own


def test_without_a_sandbox_nothing_is_graded(monkeypatch, tmp_path):
    from tools.labs import grading

    monkeypatch.setattr(sandbox.shutil, "which", lambda _: None)
    with pytest.raises(ValueError, match="There is no sandbox here, so nothing is graded"):
        grading.grade(tmp_path, tmp_path / "course")
    assert not (tmp_path / "course").exists()
    assert calls.WORKER.prefix == []
