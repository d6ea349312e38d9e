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


def test_a_resumed_sweep_refuses_the_runs_of_others(tmp_path, monkeypatch):
    design, file = pd.DataFrame({"memory_clicks": [500]}), tmp_path / "runs.jsonl"
    sweep(counted, SMALL, design, 2, progress=False, resume=file, scale=1.0)
    with pytest.raises(ValueError, match="holds runs with another set of options; delete it"):
        sweep(counted, SMALL, design, 2, progress=False, resume=file, scale=100.0)
    with pytest.raises(ValueError, match="another simulator and set of options;"):
        sweep(simulate, SMALL, design, 2, progress=False, resume=file)
    monkeypatch.setattr("perfkit.kept_runs.source_hash", lambda: "edited")
    with pytest.raises(ValueError, match="another source of perfkit;"):
        sweep(counted, SMALL, design, 2, progress=False, resume=file, scale=1.0)


def test_frames_policies_and_closures_tell_sweeps_apart(tmp_path):
    design, file = pd.DataFrame({"memory_clicks": [500]}), tmp_path / "runs.jsonl"

    def run(frame, least):
        def smaller(value):
            return value < least

        return sweep(
            counted, SMALL, design, 1, progress=False, resume=file, load=frame, policy=smaller
        )

    run(pd.DataFrame({"a": [1, 2]}), 3)
    run(pd.DataFrame({"a": [1, 2]}), 3)
    for frame, least in (([1, 3], 3), ([1, 2], 4)):
        with pytest.raises(ValueError, match="another set of options"):
            run(pd.DataFrame({"a": frame}), least)


def test_defaults_of_every_kind_tell_functions_apart_and_so_do_bound_arguments(tmp_path):
    design = pd.DataFrame({"memory_clicks": [500]})

    def positional(least):
        return lambda value, least=least: value < least

    def keyword_only(least):
        return lambda value, *, least=least: value < least

    def partial(least):
        return functools.partial(lambda value, least: value < least, least=least)

    def bound_first(least):
        return functools.partial(lambda least, value: value < least, least)

    for make in (positional, keyword_only, partial, bound_first):
        where = {"progress": False, "resume": tmp_path / f"{make.__name__}.jsonl"}
        for _ in range(2):
            sweep(counted, SMALL, design, 1, policy=make(3), **where)
        with pytest.raises(ValueError, match="another set of options"):
            sweep(counted, SMALL, design, 1, policy=make(4), **where)


def test_a_file_that_does_not_say_what_was_run_is_refused(tmp_path):
    file = tmp_path / "runs.jsonl"
    file.write_text('{"key": "[{}, 0]", "row": {"elapsed_s": 1.0}}\n')
    with pytest.raises(ValueError, match="does not begin by saying what was run; delete it"):
        sweep(counted, SMALL, pd.DataFrame(index=[0]), 1, progress=False, resume=file)


@pytest.mark.parametrize(
    "record",
    [
        '{"measures": {"swaps": 1}}',
        '{"key": null, "measures": {"swaps": 1}}',
        '{"key": "[]"}',
        '{"key": "[]", "measures": null}',
        '{"key": "[]", "measures": [1]}',
    ],
)
def test_a_line_that_is_no_run_is_refused(tmp_path, record):
    design, file = pd.DataFrame({"memory_clicks": [500]}), tmp_path / "runs.jsonl"
    sweep(counted, SMALL, design, 1, progress=False, resume=file)
    file.write_text(file.read_text() + record + "\n")
    with pytest.raises(ValueError, match="has a line that is no run, with its key and its measur"):
        sweep(counted, SMALL, design, 2, progress=False, resume=file)


def test_a_place_that_can_not_hold_runs_is_refused_before_any(tmp_path):
    def never(parameters, seed):
        pytest.fail("Nothing may be run.")

    binary = tmp_path / "runs.bin"
    binary.write_bytes(bytes(range(256)))
    for place, match in (
        (tmp_path / "nowhere" / "runs.jsonl", "There is no folder .*nowhere to keep the runs in"),
        (tmp_path, "The runs must be kept in a file; .* is a folder"),
        (binary, "is no text; delete it or name another file"),
        (tmp_path / ("x" * 300), r"can't be kept in .* \(File name too long\); name another file"),
    ):
        with pytest.raises(ValueError, match=match):
            sweep(never, SMALL, pd.DataFrame(index=[0]), 1, progress=False, resume=place)
    assert [path.name for path in tmp_path.iterdir()] == ["runs.bin"]


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
def test_a_measure_comes_back_from_a_file_as_it_was(tmp_path, value):
    for _ in range(2):
        runs = sweep(
            lambda parameters, seed: Measured(value),
            SMALL,
            pd.DataFrame(index=[0]),
            1,
            progress=False,
            resume=tmp_path / "runs.jsonl",
        )
        np.testing.assert_equal(runs["x"][0], value)


def test_tuple_parameters_are_tuples_after_a_resume_too(tmp_path):
    design = pd.DataFrame({"process_clicks": [(300, 310, 320)]})
    for _ in range(2):
        runs = sweep(counted, SMALL, design, 2, progress=False, resume=tmp_path / "runs.jsonl")
        assert list(summarize(runs, "process_clicks", "swaps").index) == [(300, 310, 320)]


CALLS = []


def counted(parameters, seed, **ignored):
    CALLS.append(seed)
    return simulate(parameters, seed)


NARROW = {"measure": "elapsed_s", "relative_half_width": 0.1}


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"measure": "elapsed_s"}, "measure and relative_half_width go together"),
        ({"relative_half_width": 0.1}, "measure and relative_half_width go together"),
        (NARROW | {"replications": 1}, "replications must be 2 or more where a half-width"),
        (NARROW | {"most": 0}, "most must be a whole number, 10 replications or more; 0 is not"),
        (NARROW | {"most": 12.5}, r"12\.5 is not"),
        (NARROW | {"relative_half_width": "0.1"}, "must be a number between 0 and 1; '0.1' is not"),
        (NARROW | {"relative_half_width": [0.1]}, r"between 0 and 1; \[0\.1\] is not"),
        (NARROW | {"relative_half_width": np.nan}, "between 0 and 1; nan is not"),
        (NARROW | {"measure": "no_such"}, "There is no measure 'no_such'"),
        (NARROW | {"measure": "memory_clicks"}, "There is no measure 'memory_clicks'"),
        (NARROW | {"measure": "seed"}, "There is no measure 'seed'"),
    ],
)
def test_impossible_orders_for_a_narrow_interval_are_refused(given, match):
    with pytest.raises(ValueError, match=match):
        replicate(simulate, SMALL, progress=False, **given)


@pytest.mark.parametrize(
    ("design", "match"),
    [
        (pd.DataFrame([[1, 2]], columns=["processes"] * 2), "'processes' is there twice"),
        (pd.DataFrame([[1]]), "must be names of parameters, not 0"),
        (pd.DataFrame({"processes": []}), "must have a point"),
    ],
)
def test_designs_that_say_no_points_are_refused(design, match):
    with pytest.raises(ValueError, match=match):
        sweep(simulate, SMALL, design, 1)


@pytest.mark.parametrize("seed", [np.uint8(254), np.int32(2**31 - 2)])
def test_seeds_and_counts_of_numpys_small_types_do_not_overflow(seed):
    wanted = [int(seed) + k for k in range(3)]
    where, design = {"seed": seed, "progress": False}, pd.DataFrame({"memory_clicks": [500]})
    narrow = {"measure": "elapsed_s", "relative_half_width": 1e-9, "most": np.int8(3)}
    assert replicate(simulate, SMALL, np.uint8(3), **where)["seed"].tolist() == wanted
    assert replicate(simulate, SMALL, np.uint8(2), **where, **narrow)["seed"].tolist() == wanted
    assert sweep(simulate, SMALL, design, np.uint8(3), **where)["seed"].tolist() == wanted


@pytest.mark.parametrize("seed", [-1, 1.5, None, "a", True])
def test_impossible_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed must be a whole number of 0 or more"):
        replicate(simulate, SMALL, 1, seed=seed)


@pytest.mark.parametrize("parameters", [None, {"processes": 3}, Parameters])
def test_what_is_no_parameter_record_is_refused(parameters):
    with pytest.raises(TypeError, match="parameters must be a system's"):
        replicate(simulate, parameters, 1)


@pytest.mark.parametrize("confidence", [95, 1, 0, -1, np.nan, "0.95", None, True])
def test_a_confidence_that_is_no_share_is_refused(confidence):
    for call in (
        lambda: interval([1.0, 2.0], confidence),
        lambda: summarize(pd.DataFrame({"a": [1], "b": [2]}), "a", "b", confidence),
    ):
        with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
            call()


@pytest.mark.parametrize("count", [0, -1, 2.5, "many", True, 10**6 + 1])
def test_impossible_replications_are_refused(count):
    with pytest.raises(ValueError, match="replications must be a whole number"):
        replicate(simulate, SMALL, count)


@pytest.mark.parametrize("jobs", [10**6, 2**40, -(10**6), 0, 1.5, "2", True])
def test_an_impossible_number_of_threads_is_refused_before_any_file(jobs, tmp_path):
    file, design = tmp_path / "runs.jsonl", pd.DataFrame({"memory_clicks": [500]})
    with pytest.raises(ValueError, match="jobs must be a whole number from 1 to 1000, or -1"):
        sweep(simulate, SMALL, design, 2, jobs=jobs, resume=file)
    assert not file.exists()


@pytest.mark.parametrize("jobs", [-1, np.int64(2), 1000])
def test_threads_may_be_counted_as_joblib_and_numpy_do(jobs):
    assert len(replicate(simulate, SMALL, 2, jobs=jobs, progress=False)) == 2


@pytest.mark.parametrize(
    ("by", "measures", "match"),
    [
        ("point", "elapsed", "There is no column 'elapsed' in the runs; did you mean elapsed_s"),
        ("points", "elapsed_s", "There is no column 'points' in the runs; did you mean point"),
        (
            ["point", "zzz"],
            "elapsed_s",
            "no column 'zzz' in the runs; the columns are point, elapsed_s, word",
        ),
        ("point", ["elapsed_s", 3], "no column '3' in the runs"),
        (3, "elapsed_s", "no column '3' in the runs"),
        ([], "elapsed_s", "by and measures must name at least one column each"),
        ("point", [], "by and measures must name at least one column each"),
        ("point", "word", "Measures must be columns of numbers; 'word' is not"),
    ],
)
def test_columns_that_can_not_be_summarized_are_refused(by, measures, match):
    runs = pd.DataFrame({"point": [0, 1], "elapsed_s": [1.0, 2.0], "word": ["a", "b"]})
    with pytest.raises(ValueError, match=match):
        summarize(runs, by, measures)


def test_what_is_no_frame_of_runs_is_refused():
    with pytest.raises(TypeError, match=r"The runs must be a pandas\.DataFrame, not dict"):
        summarize({"point": [0]}, "point", "swaps")


def test_runs_of_no_point_are_refused():
    runs = pd.DataFrame({"point": [0, np.nan], "elapsed_s": [1.0, 2.0]})
    with pytest.raises(ValueError, match="1 of 2 rows lack point; leave them out"):
        summarize(runs, "point", "elapsed_s")


def test_all_columns_that_lack_are_named_and_only_frames_of_pandas_are_taken():
    runs = pd.DataFrame({"point": [0], "elapsed_s": [1.0]})
    lacking = "There is no column 'swaps', 'load' in the runs; the columns are point, elapsed_s"
    with pytest.raises(ValueError, match=lacking):
        summarize(runs, "point", ["swaps", "load"])

    class Columns:
        columns = ("point", "elapsed_s")

    with pytest.raises(TypeError, match=r"The runs must be a pandas\.DataFrame, not Columns"):
        summarize(Columns(), "point", "elapsed_s")
