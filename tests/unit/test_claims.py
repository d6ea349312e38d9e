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
    verdicts,
)

STEADY = np.array([1.0, 1.1, 0.9, 1.0])


def test_what_is_apart_says_from_what():
    assert (apart(STEADY).rule, apart(STEADY, 0.5).against) == ("not 0", 0.5)


def test_the_farthest_finding_reaches_farthest_from_what_it_was_held_against():
    near, low, wide = about(STEADY, 1.0, 0.1), about(STEADY, 1.5, 0.1), about([0.0, 2.0], 1.0, 0.1)
    assert farthest([near, low]) is low and farthest([low, near, wide]) is wide
    unknown = about([np.nan], 1.0, 0.1)
    assert farthest([wide, unknown]) is unknown


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=6), st.floats(-9, 9), st.floats(0, 5))
def test_a_claim_holds_with_the_whole_t_interval_or_not_at_all(values, bound, tolerance):
    mean = np.mean(values)
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    found = above(values, bound)
    assert (found.ours, found.half_width) == pytest.approx((mean, half))
    near = {
        abs(mean - bound + end * half + tol)
        for end in (-1, 1)
        for tol in (0, tolerance, -tolerance)
    }
    if min(near) > 1e-9:
        assert found.holds == (mean - half > bound)
        assert below(values, bound).holds == (mean + half < bound)
        assert about(values, bound, tolerance).holds == (abs(mean - bound) + half <= tolerance)
        assert apart(values, bound).holds == (abs(mean - bound) > half)
    assert not above(values[:1], bound).holds and not about(values[:1], bound, tolerance).holds


@pytest.mark.filterwarnings("error")
def test_a_value_that_is_infinite_decides_nothing_and_warns_of_nothing():
    """Such as the minutes that a trace space lasts which never fills."""
    for values in ([np.inf, np.inf], [1.0, np.inf], [-np.inf, np.inf]):
        assert np.isnan(above(values).half_width)
        assert not above(values).holds
        assert not about(values, 1.0, 0.5).holds


@pytest.fixture
def use():
    return "tested"


@pytest.fixture
def one_claim(monkeypatch, use):
    row = {"id": "c", "place": "p. 1", "statement": "it is more", "quantity": "users"}
    row |= {"unit": "", "use": use}
    monkeypatch.setattr("perfkit.published.claims", lambda key: pd.DataFrame([row]))
    return ClaimTests("unix_v6")


@pytest.mark.parametrize(("use", "kind"), [("tested", "claim"), ("given", "by construction")])
def test_a_claim_whose_number_was_given_is_not_counted(one_claim, kind):
    one_claim.test("c")(lambda evidence: Finding(True, 1.0))
    assert one_claim.score(None)["kind"].tolist() == [kind]


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


@pytest.mark.parametrize(
    ("found", "rule"),
    [
        (above(STEADY, 0.5), "> 0.5"),
        (below(STEADY, 24.0), "< 24"),
        (about(STEADY, 3.5, 0.35), "3.5 ± 0.35"),
        (about(STEADY, 230000.0, 34500.0), "230000 ± 34500"),
    ],
)
def test_a_finding_says_what_was_asked(found, rule):
    assert found.rule == rule


@pytest.mark.parametrize(("use", "holds"), [("tested", "yes"), ("given", "yes, by construction")])
def test_a_table_of_verdicts_says_what_was_looked_at(one_claim, holds):
    @one_claim.test("c")
    def count(evidence):
        """Users late less users early."""
        return above(STEADY, note="users")

    row = verdicts(one_claim.score(None)).loc[("p. 1", "it is more")]
    assert row["tested"] == "Users late less users early: > 0"
    assert row[["ours", "+-", "holds", "note"]].tolist() == ["1.00", "0.13", holds, "users"]


def test_a_claim_with_nothing_to_test_is_undecided(one_claim):
    one_claim.test("c")(lambda evidence: Finding(False, np.nan, note="no such minute"))
    row = verdicts(one_claim.score(None)).iloc[0]
    assert row[["tested", "ours", "+-", "holds"]].tolist() == ["users", "", "", "undecided"]


def test_a_claim_without_its_test_is_not_passed_over():
    tests = ClaimTests("unix_v6")
    tests.test("no_such_claim")(lambda evidence: Finding(True, 1.0))
    with pytest.raises(ValueError, match="no_such_claim"):
        tests.score(None)


def test_of_several_means_the_one_that_is_least_sure_decides():
    sure, vague = [1.0, 1.1, 0.9], [1.2, 5.0, -2.6]
    assert np.mean(vague) > np.mean(sure) and above(sure).holds
    found = all_above([sure, vague])
    assert not found.holds and found.ours == pytest.approx(1.2)
    mirrored = all_below([[-value for value in values] for values in (sure, vague)])
    assert not mirrored.holds and mirrored.ours == pytest.approx(-1.2)
    assert all_above([sure, sure], 0.5).holds


def test_nothing_to_test_is_the_least_sure_of_all():
    assert not all_above([[1.0, 1.1, 0.9], [np.nan, np.nan, np.nan]]).holds


def test_a_narrow_interval_on_the_wrong_side_decides_over_a_wide_one():
    assert not all_above([[-1.0, -1.1, -0.9], [4.0, 5.0, 6.0]]).holds
    assert not all_below([[1.0, 1.1, 0.9], [-4.0, -5.0, -6.0]]).holds


def test_the_far_end_of_an_interval_decides_and_not_its_middle():
    # They reach up to 3.0 and 2.5.
    wide, narrow = [-1.2, 0.0, 1.2], [1.8, 2.0, 2.2]
    assert all_below([wide, narrow]).ours == 0.0
    assert all_above([[-value for value in values] for values in (wide, narrow)]).ours == 0.0


def test_of_single_replications_the_worst_is_shown():
    assert all_above([[5.0], [3.0]]).ours == 3.0
    assert all_below([[5.0], [3.0]]).ours == 5.0


def test_zero_is_the_bound_where_none_is_given():
    assert above(STEADY).rule == all_above([STEADY]).rule == "> 0"
    assert below(STEADY).rule == all_below([STEADY]).rule == "< 0"
