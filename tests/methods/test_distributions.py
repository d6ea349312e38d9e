"""Tables of distributions: by hand, and what a table says is true of every sample behind it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.methods import distributions as d

LIMITS = [0.0, 10.0, 20.0]
demands = st.lists(st.integers(0, 60), min_size=3, max_size=40).filter(lambda v: max(v) > 20)


def test_cumulative_and_joint_tables_by_hand():
    table = d.cumulative_table([0.05, 0.1, 0.2, 5.0], [0.1, 1.0, 10.0])
    assert table["count"].tolist() == [2, 3, 4]
    assert table["cdf"].tolist() == [0.5, 0.75, 1.0]
    frame = pd.DataFrame({"reads": [0, 0, 5, 10, 11], "writes": [0, 3, 0, 40, 0]})
    table = d.joint_table(frame, "reads", "writes", [0, 10], [0, 10])
    assert list(table.index) == list(table.columns) == ["<=0", "0-10", ">10"]
    assert (table.index.name, table.columns.name) == ("reads", "writes")
    np.testing.assert_allclose(table, [[0.2, 0.2, 0.0], [0.2, 0.0, 0.2], [0.2, 0.0, 0.0]])


@given(demands, st.integers(0, 1000))
def test_margins_of_a_joint_table_are_the_cumulative_tables(values, seed):
    other = np.random.default_rng(seed).permutation(values)
    frame = pd.DataFrame({"a": values, "b": other})
    table = d.joint_table(frame, "a", "b", LIMITS, LIMITS)
    margin = d.cumulative_table(values, LIMITS)["cdf"]
    np.testing.assert_allclose(table.sum(axis=1).cumsum().iloc[:-1], margin)
    np.testing.assert_allclose(table.sum(axis=0).cumsum().iloc[:-1], margin)


def test_conditional_means_are_those_of_the_sample_behind():
    counts = np.array([[5, 2, 0], [1, 4, 3]])
    y = np.array([1.0, 2.0, 7.0])
    i, j = np.repeat(np.indices(counts.shape).reshape(2, -1), counts.ravel(), axis=1)
    means = d.conditional_means(pd.DataFrame(counts / 15, index=["low", "high"]), y)
    assert means["low"] == pytest.approx(y[j][i == 0].mean())
    assert means["all"] == pytest.approx(y[j].mean())
