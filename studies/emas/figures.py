"""The frames behind the notebook's tables, with their units, and behind Figure 4."""

from operator import itemgetter

import pandas as pd

from perfkit import show
from perfkit.core.wording import short
from perfkit.methods import tracing
from perfkit.methods.tracing.paging import demand_waits
from perfkit.runs import what_if
from perfkit.runs.experiment import interval
from perfkit.systems.emas import KINDS
from studies.emas.experiments import ALL_WAITS, PAGE_WAITS, savings, wait_per_cpu
from studies.emas.runs import STAGES, published_samples, score
from studies.evidence import scorecard

WAITS = "preload and page wait"
PER_S = {"page waits per s of computing": PAGE_WAITS, "all waits per s of computing": ALL_WAITS}
SUMS = (WAITS, *PER_S)
READINGS = {"page waits saved (s per s)": PAGE_WAITS, "all waits saved (s per s)": ALL_WAITS}
UNITS = {
    **dict.fromkeys((*STAGES, "suspended", "headway", WAITS), "ms"),
    **dict.fromkeys(PER_S, "s"),
    "residences_per_s": "1/s",
    "demands": "pages",
    "multiprogramming": "processes",
    "drum_channel": "% busy",
    "demand_disc": "% of demands",
    "commands": "commands",
    "cpu_min": "min",
    "last_ready_s": "s",
}
ENDS = {"_elapsed": "s", "_share": "%"}


def unit_of(name):
    """Return the unit of a simulated value or of its change, empty if it has none."""
    name = name.removeprefix("change of ").removeprefix("+- ").removesuffix(", %")
    if name.startswith("time_"):
        return "ms"
    ends = [unit for end, unit in ENDS.items() if name.endswith(end)]
    return UNITS.get(name, ends[0] if ends else "")


def labelled(name):
    """Return the name of a simulated value in words, with its unit."""
    unit = unit_of(name)
    words = name.removesuffix("_share") if unit == "%" else name.removeprefix("time_")
    return f"{words.replace('_', ' ')}{' (' + unit + ')' if unit else ''}"


def worded(card):
    """Return a scorecard with its cells named in words."""
    return card.assign(cell=card["cell"].str.removeprefix("service_").str.replace("_", " "))


def without_prepaging(prepaged, demand_only, names):
    """Return the means of hours with and without prepaging, and their paired difference.

    One row per value. The sums of the waits stand above the values that are asked for.
    """
    hours = []
    for rows in (prepaged, demand_only):
        per_s = {name: wait_per_cpu(rows, waits) for name, waits in PER_S.items()}
        hours.append(rows.assign(**{WAITS: rows[PAGE_WAITS].sum(axis=1)}, **per_s))
    names = [*SUMS, *names]
    change = hours[1][names] - hours[0][names]
    shown = {
        "with prefetching": hours[0][names].mean().map(lambda mean: short(mean, 3)),
        "on demand only": hours[1][names].mean().map(lambda mean: short(mean, 3)),
        "difference": pd.Series({n: show.pm(*interval(change[n])) for n in names}),
    }
    return pd.DataFrame(shown).rename(index=labelled)


def savings_table(loaders):
    """Return what prepaging saves by loaders and waste: page waits, all waits, executions' time.

    The times of a page, prepaged and demanded, are shown as well. ``loaders`` is the evidence by
    their number.
    """
    found = {}
    for count, evidence in loaders.items():
        saved = {
            "page waits saved (s per s)": evidence.saved,
            "all waits saved (s per s)": evidence.saved_with_core,
            "an execution ends sooner by (s)": evidence.saved_of(itemgetter("execute_elapsed")),
        }
        padded = evidence.padded.groupby("padding_pages")
        found[count] = pd.DataFrame(
            {
                "pages added": padded.size().index,
                "wasted (%)": padded["wasted"].mean(),
                "page prefetched, demanded (ms)": [
                    f"{ms.time_prepaged:.1f}, {ms.time_demand_drum:.1f}"
                    for ms in padded[["time_prepaged", "time_demand_drum"]].mean().itertuples()
                ],
                **{name: _with_half_widths(savings(rows)) for name, rows in saved.items()},
            }
        )
    return pd.concat(found, names=["loaders"]).droplevel(1).reset_index()


def readings_table(readings, fitted):
    """Return how many fitted cells each reading meets, and what prefetching saves under it."""
    found = {}
    for name, evidence in readings.items():
        own, alone = evidence.prepaged, evidence.demand_only
        met = score(fitted, own)["reproduced"].astype(bool)
        found[name] = {"fitted cells met": f"{met.sum()} of {len(met)}"} | {
            heading: show.pm(*interval(wait_per_cpu(alone, waits) - wait_per_cpu(own, waits)))
            for heading, waits in READINGS.items()
        }
    return pd.DataFrame(found).T.rename_axis(index="")


def _with_half_widths(saved):
    """Return each saving with its half-width, in words."""
    pairs = zip(saved["saved"], saved["half_width"], strict=True)
    return pd.Series([show.pm(*pair) for pair in pairs], saved.index)


def changes(rows, names):
    """Return the variants' means, and how each differs from the first over the same seeds."""
    table = what_if.compare(rows, list(names), list(names))
    shown = {}
    for name, heading in names.items():
        shown[heading, "mean"] = table[name]
        pairs = zip(table[f"change of {name}"], table[f"+- {name}"], strict=True)
        shown[heading, "change"] = ["", *[show.pm(*pair) for pair in list(pairs)[1:]]]
    return pd.DataFrame(shown).rename_axis(index="")


def free_core(readings):
    """Return machine A's free core and the processes that wait for core, by reading."""
    names = ["mean_core_unallocated", *(f"mean_core_queue_{i}" for i in range(1, 6))]
    printed = published_samples().loc[names, "published"]
    found = {"printed": [f"{value:.2f}" for value in printed]}
    for reading, e in readings.items():
        found[reading] = [show.pm(*interval(e.sampled[name])) for name in names]
    shown = ["core unallocated, pages", *(f"core queue {i}, processes" for i in range(1, 6))]
    return pd.DataFrame(found, index=shown)


def missed_table(cards):
    """Return the forecast and fitted cells that are missed, by place and quantity."""
    card = worded(scorecard.gather(*cards))
    card = card[card["kind"].isin(["fitted", *scorecard.FORECAST])]
    of = card.groupby(["item", "quantity"], sort=False)["cell"].size()
    gone = card[~card["reproduced"].astype(bool)].groupby(["item", "quantity"], sort=False)["cell"]
    found = pd.DataFrame({"missed": gone.size(), "of": of, "which": gone.agg(", ".join)})
    found = found.reindex(list(dict.fromkeys(zip(card["item"], card["quantity"], strict=True))))
    found = found.dropna(subset="missed").astype({"missed": int})
    return found.rename_axis(index=["place", "quantity"]).reset_index()


def forecasts(card, item):
    """Return the forecast and fitted cells of an item, in words."""
    rows = card[(card["item"] == item) & card["kind"].isin(["fitted", *scorecard.FORECAST])]
    return worded(rows)


def benchmark_table(rows):
    """Return means of the benchmark's runs by machine and load, and B less A over the scripts."""
    names = ["commands", "cpu_min", "last_ready_s", *(f"{kind}_elapsed" for kind in KINDS)]
    told = rows.groupby(["machine", "load"], sort=False)[names].agg(_told).T
    both = rows[rows["load"] == "scripts"].set_index(["machine", "seed"])[names]
    slower = both.xs("B") - both.xs("A")
    told["B less A", "scripts, in pairs"] = slower.apply(_told)
    labels = {"cpu_min": "processor (min)", "last_ready_s": "last script done (s)"}
    return told.rename(index=lambda name: labels.get(name) or labelled(name))


def _told(rows):
    """Return a mean with its half-width in words, empty if the load has no such value."""
    mean, half_width = interval(rows)
    return "" if pd.isna(mean) else show.pm(round(mean, 6), round(half_width, 6))


def paging_parts(trace):
    """Return the parts of Figure 4's bars: pages into and out of core, by their fate.

    Columns ``bar`` and ``part``, labelled as in the figure, and ``pages``. The lowest part of a bar
    comes first.
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
    """Return Figure 4's lower panel in its order: mean page transfer times by kind, in ms.

    *Over all requests* includes requests that found their page in core and took no time. The time
    of a shared page is the mean over the demands that had to wait for one.
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
