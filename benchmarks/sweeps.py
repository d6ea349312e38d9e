"""What a sweep costs beyond its runs, what workers gain, and that memory does not grow.

Each figure is a ratio of two times of this run; what a run costs beyond its event loop is told in
processor time, which other load hardly moves. Peak memory is that of fresh processes.
"""

import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

from benchmarks.figures import ImpossibleFigure, possible
from perfkit.runs.experiment import Request, collected, sweep
from perfkit.systems.unix_v6 import Parameters, simulate
from perfkit.systems.unix_v6.run import LOOP

RUNS, PER_POINT = 10_000, 10
FEW, MANY = 1_000, 100_000
SHORT = {"processes": 1, "interactions": 1, "memory_clicks": 650}


def design_of(runs):
    """Return machines that come to so many runs together."""
    clicks = np.linspace(650, 2560, runs // PER_POINT).astype(int)
    return pd.DataFrame({"memory_clicks": clicks})


def beside_loops(call):
    """Return the processor's seconds of a call, and those of the event loops within it."""
    until, loops_s = LOOP.until, []

    def timed(*given, **more):
        before = time.process_time()
        until(*given, **more)
        loops_s.append(time.process_time() - before)

    LOOP.until = timed
    started = time.process_time()
    try:
        call()
        return time.process_time() - started, sum(loops_s)
    finally:
        del LOOP.until


def plain(runs):
    """Simulate the runs one after the other, without a sweep."""
    for clicks in design_of(runs)["memory_clicks"]:
        parameters = Parameters(memory_clicks=int(clicks))
        for seed in range(PER_POINT):
            simulate(parameters, seed)


def sweep_s(runs, executor, jobs):
    """Return the seconds of a sweep over the same runs, workers started before."""
    where = {"executor": executor, "jobs": jobs, "progress": False}
    sweep(simulate, Parameters(), design_of(PER_POINT * jobs), 1, **where)
    started = time.perf_counter()
    found = sweep(simulate, Parameters(), design_of(runs), PER_POINT, **where)
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
        request = Request(simulate, Parameters(**SHORT), design, FEW, 0, {}, FEW, {})
        collected(request, folder, progress=False)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0)


def main(runs=RUNS, many=MANY):
    """Print the ratios."""
    one = sweep_s(runs, "threads", 1)
    two = sweep_s(runs, "threads", 2)
    workers = sweep_s(runs, "processes", 2)
    print(f"\n{runs:,} runs of unix_v6: {one:.0f} s as a sweep in one thread")
    for name, call in {
        "a run": lambda: plain(runs),
        "a run in a sweep": lambda: sweep_s(runs, "threads", 1),
    }.items():
        whole, loops = beside_loops(call)
        more = possible(f"The time of {name}", whole / loops, 1.0, 10.0) - 1.0
        print(
            f"{name}: {1e3 * (whole - loops) / runs:.2f} ms beside {1e3 * loops / runs:.2f} ms of"
            f" its event loop, {more:.1%} more   goal at most 10 %"
        )
    for name, seconds, goal in (("two threads", two, 1.8), ("two processes", workers, 1.7)):
        gain = possible(f"The gain of {name}", one / seconds, 0.2, 2.2)
        print(f"gain of {name} {gain:.2f}   goal at least {goal}")
    few = peak_mib(FEW)
    grown = peak_mib(many) / few - 1.0
    print(
        f"peak memory of {FEW:,} short runs {few:.0f} MiB, of {many:,} {grown:+.1%}"
        "   goal at most 10 %"
    )


if __name__ == "__main__":
    store_runs(int(sys.argv[1]))
