"""The pictures of the CP-67 notebook."""

import numpy as np

from perfkit.core.wording import with_half_width
from perfkit.methods import pareto, switching
from perfkit.runs.experiment import interval
from perfkit.show import plots
from studies.cp67 import experiments, timeline, tuning
from studies.cp67.runs import FIGURE_1_WIDTH
from studies.show import charts
from studies.show.captions import Captions

CAPTIONS = Captions("cp67")
MARKERS = ("o", "s", "^", "D")
COMMON = 0.02
BLUE, ORANGE, GREEN = plots.colours(3)


def _circles(ax, x, values, version, size=9):
    """Mark values of Algorithm 1 (open) or 2 (filled)."""
    look = {"mec": (BLUE, ORANGE)[version], "mfc": ("white", ORANGE)[version], "mew": 2, "ms": size}
    ax.plot(x, values, "o", label=f"Algorithm {version + 1}", ls="none", zorder=3, **look)


def days(found):
    """Draw days under both algorithms, and the differences of pairs of days.

    ``found`` are ``experiments.same_days``.
    """
    same, apart = found["2"] - found["1"], experiments.all_pairs(found)
    slower = 100.0 * (apart > 0.0).mean()
    figure, (both, pairs) = plots.panels(1, 2, height=3.4)
    both.plot([0, 1], [found["1"], found["2"]], color="0.6", lw=1, zorder=1)
    for version in range(2):
        _circles(both, [version] * len(found), found[f"{version + 1}"], version, 7)
        both.plot([version - 0.12, version + 0.12], [found[f"{version + 1}"].mean()] * 2, "k", lw=3)
    both.set_xticks([0, 1], ["Algorithm 1", "Algorithm 2"])
    both.set(xlim=(-0.4, 1.4), ylim=(0, None), ylabel="users' mean response (s)")
    both.set_title("Each day under both", fontsize=11)
    both.grid(False, axis="x")
    widest = 1.05 * np.abs(apart).max()
    bins = np.linspace(-widest, widest, 31)
    drawn = ((apart, "two days drawn by lot", "0.75"), (same, "the same day", ORANGE))
    for values, label, colour in drawn:
        weights = np.full(len(values), 100.0 / len(values))
        pairs.hist(values, bins, weights=weights, color=colour, label=label, alpha=0.85)
    pairs.axvline(0.0, color="0.2", lw=1)
    pairs.set(xlabel="Algorithm 2 less Algorithm 1 (s)", ylabel="% of pairs")
    pairs.set_title(f"By lot, 2 looks slower in {slower:.0f} %", fontsize=11)
    pairs.legend(fontsize="small", loc="upper left")
    told = {"first": found["1"].mean(), "second": found["2"].mean(), "slower": slower}
    told |= {"count": len(found), "falling": (same < 0.0).sum()}
    return CAPTIONS.picture(figure, "days", "below", **told)


def weeks(observations):
    """Draw each week twice: 1 on its fast days and 2 on its slow days, and both on all days."""
    runs = np.sort(observations["run"].unique())
    figure, (days, switched) = plots.panels(1, 2, height=3.2, sharey=True)
    count, above = len(runs) // experiments.WEEK_DAYS, {days: 0, switched: 0}
    for week in range(count):
        own = runs[experiments.WEEK_DAYS * week : experiments.WEEK_DAYS * (week + 1)]
        mine = observations[observations["run"].isin(own)]
        of_days = experiments.trap(mine).groupby("days").mean(numeric_only=True)
        busy = experiments.within(mine, experiments.BUSY)
        relative = experiments.at_equal_load(busy, "mixed_s")
        alike = relative.groupby(busy["version"]).mean()
        pairs = {
            days: (of_days.loc["fast", "Algorithm 1"], of_days.loc["slow", "Algorithm 2"]),
            switched: (alike[0], alike[1]),
        }
        for ax, pair in pairs.items():
            ax.plot([week + 1] * 2, pair, color="0.6", lw=2, zorder=1)
            above[ax] += pair[1] > pair[0]
            for version, value in enumerate(pair):
                _circles(ax, [week + 1], [value], version)
    days.set(title="1 on fast days, 2 on slow", ylabel="mixed benchmark\n(mean at equal load = 1)")
    switched.set(title="Both, all five days")
    for ax in (days, switched):
        ax.set(xlabel="week", xticks=range(1, count + 1), xlim=(0.5, max(count, 1) + 0.5))
    top = days.get_ylim()[1]
    days.set_ylim(0, 1.08 * top)
    told = {"misled": above[days], "wrong": above[switched]}
    return CAPTIONS.picture(figure, "weeks", "below", count=count, **told)


def curves(observations, measure, labels, title, unit, caption, **options):
    """Draw a measure by active users, one line per version, and its difference from one version.

    ``labels`` name the versions. Options: ``width``, numbers of active users in a class;
    ``statistic`` and ``baseline`` of ``switching.compare``; ``marks``, by number of users what
    the text says begins there; ``level``, a level that the text gives; ``log``.

    The differences with their 95 % bands over days are in the lower panel. The alternative text
    tells the first and last points of each line.
    """
    width, baseline = options.get("width", FIGURE_1_WIDTH), options.get("baseline", 0)
    load = switching.load_classes(observations["active_users"], width)
    shares = load.value_counts(normalize=True)
    common = load.isin(shares.index[shares > COMMON])
    table = switching.compare(
        observations[common],
        measure,
        by=load[common],
        statistic=options.get("statistic", "mean"),
        baseline=baseline,
    )
    figure, (above, below) = plots.panels(2, 1, height=2.5, sharex=True, height_ratios=(3, 2))
    tones, told = (BLUE, ORANGE, GREEN, "0.35"), []
    for version, name in enumerate(labels):
        rows = table.xs(version, level="version").dropna(subset=["value"])
        x, tone = rows.index - (width - 1) / 2, tones[version]
        above.plot(x, rows["value"], f"{MARKERS[version]}-", ms=5, color=tone, label=name)
        if version != baseline:
            margin = (rows["high"] - rows["low"]) / 2.0
            plots.paired(below, x, rows["difference"], margin, tone)
            least, most = rows["difference"].min(), rows["difference"].max()
            told.append(f"{name} less {labels[baseline]}: {least:.3g} to {most:.3g}.")
        ends = [f"{rows['value'].iloc[end]:.3g} at {x[end]:g}" for end in (0, -1)]
        told.append(f"{name}: from {ends[0]} to {ends[1]} active users.")
    for style, (users, said) in zip((":", "--"), options.get("marks", {}).items(), strict=False):
        above.axvline(users, color="0.3", ls=style, lw=1.5, label=said)
        below.axvline(users, color="0.3", ls=style, lw=1.5)
    if "level" in options:
        above.axhline(options["level"], color="0.3", ls="-.", lw=1.5, label="the text's level")
    above.set(title=title, ylabel=unit)
    if options.get("log"):
        above.set_yscale("log")
        above.set_yticks([5, 10, 20, 50, 100], ["5", "10", "20", "50", "100"])
        above.minorticks_off()
    else:
        above.set_ylim(bottom=0)
    below.set(xlabel="active users", ylabel=f"difference from\n{labels[baseline]}")
    alt = f"{title}, by active users, and differences. {' '.join(told)}"
    return plots.picture(figure, caption, alt, legend="below")


def region(observations, seed=0):
    """Draw Figure 4: a week's observations with their frontiers, and the frontier of one day."""
    x, y = "user_percent", "disc_ios_per_s"
    figure, (left, right) = plots.panels(1, 2, height=3.4, sharey=True)
    means = []
    for version, tone in enumerate((BLUE, ORANGE)):
        name = f"Algorithm {version + 1}"
        mine = observations[observations["version"] == version]
        week = mine[mine["run"] < seed + experiments.WEEK_DAYS]
        edge = pareto.frontier(week, x, y)
        left.plot(week[x], week[y], ".", ms=3, alpha=0.25, color=tone)
        steps = {"drawstyle": "steps-pre", "color": tone, "label": name}
        left.plot(edge[x], edge[y], f"{MARKERS[version]}-", ms=5, **steps)
        most = mine.groupby("run")[x].max().min()
        reach = pareto.attained_band(mine, x, y, np.linspace(15, max(most, 16), 40))
        plots.band(right, reach.index, reach["mean"], reach["half_width"], tone, name)
        means.append(reach["mean"])
    ratio = pareto.compare_regions(observations, x, y, seed=seed)["ratio"]
    told, margin = with_half_width(*interval(ratio))
    left.set(title="Five days", xlabel="problem state time (%)", ylabel="disc operations per s")
    right.set(title="One day, mean", xlabel="at least so much problem state (%)", ylim=0)
    at = np.linspace(15, top := min(mean.index[-1] for mean in means), 40)
    first, second = (np.interp(at, mean.index, mean) for mean in means)
    told = {"told": told, "margin": margin, "top": top, "share": 100 * (second > first).mean()}
    return CAPTIONS.picture(figure, "region", "below", **told)


def whereabouts(result, from_s, until_s):
    """Draw who is in queue, a candidate, or waiting, in a few seconds of a traced run."""
    places = timeline.whereabouts(result, from_s, until_s)
    rows = {user: row for row, user in enumerate(sorted(places["process"].unique()))}
    tone = {
        "candidate": ORANGE,
        "waits for a page": "0.35",
        "waits for a disc": "0.8",
        "Q1": GREEN,
        "Q2": BLUE,
    }
    figure, ax = plots.panels(height=4.0)
    charts.timeline(ax, places.assign(process=places["process"].map(rows)), tone)
    ax.set(ylabel="one row per user", yticks=[], xlim=(from_s, until_s))
    spent = (places["to_s"] - places["from_s"]).groupby(places["place"]).sum()
    shares = 100.0 * spent / spent.sum()
    told = {"share": shares["candidate"], "idle": shares.filter(like="waits").sum()}
    told |= {"rows": len(rows), "seconds": until_s - from_s}
    return CAPTIONS.picture(figure, "whereabouts", "below", **told)


def waits(table):
    """Draw Table 1: the published wait, the law of the other cells, and our reading."""
    figure, ax = plots.panels(height=3.0)
    ax.plot(table.index, table["law"], color=BLUE, label="the law: a fifth for each ten users")
    charts.published(ax, table.index, table["printed"])
    ax.plot([20], table.loc[[20], "reading"], "X", color=ORANGE, ms=9, label="our reading")
    ax.set(xlabel="logged-on users", ylabel="wait (s)", yscale="log", xticks=range(10, 29, 2))
    ax.set_yticks([60, 100, 200, 500, 1000], ["60", "100", "200", "500", "1000"])
    return CAPTIONS.picture(figure, "waits", "below")


def batches(observations, measures):
    """Draw the standard error of the difference by batch size, from the load's covariance."""
    figure, ax = plots.panels(height=3.0)
    told = []
    for k, (measure, name) in enumerate(measures.items()):
        covariance = switching.autocovariance(observations, measure, 40, by="load")
        table = experiments.batch_table(covariance)
        tone, label = (BLUE, ORANGE, GREEN)[k], name.split(" of ")[-1]
        ax.plot(table.index, table["relative"], f"{MARKERS[k]}-", ms=4, color=tone, label=label)
        two, most = (table["relative"].loc[size] for size in (2, 20))
        best = table["relative"].min()
        told.append(f"{label}: {two / best:.2f} at 2, {most / best:.2f} at 20")
    ax.axvline(5, color="0.3", ls=":", label="Bard's five")
    ax.set(xlabel="observations in a batch", ylabel="standard error (best = 1)")
    ax.set_xticks(range(2, 21, 2))
    return CAPTIONS.picture(figure, "batches", "below", told="; ".join(told))


def evolution(found):
    """Draw what evolutionary operation climbs, and its paths when the load changes."""
    figure, axes = plots.panels(1, 3, height=3.4)
    names = {True: "localities half as large", False: "localities as fitted"}
    for k, (light, name) in enumerate(names.items()):
        curve = found.curves[light]
        tone = (BLUE, ORANGE)[k]
        axes[0].plot(curve.index, curve, f"{MARKERS[k]}-", ms=5, color=tone, label=name)
    axes[0].set(title="Problem state (%)", xlabel="users with room", ylim=0)
    for ax, heavier, name in zip(axes[1:], (True, False), ("heavier", "lighter"), strict=True):
        for run, path in enumerate(found.paths[heavier]):
            users = path["in_queue_users"] + 0.06 * run
            ax.plot(path.index, users, f"{MARKERS[run % 4]}-", ms=4, color=f"{0.15 + 0.17 * run}")
        ax.axvline(tuning.CHANGE_AT - 0.5, color="0.3", ls="-.", label="load changes")
        ax.set(title=f"Load gets {name}", xlabel="cycle", ylim=(0, 7))
        ax.set_xticks(range(0, tuning.CYCLES, 4))
    axes[1].set_ylabel("users with room")
    told = {"best": found.curves[False].idxmax()}
    for heavier, name in ((True, "heavier"), (False, "lighter")):
        ends = [path["in_queue_users"].iloc[-1] for path in found.paths[heavier]]
        told[name] = f"{min(ends):g} to {max(ends):g}"
    return CAPTIONS.picture(figure, "evolution", "below", **told)


def gains(observations, seed=0):
    """Draw the gain of problem state time by class of active users, with its intervals."""
    figure, ax = plots.panels(height=2.8)
    edges, told = {"up to 22 users": experiments.QUIET, "beyond 22": experiments.BUSY}, []
    for k, (name, active) in enumerate(edges.items()):
        table = 100.0 * (experiments.gains(observations, "user_percent", seed, active) - 1.0)
        middle = table["ratio"].to_numpy()
        sides = [middle - table["ratio_low"], table["ratio_high"] - middle]
        tone, x = (BLUE, ORANGE)[k], table.index - 0.5
        ax.errorbar(x, middle, sides, fmt=MARKERS[k], color=tone, capsize=3, label=name)
        told.append(f"{name}: {middle.min():.1f} to {middle.max():.1f} %")
    ax.axhline(0.0, color="0.3", lw=1)
    ax.axhline(10.0, color="0.3", ls="-.", lw=1.5, label="the text: up to 10 %")
    ax.set(xlabel="active users", ylabel="gain (%)")
    return CAPTIONS.picture(figure, "gains", "below", told="; ".join(told))
