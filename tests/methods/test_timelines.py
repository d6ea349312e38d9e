"""How far a trace reaches, and levels counted by hand."""

from types import SimpleNamespace

import pandas as pd
import pytest

from perfkit.methods import tracing

KINDS = ["enter", "enter", "leave", "other"]


def run(*times_s, full):
    frame = pd.DataFrame({"time_s": times_s, "kind": KINDS[: len(times_s)]})
    return SimpleNamespace(events=lambda: frame, counts={"trace_full": int(full)})


def test_a_trace_reaches_to_the_run_s_end_or_its_own_last_event_if_it_was_full():
    assert len(tracing.events_until(run(1.0, 2.0, full=False), 10.0, 10.0)) == 2
    assert len(tracing.events_until(run(1.0, 2.0, full=True), 2.0, 10.0)) == 2
    for short, until_s in ((run(1.0, 2.0, full=True), 2.1), (run(full=False), 2.0)):
        with pytest.raises(ValueError, match="larger trace"):
            tracing.events_until(short, until_s, 10.0)


@pytest.mark.parametrize("until_s", [10.1, float("nan"), float("inf")])
def test_nothing_is_known_beyond_the_end_of_the_run(until_s):
    for full in (False, True):
        with pytest.raises(ValueError, match="until_s must be at most 10, the run's end"):
            tracing.events_until(run(1.0, 2.0, full=full), until_s, 10.0)


def test_levels_count_from_time_zero_and_are_shown_where_wanted():
    events = run(1.0, 2.0, 3.0, 4.0, full=False).events()
    changes = {"inside": {"enter": 1, "leave": -1}, "others": {"other": 1}}
    found = tracing.levels(events, changes, 2.0, 3.5)
    assert found.index.tolist() == [2.0, 3.0]
    assert found["inside"].tolist() == [2, 1] and found["others"].tolist() == [0, 0]
