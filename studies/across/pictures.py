"""What the notebook draws."""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from perfkit.runs.experiment import summarize
from perfkit.show import plots
from studies.across import swapping, today
from studies.across.cases import NAMES
from studies.across.methods import PRICED, cheapest
from studies.show.captions import Captions

CAPTIONS = Captions("across")
AXES = {  # labels
    "memory": "core for users (programs that fit)",
    "touched": "share of its program that an interaction touches",
    "unit": "bytes per page",
    "positioning": "seek and rotation times, as a share of the RL01's",
}
BOLD = {"weight": "bold", "fontsize": 11, "ha": "right", "va": "center"}
SMALL = {"fontsize": 10, "va": "center"}
WHITE = {"fc": "white", "lw": 0, "pad": 1}
TIED, DEARER = plots.colours(1)[0], "0.45"


def prices(tables, size):
    """Draw what each method costs on each system, from ``methods.prices`` by system."""
    figure, ax = plots.panels(height=8.4)
    ticks, lowest = {}, []
    for number, (key, table) in enumerate(tables.items()):
        top = 6 * number
        ax.text(-0.012, top, NAMES[key], transform=ax.get_yaxis_transform(), **BOLD)
        best = cheapest(table)
        band = [best["low"], best["high"]]
        ax.fill_betweenx([top + 0.5, top + 5.5], *band, color=TIED, alpha=0.15, lw=0)
        lowest.append(f"{NAMES[key]} {PRICED[best.name]}, {best['hours']:.2g} h")
        for at, row in enumerate(table.itertuples(), top + 1):
            struck = "\u0336" if row.biased else ""
            ticks[at] = "".join(letter + struck for letter in PRICED[row.Index])
            if row.biased:
                ax.text(0.07, at, f"\u2715 no price: {row.biased}", **SMALL, color="0.25")
                continue
            tone = TIED if row.tied else DEARER
            ax.plot([row.low, row.high], [at, at], color=tone, lw=2.5)
            face = tone if row.sure else "white"
            ax.plot(row.hours, at, "o", color=tone, mfc=face, mew=1.6, ms=7)
    ax.set(xscale="log", ylim=(top + 5.8, -0.8), xlim=(0.05, 30_000))
    ax.set_yticks([*ticks], [*ticks.values()], fontsize=10)
    ax.set_xticks([0.1, 1, 10, 100, 1000, 10_000], ["6 min", "1", "10", "100", "1,000", "10,000"])
    ax.set_xlabel(f"hours of machine time to find that B is {size:g} % better")
    ax.set_title("What certainty costs", x=-0.28)
    ax.grid(False, axis="y")
    return CAPTIONS.picture(figure, "prices", size=size, half=size / 2, cheapest=", ".join(lowest))


def estimates(found):
    """Draw each method's estimate of B's effect beside the reference, a panel per system."""
    figure, axes = plots.panels(3, 2, height=1.9, sharey=True)
    told = []
    for ax, (key, study) in zip(axes.flat, found.items(), strict=False):
        rows = study.estimates().drop("separate")
        low, high = (rows["estimate"].iloc[0] + k * rows["half_width"].iloc[0] for k in (-1, 1))
        ax.axvspan(low, high, color=TIED, alpha=0.2, lw=0)
        ax.axvline(0.0, color="0.3", lw=1)
        middle = {"transform": ax.get_yaxis_transform(), "ha": "center", "bbox": WHITE}
        ax.text(0.5, 0, "not asked", **middle, **SMALL)
        for at, row in enumerate(rows.itertuples(), 1):
            tone = TIED if at == 1 else "black"
            ax.errorbar(row.estimate, at, xerr=row.half_width, fmt="o", color=tone, ms=5, capsize=3)
        ax.set_title(NAMES[key], fontsize=11)
        ax.set_xlabel(f"{study.case.said[0]}:\n{study.case.said[2]} (%)", fontsize=10)
        ax.grid(False, axis="y")
        told.append(
            f"{NAMES[key]} {rows['estimate'].iloc[0]:.1f} and {rows['estimate'].iloc[1]:.1f}"
        )
    names = ["ratio model", *map(PRICED.get, rows.index)]
    names[1] = "same load twice (reference)"
    axes[0, 0].set_yticks(range(len(names)), names, fontsize=10)
    axes[0, 0].set_ylim(len(names) - 0.5, -0.5)
    axes[-1, -1].set_axis_off()
    return CAPTIONS.picture(figure, "estimates", both="; ".join(told))


def swap_or_page(rows, memory, touched):
    """Draw elapsed time along the four axes, from ``swapping.along``'s rows by axis."""
    figure, axes = plots.panels(2, 2, height=2.7, sharey=True)
    tones = dict(zip(swapping.WAYS, plots.colours(3), strict=True))
    dashes = dict(zip(swapping.WAYS, ("-", "--", ":"), strict=True))
    for ax, (axis, frame) in zip(axes.flat, rows.items(), strict=True):
        means = summarize(frame, ["way", axis], "elapsed_s")
        for way in swapping.WAYS:
            own = means.loc[way]
            x = own.index.to_numpy(float) / (swapping.CLICKS if axis == "memory" else 1.0)
            ax.plot(x, own["elapsed_s"], dashes[way], color=tones[way], label=way, marker=".")
            low, high = (own["elapsed_s"] + s * own["elapsed_s_half_width"] for s in (-1, 1))
            ax.fill_between(x, low, high, color=tones[way], alpha=0.2, lw=0)
        ax.set(xlabel=fill(AXES[axis], 34), xscale="log", yscale="log")
        shown = x if len(x) < 6 else x[:: 2 if len(x) < 9 else 3]
        ax.set_xticks(shown, [f"{one:,.3g}" if one < 1000 else f"{one:,.0f}" for one in shown])
        ax.minorticks_off()
    for ax in axes[:, 0]:
        ax.set(ylabel="elapsed time (s)")
        ax.set_yticks([200, 500, 1000, 2000], ["200", "500", "1,000", "2,000"])
    fits = memory / (swapping.PROCESSES * swapping.CLICKS)
    axes[0, 1].axvline(fits, color="0.4", lw=1)
    look = {"fontsize": "x-small", "va": "top", "ha": "right"}
    axes[0, 1].text(fits, 2500, "what is touched just fits", **look)
    mean_s = rows["touched"].groupby(["way", "touched"])["elapsed_s"].mean()
    seen = [(swapping.SWAPPED, 0.2), (swapping.PAGED, 0.2), (swapping.PAGED, 1.0)]
    words = {"fit": memory / swapping.CLICKS, "touched": 100 * touched, "mean_s": [*mean_s[seen]]}
    return CAPTIONS.picture(figure, "swap_or_page", "below", **words, half=max(2, words["fit"] / 2))


def fifty_years(rows):
    """Draw what each finding is worth then, today, and today on a busy machine."""
    figure, ax = plots.panels(height=6.4)
    edge, names, looks = 75.0, {}, dict(zip(dict.fromkeys(rows["machine"]), "oD^", strict=True))
    tones = dict(zip(looks, plots.colours(3), strict=True))
    ax.axvline(0.0, color="0.3", lw=1)
    for number, (key, own) in enumerate(rows.groupby("system", sort=False)):
        finding = f"{NAMES[key]}: {own['finding'].iloc[0]}"
        ax.text(-edge, 4 * number, finding, weight="bold", fontsize=10, va="center", bbox=WHITE)
        for at, row in enumerate(own.itertuples(), 4 * number + 1):
            kept_busy = f"today, {today.FINDINGS[key][1]}"
            names[at] = kept_busy if row.machine == today.BUSY else row.machine
            beyond = abs(row.gain) > edge
            reach = None if beyond else row.half_width
            x = float(np.clip(row.gain, -edge, edge))
            ax.errorbar(x, at, xerr=reach, fmt=looks[row.machine], color=tones[row.machine], ms=7)
            if beyond:
                side = "right" if x > 0 else "left"
                ax.text(0.94 * x, at, f"{row.gain:+.0f} %", ha=side, va="center", fontsize=10)
    ax.set_yticks([*names], [*names.values()], fontsize=10)
    ax.set(ylim=(4 * number + 3.6, -0.7), xlim=(-edge - 4, edge + 4))
    ax.set_title("What each finding gains: then, today, and today kept busy", x=-0.36)
    ax.set_xlabel("gain of the change (%); left of 0 it costs")
    ax.grid(False, axis="y")
    then = rows[rows["machine"] == today.THEN].set_index("system")["gain"]
    gains = ", ".join(f"{NAMES[key]} {gain:.0f} %" for key, gain in then.items())
    return CAPTIONS.picture(figure, "fifty_years", gains=gains)


def machines(runs, fits):
    """Draw scale's machines: elapsed time by memory and by what else differs between them.

    ``runs`` are those of the design, and with ``fits`` clicks all processes fit.
    """
    figure, axes = plots.panels(1, 2, height=3.6)
    memory, scale = np.linspace(400, 3200, 22), runs["elapsed_s"].quantile([0.02, 0.98])
    scale, fewest = plt.Normalize(*scale), len(runs)
    others = {
        "disc_speed": ("disc speed", "disc speed (RL01 = 1, log scale)", 10),
        "buffers": ("buffers", "buffers (log scale)", 7),
    }
    for ax, (name, (label, words, count)) in zip(axes, others.items(), strict=True):
        edges = np.geomspace(runs[name].min() - 1e-9, runs[name].max(), count)
        fields = [pd.cut(runs[name], edges), pd.cut(runs["memory_clicks"], memory)]
        cells = runs.groupby(fields, observed=False)["elapsed_s"]
        means, fewest = cells.mean().unstack(), min(fewest, cells.size().min())
        shades = ax.pcolormesh(memory, edges, means, cmap="cividis_r", norm=scale)
        ax.axvline(fits, color="black", ls="--", lw=1.5)
        ax.set(xlabel="user memory (64-byte clicks)", ylabel=words, yscale="log")
        ax.set_title(f"By memory and {label}")
        ticks = edges[::3]
        ax.set_yticks(ticks, [f"{tick:.2g}" for tick in ticks])
        ax.minorticks_off()
        ax.grid(False)
    figure.colorbar(shades, ax=axes, label="elapsed time (s)")
    return CAPTIONS.picture(figure, "machines", low=scale.vmin, high=scale.vmax, fewest=fewest)
