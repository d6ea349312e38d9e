"""EMAS against theory, where theory applies.

One command kind without output or further input, one shared page that never leaves core, no
supervisor time: terminals and one processor in short time slices. Processor sharing is
insensitive to the spread of the demand, so that exact mean value analysis holds whatever the
processor times' distribution.
"""

import numpy as np
import pytest

from perfkit.analytic.mva import solve_mva
from perfkit.methods import tracing
from perfkit.runs.experiment import interval
from perfkit.systems import emas
from tests.systems.test_emas_users import NO_WORK

CPU_S, THINK_S, RUNS = 0.5, 4.0, 12

NEUTRAL = emas.Parameters(
    **NO_WORK,
    frames=4000,
    base_pages=1,
    shared_reference_share=1.0,
    base_reference_share=1.0,
    shared_hold_s=np.inf,
    reference_ms=1e6,
    wake_references=0,
    time_slice_ms=1.0,
    penalty_s=np.inf,
    drum_hold_s=np.inf,
    consistency_s=np.inf,
    background_bursts_per_s=0.0,
    file_share=0.0,
    command_think_s=THINK_S,
    typing_characters_per_s=1e6,
    commands_per_session=500.0,
    log_on_cpu_s=0.001,
    log_on_gap_s=THINK_S,
    cpu_cv=(2.0, 2.0, 2.0, 2.0),
    settle_s=600.0,
    measured_s=3000.0,
)
LONE = NEUTRAL.replace(
    users=1,
    shared_reference_share=0.0,
    programme_pages=(40.0,) * 4,
    programme_pages_cv=0.0,
    locality_share=1000.0,
    reference_ms=7.3,
)
SILENT = {name: emas.CommandKind(1, CPU_S, 1.0, 1.0, 0.0, 0.0) for name in emas.KINDS}


def endless(**changes):
    """Categories whose processor time never overruns and that are never compacted."""
    table = emas.category_table()
    return table.assign(cpu_s=1e9, compaction_s=1e9, **changes)


@pytest.mark.parametrize("users", [1, 4, 8, 14])
def test_throughput_is_that_of_mean_value_analysis(users):
    """Independent runs, fixed seeds; a false alarm in one of a hundred per case.

    And the utilization law holds on the runs' mean.
    """
    p = NEUTRAL.replace(users=users)
    runs = [emas.simulate(p, seed, kinds=SILENT, categories=endless()) for seed in range(RUNS)]
    mean, half_width = interval([r.commands / p.measured_s for r in runs], 0.99)
    exact = solve_mva([CPU_S], users, THINK_S).throughput
    assert abs(mean - exact) <= half_width + 0.005 * exact
    used_s = np.mean([r.user_percent for r in runs]) / 100.0 * p.measured_s
    assert used_s == pytest.approx(np.mean([r.session()["cpu_s"].sum() for r in runs]), rel=0.02)
    assert all(r.supervisor_percent == 0.0 for r in runs)


def trace_of_a_lone_user(**changes):
    """Return the parameters and the trace of a user's computing alone."""
    p = LONE.replace(**changes)
    r = emas.simulate(p, 2, kinds=SILENT, categories=endless(), trace=400_000)
    return p, tracing.Trace.of(r, emas.Event).between(p.settle_s)


def test_a_lone_demand_takes_half_a_revolution_and_a_page():
    p, trace = trace_of_a_lone_user(drum_set_up_ms=0.0, drum_set_s=np.inf, prepaging=False)
    waits = tracing.paging.demand_waits(trace)
    waits = waits.loc[waits["kind"] == "demand_drum", "wait_ms"]
    expected_ms = 0.5 * p.drum_revolution_ms + p.drum_page_ms
    assert len(waits) > 2000
    mean, half_width = interval(waits.to_numpy()[::7], 0.99)
    assert abs(mean - expected_ms) <= half_width + 0.1
    assert waits.max() <= p.drum_revolution_ms + p.drum_page_ms + 1e-6


def test_a_preload_comes_in_the_order_of_its_pages_at_two_and_a_half_sectors_each():
    """First come first served: from one page's end to the next one's, 1.5 sectors and a page.

    The sectors of successive pages are independent. A false alarm in one of a hundred.
    """
    one_queue = {"drums": 1, "drum_queues": "drum", "drum_set_up_ms": 0.0, "drum_set_s": np.inf}
    p, trace = trace_of_a_lone_user(**one_queue)
    records = trace.records
    arrivals = records[records.kind == emas.Event.PRELOADED_PAGE_ARRIVES]
    begins = records.time_ms[records.kind == emas.Event.PRELOAD_BEGINS]
    preload = np.searchsorted(begins, arrivals.time_ms, side="right")
    together = preload[1:] == preload[:-1]
    assert together.sum() > 3000
    assert (np.diff(arrivals.value)[together] > 0).all()
    gaps_ms = np.diff(arrivals.time_ms)[together]
    mean, half_width = interval(gaps_ms[::7], 0.99)
    assert abs(mean - 2.5 * p.slot_ms) <= half_width


def test_a_lone_disc_demand_takes_seek_half_a_revolution_and_a_page():
    _, trace = trace_of_a_lone_user(drum_hold_s=0.0, prepaging=False)
    assert tracing.transfer_times(trace)["demand_disc"] == pytest.approx(96.0, abs=4.0)


def test_littles_law_holds_over_the_stations_of_the_trace():
    p = emas.Parameters(settle_s=0.0, measured_s=1200.0)
    r = emas.simulate(p, 3, trace=500_000)
    trace = tracing.Trace.of(r, emas.Event)
    waits = tracing.station_waits(trace)
    found = tracing.visits(trace).dropna(subset="time_ms")
    total_s = found["time_ms"].sum() / 1000.0
    assert waits["mean_length"].sum() == pytest.approx(total_s / trace.seconds, rel=1e-9)
    assert waits["mean_length"].sum() <= p.users
    resident = waits.loc[
        waits.index.str.startswith(("preload", "suspended", "run queue", "processor", "page wait"))
    ]
    assert resident["mean_length"].sum() == pytest.approx(r.multiprogramming, rel=0.01)
