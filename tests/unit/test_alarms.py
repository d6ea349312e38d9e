"""Alarms against a naive search for the minimum."""

from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.des.alarms import NEVER, clear_alarm, new_alarms, next_actor, set_alarm


def naive_next(times):
    """Return the first index of the least time."""
    return min(range(len(times)), key=lambda actor: (times[actor], actor))


# Few distinct times, so that ties are common; None clears.
TIMES = st.one_of(st.none(), st.integers(0, 6).map(float), st.floats(0.0, 10.0))
CALLS = st.lists(st.tuples(st.integers(0, 69), TIMES), max_size=80)


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 70), CALLS)
def test_the_next_actor_is_the_naive_minimum_after_every_call(actors, calls):
    alarms = new_alarms(actors)
    times = [NEVER] * actors
    assert next_actor(alarms) == 0
    for actor, time in ((number % actors, time) for number, time in calls):
        if time is None:
            clear_alarm(alarms, actor)
            times[actor] = NEVER
        else:
            set_alarm(alarms, actor, time)
            times[actor] = time
        assert next_actor(alarms) == naive_next(times)
        assert alarms.time[:actors].tolist() == times
