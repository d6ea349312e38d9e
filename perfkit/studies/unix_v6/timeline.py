"""Where each process is, moment by moment, read from a trace."""

import pandas as pd

from perfkit.methods.tracing import events_until
from perfkit.systems.unix_v6.state import FIRST_USER

SWAP_BUFFER = -1


def whereabouts(result, from_s, until_s):
    """Return when each workload process was in core, out of it, or on its way.

    Columns ``process`` (from 1), ``place`` ("in core", "out", "on the way"), ``from_s``, ``to_s``.
    """
    events = events_until(result, until_s, result.elapsed_s)
    events = events[events["time_s"] <= until_s]
    swaps = _swaps(events, until_s)
    rows = []
    for process in range(FIRST_USER, FIRST_USER + result.parameters.processes):
        own = swaps[swaps["process"] == process]
        first_in = len(own) and own["kind"].iloc[0] == "swap_in"
        since, place = 0.0, "out" if first_in else "in core"
        for swap in own.itertuples():
            rows.append((process, place, since, swap.from_s))
            rows.append((process, "on the way", swap.from_s, swap.to_s))
            since, place = swap.to_s, "in core" if swap.kind == "swap_in" else "out"
        rows.append((process, place, since, until_s))
    places = pd.DataFrame(rows, columns=["process", "place", "from_s", "to_s"])
    places["process"] -= FIRST_USER - 1
    places["from_s"] = places["from_s"].clip(lower=from_s)
    return places[places["to_s"] > from_s].reset_index(drop=True)


def _swaps(events, until_s):
    """Return each swap with its start and end; one at a time, so each ends with the next one."""
    starts = events[events["kind"].isin(["swap_in", "swap_out"])]
    ends = events[(events["kind"] == "transfer") & (events["value"] == SWAP_BUFFER)]
    to_s = [*ends["time_s"], until_s][: len(starts)]
    return pd.DataFrame(
        {
            "process": starts["actor"].to_numpy(),
            "kind": starts["kind"].to_numpy(),
            "from_s": starts["time_s"].to_numpy(),
            "to_s": to_s,
        }
    )
