"""The TSS/360 notebook's pictures: the paper's lost figures, rebuilt from simulated afternoons.

Alternative texts take their numbers from what is drawn.
"""

import numpy as np
import pandas as pd

from perfkit.core.wording import short
from perfkit.runs.experiment import interval
from perfkit.show import plots
from perfkit.systems.tss360 import Parameters
from studies.evidence import published
from studies.show import charts
from studies.show.captions import Captions
from studies.tss360 import derivations, experiments, scoring
from studies.tss360.demands import KEY, figure_2_law
from studies.tss360.runs import CELLS, table_6, transactions_of

CAPTIONS = Captions(KEY)
LOADS = ("N_d", np.arange(0, 6.5, 0.5), "dispatchable tasks N_d")
ESTIMATES = ("P_eav", np.arange(0, 150, 12), "estimate P_eav (frames)")
FAULTS = ("r_pf", np.arange(0, 80, 8), "page faults (1/s)")
SLOWEST_S = 20.0  # responses drawn


def tuning(evidence):
    """Draw the response in the four cells, and the effect of each change."""
    figure, (left, right) = plots.panels(1, 2, 3.4, width_ratios=(3, 2))
    periods = evidence.experiments[0] if evidence.experiments else evidence.periods
    tones = dict(zip(("old", "new"), plots.colours(2), strict=True))
    for place, cell in enumerate(CELLS):
        own = periods.loc[periods["cell"] == cell, "R"]
        schedule, replacement = cell.split("_")
        x = place + np.linspace(-0.22, 0.22, max(len(own), 2))[: len(own)]
        left.plot(x, own, ".", color=tones[schedule], alpha=0.6, label="quarters of an hour")
        mean = evidence.means.xs(cell, level="cell")["R"].mean()
        ends = [place - 0.3, place + 0.3]
        left.plot(ends, [mean] * 2, color=tones[schedule], lw=3, label="simulated mean")
        if place % 2:
            left.text(place - 0.5, 0.3, f"{replacement} replacement", ha="center", fontsize="small")
    left.axvline(1.5, color="0.3", lw=1)
    charts.published(left, range(4), table_6().loc["R", CELLS], "paper")
    left.set_xticks(range(4), [f"{cell.split('_')[0]}\nschedule" for cell in CELLS])
    left.tick_params(axis="x", labelsize="small")
    left.set(ylabel="response (s)", ylim=0, title="Four combinations")
    effects = evidence.effects["R"].groupby("term").agg(interval)
    printed = derivations.table_6_effects().loc["R"]
    margin = derivations.margin_of_design()
    squares = published.table(KEY, "table_7").set_index("source")["sum_of_squares"]
    implied = 2.0 * (squares.rename({"scheduling": "schedule"}) / 36) ** 0.5
    numbers = {}
    for row, term in enumerate(("schedule", "replacement")):
        mean, half_width = effects[term]
        numbers |= {term: mean, f"{term}_margin": half_width, f"{term}_paper": printed[term]}
        numbers[f"{term}_implied"] = implied[term]
        right.errorbar(printed[term], row + 0.12, xerr=margin, color="black", lw=1)
        charts.published(right, [printed[term]], [row + 0.12], "")
        signs = np.array([-1, 1][: row + 1])  # that of the replacement is not printed
        right.plot(implied[term] * signs, row + 0.0 * signs, "kD", mfc="w", ms=5, label="Table 7")
        tone = plots.colours(3)[2]
        right.errorbar(
            mean, row - 0.12, xerr=half_width, fmt="s", color=tone, lw=2, label="simulated"
        )
    right.axvline(0.0, color="0.3", lw=1)
    right.set_yticks([0, 1], ["new\nschedule", "new\nreplace-\nment"], fontsize="small")
    right.set(xlabel="change of response (s)", ylim=(1.5, -0.5), title="What each change does")
    return CAPTIONS.picture(figure, "tuning", "below", **numbers)


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
    ends = []
    for tone, (cell, name) in zip(plots.colours(2), changed.items(), strict=True):
        change = means["R"][cell] - means["R"]["old_old"]
        intervals = [interval(days) for _, days in change.groupby(bin_of, observed=True)]
        left_s, right_s = intervals[0][0], intervals[-1][0]
        ends.append(f"{name} {left_s:+.1f} s at the left, {right_s:+.1f} s at the right")
        plots.paired(ax, x, *zip(*intervals, strict=True), tone, name)
    ax.set(
        title="What each change does to the same afternoon",
        xlabel="eligible tasks in the old system, mean of the afternoon",
        ylabel="change of response (s)",
    )
    return CAPTIONS.picture(figure, "gains", "below", ends="; ".join(ends))


def trace(levels):
    """Draw a few seconds of the queues, as ``timeline.levels`` returns them."""
    figure, (top, bottom) = plots.panels(2, 1, 1.7, sharex=True, height_ratios=(3, 2))
    for tone, name in zip(plots.colours(2), ["dispatchable", "waiting for a page"], strict=True):
        label = name if name == "dispatchable" else f"of these, {name}"
        top.fill_between(levels.index, levels[name], color=tone, lw=0, step="post", label=label)
    bottom.step(levels.index, levels["eligible"], "k", lw=1.2, where="post", label="eligible")
    top.set(title="A few seconds of the old system", ylabel="tasks", ylim=0)
    bottom.set(xlabel="time (s)", ylabel="tasks", ylim=0)
    bottom.yaxis.get_major_locator().set_params(integer=True)
    means = np.average(levels.iloc[:-1], axis=0, weights=np.diff(levels.index))
    numbers = {name.split()[0]: mean for name, mean in zip(levels, means, strict=True)}
    return CAPTIONS.picture(figure, "trace", "below", **numbers)


def _scatter(ax, survey, y, title, x, edges, xlabel):
    """Draw minutes and their means by bins; return these at both ends in words."""
    ax.plot(survey[x], survey[y], ".", ms=2, color="0.75", rasterized=True)
    means = experiments.binned_means(survey, x, y, edges)
    ax.plot(means[x], means[y], "o-", color=plots.colours(1)[0], ms=4, label="simulated, means")
    ax.set_title(title, fontsize="medium")
    ax.set(xlabel=xlabel, ylim=0)
    return _ends(means, x, y)


def _ends(means, x, *names):
    """Return in words the first and the last of some columns, and of the one they depend on."""
    ends = means.iloc[[0, -1]]
    told = " and ".join(
        f"{y} from {short(a, 2)} to {short(b, 2)}" for y, (a, b) in ends[list(names)].items()
    )
    return f"{told} as {x} goes from " + " to ".join(short(value, 2) for value in ends[x])


def users(survey, models):
    """Draw Figures 3 and 4 beside three models by name: N_d, N_e and R over users."""
    quarter = survey.groupby(["users", "day", survey["minute"] // 15]).mean(numeric_only=True)
    figure, axes = plots.panels(1, 3, 3.2)
    titles = {
        "N_d": "Figure 3:\ndispatchable N_d",
        "N_e": "Figure 3:\neligible N_e",
        "R": "Figure 4:\nresponse (s)",
    }
    looks = [
        {"color": tone, "ls": style}
        for tone, style in zip(plots.colours(4)[1:], ("--", "-.", ":"), strict=True)
    ]
    for ax, (name, title) in zip(axes, titles.items(), strict=True):
        ax.plot(quarter["N_t"], quarter[name], ".", color="0.75", ms=3, label="simulated, quarters")
        means = survey.groupby("users")[["N_t", name]].mean()
        ax.plot(means["N_t"], means[name], "o-", color="black", ms=4, label="simulated, means")
        for look, (label, frame) in zip(looks, models.items(), strict=True):
            if name in frame:
                ax.plot(frame.index, frame[name], label=label, **look)
        ax.set_title(title, fontsize="medium")
        ax.set(xlabel="users N_t", ylim=0)
    sums = survey.groupby("users")[["N_t", "N_e", "N_d", "transactions"]].mean()
    every = (sums["N_e"] + sums["N_d"]) / sums["transactions"]
    axes[2].plot(sums["N_t"], every, "s-", color="0.45", ms=4, label="simulated, all transactions")
    level = published.stated(KEY, "dispatchable_levels_off")
    axes[0].hlines(level, 30, 45, color="black", lw=3, alpha=0.4, label="published")
    axes[1].set_ylim(0, 20)
    axes[2].set_ylim(0, 60)
    ends = _ends(survey.groupby("users")[["N_t", *titles]].mean(), "N_t", *titles)
    return CAPTIONS.picture(figure, "users", "below", ends=ends)


def entrance(survey):
    """Draw Figures 5, 6 and 7."""
    figure, axes = plots.panels(1, 3, 3.0)
    ends = [
        _scatter(axes[0], survey, "P_eav", "Figure 5:\nP_eav (frames)", *LOADS),
        _scatter(axes[1], survey, "N_e", "Figure 6:\neligible tasks", *ESTIMATES),
        _scatter(axes[2], survey, "R", "Figure 7:\nresponse (s)", *ESTIMATES),
    ]
    line = {"color": "black", "ls": "--", "lw": 1, "label": "P_max of typical transactions"}
    limit = Parameters().typical_p_max
    axes[0].axhline(limit, **line)
    at_five = published.stated(KEY, "estimate_at_five")
    charts.published(axes[0], [5], [at_five], label="the paper: below this with five tasks")
    for ax in axes[1:]:
        ax.axvline(limit, **line)
        ax.set_ylim(0, 15)
    return CAPTIONS.picture(figure, "entrance", "below", ends="; ".join(ends))


def thrashing(periods):
    """Draw Figure 14: sharable reclaims against sharable frames."""
    figure, ax = plots.panels(height=3.2)
    printed = table_6()
    groups = periods.groupby("replacement", sort=False)
    for tone, marker, (name, own) in zip(plots.colours(2), ".x", groups, strict=True):
        ax.plot(
            own["P_s"], own["r_s"], marker, color=tone, ms=4, alpha=0.5, label=f"{name} replacement"
        )
    charts.published(ax, printed.loc["P_s", CELLS], printed.loc["r_s", CELLS], "published cells")
    for cell, beside in zip(CELLS, ((35, -30), (-2, -30), (-8, -3), (-8, -3)), strict=True):
        at = (printed.loc["P_s", cell], printed.loc["r_s", cell])
        line = {"arrowstyle": "-", "lw": 0.8, "color": "0.3"} if beside[1] < -10 else None
        ax.annotate(
            cell.replace("_", ", "), at, beside, textcoords="offset points", arrowprops=line,
            ha="right" if beside[0] < 0 else "left", fontsize=9,
        )  # fmt: skip
    ax.set(xlabel="sharable frames P_s", ylabel="sharable reclaims (pages/s)", ylim=0)
    ax.set_title("Figure 14: sharable reclaims over sharable frames")
    means = periods.groupby("replacement")[["P_s", "r_s"]].mean().stack().map(short)
    numbers = {f"{name}_{column}": value for (name, column), value in means.items()}
    return CAPTIONS.picture(figure, "thrashing", "below", **numbers)


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
    response = groups["response_s"]
    told = [
        ", ".join(short(value, 2) for value in own)
        for own in (response.mean(), 100 * response.agg(lambda s: (s < 4.0).mean()))
    ]
    return CAPTIONS.picture(figure, "histograms", means=told[0], early=told[1])


def frames(survey):
    """Draw Figures 9, 10 and 11."""
    figure, axes = plots.panels(2, 2, 2.7)
    drawn = {
        "P_a": "Figure 9: available frames P_a",
        "P_s": "Figure 9: sharable frames P_s",
        "r_s": "Figure 10: sharable reclaims (1/s)",
        "r_p": "Figure 11: private reclaims (1/s)",
    }
    ends = [
        _scatter(ax, survey, name, title, *LOADS)
        for ax, (name, title) in zip(axes.flat, drawn.items(), strict=True)
    ]
    threshold = Parameters().upper_threshold
    axes[0, 0].axhline(threshold, color="black", ls="--", lw=1, label="inventory threshold")
    needed = published.stated(KEY, "sharable_needed")
    axes[0, 1].hlines(needed, 4, 6, color="black", lw=3, alpha=0.5, label="published")
    axes[1, 1].hlines(0.0, 3, 6, color="black", lw=4, alpha=0.5, clip_on=False)
    return CAPTIONS.picture(figure, "frames", "below", ends="; ".join(ends))


def overhead(survey):
    """Draw Figures 12 and 13."""
    figure, axes = plots.panels(1, 3, 3.0)
    ends = [
        _scatter(axes[0], survey, "p_v", "Figure 12:\nprograms p_v", *LOADS),
        _scatter(axes[1], survey, "p_o", "Figure 12:\noverhead p_o", *LOADS),
        _scatter(axes[2], survey, "p_o", "Figure 13:\noverhead p_o", *FAULTS),
    ]
    axes[0].set_ylabel("share of the processor")
    level = published.stated(KEY, "overhead_levels_off") / 100.0
    axes[1].hlines(level, 4, 5, color="black", lw=4, alpha=0.5, label="published")
    for ax in axes:
        ax.set_ylim(0, 1)
    return CAPTIONS.picture(figure, "overhead", "below", ends="; ".join(ends))


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
    ax.set(xticks=ticks, yticks=ticks, title="Table 5: simulated and published correlations")
    right, clear = scoring.signs(card)
    sure, _ = scoring.signs(card[card["ours"].abs() > card["half_width"]])
    stronger = (card["ours"].abs() > card["published"].abs())[ends].sum()
    numbers = {"right": right, "clear": clear, "stronger": stronger, "ends": ends.sum()}
    numbers["sure"] = sure
    return CAPTIONS.picture(figure, "correlations", "right", **numbers)


def paging(transactions):
    """Draw Figure 2: paging rate against processing time, by transaction."""
    rates, law = experiments.paging_rates(transactions), figure_2_law().loc["old_old"]
    sample = transactions[transactions["page_reads"] > 0]
    sample = sample.sample(min(1500, len(sample)), random_state=0)
    figure, ax = plots.panels(height=3.4)
    ax.loglog(sample["cpu_s"], sample["page_rate"], ".", ms=3, color="0.7", label="transactions")
    ax.loglog(rates["C"], rates["S"], "o-", color=plots.colours(1)[0], label="simulated, means")
    points = published.table(KEY, "figure_points").set_index("point")
    c, s = points.loc["short_transaction", ["x_value", "y_value"]]
    span = np.array([c, 100])
    line = s * (span / c) ** law["slope"]
    ax.loglog(span, line, ":", color="0.2", label="through the point, with Table 6")
    charts.published(ax, [c], [s])
    ax.axhline(points.loc["long_transaction", "y_value"], color="0.5", lw=0.8)
    ax.set(xlabel="processing time C (s)", ylabel="page reads per second S")
    return CAPTIONS.picture(figure, "paging", "below", ends=_ends(rates, "C", "S"))


def distributions(cells):
    """Draw Figure 15: response of typical transactions under both schedules."""
    figure, ax = plots.panels(height=3.0)
    told = []
    for tone, style, name in zip(plots.colours(2), ("-", "--"), ("old", "new"), strict=True):
        log = pd.concat([transactions_of(cells[f"{name}_{other}"]) for other in ("old", "new")])
        response = np.sort(log.loc[log["typical"], "response_s"])
        share = np.arange(1, response.size + 1) / response.size
        kept = slice(None, None, max(1, response.size // 2000))
        ax.plot(response[kept], share[kept], style, color=tone, label=f"{name} schedule")
        half, most = np.quantile(response, [0.5, 0.9])
        told.append(f"{half:.1f} s and {most:.1f} s under the {name} schedule")
    ax.set(title="Figure 15: distribution of response", xlim=(0, SLOWEST_S), ylim=(0, 1))
    ax.set(xlabel="response (s)", ylabel="share answered by then")
    return CAPTIONS.picture(figure, "distributions", "below", told=", ".join(told))


def _bars(names, values, reach, title, label):
    """Return a figure of values with their intervals, one named row each."""
    figure, ax = plots.panels(height=0.9 + 0.28 * len(names))
    ax.errorbar(values, names, xerr=reach, fmt="s", color=plots.colours(1)[0], lw=2, ms=5)
    ax.axvline(0.0, color="0.3", lw=1)
    ax.set(xlabel=label, ylim=(len(names) - 0.5, -0.5), title=title)
    return figure, ax


def variants(table, change, margin):
    """Draw what changes of the machine do to the response: two columns of a frame by variant."""
    rows = table.iloc[1:].sort_values(change, kind="stable")
    title, label = "What other changes would do", "change of response (s)"
    figure, _ = _bars(rows.index, rows[change], rows[margin], title, label)
    ends = {"best": rows.index[0], "worst": rows.index[-1]}
    ends["least_s"], ends["most_s"] = rows[change].iloc[[0, -1]]
    return CAPTIONS.picture(figure, "variants", **ends)


def moves(gains, count=14):
    """Draw ``gain`` and ``reach`` of the moves that change it most; the first is the baseline."""
    own, others = gains.iloc[:1], gains.iloc[1:].sort_values("gain")
    far = (others["gain"] - own["gain"].item()).abs().rank(ascending=False) <= count
    named, rest = pd.concat([own, others[far]]), others.loc[~far, "gain"]
    title, label = "What each move leaves of the gain", "response saved by the new schedule (%)"
    figure, ax = _bars(named.index, named["gain"], named["reach"], title, label)
    ax.plot(rest, [f"the other {len(rest)} moves"] * len(rest), "|", color="0.4", ms=9)
    ax.set_ylim(len(named) + 0.5, -0.5)
    ends = {"first": others.index[0], "last": others.index[-1], "own": own["gain"].item()}
    ends["least"], ends["most"] = others["gain"].iloc[[0, -1]]
    counts = {"count": count, "moves": len(others), "sure": sum(others["gain"] > others["reach"])}
    return CAPTIONS.picture(figure, "moves", **ends, **counts)
