"""The notebook's pictures: each is drawn from frames that a study function returns."""

import numpy as np
import seaborn as sns

from perfkit.core.wording import short
from perfkit.runs.experiment import interval
from perfkit.show import plots
from studies.emas import timeline
from studies.emas.conclusions import CONCLUSIONS, MOVES
from studies.emas.experiments import savings
from studies.show import charts
from studies.show.captions import Captions

CAPTIONS = Captions("emas")
_, PRELOAD, _, PROCESSOR, PAGE = timeline.PLACES
COLOURS = dict(zip(timeline.PLACES, plots.colours(5), strict=True)) | {PROCESSOR: "black"}
WORDS = {"core_queue": "core queue", "run_queue": "run queue", "page_wait": "page wait"}
LOADER_WORDS = {1: "one preload at a time", 2: "two side by side"}


def life(found):
    """Draw a life from waking to sleeping: where the process is, and when each page comes."""
    figure, (strip, ax) = plots.panels(
        2, 1, height=1.9, sharex=True, gridspec_kw={"height_ratios": (1, 3.2)}
    )
    lasts_s = found.ends_s - found.begins_s
    for place, colour in COLOURS.items():
        rows = found.stays[found.stays["place"] == place]
        widths = rows["to_s"] - rows["from_s"]
        strip.barh(0, widths, 0.8, rows["from_s"], color=colour, label=place, lw=0)
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
    ax.set(xlabel="seconds since the process woke", ylabel="pages that came")
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
    """Draw where the processes are that are awake longest in a few seconds of a trace."""
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
    ax.set(title="Ten processes of machine B", xlim=(0, seconds))
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


def breakdown(printed, rows, stages):
    """Draw what a residence is made of: the paper's means beside ours."""
    figure, ax = plots.panels(height=2.6)
    for at, name in enumerate(stages):
        mean, half_width = interval(rows[name])
        ax.barh(at, mean, 0.6, xerr=half_width, color=plots.colours(1)[0], capsize=3)
    ax.barh(0, 0, color=plots.colours(1)[0], label="simulated, with 95 % interval")
    charts.published(ax, printed.loc[list(stages), "published"], range(len(stages)), "the paper")
    names = [WORDS.get(name, name) for name in stages]
    ax.set_yticks(range(len(stages)), ["processor" if n == "cpu" else n for n in names])
    ax.invert_yaxis()
    ax.set(title="Queueing times: most of a residence is waiting", xlabel="ms per residence")
    return CAPTIONS.picture(
        figure,
        "breakdown",
        "below",
        listed=_listed(
            "Bars of mean ms per residence, with the paper's as circles", rows[[*stages]].mean()
        ),
    )


def rates(classes, weighted_rate, printed):
    """Draw Figure 5: pages per second by kind, and transfer times, along the paging rate."""
    figure, (left, right) = plots.panels(1, 2, height=3.2)
    x = classes["rate"]
    names = {"prepaging": "prefetched", "demand_drum": "demanded from drum"}
    for colour, (kind, name) in zip(plots.colours(2), names.items(), strict=True):
        left.plot(x, classes[kind.removesuffix("_drum")], "o-", color=colour)
        right.plot(x, classes[f"{kind}_ms"], "o-", color=colour, label=name)
    right.plot(x, classes["demand_ms"], "s:", color="0.5", label="demanded, disc too")
    charts.published(right, [weighted_rate] * 2, printed, "the paper's means")
    both = "pages per second, of both kinds"
    left.set(title="Pages by kind", xlabel=both, ylabel="pages per second")
    right.set(title="Time per page", xlabel=both, ylabel="ms, log scale", yscale="log")
    right.set_yticks([10, 20, 50, 100, 200, 500], ["10", "20", "50", "100", "200", "500"])
    return CAPTIONS.picture(
        figure,
        "rates",
        "below",
        prefetched_ms=_ends(classes["prepaging_ms"]),
        drum_ms=_ends(classes["demand_drum_ms"]),
        demanded_ms=_ends(classes["demand_ms"]),
    )


def saved(loaders, printed_waste):
    """Draw what prefetching saves of page waits, and of all waits, against its waste, by loader."""
    figure, axes = plots.panels(1, 2, height=3.2)
    waits = {"For pages alone": "saved", "For core and the loader too": "saved_with_core"}
    told = []
    for ax, (title, kind) in zip(axes, waits.items(), strict=True):
        for colour, (count, evidence) in zip(plots.colours(2), loaders.items(), strict=False):
            found = savings(getattr(evidence, kind))
            plots.paired(
                ax, found["wasted"], found["saved"], found["half_width"], colour,
                LOADER_WORDS[count] if ax is axes[0] else "",
            )  # fmt: skip
            ax.plot(found["wasted"], found["saved"], "o", color=colour, ms=5)
            told.append(f"{title.lower()}, {LOADER_WORDS[count]} {found['saved'].iloc[0]:.2f}")
        ax.axvline(printed_waste, color="0.3", ls=":", lw=1.2)
        ax.set(title=title, xlabel="pages never touched (%)")
    axes[0].set_ylabel("seconds saved per second\nof processor time")
    axes[0].text(
        printed_waste + 1, axes[0].get_ylim()[1], "printed limit", va="top", fontsize="small"
    )
    return CAPTIONS.picture(figure, "saved", "below", told="; ".join(told))


def two_readings(cards):
    """Draw how far each fitted cell is off, in its own tolerance, under either loader."""
    figure, ax = plots.panels(height=4.2)
    ax.axvline(0, color="0.3", lw=1)
    told = []
    for colour, marker, (count, card) in zip(plots.colours(2), "oD", cards.items(), strict=False):
        size, at = card["published"].abs() / 100.0, range(len(card))
        off = (card["ours"] - card["published"]) / size
        ax.plot(off, at, marker, color=colour, ms=5, label=LOADER_WORDS[count])
        names, met = card["cell"].str.replace("_", " "), card["reproduced"].astype(bool)
        told.append(
            f"{LOADER_WORDS[count]} {met.sum()} of {len(card)} (missed: {', '.join(names[~met])})"
        )
    band = card["tolerance"] / size
    ax.barh(at, 2 * band, 0.9, -band, color="0.9", lw=0, zorder=0, label="the cell's tolerance")
    ax.set_yticks(at, names, fontsize="x-small")
    ax.invert_yaxis()
    ax.set(title="The fitted cells, under either loader", xlabel="ours against the paper's (%)")
    told = "; ".join(told)
    return CAPTIONS.picture(figure, "two_readings", "below", told=told)


def moves(moved):
    """Draw what the conclusions hang on, with the moves in words."""
    saves = moved[moved["conclusion"] == "prepaging_saves"]
    failing = (saves["verdict"] == "fails").sum()
    caption = (
        "A column is a parameter, moved as its name says, that makes a conclusion fail which holds"
        " in the first column, the machine as it is. Orange: undecided, the interval holds both"
        f" answers. The last row does not hold as it is; it fails with {failing} moves, nearly all"
        " without a column. One loader makes nothing fail. Appendix C has every move."
    )
    alt = f"Grid of {len(CONCLUSIONS)} conclusions by moves: {', '.join(MOVES.values())}."
    return charts.conclusions(moved.replace({"parameter": MOVES}), CONCLUSIONS, caption, alt)


def supervisor(pie):
    """Draw Figure 3: the services' shares of the supervisor's time."""
    figure, ax = plots.panels(height=3.6)
    ax.barh(pie.index, pie["simulated"], color=plots.colours(1)[0], label="simulated")
    charts.published(ax, pie["published"], pie.index, "Table 2's seconds")
    ax.set(title="Figure 3: the supervisor mostly moves pages", xlabel="% of supervisor time")
    first, second = pie["published"].nlargest(2).index
    return CAPTIONS.picture(figure, "supervisor", "below", first=first, second=second)


def transitions(card, counts):
    """Draw Table 4's last column beside ours, and the matrix of transitions."""
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
    """Draw Figure 4's bars of pages, with the heights at which the scan kept their labels."""
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


def transfer_panel(panel, printed):
    """Draw Figure 4's lower panel: mean transfer times by kind."""
    figure, ax = plots.panels(height=2.8)
    ax.barh(panel.index, panel, color=plots.colours(1)[0], label="simulated, one session")
    charts.published(ax, printed, printed.index, "the paper")
    ax.invert_yaxis()
    ax.set(title="Figure 4, lower panel: mean transfer times", xlabel="ms")
    return CAPTIONS.picture(
        figure,
        "transfer_panel",
        "below",
        listed=_listed("Bars of mean transfer times in ms", panel),
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
    """Return the first and the last of some numbers in words."""
    return f"{short(column.iloc[0], 2)} to {short(column.iloc[-1], 2)}"


def _listed(what, numbers):
    """Return a sentence that lists named numbers."""
    told = [f"{WORDS.get(name, name)} {short(value, 3)}" for name, value in numbers.items()]
    return f"{what}: {', '.join(told)}."


def commands(session, means, panels):
    """Draw Figure 7: how the times of commands are distributed, with the printed means."""
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
