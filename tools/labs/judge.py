"""Judge a copy: what it answers comes out of a sandbox, what is right is computed here.

The master's own cells run here, with the copy's answers in place of the solutions: given cells as
they are, so that every run that is held against an answer is ours; test cells with all their
checks, on seeds that no copy has seen. A copy's functions are called where they are, in its
sandbox. So nothing a copy does can change a check, a seed or a point.
"""

import ast
import contextlib
import hashlib
import io
import resource
import signal
import threading
from typing import NamedTuple

import matplotlib.pyplot as plt

from studies.labs import checks, inside
from studies.labs.practice import SEED, recorded
from tools.labs.masters import FOR_EYES, cleared, is_answer, named

CHECK_LIMIT_S = 300  # of one test's checks; what they run is ours


class Test(NamedTuple):
    """What a test came to: the share of its points, and a line for each thing that was checked."""

    share: float
    lines: list
    scores: list


class Function:
    """A function of the copy's, called in its sandbox."""

    def __init__(self, name, call, sources):
        self.__name__, self.call, self.sources, self.failed = name, call, sources, ""

    def __call__(self, *arguments):
        return self.asked(arguments, 20.0)

    def asked(self, arguments, limit_s):
        """Return what it returns there; a Hint if it fails or takes too long."""
        if self.failed:
            raise checks.Hint(self.failed)
        failed, value = self.call(self.__name__, arguments, limit_s)
        if not failed:
            return value
        told = str(value)[:500]
        self.failed = told if "stopped after" in told else ""  # it would only take as long again
        raise checks.Hint(told)


def seed_of(book, secret, student):
    """Return a copy's seed, and whether it is the student's own; else one is drawn."""
    for cell in book.cells:
        if named(cell) == "my_seed" and cell.cell_type == "code":
            found = _literal(cell.source)
            if found and found != SEED:
                return found, True
    return 1000 + drawn(secret, student, "my_seed") % 900_000, False


def drawn(secret, *about):
    """Return a whole number that nobody knows who lacks the term's secret."""
    text = "/".join([secret, *map(str, about)]).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:5], "big")


def _literal(source):
    """Return the whole number, from 0, that a cell sets my_seed to, as a number or a word."""
    found = None
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "my_seed":
                found = ast.literal_eval(node.value)
        if isinstance(found, str) and found.strip().isdecimal():
            found = int(found)  # which refuses a number of too many digits
    whole = isinstance(found, int | float) and not isinstance(found, bool) and found == found // 1
    return int(found) if whole and 0 <= found < 10**9 else None


def stubs(master):
    """Return the names that each answer sets or defines, by the answer's name."""
    code = [cell for cell in master.cells if cell.cell_type == "code" and is_answer(cell)]
    return {named(cell): inside.names_of(cleared(cell)) for cell in code}


def cells_of(book, seed, names):
    """Return what runs in the sandbox: (identity, source, names that are answers)."""
    return [
        (cell.id, f"my_seed = {seed}" if named(cell) == "my_seed" else cell.source,
         names.get(named(cell), []))
        for cell in book.cells
        if cell.cell_type == "code" and named(cell) != FOR_EYES
    ]  # fmt: skip


def tested(master, answers, seed, is_own, secret_seed, expected=None):
    """Run a master's given and test cells with a copy's answers; return each test's Test.

    Parameters
    ----------
    master : NotebookNode
    answers : dict of str to dict
        By the answer cell's name, its values by name.
    expected : dict of str to list of str, optional
        Names that each test judges; without it, those that it happened to judge.
    """
    names = {"__name__": "__main__", "hidden_seed": secret_seed, "seed_is_own": is_own}
    found, asked = {}, stubs(master)
    for cell in master.cells:
        if cell.cell_type != "code" or not named(cell) or named(cell) == FOR_EYES:
            continue
        if is_answer(cell):
            names.update(dict.fromkeys(asked[named(cell)]) | answers.get(named(cell), {}))
            if named(cell) == "my_seed":
                names["my_seed"] = seed
            continue
        verdicts, scores, told, error = run_trusted(cell, names)
        if cell.metadata.nbgrader.grade:
            share, lines = worth(verdicts, error, (expected or {}).get(named(cell)))
            found[named(cell)] = Test(share, [*lines, *told], scores)
    return found


def solved(master):
    """Run a master with its solutions, at the practice seed.

    Returns
    -------
    practice : dict
        By a test's name, what a student's copy may know of it: ``practice.json``.
    expected : dict of str to list of str
        By a test's grade_id, the names that it judges.

    Raises
    ------
    ValueError
        If a solution does not get full points.
    """
    names = {"__name__": "__main__", "hidden_seed": 500, "seed_is_own": True}
    practice, expected, asked = {}, {}, {n for names in stubs(master).values() for n in names}
    for cell in master.cells:
        if cell.cell_type != "code" or named(cell) == FOR_EYES:
            continue
        verdicts, _, _, error = run_trusted(cell, names, strict=True)
        if named(cell) == "my_seed":
            names["my_seed"] = SEED
        if error or any(verdict.hint for verdict in verdicts):
            why = error or next(verdict.hint for verdict in verdicts if verdict.hint)
            raise ValueError(f"The solution fails in {named(cell) or 'a cell'}: {why}")
        if named(cell).startswith("test_"):
            practice[named(cell).removeprefix("test_")] = recorded(verdicts, asked)
            expected[named(cell)] = [*dict.fromkeys(verdict.name for verdict in verdicts)]
    return practice, expected


def run_trusted(cell, names, strict=False):
    """Run a cell of the master; return what its checks found, what it told, and what ended it."""
    told, error = io.StringIO(), ""
    with checks.collecting() as found, contextlib.redirect_stdout(told), _in_time():
        try:
            exec(compile(cell.source, f"<{named(cell)}>", "exec"), names)
        except checks.Hint as hint:
            error = str(hint)
        except Exception:  # answers may be anything
            if strict:
                raise
            error = checks.NOT_CHECKED
    plt.close("all")
    lines = [line[:500] for line in told.getvalue().splitlines()[:60]]
    return found.verdicts, found.scores, lines, error


@contextlib.contextmanager
def _in_time():
    """Let a check end that an answer makes endless; only the main thread can be told so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(*_):
        raise checks.Hint(checks.NOT_CHECKED)

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(CHECK_LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def in_memory():
    """Let what an answer would fill the memory with be an error here."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    known = [most for most in (*before, inside.MOST_BYTES) if most != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(known), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def worth(verdicts, error, wanted):
    """Return a test's share of points and its lines: per answer, not all or nothing."""
    credit, lines = {}, []
    for verdict in verdicts:
        credit[verdict.name] = min(verdict.credit, credit.get(verdict.name, 1.0))
        if verdict.hint:
            lines.append(f"✘ {verdict.hint}")
    good = [f"✔ {name}" for name, share in credit.items() if share == 1.0]
    lines = [*good, *dict.fromkeys(lines), *([f"✘ {error}"] if error else [])]
    names = list(credit) if wanted is None else wanted
    things = len(names) + bool(error)  # what ended a test is one more thing that was asked
    return (sum(credit.get(name, 0.0) for name in names) / things if things else 1.0), lines


def judged(master, book, session, seed, is_own, secret_seed, expected):
    """Run a copy in its session and judge it; return (what its cells showed, tests by name)."""
    with in_memory():
        return _judged(master, book, session, seed, is_own, secret_seed, expected)


def _judged(master, book, session, seed, is_own, secret_seed, expected):
    asked, answers = stubs(master), {}
    ran = session.run(cells_of(book, seed, asked))
    sources = [cell.source for cell in book.cells if cell.cell_type == "code"]
    for cell in book.cells:
        values = ran[cell.id]["values"] if cell.id in ran else {}
        answers[named(cell)] = {
            name: Function(name, _caller(session, cell.id), sources)
            if kind == "function"
            else value
            for name, (kind, value) in values.items()
            if name in asked.get(named(cell), ())  # and no other: it comes from the copy
        }
    return ran, tested(master, answers, seed, is_own, secret_seed, expected)


def _caller(session, identity):
    return lambda name, arguments, limit_s: session.call(identity, name, arguments, limit_s)
