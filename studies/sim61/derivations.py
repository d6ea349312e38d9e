"""What follows from the published numbers alone, for the scorecard."""

import numpy as np
import pandas as pd
import statsmodels.api as sm

from perfkit.systems.sim61 import Parameters
from perfkit.systems.sim61.parameters import PAGE_BYTES
from studies.evidence import published, scorecard
from studies.evidence.scorecard import exact
from studies.sim61.runs import KEY, n_runs, store_names, store_runs

PAGE_KB = PAGE_BYTES / 1000.0
MB_BYTES = 2**20
MEASURED_S = Parameters().measured_s


def derive_tables():
    """Return the scorecard of all arithmetic on published numbers."""
    store, n = store_runs(), n_runs()
    batch = n[n["batch_elapsed"].notna()]
    measured = n[n["n_measured_less_free"].notna()]
    cell, printed = "N = " + measured["n"] + " less free", measured["n_measured_less_free"]
    less_free = measured["n_measured"] - published.stated(KEY, "n_measured_differs")
    elapsed, alone = batch["batch_elapsed"], 1000.0 / batch["batch_cpu_percent"]
    return scorecard.gather(
        bookkeeping(store),
        exact("Table 4", cell, printed, less_free, 0.05),
        near_identity(measured),
        exact("Table 5", "batch elapsed, N = " + batch["n"], elapsed, alone, 0.5),
        ratios(store),
        memories(),
        drum_window(),
        user_time_bound(store),
    )


def bookkeeping(store):
    """Return counts of tasks and configurations, and sums of shares, that must agree."""
    tasks = published.table(KEY, "table_1").groupby("task_type")["number"].sum()
    smaller = published.table(KEY, "load_n_to_1").groupby("task_type")["number"].sum()
    devices = store["paging_configuration"].nunique()
    counted = [("Table 1", f"{name} tasks", f"{name}_tasks", tasks[name]) for name in tasks.index]
    counted += [
        ("Backing Store Study", "paging configurations", "paging_configurations", devices),
        ("Backing Store Study", "configurations", "configurations", len(store)),
        ("Task Activator", "interactive tasks", "n_to_one_interactive", smaller["interactive"]),
    ]
    item, cell, claim, number = zip(*counted, strict=True)
    printed = [published.stated(KEY, name) for name in claim]
    whole = store[["user_cpu_percent", "overhead_percent", "idle_percent"]].sum(axis=1)
    run = "sum of shares, run " + store["run"].astype(str)
    shares = exact("Table 3", run, 100.0, whole, 0.05)
    card = scorecard.gather(exact(item, cell, printed, number, 0.0), shares)
    return card.assign(kind="bookkeeping")


def memories():
    """Return memory sizes from bytes, and the core that the larger size leaves to tasks."""
    names = {"half_mb_pages": 0.5, "one_mb_pages": 1.0, "n_to_one_memory": 0.25}
    printed = {name: published.stated(KEY, name) for name in names}
    pages = [
        megabytes * MB_BYTES / published.stated(KEY, "page_bytes") for megabytes in names.values()
    ]
    resident = printed["half_mb_pages"] - published.stated(KEY, "schedulable_half")
    return exact(
        ["Backing Store Study"] * 2 + ["Task Activator", "Backing Store Study"],
        ["pages of 1/2 MB", "pages of 1 MB", "pages of 1/4 MB", "schedulable pages of 1 MB"],
        [*printed.values(), published.stated(KEY, "schedulable_one")],
        [*pages, printed["one_mb_pages"] - resident],
        0.0,
    )


def drum_window():
    """Compare the drum's window by Table 2's revolution and rate with the text's 3 to 4 ms."""
    drum = published.table(KEY, "table_2").set_index("device").loc["RCA 8567 drum"]
    text = published.claims(KEY).set_index("id").loc["drum_window"]
    middle = (text["value"] + text["value_high"]) / 2.0
    window_ms = drum["rotation_ms"] - 1000.0 * PAGE_KB / drum["transfer_kb_s"]
    note = "Table 2's revolution less a page at its rate; see ERRATA"
    cell, tolerance = ["the drum's window, ms"], text["value_high"] - middle
    return exact("Backing Store Study", cell, middle, window_ms, tolerance, note)


def near_identity(measured):
    """Compare measured N less 1.7 free activations, those of N = 0, with N, within 10 %."""
    above = measured[measured["activations_per_batch"] > 0.0]
    n, less_free = above["activations_per_batch"], above["n_measured_less_free"]
    return exact("Table 4 note", "N by measured N, N = " + above["n"], n, less_free, 0.10 * n)


def user_time_bound(store):
    """Return user time with the LAM, limited to what Table 1 lets people compute, plus batch.

    A person who computes C and thinks Z per interaction uses at most C / (Z + C) of a processor.
    A published value above that contains user time that is no compute time.
    """
    load = published.table(KEY, "table_1")
    load = load[load["task_type"] != "batch"]
    compute_s = load["compute_mean_ms"] / 1000.0
    most = 100.0 * (load["number"] * compute_s / (load["think_mean_s"] + compute_s)).sum()
    lam = store[store["paging_configuration"] == "1 LAM"]
    printed, allowed = lam["user_cpu_percent"], most + lam["batch_cpu_percent"]
    cell = "user time (%) that Table 1 and printed batch allow, " + store_names(lam)
    card = exact("Table 3", cell, printed, np.minimum(printed, allowed), 0.1)
    return card.assign(note="it is more than Table 1's compute times; see ERRATA")


def ratios(store):
    """Return the ratios in the text of the Backing Store Study from its own numbers."""
    half, one = (store[store["run"] == run].iloc[0] for run in (3, 4))
    resident = Parameters().supervisor_pages
    cell = ["schedulable core", "active tasks", "paging queue", "time on the paging queue"]
    claims = ("schedulable", "active", "paging_queue", "paging_time")
    printed = [published.stated(KEY, f"{name}_ratio") for name in claims]
    names = ("active_tasks", "paging_queue", "paging_queue_ms")
    core = (one["memory_pages"] - resident) / (half["memory_pages"] - resident)
    ours = [core, *(one[name] / half[name] for name in names)]
    return exact("Backing Store Study", cell, printed, ours, 0.05)


def line(x, y):
    """Return slope, intercept and R squared of a straight line."""
    fit = sm.OLS(np.asarray(y, float), sm.add_constant(np.asarray(x, float))).fit()
    return pd.Series({"intercept": fit.params[0], "slope": fit.params[1], "R2": fit.rsquared})
