"""Variants of a system over the same seeds, and how they differ."""

import numpy as np
import pandas as pd
import pytest

from perfkit import what_if
from perfkit.experiment import interval, replicate
from perfkit.systems import tss360, unix_v6

SMALL = unix_v6.Parameters(processes=3, interactions=5)
BY_HAND = pd.DataFrame(
    {
        "variant": ["old", "old", "old", "new", "new", "new"],
        "seed": [1, 2, 3, 3, 1, 2],
        "R": [10.0, 20.0, 40.0, 44.0, 12.0, 23.0],
    }
)


def test_differences_are_paired_by_seed_and_come_with_their_interval_by_hand():
    assert what_if.differences(BY_HAND, "R")["new"].tolist() == [2.0, 3.0, 4.0]
    found = what_if.compare(BY_HAND, "R", "R")
    assert found.index.tolist() == ["old", "new"]
    assert found.loc["old"].round(6).tolist() == [23.333333, 0.0, 0.0]
    assert found.loc["new"].tolist() == [79.0 / 3.0, *interval([2.0, 3.0, 4.0])]
    found = what_if.compare(BY_HAND, [], "R", percent=True)
    assert found.loc["new"].tolist() == list(interval([20.0, 15.0, 10.0]))
    assert list(found) == ["change of R, %", "+- R, %"]


def test_variants_are_parameters_and_options_and_share_their_seeds():
    @unix_v6.victim_policy
    def nobody(processes, wanted, minimum_time_out_s, minimum_time_in_s):
        return -1

    variants = {"as it is": {}, "slow": {"compute_ms": 60}, "nobody leaves": {"victim": nobody}}
    runs = what_if.run(unix_v6.simulate, SMALL, variants, 2, seed=4, progress=False)
    assert runs["variant"].unique().tolist() == list(variants)
    assert runs.groupby("variant")["seed"].agg(list).tolist() == [[4, 5]] * 3
    alone = replicate(unix_v6.simulate, SMALL.replace(compute_ms=60), 2, seed=4, progress=False)
    pd.testing.assert_frame_equal(
        runs[runs["variant"] == "slow"].drop(columns="variant").reset_index(drop=True), alone
    )


def test_a_parameter_and_a_table_of_one_theme_go_their_own_ways():
    p = tss360.Parameters(settle_min=1.0, measured_min=15)
    table = tss360.schedule_table(p.replace(schedule="new"))
    variants = {"by name": {"schedule": "new"}, "by table": {"schedule_table": table}}
    runs = what_if.run(tss360.simulate, p, variants, 2, progress=False)
    assert what_if.differences(runs, "N_d")["by table"].tolist() == [0.0, 0.0]


def test_a_measure_that_a_run_lacks_leaves_its_pair_out():
    runs = BY_HAND.assign(R=[10.0, np.nan, 40.0, 44.0, 12.0, 23.0])
    assert what_if.compare(runs, "R", "R").loc["new", "change of R"] == 3.0


@pytest.mark.parametrize(
    ("variants", "kind", "match"),
    [
        ({}, ValueError, "There must be a variant or more"),
        ({"a": {"bufers": 3}}, ValueError, "'bufers', which is no parameter or option; did you"),
        ({"a": {"buffers": -3}}, ValueError, "buffers must be"),
        ([{"buffers": 3}], TypeError, "a name to a dictionary of what differs"),
        ({"a": 3}, TypeError, "a name to a dictionary of what differs"),
    ],
)
def test_variants_that_can_not_be_are_refused(variants, kind, match):
    with pytest.raises(kind, match=match):
        what_if.run(unix_v6.simulate, SMALL, variants, 2, progress=False)


def test_a_measure_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no measure 'r'"):
        what_if.compare(BY_HAND, "r")
    with pytest.raises(ValueError, match="no measure 'N_d'"):
        what_if.differences(BY_HAND, "N_d")
