"""The TSS/360 notebook's other pictures: Figures 2 and 8 to 13, and Table 5's correlations."""

import numpy as np
import pandas as pd

from perfkit.show import plots
from studies.evidence import published
from studies.show.captions import Captions
from studies.tss360 import experiments, pictures, scoring
from studies.tss360.demands import KEY, figure_2_law

CAPTIONS = Captions("tss360")
FAULTS = np.arange(0, 80, 8)


def histograms(transactions):
    """Draw Figure 8: responses of typical transactions, in thirds by their minute's mean."""
    typical = transactions[transactions["typical"]]
    minute = [typical["day"], (typical["end_s"] // 60).astype(int)]
    mean = typical.groupby(minute)["response_s"].transform("mean")
    thirds = pd.qcut(mean, 3, labels=["fastest", "middle", "slowest"])
    figure, axes = plots.panels(1, 3, 2.6, sharey=True)
    groups = typical.groupby(thirds, observed=True)
    for ax, tone, (third, own) in zip(axes, plots.colours(3), groups, strict=False):
        weights = np.full(len(own), 100 / len(own))
        ax.hist(own["response_s"], np.arange(0, 21, 1), weights=weights, color=tone)
        ax.set_title(f"{third} minutes:\n{own['response_s'].mean():.1f} s", fontsize="medium")
        ax.set(xlabel="response (s)")
    axes[0].set_ylabel("% of transactions")
    return CAPTIONS.picture(figure, "histograms")


def frames(survey):
    """Draw Figures 9, 10 and 11."""
    figure, axes = plots.panels(2, 2, 2.7)
    drawn = {
        "P_a": "Figure 9: available frames P_a",
        "P_s": "Figure 9: sharable frames P_s",
        "r_s": "Figure 10: sharable reclaims (1/s)",
        "r_p": "Figure 11: private reclaims (1/s)",
    }
    for ax, (name, title) in zip(axes.flat, drawn.items(), strict=True):
        pictures.scatter(ax, survey, "N_d", name, pictures.LOADS, title, pictures.TASKS)
    axes[0, 0].axhline(10, color="black", ls="--", lw=1, label="inventory threshold")
    axes[0, 1].hlines(64, 4, 6, color="black", lw=3, alpha=0.5, label="published")
    axes[1, 1].hlines(0.0, 3, 6, color="black", lw=4, alpha=0.5, clip_on=False)
    return CAPTIONS.picture(figure, "frames", "below")


def overhead(survey):
    """Draw Figures 12 and 13."""
    figure, axes = plots.panels(1, 3, 3.0)
    tasks = ("N_d", pictures.LOADS, pictures.TASKS)
    drawn = {
        "Figure 12:\nprograms p_v": ("p_v", *tasks),
        "Figure 12:\noverhead p_o": ("p_o", *tasks),
        "Figure 13:\noverhead p_o": ("p_o", "r_pf", FAULTS, "page faults (1/s)"),
    }
    for ax, (title, (y, x, edges, label)) in zip(axes, drawn.items(), strict=True):
        pictures.scatter(ax, survey, x, y, edges, title, label)
    axes[0].set_ylabel("share of the processor")
    axes[1].hlines(0.6, 4, 5, color="black", lw=4, alpha=0.5, label="published")
    for ax in axes:
        ax.set_ylim(0, 1)
    return CAPTIONS.picture(figure, "overhead", "below")


def correlations(card):
    """Draw Table 5, published against simulated; equal published values lie side by side."""
    blocks = published.table(KEY, "table_5")["block"].to_numpy()
    names = {1: "queues, processor, P_eav", 2: "frames, reclaims, faults", 3: "slice ends"}
    ends = card["cell"].str.endswith("R*")
    twins = card.groupby("published")["cell"].transform("size")
    aside = card.groupby("published").cumcount() - 0.5 * (twins - 1)
    figure, ax = plots.panels(height=4.6)
    ax.plot([-1, 1], [-1, 1], color="0.4", lw=1)
    ax.fill_between([-1, 1], [-1.2, 0.8], [-0.8, 1.2], color="0.93", lw=0, label="within 0.2")
    for (block, name), tone, marker in zip(names.items(), plots.colours(3), "os^", strict=True):
        for filled in (False, True):
            own = (blocks == block) & (ends == filled)
            x, y, reach = card["published"] + 0.012 * aside, card["ours"], card["half_width"]
            look = {"fmt": marker, "ms": 6, "color": tone, "elinewidth": 0.8}
            look |= {"mfc": tone, "label": name} if filled else {"mfc": "white"}
            ax.errorbar(x[own], y[own], reach[own], **look)
    for face, label in (("0.3", "with response R*"), ("white", "between other variables")):
        ax.plot([], [], "D", mec="0.3", mfc=face, ms=6, label=label)
    ticks = np.arange(-1, 1.1, 0.5)
    ax.set(
        xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), xlabel="published correlation", ylabel="simulated"
    )
    ax.set(xticks=ticks, yticks=ticks, title="Table 5: correlations, ours against the paper's")
    right, clear = scoring.signs(card)
    return CAPTIONS.picture(figure, "correlations", "right", right=right, clear=clear)


def paging(transactions):
    """Draw Figure 2: paging rate against processing time, by transaction."""
    rates, law = experiments.paging_rates(transactions), figure_2_law().loc["old_old"]
    sample = transactions[transactions["page_reads"] > 0]
    sample = sample.sample(min(1500, len(sample)), random_state=0)
    figure, ax = plots.panels(height=3.4)
    ax.loglog(sample["cpu_s"], sample["page_rate"], ".", ms=3, color="0.7", label="transactions")
    ax.loglog(rates["C"], rates["S"], "o-", color=plots.colours(1)[0], label="simulated, means")
    span = np.array([0.002, 100])
    line = 1e4 * (span / 0.002) ** law["slope"]
    ax.loglog(span, line, ":", color="0.2", label="through the point, with Table 6")
    plots.published(ax, [0.002], [10_000])
    ax.axhline(100, color="0.5", lw=0.8)
    ax.set(xlabel="processing time C (s)", ylabel="page reads per second S")
    return CAPTIONS.picture(figure, "paging", "below")
