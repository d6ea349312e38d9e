"""What a reader would forecast of EMAS from its fitted cells and inputs, without a simulator."""

import numpy as np

from perfkit import nulls, published
from perfkit.nulls import Null, constant, log_linear
from perfkit.studies.emas.runs import FITTED, KEY, published_samples, published_values
from perfkit.systems.emas import KINDS, TABLE_6, Parameters, configuration_a

DRUM_PAGES = 1536  # of machine A, Table 1
USERS_A = "mean_users"


def fitted(name):
    """Return a fitted cell's published number."""
    if name not in FITTED:
        raise ValueError(f"{name} is no fitted cell, so no forecast may use it.")
    return published_values().loc[name, "published"]


def machine_a():
    """Return how many times the users of machine B machine A has."""
    return published_samples().loc[USERS_A, "published"] / Parameters().users


def residences_per_s():
    """Return the residences a second: the users' share over the processor time of one."""
    return 10.0 * fitted("user_share") / fitted("cpu")


def preload_ms():
    """Return a preload's time: its pages, the share of them that move, the time of one."""
    moved = fitted("preload_pages") * fitted("prepage_transfers") / 100.0
    return moved * fitted("time_prepaged")


def level(known, asked):
    """Forecast the level by Little's law, of what a residence's fitted parts last together."""
    stay_ms = preload_ms() + fitted("page_wait") + fitted("cpu")
    return np.full(len(asked), residences_per_s() * stay_ms / 1000.0)


def queue(known, asked):
    """Forecast a fifth of all who wait for core, by Little's law, for A's users."""
    waiting = machine_a() * residences_per_s() * fitted("core_queue") / 1000.0
    return np.full(len(asked), waiting / 5.0)


def longest_queue(known, asked):
    """Forecast what a geometric queue of that mean exceeds once in all samples."""
    mean = queue(known, asked)
    return np.log(published.stated(KEY, "samples")) / np.log((1.0 + mean) / mean)


def store(share):
    """Return the rule that forecasts a share of the pages that there are."""

    def rule(known, asked):
        drum = asked["cell"].str.contains("drum")
        return share * np.where(drum, DRUM_PAGES, configuration_a().frames)

    return rule


def elapsed_s(kind):
    """Return an edit's time, which is fitted; of others what they print and wait for.

    Waits go with processor time as in a residence.
    """
    if kind == "edit":
        return fitted("edit_elapsed")
    waits = fitted("core_queue") + fitted("page_wait") + preload_ms()
    means = TABLE_6[kind]
    printing_s = means.output_characters / published.stated(KEY, "terminal_rate")
    return means.cpu_s * (1.0 + waits / fitted("cpu")) + printing_s


def elapsed(known, asked):
    """Forecast the elapsed times of the kinds of command."""
    return [elapsed_s(cell.removesuffix("_elapsed")) for cell in asked["cell"]]


def elapsed_share(known, asked):
    """Forecast the shares of elapsed time."""
    total = {kind: elapsed_s(kind) * TABLE_6[kind].count for kind in KINDS}
    whole = sum(total.values())
    return [100.0 * total[cell.removesuffix("_elapsed_share")] / whole for cell in asked["cell"]]


def by_fitted(name, factor=lambda: 1.0):
    """Return the rule that forecasts a fitted cell, times a factor."""
    return lambda known, asked: np.full(len(asked), fitted(name) * factor())


NULLS = (
    Null(
        "Queuing times",
        "time a residence, ms",
        by_fitted("cpu"),
        "Who uses the processor for so long waits as long for it.",
    ),
    Null("Queuing times", "level, processes", level, "Little's law on the fitted cells."),
    Null("Paging traffic", "pages, percent", constant(50), "Nothing tells: half."),
    Null(
        "Paging traffic",
        "pages, ms",
        by_fitted("time_prepaged"),
        "Written pages move in batches to the drum, as prepaged ones do from it.",
    ),
    Null(
        "Table 4",
        "transitions, percent",
        log_linear("cpu_s"),
        "The more processor time a category allows, the fewer get there: a power law.",
    ),
    Null(
        "Observations",
        "elapsed time, s",
        elapsed,
        "Characters at the terminal's rate, and waits as a residence has them a processor second.",
    ),
    Null("Table 6", "elapsed time, percent", elapsed_share, "The same times, times counts."),
    Null(
        "Table 2",
        "processor, percent",
        by_fitted("user_share", machine_a),
        "As many times B's share as there are times as many users.",
    ),
    Null("Table 3", "mean queue length, processes", queue, "Equal parts of the wait for core."),
    Null("Table 3", "maximum queue length, processes", longest_queue, "Once in 1000 samples."),
    Null("Table 3", "minimum queue length, processes", constant(0), "A queue is empty at times."),
    Null("Table 3", "mean store, pages", store(0.5), "Nothing tells: half of what there is."),
    Null("Table 3", "maximum store, pages", store(1.0), "All that there is."),
    Null("Table 3", "minimum store, pages", store(0.0), "None is left at times."),
)


def with_nulls(card):
    """Return the study's scorecard with its nulls; the allowances of Table 4 are known."""
    factors = published.table(KEY, "table_4", readings=True)[["category", "cpu_s"]]
    cells = "category_" + factors["category"].astype(str)
    return nulls.with_nulls(card, NULLS, factors.assign(item="Table 4", cell=cells))
