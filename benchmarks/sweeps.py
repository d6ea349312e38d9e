"""What a sweep costs beyond its runs, what workers gain, and that memory does not grow.

Each figure is a ratio of two times of this run. Peak memory is that of fresh processes.
"""

import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

from benchmarks.figures import ImpossibleFigure, possible
from perfkit.experiment import Asked, collected, sweep
from perfkit.systems.unix_v6 import Parameters, simulate

RUNS = 10_000
POINTS = 1_000
FEW, MANY = 1_000, 100_000
SHORT = {"processes": 1, "interactions": 1, "memory_clicks": 650}
DESIGN = pd.DataFrame({"memory_clicks": np.linspace(650, 2560, POINTS).astype(int)})


def plain_s(runs):
    """Return the seconds that the runs take one after the other, without a sweep."""
    started = time.perf_counter()
    for clicks in DESIGN["memory_clicks"]:
        parameters = Parameters(memory_clicks=int(clicks))
        for seed in range(runs // POINTS):
            simulate(parameters, seed)
    return time.perf_counter() - started


def sweep_s(runs, executor, jobs):
    """Return the seconds of a sweep over the same runs, workers started before."""
    where = {"executor": executor, "jobs": jobs, "progress": False}
    sweep(simulate, Parameters(), DESIGN[: 4 * jobs], 1, **where)
    started = time.perf_counter()
    found = sweep(simulate, Parameters(), DESIGN, runs // POINTS, **where)
    seconds = time.perf_counter() - started
    if len(found) != runs:
        raise ImpossibleFigure(f"A sweep of {runs} runs returned {len(found)}.")
    return seconds


def peak_mib(runs):
    """Return the peak memory of a fresh process that runs a sweep into a store."""
    words = [sys.executable, "-m", "benchmarks.sweeps", str(runs)]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def store_runs(runs):
    """Run short runs into a store, print this process's peak memory in MiB."""
    design = pd.DataFrame({"memory_clicks": np.full(runs // FEW, 650)})
    with tempfile.TemporaryDirectory() as folder:
        asked = Asked(simulate, Parameters(**SHORT), design, FEW, 0, {}, FEW, {})
        collected(asked, folder, progress=False)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0)


def main(runs=RUNS, many=MANY):
    """Print the ratios."""
    alone = plain_s(runs)
    one = sweep_s(runs, "threads", 1)
    two = sweep_s(runs, "threads", 2)
    workers = sweep_s(runs, "processes", 2)
    print(f"\n{runs:,} runs of unix_v6: {alone:.0f} s one after the other, {one:.0f} s as a sweep")
    overhead = one / alone - 1.0
    print(f"overhead of a sweep {overhead:.1%}   goal at most 10 %")
    for name, seconds, goal in (("two threads", two, 1.8), ("two processes", workers, 1.7)):
        gain = possible(f"The gain of {name}", one / seconds, 0.2, 2.2)
        print(f"gain of {name} {gain:.2f}   goal at least {goal}")
    grown = peak_mib(many) / peak_mib(FEW) - 1.0
    print(f"peak memory of {many:,} runs against {FEW:,}: {grown:+.1%}   goal at most 10 %")


if __name__ == "__main__":
    store_runs(int(sys.argv[1]))
