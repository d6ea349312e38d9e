"""Discs against times worked by hand: 20 blocks per track, 25 ms per revolution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.des.devices import (
    ROUNDING,
    Disc,
    Discipline,
    choose_request,
    cylinder_of,
    rotational_wait,
    seek_table,
    transfer_end,
    turns_until,
)

BLOCK_MS = 1.25
REQUEST = np.dtype([("drive", "i8"), ("cylinder", "i8"), ("order", "i8")])


def disc(head_switch=8.0, head_skew=0.0, cylinder_skew=0.0):
    """Return a drive of ten cylinders, two heads, seeks of 10 ms a cylinder."""
    seek_time = np.arange(10) * 10.0
    return Disc(seek_time, 2, 20, 25.0, head_switch, head_skew, cylinder_skew)


def waiting(*triples):
    """Return requests of (drive, cylinder, order)."""
    return np.array(list(triples), REQUEST).view(np.recarray)


@pytest.mark.parametrize(
    ("cylinders", "figures"),
    [(203, (10.0, 50.0, 85.0)), (411, (7.0, 38.0, 73.0)), (203, (25.0, 75.0, 135.0))],
)
def test_a_seek_table_goes_through_the_three_published_figures(cylinders, figures):
    track_to_track, mean, full_stroke = figures
    table = seek_table(cylinders, *figures)
    assert table.shape == (cylinders,)
    assert table[0] == 0.0
    assert table[1] == pytest.approx(track_to_track)
    assert table[-1] == pytest.approx(full_stroke)
    here = np.arange(cylinders)
    distances = np.abs(here[:, None] - here[None, :])
    assert table[distances[distances > 0]].mean() == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize(("block", "cylinder"), [(0, 0), (39, 0), (40, 1), (79, 1), (80, 2)])
def test_a_cylinder_holds_the_blocks_of_all_its_tracks(block, cylinder):
    assert cylinder_of(disc(), block) == cylinder


@pytest.mark.parametrize(
    ("now", "block", "wait"),
    [
        (0.0, 0, 0.0),
        (0.0, 5, 6.25),
        (7.5, 6, 0.0),
        (10.0, 4, 20.0),  # block 4 starts at 5, and again at 30
        (25.0 * 1000 + 3.0, 0, 22.0),
        (2.0, 25, 4.25),  # block 5 of the next track, no skew
        (7.5 + 1e-3, 6, 25.0 - 1e-3),  # just missed
        (7.5 + 1e-9, 6, 0.0),  # rounding costs nothing
    ],
)
def test_the_wait_is_the_time_until_the_block_comes_round(now, block, wait):
    assert rotational_wait(disc(), now, block) == pytest.approx(wait, abs=1e-9)


def test_skews_of_heads_and_cylinders_add_up():
    wait = 8.0 + 10.0 + 8.0 - 25.0  # a head, a cylinder and a head further, over a revolution
    assert rotational_wait(disc(8.0, 8.0, 10.0), 0.0, 60) == pytest.approx(wait)


@settings(max_examples=200, deadline=None)
@given(
    st.floats(0.0, 1e5),
    st.integers(0, 300),
    st.integers(1, 90),
    st.sampled_from([(8.0, 0.0, 0.0), (8.0, 8.0, 10.0), (0.0, 0.0, 0.0), (1.0, 3.0, 5.0)]),
)
def test_a_transfer_ends_when_its_blocks_moved_one_at_a_time_would(now, block, blocks, settings_):
    drive = disc(*settings_)
    end = now
    for at in range(block, block + blocks):
        if at > block and at % 20 == 0:
            end += settings_[0] if at % 40 else 10.0
        end += rotational_wait(drive, end, at) + BLOCK_MS
    assert transfer_end(drive, now, block, blocks) == pytest.approx(end, abs=1e-3)


PLACES = st.lists(st.tuples(st.integers(0, 1), st.integers(45, 55)), max_size=7)


@settings(max_examples=300, deadline=None)
@given(PLACES, st.permutations(range(7)), st.sampled_from(Discipline), st.sampled_from([1, -1]))
def test_the_request_chosen_is_that_of_a_naive_rule(places, arrivals, discipline, way):
    """Of its drive, among those that wait; ties go by arrival, and the arm turns at the last."""
    requests = [(*place, order) for place, order in zip(places, arrivals, strict=False)]
    own = [request for request in requests if request[0] == 0]
    ahead = [request for request in own if (request[1] - 50) * way >= 0]
    turns = discipline == Discipline.LOOK and own and not ahead
    allowed = ahead if discipline == Discipline.LOOK and ahead else own
    by_arrival = sorted(allowed, key=lambda request: request[2])
    if discipline != Discipline.FCFS:
        by_arrival.sort(key=lambda request: abs(request[1] - 50))
    choice = requests.index(by_arrival[0]) if own else -1
    one_too_many = waiting(*requests, (0, 50, -1))
    found = choose_request(one_too_many, len(requests), 0, discipline, 50, way)
    assert found == (choice, -way if turns else way)


@settings(max_examples=300, deadline=None)
@given(st.floats(0.1, 1e3), st.floats(0.0, 1e9), st.floats(0.0, 1.0, exclude_max=True))
def test_a_place_comes_round_within_a_turn_and_is_then_under_the_heads(revolution, now, start):
    turns = turns_until(revolution, now, start)
    assert -ROUNDING <= turns < 1.0
    past = now / revolution + turns - start
    assert past == pytest.approx(round(past), abs=1e-15 * (now / revolution) + 1e-12)
