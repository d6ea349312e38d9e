"""The processor time of what people wait for before anything is simulated."""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from benchmarks.figures import run_seconds
from tools import kernels

COMPLETION = {"COMP_LINE": "perfkit show unix_v6 mem", "COMP_POINT": "24"}
STARTS = {
    "perfkit --help": (["-m", "perfkit", "--help"], {}, 0.2),
    "perfkit list": (["-m", "perfkit", "list"], {}, 0.6),
    "perfkit show unix_v6": (["-m", "perfkit", "show", "unix_v6"], {}, 1.3),
    "completion of a name": (["-m", "perfkit"], {"_ARGCOMPLETE": "1", **COMPLETION}, 0.4),
    "import of unix_v6": (["-c", "import perfkit.systems.unix_v6"], {}, 0.7),
}
ROUNDS = 5
FIRST_RUN = ["-P", "-c", "from perfkit.systems import sim61; sim61.simulate()"]


def cpu_s(words, variables):
    """Return the processor time of one start of Python, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    variables = {**os.environ, "_ARGCOMPLETE_STDOUT_FILENAME": os.devnull, **variables}
    subprocess.run([sys.executable, *words], env=variables, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_runs_s():
    """Return the processor time of a first run of sim61 with a wheel's kernels, and without."""
    with tempfile.TemporaryDirectory() as place:
        kernels.build(place, ["sim61"])
        for wheel in Path(place).glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(f"{place}/wheel")
        empty, wheel = {"NUMBA_CACHE_DIR": f"{place}/kept"}, {"PYTHONPATH": f"{place}/wheel"}
        cpu_s(FIRST_RUN, empty | wheel)  # leaves the wheel's modules as bytecode, as pip does
        return cpu_s(FIRST_RUN, empty | wheel), cpu_s(FIRST_RUN, empty)  # which keeps its own


def main():
    """Print each start's median, and the goal beside it."""
    print(f"\nStart-up, processor seconds, median of {ROUNDS} (goal)")
    for name, (words, variables, goal_s) in STARTS.items():
        taken_s = statistics.median(cpu_s(words, variables) for _ in range(ROUNDS))
        print(f"  {name:22} {run_seconds(name, taken_s):5.2f} ({goal_s})")
    shipped_s, compiled_s = (run_seconds("first run of sim61", x) for x in first_runs_s())
    print(f"  first run of sim61     {shipped_s:5.2f} (1.0) with a wheel's kernels")
    print(f"  first run of sim61     {compiled_s:5.2f} without")
