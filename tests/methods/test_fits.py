"""Fits: closed forms, SciPy's own fits, known parameters found again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from perfkit.methods import families, fits

EXPONENTIAL = families.Family(
    "exponential",
    ("mean",),
    1,
    np.exp,
    lambda p: stats.expon(scale=p[0]),
    lambda low, middle, high: [[np.log(middle)]],
)
TWO = families.Hyperexponential(np.array([0.9, 0.1]), np.array([0.1, 4.0]))


def drawn(mixture, count, rng):
    """Return random values of a mixture of phases."""
    return rng.exponential(rng.choice(mixture.means, count, p=mixture.weights))


def test_the_exponential_by_hand():
    """The maximum is -n (log mean + 1); the search's own error is its square root on the mean."""
    fit = fits.fit_values(EXPONENTIAL, np.arange(1.0, 10.0))
    row = fits.compare([fit]).loc["exponential"]
    likelihood = -9.0 * (np.log(5.0) + 1.0)
    assert row["free"] == 1 and row["log_likelihood"] == pytest.approx(likelihood)
    assert fit.aic == row["aic"] == pytest.approx(2.0 - 2.0 * likelihood)
    assert row["mean"] == row["sd"] == pytest.approx(5.0, rel=1e-4)
    assert row["median"] == pytest.approx(5.0 * np.log(2.0), rel=1e-4)


def test_the_lognormal_is_fitted_by_the_moments_of_the_logarithms():
    logs = np.random.default_rng(2).normal(-1.0, 2.0, 300)
    found = fits.fit_values(families.LOGNORMAL, np.exp(logs)).parameters
    assert found["log_mean"] == pytest.approx(logs.mean(), abs=1e-4)
    assert found["log_sd"] == pytest.approx(logs.std(), rel=1e-4)


@pytest.mark.parametrize(
    "family", [EXPONENTIAL, families.LOGNORMAL, families.GAMMA, families.WEIBULL]
)
def test_values_that_are_nearly_all_equal_are_fitted(family):
    values = np.append(np.ones(99), 2.0)
    fit = fits.fit_values(family, values)
    assert np.isfinite(fit.parameters).all()
    if family in (EXPONENTIAL, families.GAMMA):
        assert fit.distribution.mean() == pytest.approx(1.01, rel=1e-3)
    if family is families.LOGNORMAL:
        by_hand = np.log(2.0) * np.array([0.01, (0.01 * 0.99) ** 0.5])
        np.testing.assert_allclose(fit.parameters, by_hand, rtol=1e-3)


@pytest.mark.parametrize(
    ("family", "theirs"), [(families.GAMMA, stats.gamma), (families.WEIBULL, stats.weibull_min)]
)
@pytest.mark.parametrize("unit", [1e-3, 2.0, 1e3])
def test_other_families_are_fitted_as_scipy_does_in_any_unit(family, theirs, unit):
    values = unit * np.random.default_rng(3).gamma(0.6, 1.0, 300)
    shape, _, scale = theirs.fit(values, floc=0.0)
    found = fits.fit_values(family, values)
    assert found.parameters["shape"] == pytest.approx(shape, rel=1e-3)
    assert found.distribution.mean() == pytest.approx(theirs.mean(shape, scale=scale), rel=1e-3)


def test_the_best_of_several_searches_is_kept():
    """No fit is less likely than the truth; from some starts one ends 10 below."""
    few = families.Hyperexponential(np.array([0.02, 0.98]), np.array([0.001, 1.0]))
    for seed in (0, 3, 5):
        rng = np.random.default_rng(seed)
        values = drawn(few, 300, rng)
        fit = fits.fit_values(families.hyperexponential(2), values)
        assert -fit.cost >= few.logpdf(values).sum()


@pytest.mark.parametrize(
    ("means", "limits"), [([1.0, 30.0], [0.1, 0.3, 1.0, 3.0]), ([1.0, 30.0], [0.01, 1.0, 50.0])]
)
def test_the_best_of_several_searches_is_kept_for_a_printed_table(means, limits):
    truth = families.Hyperexponential(np.array([0.99, 0.01]), np.array(means))
    fit = fits.fit_printed(families.hyperexponential(2), limits, truth.cdf(limits), 5e-4)
    assert fit.cost < 1e-6


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


def test_quantiles_of_phases_are_taken_of_arrays_as_scipy_does():
    shares = np.array([[0.0, 1e-9, 0.5], [0.9, 1.0 - 1e-9, 1.0]])
    found = TWO.ppf(shares)
    np.testing.assert_allclose(TWO.cdf(found), shares, rtol=1e-12)
    assert found[0, 0] == 0.0 and found[1, 2] == np.inf
    assert np.isnan(TWO.ppf([-0.1, 1.1, np.nan])).all()
    equal = families.Hyperexponential(np.array([0.3, 0.7]), np.array([2.0, 2.0]))
    median = equal.ppf(0.5)
    assert np.isscalar(median) and median == pytest.approx(2.0 * np.log(2.0))


def test_a_printed_table_gives_back_its_family_and_is_met_exactly_where_no_number_is_left():
    limits = np.array([0.1, 1.0, 10.0])
    family = families.hyperexponential(2)
    fit = fits.fit_printed(family, limits, TWO.cdf(limits), 5e-4, TWO.mean(), TWO.std())
    np.testing.assert_allclose(fit.parameters, [0.9, 0.1, 0.1, 4.0], rtol=1e-3)
    assert fit.cost < 1e-6
    worse = fits.fit_printed(families.LOGNORMAL, limits, TWO.cdf(limits), 5e-4)
    assert worse.cost > 1.0
    mean = fits.fit_printed(EXPONENTIAL, [2.0], [0.75], 5e-3).parameters["mean"]
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

    fit = fits.fit_printed(EXPONENTIAL, [1.0], [0.6], 0.05, 2.0, 3.0, (0.5, 0.25))
    mean = fit.parameters["mean"]
    assert fit.cost == pytest.approx(cost(mean))
    assert cost(mean) < min(cost(0.99 * mean), cost(1.01 * mean))


def test_a_number_more_must_be_worth_its_cost_and_order_makes_no_other_data():
    """The gamma, which holds the exponential, is likelier by less than one."""
    values = stats.expon(scale=3.0).ppf((np.arange(50) + 0.5) / 50)
    table = fits.compare(
        [fits.fit_values(family, values) for family in (families.GAMMA, EXPONENTIAL)]
    )
    assert list(table.index) == ["exponential", "gamma"]
    gain = table.loc["gamma", "log_likelihood"] - table.loc["exponential", "log_likelihood"]
    assert 0.0 < gain < 1.0
    values = drawn(TWO, 200, np.random.default_rng(9))
    ways = (fits.fit_values(EXPONENTIAL, v) for v in (values, values[::-1]))
    assert len(fits.compare(ways)) == 1
