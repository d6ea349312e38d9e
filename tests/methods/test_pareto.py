"""Pareto-maximal observations: against the definition, by hand, and their region."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.methods import pareto

POINTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40)


def frame(points):
    return pd.DataFrame(points, columns=["cpu", "io"], dtype=float)


@given(POINTS)
def test_maximal_is_as_the_paper_defines_it(points):
    by_definition = [not any(u > x and v > y for u, v in points) for x, y in points]
    assert pareto.pareto_maximal(frame(points), "cpu", "io").tolist() == by_definition


@given(POINTS, st.integers(0, 10))
def test_attained_is_the_best_with_at_least_so_much(points, level):
    best = max([y for x, y in points if x >= level], default=0.0)
    assert pareto.attained(frame(points), "cpu", "io", [level]) == [best]


@given(POINTS)
def test_the_region_is_the_area_under_what_is_attained(points):
    grid = np.arange(1, 10)
    area = pareto.attained(frame(points), "cpu", "io", grid).sum()
    assert pareto.region(frame(points), "cpu", "io") == pytest.approx(area)


def test_a_staircase_its_band_and_regions_by_hand():
    points = frame([(1, 3), (2, 2), (3, 1), (1, 1)])
    assert pareto.frontier(points, "cpu", "io").to_numpy().tolist() == [[1, 3], [2, 2], [3, 1]]
    assert pareto.region(points, "cpu", "io") == 3 + 2 + 1
    points = frame([(1, 2), (2, 2), (1, 3), (1, 3)]).assign(run=[0, 0, 1, 1], version=[0, 1, 0, 1])
    found = pareto.compare_regions(points, "cpu", "io")
    assert found.to_numpy().tolist() == [[2, 4, 2, 1], [3, 3, 1, 1]]
    points = pd.DataFrame({"run": [0, 1], "cpu": [2.0, 2.0], "io": [1.0, 3.0]})
    band = pareto.attained_band(points, "cpu", "io", [1.0, 3.0])
    assert band["mean"].tolist() == [2.0, 0.0]
    assert band["half_width"].iloc[0] > 1.0


@pytest.mark.parametrize("column", ["cpu", "io", "run"])
def test_a_missing_value_is_refused_everywhere(column):
    points = frame([(1, 3), (2, 2), (3, 1)]).assign(run=0, version=[0, 1, 1])
    assert pareto.pareto_maximal(points.set_axis([0, 0, 0]), "cpu", "io").all()
    points.loc[1, column] = np.nan
    of_runs = (lambda *xy: pareto.attained_band(*xy, [1.0]), pareto.compare_regions)
    of_all = (of_runs[0], pareto.pareto_maximal, pareto.frontier, pareto.region)
    for call in of_runs if column == "run" else of_all:
        with pytest.raises(ValueError, match=r"1 of 3 (observations lack cpu or io|rows lack run)"):
            call(points, "cpu", "io")


def test_equal_versions_have_equal_regions_on_average():
    rng = np.random.default_rng(4)
    many = pd.DataFrame(
        {
            "run": np.repeat(np.arange(60), 50),
            "version": rng.integers(0, 2, 3000),
            "cpu": rng.random(3000),
            "io": rng.random(3000),
        }
    )
    ratios = np.log(pareto.compare_regions(many, "cpu", "io")["ratio"])
    # A t value beyond 3 happens once in 250 if all is well.
    assert abs(ratios.mean()) < 3 * ratios.std() / np.sqrt(60)


def test_an_empty_region_has_no_ratio_and_the_seed_says_what_is_left_out():
    points = frame([(0, 0), (2, 3)]).assign(run=0, version=[0, 1])
    found = pareto.compare_regions(points, "cpu", "io").loc[0]
    assert found[["first", "second"]].tolist() == [0.0, 6.0] and np.isnan(found["ratio"])
    other = pareto.compare_regions(points.assign(version=[1, 0]), "cpu", "io")
    assert other.loc[0, "ratio"] == 0.0
    rng = np.random.default_rng(0)
    points = pd.DataFrame({"run": 0, "version": 0, "cpu": rng.random(40), "io": rng.random(40)})
    points.loc[:4, "version"] = 1
    first, again, other = (
        pareto.compare_regions(points, "cpu", "io", seed=seed).loc[0] for seed in (1, 1, 2)
    )
    assert first.equals(again) and first["first"] != other["first"]
    assert first["second"] == other["second"] and first["observations"] == 5
