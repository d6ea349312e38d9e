"""Time a run of each system as WebAssembly in Node, beside the same run here.

Run ``python -m benchmarks.wasm build/wasm`` from the repository's root, after
``python -m tools.wasm.build build/wasm``.
"""

import importlib
import statistics
import sys
from pathlib import Path

from benchmarks.figures import print_ratio
from benchmarks.systems import CHANGES, RUNS, timed
from tools.wasm.calls import run_in_node

MOST_SLOWER = 1.5


def main(folder):
    """Print each system's ratio beside the goal, once Node has optimised a module's code."""
    for key, changes in CHANGES.items():
        p = importlib.import_module(f"perfkit.systems.{key}").Parameters(**changes)
        runs = [(p, seed, {}) for seed in [*range(RUNS)] * 10]
        found = run_in_node(Path(folder) / f"{key}.wasm", key, runs)
        slower = statistics.median(one["ms"] for one in found[-RUNS:]) / (1e3 * timed(key)[0])
        name = f"{key}, time in Node over time here"
        print_ratio(name, slower, f"at most {MOST_SLOWER}", slower <= MOST_SLOWER)


if __name__ == "__main__":
    main(*sys.argv[1:])
