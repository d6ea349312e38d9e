"""What follows from the print alone: sums, shares, Little's law, break-even, Figure 4's heights."""

import numpy as np
import pandas as pd

from studies.emas.runs import KEY, published_values
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
    """Return the scorecard of everything that is arithmetic on the print."""
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
    """Return the bookkeeping: what columns of Tables 2, 4 and 6 must sum to."""
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
    """Return how long a session lasted by its printed times."""
    row = published.table(KEY, "runs").set_index("id").loc[run]
    return (pd.Timestamp(row["ended"]) - pd.Timestamp(row["started"])).total_seconds()


def text_numbers(commands):
    """Return the text's numbers that are arithmetic on others."""
    stages = published.table(KEY, "residence").set_index("stage")["mean_ms"]
    cpu_s = 60.0 * stated("session_cpu")
    each_s = cpu_s * commands["cpu_percent"] / PERCENT / commands["count"]
    found = break_even()
    rows = {
        "demand_only_factor": (found["factor"].iloc[0], 0.5),
        "waste_break_even": (found.loc["the printed factor", "break_even_percent"], 0.5),
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


def trace_load(level=None):
    """Return by Little's law what the printed times of a residence say of the load.

    From that level and the means of a residence; demands per residence from the headway.
    """
    printed = published_values()["published"]
    level = printed["multiprogramming"] if level is None else level
    resident_ms = printed[["preload", "run_queue", "page_wait", "cpu"]].sum()
    rate = 1000.0 * level / resident_ms
    demands = printed["cpu"] / printed["headway"]
    return pd.Series(
        {
            "residences per s": rate,
            "user processor time (%)": rate * printed["cpu"] / 10.0,
            "processes in core queues": rate * printed["core_queue"] / 1000.0,
            "processes preloading": rate * printed["preload"] / 1000.0,
            "processes waiting for a page": rate * printed["page_wait"] / 1000.0,
            "demand requests per residence": demands,
            "drum reads per s": rate
            * (printed["preload_transfers"] + demands * stated("demand_drum") / PERCENT),
            "disc demands per s": rate * demands * printed["demand_disc"] / PERCENT,
        },
        name="by Little's law",
    )


def one_preload_at_a_time(levels=(3.5, 4.0, 4.5)):
    """Return how long processes would wait if one alone could be preloaded at a time.

    ``levels`` are processes in core on average: the print's 4 may be anything from 3.5 to 4.5.

    A column a level, from the printed means: the use of such a loader, its mean wait with
    random arrivals and constant times (Pollaczek and Khinchine; infinite where the loader could
    not keep up), and the printed wait on a core queue.
    """
    printed = published_values()["published"]
    columns = {}
    for level in levels:
        use = trace_load(level)["processes preloading"]
        wait_ms = use * printed["preload"] / (2.0 * (1.0 - use)) if use < 1.0 else np.inf
        columns[level] = {
            "use of the loader (%)": PERCENT * use,
            "wait for the loader (ms)": wait_ms,
            "wait on a core queue, printed (ms)": printed["core_queue"],
        }
    return pd.DataFrame(columns).rename_axis(columns="level")


def break_even():
    """Return the wastage at which prepaging stops paying, by the paper's own numbers.

    A row a reading: the factor by which demand paging lengthens the wait, and the wastage.
    """
    values = published_values()["published"]
    useful = 1.0 - values["wasted"] / PERCENT
    times = values["time_demand_drum"] / values["time_prepaged"]
    moved = values["prepage_transfers"] / PERCENT
    useful_moved = (moved - values["wasted"] / PERCENT) / moved
    printed_factor = stated("demand_only_factor")
    rows = [
        ("transfer times, waste spread over all requests", useful * times, 1.0 - 1.0 / times),
        ("the printed factor", printed_factor, 1.0 - useful / printed_factor),
        ("all waste in transfers", useful_moved * times, 1.0 - 1.0 / times),
    ]
    frame = pd.DataFrame(rows, columns=["reading", "factor", "break_even_percent"])
    frame["break_even_percent"] *= PERCENT
    return frame.set_index("reading")


def figure_4():
    """Return the heights of Figure 4's labels in pages, by the scan's own axis.

    Columns ``bar``, ``label``, ``pages``; good to some 2000 pages.
    """
    frame = published.table(KEY, "figure_4")
    ticks = frame.dropna(subset="pages")
    slope, top = np.polyfit(ticks["scan_row"], ticks["pages"].astype(float), 1)
    labels = frame[frame["pages"].isna()]
    return labels[["bar", "label"]].assign(pages=top + slope * labels["scan_row"])
