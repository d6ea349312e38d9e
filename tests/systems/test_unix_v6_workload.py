"""A reader's workload: what would lead the machine outside its arrays is refused beforehand."""

import numpy as np
import pytest

from perfkit.systems.unix_v6 import Parameters, draw_workload, simulate
from perfkit.systems.unix_v6.load import checked_workload

SMALL = Parameters(processes=3, interactions=5)


def drawn():
    return draw_workload(SMALL, 0)


def edited(part, field, value):
    workload = drawn()
    array = getattr(workload, part)
    (array[field] if field else array).flat[-1] = value
    return workload


@pytest.mark.parametrize(
    ("part", "field", "value", "match"),
    [
        ("interactions", "compute_ms", np.nan, "compute_ms must be finite, 0 or more; nan"),
        ("interactions", "compute_ms", np.inf, "compute_ms must be finite, 0 or more; inf"),
        ("interactions", "compute_ms", -5.0, "compute_ms must be finite, 0 or more; -5"),
        ("interactions", "pause_s", -1, "pause_s must be finite, 0 or more; -1"),
        ("interactions", "strings", -1, "strings must be finite, 0 or more; -1"),
        ("interactions", "operations", 10**6, r"interactions.operations must be from 0 to \d\d;"),
        ("interactions", "operations", -1, "interactions.operations must be from 0"),
        ("interactions", "first_operation", 2**63 - 1, r"first_operation must be from 0 to \d\d;"),
        ("operations", "kind", 3, "operations.kind must be from 0 to 2; 3 is not"),
        ("operations", "block", 10**6, "operations.block must be from 0 to 59; 1000000 is not"),
        ("file_blocks", None, 10**9, "file_blocks must be from 0 to 10239; 1000000000 is not"),
        ("file_blocks", None, -1, "file_blocks must be from 0"),
    ],
)
def test_numbers_outside_the_machine_are_refused(part, field, value, match):
    with pytest.raises(ValueError, match=match) as refusal:
        simulate(SMALL, workload=edited(part, field, value))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "other", [{"processes": 4}, {"processes": 2}, {"interactions": 6}, {"file_blocks": 70}]
)
def test_a_workload_of_other_parameters_is_refused(other):
    with pytest.raises(ValueError, match=r"must be of shape \(.*\) for these parameters, not \("):
        simulate(SMALL.replace(**other), workload=drawn())


@pytest.mark.parametrize(
    ("workload", "match"),
    [
        (5, "workload must be a unix_v6.Workload, not int"),
        (drawn()._replace(interactions=None), "workload.interactions must be an array of "),
        (drawn()._replace(file_blocks=np.zeros((3, 61))), "workload.file_blocks must be an array"),
    ],
)
def test_what_is_no_workload_is_refused(workload, match):
    with pytest.raises(TypeError, match=match):
        simulate(SMALL, workload=workload)


@pytest.mark.parametrize("operations", [0.0, 3.78])
def test_every_drawn_workload_is_taken_as_it_is(operations):
    p = SMALL.replace(operations_per_interaction=operations)
    workload = draw_workload(p, 1)
    for ours, theirs in zip(checked_workload(p, workload), workload, strict=True):
        assert np.shares_memory(ours, theirs) or theirs.size == 0
        assert type(ours) is type(theirs)
