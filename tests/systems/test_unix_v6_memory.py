"""First-fit maps against a naive list of free cells."""

from hypothesis import given
from hypothesis import strategies as st

from perfkit.systems.unix_v6.memory import allocate, new_map, release

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


def test_neighbours_are_joined_on_both_sides():
    areas = new_map(30, 3)
    addresses = [allocate(areas, 10) for _ in range(3)]
    assert addresses == [0, 10, 20]
    assert allocate(areas, 1) == -1
    for address in (0, 20, 10):
        release(areas, 10, address)
    assert allocate(areas, 30) == 0
