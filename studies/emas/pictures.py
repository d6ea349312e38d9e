"""The notebook's pictures, drawn from frames that the study's functions return."""

import numpy as np
import seaborn as sns

from perfkit.core.wording import short
from perfkit.show import plots
from studies.emas import timeline
from studies.emas.conclusions import CONCLUSIONS, MOVES
from studies.emas.experiments import loaders_in_words, saved_in, savings
from studies.show import charts
from studies.show.captions import Captions

CAPTIONS = Captions("emas")
_, PRELOAD, _, PROCESSOR, PAGE = timeline.PLACES
COLOURS = dict(zip(timeline.PLACES, plots.colours(5), strict=True)) | {PROCESSOR: "black"}
WORDS = {
    "core_queue": "core queue",
    "run_queue": "run queue",
    "page_wait": "page wait",
    "cpu": "processor",
}


def headline(runs, own):
    """Draw the waits with and without fetching ahead, and what it saves, by loaders.

    ``runs`` are ``headline_runs``; the machine with ``own`` loaders is marked.
    """
    figure, (left, right) = plots.panels(1, 2, height=3.6, sharey=True, width_ratios=(1, 1))
    pages, others = plots.colours(2)
    measures = {"page_wait_per_cpu": "waits for pages", "wait_per_cpu": "all waits"}
    counts, told = sorted(runs["preloads_at_once"].unique()), []
    for (measure, label), lift, colour in zip(
        measures.items(), (-0.2, 0.2), (pages, "black"), strict=True
    ):
        for at, (count, (saved, half)) in enumerate(saved_in(runs, measure).items()):
            mark = {"fmt": "o", "color": colour, "capsize": 4, "lw": 2.5}
            right.errorbar(saved, at + lift, xerr=half, **mark)
            text = f"{label.removeprefix('waits for ')} {saved:+.2f}".replace("-", "−")
            where = {"ha": "center", "va": "bottom", "size": 13, "color": colour}
            right.text(saved, at + lift - 0.06, text, weight="bold", **where)
            told.append(f"{label}, {loaders_in_words(count)} {saved:.2f} ± {half:.2f}")
    means = runs.groupby("variant", sort=False)[list(measures)].mean()
    for place, (for_pages, every) in enumerate(means.to_numpy()):
        at, ahead = place // 2 + (-0.2, 0.2)[place % 2], place % 2
        left.barh(at, for_pages, 0.36, color=pages)
        left.barh(at, every - for_pages, 0.36, for_pages, color=others)
        words = {"color": "white", "va": "center", "size": 10, "weight": "bold"}
        left.text(0.2, at, ("on demand", "ahead")[ahead], **words)
        if not place:
            left.text(for_pages + 0.8, at, "core, loader", **words)
    right.axvline(0.0, color="0.3", lw=1.2)
    labels = [loaders_in_words(n) + ("\n(used below)" if n == own else "") for n in counts]
    left.set_yticks(range(len(counts)), labels, size=13)
    left.set_ylim(len(counts) - 0.5, -0.5)
    right.margins(x=0.25)
    for ax, title in ((left, "Waits"), (right, "Saved by fetching ahead")):
        ax.set_title(title, size=14)
        ax.set_xlabel("s per s of computing", size=13)
        ax.grid(False, axis="y")
    return CAPTIONS.picture(
        figure,
        "headline",
        hours=runs["seed"].nunique(),
        own=loaders_in_words(own),
        listed=", ".join(f"{name} {a:.1f} and {b:.1f}" for name, a, b in means.itertuples()),
        told="; ".join(told),
    )


def life(found):
    """Draw where a process is from waking to sleeping, and when each of its pages comes."""
    figure, (strip, ax) = plots.panels(
        2, 1, height=1.9, sharex=True, gridspec_kw={"height_ratios": (1, 3.2)}
    )
    lasts_s = found.ends_s - found.begins_s
    for place, colour in COLOURS.items():
        rows = found.stays[found.stays["place"] == place]
        widths = rows["to_s"] - rows["from_s"]
        # Waits for pages have one colour: the hatch tells preload from page wait in grey.
        look = {"hatch": "///", "ec": "white"} if place == PRELOAD else {}
        strip.barh(0, widths, 0.8, rows["from_s"], color=colour, label=place, lw=0, **look)
    strip.set(yticks=[], xlim=(0, 1.03 * lasts_s))
    strip.set_title("One turn of a command, from wake to sleep")
    strip.grid(False)
    count = 0
    for how, colour in (("prefetched", COLOURS[PRELOAD]), ("demanded", COLOURS[PAGE])):
        rows = found.pages[found.pages["how"] == how]
        at = count + 1 + np.arange(len(rows))
        waits = how == "demanded"
        if waits:
            ax.hlines(at, rows["asked_s"], rows["came_s"], color=colour, lw=3)
        ax.plot(rows["came_s"], at, "D" if waits else "o", color=colour, ms=5, ls="none")
        taken = rows["came_s"] - rows["asked_s"]
        each_ms = 1000.0 * (taken.mean() if waits else taken.max() / max(len(rows), 1))
        told = f"{len(rows)} pages {how},\n{each_ms:.0f} ms each"
        where = {"ha": "right", "va": "center", "color": colour, "weight": "bold"}
        middle = at.mean() if len(rows) else count
        box = {"fc": "white", "ec": "none", "pad": 1}
        ax.text(rows["asked_s"].min() - 0.02 * lasts_s, middle, told, bbox=box, **where)
        count += len(rows)
    ax.set(xlabel="seconds since the process woke", ylabel="pages, in order of arrival")
    ax.set_ylim(0, 1.1 * count)
    sums = (found.stays["to_s"] - found.stays["from_s"]).groupby(found.stays["place"]).sum()
    demanded = (found.pages["how"] == "demanded").sum()
    fetched = len(found.pages) - demanded
    return CAPTIONS.picture(
        figure,
        "life",
        "below",
        wanted=found.wanted,
        there=found.wanted - fetched,
        fetched=fetched,
        wasted=found.wasted,
        demanded=demanded,
        pages=len(found.pages),
        seconds=_listed("Seconds that one process spends from wake to sleep", sums),
    )


def busy_seconds(trace, users, begin_s, seconds=12.0, most=10):
    """Draw a few seconds of a trace, for the processes that are awake longest."""
    begin_s = min(begin_s, trace.records["time_ms"][-1] / 1000.0 - seconds)
    found = timeline.stays(trace, range(users), begin_s, begin_s + seconds)
    lasts = (found["to_s"] - found["from_s"]).groupby(found["process"]).sum()
    found = found[found["process"].isin(lasts.nlargest(most).index)]
    rows = {process: row for row, process in enumerate(sorted(found["process"].unique()))}
    found = found.assign(process=found["process"].map(rows))
    found[["from_s", "to_s"]] -= begin_s
    spent = (found["to_s"] - found["from_s"]).groupby(found["place"]).sum()
    figure, ax = plots.panels(height=3.6)
    charts.timeline(ax, found, COLOURS)
    ax.set(title=f"{len(rows)} processes of machine B", xlim=(0, seconds))
    ax.set_yticks(range(len(rows)), [f"user {process}" for process in rows])
    ax.set_ylabel("")
    return CAPTIONS.picture(
        figure,
        "busy_seconds",
        "below",
        rows=len(rows),
        seconds=seconds,
        spent=_listed(f"Timelines of {len(rows)} processes. Seconds spent", spent),
    )


def bars(caption, title, label, simulated, printed, half_width=None):
    """Draw simulated means as bars and published ones as circles, by name."""
    figure, ax = plots.panels(height=1.4 + 0.2 * len(simulated))
    rows = [WORDS.get(row, row) for row in simulated.index]
    at = [simulated.index.get_loc(row) for row in printed.index]
    colour = plots.colours(1)[0]
    ax.barh(rows, simulated, 0.7, xerr=half_width, color=colour, capsize=3, label="simulated")
    charts.published(ax, printed, at, "the paper")
    ax.invert_yaxis()
    ax.set(title=title, xlabel=label)
    told = _listed(f"Bars of simulated {label}", simulated)
    told += _listed(" Circles, the paper's", printed)
    return CAPTIONS.picture(figure, "bars", "below", caption=caption, listed=told)


def rates(classes, weighted_rate, printed):
    """Draw Figure 5: pages per second and transfer times by kind, against the paging rate."""
    figure, (left, right) = plots.panels(1, 2, height=3.2)
    x = classes["rate"]
    names = {"prepaging": "prefetched", "demand_drum": "demanded from drum"}
    for colour, (kind, name) in zip(plots.colours(2), names.items(), strict=True):
        left.plot(x, classes[kind.removesuffix("_drum")], "o-", color=colour)
        right.plot(x, classes[f"{kind}_ms"], "o-", color=colour, label=name)
    right.plot(x, classes["demand_ms"], "s:", color="0.5", label="demanded, disc too")
    charts.published(right, [weighted_rate] * 2, printed, "the paper's means")
    both = "pages per second, of both kinds"
    left.set(title="Figure 5: pages by kind", xlabel=both, ylabel="pages per second")
    right.set(title="Time per page", xlabel=both, ylabel="ms, log scale", yscale="log")
    right.set_yticks([10, 20, 50, 100, 200, 500], ["10", "20", "50", "100", "200", "500"])
    return CAPTIONS.picture(
        figure,
        "rates",
        "below",
        prefetched=_ends(classes["prepaging"]),
        demands=_ends(classes["demand"]),
        prefetched_ms=_ends(classes["prepaging_ms"]),
        drum_ms=_ends(classes["demand_drum_ms"]),
        demanded_ms=_ends(classes["demand_ms"]),
    )


def saved(loaders, printed_waste):
    """Draw what prefetching saves of page waits and of all waits, against waste, by loaders."""
    figure, axes = plots.panels(1, 2, height=3.2)
    colours = plots.colours(len(loaders))
    waits = {"Waits for pages": "saved", "All waits": "saved_with_core"}
    told = []
    for ax, (title, kind) in zip(axes, waits.items(), strict=True):
        for colour, (count, evidence) in zip(colours, loaders.items(), strict=True):
            found = savings(getattr(evidence, kind))
            plots.paired(
                ax, found["wasted"], found["saved"], found["half_width"], colour,
                loaders_in_words(count) if ax is axes[0] else "",
            )  # fmt: skip
            ax.plot(found["wasted"], found["saved"], "o", color=colour, ms=5)
            least = f"{found['saved'].iloc[0]:.2f} at {found['wasted'].iloc[0]:.0f} % waste"
            told.append(f"{title.lower()}, {loaders_in_words(count)} {least}")
        ax.axvline(printed_waste, color="0.3", ls=":", lw=1.2)
        ax.set(title=title, xlabel="pages never touched (%)")
    axes[0].set_ylabel("seconds saved per second\nof processor time")
    axes[0].text(
        printed_waste + 1, axes[0].get_ylim()[1], "printed limit", va="top", fontsize="small"
    )
    return CAPTIONS.picture(figure, "saved", "below", told="; ".join(told))


def two_readings(cards):
    """Draw how far each fitted cell is off, beside its tolerance, by loaders."""
    figure, ax = plots.panels(height=4.2)
    ax.axvline(0, color="0.3", lw=1)
    told, looks = [], zip(plots.colours(3), "oDs", cards.items(), strict=False)
    for colour, marker, (count, card) in looks:
        size, at = card["published"].abs() / 100.0, range(len(card))
        off = (card["ours"] - card["published"]) / size
        ax.plot(off, at, marker, color=colour, ms=5, label=loaders_in_words(count))
        names, met = card["cell"].str.replace("_", " "), card["reproduced"].astype(bool)
        told.append(
            f"{loaders_in_words(count)} {met.sum()} of {len(card)} (not {', '.join(names[~met])})"
        )
    band = card["tolerance"] / size
    ax.barh(at, 2 * band, 0.9, -band, color="0.9", lw=0, zorder=0, label="the cell's tolerance")
    ax.set_yticks(at, names, fontsize="x-small")
    ax.invert_yaxis()
    ax.set(title="The fitted cells, by loaders", xlabel="simulated against published (%)")
    told = "; ".join(told)
    return CAPTIONS.picture(figure, "two_readings", "below", told=told)


def moves(moved):
    """Draw what the conclusions depend on, with the moves in words."""
    saves = moved[moved["conclusion"] == "prepaging_saves"]
    failing = (saves["verdict"] == "fails").sum()
    caption = (
        "A row is a conclusion that some move changes. A column is a parameter; moved, it makes a"
        " conclusion fail (✘) that holds (✔) for machine B, the baseline. Grey (?): undecided, the"
        f" interval contains both answers. The saving of a twentieth fails with {failing} of"
        f" {len(saves) - 1} moves, whose columns are not drawn. Appendix C has every move."
    )
    return charts.conclusions(moved.replace({"parameter": MOVES}), CONCLUSIONS, caption)


def transitions(card, counts):
    """Draw Table 4's last column, published and simulated, and the matrix of transitions."""
    figure, (left, right) = plots.panels(1, 2, height=3.4, width_ratios=(3, 2))
    at, fitted = np.arange(1, len(card) + 1), card["kind"].to_numpy() == "fitted"
    for chosen, colour, label in zip(
        (~fitted, fitted), plots.colours(2), ("not fitted", "fitted"), strict=True
    ):
        left.bar(at[chosen], card["ours"][chosen], color=colour, label=f"simulated, {label}")
    charts.published(left, at, card["published"], "the paper")
    left.set(title="Table 4: transitions", xlabel="category", ylabel="% of transitions")
    left.set_xticks(at[::2])
    shown = np.log10(np.where(counts > 0, counts, np.nan))
    look = {"cmap": "cividis", "square": True, "xticklabels": False, "yticklabels": False}
    sns.heatmap(shown, ax=right, cbar_kws={"label": "log10 of transitions"}, **look)
    right.set(title="The matrix", xlabel="to category", ylabel="from category")
    for set_ticks in (right.set_xticks, right.set_yticks):
        set_ticks(np.arange(0.5, len(card), 4), range(1, len(card) + 1, 4))
    return CAPTIONS.picture(
        figure,
        "transitions",
        "below",
        cells=len(card),
        busiest=", ".join(card["cell"].str[9:][card["ours"].nlargest(4).index]),
        stays=100 * np.trace(counts) / counts.sum(),
    )


def figure_4(parts, labels, scale):
    """Draw Figure 4's bars of pages, and the heights of the labels in the scan."""
    names = ["drum", "disc", "already in core", "written", "read"]
    shades = dict(zip(names, plots.colours(5), strict=True))
    shades |= {"transferred": shades["drum"], "preloaded": plots.colours(10)[9], "not used": "0.75"}
    shades |= {"removed": shades["written"], "compacted": plots.colours(7)[6]}
    figure, ax = plots.panels(height=4.2)
    for x, (bar, rows) in enumerate(parts.groupby("bar", sort=False)):
        bottom = 0
        for row in rows.itertuples():
            ax.bar(x, row.pages, 0.74, bottom, color=shades[row.part], alpha=0.75)
            thin = row.pages < 0.06 * scale
            if row.pages > 0.01 * scale:
                where = {"x": x - 0.4, "ha": "right"} if thin else {"x": x, "ha": "center"}
                text = row.part.replace(" in", "\nin")
                ax.text(y=bottom + row.pages / 2, s=text, va="center", fontsize=8, **where)
            bottom += row.pages
        found = labels[labels["bar"] == bar]
        legend = "height of this part's label in the scan" if x == 0 else None
        charts.published(ax, np.full(len(found), x + 0.43), found["pages"], legend)
    bars = [name.replace(" ", "\n") for name in parts["bar"].unique()]
    ax.set(title="Figure 4: pages into and out of core", ylabel="pages")
    ax.set_xticks(range(len(bars)), bars, fontsize="small")
    return CAPTIONS.picture(
        figure,
        "figure_4",
        "below",
        scale=scale,
        listed=_listed(
            "Stacked bars of pages, with circles where the scan kept labels",
            parts.set_index(parts["bar"] + ", " + parts["part"])["pages"],
        ),
    )


def stations(frame):
    """Draw Figure 6: entries per residence and mean time at each station, on log scales."""
    figure, axes = plots.panels(1, 2, height=3.6, sharey=True)
    told = {"Entries": "per residence", "Mean time": "ms"}
    for ax, name, (title, label) in zip(axes, frame, told.items(), strict=True):
        ax.plot(frame[name], frame.index, "o", color=plots.colours(1)[0])
        ax.set(title=title, xscale="log", xlabel=f"{label}, log scale")
    axes[0].invert_yaxis()
    return CAPTIONS.picture(
        figure, "stations", listed=_listed("Dots of the mean ms at each station", frame.iloc[:, 1])
    )


def _ends(column):
    """Return the first and the last number of a column in words."""
    return f"{short(column.iloc[0], 2)} to {short(column.iloc[-1], 2)}"


def _listed(what, numbers):
    """Return a sentence that lists named numbers."""
    told = [f"{WORDS.get(name, name)} {short(value, 3)}" for name, value in numbers.items()]
    return f"{what}: {', '.join(told)}."


def commands(session, means, panels):
    """Draw Figure 7: distributions of the times of commands, with the printed means."""
    figure, axes = plots.panels(2, 2, height=2.5)
    mean_s = {}
    for ax, (kind, measure, title) in zip(axes.flat, panels, strict=True):
        seconds = session.loc[session["kind"] == kind, measure]
        mean_s[title] = seconds.mean()
        bins = np.linspace(0, seconds.quantile(0.98), 16)
        weights = np.full(len(seconds), 100 / len(seconds))
        ax.hist(seconds, bins=bins, weights=weights, color=plots.colours(1)[0])
        ax.axvline(seconds.mean(), color="0.3", ls="--", lw=1.5, label="mean of this session")
        ax.axvline(means.loc[kind, measure], color="black", lw=2, label="the paper's mean")
        ax.set(title=title, xlabel="s", ylabel="% of commands")
    return CAPTIONS.picture(
        figure,
        "commands",
        "below",
        listed=_listed("Four histograms with long tails, of times whose means in s are", mean_s),
    )
