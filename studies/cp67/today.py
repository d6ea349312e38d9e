"""The same rules on today's devices: no seek, many channels, fast processors, a lot of memory."""

import pandas as pd

from perfkit.methods import switching
from perfkit.runs import what_if
from perfkit.runs.experiment import interval
from perfkit.systems.cp67 import Parameters, simulate
from studies.cp67.runs import REPLACEMENT, busy_hour, observe_days, versions_of

FASTER, MORE_USERS, MORE_MEMORY, MOST_FRAMES = 100.0, 50.0, 1000, 100_000
SPAN_S, SWITCHED_EVERY = 30.0, 2
SHORTER = (
    *("task_ms", "sio_interval_ms", "t1_ms", "t2_ms", "quantum_ms"),
    *("fault_ms", "write_ms", "sio_ms", "queue_ms", "benchmark_cpu_ms"),
)
OFTENER = ("hottest_per_ms", "coldest_per_ms", "drift_per_ms", "benchmark_touch_per_ms")
SOLID_STATE = {  # a page or a record in 0.1 ms, no seek, 64 channels for files
    "drum_revolution_ms": 0.5,
    "disc_revolution_ms": 0.8,
    "disc_seek_ms": (0.0, 0.0, 0.0),
    "discs": 64,
}
PROBE = {  # work on one page each second, so that it does not burden a machine that thrashes
    "observation_wait_s": (1,) * 19,
    "benchmark_cpu_ms": (0.01,) * 4,
    "benchmark_sios": (0,) * 4,
    "benchmark_pages": (1,) * 4,
    "io_routine_pages": 0,
}


def times(value, factor):
    """Return a number, or each of a tuple, multiplied."""
    return tuple(factor * v for v in value) if isinstance(value, tuple) else factor * value


def machines(**changes):
    """Return machines from 1973's to today's by name, each with what the one before has."""
    then = busy_hour(Parameters(**changes))
    solid = then.replace(**SOLID_STATE)
    quick = {name: times(getattr(solid, name), 1.0 / FASTER) for name in SHORTER}
    quick |= {name: times(getattr(solid, name), FASTER) for name in OFTENER}
    fast = solid.replace(**quick)
    crowd = fast.replace(users=MORE_USERS * fast.users, measured_s=SPAN_S)
    return {
        "1973": then,
        "no seek, 64 channels": solid,
        "processor 100 times as fast": fast,
        "50 times the users": crowd,
        "1000 times the memory": crowd.replace(frames=min(MORE_MEMORY * then.frames, MOST_FRAMES)),
    }


def compared(repetitions, seed=0, **changes):
    """Return what either algorithm does on each machine, over the same users.

    One row per machine: page reads per second and users in queue under Algorithm 2, problem
    state time under each algorithm, and its gain in percent with its 95 % half-width.
    """
    rows = {}
    for name, machine in machines(**changes).items():
        both = {"first": {"algorithm": 1}, "second": {"algorithm": 2}}
        runs = what_if.run(simulate, machine, both, repetitions, seed=seed, progress=False)
        means = runs.groupby("variant").mean(numeric_only=True)
        gain = what_if.differences(runs, "user_percent", percent=True)["second"].round(6)
        rows[name] = {
            "page reads (per s)": means.loc["second", "page_reads_per_s"],
            "users in queue": means.loc["second", ["q1_users", "q2_users"]].sum(),
            "problem state, 1 (%)": means.loc["first", "user_percent"],
            "problem state, 2 (%)": means.loc["second", "user_percent"],
            "gain": interval(gain),
        }
    return pd.DataFrame(rows).T


def switched(repetitions, seed=0, **changes):
    """Return half minutes of the crowded machine with the algorithms switched on line.

    As ``observe_days``, but for the first observation after each switch.
    """
    machine = machines(**changes)["50 times the users"].replace(**PROBE)
    versions, _ = versions_of(REPLACEMENT)
    options = {"versions": versions, "batch": SWITCHED_EVERY}
    return switching.settled(observe_days(machine, repetitions, seed, **options))
