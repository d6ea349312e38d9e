"""Principal components, transaction classes and clusters: laws, statsmodels, separated groups."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg
from statsmodels.multivariate.pca import PCA

from perfkit.methods import characterisation as c


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


def blobs(seed=0):
    rng = np.random.default_rng(seed)
    sizes, centres = (60, 30, 20), ([0, 0], [8, 0], [0, 8])
    parts = [np.array(at) + rng.normal(size=(n, 2)) for n, at in zip(sizes, centres, strict=True)]
    truth = np.repeat([1, 2, 3], sizes)
    return pd.DataFrame(np.vstack(parts), columns=["x", "y"]), truth


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_components_turn_the_variables_and_keep_their_variance(seed):
    frame = related(seed)
    found = c.principal_components(frame)
    loadings, values = found.loadings.to_numpy(), found.variance["eigenvalue"].to_numpy()
    np.testing.assert_allclose(loadings.T @ loadings, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(loadings * values @ loadings.T, frame.corr(), atol=1e-12)
    np.testing.assert_allclose(found.scores.cov(), np.diag(values), atol=1e-10)
    assert values.sum() == pytest.approx(4.0) and (np.diff(values) <= 0).all()
    assert found.variance["cumulative"].iloc[-1] == pytest.approx(1.0)
    for name in frame:
        expected = np.corrcoef(frame[name], found.scores["PC1"])[0, 1]
        assert found.correlations.loc[name, "PC1"] == pytest.approx(expected)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.floats(0.01, 100.0))
def test_units_do_not_matter(seed, factor):
    frame = related(seed)
    other = c.principal_components(frame.assign(pages=factor * frame["pages"] - 3.0))
    np.testing.assert_allclose(other.loadings, c.principal_components(frame).loadings, atol=1e-7)


def test_components_are_those_of_statsmodels():
    frame = related(1)
    theirs = PCA(frame, standardize=True, normalize=False)
    ours = c.principal_components(frame)
    sizes = ours.loadings.abs().to_numpy()
    np.testing.assert_allclose(sizes, np.abs(theirs.loadings.to_numpy()), atol=1e-10)
    np.testing.assert_allclose(ours.variance["share"], theirs.eigenvals / theirs.eigenvals.sum())


def test_two_variables_by_hand():
    table = pd.DataFrame([[1.0, -0.6], [-0.6, 1.0]], index=["a", "b"], columns=["a", "b"])
    found = c.components_of(table)
    np.testing.assert_allclose(found.variance["eigenvalue"], [1.6, 0.4])
    np.testing.assert_allclose(found.loadings.abs(), 0.5**0.5)
    assert found.scores is None


def test_chance_components_are_told_from_others():
    """Unrelated variables would keep a component in one seed of 20."""
    assert c.parallel_analysis(related(2))["kept"].tolist() == [True, False, False, False]
    noise = pd.DataFrame(np.random.default_rng(3).normal(size=(80, 5)))
    assert not c.parallel_analysis(noise)["kept"].any()


def test_chance_has_no_relations_whatever_the_data_have():
    alike, noise = related(4, rows=300), np.random.default_rng(4).normal(size=(300, 4))
    by_chance = [c.parallel_analysis(pd.DataFrame(x))["by_chance"] for x in (alike, noise)]
    np.testing.assert_allclose(by_chance[0].to_numpy(), by_chance[1].to_numpy(), rtol=0.05)


def test_no_component_is_kept_after_one_that_is_not():
    """Uncorrelated columns: all eigenvalues are 1, below chance first and above it last."""
    square = pd.DataFrame(linalg.hadamard(8)[:, 1:5]).astype(float)
    table = c.parallel_analysis(square)
    assert table["eigenvalue"].iloc[-1] > table["by_chance"].iloc[-1]
    assert not table["kept"].any()


def test_the_papers_classes_by_hand():
    reads, writes = [0, 5, 5, 0, 4], [0, 0, 6, 2, 6]
    assert c.data_moved(reads, writes).tolist() == ["none", "in", "in and out", "out", "in and out"]
    typical = c.is_typical([0.1, 0.2, 0.1, 0.19, 0.1], reads, writes)
    assert typical.tolist() == [True, False, False, True, True]


@pytest.mark.parametrize("index", [[7, 3, 9, 0, 4], [2, 2, 2, 1, 1]])
def test_classes_keep_the_index_of_the_transactions(index):
    frame = pd.DataFrame({"s": [0.1, 0.2, 0.1, 0.19, 0.1], "r": [0, 5, 5, 0, 4]}, index)
    frame["w"] = [0, 0, 6, 2, 6]
    found = frame.assign(
        moved=c.data_moved(frame["r"], frame["w"]),
        typical=c.is_typical(frame["s"], frame["r"], frame["w"]),
        cluster=c.clusters(frame, 2),
    )
    assert found["moved"].tolist() == ["none", "in", "in and out", "out", "in and out"]
    assert found["typical"].tolist() == [True, False, False, True, True]
    assert found["cluster"].tolist() == c.clusters(frame.reset_index(drop=True), 2).tolist()
    quality = c.cluster_quality(frame, [2])
    pd.testing.assert_frame_equal(quality, c.cluster_quality(frame.reset_index(drop=True), [2]))


def test_a_class_table_by_hand():
    frame = pd.DataFrame({"cpu_s": [1.0, 3.0, 16.0], "reads": [0.0, 2.0, 2.0]})
    table = c.class_table(frame, ["short", "short", "long"], ["cpu_s", "reads"])
    short = table.loc["short"]
    assert short["count"] == 2 and short["share"] == pytest.approx(2 / 3)
    assert short["cpu_s"] == 2.0 and short["cpu_s_share"] == pytest.approx(0.2)
    assert short["cpu_s_variation"] == pytest.approx(2.0**0.5 / 2.0)
    assert table["reads_share"].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["kmeans", "ward"])
def test_separated_groups_are_found(method):
    frame, truth = blobs()
    labels = c.clusters(frame, 3, method=method)
    assert (labels.to_numpy() == truth).all()
    quality = c.cluster_quality(frame, [2, 3, 4, 5], method=method)
    assert quality["pseudo_f"].idxmax() == 3
    assert quality["between"].is_monotonic_increasing
    moved = frame.assign(x=100.0 * frame["x"] + 7.0)
    assert labels.equals(c.clusters(moved, 3, method=method))


def two_points():
    return pd.DataFrame({"x": [0.0] * 4 + [1.0] * 4})


def test_the_pseudo_f_by_hand():
    frame = pd.DataFrame({"x": [0.0, 1.0, 10.0, 11.0]})
    row = c.cluster_quality(frame, [2]).loc[2]
    # Within 0.5 + 0.5, between 4 * 25, in the same unit.
    assert row["between"] == pytest.approx(100.0 / 101.0)
    assert row["pseudo_f"] == pytest.approx(200.0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: c.principal_components(related(1).assign(x=1.0)), "A constant .*: x"),
        (lambda: c.principal_components(related(1).head(2)), "Three rows"),
        (lambda: c.components_of(pd.DataFrame([[1.0, 2.0], [2.0, 1.0]])), "an eigenvalue is -1"),
        (lambda: c.components_of(pd.DataFrame([[1.0, 0.2], [0.1, 1.0]])), "symmetric"),
        (lambda: c.components_of(pd.DataFrame([[1.0, np.nan], [np.nan, 1.0]])), "all known"),
        (lambda: c.clusters(blobs()[0], 1), "2 to 109"),
        (lambda: c.clusters(blobs()[0], 2.5), "2 to 109 here; 2.5 is not"),
        (lambda: c.clusters(blobs()[0], 2, starts=0), "starts must be a whole number of 1 or"),
        (lambda: c.principal_components(related(1), []), "Name one variable or more"),
        (lambda: c.parallel_analysis(related(1), resamples=0), "resamples must be a whole num"),
        (lambda: c.parallel_analysis(related(1), quantile=95), "quantile must be a number from 0"),
        (lambda: c.class_table(related(1), [1] * 60, ["io"]), "no column 'io'"),
        (lambda: c.class_table(related(1), [1] * 59, ["cpu"]), "60 rows need as many classes"),
        (lambda: c.class_table(related(1), [np.nan] + [1] * 59, ["cpu"]), "1 of 60 rows lack a cl"),
        (lambda: c.clusters(two_points(), 4), "do not fall into 4 classes"),
        (lambda: c.clusters(two_points(), 4, method="ward"), "do not fall into 4 classes"),
        (lambda: c.clusters(blobs()[0], 2, method="em"), "'kmeans' or 'ward'"),
    ],
)
def test_bad_input_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
