"""Designs: what their rows are, and that they come back from a file without loss."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit import designs
from perfkit.systems.unix_v6 import Parameters


def test_a_factorial_has_every_combination_and_a_fraction_the_products_of_signs():
    full = designs.factorial({"a": [1, 2, 3], "b": ["x", "y"]})
    assert full.to_numpy().tolist() == [[a, b] for a in (1, 2, 3) for b in ("x", "y")]
    factors = {name: (0, 1) for name in "abc"} | {"d": ("off", "on")}
    half = designs.fractional(factors, {"d": "abc"})
    assert len(half) == 8 and list(half) == list("abcd")
    signs = np.where(half[list("abc")] == 1, 1, -1).prod(axis=1)
    assert ((half["d"] == "on") == (signs > 0)).all()


@given(st.integers(2, 40), st.integers(0, 5))
def test_a_latin_hypercube_has_one_point_in_each_part_of_each_range(points, seed):
    design = designs.latin_hypercube({"x": (0.0, 1.0), "n": (1, points)}, points, seed)
    assert sorted((design["x"] * points).astype(int)) == list(range(points))
    assert sorted(design["n"]) == list(range(1, points + 1))


@given(st.integers(0, 6), st.integers(0, 5))
def test_a_sobol_sequence_is_balanced(power, seed):
    design = designs.sobol({"x": (-2.0, 2.0), "n": (3, 6)}, 2**power, seed)
    assert sorted(((design["x"] + 2.0) / 4.0 * 2**power).astype(int)) == list(range(2**power))
    assert design["n"].between(3, 6).all()


def test_one_at_a_time_begins_with_the_machine_as_it_is():
    design = designs.one_at_a_time(Parameters(), {"buffers": [10, 40], "discipline": ["FCFS"]})
    assert design.to_numpy().tolist() == [
        [20, "LOOK"], [10, "LOOK"], [40, "LOOK"], [20, "FCFS"],
    ]  # fmt: skip


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "process_clicks": st.lists(st.integers(1, 400), min_size=1, max_size=3).map(tuple),
                "line_characters_per_s": st.floats(100.0, 1e4),
                "discipline": st.sampled_from(["LOOK", "FCFS"]),
                "compaction": st.booleans(),
                "buffers": st.integers(2, 100),
            }
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_design_comes_back_from_csv_without_loss(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "design.csv"
    design = pd.DataFrame(rows, dtype=object)
    designs.write(design, path)
    back = designs.read(path, Parameters)
    assert back.to_dict("records") == rows
    kinds = [{name: type(row[name]) for name in row} for row in back.to_dict("records")]
    assert kinds == [{name: type(row[name]) for name in row} for row in rows]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: designs.factorial({}), "levels must be a dictionary"),
        (lambda: designs.factorial({"a": "xy"}), "'a' must have a list of values, not 'xy'"),
        (lambda: designs.latin_hypercube({"a": (2, 1)}, 3), "'a' must have two numbers, the lower"),
        (lambda: designs.latin_hypercube({"a": (1, 2)}, 0), "points must be a whole number"),
        (lambda: designs.sobol({"a": (1, 2)}, 3), "points must be a power of 2"),
        (lambda: designs.fractional({"a": (1, 2), "b": (1, 2)}, {"b": "c"}), "'c' is no free fact"),
        (lambda: designs.read("no/file.csv", Parameters), "can't be read as a design: No such"),
    ],
)
def test_designs_that_can_not_be_are_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_a_file_with_a_wrong_name_or_value_is_refused(tmp_path):
    for text, said in {
        "buffrs\n3\n": "There is no parameter 'buffrs'; did you mean buffers",
        "buffers\nmany\n": "buffers must be a whole number",
        "buffers\n": "must have a point, a row below its head",
    }.items():
        (tmp_path / "d.csv").write_text(text)
        with pytest.raises(ValueError, match=said):
            designs.read(tmp_path / "d.csv", Parameters)
