"""The runs of the SIM/61 paper as design points, and their scorecard."""

import numpy as np

from perfkit.core.values import check_columns
from perfkit.runs.experiment import summarize, sweep
from perfkit.systems.sim61 import Parameters, n_to_1_load, n_to_1_parameters, simulate
from perfkit.systems.sim61.parameters import CALIBRATION_N, CALIBRATION_RUNS
from studies.evidence import published, scorecard
from studies.evidence.scorecard import BY_CONSTRUCTION

KEY, IN_SIGHT = "sim61", "chosen in sight"
DEVICES = {
    "2 RCA 8580 discs": ("8580", "8580"),
    "1 RCA 8567 drum": ("8567",),
    "2 RCA 8567 drums": ("8567", "8567"),
    "1 LAM": ("LAM",),
}
STORE_MEASURES = {
    "response_s": "response_s",
    "interactions": "interactions",
    "paging_pages_s": "paging_pages_per_s",
    "user_io_kb_s": "user_io_kb_per_s",
    "user_cpu_percent": "user_percent",
    "overhead_percent": "supervisor_percent",
    "idle_percent": "idle_percent",
    "batch_cpu_percent": "batch_percent",
}
N_MEASURES = {
    "response_s": "response_s",
    "interactions": "interactions",
    "batch_cpu_percent": "batch_percent",
    "batch_elapsed": "batch_elapsed",
    "n_measured": "measured_n",
    "free": "free_activations",
}
QUEUES = {name: name for name in ("active_tasks", "paging_queue", "paging_queue_ms")}
WORDS = {
    "response_s": "response (s)",
    "interactions": "interactions",
    "paging_pages_s": "paging (pages/s)",
    "user_io_kb_s": "user I/O (KB/s)",
    "user_cpu_percent": "user time (%)",
    "overhead_percent": "overhead (%)",
    "idle_percent": "idle (%)",
    "batch_cpu_percent": "batch (%)",
    "batch_elapsed": "batch elapsed",
    "n_measured": "measured N",
    "free": "free activations",
    "active_tasks": "active tasks",
    "paging_queue": "tasks that wait for a page",
    "paging_queue_ms": "page wait (ms)",
}
FOLLOWING = ("idle_percent", "n_measured", "batch_elapsed")
STORE_SEEN = tuple(name for name in STORE_MEASURES if name != "batch_cpu_percent")
N_SEEN = ("batch_cpu_percent", "free")
WHOLE = ("interactions", "paging_pages_s", "batch_elapsed")


def store_runs():
    """Return the eight runs of Table 3, with the numbers of the text.

    Columns ``run``, ``paging_configuration``, ``memory_mb``, the parameters ``paging_devices`` and
    ``memory_pages``, the measures, ``kind``. The disc runs are "chosen in sight": two choices that
    act on them alone were made for them.
    """
    runs = published.table(KEY, "table_3").merge(published.table(KEY, "text_runs"), on="run")
    sizes = published.table(KEY, "configurations").set_index("run")["memory_pages"]
    runs["paging_devices"] = runs["paging_configuration"].map(DEVICES)
    runs["memory_pages"] = runs["run"].map(sizes)
    fitted = runs["run"].isin(CALIBRATION_RUNS)
    kind = fitted.map({True: "fitted", False: "predicted"})
    return runs.assign(kind=kind.mask(runs["paging_configuration"].str.contains("8580"), IN_SIGHT))


def n_runs():
    """Return the seven runs of Tables 4 and 5, one per value of N.

    Columns ``n`` (as printed), the parameter ``activations_per_batch``, the measures (``free`` is
    measured N less N), ``kind``: "chosen in sight" between the two fitted runs, because the
    closure of both tables led to the rule that batch does not wait.
    """
    runs = published.table(KEY, "table_5").merge(published.table(KEY, "table_4"), on="n")
    runs["activations_per_batch"] = runs["n"].astype(float)
    finite = runs["activations_per_batch"].replace(np.inf, np.nan)
    runs["free"] = runs["n_measured"] - finite
    fitted = runs["activations_per_batch"].isin(CALIBRATION_N)
    return runs.assign(kind=fitted.map({True: "fitted", False: IN_SIGHT}))


def simulate_store(runs, replications, seed=0, **changes):
    """Simulate configurations of the backing store study.

    One row per run and seed: ``point`` (the index in ``runs``), parameters, measures.
    """
    check_columns(runs, ["paging_devices", "memory_pages"])
    design = runs[["paging_devices", "memory_pages"]]
    rows = sweep(simulate, Parameters(**changes), design, replications, seed=seed, progress=False)
    return rows.assign(point=runs.index.to_numpy()[rows["point"]])


def simulate_n(runs, replications, seed=0, load=None, **changes):
    """Simulate the N-to-1 study, one point per value of N.

    As ``simulate_store``; ``batch_elapsed`` is 1000 over the batch CPU percentage.
    """
    load = n_to_1_load() if load is None else load
    own, design = n_to_1_parameters(**changes), runs[["activations_per_batch"]]
    rows = sweep(simulate, own, design, replications, seed=seed, progress=False, load=load)
    elapsed = 1000.0 / rows["batch_percent"].where(rows["batch_percent"] > 0)
    return rows.assign(point=runs.index.to_numpy()[rows["point"]], batch_elapsed=elapsed)


def averages(rows, measures):
    """Return the means of the measures and their half-widths, one row per published run."""
    return summarize(rows, "point", list(measures))


def score(item, cell, runs, rows, measures, seen):
    """Return the scorecard of runs: 10 % everywhere, because the paper states no error.

    ``item`` is the table, or the table of each measure; ``cell`` names each run; ``measures``
    gives a printed column its simulated measure; columns in ``seen`` were looked at where the
    run's kind is "chosen in sight", and are predicted in others.

    The tolerance of a printed zero (batch that never ran) is half of the last printed digit. What
    follows from other cells (``FOLLOWING``: idle from users and overhead, measured N from free
    activations and N, batch elapsed from batch CPU) is "by construction": shown, not counted.
    The paper has one run per cell, so its error is that of one simulated run, plus the rounding.

    Cells that the scan lost or that the paper does not give are left out.
    """
    ours = averages(rows, measures.values())
    replications = len(rows) // len(runs)
    cards = []
    for column, measure in measures.items():
        known = runs.index[runs[column].notna()]
        printed = runs.loc[known, column].to_numpy(float)
        kind = runs.loc[known, "kind"]
        half_width = ours.loc[known, measure + "_half_width"].to_numpy()
        spread = scorecard.spread(half_width, replications)
        digit = 1.0 if column in WHOLE else 0.1
        spread = np.where(spread > 0.0, np.hypot(spread, digit / 12**0.5), spread)
        kind = kind if column in seen else kind.replace({IN_SIGHT: "predicted"})
        kind = BY_CONSTRUCTION if column in FOLLOWING else kind
        table = item if isinstance(item, str) else item.get(column, item[None])
        cards.append(scorecard.cells(
            table, cell[known], column, kind, printed, ours.loc[known, measure], half_width,
            spread=spread, absolute=np.where(printed == 0.0, 0.05, 0.10 * np.abs(printed)),
            runs=replications,
        ))  # fmt: skip
    return scorecard.gather(*cards)


def score_store(runs, rows):
    """Return the scorecard of Table 3 and of the batch shares that the text gives."""
    items = {None: "Table 3", "batch_cpu_percent": "Backing Store Study"}
    return score(items, store_names(runs), runs, rows, STORE_MEASURES, STORE_SEEN)


def store_names(runs):
    """Return what the scorecard calls each configuration of the backing store study."""
    return runs["paging_configuration"] + ", " + runs["memory_mb"].astype(str) + " MB"


def score_n(runs, rows):
    """Return the scorecard of Tables 4 and 5."""
    items = {None: "Table 5", "n_measured": "Table 4", "free": "Table 4"}
    return score(items, "N = " + runs["n"], runs, rows, N_MEASURES, N_SEEN)


def worded(card):
    """Return a scorecard for reading: its quantities in words."""
    return card.assign(quantity=card["quantity"].replace(WORDS))
