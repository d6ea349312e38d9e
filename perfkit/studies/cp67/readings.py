"""What other readings of the paper would produce: the unsaid decisions as factors."""

import numpy as np
import pandas as pd

from perfkit.experiment import interval
from perfkit.methods import switching
from perfkit.studies.cp67.experiments import BUSY, ratios, within
from perfkit.studies.cp67.runs import REPLACEMENT, observe_days, versions_of
from perfkit.systems.cp67 import Parameters

FACTORS = {
    "ours": {},
    "drum in the order of requests": {"drum_shortest_latency": False},
    "room by bits at removal": {"estimator": "bits"},
    "room by resident pages": {"estimator": "resident"},
    "room for six users": {"estimator": "fixed"},
    "candidates passed over": {"head_blocks": False},
    "Q1 needs room": {"q1_needs_room": True},
    "no supervisor time in slices": {"charged_share": 0.0},
    "the same, and Q1 needs room": {"charged_share": 0.0, "q1_needs_room": True},
    "0.5 ms an SIO in slices": {"charged_share": 0.1},
    "benchmarks as one task": {"benchmarks_as_one_task": True},
    "SIO waits lead to Q1": {"io_wait": "to_q1"},
    "SIO waits lead to the candidates": {"io_wait": "to_candidates"},
}


def reading(days, seed=0, **changes):
    """Return what a reading of the paper produces for Figures 1 and 2.

    Returns
    -------
    dict
        Beyond KNEE active users: ``observations``, problem state time under each algorithm,
        the gain and its 95 % half-width over days, page reads under Algorithm 2.
    """
    p = Parameters(**changes)
    seen = observe_days(p, days, seed, versions=versions_of(REPLACEMENT)[0], batch=2, drawn=True)
    seen = within(switching.settled(seen), BUSY)
    busy = seen.groupby("version")
    cpu = busy["user_percent"].mean().reindex([0, 1])
    gains = ratios(seen, "user_percent")
    gain, half_width = interval(gains) if gains.size > 1 else (np.nan, np.nan)
    return {
        "observations": len(seen),
        "CPU under 1 (%)": cpu[0],
        "under 2 (%)": cpu[1],
        "gain (%)": 100.0 * (gain - 1.0),
        "+-": 100.0 * half_width,
        "reads under 2 (1/s)": busy["page_reads_per_s"].mean().reindex([1])[1],
    }


def readings_table(days, seed=0, names=tuple(FACTORS), **changes):
    """Return what each reading of the paper produces.

    A row a reading; see ``reading``.
    """
    rows = {name: reading(days, seed, **{**changes, **FACTORS[name]}) for name in names}
    return pd.DataFrame(rows).T
