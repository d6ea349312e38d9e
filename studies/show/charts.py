"""Scorecards, claims and what conclusions depend on as pictures."""

from textwrap import fill

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from perfkit.show.plots import colours, panels, picture
from perfkit.show.tables import pm
from studies import STUDIES
from studies.evidence import rests, scorecard
from studies.evidence.claims import margins

PUBLISHED = {"color": "black", "marker": "o", "mfc": "white", "mew": 1.2, "ms": 6, "ls": "none"}
WIDEST_PERCENT = 50.0
GREY = "Grey: the tolerance, a row's narrowest and widest. Cells printed as 0 are left out."
COMMITTED = "These runs are committed: they do not follow the parameters above."
IN_SIGHT = "Chosen in sight: a rule was chosen after its answers were seen."
FAR = 100.0  # percent, beyond which a forest plot marks the edge
MARKERS = {"holds": "o", "refuted": "X", "undecided": "D", "misprint": "^"}
TONES = dict(zip(MARKERS, ("#0173b2", "#b35a00", "0.55", "#8a5a9e"), strict=True))


def published(ax, x, y, label="published"):
    """Mark published values on axes."""
    ax.plot(x, y, label=label, zorder=5, **PUBLISHED)


def timeline(ax, intervals, colour_of):
    """Draw who is where, one bar per interval, one row per process.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    intervals : pandas.DataFrame
        Columns ``process``, ``place``, ``from_s``, ``to_s``.
    colour_of : dict
        Place to colour; places without one are left blank.
    """
    for place, colour in colour_of.items():
        chosen = intervals[intervals["place"] == place]
        widths = chosen["to_s"] - chosen["from_s"]
        ax.barh(chosen["process"], widths, 0.7, chosen["from_s"], color=colour, label=place, lw=0)
    ax.set(xlabel="time (s)", ylabel="process", yticks=sorted(intervals["process"].unique()))
    ax.invert_yaxis()
    ax.grid(False, axis="y")


def errors(card, caption, alt=""):
    """Draw how far each cell is off in percent of the paper's, by quantity.

    Fitted and forecast cells of the scorecard are drawn but for published zeros. Filled marks are
    within the cell's own tolerance, open ones are not; grey is each row's tolerance; triangles at
    the edge are beyond 50 %. By default the alternative text says how many of how many are within.
    """
    drawn = card["kind"].isin(["fitted", *scorecard.FORECAST]) & (card["published"] != 0)
    rows = card[drawn & np.isfinite(card["ours"].astype(float))]
    if rows.empty:
        raise ValueError("A picture of errors needs a forecast or fitted cell; there is none.")
    groups = list(dict.fromkeys(rows["quantity"]))
    figure, ax = panels(height=0.9 + 0.27 * len(groups))
    share = 100.0 * rows["tolerance"] / rows["published"].abs()
    for bound, shade in (("max", "0.93"), ("min", "0.85")):
        wide = share.groupby(rows["quantity"]).agg(bound)[groups].to_numpy()
        ax.barh(range(len(groups)), 2 * wide, 0.8, -wide, color=shade, lw=0)
    ax.axvline(0, color="0.4", lw=1)
    tones = dict(zip(("predicted", "chosen in sight", "fitted"), colours(3), strict=True))
    for kind, tone in tones.items():
        for at, quantity in enumerate(groups):
            cells = rows[(rows["kind"] == kind) & (rows["quantity"] == quantity)]
            _strip(ax, cells, at + (-0.18, 0.0, 0.18)[list(tones).index(kind)], tone)
        if (rows["kind"] == kind).any():
            ax.plot([], [], "o", color=tone, ms=5, label=kind)
    edge = WIDEST_PERCENT + 4
    ax.set(
        xlim=(-edge, edge), ylim=(len(groups) - 0.5, -0.5), xlabel="ours against the paper's (%)"
    )
    ax.set_yticks(range(len(groups)), [fill(name, 34) for name in groups], fontsize="small")
    hits = int(rows["reproduced"].sum())
    result = f"{hits} of {len(rows)} cells are within their tolerance"
    caption = f"{caption} {result}: filled. Open marks are not, triangles are beyond the axis."
    caption = f"{caption} {GREY}"
    if "chosen in sight" in set(rows["kind"]):
        caption = f"{caption} {IN_SIGHT}"
    alt = alt or f"Errors in percent, in {len(groups)} groups: {result}."
    return picture(figure, caption, alt, legend="below")


def _strip(ax, rows, height, tone):
    """Draw errors side by side at one height, moved up and down a little so that none is hidden."""
    error = 100.0 * (rows["ours"] - rows["published"]) / rows["published"].abs()
    moved = height + 0.05 * (np.arange(len(rows)) % 3 - 1)
    hit = rows["reproduced"].to_numpy(bool)
    far = {"<": error < -WIDEST_PERCENT, ">": error > WIDEST_PERCENT}
    far["o"] = ~(far["<"] | far[">"])
    for marker, chosen in far.items():
        for face, side in ((tone, hit), ("white", ~hit)):
            here = chosen.to_numpy() & side
            x = error.clip(-WIDEST_PERCENT - 2, WIDEST_PERCENT + 2)[here]
            ax.plot(x, moved[here], marker, mec=tone, mfc=face, ms=4.5, ls="none")


def forest(card, caption, alt=""):
    """Draw claims as a forest plot: how far ours is on the claim's side, with its interval.

    The scorecard's claims with a bound and an interval are drawn, in percent of what was asked;
    beside each stand both numbers in the claim's own units. By default the alternative text counts
    verdicts.
    """
    rows = margins(card[card["kind"] == "claim"])
    rows = rows[np.isfinite(rows["margin"] / rows["percent"])].sort_values(
        "margin", ascending=False, kind="stable"
    )
    if rows.empty:
        raise ValueError("A forest plot needs a claim with a bound and an interval; there is none.")
    figure, ax = panels(height=0.9 + 0.34 * len(rows))
    ax.axvline(0.0, color="0.3", lw=1)
    for at, row in enumerate(rows.itertuples()):
        ends = np.clip([row.margin - row.percent, row.margin + row.percent], -FAR, FAR)
        tone = TONES[row.verdict]
        ax.plot(ends, [at, at], color=tone, lw=2)
        ax.plot(np.clip(row.margin, -FAR, FAR), at, MARKERS[row.verdict], color=tone, ms=6)
        told = f"{pm(row.ours, row.half_width)}; asked {row.asked}"
        ax.text(1.03, at, told, transform=ax.get_yaxis_transform(), va="center", size="x-small")
    for verdict in [name for name in MARKERS if rows["verdict"].eq(name).any()]:
        ax.plot([], [], MARKERS[verdict], color=TONES[verdict], label=verdict)
    names = [fill(name, 44) for name in rows["claim"]]
    ax.set_yticks(range(len(rows)), names, fontsize="x-small")
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlim=(-1.1 * FAR, 1.1 * FAR))
    ax.set_xticks([-FAR, 0, FAR], ["-100\nor less", "0", "100\nor more"], fontsize="small")
    ax.set_xlabel("against | for the claim\n(% of what was asked)", fontsize="small")
    ax.grid(False, axis="y")
    counts = rows["verdict"].value_counts()
    words = ", ".join(f"{count} {name}" for name, count in counts.items())
    words = words if len(counts) > 1 else f"each of them {counts.index[0]}"
    return picture(figure, caption, alt or f"Forest plot of {len(rows)} claims: {words}.", "below")


def conclusions(moved, sentences, caption="", alt=""):
    """Draw what becomes of each conclusion when uncertain parameters move.

    ``moved`` is as ``studies.evidence.sensitivity.one_at_a_time`` returns, ``sentences`` are by
    conclusion. A row per conclusion that some move changes, the others are named in the caption; a
    column per parameter with which one fails that holds at the baseline, and the worst that becomes
    of each conclusion at its ends.
    """
    rank = {"holds": 0, "undecided": 1, "fails": 2}
    worst = moved.assign(rank=moved["verdict"].map(rank)).pivot_table(
        "rank", "conclusion", "parameter", "max", sort=False
    )
    changes = worst.max(axis=1) > 0  # over all moves, drawn or not
    result = f"{(~changes).sum()} of {len(worst)} conclusions hold whatever uncertain number moves"
    firm = "; ".join(sentences[name] for name in worst.index[~changes])
    baseline = worst.pop("")
    worst = worst.loc[:, ((worst == 2) & (baseline == 0).to_numpy()[:, None]).any()]
    worst.insert(0, "baseline", baseline)
    worst = worst.loc[worst[changes].sum(axis=1).sort_values(kind="stable").index]
    figure, ax = panels(height=1.8 + 0.42 * len(worst))
    shades = [TONES[name] for name in ("holds", "undecided", "refuted")]
    drawn = worst.to_numpy(float)
    ax.pcolormesh(drawn, cmap=ListedColormap(shades), vmin=0, vmax=2, edgecolor="white", lw=2)
    for (row, column), value in np.ndenumerate(drawn):
        where = {"ha": "center", "va": "center", "color": "white"}
        ax.text(column + 0.5, row + 0.5, "✔?✘"[int(value)], **where)
    names = [fill(sentences[name], 46) for name in worst.index]
    ax.set_yticks(np.arange(len(worst)) + 0.5, names, fontsize="x-small")
    ticks = np.arange(worst.shape[1]) + 0.5
    words = [name.replace("_", " ") for name in worst.columns]
    ax.set_xticks(ticks, words, rotation=60, ha="right", rotation_mode="anchor", fontsize="x-small")
    ax.invert_yaxis()
    ax.grid(False)
    title = {"x": 0.01, "ha": "left", "weight": "bold", "size": "medium"}
    figure.suptitle("What each conclusion depends on", **title)
    marks = [Patch(facecolor=shade, label=name) for name, shade in zip(rank, shades, strict=True)]
    figure.legend(handles=marks, loc="outside upper right", ncols=3, fontsize="small")
    default = "A column is a parameter with which one of the conclusions drawn fails."
    caption = f"{result}{': ' if firm else ''}{firm}. {caption or default} {COMMITTED}"
    return picture(figure, caption, alt or f"Conclusions by parameters: {result}.")


def ranges():
    """Draw what the headline effect of each study rests on; see ``studies.evidence.rests``."""
    found = {key: rests.rests(key) for key in STUDIES}
    (figure, ax), (colour, wide) = panels(height=1.2 + 0.75 * len(found)), colours(2)
    for place, rows in enumerate(found.values()):
        for what, line, shade in ((rests.OPEN, 9, wide), (rests.FITTED, 4, "0.4")):
            ax.hlines(place, *rows.loc[what, ["low", "high"]], color=shade, lw=line, label=what)
        low, high = rows.loc[rests.AS_FITTED, ["least", "most"]]
        bar = {"xerr": (high - low) / 2.0, "fmt": "o", "capsize": 3, "label": rests.AS_FITTED}
        ax.errorbar((low + high) / 2.0, place - 0.22, color="black", ms=5, **bar)
        if rests.OTHER in rows.index:
            at = rows.loc[rests.OTHER, "low"], place + 0.22
            ax.plot(*at, "D", color=colour, ms=5, label=rests.OTHER)
    ax.axvline(0.0, color="black", lw=1)
    ax.set_xscale("symlog", linthresh=50.0)
    ax.set_xticks((-50, -25, 0, 25, 50, 100, 200))
    ax.xaxis.set_major_formatter("{x:.0f}")
    effects = [f"{key}: {STUDIES[key].conclusions().HEADLINE.effect}" for key in found]
    ax.set_yticks(range(len(found)), [fill(effect, 46) for effect in effects])
    ax.tick_params(axis="y", labelsize="x-small")
    ax.set(title="Does each conclusion survive our guesses?", ylim=(len(found) - 0.5, -0.5))
    ax.set_xlabel("effect (%); right of zero the conclusion holds")
    told = rests.finding()
    caption = (
        f"{told} A bar across zero: the conclusion depends on our choice. Beyond 50: log scale."
    )
    return picture(figure, caption, f"Ranges of five effects. {told}", legend="below")
