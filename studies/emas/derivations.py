"""What follows from the paper's own numbers: sums, shares, and the heights of Figure 4."""

import numpy as np
import pandas as pd

from studies.emas.runs import KEY
from studies.evidence import published, scorecard
from studies.evidence.scorecard import exact

PERCENT = 100.0
CUT_OFF = 0.01
BOOKKEEPING = ("demand_share", "session_cpu")
TOLD = {
    "waste_break_even": "37 is the useful share, a misprint for 63: see data/emas/ERRATA.md",
    "session_cpu": "cpu_per_command's sum turned round",
}


def stated(claim):
    """Return the number that a claim of the paper states."""
    return published.stated(KEY, claim)


def derive_tables():
    """Return the scorecard of everything that is arithmetic on published numbers."""
    seconds = published.table(KEY, "table_2").set_index("item")
    total = seconds.loc["total", "seconds"]
    shares = PERCENT * seconds["seconds"] / total
    services = seconds[seconds["group"] == "supervisor"]["seconds"]
    commands = published.table(KEY, "table_6").set_index("command_type")
    kinds = np.where(seconds.index == "total", "bookkeeping", "arithmetic")
    cell, counted = commands.index + ", share of commands", commands["count"]
    of_all, percent = PERCENT * counted / counted.sum(), seconds["percent"]
    return scorecard.gather(
        sums(seconds["seconds"], services, commands),
        exact("Table 2", seconds.index + ", share", percent, shares, CUT_OFF, kind=kinds),
        supervisor_shares(services, seconds.loc["supervisor", "seconds"]),
        exact("Table 3", "samples", stated("samples"), session_seconds("table_3") / 10.0, 5.0),
        exact("Table 6", cell, commands["percent"], of_all, 0.5),
        text_numbers(commands),
    )


def sums(seconds, services, commands):
    """Return the totals that the columns of Tables 2, 4 and 6 must have."""
    moves = published.table(KEY, "table_4")["transitions_percent"]
    rows = [
        ("Table 2", "sum of the three states", seconds["total"], seconds.iloc[:3], 0.5),
        ("Table 2", "sum of the services", seconds["supervisor"], services, 0.5),
        ("Table 4", "sum of transitions", PERCENT, moves, 0.05 * len(moves)),
        ("Table 6", "sum of counts", stated("session_commands"), commands["count"], 0.5),
    ]
    for column in ("percent", "cpu_percent", "elapsed_percent"):
        rows.append(("Table 6", f"sum of {column}", PERCENT, commands[column], 2.0))
    items, cells, printed, columns, slack = zip(*rows, strict=True)
    ours = [column.sum() for column in columns]
    return exact(items, cells, printed, ours, slack, kind="bookkeeping")


def supervisor_shares(services, supervisor):
    """Return Figure 3's two stated shares beside Table 2."""
    found = PERCENT * services[["drum_transfers", "core_loading"]] / supervisor
    printed = [stated("drum_transfer_share"), stated("core_loading_share")]
    notes = ["", "22 is a misprint for 32 or 33: see data/emas/ERRATA.md"]
    return exact("Figure 3", found.index, printed, found, 0.5, notes)


def session_seconds(run):
    """Return how long a session lasted, from its printed times."""
    row = published.table(KEY, "runs").set_index("id").loc[run]
    return (pd.Timestamp(row["ended"]) - pd.Timestamp(row["started"])).total_seconds()


def text_numbers(commands):
    """Return the numbers of the text that follow from other numbers."""
    stages = published.table(KEY, "residence").set_index("stage")["mean_ms"]
    cpu_s = 60.0 * stated("session_cpu")
    each_s = cpu_s * commands["cpu_percent"] / PERCENT / commands["count"]
    useful = 1.0 - stated("wasted") / PERCENT
    factor = useful * stated("time_demand_drum") / stated("time_prepaged")
    bearable = PERCENT * (1.0 - useful / stated("demand_only_factor"))
    rows = {
        "demand_only_factor": (factor, 0.5),
        "waste_break_even": (bearable, 0.5),
        "wait_ratio": (stages.drop("cpu").sum() / stages["cpu"], 0.051),
        "demand_share": (PERCENT - stated("prepaged_share"), 0.5),
        "session_cpu_share": (PERCENT * cpu_s / (3600.0 * stated("session_hours")), 0.05),
        "session_cpu": (stated("cpu_per_command") * stated("session_commands") / 60.0, 0.5),
        "cpu_per_command": (cpu_s / stated("session_commands"), 0.005),
        "compile_cpu": (each_s["compile"], 0.5),
        "execute_cpu": (each_s["execute"], 0.05 + 0.5 / 61.0 * each_s["execute"]),
        "trace_bytes": (stated("trace_space") * 4096.0 / 1e6, 0.1),
    }
    ours, slack = zip(*rows.values(), strict=True)
    notes = [TOLD.get(name, "") for name in rows]
    kinds = ["bookkeeping" if name in BOOKKEEPING else "arithmetic" for name in rows]
    return exact("Text", list(rows), [stated(name) for name in rows], ours, slack, notes, kinds)


def figure_4():
    """Return the heights of Figure 4's labels in pages, read off the scan's own axis.

    Columns ``bar``, ``label``, ``pages``; accurate to some 2000 pages.
    """
    frame = published.table(KEY, "figure_4")
    ticks = frame.dropna(subset="pages")
    slope, top = np.polyfit(ticks["scan_row"], ticks["pages"].astype(float), 1)
    labels = frame[frame["pages"].isna()]
    return labels[["bar", "label"]].assign(pages=top + slope * labels["scan_row"])
