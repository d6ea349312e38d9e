"""What a store costs at scale: points made, rows written, rows read, and memory.

Rows are those of one short run, kept under 10,000 points with ten seeds each. Each figure is a
ratio of this run: of times to the time of plain reading, of peak memory to that of the frame.
"""

import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.figures import ImpossibleFigure, possible
from perfkit.runs.executors import Run
from perfkit.runs.experiment import Request, sweep
from perfkit.runs.store import Kept, what_is_run
from perfkit.systems.unix_v6 import Parameters, simulate

ROWS, PER_POINT, IN_BATCH, LARGE = 100_000, 10, 1_000, 1_000_000
SHORT = {"processes": 1, "interactions": 1, "memory_clicks": 650}


def design_of(rows):
    """Return as many machines as come to so many rows."""
    return pd.DataFrame({"line_characters_per_s": np.linspace(500.0, 1500.0, rows // PER_POINT)})


def timed(call):
    """Return the seconds of a call."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def written(folder, request):
    """Keep a row for each run that is asked for, as if it had been run."""
    parameters, design, seed = request.parameters, request.design, request.seed
    what = what_is_run(simulate, {}, parameters, design, seed)
    measures = simulate(parameters, seed).measures()
    kept = Kept(folder, what, {"system": "unix_v6", "points": len(design), "runs": 0})
    places = [(point, seed) for point in range(len(design)) for seed in range(PER_POINT)]
    for first in range(0, len(places), IN_BATCH):
        kept.keep([Run(*at, measures, None) for at in places[first : first + IN_BATCH]])
    kept.close()


def peak_mib():
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def main(rows=ROWS):
    """Print the ratios, and what a million rows would come to."""
    request = Request(simulate, Parameters(**SHORT), design_of(rows), PER_POINT, 0, {}, 1, {})
    simulate(request.parameters)  # compiled, off the clock
    with tempfile.TemporaryDirectory() as folder:
        points_s = timed(lambda: sum(1 for _ in request.points()))
        write_s = timed(lambda: written(folder, request))
        plain_s = timed(lambda: [pd.read_parquet(file) for file in Path(folder).rglob("batch-*")])
        before, started = peak_mib(), time.perf_counter()
        frame = sweep(*request[:3], PER_POINT, store=folder, progress=False)
        read_s, grown = time.perf_counter() - started, peak_mib() - before
    if len(frame) != rows:
        raise ImpossibleFigure(f"A store of {rows} rows gave {len(frame)}.")
    size, factor = frame.memory_usage().sum() / 2**20, LARGE / rows
    print(f"\n{rows:,} rows of a store, in brackets what {LARGE:,} would come to")
    for name, took in {"points made": points_s, "written": write_s, "read": read_s}.items():
        times = possible(f"The time of '{name}'", took / plain_s, 0.01, 1000.0)
        print(f"{name}: {times:.2f} of the time of plain reading ({factor * took:.0f} s)")
    print(f"memory of reading: {grown / size:.1f} of the frame ({factor * grown / 1024:.1f} GiB)")
