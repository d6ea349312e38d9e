"""Finished runs in a folder: nothing is lost, nothing is mixed, nothing is run twice."""

import errno
import functools
import importlib
import os
import random
import signal
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from perfkit.runs import store
from perfkit.runs.experiment import sweep
from perfkit.systems.unix_v6 import Parameters, simulate

SMALL = Parameters(processes=3, interactions=5)
DESIGN = pd.DataFrame({"memory_clicks": [500, 1280]})
CALLS = []


def counted(parameters, seed, **ignored):
    CALLS.append((parameters.memory_clicks, seed))
    return simulate(parameters, seed)


def kept(folder, replications=2, simulated=counted, design=DESIGN, **more):
    CALLS.clear()
    where = {"progress": False, "jobs": 1, "store": folder, **more}
    return sweep(simulated, SMALL, design, replications, **where)


def files(folder, kind=store.BATCH):
    return sorted(folder.glob(f"**/{kind}*"))


def test_a_sweep_goes_on_from_its_store_and_a_damaged_batch_alone_is_run_again(tmp_path):
    whole = sweep(simulate, SMALL, DESIGN, 4, progress=False)
    kept(tmp_path, 2)
    pd.testing.assert_frame_equal(kept(tmp_path, 4), whole)
    assert sorted(CALLS) == [(500, 2), (500, 3), (1280, 2), (1280, 3)]
    damaged, half = files(tmp_path)[:2]
    lost = len(pd.read_parquet(damaged)) + len(pd.read_parquet(half))
    damaged.write_bytes(damaged.read_bytes()[:-9] + b"123456789")
    half.write_bytes(half.read_bytes()[:100])
    with pytest.warns(UserWarning, match="The batch .* was damaged; it is run again"):
        again = kept(tmp_path, 4)
    pd.testing.assert_frame_equal(again, whole)
    assert len(CALLS) == lost
    told = store.status(tmp_path).iloc[0]
    assert told[["system", "points", "runs", "done", "failed"]].tolist() == ["unix_v6", 2, 8, 8, 0]
    (about,) = tmp_path.rglob(store.ABOUT)
    about.write_text(about.read_text()[:50])
    for use in (lambda: kept(tmp_path, 4), lambda: store.status(tmp_path)):
        with pytest.raises(ValueError, match="is damaged; delete it, and the same sweep goes on"):
            use()
    about.unlink()
    pd.testing.assert_frame_equal(kept(tmp_path, 4), whole)
    assert CALLS == []


def fails(parameters, seed):
    if (parameters.memory_clicks, seed) == (500, 1):
        raise ValueError("no room")
    return counted(parameters, seed)


def test_a_run_that_fails_stops_a_strict_sweep_and_is_remembered_by_another(tmp_path):
    with pytest.raises(ValueError, match="The run of point 0, seed 1 failed: no room"):
        kept(tmp_path / "strict", 3, fails)
    assert files(tmp_path / "strict")
    with pytest.warns(UserWarning, match=r"1 runs failed .* point 0, seed 1 failed: no room"):
        runs = kept(tmp_path, 3, fails, strict=False)
    assert runs[["point", "seed"]].to_numpy().tolist() == [[0, 0], [0, 2], [1, 0], [1, 1], [1, 2]]
    with pytest.warns(UserWarning, match="1 runs failed"):
        pd.testing.assert_frame_equal(kept(tmp_path, 3, fails, strict=False), runs)
    assert not CALLS and store.status(tmp_path)["failed"].sum() == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"scale": 1.0}, {"scale": 100.0}),
        ({"load": pd.DataFrame({"a": [1, 2]})}, {"load": pd.DataFrame({"a": [1, 3]})}),
        *(
            ({"policy": make(3)}, {"policy": make(4)})
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
def test_sweeps_of_other_options_have_folders_of_their_own(tmp_path, monkeypatch, first, second):
    """Options, frames, closures, defaults of every kind and bound arguments tell them apart."""
    for options in (first, first, second):
        kept(tmp_path, 1, **options)
    kept(tmp_path, 1, design=DESIGN[:1], **first)
    sweep(counted, SMALL, DESIGN, 1, seed=9, progress=False, store=tmp_path, **first)
    assert len(list(tmp_path.iterdir())) == 4
    monkeypatch.setattr(store, "source_hash", lambda: "edited")
    with pytest.raises(ValueError, match=r"holds runs of other sources of perfkit \(\w+, not edit"):
        kept(tmp_path, 1, **first)


def test_two_at_one_sweep_do_not_double_it_and_two_sweeps_share_a_store(tmp_path):
    what = store.what_is_run(counted, {}, SMALL, DESIGN, 0)
    first = store.Kept(tmp_path, what, {"system": "unix_v6", "points": 2, "runs": 4})
    with pytest.raises(ValueError, match="Another process is at this very sweep in"):
        kept(tmp_path)
    kept(tmp_path, design=DESIGN[:1])
    first.close()
    assert len(kept(tmp_path)) == 4


def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path, monkeypatch):
    fine, left = os.replace, [3]

    def full(part, whole):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        fine(part, whole)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(RuntimeError, match=r"can't be written to \(No space left on device\); wha"):
        kept(tmp_path)
    done = sum(len(pd.read_parquet(file)) for file in files(tmp_path))
    assert done > 0 and not list(tmp_path.glob(f"**/{store.PART}*"))
    monkeypatch.setattr(os, "replace", fine)
    pd.testing.assert_frame_equal(kept(tmp_path), sweep(simulate, SMALL, DESIGN, 2, progress=False))
    assert len(CALLS) == 4 - done


def measuring(value):
    """Return what stands in for a simulator that measures a value."""
    return lambda *_: SimpleNamespace(measures=lambda: {"x": value})


@pytest.mark.parametrize("value", [np.arange(3), (1, 2), [1.0], {"a": 1}, 1j, pd.Timestamp(0)])
def test_a_measure_that_a_store_can_not_hold_is_refused(tmp_path, value):
    with pytest.raises(ValueError, match=r"can't hold the measure 'x', an? \w+; measures must be"):
        kept(tmp_path, simulated=measuring(value))
    assert not files(tmp_path)


@pytest.mark.parametrize("value", [np.float32(0.1), np.int8(3), np.True_, np.str_("a"), np.nan, 2])
def test_measures_and_tuples_of_parameters_come_back_as_they_were(tmp_path, value):
    design = pd.DataFrame({"process_clicks": [(300, 310, 320)]})
    for _ in range(2):
        runs = kept(tmp_path, 1, measuring(value), design)
        np.testing.assert_equal(runs["x"][0], value)
        assert runs["process_clicks"].tolist() == [(300, 310, 320)]


def slowed(parameters, seed):
    time.sleep(0.004)
    return simulate(parameters, seed)


def test_ten_kills_at_random_moments_lose_nothing_and_double_nothing(tmp_path):
    """Each kill hits a process that has just been forked into the sweep."""
    whole = sweep(slowed, SMALL, DESIGN, 100, progress=False)
    moments, kills = random.Random(1), 0
    for nth in range(10):  # later kills come later, for a machine that is busy
        child = os.fork()
        if child == 0:
            kept(tmp_path, 100, slowed)
            os._exit(0)
        time.sleep(moments.uniform(0.02, 0.25) * (1 + nth / 3))
        os.kill(child, signal.SIGKILL)
        kills += os.waitpid(child, 0)[1] == signal.SIGKILL
    assert kills >= 3
    assert files(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pd.testing.assert_frame_equal(kept(tmp_path, 100, slowed), whole)
    rows = pd.concat(map(pd.read_parquet, files(tmp_path)))
    assert len(rows) == 200 and not rows.duplicated(["point", "seed"]).any()


def test_of_a_function_its_whole_package_is_looked_at(tmp_path, monkeypatch):
    """An edit beside a study's residuals once left what they had come to before in the store."""
    package = tmp_path / "a_study"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "beside.py").write_text("FACTOR = 1.0\n")
    (package / "fit.py").write_text(
        "from a_study import beside\n"
        "from perfkit.systems.unix_v6 import simulate\n"
        "def observe(parameters, seed):\n"
        "    result = simulate(parameters, seed)\n"
        "    result.values['elapsed_s'] *= beside.FACTOR\n"
        "    return result\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    fit = importlib.import_module("a_study.fit")
    before = kept(tmp_path / "store", simulated=fit.observe)["elapsed_s"]
    (package / "beside.py").write_text("FACTOR = 2.0\n")
    monkeypatch.setattr(fit.beside, "FACTOR", 2.0)
    after = kept(tmp_path / "store", simulated=fit.observe)["elapsed_s"]
    assert after.tolist() == (2.0 * before).tolist()
