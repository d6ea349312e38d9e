"""Variants of a system over the same seeds, and how they differ."""

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

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
    assert list(found) == ["change of R, %", "+- R, %"]


RUNS = st.dictionaries(st.integers(0, 4), st.sampled_from([0.0, -20.0, 3.0, 8.0, np.nan]))


@given(RUNS, RUNS, st.booleans(), st.sampled_from([None, "", "new"]))
def test_a_change_is_the_interval_of_the_pairs_of_one_seed(old, new, percent, base):
    """A run, or its measure, may be lacking; a percentage is of the size of the base, if any."""
    assume(old.keys() & new.keys())
    rows = [("", *run) for run in old.items()] + [("new", *run) for run in new.items()]
    runs = pd.DataFrame(rows, columns=["variant", "seed", "R"])
    first, other = (new, old) if base == "new" else (old, new)
    pairs = [(first[seed], other[seed]) for seed in first.keys() & other.keys()]
    changes = [b - a for a, b in pairs]
    if percent:
        changes = [100.0 * (b - a) / abs(a) for a, b in pairs if a != 0.0]
    found = what_if.compare(runs, [], "R", percent=percent, base=base)
    assert found.loc[base or ""].tolist() == [0.0, 0.0]
    wanted = pytest.approx(interval(changes), nan_ok=True)
    assert found.drop(base or "").iloc[0].tolist() == wanted


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


class Measured:
    def measures(self):
        return {"x": 1.0}


def test_an_option_may_have_any_name_that_simulate_knows():
    def simulate(parameters, seed, most=0, measure=None):
        assert (most, measure) == (3, "y")
        return Measured()

    runs = what_if.run(simulate, SMALL, {"a": {"most": 3, "measure": "y"}}, 2, progress=False)
    assert runs["x"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("key", STUDIES)
def test_no_simulator_has_an_option_of_a_parameters_name(key):
    system = study(key).system()
    options = set(inspect.signature(system.simulate).parameters) - {"parameters", "seed"}
    assert not options & set(system.Parameters().as_dict())
