"""The forecasts that a reader could make from the fitted cells and inputs, with no simulator."""

import numpy as np
import pandas as pd

from perfkit.systems.emas import TABLE_6, Parameters, configuration_a
from studies.emas.runs import FITTED, KEY, published_samples, published_values
from studies.evidence import nulls, published
from studies.evidence.nulls import Null, constant, log_linear

DRUM_PAGES = 1536  # of machine A, Table 1
KINDS = TABLE_6.items()


def worked_out():
    """Return worked forecasts by item and cell; they use only those results that were fitted."""
    cell = published_values().loc[list(FITTED), "published"]
    residences_per_s = 10.0 * cell["user_share"] / cell["cpu"]
    preload_ms = cell["preload_pages"] * cell["prepage_transfers"] / 100.0 * cell["time_prepaged"]
    stay_ms = preload_ms + cell["page_wait"] + cell["cpu"]
    rate, waits = published.stated(KEY, "terminal_rate"), cell["core_queue"] + stay_ms
    elapsed = {k: c.cpu_s * waits / cell["cpu"] + c.output_characters / rate for k, c in KINDS}
    elapsed["edit"] = cell["edit_elapsed"]
    total = {kind: seconds * TABLE_6[kind].count for kind, seconds in elapsed.items()}
    samples = published_samples()["published"]
    more_users = samples["mean_users"] / Parameters().users
    per_ms = more_users * residences_per_s / 1000.0  # on machine A
    level = residences_per_s * stay_ms / 1000.0
    pages = more_users * level * (cell["preload_pages"] + cell["cpu"] / cell["headway"])
    found = {
        ("Queuing times", "run_queue"): cell["cpu"],
        ("Queuing times", "multiprogramming"): level,
        ("Paging traffic", "time_written"): cell["time_prepaged"],
        ("Table 2", "user_share"): more_users * cell["user_share"],
    }
    found |= {("Observations", f"{kind}_elapsed"): seconds for kind, seconds in elapsed.items()}
    whole = sum(total.values())
    found |= {("Table 6", f"{k}_elapsed_share"): 100.0 * t / whole for k, t in total.items()}
    for name in samples.index:
        which, _, variable = name.partition("_")
        room = DRUM_PAGES if "drum" in variable else configuration_a().frames
        free = variable in ("core_unallocated", "core_unused")
        store = {"mean": room - pages if free else room / 2.0, "maximum": room, "minimum": 0.0}
        wait_ms = cell["cpu"] / 3.0 if variable.startswith("run") else cell["core_queue"] / 5.0
        queue = {"mean": per_ms * wait_ms, "minimum": 0.0}
        queue["maximum"] = longest(samples[f"mean_{variable}"])
        found["Table 3", name] = (queue if "queue" in variable else store)[which]
    return found


def longest(mean):
    """Return the length that a geometric queue of this mean exceeds in one sample."""
    return np.log(published.stated(KEY, "samples")) / np.log1p(1.0 / mean)


REASONS = {
    (
        "Queuing times",
        "time per residence, ms",
    ): "A process waits for the processor as long as it computes.",
    ("Queuing times", "level, processes"): "Little's law on the fitted cells.",
    ("Paging traffic", "pages, ms"): "Pages go to the drum in batches, as prepaged pages come.",
    ("Observations", "elapsed time, s"): "Printing, and a residence's waits by CPU time.",
    ("Table 6", "elapsed time, percent"): "The same times, times counts.",
    ("Table 2", "processor, percent"): "B's share, times the ratio of A's users to B's.",
    ("Table 3", "mean queue length, processes"): "Little's law; one of five queues, or of three.",
    ("Table 3", "maximum queue length, processes"): "Geometric, of its printed mean; 1000 samples.",
    ("Table 3", "minimum queue length, processes"): "A queue is empty at times.",
    ("Table 3", "mean store, pages"): "What residents leave free, by Little's law; else half.",
    ("Table 3", "maximum store, pages"): "The whole capacity.",
    ("Table 3", "minimum store, pages"): "At times none is left.",
}
ALLOWED = "The more processor time a category allows, the rarer it is: a power law."
NULLS = (
    *(Null(*group, lambda known, asked: asked["worked_out"], r) for group, r in REASONS.items()),
    Null("Paging traffic", "pages, percent", constant(50.0), "No information: half."),
    Null("Table 4", "transitions, percent", log_linear("cpu_s"), ALLOWED),
)


def with_nulls(card):
    """Return the study's scorecard with its nulls, which know the allowances of Table 4."""
    found = pd.Series(worked_out(), name="worked_out").rename_axis(["item", "cell"]).reset_index()
    table_4 = published.table(KEY, "table_4", readings=True)[["category", "cpu_s"]]
    cells = "category_" + table_4["category"].astype(str)
    factors = pd.concat([found, table_4.assign(item="Table 4", cell=cells)])
    return nulls.with_nulls(card, NULLS, factors)
