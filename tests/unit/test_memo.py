"""The memo gives the very results, and none that another source, table or policy would."""

import sys
from pathlib import Path

import numpy as np
import pytest

from perfkit.des import memo
from perfkit.systems import SYSTEMS, emas, unix_v6
from studies.emas import runs as study

SMALL = unix_v6.Parameters(processes=3, interactions=5)


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """Switch the memo on, in a folder of its own, for runs of any length; return what counts."""
    counts = tmp_path / "counts"
    monkeypatch.setenv(memo.SETTING, str(tmp_path))
    monkeypatch.setenv(memo.COUNTED, str(counts))
    monkeypatch.setattr(memo, "LEAST_S", 0.0)
    return lambda: counts.read_bytes().decode()


def files(tmp_path):
    return list((tmp_path / "runs").glob("*/*"))


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_run_is_made_once_and_then_the_same_to_the_bit(key, kept):
    first, again = (SYSTEMS[key].module().simulate(seed=4) for _ in range(2))
    assert kept() == "mt"
    assert again.parameters == first.parameters and again.seed == first.seed
    np.testing.assert_equal(again.values, first.values)
    assert list(again.values) == list(first.values)
    assert first.tables.keys() == again.tables.keys() and type(again) is type(first)
    for name, table in first.tables.items():
        np.testing.assert_equal(again.tables[name], table)
        assert type(again.tables[name]) is type(table)


def test_another_source_seed_parameter_or_table_is_another_run(kept, monkeypatch):
    work = unix_v6.draw_workload(SMALL, 9)
    other = unix_v6.draw_workload(SMALL, 8)
    for options in ({}, {"workload": work}, {"workload": other}, {"workload": work}):
        unix_v6.simulate(SMALL, 4, **options)
    assert kept() == "mmmt"
    unix_v6.simulate(SMALL, 5)
    unix_v6.simulate(SMALL.replace(buffers=21), 4)
    assert kept() == "mmmtmm"


def test_another_source_of_its_own_is_another_run(kept, monkeypatch):
    for edited in ("nothing", "core", "des", "unix_v6", "sim61", "methods"):
        monkeypatch.setattr(memo, "source_hash", lambda path, name=edited: path.name == name)
        memo.remembered(unix_v6.simulate.__wrapped__)(SMALL, 4)
    assert kept() == "mmmmtt"


def test_an_observation_is_another_with_other_sources_of_studies_or_other_data(kept, monkeypatch):
    observe = study.traced_values.__wrapped__
    short = emas.Parameters(users=5, settle_s=10.0, measured_s=60.0)
    for edited in ("nothing", "perfkit", "studies", "data", "template"):
        monkeypatch.setattr(memo, "source_hash", lambda path, name=edited: path.name == name)
        memo.remembered(observe, Path("data"))(short, 1)
    assert kept().replace("mm", "M") == "MMMMt"  # one made counts its traced run, too


def test_what_goes_by_its_name_alone_tells_no_run(kept, monkeypatch):
    class Own(unix_v6.Workload):
        pass

    work = unix_v6.draw_workload(SMALL, 9)
    for _ in range(2):
        unix_v6.simulate(SMALL, 4, workload=Own(*work))
    monkeypatch.setitem(sys.modules, memo.RELOADER, memo)
    unix_v6.simulate(SMALL, 4)
    assert kept() == "mmm"


def test_a_run_with_a_policy_or_a_trace_is_always_made(kept, tmp_path):
    @unix_v6.victim_policy
    def first(processes, wanted, minimum_time_out_s, minimum_time_in_s):
        return -1

    for options in ({"trace": 10}, {"victim": first}):
        for _ in range(2):
            unix_v6.simulate(SMALL, 4, **options)
    assert kept() == "mmmm" and not files(tmp_path)


def test_a_damaged_run_is_made_anew_and_off_is_off(kept, monkeypatch, tmp_path):
    first = unix_v6.simulate(SMALL, 4)
    (file,) = files(tmp_path)
    for spoilt in (file.read_bytes()[:-1], b"", file.read_bytes().replace(b"v6", b"v7")):
        file.write_bytes(spoilt)
        assert unix_v6.simulate(SMALL, 4).values == first.values
    assert kept() == "mmmm"
    monkeypatch.setenv(memo.SETTING, memo.OFF)
    unix_v6.simulate(SMALL, 4)
    assert kept() == "mmmmm" and memo.told(tmp_path / "counts").startswith("0 of 5 runs")


def test_what_was_not_asked_for_longest_goes_first(kept, tmp_path):
    for seed in range(3):
        unix_v6.simulate(SMALL, seed)
    unix_v6.simulate(SMALL, 0)
    size = max(file.stat().st_size for file in files(tmp_path))
    memo.trim(2 * size)
    assert len(files(tmp_path)) == 2
    unix_v6.simulate(SMALL, 0)
    assert kept() == "mmmtt"
