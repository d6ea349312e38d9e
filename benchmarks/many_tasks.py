"""Time sim61 at its own load and at up to 157 times as many tasks, everything scaled.

Run ``python -m benchmarks.many_tasks`` from the repository's root. The cost of an event is that
of the compiled event loop, in processor time: machines are put together off the clock. A timing
fails only if it can't be.
"""

import math
import statistics
import sys
import time

from benchmarks.figures import ImpossibleFigure, event_seconds, possible, run_seconds
from perfkit.systems import sim61
from perfkit.systems.sim61.load import read_load
from perfkit.systems.sim61.run import LOOP
from perfkit.systems.sim61.state import new_machine

FACTORS = (1, 16, 157)
INTERACTIVE = 64
ROUNDS = 5
WARM_SHARE = 0.25
RCA_7_ADD_US = 2.25


def event_cost_s(parameters, load):
    """Return the seconds of an event in the event loop alone, of a machine that has run a while.

    The least of ROUNDS runs: what else the computer does, which empties caches, only adds.
    """
    classes, costs = read_load(load), []
    measured_ms = 1000.0 * parameters.measured_s
    warm_ms = WARM_SHARE * measured_ms
    for _ in range(ROUNDS):
        machine = new_machine(parameters, classes, 0, sim61.TABLE_2)
        LOOP.until(machine, warm_ms)
        events = machine.kernel.events
        start = time.thread_time()
        LOOP.until(machine, warm_ms + measured_ms)
        loop_s = time.thread_time() - start
        costs.append(loop_s / (machine.kernel.events - events))
    return event_seconds(f"{sum(c.tasks for c in classes)} tasks", min(costs))


def simulated_seconds(name, parameters):
    """Return the median time of whole runs, from parameters to a result."""
    taken, load = [], sim61.backing_store_load()
    for _ in range(ROUNDS):
        start = time.perf_counter()
        sim61.simulate(parameters, load=load)
        taken.append(time.perf_counter() - start)
    return run_seconds(name, statistics.median(taken))


def scaled(factor):
    """Return parameters with memory, devices and processor so many times as large or fast."""
    return sim61.Parameters(
        memory_pages=256 * factor,
        supervisor_pages=48 * factor,
        paging_devices=("8567",) * factor,
        user_discs=2 * factor,
        user_channels=factor,
        processor_add_us=RCA_7_ADD_US / factor,
        measured_s=300.0 / math.sqrt(factor),
    )


def main():
    """Print the time of a ten-minute run, and the cost of an event by number of tasks."""
    devices = ("8567", "LAM")
    runs = {d: simulated_seconds(d, sim61.Parameters(paging_devices=(d,))) for d in devices}
    times = ", ".join(f"{name} {1e3 * seconds:.0f} ms" for name, seconds in runs.items())
    print(f"\nsim61: a warm ten-minute run takes {times}   goal at most 50 ms")
    costs = {}
    for factor in FACTORS:
        load = sim61.backing_store_load()
        load["tasks"] *= factor
        costs[factor] = event_cost_s(scaled(factor), load)
        print(f"{INTERACTIVE * factor:6} interactive tasks {1e9 * costs[factor]:8.0f} ns an event")
    first, last = (math.log2(INTERACTIVE * factor) for factor in (FACTORS[0], FACTORS[-1]))
    growth = costs[FACTORS[-1]] / costs[FACTORS[0]]
    possible("The growth of an event's cost", growth, 0.5, FACTORS[-1])
    print(
        f"growth of an event's cost {growth:.1f}, of the logarithm of the tasks {last / first:.1f}"
    )


if __name__ == "__main__":
    try:
        main()
    except ImpossibleFigure as error:
        sys.exit(str(error))
