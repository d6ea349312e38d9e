"""Tables of distributions: by hand, and what a table says is true of every sample behind it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.methods import distributions as d

LIMITS = [0.0, 10.0, 20.0]
demands = st.lists(st.integers(0, 60), min_size=3, max_size=40).filter(lambda v: max(v) > 20)


def classes_of(values):
    """Return shares of whole numbers in 0, 1-10, 11-20."""
    return np.diff(d.cumulative_table(values, LIMITS)["cdf"], prepend=0.0)


def test_shares_at_most_a_limit_by_hand():
    table = d.cumulative_table([0.05, 0.1, 0.2, 5.0], [0.1, 1.0, 10.0])
    assert table["count"].tolist() == [2, 3, 4]
    assert table["cdf"].tolist() == [0.5, 0.75, 1.0]


def test_a_joint_table_by_hand():
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


@given(demands)
def test_moments_lie_within_what_the_classes_allow(values):
    values = np.array(values, float)
    shares = [*classes_of(values), np.mean(values > 20)]
    bounds = d.moment_bounds([0, 1, 11, 21], [0, 10, 20, np.inf], shares)
    for row, power in {"mean": 1, "mean_square": 2}.items():
        least, most = bounds.loc[row, ["least", "most"]]
        assert least <= np.mean(values**power) + 1e-9 <= most + 2e-9
    assert (bounds["least"] <= bounds["middle"]).all()


@given(demands)
def test_the_open_class_holds_what_the_closed_ones_leave(values):
    values = np.array(values, float)
    beyond = values[values > 20]
    found = d.open_class([0, 1, 11], [0, 10, 20], classes_of(values), values.mean(), values.std())
    for row, true in {"mean": beyond.mean(), "root_mean_square": (beyond**2).mean() ** 0.5}.items():
        assert found.loc[row, "least"] <= true + 1e-6
        assert true <= found.loc[row, "most"] + 1e-6


def test_a_contradiction_of_table_and_moments_shows():
    found = d.open_class([0.0], [10.0], [0.5], mean=4.0, sd=1.0)
    assert found.loc["mean", "most"] == 8.0
    assert found.loc["mean", "least"] == 10.0


def test_class_correlation_and_means_are_those_of_the_sample_behind():
    counts = np.array([[5, 2, 0], [1, 4, 3]])
    x, y = np.array([0.0, 5.0]), np.array([1.0, 2.0, 7.0])
    i, j = np.repeat(np.indices(counts.shape).reshape(2, -1), counts.ravel(), axis=1)
    expected = np.corrcoef(x[i], y[j])[0, 1]
    assert d.class_correlation(counts / 15, x, y) == pytest.approx(expected)
    assert d.class_correlation(counts, x, y) == pytest.approx(expected)
    means = d.conditional_means(pd.DataFrame(counts / 15, index=["low", "high"]), y)
    assert means["low"] == pytest.approx(y[j][i == 0].mean())
    assert means["all"] == pytest.approx(y[j].mean())


def test_moments_of_skewed_values():
    found = d.moments([1.0, 1.0, 1.0, 9.0])
    assert found["mean"] == 3.0 and found["median"] == 1.0
    assert found["coefficient_of_variation"] == pytest.approx(4.0 / 3.0)
    assert found["skewness"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: d.cumulative_table([], [1]), "at least one value"),
        (lambda: d.cumulative_table([np.nan], [1]), "none that is missing"),
        (lambda: d.cumulative_table([1], [2, 1]), "must grow"),
        (lambda: d.cumulative_table([1], [np.nan]), "must grow"),
        (lambda: d.moment_bounds([0], [1], [0.5]), "add up to 1"),
        (lambda: d.moment_bounds([2], [1], [1.0]), "the least one first"),
        (lambda: d.moment_bounds([0, 1], [1], [1.0]), "Each class"),
        (lambda: d.moment_bounds([0, 1], [1, 2], [-0.5, 1.5]), "a share of 0 or more"),
        (lambda: d.open_class([0], [1], [1.0], 1, 1), "less than 1"),
        (lambda: d.open_class([0], [1], [0.5], 1, -5), "sd must be a finite number of 0 or more"),
        (lambda: d.open_class([0], [1], [0.5], 1, np.nan), "sd must be a finite number"),
        (lambda: d.open_class([0], [1], [0.5], np.nan, 1), "mean must be a finite number"),
        (
            lambda: d.joint_table(pd.DataFrame({"a": [1.0]}), "a", "b", [1], [1]),
            "no column 'b'",
        ),
        (lambda: d.conditional_means(pd.DataFrame([[1.0]]), [1, 2]), "as many values"),
    ],
)
def test_bad_input_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
