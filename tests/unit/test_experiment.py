"""Replications, sweeps and intervals."""

import numpy as np
import pandas as pd
import pytest

from perfkit.experiment import interval, replicate, summarize, sweep
from perfkit.systems.unix_v6 import Parameters, simulate, victim_policy

SMALL = Parameters(processes=3, interactions=5)


def test_interval_against_hand_computed_values():
    mean, half_width = interval([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert half_width == pytest.approx(4.302653 / np.sqrt(3.0), rel=1e-6)


def test_a_missing_value_is_left_out_and_counted_the_same_everywhere():
    runs = pd.DataFrame({"point": [0, 0, 0, 1, 2], "x": [1.0, 2.0, np.nan, 4.0, np.nan]})
    found = summarize(runs, "point", "x")
    assert found["x_count"].tolist() == [2, 1, 0]
    assert interval([1.0, 2.0, np.nan]) == interval([1.0, 2.0])
    for point, values in runs.groupby("point")["x"]:
        row = found.loc[point, ["x", "x_half_width"]].to_numpy()
        np.testing.assert_allclose(row, interval(values))
    assert found["x_half_width"].tolist()[1:] == [np.inf, np.inf]


def test_replications_follow_the_seed_and_threads_change_nothing():
    one = replicate(simulate, SMALL, 4, seed=5, jobs=1, progress=False)
    two = replicate(simulate, SMALL, 4, seed=5, jobs=2, progress=False)
    assert list(one["seed"]) == [5, 6, 7, 8]
    pd.testing.assert_frame_equal(one, two)


def test_points_of_a_sweep_share_their_seeds_and_are_summarized():
    design = pd.DataFrame({"memory_clicks": [500, 1280]})
    rows = sweep(simulate, SMALL, design, 3, progress=False)
    assert list(rows["seed"]) == [0, 1, 2] * 2
    table = summarize(rows, "memory_clicks", ["swaps"])
    assert list(table.index) == [500, 1280]
    assert table["swaps"].iloc[0] == rows["swaps"][:3].mean()


def fails_at(seed, raised):
    def simulated(parameters, own_seed):
        if (own_seed, parameters.memory_clicks) == (seed, 1280):
            raise raised
        return simulate(parameters, own_seed)

    return simulated


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("raised", "kind", "said"),
    [
        (ValueError("no room"), ValueError, "no room"),
        (RuntimeError("it stopped"), RuntimeError, "it stopped"),
        (MemoryError(), MemoryError, "MemoryError"),
        (UnicodeDecodeError("ascii", b"x", 0, 1, "odd"), ValueError, "'ascii' codec"),
        (KeyError("x"), RuntimeError, "'x'"),
    ],
)
def test_a_run_that_fails_is_named(raised, kind, said):
    design = pd.DataFrame({"memory_clicks": [500, 1280]})
    with pytest.raises(kind, match=f"^The run of point 1, seed 3 failed: {said}"):
        sweep(fails_at(3, raised), SMALL, design, 2, seed=2, progress=False)
    with pytest.raises(kind, match=f"^The run of seed 3 failed: {said}"):
        replicate(fails_at(3, raised), SMALL, 2, seed=2, progress=False)


def test_no_run_is_begun_long_after_one_failed():
    seeds = []

    def simulated(parameters, seed):
        seeds.append(seed)
        raise ValueError("no room")

    with pytest.raises(ValueError, match="seed 0 failed"):
        replicate(simulated, SMALL, 1000, progress=False, jobs=1)
    assert len(seeds) < 10


@pytest.mark.parametrize("seed", [np.uint8(254), np.int32(2**31 - 2)])
def test_seeds_and_counts_of_numpys_small_types_do_not_overflow(seed):
    wanted = [int(seed) + k for k in range(3)]
    where = {"seed": seed, "progress": False, "jobs": np.int64(2)}
    design = pd.DataFrame({"memory_clicks": [500]})
    narrow = {"until": {"elapsed_s": 1e-9}, "most": np.int8(3)}
    assert replicate(simulate, SMALL, np.uint8(3), **where)["seed"].tolist() == wanted
    assert replicate(simulate, SMALL, np.uint8(2), **where, **narrow)["seed"].tolist() == wanted
    rows = replicate(simulate, SMALL, 3, **where, until={"elapsed_s": 0.05})
    mean, half_width = interval(rows["elapsed_s"])
    assert half_width <= 0.05 * mean
    assert sweep(simulate, SMALL, design, np.uint8(3), **where)["seed"].tolist() == wanted


def test_a_sweep_is_the_same_whatever_computes_it_and_each_point_ends_on_its_own():
    design = pd.DataFrame({"memory_clicks": [500, 1280], "processes": [3, 4]})
    until = {"elapsed_s": 0.05, "swaps": 0.3}
    where = {"until": until, "most": 9, "progress": False}
    one = sweep(simulate, SMALL, design, 3, jobs=1, **where)
    two = sweep(simulate, SMALL, design, 3, executor="processes", jobs=2, **where)
    pd.testing.assert_frame_equal(one, two)
    for _, runs in one.groupby("point"):
        widths = {name: interval(runs[name]) for name in until}
        met = all(half <= until[name] * mean for name, (mean, half) in widths.items())
        assert met or len(runs) == 9


@victim_policy
def first_in_core(processes, wanted, minimum_time_out_s, minimum_time_in_s):
    for place in range(1, processes.size):
        if processes[place].loaded == 1 and processes[place].locked == 0:
            return place
    return -1


def test_a_policy_of_ones_own_goes_to_other_processes_by_its_code():
    tight = SMALL.replace(processes=6, memory_clicks=500)
    design = pd.DataFrame({"memory_clicks": [500]})
    where = {"progress": False, "victim": first_in_core}
    here = sweep(simulate, tight, design, 2, **where)
    pd.testing.assert_frame_equal(
        here, sweep(simulate, tight, design, 2, executor="processes", **where)
    )
    assert not here.equals(sweep(simulate, tight, design, 2, progress=False))
