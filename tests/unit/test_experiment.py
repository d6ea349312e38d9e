"""Replications, sweeps, intervals and resumption."""

import json

import numpy as np
import pandas as pd
import pytest

from perfkit.experiment import interval, replicate, summarize, sweep
from perfkit.systems.unix_v6 import Parameters, simulate

SMALL = Parameters(processes=3, interactions=5)


def test_interval_against_hand_computed_values():
    mean, half_width = interval([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert half_width == pytest.approx(4.302653 / np.sqrt(3.0), rel=1e-6)


def test_replications_follow_the_seed_and_threads_change_nothing():
    one = replicate(simulate, SMALL, 4, seed=5, jobs=1, progress=False)
    two = replicate(simulate, SMALL, 4, seed=5, jobs=2, progress=False)
    assert list(one["seed"]) == [5, 6, 7, 8]
    pd.testing.assert_frame_equal(one, two)


def test_replication_goes_on_until_the_interval_is_narrow():
    rows = replicate(
        simulate, SMALL, 3, measure="elapsed_s", relative_half_width=0.05, progress=False
    )
    mean, half_width = interval(rows["elapsed_s"])
    assert half_width <= 0.05 * mean
    assert len(rows) >= 3


def test_points_of_a_sweep_share_their_seeds_and_are_summarized():
    design = pd.DataFrame({"memory_clicks": [500, 1280]})
    rows = sweep(simulate, SMALL, design, 3, progress=False)
    assert list(rows["seed"]) == [0, 1, 2] * 2
    table = summarize(rows, "memory_clicks", ["swaps"])
    assert list(table.index) == [500, 1280]
    assert table["swaps"].iloc[0] == rows["swaps"][:3].mean()


def test_a_killed_sweep_goes_on_where_it_was(tmp_path):
    design = pd.DataFrame({"memory_clicks": [500, 1280]})
    whole = sweep(simulate, SMALL, design, 2, progress=False)
    file = tmp_path / "runs.jsonl"
    sweep(simulate, SMALL, design[:1], 2, progress=False, resume=file)
    file.write_text(file.read_text() + '{"key": "torn')
    calls = []

    def counted(parameters, seed):
        calls.append(seed)
        return simulate(parameters, seed)

    resumed = sweep(counted, SMALL, design, 2, progress=False, resume=file)
    assert len(calls) == 2
    assert list(resumed["elapsed_s"]) == list(whole["elapsed_s"])
    assert all(json.loads(line) for line in file.read_text().splitlines()[:2])


@pytest.mark.parametrize("count", [0, -1, 2.5, "many"])
def test_impossible_replications_are_refused(count):
    with pytest.raises(ValueError, match="replications must be a whole number"):
        replicate(simulate, SMALL, count)
