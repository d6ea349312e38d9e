"""Components, classes, clusters and tables of distributions: laws, statsmodels, by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.methods import characterisation as c
from perfkit.methods import distributions as d


def related(seed, rows=60):
    """Return four variables of different size, three of which share a cause."""
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=rows)
    return pd.DataFrame(
        {
            "cpu": 5.0 + cause + 0.5 * rng.normal(size=rows),
            "pages": 100.0 * cause + 70.0 * rng.normal(size=rows),
            "reads": cause + rng.normal(size=rows),
            "lines": rng.exponential(size=rows),
        }
    )


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_components_turn_the_variables_and_keep_their_variance(seed):
    frame = related(seed)
    found = c.principal_components(frame)
    loadings, values = found.loadings.to_numpy(), found.variance["eigenvalue"].to_numpy()
    assert (loadings.max(axis=0) == np.abs(loadings).max(axis=0)).all()
    np.testing.assert_allclose(loadings.T @ loadings, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(loadings * values @ loadings.T, frame.corr(), atol=1e-12)
    np.testing.assert_allclose(found.scores.cov(), np.diag(values), atol=1e-10)
    assert values.sum() == pytest.approx(4.0) and (np.diff(values) <= 0).all()
    assert found.variance["cumulative"].iloc[-1] == pytest.approx(1.0)
    for name in frame:
        expected = np.corrcoef(frame[name], found.scores["PC1"])[0, 1]
        assert found.correlations.loc[name, "PC1"] == pytest.approx(expected)


def test_variables_that_say_the_same_leave_a_component_of_nothing():
    """Rounding makes some of the last eigenvalues negative."""
    for seed in range(5):
        frame = related(seed).assign(
            both=lambda f: f["cpu"] + f["reads"], twice=lambda f: -f["cpu"]
        )
        found = c.principal_components(frame)
        assert found.variance["eigenvalue"].iloc[-2:].between(0.0, 1e-12).all()
        assert found.correlations.notna().all(axis=None)


def test_other_columns_than_those_asked_for_do_not_matter():
    frame, names = related(6), ["lines", "pages"]
    wider = frame.assign(user="a")
    found = c.principal_components(wider, names).scores
    pd.testing.assert_frame_equal(found, c.principal_components(frame[names]).scores)
    assert c.clusters(wider, 3, names).equals(c.clusters(frame[names], 3))
    assert c.cluster_quality(wider, [2], names).equals(c.cluster_quality(frame[names], [2]))


@pytest.mark.parametrize("index", [[7, 3, 9, 0, 4], [2, 2, 2, 1, 1]])
def test_classes_keep_the_index_of_the_transactions(index):
    frame = pd.DataFrame({"s": [0.1, 0.2, 0.1, 0.19, 0.1], "r": [0, 5, 5, 0, 4]}, index)
    frame["w"] = [0, 0, 6, 2, 6]
    found = frame.assign(moved=c.data_moved(frame["r"], frame["w"]), cluster=c.clusters(frame, 2))
    assert found["moved"].tolist() == ["none", "in", "in and out", "out", "in and out"]
    assert found["cluster"].tolist() == c.clusters(frame.reset_index(drop=True), 2).tolist()
    assert found["moved"].cat.categories.tolist() == ["none", "in", "in and out", "out"]
    quality = c.cluster_quality(frame, [2])
    pd.testing.assert_frame_equal(quality, c.cluster_quality(frame.reset_index(drop=True), [2]))


def test_a_class_table_and_the_pseudo_f_by_hand():
    frame = pd.DataFrame({"cpu_s": [1.0, 3.0, 16.0], "reads": [0.0, 2.0, 2.0]})
    table = c.class_table(frame, ["short", "short", "long"], ["cpu_s", "reads"])
    short = table.loc["short"]
    assert short["count"] == 2 and short["share"] == pytest.approx(2 / 3)
    assert short["cpu_s"] == 2.0 and short["cpu_s_share"] == pytest.approx(0.2)
    assert short["cpu_s_variation"] == pytest.approx(2.0**0.5 / 2.0)
    assert table["reads_share"].sum() == pytest.approx(1.0)
    frame = pd.DataFrame({"x": [0.0, 1.0, 10.0, 11.0]})
    row = c.cluster_quality(frame, [2]).loc[2]
    # Within 0.5 + 0.5, between 4 * 25, in the same unit.
    assert row["between"] == pytest.approx(100.0 / 101.0)
    assert row["pseudo_f"] == pytest.approx(200.0)


def test_separated_groups_are_found():
    rng, sizes, centres = np.random.default_rng(0), (60, 30, 20), ([0, 0], [8, 0], [0, 8])
    parts = [np.array(at) + rng.normal(size=(n, 2)) for n, at in zip(sizes, centres, strict=True)]
    frame = pd.DataFrame(np.vstack(parts), columns=["x", "y"])
    labels = c.clusters(frame, 3)
    assert labels.tolist() == np.repeat([1, 2, 3], sizes).tolist()
    quality = c.cluster_quality(frame, [2, 3, 4, 5])
    assert quality["pseudo_f"].idxmax() == 3
    assert quality["between"].is_monotonic_increasing
    moved = frame.assign(x=100.0 * frame["x"] + 7.0)
    assert labels.equals(c.clusters(moved, 3))


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
