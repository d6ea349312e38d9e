"""Commands as a user starts them, with what they print."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 300.0
SWEEP = ["sweep", "unix_v6", "memory_clicks=650,1280,2560", "buffers=10,20,40", "interactions=20"]


def perfkit(*words, **more):
    """Return a command of perfkit as it ended: ``returncode``, ``stdout``, ``stderr``."""
    return command("-m", "perfkit", *words, **more)


def command(*words, prefix=(), options=(), cwd=ROOT, **more):
    """Return a Python command as it ended; ``env`` adds to the environment, None takes away."""
    started = start(*words, prefix=prefix, options=options, cwd=cwd, **more)
    try:
        out, err = started.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        started.kill()
        out, err = started.communicate()
        err += f"It did not end in {LIMIT_S:.0f} s."
    return subprocess.CompletedProcess(words, started.returncode, out, err)


def start(*words, prefix=(), options=(), env=(), **more):
    """Return a Python command that has begun, in a session of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'studies'}", **dict(env)}
    environment = {name: value for name, value in environment.items() if value is not None}
    words = [*prefix, sys.executable, *options, *map(str, words)]
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    more = {"cwd": ROOT, "text": True, "errors": "replace", **pipes, **more}
    return subprocess.Popen(words, env=environment, start_new_session=True, **more)


def is_one_sentence(text):
    """Return whether a complaint is one sentence, behind notes of compiling and of progress."""
    lines = [line for line in text.splitlines() if "compiling" not in line and "%|" not in line]
    return len(lines) == 1 and lines[0].endswith(".")


def last_line(text):
    """Return the last line of a text, short enough for a table."""
    lines = text.strip().splitlines() or [""]
    return lines[-1].replace("|", "/")[:160]
