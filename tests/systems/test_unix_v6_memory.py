"""First-fit maps against a naive list of free cells."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.systems.unix_v6 import Parameters, draw_workload, simulate
from perfkit.systems.unix_v6.memory import allocate, free_extent, join_all, release
from perfkit.systems.unix_v6.run import LOOP
from perfkit.systems.unix_v6.state import new_machine, new_map

CORE = 60


def naive_first_fit(free, size):
    for start in range(CORE - size + 1):
        if all(free[start : start + size]):
            return start
    return -1


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 25)), max_size=40))
def test_first_fit_equals_a_naive_search_of_free_cells(steps):
    areas = new_map(CORE, 40)
    free = [True] * CORE
    held = []
    for wants, number in steps:
        if wants:
            expected = naive_first_fit(free, number)
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
def test_images_never_overlap_and_fill_core_with_what_is_free(compaction):
    p = Parameters(memory_clicks=1000, process_clicks=(157, 314), processes=6, interactions=20)
    p = p.replace(compaction=compaction)
    machine = new_machine(p, draw_workload(p, 2), 2)
    checks = 0
    while machine.kernel.users_left:
        LOOP.until(machine, 333.3 * checks)
        held = [q for q in machine.processes[1:] if q.loaded or q.locked]
        swapped = machine.kernel.swap_process
        if swapped > 0 and not machine.processes[swapped].locked:
            held.append(machine.processes[swapped])
        ends = sorted((q.core_address, q.core_address + q.size_clicks) for q in held)
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ends))
        assert free_extent(machine.core) + sum(q.size_clicks for q in held) == 1000
        checks += 1
    assert checks > 50 and machine.kernel.scattered > 0


def test_compaction_changes_a_run():
    rows = [simulate(Parameters(memory_clicks=650, compaction=c), 1).swaps for c in (False, True)]
    assert rows[1] != rows[0]
