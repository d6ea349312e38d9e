"""Run a handed-in copy in a sandbox: no network, no disk but the installed packages, bounded.

bubblewrap (Debian's package of that name) gives each copy namespaces of its own. What it answers is
plain data and is trusted in nothing.
"""

import os
import select
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import perfkit
import studies
from perfkit.des.caching import cache_folder
from studies.labs import plain
from studies.labs.inside import MOST_PICTURE_BYTES, MOST_PICTURES
from studies.labs.practice import GRADED

START_S, SLACK_S = 120.0, 5.0
MOST_STUCK = 3
COPY_LIMIT_S = 900.0  # all of a copy's cells and calls
TOO_MANY = "This cell was not run: those before it never ended, or took too long together."
DISK_BYTES = 256 * 2**20
COPY_BYTES = plain.MOST_BYTES  # of all that a process answers: to read it takes time here
MOST_LETTERS = MOST_PICTURE_BYTES * 4 // 3 + 4  # of a picture
KEPT = "/kept"  # where a sandbox finds compiled kernels
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives")
NO_SANDBOX = (
    "There is no sandbox here, so nothing is graded: a copy could read the answers and write into"
    " the gradebook. Install bubblewrap (apt-get install bubblewrap) on a Linux machine; or say"
    " UNSEALED=1, and trust every copy."
)


def is_there():
    """Return whether a sandbox can be had."""
    if not shutil.which("bwrap"):
        return False
    tried = [*command(), "/bin/true"]
    return subprocess.run(tried, capture_output=True, timeout=START_S).returncode == 0


def command():
    """Return the command that what follows runs in a sandbox by."""
    told = ["env", "-i", f"PATH={os.environ['PATH']}"]  # what is in there can read bwrap's own
    told += ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    told += ["--unshare-user", "--disable-userns"]
    told += ["--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"]
    for path in ("/tmp", "/dev/shm"):
        told += ["--size", str(DISK_BYTES), "--tmpfs", path]
    told += ["--chdir", "/tmp"]
    for path in _seen():
        told += ["--ro-bind", path, path]
    kept = cache_folder()
    told += ["--ro-bind", str(kept), KEPT, "--size", str(DISK_BYTES), "--tmpfs", str(kept)]
    for path in sorted(path for path in kept.rglob("*.nb?") if path.is_file()):
        # Numba reads kernels only from a folder that it can write to: it gets links in one.
        told += ["--symlink", f"{KEPT}/{path.relative_to(kept)}", str(path)]
    for name, value in _environment(kept).items():
        told += ["--setenv", name, value]
    return [*told, "--remount-ro", "/dev", "--remount-ro", "/", "--"]


def _seen():
    """Return the paths of the system, of Python and of the packages, each as a link shows it."""
    own = [Path(package.__file__).parent for package in (perfkit, studies)]
    data = own[0].parent / "data"
    paths = [*map(Path, SYSTEM), Path(sys.base_prefix), Path(sys.prefix), *own, data]
    paths += [Path(sysconfig.get_path("purelib"))]
    paths = dict.fromkeys(str(path) for path in paths if path.exists())
    return [p for p in paths if not any(p.startswith(f"{other}/") for other in paths if other != p)]


def _environment(kept):
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/tmp",
        "PYTHONPATH": str(Path(perfkit.__file__).parents[1]),
        "LANG": "C.UTF-8",
        "MPLCONFIGDIR": "/tmp",
        "MPLBACKEND": "agg",
        "NUMBA_CACHE_DIR": str(kept.parent),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        GRADED: "1",
    }


class Stuck(Exception):
    """What was asked never came to an end, or ended Python; the sentence says which."""


class Session:
    """A copy's process: its cells run, and its functions called.

    Parameters
    ----------
    prefix : list of str
        The sandbox's command; empty where a teacher chose to trust all copies.
    """

    def __init__(self, prefix, limit_s):
        self.prefix, self.limit_s, self.process = prefix, limit_s, None
        self.broken, self.cells, self.end_s = {}, [], time.monotonic() + COPY_LIMIT_S

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end()

    def run(self, cells):
        """Run (identity, source, names) of each cell; return an answer by identity.

        A cell that never ends, or ends Python, is left out, and the others are run anew.
        """
        self.cells = list(cells)
        while True:
            try:
                return self._run_all()
            except Stuck as stuck:
                self.broken[self.at] = str(stuck)

    def call(self, identity, name, arguments, limit_s):
        """Return (failed, value) of a function that a cell defined."""
        if self.process is None and time.monotonic() < self.end_s:
            self.run(self.cells)
        if self.process is None:
            return True, f"{name} was not called: this copy took too long."
        asked = ("call", identity, name, list(arguments), limit_s)
        try:
            failed, value = self._ask(asked, limit_s + SLACK_S)
        except (Stuck, TypeError, ValueError):
            return True, f"{name} ended the process that it ran in, or never came to an end."
        return bool(failed), value

    def _run_all(self):
        self._start()
        found, stuck = {}, 0
        for identity, source, names in self.cells:
            self.at, why = identity, self.broken.get(identity, "")
            stuck += bool(why)
            if not why and (stuck > MOST_STUCK or time.monotonic() > self.end_s):
                why = TOO_MANY
            if why:
                found[identity] = {"outputs": [], "failed": why, "values": {}}
            else:
                told = self._ask(("cell", identity, source, list(names)), self.limit_s)
                found[identity] = _checked(told)
        return found

    def _start(self):
        self._end()
        self.room = COPY_BYTES
        code = "from studies.labs.inside import main; main()"
        environment = None if self.prefix else {**os.environ, **{GRADED: "1"}}
        self.process = subprocess.Popen(
            [*self.prefix, sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/",
        )
        try:
            self._receive(START_S)
        except Stuck:
            raise RuntimeError("the sandbox did not start") from None

    def _end(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None

    def _ask(self, request, limit_s):
        try:
            self.process.stdin.write(plain.dumps(request))
            self.process.stdin.flush()
        except OSError:
            self._fail("ended Python.")
        return self._receive(max(0.0, min(limit_s, self.end_s - time.monotonic())))

    def _receive(self, limit_s):
        """Return the next line's value; the process is ended when it takes too long or too much."""
        end, line, pipe = time.monotonic() + limit_s, bytearray(), self.process.stdout
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([pipe], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                self._fail(f"was stopped after {limit_s:.0f} s: look for a loop that never ends.")
            part = os.read(pipe.fileno(), 2**20)
            line += part
            if not part or len(line) > self.room:
                self._fail("ended Python." if not part else "returned too much.")
        self.room -= len(line)
        try:
            return plain.loads(bytes(line))
        except ValueError:
            self._fail("ended Python.")

    def _fail(self, why):
        self._end()
        raise Stuck(f"This cell {why}")


def _checked(told):
    """Return a cell's answer with the parts that it must have, whatever was sent."""
    told = told if isinstance(told, dict) else {}
    outputs = told.get("outputs")
    outputs = outputs if isinstance(outputs, list) else []
    good = [
        (kind, data)
        for kind, data in (one for one in outputs if isinstance(one, tuple) and len(one) == 2)
        if kind in ("text", "png") and isinstance(data, str) and len(data) <= MOST_LETTERS
    ]
    values = told.get("values")
    values = values if isinstance(values, dict) else {}
    values = {k: v for k, v in values.items() if isinstance(v, tuple) and len(v) == 2}
    good = good[: MOST_PICTURES + 1]
    return {"outputs": good, "failed": str(told.get("failed") or "")[:500], "values": values}
