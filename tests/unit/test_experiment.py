"""Designs, replications and sweeps, variants over the same seeds: rows, intervals, differences."""

import inspect
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from perfkit.runs import designs, what_if
from perfkit.runs.experiment import interval, replicate, summarize, sweep
from perfkit.systems import tss360, unix_v6
from perfkit.systems.unix_v6 import Parameters, simulate, victim_policy
from studies import STUDIES, study


def test_a_factorial_has_every_combination():
    full = designs.factorial({"a": [1, 2, 3], "b": ["x", "y"]})
    assert full.to_numpy().tolist() == [[a, b] for a in (1, 2, 3) for b in ("x", "y")]


@given(st.integers(2, 40), st.integers(0, 5))
def test_a_latin_hypercube_has_one_point_in_each_part_of_each_range(points, seed):
    design = designs.latin_hypercube({"x": (0.0, 1.0), "n": (1, points)}, points, seed)
    assert sorted((design["x"] * points).astype(int)) == list(range(points))
    assert sorted(design["n"]) == list(range(1, points + 1))


@given(st.integers(0, 6), st.integers(0, 5))
def test_a_sobol_sequence_is_balanced(power, seed):
    design = designs.sobol({"x": (-2.0, 2.0), "n": (3, 6)}, 2**power, seed)
    assert sorted(((design["x"] + 2.0) / 4.0 * 2**power).astype(int)) == list(range(2**power))
    assert design["n"].between(3, 6).all()


def test_one_at_a_time_begins_with_the_machine_as_it_is():
    design = designs.one_at_a_time(Parameters(), {"buffers": [10, 40], "discipline": ["FCFS"]})
    assert design.to_numpy().tolist() == [[20, "LOOK"], [10, "LOOK"], [40, "LOOK"], [20, "FCFS"]]


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "process_clicks": st.lists(st.integers(1, 400), min_size=1, max_size=3).map(tuple),
                "line_characters_per_s": st.floats(100.0, 1e4),
                "discipline": st.sampled_from(["LOOK", "FCFS"]),
                "compaction": st.booleans(),
                "buffers": st.integers(2, 100),
            }
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_design_comes_back_from_csv_without_loss(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "design.csv"
    design = pd.DataFrame(rows, dtype=object)
    designs.write(design, path)
    back = designs.read(path, Parameters)
    assert back.to_dict("records") == rows
    kinds = [{name: type(row[name]) for name in row} for row in back.to_dict("records")]
    assert kinds == [{name: type(row[name]) for name in row} for row in rows]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: designs.factorial({}), "levels must be a dictionary"),
        (lambda: designs.factorial({"a": "xy"}), "'a' must have a list of values, not 'xy'"),
        (lambda: designs.latin_hypercube({"a": (2, 1)}, 3), "'a' must have two numbers, the lower"),
        (lambda: designs.latin_hypercube({"a": (1, 2)}, 0), "points must be a whole number"),
        (lambda: designs.sobol({"a": (1, 2)}, 3), "points must be a power of 2"),
        (lambda: designs.read("no/file.csv", Parameters), "can't be read as a design: No such"),
    ],
)
def test_designs_that_can_not_be_are_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_a_file_with_a_wrong_name_or_value_is_refused(tmp_path):
    for text, said in {
        "buffrs\n3\n": "There is no parameter 'buffrs'; did you mean buffers",
        "buffers\nmany\n": "buffers must be a whole number",
        "buffers\n": "must have a point, a row below its head",
    }.items():
        (tmp_path / "d.csv").write_text(text)
        with pytest.raises(ValueError, match=said):
            designs.read(tmp_path / "d.csv", Parameters)


SMALL = Parameters(processes=3, interactions=5)


def test_an_interval_is_students_and_a_missing_value_is_left_out_and_counted_everywhere():
    assert interval([1.0, 2.0, 3.0]) == pytest.approx((2.0, 4.302653 / np.sqrt(3.0)), rel=1e-6)
    runs = pd.DataFrame({"point": [0, 0, 0, 1, 2], "x": [1.0, 2.0, np.nan, 4.0, np.nan]})
    found = summarize(runs, "point", "x")
    assert found["x_count"].tolist() == [2, 1, 0]
    assert interval([1.0, 2.0, np.nan]) == interval([1.0, 2.0])
    for point, values in runs.groupby("point")["x"]:
        row = found.loc[point, ["x", "x_half_width"]].to_numpy()
        np.testing.assert_allclose(row, interval(values))
    assert found["x_half_width"].tolist()[1:] == [np.inf, np.inf]


def test_replications_follow_the_seed_points_share_them_and_threads_change_nothing():
    one = replicate(simulate, SMALL, 4, seed=5, jobs=1, progress=False)
    two = replicate(simulate, SMALL, 4, seed=5, jobs=2, progress=False)
    assert list(one["seed"]) == [5, 6, 7, 8]
    pd.testing.assert_frame_equal(one, two)
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
    variants = {"less": {"memory_clicks": 500}, "more": {}}
    with pytest.raises(kind, match=f"^The run of variant 'more', seed 3 failed: {said}"):
        what_if.run(fails_at(3, raised), SMALL, variants, 2, seed=2, progress=False)


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


def test_a_point_without_a_number_is_replicated_further():
    def simulated(parameters, seed):
        return SimpleNamespace(measures=lambda: {"elapsed_s": 1.0 if seed >= 3 else np.nan})

    runs = replicate(simulated, SMALL, 3, until={"elapsed_s": 0.05}, most=30, progress=False)
    assert len(runs) == 6


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


RUNS = st.dictionaries(st.integers(0, 4), st.sampled_from([0.0, -20.0, 3.0, 8.0, np.nan]))


@given(RUNS, RUNS, st.booleans(), st.sampled_from([None, "", "new"]))
def test_a_change_is_the_interval_of_the_pairs_of_one_seed(old, new, percent, base):
    """A run, or its measure, may be lacking; a percentage is of the size of the base, if any."""
    assume(old.keys() & new.keys())
    rows = [("", *run) for run in old.items()] + [("new", *run) for run in new.items()]
    runs = pd.DataFrame(rows, columns=["variant", "seed", "R"])
    first, other = (new, old) if base == "new" else (old, new)
    pairs = [(first[seed], other[seed]) for seed in first.keys() & other.keys()]
    changes = [b - a for a, b in pairs]
    if percent:
        changes = [100.0 * (b - a) / abs(a) for a, b in pairs if a != 0.0]
    differences = what_if.differences(runs, "R", percent, base).drop(columns=base or "")
    known = [change for change in changes if not np.isnan(change)]
    assert differences.dropna().squeeze("columns").tolist() == pytest.approx(known)
    found, unit = what_if.compare(runs, "R", "R", percent=percent, base=base), ", %" * percent
    assert list(found) == ["R", f"change of R{unit}", f"+- R{unit}"]
    means = {"": pd.Series(old).mean(), "new": pd.Series(new).mean()}
    assert found.pop("R").to_dict() == pytest.approx(means, nan_ok=True)
    assert found.loc[base or ""].tolist() == [0.0, 0.0]
    wanted = pytest.approx(interval(changes), nan_ok=True)
    assert found.drop(base or "").iloc[0].tolist() == wanted


def test_variants_are_parameters_and_options_and_share_their_seeds():
    @unix_v6.victim_policy
    def nobody(processes, wanted, minimum_time_out_s, minimum_time_in_s):
        return -1

    variants = {"as it is": {}, "slow": {"compute_ms": 60}, "nobody leaves": {"victim": nobody}}
    runs = what_if.run(unix_v6.simulate, SMALL, variants, 2, seed=4, progress=False)
    assert runs["variant"].unique().tolist() == list(variants)
    assert runs.groupby("variant")["seed"].agg(list).tolist() == [[4, 5]] * 3
    alone = replicate(unix_v6.simulate, SMALL.replace(compute_ms=60), 2, seed=4, progress=False)
    pd.testing.assert_frame_equal(
        runs[runs["variant"] == "slow"].drop(columns="variant").reset_index(drop=True), alone
    )


def test_a_parameter_and_a_table_of_one_theme_go_their_own_ways():
    p = tss360.Parameters(settle_s=60.0, measured_s=900.0)
    table = tss360.schedule_table(p.replace(schedule="new"))
    variants = {"by name": {"schedule": "new"}, "by table": {"schedule_table": table}}
    runs = what_if.run(tss360.simulate, p, variants, 2, progress=False)
    assert what_if.differences(runs, "N_d")["by table"].tolist() == [0.0, 0.0]


def test_an_option_may_have_any_name_that_simulate_knows():
    def simulate(parameters, seed, most=0, measure=None):
        assert (most, measure) == (3, "y")
        return SimpleNamespace(measures=lambda: {"x": 1.0})

    runs = what_if.run(simulate, SMALL, {"a": {"most": 3, "measure": "y"}}, 2, progress=False)
    assert runs["x"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("key", STUDIES)
def test_no_simulator_has_an_option_of_a_parameters_name(key):
    system = study(key).module()
    options = set(inspect.signature(system.simulate).parameters) - {"parameters", "seed"}
    assert not options & set(system.Parameters().as_dict())
