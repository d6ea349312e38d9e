"""What runs in a sandbox: a copy's cells, one after another, and then its functions, as asked.

Nothing here is trusted by who asks, and nothing here knows what is right. Each request and each
answer is a line of plain data. A function is called in a fork, so no call changes the next.
"""

import ast
import base64
import contextlib
import io
import os
import resource
import select
import signal
import sys
import time

from studies.labs import plain

MOST_TEXT, MOST_PICTURES, MOST_PICTURE_BYTES = 20_000, 4, 2**20
MOST_BYTES, MOST_FILE_BYTES = 6 * 2**30, 64 * 2**20


class Copy:
    """A copy's names, its shell, and what its answer cells set."""

    def __init__(self):
        from IPython.core.displayhook import CapturingDisplayHook
        from IPython.core.displaypub import CapturingDisplayPublisher
        from IPython.core.interactiveshell import InteractiveShell

        self.shell = InteractiveShell.instance(
            display_pub_class=CapturingDisplayPublisher, colors="nocolor"
        )
        self.shown, self.answers = [], {}
        hook = CapturingDisplayHook(self.shell, self.shown)
        self.shell.displayhook = self.shell.display_trap.hook = hook
        hook.is_active, hook.exec_result = True, None  # which the shell asks for, and this lacks
        self.shell.showtraceback = self.shell.showsyntaxerror = lambda *_, **__: None
        with contextlib.suppress(Exception):
            self.shell.enable_matplotlib("inline")

    def cell(self, identity, source, names=()):
        """Run a cell; return its outputs, the error that ended it, and the values of names."""
        self.shown.clear()
        self.shell.display_pub.outputs = []
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            ended = self.shell.run_cell(source, store_history=False)
        error = ended.error_before_exec or ended.error_in_exec
        failed = f"{type(error).__name__}: {error}"[:500] if error else ""
        values = {}
        for name in names:
            value = self.answers[identity, name] = self.shell.user_ns.get(name)
            values[name] = ("function", "") if callable(value) else ("value", value)
        pictures = [*self.shell.display_pub.outputs, *self.shown]
        return {"outputs": _outputs(told.getvalue(), pictures), "failed": failed, "values": values}

    def call(self, identity, name, arguments, limit_s):
        """Return (failed, value or reason) of a function that a cell set."""
        return call_in_fork(self.answers[identity, name], arguments, limit_s, name)


def call_in_fork(function, arguments, limit_s, name):
    """Return (failed, what a function returned or why it failed); the call changes nothing here."""
    here, there = os.pipe()
    child = os.fork()
    if not child:
        os.close(here)
        with os.fdopen(there, "wb") as answer:
            answer.write(_called(function, arguments, name))
        os._exit(0)
    os.close(there)
    line, over = _read(here, limit_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if over:
        return True, f"{name} was stopped after {limit_s:g} s: look for a loop that never ends."
    try:
        return plain.loads(line)
    except ValueError:
        return True, f"{name} ended the process that it ran in."


def _called(function, arguments, name):
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            return plain.dumps((False, function(*arguments)))
    except BaseException as error:
        return plain.dumps((True, f"{name} failed with {type(error).__name__}: {error}"[:500]))


def _read(source, limit_s):
    """Return what comes from a pipe until it is closed, and whether that took too long."""
    parts, size = [], 0
    end = time.monotonic() + limit_s
    with os.fdopen(source, "rb", 0) as pipe:
        while size <= plain.MOST_BYTES:
            ready, _, _ = select.select([pipe], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return b"", True
            part = pipe.read(2**16)
            if not part:
                break
            parts.append(part)
            size += len(part)
    return b"".join(parts), False


def _outputs(text, pictures):
    """Return what a cell showed, as text and pictures of bounded size."""
    found = [("text", text[:MOST_TEXT])] if text else []
    for one in pictures:
        data = getattr(one, "data", None) or (one.get("data", {}) if isinstance(one, dict) else {})
        png, words = data.get("image/png"), data.get("text/plain")
        if png and len(png) <= MOST_PICTURE_BYTES:
            png = png if isinstance(png, str) else base64.b64encode(png).decode()
            found.append(("png", png))
        elif words:
            found.append(("text", str(words)[:MOST_TEXT]))
    return found[: MOST_PICTURES + 1]


def names_of(stub):
    """Return the names that the stub of an answer sets or defines.

    Examples
    --------
    >>> names_of("a, b = None, None\\ndef c(x):\\n    pass")
    ['a', 'b', 'c']
    """
    body = ast.parse(stub).body
    targets = [t for node in body if isinstance(node, ast.Assign) for t in node.targets]
    assigned = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
    return assigned + [node.name for node in body if isinstance(node, ast.FunctionDef)]


def main():
    """Answer requests until the stream ends. What is printed past the cells goes nowhere."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    sys.stdin = io.StringIO()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
    copy = Copy()
    answers.write(plain.dumps("ready"))
    answers.flush()
    for line in requests:
        do, *arguments = plain.loads(line)
        answers.write(plain.dumps((copy.cell if do == "cell" else copy.call)(*arguments)))
        answers.flush()
