"""Functions and draws that have the same bits everywhere, and the rule that keeps others out."""

import ast
import math
import re
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import perfkit
from perfkit.des import elementary
from perfkit.des.draws import exponential, exponential_is_less, normal, stream, uniform

SHARES = st.floats(2.0**-53, 1.0 - 2.0**-53)
ROOMS = ("des", "systems")
OF_MATH = {"ceil", "floor", "inf", "isfinite", "isinf", "isnan", "nan", "sqrt"}
NOT_OF_NUMPY = {
    *("arccos", "arcsin", "arctan", "arctan2", "cbrt", "cos", "cosh", "exp", "exp2", "expm1"),
    *("float_power", "geomspace", "hypot", "log", "log10", "log1p", "log2", "logaddexp"),
    *("logspace", "power", "sin", "sinc", "sinh", "tan", "tanh", "interp", "polyfit", "polyval"),
    *("convolve", "correlate", "cov", "corrcoef", "dot", "einsum", "inner", "linalg", "matmul"),
    *("outer", "tensordot", "vdot", "random"),
}


def units_off(found, exact):
    """Return by how many units in the last place a float misses a Decimal."""
    return abs(Decimal(float(found)) - exact) / Decimal(math.ulp(float(exact)))


def exact_cosine(turns):
    """Return cos(2 pi turns) by its series, for a turn at most."""
    x = Decimal(turns) * 2 * Decimal("3.14159265358979323846264338327950288419716939937511")
    total = term = Decimal(1)
    for k in range(1, 60):
        term *= -x * x / ((2 * k - 1) * (2 * k))
        total += term
    return total


@given(st.floats(1e-300, 1e300), st.floats(-700.0, 700.0), st.floats(0.0, 1.0))
def test_logarithm_exponential_and_cosine_miss_by_less_than_a_unit(positive, exponent, turns):
    with localcontext(prec=50):
        if positive != 1.0:
            assert units_off(elementary.log(positive), Decimal(positive).ln()) < 1
        assert units_off(elementary.exp(exponent), Decimal(exponent).exp()) < 1
        cosine = exact_cosine(turns)
        assert abs(Decimal(elementary.cosine(turns)) - cosine) < Decimal(2.0**-52)


@given(st.floats(1e-10, 1e10), st.floats(-10.0, 10.0))
def test_a_power_misses_by_as_many_units_as_it_says(x, y):
    with localcontext(prec=50):
        exponent = Decimal(y) * Decimal(x).ln()
        allowed = 2 + 2 * abs(exponent)
        assert units_off(elementary.power(x, y), exponent.exp()) <= allowed


@given(st.floats(-0.9, 1e6))
def test_log1p_agrees_with_the_c_library(x):
    assert elementary.log1p(x) == pytest.approx(math.log1p(x), rel=1e-15, abs=5e-324)


def test_ends_of_the_functions():
    assert elementary.log(0.0) == -math.inf
    assert elementary.exp(-math.inf) == 0.0 and elementary.exp(710.0) == math.inf
    assert elementary.power(0.0, 0.5) == 0.0 and elementary.power(1.0, 7.3) == 1.0
    assert [elementary.cosine(t) for t in (0.0, 0.25, 0.5, 1.0, -7.5)] == [1, 0, -1, 1, -1]
    assert elementary.normal_quantile(0.0) == -elementary.normal_quantile(1.0) < -8.0


@given(SHARES, st.floats(0.0, 2000.0))
def test_plain_python_gives_the_same_bits(share, mean):
    for function in ("log", "exp", "log1p", "cosine", "normal_quantile"):
        compiled = getattr(elementary, function)
        assert compiled(share) == compiled.py_func(share), function
    compiled = elementary.poisson_quantile
    assert compiled(share, mean) == compiled.py_func(share, mean)


@given(SHARES)
def test_normal_quantiles_are_scipys(share):
    wanted = special.ndtri(share)
    assert elementary.normal_quantile(share) == pytest.approx(wanted, rel=2e-15, abs=1e-16)


@given(st.floats(1e-12, 1.0 - 1e-9), st.one_of(st.floats(1e-3, 400.0), st.floats(1e3, 1e6)))
def test_poisson_quantiles_are_scipys_but_where_the_share_lies_on_a_step(share, mean):
    found = elementary.poisson_quantile(share, mean)
    assert stats.poisson.cdf(found, mean) >= share * (1.0 - 1e-9)
    assert stats.poisson.cdf(found - 1.0, mean) <= share * (1.0 + 1e-9)


@pytest.mark.parametrize("mean", [0.0, 0.01, 3.0, 30.0, 199.0, 201.0, 500.0, 1e4, 1e5])
def test_poisson_quantiles_are_right_at_both_ends(mean):
    """A draw of 0 means the least count; near 1 the next share beyond decides, not the sum."""
    assert elementary.poisson_quantile(0.0, mean) == 0.0
    for bits in range(1, 54):
        found = elementary.poisson_quantile(1.0 - 2.0**-bits, mean)
        assert stats.poisson.sf(found, mean) <= 2.0**-bits * (1.0 + 1e-8)
        assert found == 0.0 or stats.poisson.sf(found - 1.0, mean) >= 2.0**-bits * (1.0 - 1e-8)


@pytest.mark.parametrize("mean", [-1.0, np.inf, np.nan])
def test_a_mean_that_no_count_has_is_refused(mean):
    for refuse in (elementary.poisson_quantile, elementary.each_poisson_quantile):
        with pytest.raises(ValueError, match=r"must be finite and 0 or more\.$"):
            refuse(0.5, mean)


def test_a_function_of_each_broadcasts_and_keeps_the_shape():
    assert elementary.each_log(1.0) == 0.0
    table = elementary.each_power(np.array([[1.0], [4.0]]), np.array([0.5, 1.0, 2.0]))
    assert table == pytest.approx(np.array([[1.0, 1.0, 1.0], [2.0, 4.0, 16.0]]))
    assert elementary.each_exp(np.zeros(0)).shape == (0,)


def test_interpolation_is_numpys():
    at, values = np.array([0.0, 1.0, 1.0, 4.0]), np.array([5.0, 7.0, 8.0, 2.0])
    x = np.array([-1.0, 0.0, 0.3, 1.5, 4.0, 9.0])
    found = [elementary.interpolate(one, at, values) for one in x]
    assert found == pytest.approx(np.interp(x, at, values))


@pytest.mark.parametrize(
    ("draw", "law"),
    [
        (normal, stats.norm()),
        (exponential, stats.expon()),
        (lambda s: elementary.poisson_quantile(uniform(s), 2.7), stats.poisson(2.7)),
        (lambda s: elementary.poisson_quantile(uniform(s), 300.0), stats.poisson(300.0)),
    ],
)
def test_draws_follow_their_law(draw, law):
    """At a fixed seed; over seeds it fails once in a million."""
    one = stream(4, "test")
    draws = [draw(one) for _ in range(20_000)]
    edges = np.unique(law.ppf(np.linspace(0.0, 1.0, 12)[1:-1]))
    cells = np.diff(np.concatenate(([0.0], law.cdf(edges), [1.0])))
    counts = np.bincount(np.searchsorted(edges, draws, side="left"), minlength=cells.size)
    assert stats.chisquare(counts, cells * len(draws)).pvalue > 1e-6


@given(st.integers(0, 10**6), st.floats(0.0, 40.0))
def test_comparing_an_exponential_number_is_drawing_it(seed, bound):
    """Also where the bound is the number itself, or the next above it."""
    drawn = exponential(stream(seed, "test"))
    for x in (bound, drawn, np.nextafter(drawn, np.inf)):
        assert exponential_is_less(stream(seed, "test"), x) == (drawn < x)


def forbidden(tree):
    """Yield the line and text of what a room that simulates may not use."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield node.lineno, "@"
        powers = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
        if powers and not isinstance(node.left, ast.Constant):
            yield node.lineno, "**"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner, name = node.value.id, node.attr
            if (owner == "np" and name in NOT_OF_NUMPY) or (
                owner == "math" and name not in OF_MATH
            ):
                yield node.lineno, f"{owner}.{name}"


def test_the_rule_finds_what_it_forbids():
    source = "a @ b\nx ** 0.5\nnp.exp(x)\nmath.log1p(x)\n10**6\n2.0**-53\nnp.sqrt(x)"
    assert [line for line, _ in forbidden(ast.parse(source))] == [1, 2, 3, 4]


def test_rooms_that_simulate_use_no_functions_that_differ_between_processors():
    folder = Path(perfkit.__file__).parent
    found = [
        f"{path.relative_to(folder)}:{line}: {what}"
        for room in ROOMS
        for path in (folder / room).rglob("*.py")
        for line, what in forbidden(ast.parse(path.read_text()))
    ]
    assert not found, "use perfkit.des.elementary instead:\n" + "\n".join(found)


def test_sorts_keep_the_order_of_ties():
    """NumPy's own sort orders ties by processor; that by several keys keeps their order."""
    folder = Path(perfkit.__file__).parent
    files = [*folder.rglob("*.py"), *(folder.parent / "notebooks").glob("*.ipynb")]
    lines = [line for path in files for line in path.read_text().splitlines()]
    sorts = [line for line in lines if re.search(r"argsort\(|\.sort_values\(.", line)]
    assert sorts
    assert not [line for line in sorts if "stable" not in line and "sort_values([" not in line]
