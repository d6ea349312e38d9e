"""How claims are met: intervals against bounds, and none forgotten."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perfkit.claims import (
    ClaimTests,
    Finding,
    about,
    above,
    all_above,
    all_below,
    apart,
    below,
    farthest,
)

STEADY = np.array([1.0, 1.1, 0.9, 1.0])


def test_the_farthest_finding_reaches_farthest_from_what_it_was_held_against():
    near, low, wide = about(STEADY, 1.0, 0.1), about(STEADY, 1.5, 0.1), about([0.0, 2.0], 1.0, 0.1)
    assert farthest([near, low]) == low and low.refuted
    assert farthest([low, near, wide]) == wide._replace(refuted=True) and not wide.refuted
    unknown = about([np.nan], 1.0, 0.1)
    assert np.isnan(farthest([wide, unknown]).ours)


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=6), st.floats(-9, 9), st.floats(0, 5))
def test_a_claim_holds_with_the_whole_t_interval_or_not_at_all(values, bound, tolerance):
    mean = np.mean(values)
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    found = above(values, bound)
    assert (found.ours, found.half_width) == pytest.approx((mean, half))
    ends = np.add.outer([-half, half], [0.0, tolerance, -tolerance])
    if np.abs(mean - bound + ends).min() > 1e-9:
        assert found.holds == (mean - half > bound)
        assert below(values, bound).holds == (mean + half < bound)
        assert about(values, bound, tolerance).holds == (abs(mean - bound) + half <= tolerance)
        assert apart(values, bound).holds == (abs(mean - bound) > half)
        assert found.refuted == (mean + half < bound) == below(values, bound).holds
        off = abs(mean - bound) - half > tolerance
        assert about(values, bound, tolerance).refuted == off
    assert not above(values[:1], bound).holds and not about(values[:1], bound, tolerance).holds


@pytest.mark.filterwarnings("error")
def test_a_value_that_is_infinite_decides_nothing_and_warns_of_nothing():
    """Such as the minutes that a trace space lasts which never fills."""
    for values in ([np.inf, np.inf], [1.0, np.inf], [-np.inf, np.inf]):
        assert np.isnan(above(values).half_width)
        assert not above(values).holds
        assert not about(values, 1.0, 0.5).holds


@pytest.fixture
def one_claim(monkeypatch):
    row = {"id": "c", "place": "p. 1", "statement": "it is more", "quantity": "users"}
    row |= {"unit": "", "use": "tested"}
    monkeypatch.setattr("perfkit.published.claims", lambda key: pd.DataFrame([row]))
    return ClaimTests("unix_v6")


@pytest.mark.parametrize(
    ("found", "note"),
    [
        (Finding(True, 1.0, note="by arithmetic"), "by arithmetic"),
        (Finding(False, np.nan, note="no such minute"), "no such minute"),
        (above([5.0], 0.0, "s"), "s; undecided: an interval needs two replications"),
        (above([5.0], 0.0), "undecided: an interval needs two replications"),
        (above(STEADY, 0.0, "s"), "s"),
    ],
)
def test_a_note_is_kept_and_one_replication_is_told(one_claim, found, note):
    one_claim.test("c")(lambda evidence: found)
    row = one_claim.score(None).iloc[0]
    assert row["note"] == note and row["reproduced"] == found.holds


def test_a_claim_without_its_test_is_not_passed_over():
    tests = ClaimTests("unix_v6")
    tests.test("no_such_claim")(lambda evidence: Finding(True, 1.0))
    with pytest.raises(ValueError, match="no_such_claim"):
        tests.score(None)


@pytest.mark.parametrize(
    ("series", "ours"),
    [
        ([[1.0, 1.1, 0.9], [1.2, 5.0, -2.6]], 1.2),  # the larger mean is the less sure
        ([[-1.0, -1.1, -0.9], [4.0, 5.0, 6.0]], -1.0),  # narrow, but on the wrong side
        ([[1.2, 0.0, -1.2], [-1.8, -2.0, -2.2]], 0.0),  # they reach down to -3.0 and -2.5
        ([[5.0], [3.0]], 3.0),  # single replications
        ([[1.0, 1.1, 0.9], [np.nan] * 3], np.nan),  # nothing to test
    ],
)
def test_of_several_means_the_one_that_is_least_sure_decides(series, ours):
    found, mirrored = all_above(series), all_below(-np.array(values) for values in series)
    assert (found.ours, -mirrored.ours) == pytest.approx((ours, ours), nan_ok=True)
    assert not found.holds and not mirrored.holds
    assert all_above([STEADY, STEADY], 0.5).holds
    assert found.refuted == any(above(values).refuted for values in series)
    assert (found.rule, mirrored.rule, apart(STEADY).rule) == ("> 0", "< 0", "not 0")
    assert about(STEADY, 230000.0, 34500.0).rule == "230000 ± 34500"
