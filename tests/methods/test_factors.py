"""Correlations and stepwise regression: a textbook's path, ordinary least squares."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.methods import correlation as c
from perfkit.methods import factors as f

# Hald's cement data, as in Draper and Smith, Applied Regression Analysis, 2nd ed., appendix B.
HALD = pd.DataFrame(
    {
        "x1": [7, 1, 11, 11, 7, 11, 3, 1, 2, 21, 1, 11, 10],
        "x2": [26, 29, 56, 31, 52, 55, 71, 31, 54, 47, 40, 66, 68],
        "x3": [6, 15, 8, 8, 6, 9, 17, 22, 18, 4, 23, 9, 8],
        "x4": [60, 52, 20, 47, 33, 22, 6, 44, 22, 26, 34, 12, 12],
        "y": [78.5, 74.3, 104.3, 87.6, 95.9, 109.2, 102.7, 72.5, 93.1, 115.9, 83.8, 113.3, 109.4],
    }
)
CANDIDATES = ["x1", "x2", "x3", "x4"]


def minutes(seed, rows=80):
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(rows, 4)) @ rng.normal(size=(4, 4))
    frame = pd.DataFrame(mix, columns=CANDIDATES)
    return frame.assign(y=frame @ rng.normal(size=4) + 3.0 * rng.normal(size=rows))


R = HALD.corr()
PAIRS = pd.DataFrame(combinations(R, 2), columns=["variable", "against"])
PAIRS["r"] = [R.loc[pair] for pair in combinations(R, 2)]
REVERSED = PAIRS.rename(columns={"variable": "against", "against": "variable"})
NEARLY_EQUAL = np.where(HALD["x1"] > 5, 0.3, 0.1 + 0.2)


def least_squares(frame, names, response="y"):
    return sm.OLS(frame[response], sm.add_constant(frame[list(names)], has_constant="add")).fit()


def test_the_stepwise_path_of_the_cement_data_is_the_textbooks():
    """In: x4, x1, x2; then x4 out, with F of 22.80, 108.22, 5.03 and 1.86 (chapter 6)."""
    found = f.stepwise(HALD, "y", CANDIDATES, entry=0.10, removal=0.15)
    assert found.path["action"].tolist() == ["in", "in", "in", "out"]
    assert found.path["variable"].tolist() == ["x4", "x1", "x2", "x4"]
    np.testing.assert_allclose(found.path["f_ratio"], [22.80, 108.22, 5.03, 1.86], atol=0.005)
    assert f.chosen(found.path) == ["x1", "x2"]
    np.testing.assert_allclose(found.model.params, [52.58, 1.468, 0.662], atol=0.005)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_each_step_is_a_test_of_nested_least_squares(seed):
    frame = minutes(seed)
    path = f.stepwise(frame, "y", CANDIDATES, entry=0.2, removal=0.3).path
    before = ()
    for step in path.itertuples():
        larger, smaller = (step.variables, before)[:: 1 if step.action == "in" else -1]
        whole = least_squares(frame, larger)
        f_ratio, p, _ = whole.compare_f_test(least_squares(frame, smaller))
        assert step.f_ratio == pytest.approx(f_ratio)
        assert step.p == pytest.approx(p, abs=1e-12)
        assert step.df == whole.df_resid
        now = least_squares(frame, step.variables)
        assert step.r2 == pytest.approx(now.rsquared)
        assert step.adjusted_r2 == pytest.approx(now.rsquared_adj)
        before = step.variables


@pytest.mark.filterwarnings("error")
def test_seconds_since_1970_are_a_variable_as_any_other():
    far = minutes(3).assign(x2=lambda frame: 1.7e9 + 1000.0 * frame["x2"])
    near = far.assign(x2=far["x2"] - 1.7e9)
    found, plain = (f.stepwise(frame, "y", ["x1", "x2"]).model for frame in (far, near))
    assert "x2" in plain.params and found.df_resid == plain.df_resid
    for name in ("params", "bse", "pvalues"):
        pair = (getattr(model, name).drop("const") for model in (found, plain))
        np.testing.assert_allclose(*pair, rtol=1e-8)
    assert found.rsquared == pytest.approx(plain.rsquared)
    np.testing.assert_allclose(found.predict(), plain.predict(), atol=1e-6)


def test_neither_a_copy_of_a_candidate_enters_nor_what_explains_nothing():
    frame = minutes(1)
    frame["copy"] = 2.0 * frame["x1"] + 1.0
    chosen = f.chosen(f.stepwise(frame, "y", ["x1", "copy", "x2"], entry=0.5, removal=0.6).path)
    assert not {"x1", "copy"} <= set(chosen)
    frame = pd.DataFrame({"x": [1.0, -1.0, 1.0, -1.0], "y": [1.0, 1.0, -1.0, -1.0]})
    found = f.stepwise(frame, "y", ["x"])
    assert len(found.path) == 0 and f.chosen(found.path) == []
    assert found.model.params["const"] == 0.0


def test_noise_neither_enters_nor_stays_once_the_fit_is_perfect():
    frame = minutes(12).drop(columns="y")
    noise = pd.DataFrame(np.random.default_rng(13).normal(size=(80, 5))).add_prefix("noise ")
    frame = frame.join(noise).assign(y=frame["x1"] + frame["x2"])
    found = f.stepwise(frame, "y", ["x1", "x2", *noise])
    assert sorted(f.chosen(found.path)) == ["x1", "x2"]
    frame["near"] = frame["y"] + 0.5 * np.random.default_rng(14).normal(size=80)
    found = f.stepwise(frame, "y", ["x1", "x2", "near", *noise])
    assert found.path["action"].tolist() == ["in", "in", "in", "out"]
    assert found.path["variable"].iloc[[0, 3]].tolist() == ["near", "near"]
    assert found.path["p"].tolist()[2:] == [0.0, 1.0]


def test_chance_is_selected_as_often_as_the_limit_says():
    """140 candidates without effect at 5 %: four errors, one seed in 10,000.

    The error is at most that of 140 single tests, 0.018; halves of one frame only lessen it.
    """
    rng = np.random.default_rng(8)
    names = [f"x{k}" for k in range(7)]
    found = []
    for seed in range(20):
        frame = pd.DataFrame(rng.normal(size=(60, 8)), columns=[*names, "y"])
        found.append(f.selection_frequency(frame, "y", names, seed=seed, resamples=10)["selected"])
    assert np.mean(found) == pytest.approx(0.05, abs=0.073)


def test_a_candidate_that_is_seldom_anything_else_is_selected_from_where_it_varies():
    frame = minutes(9).assign(rare=0.0)
    frame.loc[3, "rare"] = 1.0
    frame["y"] += 1000.0 * frame["rare"]
    table = f.selection_frequency(frame, "y", [*CANDIDATES, "rare"], resamples=60)
    assert 0.3 < table.loc["rare", "first"] == table.loc["rare", "selected"] < 0.7
    constant = frame.assign(y=frame["rare"])
    never = f.selection_frequency(constant, "y", ["x1"], resamples=60)
    assert never.loc["x1", "selected"] < 0.5


REDUNDANT = HALD.assign(x5=HALD["x1"] + HALD["x2"]).corr()


def test_pairs_make_a_table_again_and_redundant_variables_elsewhere_do_no_harm():
    names = ["x1", "x2"]
    r2 = c.multiple_r2(HALD.corr(), "y", CANDIDATES)
    assert r2 == pytest.approx(least_squares(HALD, CANDIDATES).rsquared)
    assert c.multiple_r2(REDUNDANT, "y", names) == c.multiple_r2(HALD.corr(), "y", names)
    pd.testing.assert_frame_equal(c.correlation_table(PAIRS), HALD.corr())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: c.multiple_r2(REDUNDANT, "y", ["x1", "x2", "x5"]), "One of x1, x2, x5 follows"),
        (lambda: c.multiple_r2(REDUNDANT, "y", ["x1", "y"]), "named once; 'y' is not"),
        (lambda: c.multiple_r2(HALD.assign(x1=1).corr(), "y", ["x1"]), "of x1 must all be known"),
        (lambda: c.standardised(pd.concat([HALD, HALD["y"]], axis=1)), "more than one column 'y'"),
        (lambda: c.standardised(HALD.assign(y=NEARLY_EQUAL)), "A constant .*: y"),
        (lambda: f.stepwise(HALD.assign(const=1), "y", ["const"]), "may be called 'const'"),
        (lambda: f.stepwise(HALD, "y", CANDIDATES, entry=0.2), "entry no more than removal"),
        (lambda: c.correlation_table(PAIRS.iloc[1:]), "more pairs"),
        (lambda: c.correlation_table(pd.concat([PAIRS, REVERSED])), "'x2' against 'x1' is given t"),
        (lambda: f.selection_frequency(HALD, "y", CANDIDATES, block=99), "1 to 6 samples"),
    ],
)
def test_bad_input_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
