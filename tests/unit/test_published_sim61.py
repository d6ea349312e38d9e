"""The SIM/61 tables have their cells, and the arithmetic of the print closes."""

import numpy as np
import pytest

from perfkit import published

KEY = "sim61"


def table(name):
    return published.table(KEY, name)


def claimed(name):
    return published.claims(KEY).set_index("id").loc[name, "value"]


def test_table_1_counts_the_tasks_of_the_text_and_doubles_the_working_sets():
    load = table("table_1")
    tasks = load.groupby("task_type")["number"].sum()
    for kind in ("interactive", "batch", "communications"):
        assert tasks[kind] == claimed(f"{kind}_tasks")
    assert (load["virtual_pages"] == 2 * load["working_set_mean"]).all()


def test_processor_time_of_table_3_sums_to_a_hundred():
    shares = table("table_3")[["user_cpu_percent", "overhead_percent", "idle_percent"]]
    np.testing.assert_allclose(shares.sum(axis=1), 100.0, atol=0.01)


def test_four_counts_of_interactions_are_lost():
    runs = table("table_3").set_index("run")
    known = runs["interactions"].dropna().to_dict()
    assert known == {4: 1003, 6: 2051, 7: 2157, 8: 2310}
    lost = runs.index[runs["interactions_source"] == "lost"]
    assert list(lost) == [1, 2, 3, 5]


def test_throughput_is_inverse_to_traverse_time():
    runs = table("table_3").merge(table("text_runs")).set_index("run")
    product = (runs["interactions"] * runs["paging_queue_ms"]).dropna().astype(float)
    assert product[4] == pytest.approx(product[6], rel=0.001)
