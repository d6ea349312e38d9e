"""Variants of a system over the same seeds, and how they differ."""

import inspect

import numpy as np
import pandas as pd
import pytest

from perfkit import what_if
from perfkit.experiment import interval, replicate
from perfkit.studies import STUDIES, study
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


def test_a_run_that_fails_is_named_by_its_variant():
    def simulate(parameters, seed):
        if parameters.processes == 4 and seed == 1:
            raise ValueError("no room")
        return unix_v6.simulate(parameters, seed)

    with pytest.raises(ValueError, match=r"^The run of variant 'more', seed 1 failed: no room"):
        what_if.run(simulate, SMALL, {"less": {}, "more": {"processes": 4}}, 2, progress=False)


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
    p = tss360.Parameters(settle_s=60.0, measured_s=900.0)
    table = tss360.schedule_table(p.replace(schedule="new"))
    variants = {"by name": {"schedule": "new"}, "by table": {"schedule_table": table}}
    runs = what_if.run(tss360.simulate, p, variants, 2, progress=False)
    assert what_if.differences(runs, "N_d")["by table"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize("lacking", [1, 4])
def test_pairs_are_those_of_the_seeds_in_common(lacking, measured):
    """Either the old system lacks its run, or its measure, with seed 2 or the new one with 1."""
    runs = BY_HAND.copy()
    runs.loc[lacking, "R"] = np.nan
    runs = runs if measured else runs.drop(index=lacking)
    pairs = [2.0, 4.0] if lacking == 1 else [3.0, 4.0]
    assert what_if.compare(runs, [], "R").loc["new"].tolist() == list(interval(pairs))


class Measured:
    def measures(self):
        return {"x": 1.0}


def test_an_option_may_have_any_name_that_simulate_knows():
    def simulate(parameters, seed, most=0, measure=None):
        assert (most, measure) == (3, "y")
        return Measured()

    runs = what_if.run(simulate, SMALL, {"a": {"most": 3, "measure": "y"}}, 2, progress=False)
    assert runs["x"].tolist() == [1.0, 1.0]


def test_any_variant_may_be_the_base():
    found = what_if.compare(BY_HAND, [], "R", base="new")
    assert found.loc["old"].tolist() == list(interval([-2.0, -3.0, -4.0]))
    assert found.loc["new"].tolist() == [0.0, 0.0]
    runs = BY_HAND.replace({"variant": {"new": ""}})
    found = what_if.compare(runs, [], "R", base="")
    assert found.loc[""].tolist() == [0.0, 0.0]
    assert found.loc["old"].tolist() == list(interval([-2.0, -3.0, -4.0]))


def test_percent_is_of_the_size_of_the_base_and_leaves_out_pairs_without_one():
    runs = BY_HAND.assign(R=[0.0, -20.0, -40.0, -44.0, 12.0, -23.0])
    found = what_if.differences(runs, "R", percent=True)["new"]
    assert np.isnan(found[1]) and found[[2, 3]].tolist() == [-15.0, -10.0]
    assert what_if.compare(runs, [], "R", percent=True).loc["new"].tolist() == list(
        interval([-15.0, -10.0])
    )


def test_a_single_replication_has_no_interval_but_the_base_is_itself():
    found = what_if.compare(BY_HAND[BY_HAND["seed"] == 1], [], "R")
    assert found.loc["old"].tolist() == [0.0, 0.0]
    assert found.loc["new"].tolist() == [2.0, np.inf]


@pytest.mark.parametrize("key", STUDIES)
def test_no_simulator_has_an_option_of_a_parameters_name(key):
    system = study(key).system()
    options = set(inspect.signature(system.simulate).parameters) - {"parameters", "seed"}
    assert not options & set(system.Parameters().as_dict())
