"""Distributions of waits and of lengths by station."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.methods import tracing


@pytest.fixture
def queueing(by_hand):
    """In run queue 0: process 1 from 0 to 100 and 300 to 400 ms, process 2 from 50 to 250."""
    return by_hand(
        (0, "queued", 1, 6),
        (50, "queued", 2, 6),
        (100, "preload_begins", 1),
        (250, "exit_from_supervisor", 2),
        (290, "preload_ends", 1),
        (300, "queued", 1, 6),
        (400, "exit_from_supervisor", 1),
    )


def test_quantiles_of_waits_and_shares_of_the_time_by_length(queueing):
    """Waits of 100, 100 and 200 ms; one preload of 200 ms, told by two records."""
    found = tracing.wait_distribution(queueing, quantiles=(0, 0.5, 0.75, 1))
    assert found.columns.tolist() == [0.0, 0.5, 0.75, 1.0]
    assert found.loc["run queue 0"].tolist() == [100.0, 100.0, 150.0, 200.0]
    assert found.loc["preload"].tolist() == [200.0] * 4
    assert found.index.tolist() == ["run queue 0", "preload"]
    assert tracing.wait_distribution(queueing).shape == (2, 5)
    # None from 250 to 300 ms, two from 50 to 100 ms, else one.
    found = tracing.length_distribution(queueing)
    assert found.columns.tolist() == [0, 1, 2]
    assert found.loc["run queue 0"].tolist() == [0.125, 0.75, 0.125]
    assert found.loc["preload"].tolist() == [0.5, 0.5, 0.0]
    waits = tracing.station_waits(queueing)
    assert (found @ found.columns).to_dict() == waits["mean_length"].to_dict()


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 8), st.floats(0.001, 9)), min_size=2))
@settings(max_examples=60)
def test_visits_cover_all_time_and_distributions_have_the_means_of_the_waits(by_hand, steps):
    now, rows = 0.0, []
    for process, queue, wait in steps:
        now += wait
        name = "preload_begins" if queue == 0 else "queued"
        rows.append((now, name, process, queue, 0))
    trace = by_hand(*rows)
    waits, found = tracing.station_waits(trace), tracing.visits(trace)
    by_process = pd.DataFrame(rows).groupby(2)[0]
    covered = found.groupby("process")["time_ms"].sum()
    np.testing.assert_allclose(covered, by_process.max() - by_process.min())
    lengths = tracing.length_distribution(trace, found)
    assert lengths.index.tolist() == waits.index.tolist()
    np.testing.assert_allclose(lengths.sum(axis=1), 1.0)
    means = lengths.to_numpy() @ lengths.columns.to_numpy(float)
    np.testing.assert_allclose(means, waits["mean_length"], rtol=1e-9)
    ends = tracing.wait_distribution(trace, found, quantiles=(0, 1))
    assert (ends[0.0] <= waits["mean_ms"] * (1 + 1e-12)).all()
    assert (ends[1.0] >= waits["mean_ms"] * (1 - 1e-12)).all()
