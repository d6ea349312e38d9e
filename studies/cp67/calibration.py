"""What is free in the simulator, and how far its three levels are from the text's.

The paper prints neither a level of throughput nor a benchmark time, so the cells are few: 50
page reads per second, two thirds of the users active, throughput levelling off at 25 active
users. Nothing that compares two versions is among them.
"""

import numpy as np

from studies.cp67.claims import TESTS
from studies.cp67.experiments import Evidence
from studies.cp67.runs import (
    LEVEL_CELLS,
    REPLACEMENT,
    experiment,
    kept,
    levels,
    levels_off_at,
    published_levels,
)
from studies.evidence import scorecard
from studies.evidence.calibration import Free

FREE = (
    Free("think_s", 5.0, 40.0),
    Free("absence_share", 0.0, 0.06),
    Free("drift_per_ms", 0.0, 0.15),
)
CHOSEN = ()
LOOKED_AT = ("alg_2_problem_state", "alg_2_largest_gain", "alg_2_paging", "alg_2_region")
UNIT_ERROR, HOPELESS = 0.02, 20.0


def free_values(parameters):
    """Return the calibration's free numbers as a parameter record has them."""
    return {free.name: getattr(parameters, free.name) for free in FREE}


def changes_of(values):
    """Return the parameters that these free numbers stand for."""
    return {free.name: values[free.name] for free in FREE}


def residuals(values, replications=10, seed=0, **alternative):
    """Return the log ratios of our three levels to the text's, in units of 2 %.

    Replications are days. A level that no observation shows counts as HOPELESS.
    """
    changes = changes_of(values) | alternative
    rows = kept(experiment(REPLACEMENT, replications, seed, **changes), REPLACEMENT)
    ours = levels(rows).mean()
    ours["levels_off_at_users"] = levels_off_at(rows)[0]
    found = [ours[measure] for measure, _ in LEVEL_CELLS.values()]
    errors = np.log(np.array(found) / np.array(published_levels())) / UNIT_ERROR
    return np.nan_to_num(errors, nan=HOPELESS).clip(-HOPELESS, HOPELESS)


def predictions(values, replications=10, seed=0):
    """Return claims about page replacement under these free numbers; no cell was predicted."""
    evidence = Evidence(replications, seed, **changes_of(values))
    rows = []
    for name in LOOKED_AT:
        one = TESTS.function(name)(evidence)
        rows.append(scorecard.claim(
            "Page replacement", name, one.holds, quantity=one.rule, published=one.against,
            ours=one.ours, half_width=one.half_width,
        ))  # fmt: skip
    return scorecard.gather(*rows)
