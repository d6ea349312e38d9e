"""Where each process is, moment by moment, read from a trace."""

import pandas as pd

from perfkit.methods.tracing import events_until
from perfkit.systems.unix_v6.memory import allocate, join_all, release
from perfkit.systems.unix_v6.state import FIRST_USER, UPDATE, new_map

SWAP_BUFFER = -1
MOVES = ("swap_in", "swap_out", "transfer", "interaction")


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


def pieces(result, from_s, until_s):
    """Return which piece of core each process held, and when.

    The trace says who was swapped and when; where to, the system's own first-fit map does.

    Columns ``process`` (from 1; 0 is /etc/update), ``address`` and ``clicks``, ``from_s``,
    ``to_s``, ``settled`` (false while the process is on its way in or out).
    """
    events = events_until(result, until_s, result.elapsed_s)
    events = events[(events["time_s"] <= until_s) & events["kind"].isin(MOVES)]
    core = _Core(result.parameters)
    for event in events.itertuples():
        if event.kind in ("swap_in", "swap_out"):
            moving, comes_in = event.actor, event.kind == "swap_in"
            core.hold(moving, event.time_s, core.place(moving, event.time_s), False)
        elif event.kind == "transfer" and event.value == SWAP_BUFFER:
            core.end_swap(moving, event.time_s, comes_in)
        elif event.kind == "interaction" and event.value == result.parameters.interactions:
            core.leave(event.actor, event.time_s)
    for process in [*core.held]:
        core.close(process, until_s)
    columns = ["process", "address", "clicks", "from_s", "to_s", "settled"]
    held = pd.DataFrame(core.rows, columns=columns)
    held["from_s"] = held["from_s"].clip(lower=from_s)
    return held[held["to_s"] > held["from_s"]].reset_index(drop=True)


class _Core:
    """The map of core, which processes hold pieces, and the pieces that they held before."""

    def __init__(self, p):
        self.clicks = [0, p.update_clicks, *map(p.size_of, range(p.processes))]
        self.map = new_map(p.memory_clicks, len(self.clicks))
        self.held, self.rows = {}, []
        for process in range(FIRST_USER, len(self.clicks)):
            address = allocate(self.map, self.clicks[process])
            if address >= 0:
                self.held[process] = (address, 0.0, True)

    def close(self, process, now_s):
        """Write down a piece up to now, and return its address."""
        address, since_s, settled = self.held.pop(process)
        size = self.clicks[process]
        self.rows.append((process - UPDATE, address, size, since_s, now_s, settled))
        return address

    def hold(self, process, now_s, address, settled):
        """Let a process hold a piece from now on."""
        self.held[process] = (address, now_s, settled)

    def place(self, process, now_s):
        """Return where a process is, or will be: core is compacted if no hole is large enough."""
        if process in self.held:
            return self.close(process, now_s)
        address = allocate(self.map, self.clicks[process])
        if address < 0:
            bottom = 0
            for other in sorted(self.held):
                self.close(other, now_s)
                self.hold(other, now_s, bottom, True)
                bottom += self.clicks[other]
            join_all(self.map, bottom)
            address = allocate(self.map, self.clicks[process])
        return address

    def end_swap(self, process, now_s, comes_in):
        """Let a process that came in settle, or give back the piece of one that went out."""
        address = self.close(process, now_s)
        if comes_in:
            self.hold(process, now_s, address, True)
        else:
            release(self.map, self.clicks[process], address)

    def leave(self, process, now_s):
        """Give back the piece of a process that has ended."""
        release(self.map, self.clicks[process], self.close(process, now_s))


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
