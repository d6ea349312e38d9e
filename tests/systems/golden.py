"""Runs whose results are frozen to the last bit; run as a module it prints their hashes.

A number moves only where a defect is mended or an issue asks for it; the changelog says which
and why, and ``python -m tests.systems.golden --write cp67`` freezes one system's results anew.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

import numpy as np

from perfkit.systems import cp67, emas, sim61, tss360, unix_v6

FILE = Path(__file__).with_name("golden.json")
EVENTS = 1000


@unix_v6.victim_policy
def first_in_table(processes, wanted, minimum_time_out_s, minimum_time_in_s):
    for p in range(2, processes.size):
        if processes[p].loaded == 1 and processes[p].locked == 0:
            return p
    return -1


@sim61.fault_policy
def straight(page, working_set, compute_ms, alpha):
    return compute_ms * page / working_set


@cp67.replacement_policy
def oldest_in_queue_2(referenced, in_queue, trip, resident_ms, queue):
    if in_queue == 1 and queue == 1 and trip == 0:
        return 1
    return 2 if referenced == 1 else 0


@emas.core_queue_policy
def last_first(waits_ms, weights):
    for queue in range(4, -1, -1):
        if waits_ms[queue] >= 0.0:
            return queue
    return -1


@tss360.entrance_policy
def two_at_most(limit_pages, available_pages, dispatchable):
    return dispatchable < 2 and limit_pages < available_pages


def unix_v6_runs():
    p = unix_v6.Parameters()
    for seed in range(3):
        yield f"seed {seed}", unix_v6.simulate(p, seed, trace=EVENTS)
    two_paths = p.replace(controllers=2, discipline="SSTF")
    yield "two paths", unix_v6.simulate(two_paths, trace=EVENTS)
    yield "own victim", unix_v6.simulate(p, victim=first_in_table, trace=EVENTS)
    versions = [{"minimum_time_in_s": 2.0}, {"minimum_time_in_s": 10.0}]
    yield "switched", unix_v6.observe(p, 0, versions=versions, order=[0, 1] * 4, period_s=60.0)


def sim61_runs():
    p = sim61.Parameters()
    for seed in range(3):
        yield f"seed {seed}", sim61.simulate(p, seed, trace=EVENTS)
    n_to_1 = sim61.n_to_1_parameters()
    yield "n to 1", sim61.simulate(n_to_1, load=sim61.n_to_1_load(), trace=EVENTS)
    yield "own fault curve", sim61.simulate(p, fault=straight, trace=EVENTS)


def cp67_runs():
    p = cp67.Parameters(measured_s=7200.0)
    for seed in range(2):
        yield f"seed {seed}", cp67.simulate(p, seed, trace=EVENTS)
    versions = [{"algorithm": 1}, {"algorithm": 2}]
    yield "switched", cp67.simulate(p, versions=versions, order=[0, 1], trace=EVENTS)
    yield "own replacement", cp67.simulate(p, replacement=oldest_in_queue_2, trace=EVENTS)


def emas_runs():
    p = emas.Parameters(settle_s=600.0, measured_s=1800.0)
    for seed in range(2):
        yield f"seed {seed}", emas.simulate(p, seed, trace=EVENTS)
    small = emas.configuration_a(settle_s=600.0, measured_s=1800.0)
    yield "configuration A", emas.simulate(small, trace=EVENTS)
    yield "own core queue", emas.simulate(small, core_queue=last_first, trace=EVENTS)


def tss360_runs():
    p = tss360.Parameters()
    for seed in range(2):
        yield f"seed {seed}", tss360.simulate(p, seed, trace=EVENTS)
    changed = p.replace(schedule="new", replacement="new")
    yield "both changes", tss360.simulate(changed, trace=EVENTS)
    yield "own entrance", tss360.simulate(p, entrance=two_at_most, trace=EVENTS)


RUNS = {
    "unix_v6": unix_v6_runs,
    "sim61": sim61_runs,
    "cp67": cp67_runs,
    "emas": emas_runs,
    "tss360": tss360_runs,
}


def of_result(result):
    """Return what is frozen of a result: its measures, and a hash of its trace's records."""
    if isinstance(result, np.ndarray):
        return {"records": _hash(result)}
    measures = {name: float(value) for name, value in result.measures().items()}
    return {**measures, "trace": _hash(result.trace)}


def _hash(records):
    return hashlib.sha256(np.ascontiguousarray(records).tobytes()).hexdigest()


def of_system(key):
    """Return what is frozen of a system's runs, by name."""
    return {name: of_result(result) for name, result in RUNS[key]()}


def hashes(found):
    """Return a line with a short hash for each system's frozen results."""
    return [
        f"{key} {hashlib.sha256(json.dumps(runs).encode()).hexdigest()[:16]}"
        for key, runs in found.items()
    ]


if __name__ == "__main__":
    os.environ["PERFKIT_MEMO"] = "off"  # frozen results are of runs that are made
    keys = [word for word in sys.argv[1:] if word != "--write"] or RUNS
    if unknown := set(keys) - set(RUNS):
        sys.exit(f"There is no system {', '.join(unknown)}; the systems are {', '.join(RUNS)}.")
    found = {key: of_system(key) for key in keys}
    if "--write" in sys.argv:
        FILE.write_text(json.dumps(json.loads(FILE.read_text()) | found, indent=1) + "\n")
    print(*hashes(found), sep="\n")
