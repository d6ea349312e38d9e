"""One visual style: published values are open black circles, ours are coloured lines."""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

PUBLISHED = {"color": "black", "marker": "o", "mfc": "white", "mew": 1.2, "ms": 6, "ls": "none"}
WIDTH_IN = 8.0
AGREEMENT_KINDS = ("predicted", "fitted", "chosen in sight")


def use_style():
    """Set the style of every figure: notebook width, colour-blind safe, titles on the left."""
    sns.set_theme(context="notebook", style="whitegrid", palette="colorblind", font_scale=0.9)
    plt.rcParams.update(
        {
            "figure.figsize": (WIDTH_IN, 4.5),
            "figure.dpi": 90,
            "axes.titlelocation": "left",
            "axes.titleweight": "bold",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
        }
    )


def colours(count):
    """Return that many colours that colour-blind readers can tell apart, in a fixed order."""
    return sns.color_palette("colorblind", count)


def published(ax, x, y, label="published"):
    """Mark published values on axes."""
    ax.plot(x, y, label=label, zorder=5, **PUBLISHED)


def band(ax, x, mean, half_width, colour, label):
    """Draw a simulated curve with its 95 % interval."""
    x, mean, half_width = (np.asarray(v, float) for v in (x, mean, half_width))
    ax.plot(x, mean, color=colour, label=label)
    ax.fill_between(x, mean - half_width, mean + half_width, color=colour, alpha=0.2, lw=0)


def timeline(ax, intervals, colour_of):
    """Draw who is where, a bar an interval, a row a process.

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


def agreement(ax, published_values, ours, kind, title, unit):
    """Draw ours against the published values around the diagonal.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    published_values, ours : array_like of float
        Pairs of which one is missing or infinite are left out.
    kind : array_like of str
        One of AGREEMENT_KINDS each, with a marker of its own.
    title, unit : str
    """
    x, y, kind = _pairs(published_values, ours, kind)
    low, high = 1.05 * min(0.0, x.min(), y.min()), 1.05 * max(0.0, x.max(), y.max())
    if low == high:
        high = 1.0
    ax.plot([low, high], [low, high], color="0.4", lw=1)
    for name, marker, colour in zip(AGREEMENT_KINDS, "os^", colours(3), strict=True):
        chosen = kind == name
        if chosen.any():
            ax.plot(x[chosen], y[chosen], marker, color=colour, ms=5, alpha=0.9, label=name)
    ax.set(
        title=title,
        xlabel=f"published ({unit})",
        ylabel=f"simulated ({unit})",
        xlim=(low, high),
        ylim=(low, high),
    )


def _pairs(x, y, kind):
    """Return the pairs of which both are finite, with their kinds; refuse what can't be drawn."""
    x, y, kind = np.asarray(x, float), np.asarray(y, float), np.asarray(kind)
    others = [name for name in kind.tolist() if name not in AGREEMENT_KINDS]
    if others:
        raise ValueError(f"kind must be {', '.join(AGREEMENT_KINDS)}; {others[0]!r} is not.")
    known = np.isfinite(x) & np.isfinite(y)
    if not known.any():
        raise ValueError("An agreement needs a pair of finite values or more; there is none.")
    return x[known], y[known], kind[known]


def predictions(cells):
    """Draw what fits that are as good predict, as percent off the paper, sorted.

    A bar per cell from the least to the greatest of the fits, a dot for the standing one, and the
    cell's tolerance in grey. What is more than 100 % off ends at the edge; printed zeros and
    claims are left out.

    Parameters
    ----------
    cells : pandas.DataFrame
        As ``perfkit.calibration.committed`` returns with ``predictions=True``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    cells = cells[(cells["kind"] != "claim") & (cells["published"] != 0.0)]
    if cells.empty:
        raise ValueError("No fit predicts a printed number; there is nothing to draw.")
    place = ["item", "cell", "quantity"]
    ours = cells.pivot(index=place, columns="fit", values="ours")
    printed = cells.groupby(place)[["published", "tolerance"]].first().loc[ours.index]
    off = 100.0 * (ours.div(printed["published"], axis=0) - 1.0)
    order = off["standing"].sort_values().index
    tolerance = 100.0 * (printed["tolerance"] / printed["published"].abs())[order]
    ends = off.loc[order].agg(["min", "max"], axis=1).clip(-100.0, 100.0)
    apart = (np.ptp(ours.to_numpy(), axis=1) > printed["tolerance"]).sum()
    figure, ax = plt.subplots(layout="constrained")
    x = np.arange(len(order))
    ax.fill_between(x, -tolerance, tolerance, step="mid", color="0.9", lw=0, label="tolerance")
    ax.vlines(x, ends["min"], ends["max"], color=colours(1)[0], lw=3, label="from fit to fit")
    ax.plot(x, off["standing"][order].clip(-100.0, 100.0), "k.", label="the standing fit")
    ax.set(
        title=f"{ours.shape[1]} fits: {apart} of {len(order)} cells differ by more than tolerance",
        xlabel="cells that no fit saw, sorted",
        ylabel="percent off the paper",
        xticks=[],
        ylim=(-105.0, 105.0),
    )
    ax.legend(loc="upper left")
    return figure


def conclusions(moved, sentences):
    """Draw what becomes of each conclusion when uncertain parameters move.

    A row per conclusion, what survives everything at the top; a column per parameter with which
    one fails that holds as it is, and the worst that becomes of each conclusion at its ends.

    Parameters
    ----------
    moved : pandas.DataFrame
        As ``perfkit.sensitivity.one_at_a_time`` returns.
    sentences : dict of str to str
        By conclusion.

    Returns
    -------
    matplotlib.figure.Figure
    """
    rank = {"holds": 0, "undecided": 1, "fails": 2}
    worst = moved.assign(rank=moved["verdict"].map(rank)).pivot_table(
        "rank", "conclusion", "parameter", "max", sort=False
    )
    own = worst.pop("")
    worst = worst.loc[:, ((worst == 2) & (own == 0).to_numpy()[:, None]).any()]
    worst.insert(0, "as it is", own)
    worst = worst.loc[worst.sum(axis=1).sort_values(kind="stable").index]
    size = (5.5 + 0.34 * worst.shape[1], 1.8 + 0.5 * len(worst))
    figure, ax = plt.subplots(figsize=size, layout="constrained")
    shades = ["0.93", colours(2)[1], "0.15"]
    ax.pcolormesh(
        worst.to_numpy(float), cmap=ListedColormap(shades), vmin=0, vmax=2, edgecolor="white", lw=2
    )
    names = [fill(sentences[name], 52) for name in worst.index]
    ax.set_yticks(np.arange(len(worst)) + 0.5, names, fontsize="small")
    ticks = np.arange(worst.shape[1]) + 0.5
    ax.set_xticks(ticks, worst.columns, rotation=45, ha="right", fontsize="small")
    ax.invert_yaxis()
    ax.grid(False)
    marks = [Patch(facecolor=shade, label=name) for name, shade in zip(rank, shades, strict=True)]
    figure.legend(handles=marks, loc="outside upper right", ncols=3, fontsize="small")
    return figure
