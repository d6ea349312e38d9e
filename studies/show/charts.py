"""Scorecards, claims and what conclusions hang on as pictures."""

from textwrap import fill

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from perfkit.show.plots import colours, panels, picture
from studies import STUDIES
from studies.evidence import rests, scorecard
from studies.evidence.claims import margins

PUBLISHED = {"color": "black", "marker": "o", "mfc": "white", "mew": 1.2, "ms": 6, "ls": "none"}
WIDEST_PERCENT = 50.0
GREY = "Grey: the tolerance, a row's narrowest and widest. Cells printed as 0 are left out."
IN_SIGHT = "Chosen in sight: a rule was chosen after its answers were seen."
FAR = 9.0  # half-widths, beyond which a forest plot marks the edge
VERDICT_MARKERS = {"holds": "o", "refuted": "X", "undecided": "D", "misprint": "^"}


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

    The scorecard's claims with a bound and an interval are drawn, in half-widths of their
    intervals: what is more than 1 from the line is decided. By default the alternative text counts
    verdicts.
    """
    rows = margins(card[card["kind"] == "claim"])
    rows = rows[np.isfinite(rows["margin"] / rows["half_width"])]
    if rows.empty:
        raise ValueError("A forest plot needs a claim with a bound and an interval; there is none.")
    margin = (rows["margin"] / rows["half_width"]).clip(-FAR, FAR)
    order = np.argsort(-margin.to_numpy(), kind="stable")
    figure, ax = panels(height=0.8 + 0.3 * len(rows))
    ax.axvline(0.0, color="0.3", lw=1)
    tones = dict(zip(VERDICT_MARKERS, [*colours(4)], strict=True))
    for at, place in enumerate(order):
        verdict = rows["verdict"].iloc[place]
        x = margin.iloc[place]
        if abs(x) < FAR:
            ax.plot([x - 1, x + 1], [at, at], color=tones[verdict], lw=2)
        ax.plot(x, at, VERDICT_MARKERS[verdict], color=tones[verdict], ms=6)
    for verdict, marker in VERDICT_MARKERS.items():
        if rows["verdict"].eq(verdict).any():
            ax.plot([], [], marker, color=tones[verdict], label=verdict)
    names = [fill(rows["claim"].iloc[place], 52) for place in order]
    ax.set_yticks(range(len(order)), names, fontsize="x-small")
    ax.set(ylim=(len(order) - 0.5, -0.5), xlim=(-FAR - 1, FAR + 1))
    ax.set_xticks([-FAR, -6, -3, 0, 3, 6, FAR], ["beyond", -6, -3, 0, 3, 6, "beyond"])
    ax.set_xlabel("against the claim | for the claim\n(half-widths of our 95 % interval)")
    ax.grid(False, axis="y")
    counts = rows["verdict"].value_counts()
    words = ", ".join(f"{count} {name}" for name, count in counts.items())
    words = words if len(counts) > 1 else f"each of them {counts.index[0]}"
    return picture(figure, caption, alt or f"Forest plot of {len(rows)} claims: {words}.", "below")


def predictions(cells, caption="", alt=""):
    """Draw what fits that are as good predict, as percent off the paper, sorted.

    ``cells`` are as ``studies.evidence.calibration.committed`` returns with ``predictions=True``. A
    bar per cell over the fits, a dot for the standing one, cut at 100 %; no published zeros. By
    default the words say in how many cells the fits differ by more than the tolerance.
    """
    cells = cells[cells["kind"].isin(scorecard.FORECAST) & (cells["published"] != 0.0)]
    if cells.empty:
        raise ValueError("A picture of predictions needs a forecast cell; there is none.")
    size = cells["published"].abs() / 100.0
    cells = cells.assign(gap=(cells["ours"] - cells["published"]) / size)
    place = ["item", "cell", "quantity", cells["tolerance"] / size]
    gap = cells.set_index([*place, "fit"])["gap"].unstack().sort_values("standing", kind="stable")
    band, fits = gap.index.get_level_values(3).to_numpy(), gap.shape[1]
    apart = int((np.ptp(gap.to_numpy(), axis=1) > band).sum())
    gap, x = gap.clip(-100.0, 100.0), np.arange(len(gap))
    figure, ax = panels()
    ax.fill_between(x, -band, band, step="mid", color="0.9", lw=0, label="tolerance")
    ax.vlines(x, gap.min(axis=1), gap.max(axis=1), colours(1)[0], lw=3, label="from fit to fit")
    ax.plot(x, gap["standing"], "k.", ms=4, label="the standing fit")
    ax.set(xlabel="cells that no fit saw, sorted", xticks=[], ylim=(-105.0, 105.0))
    ax.set(ylabel="ours against the paper's (%)")
    result = f"{fits} fits differ by more than the tolerance in {apart} of {len(gap)} cells."
    result = result if fits > 1 else f"No other fit is as good; {len(gap)} cells of this one."
    return picture(figure, caption or result, alt or f"Predictions: {result}", legend="below")


def conclusions(moved, sentences, caption="", alt=""):
    """Draw what becomes of each conclusion when uncertain parameters move.

    ``moved`` is as ``studies.evidence.sensitivity.one_at_a_time`` returns, ``sentences`` are by
    conclusion. A row per conclusion, what survives everything at the top; a column per parameter
    with which one fails that holds as it is, and the worst that becomes of each conclusion at its
    ends. By default the words say how many conclusions survive every move.
    """
    rank = {"holds": 0, "undecided": 1, "fails": 2}
    worst = moved.assign(rank=moved["verdict"].map(rank)).pivot_table(
        "rank", "conclusion", "parameter", "max", sort=False
    )
    firm = int((worst.max(axis=1) == 0).sum())  # over all moves, drawn or not
    as_it_is = worst.pop("")
    worst = worst.loc[:, ((worst == 2) & (as_it_is == 0).to_numpy()[:, None]).any()]
    worst.insert(0, "as it is", as_it_is)
    worst = worst.loc[worst.sum(axis=1).sort_values(kind="stable").index]
    figure, ax = panels(height=1.6 + 0.42 * len(worst))
    shades = ["0.93", colours(2)[1], "0.15"]
    ax.pcolormesh(
        worst.to_numpy(float), cmap=ListedColormap(shades), vmin=0, vmax=2, edgecolor="white", lw=2
    )
    names = [fill(sentences[name], 46) for name in worst.index]
    ax.set_yticks(np.arange(len(worst)) + 0.5, names, fontsize="x-small")
    ticks = np.arange(worst.shape[1]) + 0.5
    words = [name.replace("_", " ") for name in worst.columns]
    ax.set_xticks(ticks, words, rotation=60, ha="right", rotation_mode="anchor", fontsize="x-small")
    ax.invert_yaxis()
    ax.grid(False)
    title = {"x": 0.01, "ha": "left", "weight": "bold", "size": "medium"}
    figure.suptitle("What each conclusion hangs on", **title)
    marks = [Patch(facecolor=shade, label=name) for name, shade in zip(rank, shades, strict=True)]
    figure.legend(handles=marks, loc="outside upper right", ncols=3, fontsize="small")
    result = f"{firm} of {len(worst)} conclusions hold whatever uncertain parameter moves."
    default = f"{result} A column is a parameter with which one fails."
    return picture(figure, caption or default, alt or f"Conclusions by parameters: {result}")


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
