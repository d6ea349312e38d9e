"""TSS/360: mechanisms that the print implies: who gets a task's room, how references grow."""

import numpy as np
import pytest

from perfkit.systems.tss360 import Parameters, schedule_table, simulate
from perfkit.systems.tss360.machine import Event
from perfkit.systems.tss360.schedule import read_schedule


def waits_of(trace, entries):
    """Return each wait to be dispatched: its begin and end in the trace, the limit waited with."""
    begun, waits = {}, []
    for at, event in enumerate(trace):
        if event.kind in (Event.ACTIVE, Event.SLICE_END):
            begun[event.actor] = at
        elif event.kind == Event.DISPATCH:
            waits.append((begun.pop(event.actor), at, entries[event.value].p_max))
    return waits


@pytest.mark.parametrize("schedule", ["old", "new"])
def test_the_room_a_task_leaves_is_offered_to_those_who_wait_before_it_enters_again(schedule):
    p = Parameters(schedule=schedule, settle_min=1.0, measured_min=30)
    entries, _ = read_schedule(schedule_table(p), p.frames)
    trace = simulate(p, 1, trace=10**6).trace
    waits = waits_of(trace, entries)
    estimate, limit, estimates = p.frames, {}, np.zeros(len(trace))
    for at, event in enumerate(trace):
        estimates[at] = estimate
        if event.kind == Event.DISPATCH:
            limit[event.actor] = entries[event.value].p_max
            estimate -= limit[event.actor]
        elif event.kind == Event.SLICE_END:
            estimate += limit.pop(event.actor)
    times = trace.time_ms
    ends = trace.kind == Event.SLICE_END
    again = [(begin, end) for begin, end, _ in waits if times[begin] == times[end]
             and ends[begin] and not ends[begin + 1 : end].any()]  # fmt: skip
    assert len(again) > 10
    for begin, end in again:
        passed = [w for w in waits if w[0] < begin and w[1] > end]
        assert all(p_max >= estimates[end] for _, _, p_max in passed)


def test_sharable_references_grow_as_a_power_of_processing_time():
    """In storage that holds nothing yet: eight in 5 ms, then 8 (330 / 5) ** exponent in 330 ms."""
    lone = {"users": 1.0, "user_slots": 1, "system_tasks": 0, "session_min": 1e6}
    lone |= {"memory_pages": 9000, "sharable_pages": 8192, "popularity_exponent": 0.0}
    lone |= {"cpu_points_s": (0.33, 0.3301), "cpu_cdf": (0.0, 1.0), "patience_min": 1e6}
    p = Parameters(**lone, sharable_working_set=8, loading_ms=5.0, settle_min=0.0)
    reads = [
        simulate(p.replace(sharable_exponent=power), 1).log.page_reads[0] for power in (0.5, 0.25)
    ]
    few = int(8 * (330 / 5) ** 0.25)
    assert few == 22
    assert reads[0] - reads[1] == pytest.approx(64 - few, abs=1)
