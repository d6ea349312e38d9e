"""Discs against times of naive rules: 20 blocks per track, 25 ms per revolution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.des import devices
from perfkit.des.devices import ROUNDING, Disc, Discipline

BLOCK_MS = 1.25
REQUEST = np.dtype([("drive", "i8"), ("cylinder", "i8"), ("order", "i8")])


def disc(head_switch=8.0, head_skew=0.0, cylinder_skew=0.0):
    """Return a drive of ten cylinders, two heads, seeks of 10 ms a cylinder."""
    seek_time = np.arange(10) * 10.0
    return Disc(seek_time, 2, 20, 25.0, head_switch, head_skew, cylinder_skew)


@pytest.mark.parametrize(
    ("cylinders", "figures"),
    [(203, (10.0, 50.0, 85.0)), (411, (7.0, 38.0, 73.0)), (203, (25.0, 75.0, 135.0))],
)
def test_a_seek_table_goes_through_the_three_published_figures(cylinders, figures):
    track_to_track, mean, full_stroke = figures
    table = devices.seek_table(cylinders, *figures)
    assert table.shape == (cylinders,)
    assert table[0] == 0.0
    assert table[1] == pytest.approx(track_to_track)
    assert table[-1] == pytest.approx(full_stroke)
    here = np.arange(cylinders)
    distances = np.abs(here[:, None] - here[None, :])
    assert table[distances[distances > 0]].mean() == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize(("block", "cylinder"), [(0, 0), (39, 0), (40, 1), (79, 1), (80, 2)])
def test_a_cylinder_holds_the_blocks_of_all_its_tracks(block, cylinder):
    assert devices.cylinder_of(disc(), block) == cylinder


SKEWS = st.sampled_from([(8.0, 0.0, 0.0), (8.0, 8.0, 10.0), (0.0, 0.0, 0.0), (1.0, 3.0, 5.0)])


@settings(max_examples=200, deadline=None)
@given(st.floats(0.0, 1e5), st.integers(0, 300), SKEWS)
def test_the_wait_is_the_time_until_the_block_comes_round(now, block, skews):
    """Each head but a cylinder's first, and each cylinder, begins so much later in the turn."""
    cylinder, track = block // 40, block // 20
    begin = block % 20 * BLOCK_MS + (track - cylinder) * skews[1] + cylinder * skews[2]
    wait = devices.rotational_wait(disc(*skews), now, block)
    turns = (now + wait - begin) / 25.0
    assert 0.0 <= wait < 25.0 and -1e-9 <= turns - round(turns) <= ROUNDING + 1e-9
    for late, rest in ((1e-9, 0.0), (1e-3, 25.0 - 1e-3)):  # rounding costs nothing
        assert devices.rotational_wait(disc(), 7.5 + late, 6) == pytest.approx(rest, abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(st.floats(0.0, 1e5), st.integers(0, 300), st.integers(1, 90), SKEWS)
def test_a_transfer_ends_when_its_blocks_moved_one_at_a_time_would(now, block, blocks, skews):
    drive = disc(*skews)
    end = now
    for at in range(block, block + blocks):
        if at > block and at % 20 == 0:
            end += skews[0] if at % 40 else 10.0
        end += devices.rotational_wait(drive, end, at) + BLOCK_MS
    assert devices.transfer_end(drive, now, block, blocks) == pytest.approx(end, abs=1e-3)


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
    one_too_many = np.array([*requests, (0, 50, -1)], REQUEST).view(np.recarray)
    found = devices.choose_request(one_too_many, len(requests), 0, discipline, 50, way)
    assert found == (choice, -way if turns else way)


@settings(max_examples=300, deadline=None)
@given(st.floats(0.1, 1e3), st.floats(0.0, 1e9), st.floats(0.0, 1.0, exclude_max=True))
def test_a_place_comes_round_within_a_turn_and_is_then_under_the_heads(revolution, now, start):
    turns = devices.turns_until(revolution, now, start)
    assert -ROUNDING <= turns < 1.0
    past = now / revolution + turns - start
    assert past == pytest.approx(round(past), abs=1e-15 * (now / revolution) + 1e-12)
