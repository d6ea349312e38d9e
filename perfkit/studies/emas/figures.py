"""Frames behind the notebook's figures and tables: Figure 4's bars, units of what is shown."""

import pandas as pd

from perfkit.methods import tracing
from perfkit.methods.tracing.paging import demand_waits
from perfkit.studies.emas.runs import STAGES

SUMS = ("preload and page wait", "preload, page wait and suspended")
UNITS = {
    **dict.fromkeys((*STAGES, "suspended", "headway", *SUMS), "ms"),
    "residences_per_s": "1/s",
    "multiprogramming": "processes",
    "drum_channel": "% busy",
    "demand_disc": "% of demands",
    "commands": "commands",
    "cpu_min": "min",
    "last_ready_s": "s",
}
ENDS = {"_elapsed": "s", "_share": "%"}


def unit_of(name):
    """Return the unit of a value of our runs, or of its change; empty if it has none."""
    name = name.removeprefix("change of ").removeprefix("+- ").removesuffix(", %")
    if name.startswith("time_"):
        return "ms"
    ends = [unit for end, unit in ENDS.items() if name.endswith(end)]
    return UNITS.get(name, ends[0] if ends else "")


def paging_parts(trace):
    """Return the parts of Figure 4's bars: pages into and out of core by what became of them.

    Columns ``bar`` and ``part`` as the figure labels them, ``pages``; parts of a bar from below.
    """
    pages = tracing.traffic(trace)
    read = pages["preloaded_out"] - pages["preloaded_written"] - pages["preloaded_not_used"]
    demanded_read = pages["demanded_out"] - pages["demanded_written"]
    found = pages["preloaded"] - pages["preload_transfers"]
    rows = [
        ("preloaded into core", "transferred", pages["preload_transfers"]),
        ("preloaded into core", "already in core", found),
        ("demanded into core", "disc", pages["demand_disc"]),
        ("demanded into core", "drum", pages["demand_drum"]),
        ("demanded into core", "already in core", pages["demand_in_core"]),
        ("transfers in", "preloaded", pages["preload_transfers"]),
        ("transfers in", "drum", pages["demand_drum"]),
        ("transfers in", "disc", pages["demand_disc"]),
        ("transfers out", "removed", pages["written_at_removal"]),
        ("transfers out", "compacted", pages["written_at_compaction"]),
        ("preloaded out of core", "written", pages["preloaded_written"]),
        ("preloaded out of core", "read", read),
        ("preloaded out of core", "not used", pages["preloaded_not_used"]),
        ("demanded out of core", "written", pages["demanded_written"]),
        ("demanded out of core", "read", demanded_read),
    ]
    return pd.DataFrame(rows, columns=["bar", "part", "pages"])


def transfer_panel(trace):
    """Return Figure 4's lower panel: mean page transfer times by kind, in ms.

    Over all requests those count that found their page in core, with no time; a shared page's
    time is over the demands that had to wait for one.

    In the order of the figure.
    """
    pages, times = tracing.traffic(trace), tracing.transfer_times(trace)
    waits = demand_waits(trace)
    demands = pages[["demand_disc", "demand_drum", "demand_in_core"]].sum()
    moved = pages["preload_transfers"] / pages["preloaded"]
    return pd.Series(
        {
            "prepaged, over all requests": times["prepaged"] * moved,
            "prepaged, over transfers": times["prepaged"],
            "demanded, over all requests": waits["wait_ms"].sum() / demands,
            "demanded, drum": times["demand_drum"],
            "demanded, disc": times["demand_disc"],
            "demanded, shared, if waited for": times["demand_in_core"],
            "removed": times["written"],
        },
        name="ms",
    )
