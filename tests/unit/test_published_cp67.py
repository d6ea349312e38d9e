"""The CP-67 tables have their cells, and the arithmetic of the print closes."""

import datetime

import numpy as np
import pytest

from perfkit import published

KEY = "cp67"


def table(name, readings=False):
    return published.table(KEY, name, readings=readings)


def claimed(name):
    return published.claims(KEY).set_index("id").loc[name, "value"]


def test_the_reading_at_20_users_is_what_the_other_waits_give():
    printed = table("table_1").set_index("users")["wait_s"]
    read = table("table_1", readings=True).set_index("users")["wait_s"]
    assert (printed[20], read[20]) == (100, 199)
    assert printed.drop(20).equals(read.drop(20))
    others = printed.loc[11:27].drop(20)
    slope, intercept = np.polyfit(others.index, np.log10(others), 1)
    assert slope == pytest.approx(-0.07, abs=0.0002)
    assert 10 ** (intercept + 20 * slope) == pytest.approx(read[20], abs=0.6)
    assert (read.diff().dropna() < 0).all()


def test_table_2_has_its_sums_and_mixed_asks_a_third_of_the_io():
    work = table("table_2").set_index("benchmark")
    assert work.sum().tolist() == [1511, 300, 34]
    assert 3 * work.loc["mixed", "virtual_sio"] == work.loc["io_bound", "virtual_sio"]
    assert (work.loc[["trivial", "cpu_bound"], "virtual_sio"] == 0).all()
    assert (work.loc[["trivial", "cpu_bound"], "pages_referenced"] == 1).all()


def test_only_mixed_is_decided_by_the_choice_of_t1():
    cpu = table("table_2").set_index("benchmark")["virtual_cpu_ms"]
    between = cpu[(cpu > claimed("t1_low")) & (cpu <= claimed("t1_high"))]
    assert between.index.tolist() == ["mixed"]
    assert (cpu < claimed("t2_low")).all()


def test_pages_stay_for_frames_over_reads():
    stay_s = claimed("user_frames") / claimed("page_read_rate")
    assert stay_s == claimed("page_residence") == claimed("replacement_residence")


def test_batches_make_the_cycles_and_the_discards():
    runs = table("experiments").set_index("experiment")
    assert table("versions").groupby("experiment").size().equals(runs["versions"])
    assert runs.loc[2, "versions"] * runs.loc[2, "batch_observations"] == claimed("slice_cycle")
    assert runs.loc[2, "cycle_observations"] == claimed("slice_cycle")
    assert runs.loc[3, "batch_observations"] == claimed("p0_successive")
    assert runs.loc[1, "duration"] == claimed("replacement_days")
    assert runs.loc[2, "duration"] == claimed("slice_weeks")
    assert 100 / claimed("shortest_batch") == claimed("shortest_batch_discards")
    for experiment, name in ((1, "replacement"), (2, "slice")):
        row = runs.loc[experiment]
        assert row["batch_observations"] == claimed(f"{name}_batch")
        assert row["discarded_observations"] == claimed(f"{name}_discarded")


def test_the_algorithms_are_those_of_the_two_versions():
    compared = table("versions").dropna(subset="algorithm").set_index("algorithm")
    assert compared["cp67_version"].astype(float).to_dict() == {
        1: claimed("alg_1_version"),
        2: claimed("alg_2_version"),
    }


def test_slices_are_a_full_factorial_and_p0_lies_in_its_range():
    versions = table("versions").set_index("experiment")
    slices = versions.loc[2, ["t1_ms", "t2_ms"]]
    wanted = {
        (claimed(t1), claimed(t2)) for t1 in ("t1_low", "t1_high") for t2 in ("t2_low", "t2_high")
    }
    assert set(slices.itertuples(index=False, name=None)) == wanted
    assert versions.loc[3, "p0"].tolist() == [
        claimed(name) for name in ("p0_first", "p0_second", "p0_third")
    ]
    bounds = published.claims(KEY).set_index("id").loc["p0_range"]
    assert versions["p0"].dropna().between(bounds["value"], bounds["value_high"]).all()
    assert versions.loc[3, "p0"].iloc[1] == claimed("usual_p0")


def test_the_days_are_one_week_without_its_wednesday():
    days = table("days")
    dates = [datetime.date(*day) for day in days[["year", "month", "day"]].to_numpy().tolist()]
    assert [day.isoformat() for day in dates] == days["date"].tolist()
    assert [day.isoweekday() for day in dates] == [1, 2, 4, 5]
    assert days["response"].tolist() == ["fast", "fast", "slow", "slow"]


def test_the_alternate_days_balance_weekdays_and_drift():
    plan = table("alternate_days")
    assert (plan.groupby(["weekday", "version"]).size() == 1).all()
    assert (plan.groupby("version").size() == claimed("alternate_days_each")).all()
    day = plan["weekday"].map({"Monday": 1, "Tuesday": 2, "Wednesday": 3, "Thursday": 4})
    assert (day.groupby([plan["week"], plan["version"]]).sum() == 5).all()


def test_the_figures_left_only_words():
    figures = table("figures")
    assert figures["figure"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert set(figures["image"]) == {"lost"}
