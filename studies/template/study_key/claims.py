"""The paper's testable statements: a function each, called as the claim's id in claims.csv."""

from studies.evidence.claims import ClaimTests, about

from study_key.runs import KEY

TESTS = ClaimTests(KEY, __name__)


def added_user(rows):
    """Response time added per user, from 30 to 40 users."""
    few, many = (rows.loc[rows["users"] == users, "response_s"] for users in (30, 40))
    added_s = (many.to_numpy() - few.to_numpy()) / (40 - 30)  # paired: the same seeds, in order
    stated_s = TESTS.stated("added_user")
    return about(added_s, stated_s, 0.1 * stated_s, "s per user")
