"""What the simulator's free numbers are, and how far eight runs of Table VI are from them."""

import numpy as np

from studies.evidence import scorecard
from studies.evidence.calibration import free_numbers
from studies.unix_v6.runs import (
    FEWEST_SWAPS,
    MEASURES,
    averages,
    published_runs,
    score_device_times,
    score_runs,
    simulate_runs,
)

FREE = free_numbers(
    operations_per_interaction=(1.0, 8.0), write_share=(0.0, 1.0), whole_block_share=(0.0, 1.0),
    file_area_cylinders=(19.0, 150.0), controller_ms=(0.0, 10.0), pause_0_percent=(0.0, 60.0),
    pause_2_percent=(0.0, 60.0), pause_3_percent=(0.0, 60.0), strings_per_interaction=(0.5, 5.0),
    system_call_ms=(0.3, 8.0), block_io_ms=(0.3, 8.0), sequential_share=(0.0, 1.0),
    other_inodes=(0.0, 40.0),
)  # fmt: skip
UNIT_ERROR = {"elapsed_s": 0.02, "swaps": 0.06, "queue": 0.05, "utilization_percent": 1.2}
CHOSEN = ("swap_offset_blocks",)


def free_values(parameters):
    """Return the calibration's free numbers as a parameter record has them."""
    values = {free.name: getattr(parameters, free.name, None) for free in FREE}
    pauses = parameters.pause_percent
    return values | {f"pause_{i}_percent": pauses[i] for i in (0, 2, 3)}


def changes_of(values):
    """Return the parameters that these free numbers stand for, whole where they must be.

    Pauses of one second take what the other three leave; beyond 100 % all three shrink, and what
    rounding adds is taken from the largest.
    """
    changes = dict(values)
    pauses = np.array([changes.pop(f"pause_{i}_percent") for i in (0, 2, 3)])
    pauses = np.round(pauses * (100.0 / max(100.0, pauses.sum())), 1)
    largest = pauses.argmax()
    pauses[largest] = round(pauses[largest] - max(0.0, pauses.sum() - 100.0), 1)
    pauses = pauses.tolist()
    one = max(0.0, round(100.0 - sum(pauses), 1))
    for name in ("file_area_cylinders", "other_inodes"):
        changes[name] = round(changes[name])
    return changes | {"pause_percent": (pauses[0], one, pauses[1], pauses[2])}


def residuals(values, replications=10, seed=0, **alternative):
    """Return the errors in the calibration runs, in units of UNIT_ERROR.

    Log ratios of elapsed times, swaps (of runs with more than 100) and queues, and differences of
    utilization.
    """
    runs = published_runs()
    runs = runs[runs["kind"] == "fitted"]
    rows = simulate_runs(runs, replications, seed, **changes_of(values), **alternative)
    ours, theirs = averages(rows)[MEASURES].to_numpy(), runs[MEASURES].to_numpy(float)
    off = np.log(np.maximum(ours, 1e-9) / theirs)
    off[:, 3] = ours[:, 3] - theirs[:, 3]
    off[theirs[:, 1] <= FEWEST_SWAPS, 1] = 0.0
    return (off / np.array(list(UNIT_ERROR.values()))).ravel()


def predictions(values, replications=10, seed=0):
    """Return the scorecard of all runs under these free numbers."""
    runs = published_runs()
    rows = simulate_runs(runs, replications, seed, **changes_of(values))
    measured = score_runs(published_runs(readings=False), averages(rows))
    return scorecard.gather(score_device_times(runs, rows), measured)
