"""What the notebook draws."""

from textwrap import fill

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from perfkit import plots
from perfkit.experiment import summarize
from perfkit.studies.across import swapping
from perfkit.studies.across.methods import PRICED

AXES = {  # label, and whether to draw it logarithmic
    "memory": "core for users (programs that fit)",
    "touched": "share of its program that an interaction touches",
    "unit": "bytes per page",
    "positioning": "times of seek and rotation against the RL01",
}
SHORT = dict(
    separate="separate loads", replayed="same load twice", switching="switching",
    tracing="tracing", plan="covariate",
)  # fmt: skip


def hours(value):
    """Return hours in words that fit into a field."""
    if value < 1.0:
        return f"{60 * value:.0f} min"
    return f"{value:.1f} h" if value < 10.0 else f"{value:,.0f} h"


def cheapest(best, live):
    """Draw the cheapest method by system and size of effect; below it the cheapest that is live."""
    systems, sizes = [*dict.fromkeys(best["system"])], sorted(best["size"].unique())
    methods, tones = [*PRICED], plots.colours(len(PRICED))
    grid = best.pivot(index="system", columns="size", values="method").loc[systems]
    numbers = grid.map(methods.index).to_numpy(float)
    figure, ax = plots.panels(height=4.6)
    ax.pcolormesh(
        numbers, cmap=ListedColormap(tones), vmin=-0.5, vmax=len(methods) - 0.5, alpha=0.55,
        edgecolor="white", lw=3,
    )  # fmt: skip
    for frame, lift, look in ((best, 0.3, {"weight": "bold"}), (live, 0.72, {"style": "italic"})):
        for row in frame.itertuples():
            at = sizes.index(row.size) + 0.5, systems.index(row.system) + lift
            told = f"{SHORT[row.method]}\n{hours(row.hours)}"
            ax.text(*at, told, ha="center", va="center", fontsize=8, **look)
    ax.set_xticks(np.arange(len(sizes)) + 0.5, [f"{size:g} %" for size in sizes])
    ax.set_yticks(np.arange(len(systems)) + 0.5, systems)
    ax.set(xlabel="how much better B is")
    ax.invert_yaxis()
    ax.grid(False)
    used = [method for method in methods if (grid == method).any().any()]
    marks = [Patch(fc=tones[methods.index(m)], alpha=0.55, label=PRICED[m]) for m in used]
    figure.legend(handles=marks, loc="outside lower center", ncols=2, fontsize="small")
    at_5 = best[best["size"] == 5.0].set_index("system")
    told = ", ".join(f"{key} {PRICED[r.method]}, {hours(r.hours)}" for key, r in at_5.iterrows())
    return plots.picture(
        figure,
        "Machine time to find that B is better, 95 % confidence, power 90 %. Bold: the cheapest"
        " method of all. Slanted: the cheapest where a load comes only once, on a live machine.",
        f"Cheapest method by system and effect. For 5 %: {told}.",
    )


def swap_or_page(rows):
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
        ax.set_xticks(*_ticks(x))
        ax.minorticks_off()
    for ax in axes[:, 0]:
        ax.set(ylabel="elapsed time (s)")
        ax.set_yticks([200, 500, 1000, 2000], ["200", "500", "1,000", "2,000"])
    axes[0, 1].axvline(swapping.fitting(), color="0.4", lw=1)
    axes[0, 1].text(
        swapping.fitting(), 2500, " all touched just fit", fontsize="x-small", va="top", ha="right"
    )
    told = rows["touched"].groupby(["way", "touched"])["elapsed_s"].mean().round()
    return plots.picture(
        figure,
        "Twelve programs of 20 KB, 200 interactions each. Above: four programs fit unless the axis"
        " says otherwise. Below: two fit. An interaction touches 30 % of its program unless the"
        " axis says otherwise. Bands are 95 % intervals.",
        "Elapsed time of swapping, paging and prepaging along memory, locality, page size and the"
        f" disc's positioning. Swapped {told[swapping.SWAPPED, 0.3]:.0f} s; paged"
        f" {told[swapping.PAGED, 0.2]:.0f} s where a fifth is touched and"
        f" {told[swapping.PAGED, 1.0]:.0f} s where all is.",
        legend="below",
    )


def _ticks(x):
    shown = x if len(x) < 6 else x[:: 2 if len(x) < 9 else 3]
    return shown, [f"{one:,.3g}" if one < 1000 else f"{one:,.0f}" for one in shown]


def fifty_years(rows):
    """Draw what each finding is worth then, today, and today on a busy machine."""
    systems = [*dict.fromkeys(rows["system"])]
    figure, ax = plots.panels(height=3.9)
    looks = dict(zip(dict.fromkeys(rows["machine"]), "oD^", strict=True))
    edge = 70.0
    ax.axvline(0.0, color="0.3", lw=1)
    for number, (machine, marker) in enumerate(looks.items()):
        own = rows[rows["machine"] == machine]
        at = [systems.index(key) + 0.22 * (number - 1) for key in own["system"]]
        x = own["gain"].clip(-edge, edge)
        reach = own["half_width"].where(own["gain"].abs() < edge, 0.0)
        tone = plots.colours(3)[number]
        ax.errorbar(x, at, xerr=reach, fmt=marker, color=tone, ms=6, label=machine)
        for place, gain in zip(at, own["gain"], strict=True):
            if abs(gain) > edge:
                side = "right" if gain > 0 else "left"
                ax.text(
                    np.sign(gain) * 66,
                    place,
                    f"{gain:+.0f} %",
                    ha=side,
                    va="center",
                    fontsize="x-small",
                )
    finding = rows.drop_duplicates("system")["finding"]
    names = [fill(f"{key}: {told}", 30) for key, told in zip(systems, finding, strict=True)]
    ax.set_yticks(range(len(systems)), names, fontsize="x-small")
    ax.set(ylim=(len(systems) - 0.5, -0.5), xlim=(-edge - 6, edge + 6))
    ax.set_xlabel("what the change gains (%)")
    ax.grid(False, axis="y")
    then = rows[rows["machine"] == "then"].set_index("system")["gain"]
    told = ", ".join(f"{key} {gain:.0f} %" for key, gain in then.items())
    return plots.picture(
        figure,
        "Gain in percent, 95 % intervals over the same seeds; numbers at the edge lie beyond it.",
        f"Gains then and today. Then: {told}.",
        legend="below",
    )
