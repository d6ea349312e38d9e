"""Alarms against a naive search for the minimum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.des.alarms import NEVER, clear_alarm, new_alarms, next_actor, set_alarm


def naive_next(times):
    """Return the first index of the least time."""
    return min(range(len(times)), key=lambda actor: (times[actor], actor))


# Few distinct times, so that ties are common; None clears.
CALLS = st.integers(1, 70).flatmap(
    lambda actors: st.tuples(
        st.just(actors),
        st.lists(
            st.tuples(
                st.integers(0, actors - 1),
                st.one_of(st.none(), st.integers(0, 6).map(float), st.floats(0.0, 10.0)),
            ),
            max_size=80,
        ),
    )
)


@settings(max_examples=300, deadline=None)
@given(CALLS)
def test_the_next_actor_is_the_naive_minimum_after_every_call(case):
    actors, calls = case
    alarms = new_alarms(actors)
    times = [NEVER] * actors
    for actor, time in calls:
        if time is None:
            clear_alarm(alarms, actor)
            times[actor] = NEVER
        else:
            set_alarm(alarms, actor, time)
            times[actor] = time
        assert next_actor(alarms) == naive_next(times)
        assert alarms.time[:actors].tolist() == times


@settings(max_examples=100, deadline=None)
@given(CALLS)
def test_every_node_of_the_tree_holds_the_best_of_its_two_children(case):
    actors, calls = case
    alarms = new_alarms(actors)
    for actor, time in calls:
        set_alarm(alarms, actor, NEVER if time is None else time)
    leaves = alarms.time.size
    for node in range(1, leaves):
        left, right = alarms.winner[2 * node], alarms.winner[2 * node + 1]
        best = left if alarms.time[left] <= alarms.time[right] else right
        assert alarms.winner[node] == best


@pytest.mark.parametrize("actors", [1, 2, 3, 4, 5, 54, 64, 65])
def test_ties_go_to_the_lowest_actor_whatever_the_order_of_setting(actors):
    for order in (range(actors), reversed(range(actors))):
        alarms = new_alarms(actors)
        for actor in order:
            set_alarm(alarms, actor, 1.0)
        went_off = []
        for _ in range(actors):
            went_off.append(next_actor(alarms))
            clear_alarm(alarms, went_off[-1])
        assert went_off == list(range(actors))


def test_new_alarms_are_all_clear_and_name_the_first_actor():
    alarms = new_alarms(5)
    assert np.all(alarms.time == NEVER)
    assert next_actor(alarms) == 0


def test_an_alarm_moved_later_gives_way_to_the_next():
    alarms = new_alarms(3)
    for actor, time in enumerate((1.0, 2.0, 3.0)):
        set_alarm(alarms, actor, time)
    set_alarm(alarms, 0, 2.5)
    assert next_actor(alarms) == 1
    set_alarm(alarms, 2, 0.5)
    assert next_actor(alarms) == 2
