"""Forecasts without the simulator: each rule by hand, and none for a group that is not there."""

import numpy as np
import pandas as pd
import pytest

from perfkit import nulls, scorecard

FACTORS = pd.DataFrame(
    {"item": "T", "cell": list("abcd"), "users": [1, 2, 4, 8], "drum": ["one", "two", "one", "two"]}
)


def card():
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
    found = nulls.with_nulls(card(), [nulls.Null("T", "s", rule, "why")], FACTORS)
    np.testing.assert_allclose(found["null"], [np.nan, np.nan, *expected, np.nan])
    assert scorecard.null_hits(found).tolist()[2:4] == [
        abs(e - p) <= 0.1 * p for e, p in zip(expected, (12.0, 20.0), strict=True)
    ]


def test_every_group_has_one_null():
    own = nulls.Null("T", "s", nulls.mean_of_fitted, "why")
    for wrong in ([], [own, own._replace(item="U")]):
        with pytest.raises(ValueError, match="differ on"):
            nulls.with_nulls(card(), wrong)
    assert nulls.registry([own])["null"].tolist() == ["why"]
