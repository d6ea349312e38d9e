"""What other readings of the paper would produce: the unsaid decisions as factors."""

import pandas as pd

from perfkit.methods import switching
from perfkit.studies.cp67.experiments import ABOVE_LEVEL, BUSY, TO_LEVEL, within
from perfkit.studies.cp67.runs import (
    PRIORITY,
    REPLACEMENT,
    observe_days,
    versions_of,
)
from perfkit.systems.cp67 import Parameters

FACTORS = {
    "ours": {},
    "room by bits at removal": {"estimator": "bits"},
    "room by resident pages": {"estimator": "resident"},
    "room for six users": {"estimator": "fixed"},
    "T in tens of seconds": {"priority_clock_s": 10.0},
    "candidates passed over": {"head_blocks": False},
    "Q1 needs room": {"q1_needs_room": True},
    "no supervisor time in slices": {"charged_share": 0.0},
    "0.5 ms an SIO in slices": {"charged_share": 0.1},
    "benchmarks as one task": {"benchmarks_as_one_task": True},
    "SIO waits lead to Q1": {"io_wait": "to_q1"},
    "SIO waits lead to the candidates": {"io_wait": "to_candidates"},
}


def reading(days, seed=0, **changes):
    """Return what a reading of the paper produces for Figures 1 and 7, in one switched run.

    Returns
    -------
    dict
        Problem state time under each algorithm beyond KNEE active users, the gain, page
        reads under Algorithm 2; mixed completion times of three P0 under Algorithm 2, up to
        LEVEL active users and beyond. Not a number where nothing was observed.
    """
    versions = [
        {**algorithm, **p0}
        for algorithm in versions_of(REPLACEMENT)[0]
        for p0 in versions_of(PRIORITY)[0]
    ]
    p = Parameters(**changes)
    seen = observe_days(p, days, seed, versions=versions, batch=2, drawn=True)
    seen = switching.settled(seen)
    busy = within(seen, BUSY).groupby(within(seen, BUSY)["version"] // 3)
    cpu = busy["problem_state_percent"].mean().reindex([0, 1])
    row = {
        "CPU under 1 (%)": cpu[0],
        "under 2 (%)": cpu[1],
        "gain (%)": 100.0 * (cpu[1] / cpu[0] - 1.0),
        "reads under 2 (1/s)": busy["page_reads_per_s"].mean().reindex([1])[1],
    }
    second = seen[seen["version"] >= 3]
    for words, active in (("to 25", TO_LEVEL), ("beyond", ABOVE_LEVEL)):
        mixed = within(second, active).groupby("version")["mixed_s"].mean().reindex([3, 4, 5])
        row |= {f"P0 = {p0}, {words} (s)": mixed[v] for p0, v in ((1, 3), (50, 4), (98, 5))}
    return row


def readings_table(days, seed=0, names=tuple(FACTORS), **changes):
    """Return what each reading of the paper produces.

    Returns
    -------
    pandas.DataFrame
        A row a reading; see ``reading``.
    """
    rows = {name: reading(days, seed, **{**changes, **FACTORS[name]}) for name in names}
    return pd.DataFrame(rows).T
