"""What other readings of the paper would produce: its unsaid rules, moved one at a time."""

import pandas as pd

from perfkit.runs import what_if
from perfkit.runs.experiment import interval
from perfkit.systems.cp67 import Parameters, simulate
from studies.cp67.runs import busy_hour

OURS = "our rules"
FACTORS = {
    OURS: {},
    "drum in the order of requests": {"drum_shortest_latency": False},
    "room by bits at removal": {"estimator": "bits"},
    "room by resident pages": {"estimator": "resident"},
    "room for six users": {"estimator": "fixed"},
    "candidates passed over": {"head_blocks": False},
    "Q1 needs room": {"q1_needs_room": True},
    "no supervisor time in slices": {"charged_share": 0.0},
    "the same, and Q1 needs room": {"charged_share": 0.0, "q1_needs_room": True},
    "0.5 ms per SIO in slices": {"charged_share": 0.1},
    "benchmarks as one task": {"benchmarks_as_one_task": True},
    "SIO waits lead to Q1": {"io_wait": "to_q1"},
    "SIO waits lead to the candidates": {"io_wait": "to_candidates"},
}


def reading(hours, seed=0, **changes):
    """Return what a reading of the paper produces for Figures 1 and 2 in busy hours.

    Problem state time under each algorithm, the gain in percent over the same users with its
    95 % half-width, page reads under Algorithm 2, and users in Q2 under each.
    """
    both = {"first": {"algorithm": 1}, "second": {"algorithm": 2}}
    p = busy_hour(Parameters(**changes))
    runs = what_if.run(simulate, p, both, hours, seed=seed, progress=False)
    means = runs.groupby("variant")[["user_percent", "page_reads_per_s", "q2_users"]].mean()
    cpu, reads, in_q2 = (means[measure] for measure in means)
    gain = interval(what_if.differences(runs, "user_percent", percent=True)["second"])
    return {
        "problem state, Algorithm 1 (%)": cpu["first"],
        "problem state, Algorithm 2 (%)": cpu["second"],
        "gain": gain,
        "page reads, Algorithm 2 (per s)": reads["second"],
        "users in Q2, 1 and 2": f"{in_q2['first']:.1f}, {in_q2['second']:.1f}",
    }


def readings_table(hours, seed=0, names=tuple(FACTORS), **changes):
    """Return what each reading of the paper produces.

    One row per reading; see ``reading``.
    """
    rows = {name: reading(hours, seed, **{**changes, **FACTORS[name]}) for name in names}
    return pd.DataFrame(rows).T
