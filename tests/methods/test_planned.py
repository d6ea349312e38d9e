"""Designs, effects, variance and covariance, power: textbooks, hand formulas, laws, statsmodels."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from factorial import runs_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower

from perfkit.methods import designs, planned, power

ON = ("old", "new")
TWO = {"schedule": ON, "purge": ON}
THREE = {"T": (160, 180), "C": (20, 40), "K": ("A", "B")}

ANALYSES = [
    planned.effects,
    planned.variance_table,
    planned.adjusted_means,
    planned.slopes,
    planned.slope_homogeneity,
]

# Montgomery, Design and Analysis of Experiments: the yield of a reaction in a 2^2 design of
# three replicates (chapter 6), and the strength of fibre from three machines with its
# diameter as covariate (chapter 15).
REACTION = {"concentration": (15, 25), "catalyst": (1, 2)}
YIELD = [28, 36, 18, 31, 25, 32, 19, 30, 27, 32, 23, 29]
FIBRE = pd.DataFrame(
    {
        "machine": np.repeat([1, 2, 3], 5),
        "strength": [36, 41, 39, 42, 49, 40, 48, 39, 45, 44, 35, 37, 42, 34, 32],
        "diameter": [20, 25, 24, 25, 32, 22, 28, 22, 30, 28, 21, 23, 26, 21, 15],
    }
)


def periods(seed, replicates=9, slope=1.2):
    """Return a simulated 2^2 experiment with two covariates."""
    rng = np.random.default_rng(seed)
    frame = runs_of(TWO, replicates, seed=seed)
    n_d, n_e = rng.normal(4.0, 0.3, len(frame)), rng.normal(5.0, 1.0, len(frame))
    r = 5.0 + slope * n_d + 0.3 * n_e + rng.normal(0.0, 0.8, len(frame))
    return frame.assign(N_d=n_d, N_e=n_e, R=r - 1.1 * (frame["schedule"] == "new"))


def test_the_pilot_plant():
    """Box, Hunter and Hunter, Statistics for Experimenters, the 2^3 example of chapter 10."""
    plant = runs_of(THREE).assign(y=[60, 72, 54, 68, 52, 83, 45, 80])
    found = planned.effects(plant, "y", THREE)["effect"]
    expected = {"T": 23, "C": -5, "K": 1.5, "T:C": 1.5, "T:K": 10, "C:K": 0, "T:C:K": 0.5}
    assert found.to_dict() == pytest.approx(expected)
    assert planned.effects(plant, "y", THREE)["half_width"].isna().all()
    means = plant.drop(columns="block")
    of_means = designs.effects_of_means(means, THREE).loc["y"]
    np.testing.assert_allclose(of_means, found, atol=1e-12)


def test_the_reaction():
    frame = runs_of(REACTION, 3).assign(y=YIELD)
    found = planned.effects(frame, "y", REACTION)
    np.testing.assert_allclose(found["effect"], [25 / 3, -5.0, 5 / 3])
    np.testing.assert_allclose(found["low"], found["effect"] - found["half_width"])
    np.testing.assert_allclose(found["high"], found["effect"] + found["half_width"])
    table = planned.variance_table(frame, "y", REACTION)
    squares = [208.33, 75.00, 8.33, 31.33]
    np.testing.assert_allclose(table["sum_of_squares"], squares, atol=0.005)
    np.testing.assert_allclose(table["f_ratio"].iloc[:3], [53.19, 19.15, 2.13], atol=0.005)
    blocked = planned.variance_table(frame, "y", REACTION, block="block")
    cells = frame["y"].to_numpy(float).reshape(3, 4)
    by_block = 4 * ((cells.mean(axis=1) - cells.mean()) ** 2).sum()
    assert blocked.loc["block", "sum_of_squares"] == pytest.approx(by_block)


def test_the_fibre():
    given = (FIBRE, "strength", ["machine"], ["diameter"])
    table = planned.variance_table(*given)
    assert table["df"].tolist() == [2, 1, 11]
    assert table.loc["error", "sum_of_squares"] == pytest.approx(27.99, abs=0.01)
    assert table.loc["machine", "f_ratio"] == pytest.approx(2.61, abs=0.005)
    assert planned.slopes(*given).loc["diameter", "slope"] == pytest.approx(0.954, abs=5e-4)
    cells = planned.adjusted_means(*given, confidence=0.8)
    np.testing.assert_allclose(cells["adjusted"], [40.38, 41.42, 38.80], atol=0.005)
    np.testing.assert_allclose(cells["mean"], [41.4, 43.2, 36.0])
    at_mean = FIBRE["diameter"] - FIBRE["diameter"].mean()
    terms = pd.get_dummies(FIBRE["machine"], dtype=float).join(at_mean)
    intervals = sm.OLS(FIBRE["strength"], terms).fit().conf_int(0.2).loc[[1, 2, 3]]
    np.testing.assert_allclose(cells[["low", "high"]], intervals)
    few = FIBRE.iloc[[0, 1, 2, 5, 6, 10, 11]]
    assert planned.slope_homogeneity(few, *given[1:])["error_df"] == 1


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.sampled_from([None, "block"]))
def test_each_analysis_is_one_of_least_squares(seed, block):
    frame, names = periods(seed), ["N_d", "N_e"]
    shift = 5.0 * np.random.default_rng(seed).normal(size=9)[frame["block"] - 1]
    frame = frame.assign(R=frame["R"] + shift, N_d=frame["N_d"] + shift)
    signs = frame[list(TWO)].eq("new") * 2.0 - 1.0
    signs["schedule:purge"] = signs.prod(axis=1)
    blocks = pd.get_dummies(frame[block] if block else np.zeros(36), dtype=float)
    terms = signs.join(frame[names]).join(blocks)
    exact = sm.OLS(frame["R"], terms).fit()
    given = (frame, "R", TWO, names)

    found = planned.effects(*given, block=block, confidence=0.8)
    np.testing.assert_allclose(found["effect"], 2.0 * exact.params[list(signs)])
    np.testing.assert_allclose(found["p"], exact.pvalues[list(signs)])
    half = 2.0 * stats.t.ppf(0.9, exact.df_resid) * exact.bse[list(signs)]
    np.testing.assert_allclose(found["half_width"], half)

    found = planned.slopes(*given, block=block, confidence=0.8)
    interval = exact.conf_int(0.2).loc[names].to_numpy()
    wanted = np.column_stack([exact.params[names], interval, exact.pvalues[names]])
    np.testing.assert_allclose(found, wanted, rtol=1e-6)

    table = planned.variance_table(*given, block=block)
    assert table.loc["error", "sum_of_squares"] == pytest.approx(exact.ssr)
    for term in (*signs, *names):
        less = sm.OLS(frame["R"], terms.drop(columns=term)).fit()
        wanted = pytest.approx([1, less.ssr - exact.ssr, *exact.compare_f_test(less)[:2]])
        assert table.loc[term, ["df", "sum_of_squares", "f_ratio", "p"]].tolist() == wanted

    own = {f"{name} {sign}": signs[sign] * frame[name] for sign in signs for name in names}
    wider = sm.OLS(frame["R"], terms.join(pd.DataFrame(own)))
    found = planned.slope_homogeneity(*given, block=block)
    assert tuple(found[["f_ratio", "p", "df"]]) == pytest.approx(wider.fit().compare_f_test(exact))


def test_a_confounded_interaction_has_no_effect():
    """Two blocks a replicate, told apart by the interaction of all three factors."""
    design, rng = runs_of(THREE, 3, seed=2), np.random.default_rng(9)
    signs = designs.contrasts(design, THREE)
    block = 2 * design["block"] - (signs["T:C:K"] > 0)
    y = signs["T"] + rng.normal(size=24) + 10.0 * rng.normal(size=6)[block - 1]
    frame = design.assign(block=block, y=y)
    found = planned.effects(frame, "y", THREE, block="block")
    assert found.loc["T:C:K"].isna().all() and found.drop(index="T:C:K").notna().all(axis=None)
    assert found.loc["T", "p"] < 0.05 < planned.effects(frame, "y", THREE).loc["T", "p"]
    with pytest.raises(ValueError, match="a term is confounded with block"):
        planned.variance_table(frame, "y", THREE, block="block")
    by_y = planned.covariate_effects(frame, THREE, ["y"], block="block")
    pd.testing.assert_frame_equal(by_y.loc["y"], found, check_names=False)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("analyse", ANALYSES)
@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        (0.0, "'R' does not vary, so"),
        (np.where(np.arange(36) < 9, 0.1 + 0.2, 0.3), "'R' does not vary, so"),
        (np.where(np.arange(36) == 9, np.inf, 0.3), "'R' must be finite numbers; inf is none"),
        (pd.Series(np.arange(36).astype(str), dtype="category"), "'R' must be finite numbers; 0"),
        (pd.date_range("1975-01-01", periods=36), "'R' must be finite numbers; 1975"),
    ],
)
def test_a_response_that_has_nothing_to_analyse_is_refused(analyse, response, sentence):
    with pytest.raises(ValueError, match=sentence):
        analyse(periods(0).assign(R=response), "R", TWO, ["N_d"])


def test_a_response_that_varies_between_blocks_only_is_refused():
    frame = periods(0).assign(R=lambda f: 0.1 * f["block"])
    for analyse in (planned.effects, planned.variance_table):
        with pytest.raises(ValueError, match="'R' does not vary within any block"):
            analyse(frame, "R", TWO, block="block")
    assert planned.effects(frame, "R", TWO)["p"].notna().all()


@pytest.mark.filterwarnings("error")
def test_what_follows_exactly_from_the_terms_is_not_tested_against_rounding():
    frame = periods(3).assign(R=lambda f: 0.1 * (f["schedule"] == "new") + 0.3 * f["N_d"])
    found = planned.effects(frame, "R", TWO, ["N_d"])
    np.testing.assert_allclose(found["effect"], [0.1, 0.0, 0.0], atol=1e-12)
    assert found.drop(columns="effect").isna().all(axis=None)
    slope = planned.slopes(frame, "R", TWO, ["N_d"]).loc["N_d"]
    assert slope["slope"] == pytest.approx(0.3)
    assert slope[["low", "high", "p"]].isna().all()
    for analyse in (planned.variance_table, planned.slope_homogeneity):
        with pytest.raises(ValueError, match="follows exactly from the terms"):
            analyse(frame, "R", TWO, ["N_d"])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("analyse", ANALYSES)
@pytest.mark.parametrize("offset", [1.7e9, -1e12], ids=["seconds since 1970", "trillions"])
def test_where_a_scale_begins_changes_nothing(analyse, offset):
    far = periods(5)
    far[["R", "N_d"]] += offset
    near = far.assign(R=far["R"] - offset, N_d=far["N_d"] - offset)
    found, plain = (analyse(frame, "R", TWO, ["N_d"]) for frame in (far, near))
    if analyse is planned.adjusted_means:
        found[["mean", "adjusted", "low", "high"]] -= offset
    moments = {"rtol": 1e-9, "atol": 4.0 * np.spacing(abs(offset))}
    found, plain = (table.drop(columns=list(TWO), errors="ignore") for table in (found, plain))
    np.testing.assert_allclose(found, plain, **moments)


@pytest.mark.parametrize("offset", ["0", "1000000", "1000000000000"])
@pytest.mark.parametrize("replicates", [21, 201])
def test_the_f_ratio_is_that_of_the_stored_numbers_whatever_digits_lead(offset, replicates):
    """SmLs01 to SmLs09 of NIST: nine means of 0.3 to 0.5, spread 0.1."""
    means = [4, 3, 5, 3, 5, 3, 5, 3, 5]
    tenths = [[mean] + [mean - 1, mean + 1] * (replicates // 2) for mean in means]
    groups = [[float(f"{offset}.{digit}") for digit in group] for group in tenths]
    frame = pd.DataFrame({"y": np.ravel(groups), "treatment": np.repeat(range(9), replicates)})
    found = planned.variance_table(frame, "y", ["treatment"]).loc["treatment"]
    assert found["f_ratio"] == pytest.approx(stats.f_oneway(*groups).statistic, rel=1e-13)
    assert found["f_ratio"] == pytest.approx(replicates, rel=1e-4)


@pytest.mark.parametrize(
    ("change", "given", "sentence"),
    [
        (lambda f: f.assign(N_d=2 * f["N_e"]), {"covariates": ["N_d", "N_e"]}, "N_d, N_e follow"),
        (lambda f: f.assign(N_d=np.nan), {"covariates": ["N_d"]}, "missing"),
        (lambda f: f.assign(N_d="4"), {"covariates": ["N_d"]}, "'N_d' must be finite numbers"),
        (lambda f: f.assign(const=f["N_d"]), {"covariates": ["const"]}, "may be called 'const'"),
        (
            lambda f: f.assign(**{"schedule:purge": f["N_d"]}),
            {"covariates": ["schedule:purge"]},
            "may be called 'schedule:purge'",
        ),
        (lambda f: f, {"covariates": ["R"]}, "another column; 'R' is there twice"),
        (lambda f: pd.concat([f, f["R"]], axis=1), {}, "more than one column 'R'"),
        (lambda f: f.head(0), {}, "'R' does not vary"),
        (lambda f: f[(f["schedule"] == "old") | (f["purge"] == "old")], {}, "never run"),
        (lambda f: f.head(4), {}, "No degree of freedom"),
        (lambda f: f.assign(day=f["schedule"] == f["purge"]), {"block": "day"}, "confounded with"),
    ],
)
def test_bad_input_is_refused(change, given, sentence):
    with pytest.raises(ValueError, match=sentence):
        planned.effects(change(periods(0)), "R", TWO, **given)
        planned.variance_table(change(periods(0)), "R", TWO, **given)


@pytest.mark.parametrize("analyse", ANALYSES)
@pytest.mark.parametrize("name", ["C", 'a"b', "a\nb", "a\\b"])
def test_any_text_is_a_name_and_any_labels_an_index(analyse, name):
    """C is a word of formulas, which they were analysed by once."""
    frame = periods(0)
    given = {"R": name, "N_d": f"{name}2", "schedule": f"{name}3"}
    renamed = {given.get(factor, factor): levels for factor, levels in TWO.items()}
    other = frame.rename(columns=given).set_axis(np.arange(36) % 5)
    found = analyse(other, name, renamed, [given["N_d"]])
    plain = analyse(frame, "R", TWO, ["N_d"])
    assert pd.DataFrame(found.to_numpy()).equals(pd.DataFrame(plain.to_numpy()))


def test_effects_of_means_keep_their_digits():
    means = pd.DataFrame({"schedule": [*ON, *ON], "purge": np.repeat(ON, 2)})
    means["far"] = 1e12 + np.array([0.3, 1.4, 0.8, 2.7])
    means["near"] = means["far"] - 1e12
    found = designs.effects_of_means(means, TWO)
    np.testing.assert_allclose(found.loc["far"], found.loc["near"], rtol=1e-12)


effect = st.floats(0.05, 3.0)
runs = st.integers(2, 30).map(lambda n: 4 * n)


def test_two_groups_are_those_of_statsmodels():
    for size, count in ((0.5, 20), (1.0, 36), (2.0, 12)):
        theirs = FTestAnovaPower().power(size / 2.0, count, 0.05, k_groups=2)
        assert power.effect_power(size, 1.0, count, count - 2) == pytest.approx(theirs)


@given(effect, runs)
def test_more_runs_and_larger_effects_are_found_more_often(size, count):
    one = power.effect_power(size, 1.0, count, count - 4)
    assert 0.05 < one <= 1.0
    assert power.effect_power(size, 1.0, count + 4, count) >= one - 1e-9
    assert power.effect_power(1.2 * size, 1.0, count, count - 4) >= one - 1e-9
    assert power.effect_power(-size, 1.0, count, count - 4) == pytest.approx(one)
    assert power.effect_power(2.0 * size, 4.0, count, count - 4) == pytest.approx(one)


@given(st.floats(0.4, 3.0))
def test_the_fewest_replicates(size):
    count = power.replicates_needed(size, 1.0, 4, covariates=2)
    assert power.effect_power(size, 1.0, 4 * count, 4 * count - 6) >= 0.8
    if 4 * (count - 1) > 6:
        assert power.effect_power(size, 1.0, 4 * (count - 1), 4 * count - 10) < 0.8


def test_a_share_of_significant_experiments_by_hand():
    found = power.rejection_share([0.01, 0.04, 0.2, 0.9])
    assert found["share"] == 0.5 and found["experiments"] == 4
    # The exact interval: 2 or more of 4 have a chance of 2.5 % at the low end.
    low = found["low"]
    assert 1 - (1 - low) ** 4 - 4 * low * (1 - low) ** 3 == pytest.approx(0.025)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("effect", [1e3, 1e6, -1e9, 1e200])
def test_a_huge_effect_needs_two_replicates(effect):
    assert power.replicates_needed(effect, 1.0, 4) == 2
    assert power.effect_power(effect, 1.0, 8, 4) == 1.0
