"""Verdicts by distance and by claim, counts, forecasts without the simulator; cards on disc."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from studies.evidence import kept_cards, nulls, scorecard
from studies.evidence.claims import (
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

KINDS = ["fitted", "predicted"]


def card():
    return scorecard.gather(
        scorecard.cells("Table 1", ["a", "b"], "s", KINDS, [100] * 2, [104, 106], relative=0.05),
        scorecard.cells("Table 2", ["c"], "requests", "arithmetic", [2.0], [2.1], absolute=0.1),
        scorecard.claim("section 3", "more is less", False, ours=1.5, note="it is not"),
    )


def test_columns_go_together_by_position_whatever_their_labels():
    found = scorecard.cells(
        "T",
        pd.Series(["x", "y"], index=[7, 3]),
        "s",
        pd.Series(KINDS, index=[3, 7]),
        pd.Series([10.0, 20.0], index=[1, 2]),
        pd.Series([10.0, 30.0], index=[2, 1]),
        relative=pd.Series([0.1, 0.2], index=[5, 6]),
        note=pd.Series(["", "too many"], index=[8, 9]),
    )
    assert found["kind"].tolist() == KINDS
    assert found["tolerance"].tolist() == [1.0, 4.0]
    assert found["reproduced"].tolist() == [True, False]
    assert found["note"].tolist() == ["", "too many"]


def test_kinds_are_counted_apart_in_the_order_of_the_card_with_null_and_verdicts():
    assert scorecard.headline(None) == "Not run yet."
    found = card().assign(null=[np.nan, 103.0, np.nan, np.nan])
    assert scorecard.headline(found) == (
        "Reproduced: 0 of 1 predicted cells (a forecast without the simulator: 1 of 1),"
        " 1 of 1 cells of arithmetic, 0 of 1 claims (1 undecided),"
        " 1 of 1 cells that were fitted on."
    )
    group = scorecard.counts(found).loc[("Table 1", "s", "predicted")]
    assert group[["reproduced", "of", "null", "null_of", "z_of"]].tolist() == [0, 1, 1, 1, 0]
    assert group["beats_null"] is False
    assert scorecard.counts(card())["beats_null"].tolist() == [""]
    later = scorecard.cells("B", list("xyz"), "s", "predicted", [9.0, 9.0, 9.0], [9.0, 9.0, 3.0])
    earlier = scorecard.cells("A", ["x"], "s", "fitted", [9.0], [9.0])
    found = scorecard.counts(scorecard.gather(later, earlier), ("predicted", "fitted"))
    assert found.index.tolist() == [("B", "s", "predicted"), ("A", "s", "fitted")]
    assert found["reproduced"].tolist() == [2, 1] and found["of"].tolist() == [3, 1]


def test_a_claim_holds_or_is_refuted_undecided_or_a_misprint():
    said = {"holds": {}, "misprint": {"misprint": True, "refuted": True}}
    said |= {"refuted": {"refuted": True}, "undecided": {}}
    rows = [scorecard.claim("p", v, v == "holds", ours=1.0, **how) for v, how in said.items()]
    claims = scorecard.gather(*rows)
    assert claims["verdict"].tolist() == list(said)
    headline = "Reproduced: 1 of 4 claims (1 refuted, 1 undecided, 1 misprint)."
    assert scorecard.headline(claims) == headline


def test_z_is_the_distance_over_the_errors_of_print_and_mean():
    spread = scorecard.spread(4.303, 3, printed=4)  # of three: t = 4.303 at 97.5 %, sd = root 3
    assert spread == pytest.approx(3**0.5 / 2, rel=1e-3)
    found = scorecard.cells("A", ["x"], "s", "predicted", [9.0], [14.0], 7.84, spread=3.0)
    assert found["z"].tolist() == pytest.approx([5.0 / 5.0], rel=1e-4)  # 7.84 is 1.96 errors of 4
    three = scorecard.cells("A", ["x"], "s", "predicted", [9.0], [14.0], 17.21, spread=3.0, runs=3)
    assert three["z"].tolist() == pytest.approx([1.0], rel=1e-3)  # of three runs 4.303 errors of 4
    assert np.isnan(scorecard.spread(1.0, 1))
    once = scorecard.cells("A", ["x"], "s", "predicted", [9.0], [9.0], np.inf, spread=1.0)
    assert once["z"].isna().all()
    assert scorecard.cells("A", ["x"], "s", "predicted", [9.0], [9.0])["z"].isna().all()


def test_only_a_run_of_the_runner_leaves_a_file_and_it_reads_back(tmp_path, monkeypatch):
    monkeypatch.delenv("PERFKIT_RESULTS", raising=False)
    kept_cards.save(card(), "nobody")
    assert not (kept_cards.COMMITTED / "nobody.csv").exists()
    monkeypatch.setattr(kept_cards, "COMMITTED", tmp_path / "committed")
    monkeypatch.setenv("PERFKIT_RESULTS", "")
    kept_cards.save(card(), "nobody")
    assert kept_cards.folder() == tmp_path / "committed" and not list(tmp_path.iterdir())
    monkeypatch.setenv("PERFKIT_RESULTS", str(tmp_path / "cards"))
    assert kept_cards.load("nobody") is None
    kept_cards.save(card(), "nobody")
    assert [path.name for path in (tmp_path / "cards").iterdir()] == ["nobody.csv"]
    again = kept_cards.load("nobody", str(tmp_path / "cards"))
    pd.testing.assert_frame_equal(again.fillna(""), card().fillna(""), check_dtype=False)


HEADER = ",".join(scorecard.COLUMNS) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\n1,2\n",
        HEADER,
        HEADER + "Table 1,a,s,predicted,100,1",
        HEADER + "Table 1,a,s,predicted,100,104,,5,perhaps,\n",
        HEADER + "Table 1,a,s,guessed,100,104,,5,True,\n",
    ],
)
def test_a_damaged_scorecard_is_refused_in_one_sentence(text, tmp_path):
    (tmp_path / "key.csv").write_text(text)
    with pytest.raises(ValueError, match="is no scorecard"):
        kept_cards.load("key", tmp_path)


@pytest.mark.parametrize("text", ["[]", "3", '{"seed": ', ""])
def test_damaged_conditions_are_refused_by_the_name_of_their_file(text, tmp_path):
    (tmp_path / "key.json").write_text(text)
    with pytest.raises(ValueError, match=r"key\.json (can't be read as JSON|must hold)"):
        kept_cards.conditions("key", tmp_path)


def test_a_cell_is_reproduced_within_its_tolerance_of_ten_percent_where_none_is_stated():
    assert card()["reproduced"].tolist() == [True, False, True, False]
    assert card()["tolerance"].tolist()[:3] == pytest.approx([5.0, 5.0, 0.1])
    found = scorecard.cells("T", list("xyz"), "s", "arithmetic", [10.0] * 3, [11.0, 11.1, np.nan])
    assert found["reproduced"].tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("published", "ours", "percent", "absolute"),
    [
        ([100.0], [106.0], 6.0, 6.0),
        ([10.0, -10.0], [9.0, -8.0], 15.0, 1.5),  # opposite directions do not cancel
        ([0.0, 10.0], [1.0, 11.0], 10.0, 1.0),  # a published zero has no relative error
    ],
)
def test_errors_are_means_over_cells_of_a_kind(published, ours, percent, absolute):
    names = [str(n) for n in range(len(ours))]
    found = scorecard.cells("T", names, "s", "predicted", published, ours)
    row = scorecard.errors(found).loc[("T", "s", "predicted")]
    assert row[["percent", "absolute"]].tolist() == pytest.approx([percent, absolute])


FACTORS = pd.DataFrame(
    {"item": "T", "cell": list("abcd"), "users": [1, 2, 4, 8], "drum": ["one", "two", "one", "two"]}
)


def forecasts():
    kinds = ["fitted", "fitted", "predicted", "predicted"]
    cells = scorecard.cells("T", list("abcd"), "s", kinds, [3.0, 6.0, 12.0, 20.0], [3.0] * 4)
    return scorecard.gather(cells, scorecard.claim("p", "more", True))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (nulls.constant(7), [7.0, 7.0]),
        (nulls.mean_of_fitted, [4.5, 4.5]),
        (nulls.log_linear("users"), [12.0, 24.0]),
    ],
)
def test_a_rule_knows_the_fitted_cells_alone(rule, expected):
    found = nulls.with_nulls(forecasts(), [nulls.Null("T", "s", rule, "why")], FACTORS)
    np.testing.assert_allclose(found["null"], [np.nan, np.nan, *expected, np.nan])
    assert scorecard.null_hits(found).tolist()[2:4] == [
        abs(e - p) <= 0.1 * p for e, p in zip(expected, (12.0, 20.0), strict=True)
    ]


def test_every_group_has_one_null():
    own = nulls.Null("T", "s", nulls.mean_of_fitted, "why")
    for wrong in ([], [own, own._replace(item="U")]):
        with pytest.raises(ValueError, match="differ on"):
            nulls.with_nulls(forecasts(), wrong)
    assert nulls.registry([own])["null"].tolist() == ["why"]


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
def test_a_note_is_kept_and_one_replication_is_told(found, note, monkeypatch):
    row = {"id": "c", "place": "p. 1", "statement": "it is more", "quantity": "users"}
    claims = pd.DataFrame([row | {"unit": "", "use": "tested"}])
    monkeypatch.setattr("studies.evidence.published.claims", lambda key: claims)
    tests = ClaimTests("unix_v6")
    tests.functions["c"] = lambda evidence: found
    row = tests.score(None).iloc[0]
    assert row["note"] == note and row["reproduced"] == found.holds


def test_a_claim_without_its_test_is_not_passed_over():
    tests = ClaimTests("unix_v6")
    tests.functions["no_such_claim"] = lambda evidence: Finding(True, 1.0)
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
