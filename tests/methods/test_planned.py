"""Designs, effects, analysis of variance and covariance: textbooks, hand formulas, laws."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from factorial import runs_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from perfkit.methods import designs, planned

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


def squares_by_hand(frame, group, x, y):
    """Return Montgomery's sums of squares of an analysis of covariance of one factor."""
    within = frame[[x, y]] - frame.groupby(group)[[x, y]].transform("mean")
    total = frame[[x, y]] - frame[[x, y]].mean()
    error, whole = (
        (part[y] ** 2).sum() - (part[x] * part[y]).sum() ** 2 / (part[x] ** 2).sum()
        for part in (within, total)
    )
    slope = (within[x] * within[y]).sum() / (within[x] ** 2).sum()
    return error, whole - error, slope


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
    # The variance of an effect of 12 runs is a third of theirs; eight degrees of freedom.
    half = stats.t.ppf(0.9, 8) * np.sqrt(94 / 3 / 8 / 3)
    narrow = planned.effects(frame, "y", REACTION, confidence=0.8)
    np.testing.assert_allclose(narrow["half_width"], half)
    np.testing.assert_allclose(narrow["low"], narrow["effect"] - half)
    table = planned.variance_table(frame, "y", REACTION)
    squares = [208.33, 75.00, 8.33, 31.33]
    np.testing.assert_allclose(table["sum_of_squares"], squares, atol=0.005)
    np.testing.assert_allclose(table["f_ratio"].iloc[:3], [53.19, 19.15, 2.13], atol=0.005)
    blocked = planned.variance_table(frame, "y", REACTION, block="block")
    cells = frame["y"].to_numpy(float).reshape(3, 4)
    by_block = 4 * ((cells.mean(axis=1) - cells.mean()) ** 2).sum()
    assert blocked.loc["block", "sum_of_squares"] == pytest.approx(by_block)
    assert blocked.loc["error", "sum_of_squares"] == pytest.approx(94 / 3 - by_block)


def test_the_fibre():
    table = planned.variance_table(FIBRE, "strength", ["machine"], ["diameter"])
    error, machine, slope = squares_by_hand(FIBRE, "machine", "diameter", "strength")
    assert (
        table.loc["error", "sum_of_squares"]
        == pytest.approx(error)
        == pytest.approx(27.99, abs=0.01)
    )
    assert table.loc["machine", "sum_of_squares"] == pytest.approx(machine)
    assert table.loc["machine", "f_ratio"] == pytest.approx(2.61, abs=0.005)
    assert table["df"].tolist() == [2, 1, 11]
    assert planned.slopes(FIBRE, "strength", ["machine"], ["diameter"]).loc[
        "diameter", "slope"
    ] == pytest.approx(slope)
    cells = planned.adjusted_means(FIBRE, "strength", ["machine"], ["diameter"])
    np.testing.assert_allclose(cells["adjusted"], [40.38, 41.42, 38.80], atol=0.005)
    np.testing.assert_allclose(cells["mean"], [41.4, 43.2, 36.0])


def test_intervals_of_the_fibre_by_hand():
    """Of the slope: MSE over the squares within; of an adjusted mean: what its distance adds."""
    error, _, slope = squares_by_hand(FIBRE, "machine", "diameter", "strength")
    x = FIBRE["diameter"]
    within = ((x - x.groupby(FIBRE["machine"]).transform("mean")) ** 2).sum()
    margin = stats.t.ppf(0.9, 11) * np.sqrt(error / 11)
    row = planned.slopes(FIBRE, "strength", ["machine"], ["diameter"], confidence=0.8).iloc[0]
    half = margin / np.sqrt(within)
    assert (row["low"], row["high"]) == pytest.approx((slope - half, slope + half))
    cells = planned.adjusted_means(FIBRE, "strength", ["machine"], ["diameter"], confidence=0.8)
    away = (x.groupby(FIBRE["machine"]).mean() - x.mean()).to_numpy()
    half = margin * np.sqrt(1 / 5 + away**2 / within)
    np.testing.assert_allclose(cells["high"] - cells["adjusted"], half)
    np.testing.assert_allclose(cells["adjusted"] - cells["low"], half)


def test_homogeneity_of_the_fibres_slopes_by_hand():
    own = sum(
        np.polyfit(part["diameter"], part["strength"], 1, full=True)[1][0]
        for _, part in FIBRE.groupby("machine")
    )
    common = squares_by_hand(FIBRE, "machine", "diameter", "strength")[0]
    found = planned.slope_homogeneity(FIBRE, "strength", ["machine"], ["diameter"])
    assert found["f_ratio"] == pytest.approx((common - own) / 2 / (own / 9))
    assert (found["df"], found["error_df"]) == (2, 9)
    few = FIBRE.iloc[[0, 1, 2, 5, 6, 10, 11]]
    assert planned.slope_homogeneity(few, "strength", ["machine"], ["diameter"])["error_df"] == 1


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_sums_of_squares_of_a_balanced_design_add_up(seed):
    frame = periods(seed, replicates=3)
    table = planned.variance_table(frame, "R", TWO)
    effects = planned.effects(frame, "R", TWO)
    np.testing.assert_allclose(
        table["sum_of_squares"].iloc[:3], len(frame) * (effects["effect"] / 2.0) ** 2, atol=1e-9
    )
    assert table["sum_of_squares"].sum() == pytest.approx(11.0 * frame["R"].var())
    np.testing.assert_allclose(table["p"].iloc[:3], effects["p"], rtol=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_an_adjusted_sum_of_squares_by_hand(seed):
    """The effect squared over 1/9 + d' S^-1 d (d: effects on the covariates, S: within cells)."""
    frame = periods(seed)
    names = ["N_d", "N_e"]
    within = frame[names] - frame.groupby(list(TWO))[names].transform("mean")
    inverse = np.linalg.inv(within.T @ within)
    on_them = planned.covariate_effects(frame, TWO, names)["effect"].unstack("covariate")[names]
    table = planned.variance_table(frame, "R", TWO, names)
    effects = planned.effects(frame, "R", TWO, names)
    for term in effects.index:
        d = on_them.loc[term].to_numpy()
        expected = effects.loc[term, "effect"] ** 2 / (1.0 / 9.0 + d @ inverse @ d)
        assert table.loc[term, "sum_of_squares"] == pytest.approx(expected)
        assert table.loc[term, "p"] == pytest.approx(effects.loc[term, "p"], abs=1e-12)


def test_effects_in_blocks_are_those_of_the_differences_within_them():
    """Montgomery's formula: the error is what is left of the cells after blocks."""
    frame = periods(7)
    frame["R"] += 20.0 * np.random.default_rng(8).normal(size=9)[frame["block"] - 1]
    found = planned.effects(frame, "R", TWO, block="block")
    cells = frame.pivot(index="block", columns=list(TWO), values="R")
    left = cells.sub(cells.mean(axis=1), axis=0) - cells.mean() + cells.to_numpy().mean()
    spread = 2.0 * np.sqrt((left**2).to_numpy().sum() / 24 / 36)
    np.testing.assert_allclose(found["half_width"], stats.t.ppf(0.975, 24) * spread)
    np.testing.assert_allclose(found["effect"], planned.effects(frame, "R", TWO)["effect"])
    assert found.loc["schedule", "p"] < 0.05 < planned.effects(frame, "R", TWO)["p"].min()


def test_a_confounded_interaction_has_no_effect_and_the_others_are_those_of_least_squares():
    """Two blocks a replicate, told apart by the interaction of all three factors."""
    design, rng = runs_of(THREE, 3, seed=2), np.random.default_rng(9)
    signs = designs.contrasts(design, THREE)
    block = 2 * design["block"] - (signs["T:C:K"] > 0)
    y = signs["T"] + rng.normal(size=24) + 10.0 * rng.normal(size=6)[block - 1]
    frame = design.assign(block=block, x=rng.normal(size=24), y=y)
    found = planned.effects(frame, "y", THREE, block="block")
    assert found.loc["T:C:K"].isna().all()
    others = signs.drop(columns="T:C:K").join(pd.get_dummies(block, dtype=float))
    exact = sm.OLS(frame["y"], others).fit()
    np.testing.assert_allclose(found["p"].dropna(), exact.pvalues[list(signs)[:-1]])
    assert found.loc["T", "p"] < 0.05 < planned.effects(frame, "y", THREE).loc["T", "p"]
    with pytest.raises(ValueError, match="a term is confounded with block"):
        planned.variance_table(frame, "y", THREE, block="block")
    by_x = planned.covariate_effects(frame, THREE, ["x"], block="block")
    pd.testing.assert_frame_equal(
        by_x.loc["x"], planned.effects(frame, "x", THREE, block="block"), check_names=False
    )


def test_slopes_are_those_within_blocks():
    frame = periods(10)
    shift = 5.0 * np.random.default_rng(11).normal(size=9)[frame["block"] - 1]
    dummies = pd.get_dummies(frame["block"], dtype=float)
    cells = designs.contrasts(frame, TWO)
    moved = frame.assign(R=frame["R"] + shift, N_d=frame["N_d"] + shift)
    exact = sm.OLS(moved["R"], dummies.join(cells).join(moved["N_d"])).fit()
    found = planned.slopes(moved, "R", TWO, ["N_d"], block="block").loc["N_d"]
    assert found["slope"] == pytest.approx(exact.params["N_d"])
    assert found["p"] == pytest.approx(exact.pvalues["N_d"])
    own = pd.DataFrame({f"{k}": cells.iloc[:, k] * moved["N_d"] for k in range(3)})
    wider = sm.OLS(moved["R"], dummies.join(cells).join(moved["N_d"]).join(own)).fit()
    homogeneity = planned.slope_homogeneity(moved, "R", TWO, ["N_d"], block="block")
    assert tuple(homogeneity[["f_ratio", "p"]]) == pytest.approx(wider.compare_f_test(exact)[:2])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("analyse", ANALYSES)
@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        (7.0, "'R' does not vary, so"),
        (0.0, "'R' does not vary, so"),
        (np.where(np.arange(36) < 9, 0.1 + 0.2, 0.3), "'R' does not vary, so"),
        (np.where(np.arange(36) == 9, np.inf, 0.3), "'R' must be finite numbers; inf is none"),
        ("long", "'R' must be finite numbers; long is none"),
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
def test_the_f_ratio_is_that_of_the_stored_numbers_whatever_their_leading_digits(
    offset, replicates
):
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
        (lambda f: f.assign(const=f["N_d"]), {"covariates": ["const"]}, "may be called 'const'"),
        (
            lambda f: f.assign(**{"schedule:purge": f["N_d"]}),
            {"covariates": ["schedule:purge"]},
            "may be called 'schedule:purge'",
        ),
        (lambda f: f, {"covariates": ["R"]}, "another column; 'R' is there twice"),
        (lambda f: pd.concat([f, f["R"]], axis=1), {}, "each column once; 'R' is there twice"),
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
@pytest.mark.parametrize("name", ["R", "N_d"])
@pytest.mark.parametrize(
    "numbers",
    [
        pd.Series(np.arange(12).astype(str)),
        pd.Series(np.arange(12).astype(str), dtype="category"),
        pd.Series(pd.date_range("1975-01-01", periods=12)),
    ],
    ids=["texts", "classes", "times"],
)
def test_what_is_no_number_is_refused_wherever_one_is_wanted(analyse, name, numbers):
    frame = periods(0).head(12)
    with pytest.raises(ValueError, match=f"'{name}' must be finite numbers"):
        analyse(frame.assign(**{name: numbers}), "R", TWO, ["N_d"])


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
