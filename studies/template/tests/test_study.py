"""What is published is read, and what we make of it is as the README and the notebook say."""

import pytest
from studies.evidence import published

from study_key import claims, runs


@pytest.fixture(scope="module")
def rows():
    return runs.simulate_table_1(replications=20)


def test_every_table_can_be_read():
    for name in published.table_names(runs.KEY):
        assert len(published.table(runs.KEY, name)), name


def test_every_cell_of_table_1_is_scored_and_reproduced(rows):
    card = runs.score_table_1(rows)
    assert len(card) == 5 * len(runs.TABLE_1)
    assert card["reproduced"].all()


def test_the_claim_holds_and_one_of_a_free_server_would_be_refuted(rows):
    (verdict,) = claims.TESTS.score(rows)["verdict"]
    assert verdict == "holds"
    free = rows.assign(response_s=0.5 + 0.01 * rows["point"])  # hardly a wait, whoever asks
    (verdict,) = claims.TESTS.score(free)["verdict"]
    assert verdict == "refuted"
