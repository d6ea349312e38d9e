"""Time sim61 at its own load and at up to 157 times as many tasks, everything scaled.

Run ``python -m benchmarks.many_tasks`` from the repository's root. A timing never fails.
"""

import math
import statistics
import time

from perfkit.systems import sim61

FACTORS = (1, 16, 157)
INTERACTIVE = 64
ROUNDS = 3
RCA_7_ADD_US = 2.25


def seconds(parameters, load):
    """Return the median time of a run, and the events that it handled."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        result = sim61.simulate(parameters, load=load)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken), result.counts["events"]


def scaled(factor, measured_s):
    """Return parameters with memory, devices and processor so many times as large or fast."""
    return sim61.Parameters(
        memory_pages=256 * factor,
        supervisor_pages=48 * factor,
        paging_devices=("8567",) * factor,
        user_discs=2 * factor,
        user_channels=factor,
        processor_add_us=RCA_7_ADD_US / factor,
        settle_s=0.0,
        measured_s=measured_s,
    )


def main():
    """Print the time of a ten-minute run, and the cost of an event by number of tasks."""
    whole_ms = {}
    for device in ("8567", "LAM"):
        p = sim61.Parameters(paging_devices=(device,))
        whole_ms[device] = 1e3 * seconds(p, sim61.backing_store_load())[0]
    times = ", ".join(f"{name} {ms:.0f} ms" for name, ms in whole_ms.items())
    print(f"\nsim61: a warm ten-minute run takes {times}   goal at most 50 ms")
    costs = {}
    for factor in FACTORS:
        load = sim61.backing_store_load()
        load["tasks"] *= factor
        assembly_s, _ = seconds(scaled(factor, 0.001), load)
        run_s, events = seconds(scaled(factor, 300.0 / math.sqrt(factor)), load)
        costs[factor] = 1e9 * (run_s - assembly_s) / events
        print(f"{INTERACTIVE * factor:6} interactive tasks {costs[factor]:8.0f} ns an event")
    first, last = (math.log2(INTERACTIVE * factor) for factor in (FACTORS[0], FACTORS[-1]))
    print(
        f"growth of an event's cost {costs[FACTORS[-1]] / costs[1]:.1f},"
        f" of the logarithm of the tasks {last / first:.1f}"
    )


if __name__ == "__main__":
    main()
