"""The SIM/61 tables have their cells, and the arithmetic of the print closes."""

import numpy as np
import pytest

from perfkit import published

KEY = "sim61"
SHAPES = {
    "table_1": (10, 17),
    "table_2": (4, 6),
    "table_3": (8, 11),
    "text_runs": (8, 5),
    "table_4": (7, 3),
    "table_5": (7, 5),
    "configurations": (9, 12),
    "load_n_to_1": (5, 5),
}
FREE = 1.7


def table(name):
    return published.table(KEY, name)


def claimed(name):
    return published.claims(KEY).set_index("id").loc[name, "value"]


@pytest.mark.parametrize("name", SHAPES)
def test_a_table_has_every_row_and_column(name):
    assert table(name).shape == SHAPES[name]


def test_table_1_counts_the_tasks_of_the_text_and_doubles_the_working_sets():
    load = table("table_1")
    tasks = load.groupby("task_type")["number"].sum()
    for kind in ("interactive", "batch", "communications"):
        assert tasks[kind] == claimed(f"{kind}_tasks")
    assert (load["virtual_pages"] == 2 * load["working_set_mean"]).all()


def test_table_2_explains_what_was_paged():
    devices = table("table_2").set_index("device")
    runs = table("table_3").merge(table("configurations").drop(columns="paging_configuration"))
    page_kb = claimed("page_bytes") / 1000
    for run in runs.itertuples():
        device = devices.loc[run.paging_device]
        transfer_ms = 1000 * page_kb / device["transfer_kb_s"]
        if "drum" in run.paging_device:
            page_ms = device["rotation_ms"]
        elif "disc" in run.paging_device:
            page_ms = device["seek_average_ms"] + device["rotation_ms"] / 2 + transfer_ms
        else:
            page_ms = transfer_ms
        limit = 1000 * run.paging_devices / page_ms
        assert 0.7 * limit < run.paging_pages_s <= limit
        if run.paging_configuration == "1 RCA 8567 drum":
            assert run.paging_pages_s > 0.99 * limit


def test_processor_time_of_table_3_sums_to_a_hundred():
    shares = table("table_3")[["user_cpu_percent", "overhead_percent", "idle_percent"]]
    np.testing.assert_allclose(shares.sum(axis=1), 100.0, atol=0.01)


def test_four_counts_of_interactions_are_lost():
    runs = table("table_3").set_index("run")
    known = runs["interactions"].dropna().to_dict()
    assert known == {4: 1003, 6: 2051, 7: 2157, 8: 2310}
    lost = runs.index[runs["interactions_source"] == "lost"]
    assert list(lost) == [1, 2, 3, 5]


def test_the_response_time_law_comes_near_the_known_interactions():
    load = table("table_1").query("task_type == 'interactive'")
    runs = table("table_3").dropna(subset="interactions")
    cycle_s = runs["response_s"].to_numpy()[:, None] + load["think_mean_s"].to_numpy()
    law = 540 * (load["number"].to_numpy() / cycle_s).sum(axis=1)
    off = law / runs["interactions"].to_numpy(float) - 1
    np.testing.assert_allclose(off, [0.026, -0.080, -0.074, 0.001], atol=0.001)


def test_schedulable_core_grows_2_6_times_and_so_do_active_tasks():
    resident = claimed("half_mb_pages") - claimed("schedulable_half")
    assert resident == claimed("one_mb_pages") - claimed("schedulable_one") == 48
    assert claimed("schedulable_one") / claimed("schedulable_half") == claimed("schedulable_ratio")
    assert round(claimed("active_one") / claimed("active_half"), 1) == claimed("active_ratio")


def test_the_paging_queue_obeys_littles_law_with_one_rate_of_faults():
    queues = table("text_runs").dropna(subset="paging_queue").set_index("run")
    faults = 1000 * queues["paging_queue"] / queues["paging_queue_ms"]
    assert faults[4] == pytest.approx(faults[3], rel=0.02)
    moved = table("table_3").set_index("run")["paging_pages_s"]
    assert (faults / moved[faults.index]).between(0.59, 0.61).all()
    for column, name in (("paging_queue", "queue"), ("paging_queue_ms", "time")):
        ratio = queues.loc[4, column] / queues.loc[3, column]
        assert round(ratio, 1) == claimed(f"paging_{name}_ratio")


def test_throughput_is_inverse_to_traverse_time():
    runs = table("table_3").merge(table("text_runs")).set_index("run")
    product = (runs["interactions"] * runs["paging_queue_ms"]).dropna().astype(float)
    assert product[4] == pytest.approx(product[6], rel=0.001)


def test_table_4_subtracts_the_free_activations():
    frame = table("table_4")
    assert frame["n"].astype(float).tolist() == [np.inf, 10, 7, 5, 3, 1, 0]
    less = (frame["n_measured"] - FREE).round(1)
    assert less.equals(frame["n_measured_less_free"])


def test_batch_elapsed_time_is_the_inverse_of_its_processor_share():
    frame = table("table_5").iloc[1:]
    ours = (1000 / frame["batch_cpu_percent"]).round()
    assert ours.tolist() == frame["batch_elapsed"].tolist()


def test_tables_4_and_5_agree_on_processor_time_per_batch_activation():
    frame = table("table_5").merge(table("table_4")).iloc[1:]
    rate = frame["interactions"] / 540
    seconds = frame["batch_cpu_percent"] / 100 * frame["n_measured"] / rate
    np.testing.assert_allclose(seconds, 1.007, rtol=0.012)
