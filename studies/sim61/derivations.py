"""What follows from the print alone: sums, ratios, laws and the interactions that were lost."""

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy.optimize import brentq

from perfkit.analytic import operational
from perfkit.analytic.drum import greatest_rate
from perfkit.systems.sim61 import Parameters
from perfkit.systems.sim61.parameters import PAGE_BYTES
from studies.evidence import published, scorecard
from studies.evidence.scorecard import exact
from studies.sim61.runs import KEY, n_runs, store_names, store_runs

PAGE_KB = PAGE_BYTES / 1000.0
MB_BYTES = 2**20
MEASURED_S = Parameters().measured_s


def derive_tables():
    """Return the scorecard of everything that is arithmetic on the print."""
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
    """Return what must close by itself: tasks and configurations counted, shares summed."""
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
    """Return memory sizes from bytes, and the core that the larger one leaves to tasks."""
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
    """Return the drum's window by Table 2's revolution and rate, held to the text's 3 to 4 ms."""
    drum = published.table(KEY, "table_2").set_index("device").loc["RCA 8567 drum"]
    text = published.claims(KEY).set_index("id").loc["drum_window"]
    middle = (text["value"] + text["value_high"]) / 2.0
    window_ms = drum["rotation_ms"] - 1000.0 * PAGE_KB / drum["transfer_kb_s"]
    note = "Table 2's revolution less a page at its rate; see ERRATA"
    cell, tolerance = ["the drum's window, ms"], text["value_high"] - middle
    return exact("Backing Store Study", cell, middle, window_ms, tolerance, note)


def near_identity(measured):
    """Return measured N less the free activations, held to N within 10 %; 1.7 is that of N = 0."""
    above = measured[measured["activations_per_batch"] > 0.0]
    n, less_free = above["activations_per_batch"], above["n_measured_less_free"]
    return exact("Table 4 note", "N by measured N, N = " + above["n"], n, less_free, 0.10 * n)


def user_time_bound(store):
    """Return user time with the LAM, as far as Table 1 lets tasks compute beside printed batch.

    Who computes C and thinks Z an interaction uses at most C / (Z + C) of a processor. A print
    above that has user time that is in no compute time.
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
    """Return the ratios of the Backing Store Study's text from its numbers."""
    half, one = (store[store["run"] == run].iloc[0] for run in (3, 4))
    resident = Parameters().supervisor_pages
    cell = ["schedulable core", "active tasks", "paging queue", "time on the paging queue"]
    claims = ("schedulable", "active", "paging_queue", "paging_time")
    printed = [published.stated(KEY, f"{name}_ratio") for name in claims]
    names = ("active_tasks", "paging_queue", "paging_queue_ms")
    core = (one["memory_pages"] - resident) / (half["memory_pages"] - resident)
    ours = [core, *(one[name] / half[name] for name in names)]
    return exact("Backing Store Study", cell, printed, ours, 0.05)


def waited_faults():
    """Return by Little's law the faults that tasks wait for, beside all pages moved.

    In one mean wait the whole queue passes. One row per run with queue statistics:
    ``waited_per_s``, ``moved_per_s``, ``share``.
    """
    known = store_runs().dropna(subset=["paging_queue", "paging_queue_ms"])
    waited = operational.throughput(known["paging_queue"], known["paging_queue_ms"] / 1000.0)
    found = known[["memory_mb"]].assign(waited_per_s=waited, moved_per_s=known["paging_pages_s"])
    return found.assign(share=waited / found["moved_per_s"])


def device_limits():
    """Return the most pages that each paging configuration can move, beside what it moved.

    A drum with one page per track moves one per revolution however long its queue
    (`perfkit.analytic.drum`); a disc one per average seek, half a revolution and a transfer;
    the LAM one per transfer.

    Indexed by configuration: ``limit_per_s``, ``half_mb`` and ``one_mb`` (pages/s).
    """
    devices = published.table(KEY, "table_2").set_index("device")
    disc, drum = devices.loc["RCA 8580 disc"], devices.loc["RCA 8567 drum"]
    lam = devices.loc["hypothetical LAM"]
    disc_ms = disc["seek_average_ms"] + disc["rotation_ms"] / 2.0
    disc_ms += 1000.0 * PAGE_KB / disc["transfer_kb_s"]
    drum_per_s = float(greatest_rate(drum["rotation_ms"] / 1000.0, 1))
    limits = {
        "2 RCA 8580 discs": 2000.0 / disc_ms,
        "1 RCA 8567 drum": drum_per_s,
        "2 RCA 8567 drums": 2.0 * drum_per_s,
        "1 LAM": lam["transfer_kb_s"] / PAGE_KB,
    }
    moved = store_runs().pivot(
        index="paging_configuration", columns="memory_mb", values="paging_pages_s"
    )
    moved = moved.set_axis(["half_mb", "one_mb"], axis=1)
    return pd.DataFrame({"limit_per_s": limits}).join(moved)


def interactions_by_law(response_s, seconds=MEASURED_S):
    """Return interactions by the response-time law over Table 1's interactive classes.

    Each of the n tasks of a class goes round once in R + Z; R is taken for every class.
    """
    load = published.table(KEY, "table_1")
    load = load[load["task_type"] == "interactive"]
    tasks, think_s = load["number"].to_numpy(float), load["think_mean_s"].to_numpy(float)
    response_s = np.atleast_1d(np.asarray(response_s, float))
    tasks = np.broadcast_to(tasks, (response_s.size, tasks.size))
    return seconds * operational.throughput(tasks, response_s[:, None] + think_s).sum(axis=1)


def response_by_law(interactions, seconds=MEASURED_S):
    """Return the mean response at which the response-time law gives so many interactions.

    Not a number for more interactions than 64 terminals can ask for.
    """

    def over(response_s, wanted):
        return interactions_by_law(response_s, seconds)[0] - wanted

    wanted = np.atleast_1d(np.asarray(interactions, float))
    return np.array([brentq(over, 0, 1e6, x) if over(0, x) > 0 else np.nan for x in wanted])


def user_ms(user_percent, batch_percent, interactions):
    """Return users' processor time per interaction in ms, batch left out."""
    return 10.0 * MEASURED_S * (user_percent - batch_percent) / interactions


def lost_interactions():
    """Return the law's interactions beside the printed ones, and the four that were lost."""
    runs = store_runs()
    law = interactions_by_law(runs["response_s"])
    table = runs[["paging_configuration", "memory_mb", "response_s", "interactions"]]
    return table.assign(law=law, law_off_percent=100.0 * (law / runs["interactions"] - 1.0))


def core_and_paging(response_s):
    """Return by what a response is multiplied by more core, and by faster paging.

    ``response_s`` is in the order of ``store_runs``: slow paging devices first, 1/2 MB before 1
    MB.

    One row per paging configuration: ``core``, 1 MB over 1/2 MB; ``paging``, the next faster
    configuration over this one at 1/2 MB, not a number for the fastest.
    """
    runs = store_runs()
    wide = runs.assign(response=response_s.to_numpy(float)).pivot(
        index="paging_configuration", columns="memory_mb", values="response"
    )
    wide = wide.loc[runs["paging_configuration"].unique()]
    paging = wide[0.5].shift(-1) / wide[0.5]
    return pd.DataFrame({"core": wide[1.0] / wide[0.5], "paging": paging})


def supervisor_time(by_device=False):
    """Return the regression of overhead on pages and user I/O over the eight runs.

    ``by_device`` lets a page on a disc, and one on the LAM, cost more than one on a drum, and
    some supervisor time pass whatever is moved.

    Coefficients in ms per page and ms per KB, without intercept; by device also ``disc`` and
    ``lam``, in ms per page, and ``constant``, in ms per second.
    """
    runs = store_runs()
    causes = runs[["paging_pages_s", "user_io_kb_s"]].astype(float)
    if by_device:
        for name, label in (("disc", "8580"), ("lam", "LAM")):
            on_it = runs["paging_configuration"].str.contains(label)
            causes[name] = causes["paging_pages_s"].where(on_it, 0.0)
        causes["constant"] = 1.0
    return sm.OLS(10.0 * runs["overhead_percent"], causes).fit()


def line(x, y):
    """Return slope, intercept and R squared of a straight line."""
    fit = sm.OLS(np.asarray(y, float), sm.add_constant(np.asarray(x, float))).fit()
    return pd.Series({"intercept": fit.params[0], "slope": fit.params[1], "R2": fit.rsquared})


def batch_activation_s():
    """Return batch CPU share times measured N over interactions per second, by N.

    It is the processor time of a batch activation times the activations of an interaction.
    """
    runs = n_runs().dropna(subset=["n_measured"])
    per_s = runs["interactions"] / MEASURED_S
    return (runs["batch_cpu_percent"] / 100.0 * runs["n_measured"] / per_s).set_axis(runs["n"])
