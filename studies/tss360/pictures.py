"""The TSS/360 notebook's pictures: the paper's lost figures, rebuilt from simulated afternoons."""

import numpy as np
import pandas as pd

from perfkit.runs.experiment import interval
from perfkit.show import plots
from studies.show.captions import Captions
from studies.tss360 import derivations, experiments
from studies.tss360.runs import CELLS, table_6, transactions_of

CAPTIONS = Captions("tss360")
TASKS = "dispatchable tasks N_d"
ESTIMATE = "estimate P_eav (frames)"
LIMIT = 24  # frames, P_max of typical transactions
LOADS, ESTIMATES = np.arange(0, 6.5, 0.5), np.arange(0, 150, 12)
SLOWEST_S = 20.0  # responses drawn


def tuning(evidence):
    """Draw the response in the four cells, and the effect of each change."""
    figure, (left, right) = plots.panels(1, 2, 3.4, width_ratios=(3, 2))
    periods = evidence.usual
    tones = dict(zip(("old", "new"), plots.colours(2), strict=True))
    for place, cell in enumerate(CELLS):
        own = periods.loc[periods["cell"] == cell, "R"]
        schedule, replacement = cell.split("_")
        x = place + np.linspace(-0.22, 0.22, max(len(own), 2))[: len(own)]
        left.plot(x, own, ".", color=tones[schedule], alpha=0.6, label="quarters of an hour")
        mean = evidence.means.xs(cell, level="cell")["R"].mean()
        ends = [place - 0.3, place + 0.3]
        left.plot(ends, [mean] * 2, color=tones[schedule], lw=3, label="our mean")
        if place % 2:
            left.text(place - 0.5, 0.3, f"{replacement} replacement", ha="center", fontsize="small")
    left.axvline(1.5, color="0.3", lw=1)
    plots.published(left, range(4), table_6().loc["R", CELLS], "paper")
    left.set_xticks(range(4), [f"{cell.split('_')[0]}\nschedule" for cell in CELLS])
    left.tick_params(axis="x", labelsize="small")
    left.set(ylabel="response (s)", ylim=0, title="Four combinations")
    effects = evidence.effects["R"].groupby("term").agg(interval)
    printed = derivations.table_6_effects().loc["R"]
    margin = derivations.margin_of_design()
    for row, term in enumerate(("schedule", "replacement")):
        mean, half_width = effects[term]
        right.errorbar(printed[term], row + 0.12, xerr=margin, color="black", lw=1)
        plots.published(right, [printed[term]], [row + 0.12], "")
        tone = plots.colours(3)[2]
        right.errorbar(mean, row - 0.12, xerr=half_width, fmt="s", color=tone, lw=2, label="ours")
    right.axvline(0.0, color="0.3", lw=1)
    right.set_yticks([0, 1], ["new\nschedule", "new\nreplace-\nment"], fontsize="small")
    right.set(xlabel="change of response (s)", ylim=(1.5, -0.5), title="What each change does")
    (s, s_margin), (r, r_margin) = effects["schedule"], effects["replacement"]
    return CAPTIONS.picture(
        figure, "tuning", "below", s=s, s_margin=s_margin, r=r, r_margin=r_margin
    )


def gains(evidence, bins=6):
    """Draw by how much each change moves the response, over how many tasks waited before it."""
    means = evidence.means.unstack("cell")
    waiting = means["N_e"]["old_old"]
    count = min(bins, len(waiting) // 2 + 1)
    edges = np.unique(np.quantile(waiting, np.linspace(0, 1, count + 1)))
    figure, ax = plots.panels(height=2.8)
    changed = {"new_old": "new schedule", "old_new": "new replacement"}
    bin_of = pd.cut(waiting, edges, include_lowest=True)
    x = waiting.groupby(bin_of, observed=True).mean()
    told = []
    for tone, (cell, name) in zip(plots.colours(2), changed.items(), strict=True):
        change = means["R"][cell] - means["R"]["old_old"]
        found = [interval(own) for _, own in change.groupby(bin_of, observed=True)]
        told.append(f"{name} {found[0][0]:+.1f} s at the left, {found[-1][0]:+.1f} s at the right")
        plots.paired(ax, x, *zip(*found, strict=True), tone, name)
    ax.set(
        title="What each change does to the same afternoon",
        xlabel="eligible tasks in the old system, mean of the afternoon",
        ylabel="change of response (s)",
    )
    return CAPTIONS.picture(figure, "gains", "below", told="; ".join(told))


def trace(levels):
    """Draw four seconds of the queues, as ``timeline.levels`` returns them."""
    figure, (top, bottom) = plots.panels(2, 1, 1.7, sharex=True, height_ratios=(3, 2))
    for tone, name in zip(plots.colours(2), ["dispatchable", "waiting for a page"], strict=True):
        label = name if name == "dispatchable" else f"of these, {name}"
        top.fill_between(levels.index, levels[name], color=tone, lw=0, step="post", label=label)
    bottom.step(levels.index, levels["eligible"], "k", lw=1.2, where="post", label="eligible")
    top.set(title="Four seconds of the old system", ylabel="tasks", ylim=0)
    bottom.set(xlabel="time (s)", ylabel="tasks", ylim=0)
    bottom.yaxis.get_major_locator().set_params(integer=True)
    return CAPTIONS.picture(figure, "trace", "below")


def scatter(ax, survey, x, y, edges, title, xlabel):
    """Draw minutes and their means by bins."""
    ax.plot(survey[x], survey[y], ".", ms=2, color="0.75", rasterized=True)
    means = experiments.binned_means(survey, x, y, edges)
    ax.plot(means[x], means[y], "o-", color=plots.colours(1)[0], ms=4, label="simulated, means")
    ax.set_title(title, fontsize="medium")
    ax.set(xlabel=xlabel, ylim=0)


def users(survey, models):
    """Draw Figures 3 and 4 beside three models by name, with some of N_d, N_e, R over users."""
    quarter = survey.groupby(["users", "day", survey["minute"] // 15]).mean(numeric_only=True)
    figure, axes = plots.panels(1, 3, 3.2)
    titles = {
        "N_d": "Figure 3:\ndispatchable N_d",
        "N_e": "Figure 3:\neligible N_e",
        "R": "Figure 4:\nresponse (s)",
    }
    for ax, (name, title) in zip(axes, titles.items(), strict=True):
        ax.plot(quarter["N_t"], quarter[name], ".", color="0.75", ms=3, label="simulated, quarters")
        means = survey.groupby("users")[["N_t", name]].mean()
        ax.plot(means["N_t"], means[name], "o-", color="black", ms=4, label="simulated, means")
        for tone, style, (label, frame) in zip(
            plots.colours(4)[1:], ("--", "-.", ":"), models.items(), strict=True
        ):
            if name in frame:
                ax.plot(frame.index, frame[name], style, color=tone, label=label)
        ax.set_title(title, fontsize="medium")
        ax.set(xlabel="users N_t", ylim=0)
    sums = survey.groupby("users")[["N_t", "N_e", "N_d", "transactions"]].mean()
    every = (sums["N_e"] + sums["N_d"]) / sums["transactions"]
    axes[2].plot(sums["N_t"], every, "s-", color="0.45", ms=4, label="simulated, all transactions")
    axes[0].hlines(4, 30, 45, color="black", lw=3, alpha=0.4, label="published")
    axes[1].set_ylim(0, 20)
    axes[2].set_ylim(0, 60)
    return CAPTIONS.picture(figure, "users", "below")


def entrance(survey):
    """Draw Figures 5, 6 and 7."""
    figure, axes = plots.panels(1, 3, 3.0)
    scatter(axes[0], survey, "N_d", "P_eav", LOADS, "Figure 5:\nP_eav (frames)", TASKS)
    scatter(axes[1], survey, "P_eav", "N_e", ESTIMATES, "Figure 6:\neligible tasks", ESTIMATE)
    scatter(axes[2], survey, "P_eav", "R", ESTIMATES, "Figure 7:\nresponse (s)", ESTIMATE)
    line = {"color": "black", "ls": "--", "lw": 1, "label": "P_max of typical transactions"}
    axes[0].axhline(LIMIT, **line)
    plots.published(axes[0], [5], [LIMIT], label="the paper: below this with five tasks")
    for ax in axes[1:]:
        ax.axvline(LIMIT, **line)
        ax.set_ylim(0, 15)
    return CAPTIONS.picture(figure, "entrance", "below")


def thrashing(periods):
    """Draw Figure 14: sharable reclaims against sharable frames."""
    figure, ax = plots.panels(height=3.2)
    printed = table_6()
    groups = periods.groupby("replacement", sort=False)
    for tone, marker, (name, own) in zip(plots.colours(2), ".x", groups, strict=True):
        ax.plot(
            own["P_s"], own["r_s"], marker, color=tone, ms=4, alpha=0.5, label=f"{name} replacement"
        )
    plots.published(ax, printed.loc["P_s", CELLS], printed.loc["r_s", CELLS], "published cells")
    for cell, beside in zip(CELLS, ((35, -30), (-2, -30), (-8, -3), (-8, -3)), strict=True):
        at = (printed.loc["P_s", cell], printed.loc["r_s", cell])
        line = {"arrowstyle": "-", "lw": 0.8, "color": "0.3"} if beside[1] < -10 else None
        ax.annotate(
            cell.replace("_", ", "), at, beside, textcoords="offset points", arrowprops=line,
            ha="right" if beside[0] < 0 else "left", fontsize=9,
        )  # fmt: skip
    ax.set(xlabel="sharable frames P_s", ylabel="sharable reclaims (pages/s)", ylim=0)
    ax.set_title("Figure 14: fewer sharable frames, more reclaims")
    return CAPTIONS.picture(figure, "thrashing", "below")


def distributions(cells):
    """Draw Figure 15: response of typical transactions under both schedules."""
    figure, ax = plots.panels(height=3.0)
    for tone, style, name in zip(plots.colours(2), ("-", "--"), ("old", "new"), strict=True):
        log = pd.concat([transactions_of(cells[f"{name}_{other}"]) for other in ("old", "new")])
        response = np.sort(log.loc[log["typical"], "response_s"])
        share = np.arange(1, response.size + 1) / response.size
        kept = slice(None, None, max(1, response.size // 2000))
        ax.plot(response[kept], share[kept], style, color=tone, label=f"{name} schedule")
    ax.set(title="Figure 15: the long responses gain", xlim=(0, SLOWEST_S), ylim=(0, 1))
    ax.set(xlabel="response (s)", ylabel="share answered by then")
    return CAPTIONS.picture(figure, "distributions", "below")


def variants(table, change, margin):
    """Draw what changes of the machine do to the response: two columns of a frame by variant."""
    rows = table.iloc[1:].sort_values(change, kind="stable")
    figure, ax = plots.panels(height=0.9 + 0.28 * len(rows))
    y = np.arange(len(rows))
    tone = plots.colours(1)[0]
    ax.errorbar(rows[change], y, xerr=rows[margin], fmt="s", color=tone, lw=2, ms=5)
    ax.axvline(0.0, color="0.3", lw=1)
    ax.set_yticks(y, rows.index)
    ax.set(xlabel="change of response (s)", ylim=(len(rows) - 0.5, -0.5))
    ax.set_title("What other changes would do")
    best, worst = rows.index[0], rows.index[-1]
    return CAPTIONS.picture(
        figure,
        "variants",
        best=best,
        best_change=rows[change].iloc[0],
        worst=worst,
        worst_change=rows[change].iloc[-1],
    )
