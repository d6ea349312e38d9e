"""What holds of every system: it equals its own uncompiled run, and says what it is and refuses."""

import inspect
import json
import os
import re
import subprocess
import sys
from functools import cache
from typing import get_type_hints

import numpy as np
import pytest

from perfkit.systems import cp67, emas, sim61, tss360, unix_v6
from studies import STUDIES

SHORT = {
    "unix_v6": {"interactions": 3},
    "sim61": {"settle_s": 2.0, "measured_s": 10.0},
    "cp67": {"measured_s": 900.0},
    "emas": {"settle_s": 10.0, "measured_s": 30.0, "trace_record_us": 0.0},
    "tss360": {"settle_s": 60.0, "measured_s": 60.0},
}
TRACED = 10


def unix_v6_cases():
    small = {"processes": 5, "process_clicks": (314,), "interactions": 8}
    changed = {"compute_ms": 354, "memory_clicks": 1000, "file_blocks": 8, "sequential_share": 0.5}
    sought = {"discipline": "SSTF", "overlapped_seeks": True, "write_behind": False}
    sought |= {"swap_drive": 2, "sleep_wakes_all": True}
    for changes in ({}, {"discipline": "FCFS", "controllers": 2}, sought, changed):
        yield small | changes, {}


def sim61_cases():
    short = {"settle_s": 5.0, "measured_s": 25.0}
    shorter = {"settle_s": 1.0, "measured_s": 4.0}
    discs = {"memory_pages": 128, "paging_devices": ("8580", "8580")}
    for changes in ({}, discs, {"paging_devices": ("LAM",), "window_algorithm": False}):
        yield shorter | changes, {}
    small = {"memory_pages": 64, "supervisor_pages": 31, "processor_add_us": 8.88}
    small |= {"activations_per_batch": 1, "compute_bound_ms": 40.0}
    yield short | small, {"load": sim61.n_to_1_load()}


def cp67_cases():
    busy = {"measured_s": 8.0, "users": 20.0, "think_s": 12.0, "swing": 0.0, "day_users_sd": 0.0}
    busy |= {"observation_wait_s": (1,) * 19, "benchmark_cpu_ms": (1, 26, 56, 69)}
    busy |= {"benchmark_sios": (0, 4, 11, 0), "task_ms": 100.0}
    yield (
        busy | {"measured_s": 15.0},
        {"versions": [{"algorithm": 1}, {"algorithm": 2}], "order": [0, 1]},
    )
    tight = {"frames": 80, "q1_needs_room": True}
    by_resident = {"estimator": "resident", "io_wait": "to_q1"}
    yield busy | tight, {"versions": [{"estimator": "bits"}, by_resident], "order": [0, 1]}
    other = {"benchmarks_as_one_task": True, "charged_share": 0.1}
    other |= {"head_blocks": False, "drum_shortest_latency": False}
    to_candidates = {"io_wait": "to_candidates", "dusetimr_priority": 98}
    yield busy | other, {"versions": [{"estimator": "fixed"}, to_candidates], "order": [0, 1]}


def emas_cases():
    from tests.systems.test_emas import BUSY

    table = emas.category_table()
    table["core_pages"] -= 8
    for changes in (
        {},
        {"prepaging": False, "demand_order": "first", "drums": 1, "frames": 70},
        {"batch_processes": 2, "over_allocation_pages": 0, "drum_set_up_ms": 0.0},
        {"drum_queues": "drum", "preloads_at_once": 10**6, "late_users": 5},
    ):
        yield BUSY | {"measured_s": 8.0} | changes, {"categories": table}


def tss360_cases():
    short = {"settle_s": 0.0, "measured_s": 60.0, "think_s": 8.0, "users": 4.0}
    yield short, {}
    new = {"schedule": "new", "replacement": "new", "users": 9.0, "nonconversational_tasks": 1}
    yield short | new | {"session_min": 3.0, "reuse": "cyclic"}, {}


CASES = {
    "unix_v6": unix_v6_cases,
    "sim61": sim61_cases,
    "cp67": cp67_cases,
    "emas": emas_cases,
    "tss360": tss360_cases,
}


def told(key):
    """Return what the runs of a system tell, a line for the measures, each table and each event."""
    system = STUDIES[key].module()
    for values, given in CASES[key]():
        result = system.simulate(system.Parameters(**values), 3, trace=200_000, **given)
        for part in (result.measures(), result.tables, *result.trace.tolist()):
            yield json.dumps(part, default=lambda array: array.tolist())


@pytest.mark.parametrize("key", CASES)
def test_compiled_runs_equal_plain_python_event_by_event(key):
    plain = subprocess.run(
        [sys.executable, "-m", "tests.systems.test_all", key],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    compiled = list(told(key))
    assert len(compiled) == len(plain) > 4000
    assert [both for both in zip(compiled, plain, strict=True) if both[0] != both[1]][:1] == []


@cache
def run(key, trace=TRACED):
    system = STUDIES[key].module()
    return system.simulate(system.Parameters(**SHORT[key]), 1, trace=trace)


@pytest.mark.parametrize("key", SHORT)
def test_a_full_trace_stops_says_so_and_changes_nothing(key):
    full, none = run(key), run(key, 0)
    assert full.trace.size == TRACED and none.trace.size == 0
    assert full.values["trace_full"] == 1
    assert set(full.trace_frame()["kind"]) <= {kind.name.lower() for kind in full.EVENTS}
    np.testing.assert_equal(full.measures(), none.measures() | {"trace_full": 1})


@pytest.mark.parametrize("key", SHORT)
def test_each_measure_is_an_attribute_which_no_method_hides(key):
    result = run(key)
    seen = {name: getattr(result, name) for name in result.MEASURES}
    np.testing.assert_equal(seen, result.values)


@pytest.mark.parametrize("key", STUDIES)
def test_simulate_says_the_types_of_what_it_takes_and_returns(key):
    simulate = STUDIES[key].module().simulate
    types = get_type_hints(simulate)
    assert set(types) == {*inspect.signature(simulate).parameters, "return"}
    assert types["return"] is type(simulate(STUDIES[key].module().Parameters(**SHORT[key])))


@pytest.mark.parametrize("key", SHORT)
def test_a_result_says_what_it_is_and_is_drawn(key):
    result, system = run(key), STUDIES[key].module()
    assert list(system.MEASURES) == list(result.measures())
    bad = [told for told in system.MEASURES.values() if not re.fullmatch(r".{0,57}[^.]", told)]
    assert not bad, "A measure's meaning has 1 to 58 characters and no full stop."
    shown = repr(result)
    assert shown.startswith("Result(seed=1, ") and "\n" not in shown and len(shown) < 500
    assert result.plot().has_data()
    for old, new in result.renamed.items():
        with pytest.raises(AttributeError, match=f"{old}'; it is called {new}"):
            getattr(result, old)
    assert set(system.__all__) >= {"MEASURES", "Parameters", "Result", "simulate"}


LARGE = [
    (unix_v6, "elapsed_s", 1, {"processes": 50, "interactions": 4, "file_blocks": 8}, {}),
    (sim61, "interactions", 400, {"memory_pages": 4096, "supervisor_pages": 768, "user_discs": 32}
     | {"paging_devices": ("8567",) * 16, "user_channels": 16, "processor_add_us": 0.14},
     {"load": sim61.backing_store_load().assign(tasks=lambda classes: 16 * classes["tasks"])}),
    (cp67, "tasks_ended", 2000, {"users": 350.0, "frames": 1000, "discs": 80, "task_ms": 30.0}
     | {"drum_revolution_ms": 1.75, "fault_ms": 0.5, "sio_ms": 0.5, "measured_s": 300.0}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("system", "measure", "least", "changes", "given"), LARGE)
def test_ten_times_the_users_on_so_much_larger_a_machine_run(
    system, measure, least, changes, given
):
    p = system.Parameters(**SHORT[system.__name__.split(".")[-1]] | changes)
    assert least < system.simulate(p, 1, **given).measures()[measure] < np.inf


FAILED = r"policy '<lambda>' failed with ZeroDivisionError"


@pytest.mark.parametrize(
    ("system", "name", "rule", "said"),
    [
        (unix_v6, "victim", lambda processes, wanted, out_s, in_s: 1 // int(wanted - wanted),
         FAILED),
        (unix_v6, "victim", lambda processes, wanted, out_s, in_s: 0, "not in core"),
        (sim61, "fault", lambda page, pages, compute_ms, alpha: 1.0 // int(page - page), FAILED),
        (sim61, "fault", lambda page, pages, compute_ms, alpha: -1.0 * page, "negative or falls"),
        (sim61, "activation", lambda waiting, batch, active, counted, n: 1 // int(batch - batch),
         FAILED),
        (sim61, "activation", lambda interactive, batch, active, counted, n: 7, "-1, 0"),
        (cp67, "replacement", lambda used, inside, trip, held_ms, queue: 1 // int(queue - queue),
         FAILED),
        (cp67, "replacement", lambda used, inside, trip, held_ms, queue: 7, r"must say 0 \(take"),
        (cp67, "replacement", lambda used, inside, trip, held_ms, queue: 1, r"must say 0 \(take"),
        (emas, "core_queue", lambda waits_ms, weights: 1 // int(weights[0] - weights[0]), FAILED),
        (emas, "core_queue", lambda waits_ms, weights: 4, "must say -1, or one of the queues"),
        (tss360, "entrance", lambda pages, available, n: 1 // int(pages - pages) > 0, FAILED),
    ],
)  # fmt: skip
def test_a_plain_function_is_refused_and_a_policy_that_fails_stops_the_run_with_a_sentence(
    system, name, rule, said
):
    p = system.Parameters(**SHORT[system.__name__.split(".")[-1]])
    with pytest.raises(TypeError, match=f"@{name}_policy"):
        system.simulate(p, **{name: rule})
    with pytest.raises(RuntimeError, match=said):
        system.simulate(p, **{name: getattr(system, f"{name}_policy")(rule)})


def loads_all(processes, wanted, minimum_time_out_s, minimum_time_in_s):
    processes[1].loaded = True
    return -1


def weights_set(waits_ms, weights):
    weights[0] = 9.0
    return 0


@pytest.mark.parametrize(
    ("system", "name", "rule"), [(unix_v6, "victim", loads_all), (emas, "core_queue", weights_set)]
)
def test_a_policy_that_writes_to_what_it_is_given_is_refused(system, name, rule):
    with pytest.raises((TypeError, RuntimeError), match=r"it writes to what|read-only"):
        system.simulate(**{name: getattr(system, f"{name}_policy")(rule)})


if __name__ == "__main__":
    for line in told(sys.argv[1]):
        print(line)
