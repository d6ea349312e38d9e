"""Fits: closed forms, SciPy's own fits, known parameters found again, goodness of fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from perfkit.methods import families, fits

TWO = families.Hyperexponential(np.array([0.9, 0.1]), np.array([0.1, 4.0]))
EDGES = [0.0, 0.1, 0.3, 1.0, 3.0, 10.0, np.inf]


def exponential(count, scale=1):
    return fits.fit_values(families.EXPONENTIAL, scale * np.arange(1.0, count + 1.0))


def classed(classes, width=1.0, fall=0.0):
    edges, counts = width * np.arange(classes + 1.0), 0.5 ** np.arange(classes)
    counts = 20.0 * counts / counts.sum()
    counts[[0, -1]] += fall, -fall
    return fits.fit_classes(families.EXPONENTIAL, edges, counts)


def printed(limits=(1.0, 3.0), cdf=(0.6, 0.95), half_digit=5e-3, **moments):
    return fits.fit_printed(families.EXPONENTIAL, limits, cdf, half_digit, **moments)


def test_the_exponential_is_fitted_by_its_mean():
    values = np.random.default_rng(1).exponential(3.0, 400)
    row = fits.fit_values(families.EXPONENTIAL, values).frame().loc["mean"]
    assert row["value"] == pytest.approx(values.mean(), rel=1e-5)
    # The information on the logarithm of the mean is n.
    assert np.log(row["high"] / row["value"]) == pytest.approx(1.96 / 20.0, rel=1e-3)


def test_the_exponential_by_hand():
    """The maximum is -n (log mean + 1); the search's own error is its square root on the mean."""
    fit = exponential(9)
    row = fits.compare([fit]).loc["exponential"]
    likelihood = -9.0 * (np.log(5.0) + 1.0)
    assert row["free"] == 1 and row["log_likelihood"] == pytest.approx(likelihood)
    assert fit.aic == row["aic"] == pytest.approx(2.0 - 2.0 * likelihood)
    assert row["mean"] == row["sd"] == pytest.approx(5.0, rel=1e-4)
    assert row["median"] == pytest.approx(5.0 * np.log(2.0), rel=1e-4)
    half = fit.frame(0.5).loc["mean"]
    assert np.log(half["high"] / half["value"]) == pytest.approx(0.67449 / 3.0, rel=1e-3)
    assert np.log(half["value"] / half["low"]) == pytest.approx(0.67449 / 3.0, rel=1e-3)


def test_fits_are_compared_by_their_moments_and_free_numbers():
    values = TWO.rvs(500, np.random.default_rng(12))
    family = families.hyperexponential(2)
    row = fits.compare([fits.fit_values(family, values)]).loc[family.name]
    fitted = fits.fit_values(family, values).distribution
    assert row["free"] == 3
    assert (row["mean"], row["sd"]) == (fitted.mean(), fitted.std())
    assert row["sd"] > 1.5 * row["mean"]


def test_a_number_that_the_data_do_not_determine_has_no_interval():
    family = families.EXPONENTIAL._replace(
        size=2,
        unpack=lambda free: np.exp(free[:1]),
        starts=lambda low, middle, high: [[np.log(middle), 0.0]],
    )
    row = fits.fit_values(family, np.arange(1.0, 10.0)).frame().loc["mean"]
    assert row["value"] == pytest.approx(5.0, rel=1e-4)
    assert row[["low", "high"]].isna().all()


def test_the_lognormal_is_fitted_by_the_moments_of_the_logarithms():
    logs = np.random.default_rng(2).normal(-1.0, 2.0, 300)
    found = fits.fit_values(families.LOGNORMAL, np.exp(logs)).parameters
    assert found["log_mean"] == pytest.approx(logs.mean(), abs=1e-4)
    assert found["log_sd"] == pytest.approx(logs.std(), rel=1e-4)


@pytest.mark.parametrize(
    "family", [families.EXPONENTIAL, families.LOGNORMAL, families.GAMMA, families.WEIBULL]
)
def test_values_that_are_nearly_all_equal_are_fitted(family):
    values = np.append(np.ones(99), 2.0)
    fit = fits.fit_values(family, values)
    assert np.isfinite(fit.parameters).all()
    if family in (families.EXPONENTIAL, families.GAMMA):
        assert fit.distribution.mean() == pytest.approx(1.01, rel=1e-3)
    if family is families.LOGNORMAL:
        by_hand = np.log(2.0) * np.array([0.01, (0.01 * 0.99) ** 0.5])
        np.testing.assert_allclose(fit.parameters, by_hand, rtol=1e-3)


@pytest.mark.parametrize(
    ("family", "theirs"),
    [(families.GAMMA, stats.gamma), (families.WEIBULL, stats.weibull_min)],
)
def test_other_families_are_fitted_as_scipy_does(family, theirs):
    values = np.random.default_rng(3).gamma(0.6, 2.0, 300)
    shape, _, scale = theirs.fit(values, floc=0.0)
    found = fits.fit_values(family, values)
    assert found.parameters["shape"] == pytest.approx(shape, rel=1e-3)
    assert found.distribution.mean() == pytest.approx(theirs.mean(shape, scale=scale), rel=1e-3)


def test_classes_are_fitted_as_scipy_fits_censored_values():
    counts = np.array([40, 30, 50, 45, 25, 10])
    intervals = np.repeat(np.column_stack([EDGES[:-1], EDGES[1:]]), counts, axis=0)
    censored = stats.CensoredData.interval_censored(intervals[:, 0], intervals[:, 1])
    shape, _, scale = stats.lognorm.fit(censored, floc=0.0)
    found = fits.fit_classes(families.LOGNORMAL, EDGES, counts)
    assert found.parameters["log_sd"] == pytest.approx(shape, rel=2e-3)
    assert found.parameters["log_mean"] == pytest.approx(np.log(scale), abs=2e-3)
    shares = fits.fit_classes(families.LOGNORMAL, EDGES, shares=counts / counts.sum())
    np.testing.assert_allclose(shares.parameters, found.parameters, atol=1e-3)
    assert shares.frame()["low"].isna().all() and found.frame().notna().all(axis=None)


@pytest.mark.parametrize("binned", [False, True])
def test_a_hyperexponential_is_found_again(binned):
    """Three parameters at 99.9 %: one seed in 300 would fail."""
    values = TWO.rvs(4000, np.random.default_rng(4))
    family = families.hyperexponential(2)
    if binned:
        fit = fits.fit_classes(family, EDGES, np.histogram(values, EDGES)[0])
    else:
        fit = fits.fit_values(family, values)
    table = fit.frame(0.999)
    true = np.array([0.9, 0.1, 0.1, 4.0])
    assert ((table["low"] < true) & (true < table["high"])).all()
    assert (table["high"] / table["low"]).max() < 2.5


def test_the_best_of_several_searches_is_kept():
    """No fit is less likely than the truth; from some starts one ends 10 below."""
    few = families.Hyperexponential(np.array([0.02, 0.98]), np.array([0.001, 1.0]))
    for seed in (0, 3, 5):
        rng = np.random.default_rng(seed)
        values = few.rvs(300, rng)
        fit = fits.fit_values(families.hyperexponential(2), values)
        assert -fit.cost >= few.logpdf(values).sum()


@pytest.mark.parametrize(
    ("means", "limits"), [([1.0, 30.0], [0.1, 0.3, 1.0, 3.0]), ([1.0, 30.0], [0.01, 1.0, 50.0])]
)
def test_the_best_of_several_searches_is_kept_for_a_printed_table(means, limits):
    truth = families.Hyperexponential(np.array([0.99, 0.01]), np.array(means))
    fit = fits.fit_printed(families.hyperexponential(2), limits, truth.cdf(limits), 5e-4)
    assert fit.cost < 1e-6


def test_intervals_cover_as_often_as_they_say():
    """Fewer than 33 of 40 at 95 %, for either number, is one in 350 where all is right."""
    rng = np.random.default_rng(5)
    covered = np.zeros(2)
    for _ in range(40):
        table = fits.fit_values(families.GAMMA, rng.gamma(0.5, 4.0, 200)).frame()
        true = np.array([0.5, 2.0])
        covered += (table["low"] < true) & (true < table["high"])
    assert (covered >= 33).all()


@settings(max_examples=10)
@given(st.floats(1e-3, 1e3), st.integers(0, 100))
def test_another_unit_changes_nothing_else(factor, seed):
    values = np.random.default_rng(seed).lognormal(0.0, 1.0, 60)
    one = fits.fit_values(families.GAMMA, values).parameters
    other = fits.fit_values(families.GAMMA, factor * values).parameters
    assert other["shape"] == pytest.approx(one["shape"], rel=1e-3)
    assert other["mean"] == pytest.approx(factor * one["mean"], rel=1e-3)


@settings(max_examples=25)
@given(st.lists(st.floats(-3.0, 3.0), min_size=5, max_size=5))
def test_phases_are_a_distribution_with_the_shortest_first(free):
    family = families.hyperexponential(3)
    p = family.unpack(np.array(free))
    assert p[:3].sum() == pytest.approx(1.0) and (np.diff(p[3:]) >= 0.0).all()
    mixture = family.distribution(p)
    assert mixture.cdf(mixture.ppf(0.7)) == pytest.approx(0.7)
    assert mixture.moment(1) == pytest.approx(mixture.mean())
    assert mixture.moment(2) - mixture.mean() ** 2 == pytest.approx(mixture.std() ** 2)


def test_density_and_fractional_moments_against_integration():
    def density(x):
        return float(np.exp(TWO.logpdf(x)))

    assert integrate.quad(density, 0.0, 1.5)[0] == pytest.approx(float(TWO.cdf(1.5)))
    whole = sum(
        integrate.quad(lambda x: x**0.4 * density(x), a, b)[0] for a, b in ((0, 1), (1, 200))
    )
    assert TWO.cdf(1e-18) == pytest.approx(1e-18 * (0.9 / 0.1 + 0.1 / 4.0), rel=1e-12, abs=0.0)
    assert TWO.moment(0.4) == pytest.approx(whole, rel=1e-6)
    assert TWO.logpdf(-1.0) == -np.inf
    drawn = TWO.rvs(40_000, np.random.default_rng(6))
    assert drawn.mean() == pytest.approx(TWO.mean(), abs=4.0 * TWO.std() / 200.0)


def test_quantiles_of_phases_are_taken_of_arrays_as_scipy_does():
    shares = np.array([[0.0, 1e-9, 0.5], [0.9, 1.0 - 1e-9, 1.0]])
    found = TWO.ppf(shares)
    np.testing.assert_allclose(TWO.cdf(found), shares, rtol=1e-12)
    assert found[0, 0] == 0.0 and found[1, 2] == np.inf
    assert np.isnan(TWO.ppf([-0.1, 1.1, np.nan])).all()
    equal = families.Hyperexponential(np.array([0.3, 0.7]), np.array([2.0, 2.0]))
    median = equal.ppf(0.5)
    assert np.isscalar(median) and median == pytest.approx(2.0 * np.log(2.0))


@pytest.mark.parametrize(
    "edges", [[0, 5, 10, 15, 20], [2, 5, 10, 15, np.inf], [2, 5, 10, 15], [0, 5, 10, 15, np.inf]]
)
def test_classes_that_leave_out_a_range_do_not_bias_the_fit(edges):
    truth = families.EXPONENTIAL.distribution([10.0])
    counts = 1000 * fits.class_shares(truth, edges)
    fit = fits.fit_classes(families.EXPONENTIAL, edges, counts)
    assert fit.parameters["mean"] == pytest.approx(10.0, rel=1e-4)
    table = fits.goodness_of_classes(fit, edges, counts)
    assert (table["statistic"].abs() < 1e-6).all() and (table["p"] > 0.999).all()


def test_intervals_of_truncated_classes_cover_as_often_as_they_say():
    """Fewer than 87 of 100 at 95 % is one in 2,400 where all is right."""
    rng, edges, covered = np.random.default_rng(10), np.array([0.0, 5.0, 10.0, 15.0, 20.0]), 0
    for _ in range(100):
        counts = np.histogram(rng.exponential(10.0, 400), edges)[0]
        row = fits.fit_classes(families.EXPONENTIAL, edges, counts).frame().loc["mean"]
        covered += row["low"] < 10.0 < row["high"]
    assert covered >= 87


@pytest.mark.parametrize("whole", [0.999, 1.0, 1.001, 100.1])
def test_printed_shares_are_no_counts_whatever_they_add_up_to(whole):
    shares = np.array([0.2, 0.15, 0.25, 0.225, 0.125, 0.05]) * whole
    fit = fits.fit_classes(families.LOGNORMAL, EDGES, shares=shares)
    assert fit.frame()[["low", "high"]].isna().all(axis=None)
    assert np.isnan(fit.count) and np.isnan(fit.aic)
    table = fits.goodness_of_classes(fit, EDGES, shares=shares)
    assert table["p"].isna().all()
    counts = 1000 * shares / whole
    counted = fits.goodness_of_classes(
        fits.fit_classes(families.LOGNORMAL, EDGES, counts), EDGES, counts
    )
    np.testing.assert_allclose(1000 * table["statistic"], counted["statistic"], rtol=1e-3)
    np.testing.assert_allclose(table["rejected_from"], counted["rejected_from"], rtol=1e-3)


def test_a_printed_table_gives_back_the_family_it_was_made_from():
    limits = np.array([0.1, 1.0, 10.0])
    family = families.hyperexponential(2)
    fit = fits.fit_printed(family, limits, TWO.cdf(limits), 5e-4, TWO.mean(), TWO.std())
    np.testing.assert_allclose(fit.parameters, [0.9, 0.1, 0.1, 4.0], rtol=1e-3)
    assert fit.cost < 1e-6
    worse = fits.fit_printed(families.LOGNORMAL, limits, TWO.cdf(limits), 5e-4)
    assert worse.cost > 1.0


def test_a_printed_table_with_no_number_left_over_is_met_exactly():
    mean = fits.fit_printed(families.EXPONENTIAL, [2.0], [0.75], 5e-3).parameters["mean"]
    assert mean == pytest.approx(1.0 / np.log(2.0), rel=1e-6)
    shape_2 = families.GAMMA.distribution([2.0, 3.0])
    fit = fits.fit_printed(families.GAMMA, [2.0], [shape_2.cdf(2.0)], 5e-3, mean=3.0)
    np.testing.assert_allclose(fit.parameters, [2.0, 3.0], rtol=1e-4)


def test_the_cost_of_a_printed_table_counts_half_digits():
    """Half the sum of squares, and no mean nearby costs less."""

    def cost(mean):
        residuals = [
            (1.0 - np.exp(-1.0 / mean) - 0.6) / 0.05,
            (mean - 2.0) / 0.5,
            (mean - 3.0) / 0.25,
        ]
        return 0.5 * sum(r**2 for r in residuals)

    fit = fits.fit_printed(families.EXPONENTIAL, [1.0], [0.6], 0.05, 2.0, 3.0, (0.5, 0.25))
    mean = fit.parameters["mean"]
    assert fit.cost == pytest.approx(cost(mean))
    assert cost(mean) < min(cost(0.99 * mean), cost(1.01 * mean))


@pytest.mark.parametrize("cdf", [[0.0, 0.6, 0.6], [0.3, 0.95, 1.0]])
def test_a_printed_table_may_have_shares_that_rest_at_0_and_1(cdf):
    assert printed([0.1, 1.0, 3.0], cdf).parameters["mean"] > 0.0


def test_a_printed_limit_of_0_says_nothing():
    with_it, without = printed([0.0, 1.0, 3.0], [0.0, 0.6, 0.95]), printed()
    assert with_it.parameters["mean"] == pytest.approx(without.parameters["mean"], rel=1e-6)
    assert with_it.cost == pytest.approx(without.cost)


def test_shares_of_far_classes_keep_their_digits():
    shares = fits.class_shares(families.EXPONENTIAL.distribution([1.0]), [0.0, 1e-15, 40.0, 50.0])
    assert shares[0] == pytest.approx(1e-15, rel=1e-9, abs=0.0)
    assert shares[2] == pytest.approx(np.exp(-40.0) - np.exp(-50.0), rel=1e-9, abs=0.0)


def test_the_tests_of_classes_reject_as_often_as_they_say():
    """More than 12 or none of 100 at 5 % is one in 130 where all is right."""
    rng = np.random.default_rng(7)
    rejected = 0
    for _ in range(100):
        counts = np.histogram(rng.exponential(1.0, 300), EDGES)[0]
        fit = fits.fit_classes(families.EXPONENTIAL, EDGES, counts)
        table = fits.goodness_of_classes(fit, EDGES, counts)
        rejected += table.loc["pearson", "p"] < 0.05
    assert 1 <= rejected <= 12


def test_goodness_of_classes_by_hand_and_against_a_wrong_family():
    counts = 1000 * fits.class_shares(TWO, EDGES)
    right = fits.fit_classes(families.hyperexponential(2), EDGES, counts)
    table = fits.goodness_of_classes(right, EDGES, counts)
    assert (table["statistic"] < 1e-3).all() and (table["df"] == 2).all()
    wrong = fits.goodness_of_classes(
        fits.fit_classes(families.EXPONENTIAL, EDGES, counts), EDGES, counts
    )
    assert (wrong["p"] < 1e-6).all() and (wrong["rejected_from"] < 200).all()


def test_the_tests_of_classes_by_hand():
    """Half of an exponential lies below its median, a quarter in each class beyond."""
    median, three_quarters = np.log([2.0, 4.0])
    fit = fits.fit_classes(families.EXPONENTIAL, [0.0, median, np.inf], [50, 50])
    assert fit.parameters["mean"] == pytest.approx(1.0, rel=1e-4)
    found = fits.goodness_of_classes(fit, [0.0, median, three_quarters, np.inf], [60, 15, 25])
    assert found.loc["pearson", "statistic"] == pytest.approx(100 / 50 + 100 / 25, rel=1e-3)
    ratio = 2.0 * (60.0 * np.log(60 / 50) + 15.0 * np.log(15 / 25))
    assert found.loc["likelihood_ratio", "statistic"] == pytest.approx(ratio, rel=1e-3)
    assert (found["df"] == 1).all()
    # 0.0143 beyond 6 and 3.841 at 5 %, by the tables of chi-squared.
    assert found.loc["pearson", "p"] == pytest.approx(0.01431, rel=5e-3)
    assert found.loc["pearson", "rejected_from"] == pytest.approx(3.841 * 100 / 6, rel=2e-3)


def test_the_distance_of_a_fit_by_hand():
    values = np.array([1.0, 2.0, 3.0, 10.0])
    fit = fits.fit_values(families.EXPONENTIAL, values)
    found = [fits.goodness_of_values(fit, values, seed=s, resamples=19) for s in range(4)]
    # The mean is 4; just above 3 the share is 3 / 4.
    assert found[0]["distance"] == pytest.approx(0.75 - (1.0 - np.exp(-0.75)), rel=1e-3)
    again = fits.goodness_of_values(fit, values, seed=1, resamples=19)
    assert again.equals(found[1]) and len({row["p"] for row in found}) > 1


def test_goodness_of_values_tells_right_from_wrong():
    """The right family would have a p of 0.05 or less in one seed of 20."""
    values = np.random.default_rng(8).lognormal(0.0, 1.0, 150)
    right = fits.fit_values(families.LOGNORMAL, values)
    assert fits.goodness_of_values(right, values, resamples=39)["p"] > 0.05
    wrong = fits.fit_values(families.EXPONENTIAL, values)
    assert fits.goodness_of_values(wrong, values, resamples=39)["p"] == 1 / 40


def test_the_best_family_comes_first():
    values = TWO.rvs(2000, np.random.default_rng(9))
    tried = [families.EXPONENTIAL, families.GAMMA, families.hyperexponential(2)]
    table = fits.compare([fits.fit_values(family, values) for family in tried])
    assert table.index[0] == "hyperexponential of 2 phases"
    assert table.loc[table.index[0], "median"] == pytest.approx(TWO.ppf(0.5), rel=0.1)


def test_a_number_more_must_be_worth_its_cost():
    """The gamma, which holds the exponential, is likelier by less than one."""
    values = stats.expon(scale=3.0).ppf((np.arange(50) + 0.5) / 50)
    table = fits.compare(
        [fits.fit_values(family, values) for family in (families.GAMMA, families.EXPONENTIAL)]
    )
    assert list(table.index) == ["exponential", "gamma"]
    gain = table.loc["gamma", "log_likelihood"] - table.loc["exponential", "log_likelihood"]
    assert 0.0 < gain < 1.0


def test_the_order_of_the_values_makes_no_other_data():
    values = TWO.rvs(200, np.random.default_rng(9))
    ways = [fits.fit_values(families.EXPONENTIAL, v) for v in (values, values[::-1])]
    assert len(fits.compare(ways)) == 1


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: fits.fit_values(families.GAMMA, [1.0, 2.0]), "more than 2 values"),
        (lambda: fits.fit_values(families.GAMMA, [1.0, 2.0, -1.0]), "all positive"),
        (lambda: fits.fit_values(families.EXPONENTIAL, [1.0, 2.0, 0.0]), "all positive"),
        (lambda: fits.fit_values(families.EXPONENTIAL, [1.0, 2.0, np.inf]), "positive and finite"),
        (lambda: fits.fit_values(families.GAMMA, [1.0] * 5), "all equal"),
        (lambda: fits.fit_classes(families.GAMMA, [0, 1, 2], [1, 1]), "needs more classes"),
        (lambda: fits.fit_classes(families.GAMMA, [0, 2, 1], [1, 1]), "between two edges"),
        (lambda: fits.fit_classes(families.EXPONENTIAL, [0, 1, 1], [1, 1]), "between two edges"),
        (lambda: fits.fit_classes(families.EXPONENTIAL, EDGES, [1, 2, 3]), "one a class"),
        (lambda: fits.fit_classes(families.EXPONENTIAL, EDGES[:4], [3, 3, -1]), "never negative"),
        (lambda: fits.fit_classes(families.EXPONENTIAL, EDGES[:4], [3, 3, np.inf]), "infinite"),
        (
            lambda: fits.fit_classes(families.EXPONENTIAL, EDGES[:3], [3, 3], shares=[1, 1]),
            "Give one",
        ),
        (lambda: fits.fit_classes(families.GAMMA, EDGES, np.full(6, 0.1668)), "given as shares="),
        (lambda: fits.fit_classes(families.GAMMA, EDGES, [1, 1, 0, 0, 0, 0]), "add up to 2"),
        (lambda: fits.fit_classes(families.GAMMA, EDGES), "one of counts and shares"),
        (lambda: fits.fit_classes(families.GAMMA, EDGES, shares=np.zeros(6)), "empty"),
        (lambda: fits.compare([]), "to the same values"),
        (lambda: fits.compare([exponential(20), exponential(21)]), "to 20 values, 21 values"),
        (lambda: fits.compare([exponential(20), exponential(20, 2)]), "but not the same values"),
        (lambda: fits.compare([exponential(20), printed()]), "20 values, nan values in a table"),
        (lambda: fits.compare([exponential(20), classed(4)]), "20 values, 20 values in 4 classes"),
        (lambda: fits.compare([classed(5), classed(4)]), "in 5 classes, 20 values in 4 classes"),
        (lambda: fits.compare([classed(4), classed(4, 2.0)]), "the same values in 4 classes"),
        (lambda: fits.compare([classed(4), classed(4, fall=1.0)]), "the same values in 4 classes"),
        (lambda: fits.compare([printed()]), "nan values in a table"),
        (lambda: fits.fit_printed(families.GAMMA, [1.0], [0.5], 0.1), "1 are printed"),
        (lambda: printed([1.0, 3.0], [0.6]), "a share each"),
        (lambda: printed(3.0, 0.6), "a share each"),
        (lambda: printed([], []), "a share each"),
        (lambda: printed([3.0, 1.0], [0.6, 0.9]), "limits must rise"),
        (lambda: printed([1.0, 1.0], [0.6, 0.6]), "limits must rise"),
        (lambda: printed([-1.0, 0.0], [0.0, 0.0]), "limits must rise"),
        (lambda: printed([1.0, np.inf], [0.6, 1.0]), "limits must rise"),
        (lambda: printed([1.0, 3.0], [0.9, 0.6]), "shares from 0 to 1 that do not fall"),
        (lambda: printed([1.0, 3.0], [60.0, 95.0]), "shares from 0 to 1 that do not fall"),
        (lambda: printed([1.0, 3.0], [-0.1, 0.95]), "shares from 0 to 1 that do not fall"),
        (lambda: printed([1.0, 3.0], [0.6, np.nan]), "shares from 0 to 1 that do not fall"),
        (lambda: printed(half_digit=0.0), "half_digit must be a finite number above 0; 0.0 is"),
        (lambda: printed(half_digit=np.nan), "half_digit must be a finite number above 0"),
        (lambda: printed(half_digit=-0.1), "half_digit must be a finite number above 0"),
        (lambda: printed(mean=np.nan), "mean must be a finite number of 0 or more; nan is not"),
        (lambda: printed(mean=-1.0), "mean must be a finite number of 0 or more"),
        (lambda: printed(sd=-1.0), "sd must be a finite number of 0 or more"),
        (lambda: printed(mean=1.0, moment_half_digits=(0, 1)), "moment_half_digits must be a fin"),
        (lambda: printed(mean=1.0, moment_half_digits=1), "moment_half_digits must be two"),
        (
            lambda: fits.fit_classes(families.LOGNORMAL, [0, 1, 2, 3], [0, 10, 0]),
            "all lie in one class",
        ),
        (lambda: families.hyperexponential(1), "2 phases or more"),
        (lambda: families.hyperexponential(2.5), "2 phases or more"),
        (lambda: fits.fit_classes(families.EXPONENTIAL, [-1, 0, np.inf], [1, 2]), "above 0; of"),
        (lambda: fits.fit_values(families.EXPONENTIAL, np.ones((2, 3))), r"a list .* \(2, 3\)"),
        (lambda: fits.goodness_of_values(exponential(20), np.ones((2, 3))), "must be a list"),
        (lambda: fits.goodness_of_values(exponential(20), []), "these 0 are others"),
        (lambda: fits.goodness_of_values(exponential(20), [np.nan] * 20), "these 20 are others"),
        (lambda: fits.goodness_of_values(exponential(20), np.ones(20)), "20 values.* are others"),
    ],
)
def test_bad_input_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("shares", [[0.25] * 4, [0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.5]])
@pytest.mark.parametrize(
    "family",
    [
        families.EXPONENTIAL,
        families.LOGNORMAL,
        families.GAMMA,
        families.WEIBULL,
        families.hyperexponential(2),
    ],
)
def test_classes_that_the_longest_values_fit_best_are_refused(family, shares):
    """No class falls behind the one before, so the density on them should not fall either."""
    with pytest.raises(ValueError, match="the longer its values are, the better it fits"):
        fits.fit_classes(family, np.arange(5.0), shares=shares)


def test_an_exponential_in_two_classes_by_hand():
    """The second class holds exp(-1 / mean) times the first, however little they differ."""
    for second in (0.9, 0.5, 0.01):
        fit = fits.fit_classes(families.EXPONENTIAL, [0, 1, 2], shares=[1.0, second])
        assert fit.parameters["mean"] == pytest.approx(-1.0 / np.log(second), rel=1e-3)


@pytest.mark.filterwarnings("error")
def test_values_where_none_is_expected_reject_the_fit():
    """exp(-1000) of values lie beyond the limit: no number can tell that from 0."""
    edges = [0.0, 1.0, 2.0, 1e6, np.inf]
    fit = fits.fit_classes(families.EXPONENTIAL, edges[:3], [60, 40])
    table = fits.goodness_of_classes(fit, edges, [60, 40, 0, 1])
    assert table["statistic"].tolist() == [np.inf, np.inf]
    assert table["p"].tolist() == [0.0, 0.0]
    nothing = fits.goodness_of_classes(fit, edges, [60, 40, 30, 0])
    assert np.isfinite(nothing["statistic"]).all()


def test_fits_are_compared_from_a_generator_too():
    values = np.random.default_rng(0).exponential(size=20)
    tried = [families.EXPONENTIAL, families.GAMMA]
    table = fits.compare(fits.fit_values(family, values) for family in tried)
    assert table.equals(fits.compare([fits.fit_values(family, values) for family in tried]))


def test_an_exponential_in_one_class_by_hand():
    """exp(-x) - exp(-2 x), most where exp(-x) is a half; nothing is most in the first class."""
    edges = [0.0, 1.0, 2.0, np.inf]
    fit = fits.fit_classes(families.EXPONENTIAL, edges, [0, 10, 0])
    assert fit.parameters["mean"] == pytest.approx(1.0 / np.log(2.0), rel=1e-3)
    with pytest.raises(ValueError, match="the shorter its values are, the better it fits"):
        fits.fit_classes(families.EXPONENTIAL, edges, [10, 0, 0])


@pytest.mark.parametrize("resamples", [0, -1, 2.5])
def test_an_impossible_number_of_resamples_is_refused(resamples):
    values = np.array([1.0, 2.0, 3.0, 10.0])
    fit = fits.fit_values(families.EXPONENTIAL, values)
    assert fits.goodness_of_values(fit, values[::-1], resamples=1)["p"] in (0.5, 1.0)
    with pytest.raises(ValueError, match="resamples must be a whole number of 1 or more"):
        fits.goodness_of_values(fit, values, resamples=resamples)
