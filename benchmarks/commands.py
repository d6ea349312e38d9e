"""How long people wait for the repository's commands: the first time in a fresh clone, then again.

``python -m benchmarks.commands`` takes an hour or two, alone on the machine; words name fewer of
COMMANDS: ``python -m benchmarks.commands quick site``. Each begins with no kernel and no run kept.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.figures import print_ratio, run_seconds

COMMANDS = {  # the target, and the goals in seconds of the first time and the second
    "quick": (["reproduce", "QUICK=1"], (180, 90)),
    "reproduce": (["reproduce"], (420, 180)),
    "test": (["test"], (600, 240)),
    "site": (["site"], (180, 30)),
}
ENVIRONMENTS = [".venv/ready", ".venv/site"]


def make_s(place, words, kept):
    """Return the wall time of a target of the Makefile in a clone; one that fails ends the run."""
    environment = os.environ | {"XDG_CACHE_HOME": kept}
    began = time.perf_counter()
    heard = {"capture_output": True, "text": True}
    made = subprocess.run(["make", *words], cwd=place, env=environment, **heard)
    taken_s = run_seconds(" ".join(words), time.perf_counter() - began)
    if made.returncode:
        last = (made.stdout + made.stderr).splitlines()[-10:]
        sys.exit("\n".join([f"make {' '.join(words)} failed; its last words:", *last]))
    return taken_s


def main(names):
    """Print the times of the commands named, or of all, beside their goals."""
    odd = [name for name in names if name not in COMMANDS]
    if odd:
        sys.exit(f"There is no command '{odd[0]}' here; there are {', '.join(COMMANDS)}.")
    with tempfile.TemporaryDirectory() as clone:
        root = Path(__file__).resolve().parents[1]
        subprocess.run(["git", "clone", "-q", root, clone], check=True)
        for name in ENVIRONMENTS:
            print(f"make {name}, s {make_s(clone, [name], clone):.0f}")
        for name in names or COMMANDS:
            words, goals_s = COMMANDS[name]
            with tempfile.TemporaryDirectory() as kept:
                for when, goal_s in zip(("first", "second"), goals_s, strict=True):
                    taken_s = make_s(clone, words, kept)
                    label = f"make {' '.join(words)}, {when} time, s"
                    print_ratio(label, taken_s, f"at most {goal_s}", taken_s <= goal_s)


if __name__ == "__main__":
    main(sys.argv[1:])
