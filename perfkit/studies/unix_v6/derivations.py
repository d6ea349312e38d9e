"""What can be computed from the print alone: Tables I to V, VIII and the applications."""

import numpy as np

from perfkit import published, scorecard
from perfkit.analytic import swapping
from perfkit.studies.unix_v6.runs import KEY, published_runs

TABLE_VIII_BLOCK_MS = 40.0


def printed_constants():
    """Return Table I as a series, name to value."""
    return published.table(KEY, "table_1").set_index("characteristic")["value"]


def derive_table_1():
    """Return Table I's dependent rows from the others, as a scorecard.

    Access is seek and latency; latency is half a revolution; a track passes the heads in a
    revolution, which gives the transfer time of a byte; the peak rate gives another.
    """
    t = printed_constants()
    revolution_ms = 2.0 * t["average_latency"]
    track_bytes = t["blocks_per_track"] * t["block_size"]
    ours = {
        "average_access": t["average_seek"] + t["average_latency"],
        "average_transfer_time": 1000.0 * revolution_ms / track_bytes,
        "peak_transfer_rate": 1000.0 / t["average_transfer_time"],
    }
    note = (
        "the two printed rates disagree: 2.35 us/byte is 425.5K bytes/s",
        "half a revolution of latency and 20 blocks a track give 2.44 us/byte",
    )
    names = list(ours)
    return scorecard.cells(
        "Table I",
        names,
        "ms, us/byte, Kbytes/s",
        "derived",
        t[names],
        [ours[name] for name in names],
        note=["", note[1], note[0]],
    )


def derive_loaded(runs):
    """Return NL of every printed run from memory and process size, as a scorecard."""
    sizes = np.array([np.mean(size) for size in runs["process_clicks"]])
    ours = swapping.processes_loaded(runs["memory_clicks"], sizes, runs["processes"])
    return scorecard.cells(
        runs["table"],
        "run " + runs["run"].astype(str),
        "NL",
        "derived",
        runs["loaded"],
        ours,
        absolute=0.0,
    )


def mean_iterations():
    """Return the mean of each of Table III's distributions of iterations, by PC in ms."""
    table = published.table(KEY, "table_3")
    steps = table.groupby("compute_ms")["cumulative_percent"].diff()
    percent = steps.fillna(table["cumulative_percent"])
    weighted = percent * table["iterations"] / 100.0
    return weighted.groupby(table["compute_ms"]).sum()


def derive_table_3():
    """Return PC from the mean iterations by a straight line, as a scorecard."""
    mean = mean_iterations()
    slope, intercept = np.polyfit(mean, mean.index, 1)
    return scorecard.cells(
        "Table III",
        "PC " + mean.index.astype(str),
        "PC in ms",
        "derived",
        mean.index,
        intercept + slope * mean,
        note="one straight line through five printed values; the clock resolves 1 to 2 ms",
    )


def derive_table_4():
    """Return the swap times that the specification gives (Table IV), as a scorecard."""
    table = published.table(KEY, "table_4", readings=True)
    least, greatest = swapping.calculated_swap_times(table["process_clicks"])
    cell = "PS " + table["process_clicks"].astype(str)
    columns = {"calculated_min_ms": least, "calculated_max_ms": greatest}
    return _cells_by_column("Table IV", "table_4", cell, columns)


def _cells_by_column(item, name, cell, columns):
    """Return exact cells of a printed table, column by column, with a note at our readings."""
    printed, read = (published.table(KEY, name, readings=r) for r in (False, True))
    return scorecard.gather(
        *(
            scorecard.cells(
                item,
                cell,
                column,
                "derived",
                read[column],
                ours,
                absolute=0.05,
                note=scorecard.reading_notes(printed[column], read[column]),
            )
            for column, ours in columns.items()
        )
    )


def derive_table_5():
    """Return the block time that the specification gives (Table V), as a scorecard."""
    table = published.table(KEY, "table_5")
    ours = [swapping.calculated_block_time()]
    return scorecard.cells(
        "Table V",
        ["any block"],
        "calculated_ms",
        "derived",
        table["calculated_ms"],
        ours,
        absolute=0.05,
    )


def swap_times_ms():
    """Return the measured swap times of Table IV by process size in clicks."""
    return published.table(KEY, "table_4").set_index("process_clicks")["measured_ms"]


def block_time_ms():
    """Return the measured block time of Table V."""
    return float(published.table(KEY, "table_5")["measured_ms"].iloc[0])


def pair_predictions(runs, block_ms=None):
    """Return what Equation 3.1 predicts for each run from every other with as many processes.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs of one process size each and the same compute time, with ``elapsed_s``.
    block_ms : float, optional
        Tblock; the measured one by default.

    Returns
    -------
    pandas.DataFrame
        A row an ordered pair: the columns of ``runs`` with ``_a`` and ``_b``, and
        ``predicted_s``.
    """
    block_ms = block_time_ms() if block_ms is None else block_ms
    swap_ms = [swap_times_ms()[size[0]] for size in runs["process_clicks"]]
    pairs = runs.assign(swap_ms=swap_ms).merge(
        runs.assign(swap_ms=swap_ms), on="processes", suffixes=("_a", "_b")
    )
    pairs = pairs[pairs["run_a"] != pairs["run_b"]].reset_index(drop=True)
    pairs["predicted_s"] = swapping.predict_elapsed(
        pairs["elapsed_s_a"],
        pairs["loaded_a"],
        pairs["loaded_b"],
        block_ms,
        block_ms,
        pairs["swap_ms_a"],
        pairs["swap_ms_b"],
    )
    return pairs


def full_runs():
    """Return the six runs of Table VI with twelve processes."""
    runs = published_runs()
    return runs[(runs["table"] == "Table VI") & (runs["processes"] == 12)]


def derive_table_8():
    """Return mean and deviation of the five predictions of each PN = 12 run, as a scorecard."""
    measured = published.table(KEY, "table_8")["measured_s"]
    pairs = pair_predictions(full_runs(), TABLE_VIII_BLOCK_MS)
    found = pairs.groupby("elapsed_s_b")["predicted_s"].agg(["mean", "std"]).loc[measured]
    columns = {"predicted_mean_s": found["mean"], "predicted_sd_s": found["std"]}
    return _cells_by_column("Table VIII", "table_8", measured.astype(str) + " s", columns)


def derive_applications():
    """Return the ratios of the five applications of section 5.4, as a scorecard."""
    printed = published.table(KEY, "examples").set_index("id")["printed_ratio"]
    cases = swapping.applications()
    note = "PC stays below Tswap, so by section 5.2 the queue extension's factor is 1, not 5/7"
    return scorecard.cells(
        "Section 5.4",
        [case.name for case in cases],
        "T_B / T_A",
        "derived",
        printed[[case.name for case in cases]],
        [case.ratio_by_equation for case in cases],
        absolute=0.005,
        note=[note if case.name == "application_5" else "" for case in cases],
    )


def derive_all():
    """Return the scorecard of everything that is arithmetic on the print."""
    return scorecard.gather(
        derive_table_1(),
        derive_loaded(published_runs()),
        derive_table_3(),
        derive_table_4(),
        derive_table_5(),
        derive_table_8(),
        derive_applications(),
    )
