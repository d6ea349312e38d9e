"""What the notebook draws."""

from textwrap import fill

import numpy as np
from matplotlib.colors import ListedColormap

from perfkit.runs.experiment import summarize
from perfkit.show import plots
from studies.across import swapping, today
from studies.across.cases import NAMES
from studies.across.methods import PRICED
from studies.show.captions import Captions

CAPTIONS = Captions("across")
AXES = {  # labels
    "memory": "core for users (programs that fit)",
    "touched": "share of its program that an interaction touches",
    "unit": "bytes per page",
    "positioning": "times of seek and rotation against the RL01",
}
SHORT = dict(
    separate="separate loads", replayed="same load twice", switching="switching",
    tracing="tracing", plan="planned",
)  # fmt: skip


def hours(value):
    """Return hours in words that fit into a field."""
    if value < 1.0:
        return f"{60 * value:.0f} min"
    return f"{value:.1f} h" if value < 10.0 else f"{value:,.0f} h"


def cheapest(best, live):
    """Draw the cheapest method by system and size of effect, of all and of a live machine's."""
    systems, sizes = [*dict.fromkeys(best["system"])], sorted(best["size"].unique())
    methods, tones = [*PRICED], plots.colours(len(PRICED))
    figure, axes = plots.panels(2, height=3.1)
    titles = "If a load can be played twice", "On a live machine each load comes once"
    for ax, frame, title in zip(axes, (best, live), titles, strict=True):
        grid = frame.pivot(index="system", columns="size", values="method").loc[systems]
        ax.pcolormesh(
            grid.map(methods.index).to_numpy(float), cmap=ListedColormap(tones), vmin=-0.5,
            vmax=len(methods) - 0.5, alpha=0.5, edgecolor="white", lw=3,
        )  # fmt: skip
        for row in frame.itertuples():
            at = sizes.index(row.size) + 0.5, systems.index(row.system) + 0.5
            words = f"{SHORT[row.method]}, {hours(row.hours)}"
            ax.text(*at, words, ha="center", va="center", fontsize=11.5)
        ax.set_title(title)
        ax.set_xticks(np.arange(len(sizes)) + 0.5, [f"B {size:g} % better" for size in sizes])
        ax.set_yticks(np.arange(len(systems)) + 0.5, [NAMES[key] for key in systems])
        ax.invert_yaxis()
        ax.grid(False)
    at_5 = best[best["size"] == 5.0].set_index("system")
    words = [f"{NAMES[key]} {PRICED[r.method]}, {hours(r.hours)}" for key, r in at_5.iterrows()]
    return CAPTIONS.picture(figure, "cheapest", at_5_percent=", ".join(words))


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
        shown = x if len(x) < 6 else x[:: 2 if len(x) < 9 else 3]
        ax.set_xticks(shown, [f"{one:,.3g}" if one < 1000 else f"{one:,.0f}" for one in shown])
        ax.minorticks_off()
    for ax in axes[:, 0]:
        ax.set(ylabel="elapsed time (s)")
        ax.set_yticks([200, 500, 1000, 2000], ["200", "500", "1,000", "2,000"])
    axes[0, 1].axvline(swapping.fitting(), color="0.4", lw=1)
    look = {"fontsize": "x-small", "va": "top", "ha": "right"}
    axes[0, 1].text(swapping.fitting(), 2500, " all touched just fit", **look)
    mean_s = rows["touched"].groupby(["way", "touched"])["elapsed_s"].mean().round()
    return CAPTIONS.picture(
        figure,
        "swap_or_page",
        "below",
        swapped_s=mean_s[swapping.SWAPPED, swapping.TOUCHED],
        fifth_s=mean_s[swapping.PAGED, 0.2],
        all_s=mean_s[swapping.PAGED, 1.0],
    )


def fifty_years(rows):
    """Draw what each finding is worth then, today, and today on a busy machine."""
    figure, ax = plots.panels(height=6.4)
    edge, names, looks = 75.0, {}, dict(zip(dict.fromkeys(rows["machine"]), "oD^", strict=True))
    tones = dict(zip(looks, plots.colours(3), strict=True))
    white = {"fc": "white", "lw": 0, "pad": 1}
    ax.axvline(0.0, color="0.3", lw=1)
    for number, (key, own) in enumerate(rows.groupby("system", sort=False)):
        finding = f"{NAMES[key]}: {own['finding'].iloc[0]}"
        ax.text(-edge, 4 * number, finding, weight="bold", fontsize=10, va="center", bbox=white)
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
