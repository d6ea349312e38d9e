"""Replications, sweeps, intervals and resumption."""

import functools
import threading

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


def test_a_killed_sweep_goes_on_where_it_was(tmp_path):
    design = pd.DataFrame({"memory_clicks": [500, 1280]})
    whole = sweep(counted, SMALL, design, 2, progress=False)
    file = tmp_path / "runs.jsonl"
    sweep(counted, SMALL, design[:1], 2, progress=False, resume=file)
    file.write_text(file.read_text() + '{"key": "torn')
    CALLS.clear()
    resumed = sweep(counted, SMALL, design, 2, progress=False, resume=file, jobs=1)
    assert CALLS == [0, 1]
    pd.testing.assert_frame_equal(resumed, whole)
    again = sweep(counted, SMALL, design, 2, progress=False, resume=file)
    assert CALLS == [0, 1], "the run after the torn line was lost"
    pd.testing.assert_frame_equal(again, whole)


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


def test_runs_that_were_done_before_one_failed_are_kept_though_an_earlier_one_took_longer(
    tmp_path, monkeypatch
):
    design, file = pd.DataFrame({"memory_clicks": [500, 1280]}), tmp_path / "runs.jsonl"
    monkeypatch.setattr("perfkit.kept_runs._identity", lambda _: "the same")
    others = threading.Event()

    def slow_first(parameters, seed):
        if (seed, parameters.memory_clicks) == (2, 500):
            others.wait(60.0)
        if (seed, parameters.memory_clicks) == (3, 1280):
            others.set()
            raise ValueError("no room")
        return counted(parameters, seed)

    CALLS.clear()
    with pytest.raises(ValueError, match="point 1, seed 3 failed"):
        sweep(slow_first, SMALL, design, 2, seed=2, progress=False, resume=file, jobs=2)
    kept = len(file.read_text().splitlines()) - 1
    assert kept == 3, "a run under way is ended and kept, too"
    CALLS.clear()
    resumed = sweep(counted, SMALL, design, 2, seed=2, progress=False, resume=file, jobs=1)
    assert len(CALLS) == 4 - kept
    whole = sweep(simulate, SMALL, design, 2, seed=2, progress=False)
    pd.testing.assert_frame_equal(resumed, whole)


def test_no_run_is_begun_long_after_one_failed():
    seeds = []

    def simulated(parameters, seed):
        seeds.append(seed)
        raise ValueError("no room")

    with pytest.raises(ValueError, match="seed 0 failed"):
        replicate(simulated, SMALL, 1000, progress=False, jobs=1)
    assert len(seeds) < 10


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({"scale": 1.0}, {"scale": 100.0}, "another set of options; delete it"),
        ({"load": pd.DataFrame({"a": [1, 2]})}, {"load": pd.DataFrame({"a": [1, 3]})}, "options"),
        *(
            ({"policy": make(3)}, {"policy": make(4)}, "another set of options")
            for make in (
                lambda least: lambda value: value < least,
                lambda least: lambda value, least=least: value < least,
                lambda least: lambda value, *, least=least: value < least,
                lambda least: functools.partial(lambda value, least: value < least, least=least),
                lambda least: functools.partial(lambda least, value: value < least, least),
            )
        ),
    ],
)
def test_a_resumed_sweep_refuses_the_runs_of_others(tmp_path, monkeypatch, first, second, said):
    """Options, frames, closures, defaults of every kind and bound arguments tell them apart."""
    where = {"progress": False, "resume": tmp_path / "runs.jsonl"}
    design = pd.DataFrame({"memory_clicks": [500]})
    for _ in range(2):
        sweep(counted, SMALL, design, 1, **first, **where)
    with pytest.raises(ValueError, match=said):
        sweep(counted, SMALL, design, 1, **second, **where)
    with pytest.raises(ValueError, match="another simulator and set of options;"):
        sweep(simulate, SMALL, design, 1, **where)
    monkeypatch.setattr("perfkit.kept_runs.source_hash", lambda: "edited")
    with pytest.raises(ValueError, match="another source of perfkit;"):
        sweep(counted, SMALL, design, 1, **first, **where)


@pytest.mark.parametrize(
    ("begins", "record", "said"),
    [
        (False, '{"key": "[{}, 0]", "row": {"elapsed_s": 1.0}}', "does not begin by saying what"),
        (True, '{"measures": {"swaps": 1}}', "has a line that is no run, with its key and"),
        (True, '{"key": "[]", "measures": [1]}', "a line that is no run"),
        (True, "\udcff", "is no text; delete it or name another file"),
    ],
)
def test_a_file_that_holds_something_else_is_refused(tmp_path, begins, record, said):
    design, file = pd.DataFrame({"memory_clicks": [500]}), tmp_path / "runs.jsonl"
    sweep(counted, SMALL, design, 1, progress=False, resume=file)
    file.write_text(file.read_text() * begins + record + "\n", errors="surrogateescape")
    with pytest.raises(ValueError, match=said):
        sweep(counted, SMALL, design, 2, progress=False, resume=file)


class Measured:
    def __init__(self, value):
        self.value = value

    def measures(self):
        return {"x": self.value}


@pytest.mark.parametrize("value", [np.arange(3), (1, 2), [1.0], {"a": 1}, 1j, pd.Timestamp(0)])
def test_a_measure_that_a_file_can_not_hold_is_refused_when_it_is_written(tmp_path, value):
    def odd(parameters, seed):
        return Measured(None if seed == 0 else value)

    design, file = pd.DataFrame(index=[0]), tmp_path / "runs.jsonl"
    sweep(odd, SMALL, design, 1, progress=False, resume=file)
    before = file.read_text()
    with pytest.raises(ValueError, match=r"can't hold the measure 'x', an? \w+; measures must be"):
        sweep(odd, SMALL, design, 2, progress=False, resume=file)
    assert file.read_text() == before
    assert len(sweep(odd, SMALL, design, 2, progress=False)) == 2


@pytest.mark.parametrize("value", [np.float32(0.1), np.int8(3), np.True_, np.str_("a"), np.nan, 2])
def test_measures_and_tuples_of_parameters_come_back_from_a_file_as_they_were(tmp_path, value):
    design, file = pd.DataFrame({"process_clicks": [(300, 310, 320)]}), tmp_path / "runs.jsonl"
    for _ in range(2):
        runs = sweep(lambda *_: Measured(value), SMALL, design, 1, progress=False, resume=file)
        np.testing.assert_equal(runs["x"][0], value)
        assert runs["process_clicks"].tolist() == [(300, 310, 320)]


CALLS = []


def counted(parameters, seed, **ignored):
    CALLS.append(seed)
    return simulate(parameters, seed)


@pytest.mark.parametrize("seed", [np.uint8(254), np.int32(2**31 - 2)])
def test_seeds_and_counts_of_numpys_small_types_do_not_overflow(seed):
    wanted = [int(seed) + k for k in range(3)]
    where = {"seed": seed, "progress": False, "jobs": np.int64(2)}
    design = pd.DataFrame({"memory_clicks": [500]})
    narrow = {"measure": "elapsed_s", "relative_half_width": 1e-9, "most": np.int8(3)}
    assert replicate(simulate, SMALL, np.uint8(3), **where)["seed"].tolist() == wanted
    assert replicate(simulate, SMALL, np.uint8(2), **where, **narrow)["seed"].tolist() == wanted
    rows = replicate(simulate, SMALL, 3, **where, measure="elapsed_s", relative_half_width=0.05)
    mean, half_width = interval(rows["elapsed_s"])
    assert half_width <= 0.05 * mean
    assert sweep(simulate, SMALL, design, np.uint8(3), **where)["seed"].tolist() == wanted
