"""The simulator's free numbers, and the errors that they leave in the fitted cells.

The cells: the old schedule, old replacement column of Table 6, and the mean frames by processing
time of Table 4. No other column is looked at.
"""

import numpy as np
import pandas as pd

from perfkit.systems.tss360 import Parameters
from studies.evidence import scorecard
from studies.evidence.calibration import free_numbers
from studies.tss360 import scoring
from studies.tss360.experiments import Evidence
from studies.tss360.runs import (
    AFTERNOON,
    FITTED_CELL,
    VARIABLES,
    frames_by_processing,
    periods_of,
    simulate_all,
    simulate_cells,
    table_4_means,
    table_6,
)

FREE = free_numbers(
    think_s=(12.0, 150.0), output_lines=(0.0, 1.5), supervisor_pages=(90, 140),
    small_p_max=(24, 64), medium_step=(2, 30), large_step=(2, 30),
    background_slice_ms=(40.0, 800.0), background_deadline_s=(0.0, 4.0),
    sharable_working_set=(2, 28), popularity_exponent=(0.0, 1.3), sharable_exponent=(0.1, 0.9),
    changed_share=(0.1, 0.98), sharable_changed_share=(0.0, 0.5), working_set_factor=(0.8, 1.3),
    private_pages=(60, 300), sharable_drum_slots=(10, 300), fault_ms=(4.0, 14.0),
)  # fmt: skip
WHOLE = ("supervisor_pages", "sharable_working_set", "private_pages", "sharable_drum_slots")
STEPS = ("small_p_max", "medium_step", "large_step")
CHOSEN = ()
# An earlier fit: ten frames for the lower threshold, and users who lose patience (NOTES.md). Its
# cost is a little higher.
OTHER_FIT = {
    "lower_threshold": 10, "upper_threshold": 16, "scan_pages": 8,
    "patience_min": 5.68, "settle_s": 1200.0, "think_s": 42.0, "output_lines": 0.288,
    "supervisor_pages": 101, "background_p_max": (37, 47, 61),
    "background_slice_ms": 453.0, "background_deadline_s": 0.2,
    "popularity_exponent": 0.504, "sharable_exponent": 0.537,
    "sharable_pages": 150, "sharable_working_set": 9,
    "changed_share": 0.98, "sharable_changed_share": 0.0034, "working_set_factor": 1.032,
    "private_pages": 264, "sharable_drum_slots": 105, "fault_ms": 9.73,
}  # fmt: skip
ERROR = {
    "R": 0.05, "N_e": 0.08, "N_d": 0.03, "p_v": 0.05, "p_o": 0.03, "P_eav": 0.06, "P_s": 0.04,
    "P_a": 0.06, "r_p": 0.12, "r_s": 0.12, "r_pf": 0.04, "TSE_so": 0.4,
}  # fmt: skip
FRAMES_ERROR = 0.05
LEAST = 1e-3


def free_values(parameters):
    """Return the calibration's free numbers as the parameter record has them."""
    small, medium, large = parameters.background_p_max
    values = dict(zip(STEPS, (small, medium - small, large - medium), strict=True))
    return {
        free.name: float(values.get(free.name, getattr(parameters, free.name, 0.0)))
        for free in FREE
    }


def changes_of(values):
    """Return the parameters that these free numbers stand for; counts are rounded."""
    steps = [round(values[name]) for name in STEPS]
    changes = {name: value for name, value in values.items() if name not in STEPS}
    changes |= {name: round(values[name]) for name in WHOLE}
    return changes | {"background_p_max": tuple(int(limit) for limit in np.cumsum(steps))}


def residuals(values, replications=4, seed=0, **alternative):
    """Return the errors in the named cells, log ratios in units of ERROR and FRAMES_ERROR.

    Replications are afternoons.
    """
    parameters = Parameters(**AFTERNOON).replace(**{**changes_of(values), **alternative})
    printed = table_6()[FITTED_CELL]
    seeds = range(seed, seed + replications)
    results = simulate_all([parameters] * replications, seeds)
    means = pd.concat([periods_of(result) for result in results])[list(VARIABLES)].mean()
    off = [np.log((means[name] + LEAST) / (printed[name] + LEAST)) / ERROR[name] for name in ERROR]
    held = np.mean([frames_by_processing(result.transaction_log()) for result in results], axis=0)
    frames = np.log(held / table_4_means()) / FRAMES_ERROR
    return np.nan_to_num(np.concatenate([off, frames]), nan=10.0).clip(-30.0, 30.0)


def predictions(values, replications=12, seed=0):
    """Return the scorecard of the simulated tables under these free numbers."""
    e = Evidence(simulate_cells(replications, seed, **changes_of(values)), seed)
    return scorecard.gather(
        scoring.score_workload(e.transactions),
        scoring.score_table_5(e.minutes),
        scoring.score_table_6(e.means, e.experiments),
        scoring.score_table_7(e.tables),
    )
