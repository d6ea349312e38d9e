"""Time a run of each system: as a whole, beside its event loop, on two threads, against a checkout.

Run ``python -m benchmarks.systems`` from the repository's root. With a folder behind it, a checkout
of another commit, both take turns, and the ratios of their times are printed, the processor's.
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Long enough to be typical: two hours of cp67's day, half an hour of emas.
CHANGES = {"unix_v6": {}, "sim61": {}, "cp67": {"measured_s": 7200.0}}
CHANGES |= {"emas": {"measured_s": 1800.0}, "tss360": {}}
FASTER = {"unix_v6": 1.25, "sim61": 1.4, "cp67": 1.25, "emas": 1.25, "tss360": 1.25}
MOST_OUTSIDE, LEAST_GAIN = 0.10, 1.85
RUNS, ROUNDS, THREAD_RUNS = 7, 3, 24


def timed(key, runs=RUNS):
    """Return the median seconds of a run of a system, and of what it spends beside its loop."""
    system = importlib.import_module(f"perfkit.systems.{key}")
    loop = importlib.import_module(f"perfkit.systems.{key}.run").LOOP
    parameters, inside, compiled = system.Parameters(**CHANGES[key]), [], loop._loop

    def watched(machine):
        run = compiled(machine)

        def call(*given):
            start = time.thread_time()
            run(*given)
            inside.append(time.thread_time() - start)

        return call

    system.simulate(parameters, 0)
    loop._loop = watched
    taken, outside = [], []
    for seed in range(runs):
        inside.clear()
        start = time.thread_time()
        system.simulate(parameters, seed)
        taken.append(time.thread_time() - start)
        outside.append(taken[-1] - sum(inside))
    loop._loop = compiled
    return statistics.median(taken), statistics.median(outside)


def two_threads(key="unix_v6", runs=THREAD_RUNS):
    """Return how many times as fast two threads are as one, by the clock on the wall."""
    system = importlib.import_module(f"perfkit.systems.{key}")
    parameters, gains = system.Parameters(**CHANGES[key]), []
    for _ in range(ROUNDS):
        seconds = []
        for threads in (1, 2):
            start = time.perf_counter()
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda seed: system.simulate(parameters, seed), range(runs)))
            seconds.append(time.perf_counter() - start)
        gains.append(seconds[0] / seconds[1])
    return statistics.median(gains)


def elsewhere(folder):
    """Return the same seconds of each system as a checkout in a folder takes them."""
    own = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, __file__, "--seconds"]
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main(other=None):
    """Print each figure beside its goal."""
    # Here, for with --seconds this file runs beside another checkout's benchmarks.
    from benchmarks.figures import print_ratio

    for key in CHANGES:
        seconds, outside = timed(key)
        share = outside / seconds
        name = f"{key}, a run of {1e3 * seconds:.1f} ms: share outside"
        print_ratio(name, share, f"at most {MOST_OUTSIDE}", share <= MOST_OUTSIDE)
    gain = two_threads()
    print_ratio("two threads over one", gain, f"at least {LEAST_GAIN}", gain >= LEAST_GAIN, 3)
    if other:
        pairs = [(elsewhere(ROOT), elsewhere(other)) for _ in range(ROUNDS)]
        for key, least in FASTER.items():
            ratio = statistics.median(there[key] / here[key] for here, there in pairs)
            name = f"{key}, times as fast as the other"
            print_ratio(name, ratio, f"at least {least}", ratio >= least)


if __name__ == "__main__":
    if sys.argv[1:] == ["--seconds"]:
        print(json.dumps({key: timed(key)[0] for key in CHANGES}))
    else:
        main(*sys.argv[1:])
