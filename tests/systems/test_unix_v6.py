"""The UNIX V6 simulator: conservation, policies, core by first fit, drives by hand, observing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.des.alarms import NEVER
from perfkit.des.devices import DriveState
from perfkit.des.records import viewed
from perfkit.systems.unix_v6 import Parameters, draw_workload, observe, simulate, victim_policy
from perfkit.systems.unix_v6.devices import positioning_ms
from perfkit.systems.unix_v6.memory import allocate, free_extent, join_all, release
from perfkit.systems.unix_v6.result import read_out
from perfkit.systems.unix_v6.run import LOOP
from perfkit.systems.unix_v6.state import (
    DRIVES,
    FIRST_USER,
    OPERATION,
    Event,
    Operation,
    State,
    new_machine,
    new_map,
)

SMALL = {"processes": 5, "process_clicks": (314,), "interactions": 8}


def finished_machine(seed=1, **changes):
    """Run a machine whose counters are never reset, so that they cover it from time zero."""
    parameters = Parameters(**{**SMALL, **changes})
    machine = viewed(new_machine(parameters, draw_workload(parameters, seed), seed))
    LOOP.until(machine, 0.0)
    machine.kernel.users_silent = -1
    LOOP.until(machine, NEVER)
    return machine


def test_littles_law_holds_every_process_does_its_work_and_core_is_free_again():
    machine = finished_machine()
    k = machine.kernel
    unfinished = list(machine.requests[: k.waiting])
    unfinished += [
        machine.serving[d] for d in range(DRIVES) if machine.drives[d].state >= DriveState.SEEKING
    ]
    so_far_ms = sum(k.now_ms - r.arrived_ms for r in unfinished)
    since_change_ms = k.now_ms - k.queue_changed_ms
    response_ms = k.block_response_ms + k.swap_response_ms + so_far_ms
    area_ms = k.queue_area_ms + since_change_ms * len(unfinished)
    assert area_ms == pytest.approx(response_ms, rel=1e-12)
    users = machine.processes[FIRST_USER:]
    assert (users.state == State.GONE).all()
    assert (users.interaction == SMALL["interactions"]).all()
    update_core = machine.processes[1].size_clicks if machine.processes[1].loaded else 0
    free = sum(area["extent"] for area in machine.core)
    assert free == 1280 - update_core


def test_blocks_asked_for_are_read_or_found():
    machine = finished_machine(file_blocks=8, write_share=0.0, other_inodes=0, flush_period_s=3600)
    k = machine.kernel
    assert k.reads + k.cache_hits == machine.interactions.operations.sum()
    assert k.characters == 25 * machine.interactions.strings.sum()


def test_samples_are_the_ticks_of_a_60_hz_clock_and_states_are_shares_of_them():
    result = simulate(Parameters(**SMALL), seed=1)
    assert abs(result.samples.sum() - 60 * result.values["watched_s"]) <= 1
    assert result.queue_samples.sum() == result.samples.sum()
    assert result.queue == pytest.approx(result.values["mean_queue_exact"], rel=0.05)
    states = result.states()
    assert states.loc["system"].sum() == pytest.approx(100.0 * result.supervisor_share)
    assert len(result.plot().containers) == states.shape[1]


def test_a_process_does_the_same_work_whatever_the_machine():
    small, large = (
        draw_workload(Parameters(memory_clicks=m, processes=n, discipline=d), 7)
        for m, n, d in ((650, 5, "LOOK"), (1280, 12, "FCFS"))
    )
    for name in ("compute_ms", "pause_s", "strings", "operations"):
        np.testing.assert_array_equal(small.interactions[name], large.interactions[name][:5])


def test_a_victim_policy_that_looks_far_off_ends_the_run_with_a_sentence():
    @victim_policy
    def far_off(processes, wanted, minimum_time_out_s, minimum_time_in_s):
        return processes[10**12].state

    size = FIRST_USER + SMALL["processes"]
    said = f"IndexError: index {10**12} is out of bounds for axis 0 with size {size}."
    with pytest.raises(RuntimeError, match=f"^The victim policy 'far_off' failed with {said}"):
        simulate(Parameters(**SMALL), 1, victim=far_off)


CORE = 60


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 25)), max_size=40))
def test_first_fit_equals_a_naive_search_of_free_cells(steps):
    areas = new_map(CORE, 40)
    free = [True] * CORE
    held = []
    for wants, number in steps:
        if wants:
            starts = range(CORE - number + 1)
            expected = next((at for at in starts if all(free[at : at + number])), -1)
            assert allocate(areas, number) == expected
            if expected >= 0:
                held.append((number, expected))
                free[expected : expected + number] = [False] * number
        elif held:
            size, address = held.pop(number % len(held))
            release(areas, size, address)
            free[address : address + size] = [True] * size
    assert sum(area["extent"] for area in areas) == sum(free)


def test_areas_joined_after_moving_everything_down_are_one_as_good_as_new():
    areas = new_map(60, 6)
    addresses = [allocate(areas, 10) for _ in range(6)]
    for address in addresses[1::2]:
        release(areas, 10, address)
    assert allocate(areas, 30) == -1
    join_all(areas, 30)
    assert free_extent(areas) == 30 and areas.extent[1:].sum() == 0
    assert allocate(areas, 30) == 30 and allocate(areas, 1) == -1
    join_all(areas, 60)
    assert free_extent(areas) == 0 and allocate(areas, 1) == -1


@pytest.mark.parametrize("compaction", [False, True])
def test_images_and_free_areas_have_each_click_of_core_once(compaction):
    p = Parameters(memory_clicks=1000, process_clicks=(157, 314), processes=6, interactions=20)
    p = p.replace(compaction=compaction)
    machine = viewed(new_machine(p, draw_workload(p, 2), 2))
    checks = 0
    while machine.kernel.users_left:
        LOOP.until(machine, 333.3 * checks)
        held = [q for q in machine.processes[1:] if q.loaded or q.locked]
        swapped = machine.kernel.swap_process
        if swapped > 0 and not machine.processes[swapped].locked:
            held.append(machine.processes[swapped])
        pieces = [(q.core_address, q.size_clicks) for q in held]
        pieces += [(area.address, area.extent) for area in machine.core if area.extent]
        ends = [0, *np.cumsum([size for _, size in sorted(pieces)])]
        assert [address for address, _ in sorted(pieces)] + [1000] == ends
        checks += 1
    assert checks > 50 and machine.kernel.scattered > 0


PER_TRACK, PER_CYLINDER = 20, 40
QUIET = {
    "processes": 1,
    "interactions": 1,
    "pause_percent": (100.0, 0.0, 0.0, 0.0),
    "strings_per_interaction": 0.0,
    "file_blocks": 8,
    "flush_period_s": 3600,
}


def machine_of(p, operations):
    """Return a machine whose one process does the given operations in one interaction."""
    workload = draw_workload(p, 0)
    workload.interactions.operations[:] = len(operations)
    kinds = np.array(operations, OPERATION).view(np.recarray)
    machine = viewed(new_machine(p, workload._replace(operations=kinds), 0, trace=1000))
    machine.kernel.users_silent = -1
    return machine


@pytest.mark.parametrize(
    ("head", "block", "ms"),
    [
        (0, 3 * PER_CYLINDER + 5, 0.0),
        (0, 3 * PER_CYLINDER + PER_TRACK + 5, 8.0),
        (1, 3 * PER_CYLINDER + 5, 8.0),
        (0, 4 * PER_CYLINDER, 15.0),
    ],
)
def test_another_head_of_the_same_cylinder_costs_a_change_and_a_seek_includes_it(head, block, ms):
    machine = machine_of(Parameters(**QUIET), [(Operation.READ, 0)])
    drive, request = machine.drives[1], machine.requests[0]
    drive.cylinder, drive.head = 3, head
    request.block, request.cylinder = block, block // PER_CYLINDER
    assert positioning_ms.py_func(machine, drive, request) == pytest.approx(ms)


def test_a_drive_remembers_the_head_that_its_last_block_lies_under():
    p = Parameters(**QUIET)
    machine = machine_of(p, [(Operation.READ, 4)])
    LOOP.until(machine, NEVER)
    block = machine.file_blocks[0, 4]
    drive = machine.drives[1]
    assert machine.kernel.reads == 1 and drive.state == DriveState.IDLE
    assert (drive.cylinder, drive.head) == (block // PER_CYLINDER, block // PER_TRACK % 2)


def test_the_block_after_is_queued_beside_the_one_asked_for():
    machine = machine_of(Parameters(**QUIET), [(Operation.READ, block) for block in (4, 5)])
    LOOP.until(machine, NEVER)
    assert (machine.kernel.reads, machine.kernel.read_aheads) == (2, 1)
    arrived_ms = {r.block: r.arrived_ms for r in (*machine.requests, *machine.serving)}
    next_ms, ahead_ms = (arrived_ms[machine.file_blocks[0, block]] for block in (5, 6))
    transfers = machine.trace.time_ms[machine.trace.kind == Event.TRANSFER]
    assert transfers[0] < next_ms == ahead_ms < transfers[1]


@pytest.mark.parametrize("blocks", [(6, 7), (3, 5)])
def test_looking_ahead_stops_at_the_files_end_and_after_a_jump(blocks):
    machine = machine_of(Parameters(**QUIET), [(Operation.READ, block) for block in blocks])
    LOOP.until(machine, NEVER)
    assert (machine.kernel.reads, machine.kernel.read_aheads) == (2, 0)


WATCHED = Parameters(processes=6, interactions=120)


def test_a_run_with_pauses_is_the_run_without():
    whole = simulate(WATCHED, 3)
    machine = viewed(new_machine(WATCHED, draw_workload(WATCHED, 3), 3))
    pauses = 0
    while machine.kernel.users_left:
        LOOP.until(machine, 777.7 * pauses)
        pauses += 1
    assert pauses > 100
    assert read_out(machine, WATCHED, 3).measures() == whole.measures()


def test_observations_add_up_to_a_longer_one():
    rows = observe(WATCHED, 3, versions=[{}], order=np.zeros(8, int), period_s=20.0)
    long = observe(WATCHED, 3, versions=[{}], order=[0], period_s=40.0)[0]
    first = int(np.flatnonzero(rows["start_s"] == long["start_s"])[0])
    for measure in ("swaps_per_min", "characters_per_s"):
        assert rows[measure][first : first + 2].mean() == pytest.approx(long[measure])


def test_a_longer_minimum_time_in_gets_more_done_by_fewer_swaps():
    order = np.arange(60) // 5 % 2
    large = Parameters(process_clicks=(314,), interactions=2000)
    versions = [{"minimum_time_in_s": 0}, {"minimum_time_in_s": 3}]
    rows = observe(large, 1, versions=versions, order=order)
    settled = np.arange(60) % 5 > 0
    hasty, patient = (rows[settled & (order == version)] for version in (0, 1))
    assert patient["swaps_per_min"].mean() < hasty["swaps_per_min"].mean()
    assert patient["characters_per_s"].mean() > hasty["characters_per_s"].mean()


def test_where_nobody_prints_a_machine_is_observed_from_the_start():
    silent = WATCHED.replace(strings_per_interaction=0)
    rows = observe(silent, 3, versions=[{}], order=[0, 0], period_s=20.0)
    assert rows["start_s"].tolist() == [0.0, 20.0] and not rows["characters_per_s"].any()
    unwatched = simulate(WATCHED.replace(interactions=1), 3)
    assert unwatched.samples.sum() == 0 == unwatched.utilization
