"""Check the three versions of the central-server network, then time them.

Run ``python -m benchmarks`` from the repository's root. No timing fails for being long. A
version that disagrees with exact mean value analysis, or a figure that no machine could give,
ends the run with status 1. With ``--quick`` only actors and sweeps are timed, and few of them.
"""

import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks import (
    actors,
    central_server,
    many_tasks,
    networks,
    panels,
    start_up,
    stores,
    sweeps,
    systems,
)
from benchmarks.central_server import CPU_S, CUSTOMERS, DISC_S, DISCS, P_THINK, THINK_S
from benchmarks.central_server_simpy import CentralServer
from benchmarks.figures import ImpossibleFigure, event_seconds, print_ratio
from perfkit.analytic.mva import solve_mva
from perfkit.systems import emas
from studies.emas.runs import TRACE_ROOM_PER_S
from studies.tss360 import runs as tss360_runs

FOLDER = Path(__file__).resolve().parent
CONFIDENCE = 0.99
ROUNDS = 7
WARM_EVENTS = 20_000
CHECK_EVENTS, CHECK_RUNS = 400_000, 20
SIMPY_WARM_S, SIMPY_CHECK_S, SIMPY_CHECK_RUNS = 100.0, 400.0, 8
TIMED_EVENTS = 3_000_000
SIMPY_TIMED_S = 400.0
QUICK_EVENTS, QUICK_RUNS, QUICK_SHORT = 100_000, 200, 3_000
STUDY_ROUNDS = 3


def exact_measures(customers=CUSTOMERS):
    """Return the exact CPU services a second and mean response in seconds."""
    visits = 1.0 / P_THINK
    disc_demand_s = (visits - 1.0) / DISCS * DISC_S
    solved = solve_mva([visits * CPU_S, *[disc_demand_s] * DISCS], customers, THINK_S)
    return solved.throughput * visits, solved.response_s


def measures(before, after):
    """Return CPU services a second and mean response between two states of the counts."""
    seconds, served, responses, response_s = np.subtract(after, before)
    return served / seconds, response_s / responses


def replicate_perfkit(seed, route=None):
    """Return the measures of one checked run on perfkit.des."""
    network = central_server.new_network(seed)
    central_server.run(network, WARM_EVENTS, route)
    before = central_server.counts(network)
    central_server.run(network, CHECK_EVENTS, route)
    return measures(before, central_server.counts(network))


def replicate_simpy(seed):
    """Return the measures of one checked run in SimPy."""
    network = CentralServer(seed)
    network.run(SIMPY_WARM_S)
    before = network.counts()
    network.run(SIMPY_CHECK_S)
    return measures(before, network.counts())


def run_cpp(program, seed, warm_events, events, *actors):
    """Run the C++ version; return its seconds and its counts over ``events`` events."""
    arguments = [str(program), *map(str, (seed, warm_events, events, *actors))]
    answer = subprocess.run(arguments, capture_output=True, text=True, check=True)
    taken_s, *counts = map(float, answer.stdout.split())
    return taken_s, counts


def replicate_cpp(program, seed):
    """Return the measures of one checked run in C++."""
    _, counts = run_cpp(program, seed, WARM_EVENTS, CHECK_EVENTS)
    return measures([0.0] * 4, counts)


def compile_cpp(folder):
    """Compile the C++ version into a folder; return the program, or None without g++."""
    if shutil.which("g++") is None:
        print("C++ skipped: there is no g++ here.")
        return None
    program = Path(folder) / "central_server"
    source = FOLDER / "central_server.cpp"
    flags = ["-std=c++17", "-O3", "-march=native"]
    answer = subprocess.run(
        ["g++", *flags, "-o", str(program), str(source)], capture_output=True, text=True
    )
    if answer.returncode:
        print(f"C++ skipped: g++ failed with {answer.stderr.strip().splitlines()[:1]}.")
        return None
    return program


def interval(samples):
    """Return the mean of independent samples and the half width of its interval."""
    quantile = stats.t.ppf(0.5 + CONFIDENCE / 2, len(samples) - 1)
    half = quantile * statistics.stdev(samples) / math.sqrt(len(samples))
    return statistics.fmean(samples), half


def check(versions):
    """Hold every version against exact MVA; return the names of those that miss it.

    Parameters
    ----------
    versions : dict
        By name, a function from a seed to measures, and how many runs to make.
    """
    names = ("CPU services/s", "response s")
    print(f"\nAgainst exact MVA, {CONFIDENCE:.0%} t intervals over independent runs, fixed seeds")
    print(f"{'version':24}{'measure':16}{'simulated':>10}  {'+-':>8}{'exact':>10}  inside")
    wrong = []
    for version, (replicate, runs) in versions.items():
        samples = zip(*[replicate(seed) for seed in range(1, runs + 1)], strict=True)
        for name, exact, sample in zip(names, exact_measures(), samples, strict=True):
            mean, half = interval(sample)
            inside = abs(mean - exact) <= half
            print(
                f"{version:24}{name:16}{mean:10.4f}  {half:8.4f}{exact:10.4f}"
                f"  {'yes' if inside else 'NO'}"
            )
            if not inside:
                wrong.append(f"{version} in {name}")
    return wrong


def time_perfkit(route=None):
    """Return seconds an event of one run on perfkit.des."""
    network = central_server.new_network(1)
    central_server.run(network, WARM_EVENTS, route)
    start = time.perf_counter()
    central_server.run(network, TIMED_EVENTS, route)
    return (time.perf_counter() - start) / TIMED_EVENTS


def time_simpy():
    """Return seconds an event of one run in SimPy."""
    network = CentralServer(1)
    network.run(SIMPY_WARM_S / 10)
    events = network.events
    start = time.perf_counter()
    network.run(SIMPY_TIMED_S)
    return (time.perf_counter() - start) / (network.events - events)


def time_cpp(program):
    """Return seconds an event of one run in C++, by its own clock."""
    return run_cpp(program, 1, WARM_EVENTS, TIMED_EVENTS)[0] / TIMED_EVENTS


def interleave(timers, rounds=ROUNDS):
    """Call every timer once a round, after one round that does not count.

    Returns
    -------
    dict
        By name, the seconds of each round.
    """
    taken = {name: [] for name in timers}
    for round_number in range(rounds + 1):
        for name, timer in timers.items():
            seconds = timer()
            if round_number:
                taken[name].append(seconds)
    return taken


def median_ratio(numerators, denominators):
    """Return the median over rounds of the ratio within a round."""
    pairs = zip(numerators, denominators, strict=True)
    return statistics.median(top / bottom for top, bottom in pairs)


def print_load():
    """Say how busy the machine was before the timings, where it tells."""
    if hasattr(os, "getloadavg"):
        print(
            f"\nThis machine has {os.cpu_count()} processors; the load of its last minute was"
            f" {os.getloadavg()[0]:.1f}, this run's own included. Any other load cuts what a"
            " second thread can gain."
        )


def compare(timers):
    """Time the versions interleaved and print speeds and ratios."""
    taken = interleave(timers)
    print(f"\nSpeed, median of {ROUNDS} interleaved rounds")
    print(f"{'version':24}{'million events/s':>18}{'ns an event':>14}")
    for name, seconds in taken.items():
        median = event_seconds(name, statistics.median(seconds))
        print(f"{name:24}{1e-6 / median:18.3f}{1e9 * median:14.1f}")
    print()
    built_in = taken["perfkit.des"]
    ratio = median_ratio(taken["SimPy"], built_in)
    print_ratio("speed over SimPy", ratio, "at least 200", ratio >= 200)
    if "C++" in taken:
        ratio = median_ratio(built_in, taken["C++"])
        print_ratio("time over C++", ratio, "at most 1.2", ratio <= 1.2)
    ratio = median_ratio(taken["perfkit.des, policy"], built_in)
    print_ratio("time with a policy over built-in routing", ratio, "at most 2", ratio <= 2)


def process_seconds(cache):
    """Return the wall time of a new process that imports unix_v6 and simulates once."""
    code = "from perfkit.systems import unix_v6; unix_v6.simulate()"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=FOLDER.parent, check=True)
    return time.perf_counter() - start


def time_processes(folder):
    """Time a process without any compiled kernel, and later ones."""
    cache = Path(folder) / "numba"
    cache.mkdir()
    cold = process_seconds(cache)
    later = statistics.median(process_seconds(cache) for _ in range(3))
    print_ratio("unix_v6, first process ever, s", cold, "at most 20", cold <= 20)
    print_ratio("unix_v6, a later process, s", later, "at most 1.2", later <= 1.2)


def experiment_seconds():
    """Return the seconds of the afternoons from which the 36 periods of tss360 are drawn."""
    start = time.perf_counter()
    cells = tss360_runs.simulate_cells(tss360_runs.DAYS)
    taken = time.perf_counter() - start
    periods = tss360_runs.cell_periods(cells).groupby(["cell", "day"]).size()
    assert (periods >= tss360_runs.PERIODS_A_DAY).all(), "An afternoon had too few periods."
    return taken


def session_seconds():
    """Return the seconds of a two-hour session of 30 users of emas, traced in full."""
    p = emas.Parameters(users=30, measured_s=7200.0)
    room = int(TRACE_ROOM_PER_S * (p.settle_s + p.measured_s))
    start = time.perf_counter()
    result = emas.simulate(p, trace=room)
    taken = time.perf_counter() - start
    assert not result.values["trace_full"], "The trace did not hold the session."
    return taken


def time_studies():
    """Time warm what the studies of tss360 and emas wait for."""
    timers = {
        "tss360, 36 periods of the 2x2 design, s": experiment_seconds,
        "emas, two hours of 30 users all traced, s": session_seconds,
    }
    for name, taken in interleave(timers, rounds=STUDY_ROUNDS).items():
        seconds = statistics.median(taken)
        print_ratio(name, seconds, "at most 5", seconds <= 5)


def time_panels():
    """Time a slider let go in each study's panel: the runs and the picture."""
    for key, seconds in panels.redraws().items():
        taken = statistics.median(seconds)
        print_ratio(f"{key}, a slider's redraw, s", taken, "at most 0.5", taken <= 0.5)


def time_actors(program, *events):
    """Time the alarm core alone, and that of C++ where there is one."""

    def timer(number, events):
        taken_s, (simulated_s,) = run_cpp(program, 1, events, events, number)
        return taken_s, simulated_s

    actors.main(timer if program else None, *events)


def quick():
    """Time little, to show that it works; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        time_actors(compile_cpp(folder), QUICK_EVENTS)
    sweeps.main(QUICK_RUNS, QUICK_SHORT)
    return 0


def main():
    """Check, time and report; return the exit status."""
    try:
        return quick() if sys.argv[1:] == ["--quick"] else report()
    except ImpossibleFigure as error:
        print(error, file=sys.stderr)
        return 1


def report():
    """Check and time; return 1 if a version is wrong, else 0."""
    route = central_server.uniform_routing()
    with tempfile.TemporaryDirectory() as folder:
        program = compile_cpp(folder)
        versions = {
            "perfkit.des": (replicate_perfkit, CHECK_RUNS),
            "perfkit.des, policy": (lambda seed: replicate_perfkit(seed, route), CHECK_RUNS),
            "SimPy": (replicate_simpy, SIMPY_CHECK_RUNS),
        }
        timers = {
            "perfkit.des": time_perfkit,
            "perfkit.des, policy": lambda: time_perfkit(route),
            "SimPy": time_simpy,
        }
        if program is not None:
            versions["C++"] = (lambda seed: replicate_cpp(program, seed), CHECK_RUNS)
            timers["C++"] = lambda: time_cpp(program)
        wrong = check(versions)
        if wrong:
            print(f"The simulations disagree with exact MVA: {', '.join(wrong)}.", file=sys.stderr)
            return 1
        print_load()
        start_up.main()
        compare(timers)
        time_processes(folder)
        systems.main()
        time_studies()
        time_panels()
        many_tasks.main()
        networks.main()
        time_actors(program)
        sweeps.main()
        stores.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
