"""Brachman's runs as design points, and our scorecard of them."""

import numpy as np
import pandas as pd

from perfkit.analytic.swapping import processes_loaded
from perfkit.core.values import check_above_0, check_columns
from perfkit.runs.experiment import interval, summarize, sweep
from perfkit.systems.unix_v6 import Parameters, simulate
from perfkit.systems.unix_v6.parameters import CALIBRATION_RUNS, MOST_CLICKS
from studies.evidence import published, scorecard

KEY = "unix_v6"
FACTORS = ["compute_ms", "process_clicks", "memory_clicks", "processes"]
MEASURES = ["elapsed_s", "swaps", "queue", "utilization_percent"]
FEWEST_SWAPS = 100
REPEATABILITY = 0.05
ROUND_SHARE = 0.10  # of a number that the text rounds, or calls large
QUEUE_ERROR = 0.1
WORDS = {
    "elapsed_s": "time (s)",
    "swaps": "swaps",
    "queue": "queue",
    "utilization_percent": "busy (%)",
    "measured_time_ms": "measured time (ms)",
    "calculated_ms": "calculated time (ms)",
    "calculated_min_ms": "least time (ms)",
    "calculated_max_ms": "greatest time (ms)",
    "predicted_mean_s": "mean (s)",
    "predicted_sd_s": "deviation (s)",
    "measured_error_s": "5 % of it (s)",
}
IN_SIGHT = "elapsed_s"  # falls without the skewed sectors, chosen with all runs in sight: NOTES.md


def swap_times_ms():
    """Return the measured swap times of Table IV by process size in clicks."""
    return published.table(KEY, "table_4").set_index("process_clicks")["measured_ms"]


def block_time_ms():
    """Return the measured block time of Table V."""
    return float(published.table(KEY, "table_5")["measured_ms"].iloc[0])


def published_runs(readings=True):
    """Return the 31 runs of Table VI and the 15 of Table VII, one frame.

    ``readings`` puts our reading where a cell looks misprinted (data/unix_v6/readings.csv).

    Columns ``table``, ``run``, the factors as parameters, the measures, ``kind``.
    """
    six = published.table(KEY, "table_6", readings=readings).assign(table="Table VI", compute_ms=12)
    seven = published.table(KEY, "table_7", readings=readings).assign(table="Table VII")
    runs = pd.concat([six, seven], ignore_index=True)
    sizes = runs["process_clicks"].astype(str).str.split("/")
    runs["process_clicks"] = [tuple(int(size) for size in row) for row in sizes]
    fitted = (runs["table"] == "Table VI") & runs["run"].isin(CALIBRATION_RUNS)
    runs["kind"] = fitted.map({True: "fitted", False: "predicted"})
    return runs


def with_memory(runs, factor):
    """Return the runs with so many times the paper's user memory, and NL as that memory gives.

    With factor 1 every run keeps the published NL (`derive_loaded` counts them).
    """
    check_above_0("memory_factor", factor)
    most = float(runs["memory_clicks"].max()) * factor
    if most > MOST_CLICKS:
        raise ValueError(
            f"memory_factor must leave each run {MOST_CLICKS} clicks of memory or less;"
            f" {factor!r} makes it {most:g}."
        )
    clicks = (runs["memory_clicks"] * factor).round().astype(int)
    sizes = np.array([np.mean(size) for size in runs["process_clicks"]])
    return runs.assign(
        memory_clicks=clicks, loaded=processes_loaded(clicks, sizes, runs["processes"]).astype(int)
    )


def simulate_runs(runs, replications, seed=0, memory_factor=1.0, **changes):
    """Simulate each published run.

    ``runs`` are of ``published_runs``; ``memory_factor`` is user memory against the paper's.

    One row per run and seed: ``point`` (the index in ``runs``), ``seed``, parameters, measures.
    """
    check_columns(runs, FACTORS)
    for name in changes:
        if name in FACTORS:
            raise ValueError(
                f"Each run has its own {name}: change it in the runs; memory_factor multiplies"
                " their memory."
            )
    design = with_memory(runs, memory_factor)[FACTORS]
    rows = sweep(simulate, Parameters(**changes), design, replications, seed=seed, progress=False)
    rows["point"] = runs.index.to_numpy()[rows["point"]]
    rows["utilization_percent"] = 100.0 * rows["utilization"]
    rows["requests"] = rows["reads"] + rows["read_aheads"] + rows["writes"]
    return rows


def averages(rows, measures=tuple(MEASURES)):
    """Return a row a published run: the means of the measures and their half-widths."""
    return summarize(rows, "point", list(measures))


def score_runs(runs, ours):
    """Return the scorecard of the runs: stated errors as tolerances, else 10 %.

    Elapsed time repeats within 5 % (section 4.5), the queue is good to 0.1 (section 5.1).
    Every published cell is scored; where we have no reading, as published. The swaps of a fitted
    run that hardly swaps had no weight in the fit, and count as predicted. A published number is
    of one run, so its spread is that of one simulated run.
    """
    printed, read = (published_runs(readings=r).loc[runs.index] for r in (False, True))
    tolerance = {"elapsed_s": {"relative": REPEATABILITY}, "queue": {"absolute": QUEUE_ERROR}}
    cards = []
    for measure in MEASURES:
        held = runs[measure].fillna(printed[measure])
        kind = runs["kind"].mask((measure == "swaps") & (held <= FEWEST_SWAPS), "predicted")
        if measure == IN_SIGHT:
            kind = kind.replace("predicted", "chosen in sight")
        half_width = ours[measure + "_half_width"].to_numpy()
        count = ours[measure + "_count"].min()
        spread = scorecard.spread(half_width, count)
        doubted = ~(printed[measure] == read[measure]).fillna(False)
        notes = doubted.map({True: "print doubted: ERRATA.md", False: ""})
        cards.append(scorecard.cells(
            runs["table"], "run " + runs["run"].astype(str), measure, kind, held, ours[measure],
            half_width, spread=spread, runs=count, note=notes, **tolerance.get(measure, {}),
        ))  # fmt: skip
    return scorecard.gather(*cards)


def in_words(card):
    """Return rows of the scorecard with quantities in words, and runs by their factors."""
    sizes = {
        (run.table, f"run {run.run}"): (
            f"{run.run}: {'/'.join(map(str, run.process_clicks))}, {run.memory_clicks},"
            f" {run.processes}" + (f", {run.compute_ms} ms" if run.table == "Table VII" else "")
        )
        for run in published_runs().itertuples()
    }
    pairs = zip(card["item"], card["cell"], strict=True)
    return card.assign(
        cell=[sizes.get(pair, pair[1]) for pair in pairs], quantity=card["quantity"].replace(WORDS)
    )


def score_device_times(runs, rows):
    """Return simulated mean swap and block times beside the measured ones of Tables IV and V.

    Swaps are those of the runs with twelve processes of one size and all memory; blocks
    those of Table VI's unfitted runs together, held to the error that Table V states. The thesis
    does not say how many runs its times are over, so they have no z.
    """
    sizes = runs["process_clicks"].map(lambda sizes: sizes[0] if len(sizes) == 1 else 0)
    full = (runs["processes"] == 12) & (runs["memory_clicks"] == 1280) & (runs["compute_ms"] == 12)
    sizes = sizes[full & (sizes > 0)]
    means = averages(rows, ["swap_ms", "block_ms"])
    measured = swap_times_ms()
    own, what = means.loc[sizes.index], "measured_time_ms"
    found = measured[sizes], own["swap_ms"], own["swap_ms_half_width"].to_numpy()
    note = "Tables VI and VII add up with longer swaps than Table IV gives"
    where = ("Table IV", "PS " + sizes.astype(str), what, "chosen in sight")
    swaps = scorecard.cells(*where, *found, note=note)
    five = published.table(KEY, "table_5").iloc[0]
    unseen = runs.index[(runs["table"] == "Table VI") & (runs["kind"] == "predicted")]
    by_seed = rows[rows["point"].isin(unseen)].groupby("seed")["block_ms"].mean()
    mean, half_width = interval(by_seed)
    found = [five["measured_ms"]], [mean], half_width
    note = "more and shorter requests than measured; their product agrees"
    where, error_ms = ("Table V", ["any block"], what, "predicted"), five["measured_error_ms"]
    blocks = scorecard.cells(*where, *found, absolute=error_ms, note=note)
    return scorecard.gather(swaps, blocks)


def mean_errors(card):
    """Return the mean absolute errors; those of swaps over runs with more than 100 of them."""
    few = (card["quantity"] == "swaps") & (card["published"] <= FEWEST_SWAPS)
    return scorecard.errors(card[~few])
