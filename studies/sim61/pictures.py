"""The study's pictures of frames that other modules make."""

import numpy as np

from perfkit.analytic.references import pages_since_activation, working_sets
from perfkit.runs.experiment import summarize
from perfkit.show import plots
from perfkit.systems.sim61.parameters import PAGE_BYTES, PAGES_A_MB, TABLE_2
from studies.show import charts
from studies.show.captions import Captions
from studies.sim61.runs import averages, store_runs

CAPTIONS = Captions("sim61")
SIZES = {0.5: "1/2 MB", 1.0: "1 MB"}
MARKERS = ("o", "s", "^", "D")


def tones():
    """Return a colour for each of the two memories."""
    return dict(zip(SIZES, plots.colours(2), strict=True))


def count_of(drums):
    """Return a number of drums in words."""
    return {1: "one drum", 2: "two drums"}.get(drums, f"{drums} drums")


def more_core(rows, bought, core_mb, drums):
    """Draw response and page wait against what one drum can move, at 1/2 MB and at ``core_mb``.

    ``rows`` are runs of one drum of any speed, ``bought`` those of one drum and of ``drums``.
    """
    sizes = [(0.5, "1/2 MB"), (core_mb, f"{core_mb:g} MB")]
    measures = {"response_s": "Response of the terminals (s)", "paging_queue_ms": "Page wait (ms)"}
    one, printed = TABLE_2["8567"].pages_per_s(), store_runs()
    figure, axes = plots.panels(1, 2, 3.5, sharex=True)
    told = {}
    for ax, (measure, title) in zip(axes, measures.items(), strict=True):
        for at, (core, words) in enumerate(sizes):
            tone, style = plots.colours(2)[at], ("--", "-")[at]
            mean = rows[rows["core_mb"] == core].groupby("page_rate")[measure].mean()
            ax.plot(mean.index, mean, style, color=tone, label=words)
            offers = bought[bought["memory_pages"] == round(PAGES_A_MB * core)]
            means = offers.groupby(offers["paging_devices"].map(len))[measure].mean()
            label = f"{count_of(drums)}, {words}"
            ax.plot(drums * one, means[drums], "s", color=tone, mec="k", ms=6, label=label)
            told |= {f"{measure}_{at}_one": means[1], f"{measure}_{at}": means[drums]}
        for count in {1, 2, drums}:
            ax.axvline(count * one, color="0.6", lw=1, ls=":")
            place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            ax.annotate(
                count_of(count), (count * one, 1.0), (4, -4), va="top", fontsize="small", **place
            )
        pair = printed[printed["paging_configuration"].str.contains("drum")]
        for (size, words), fill in zip(SIZES.items(), ("w", "k"), strict=True):
            own = pair[pair["memory_mb"] == size]
            limits = own["paging_devices"].map(len) * one
            charts.published(ax, limits, own[measure], f"paper, {words}")
            ax.lines[-1].set_markerfacecolor(fill)
        ax.set(xlabel="pages/s that the drum can move", ylim=0, xlim=(40, max(205, 62 * drums)))
        ax.set_title(title, fontsize="medium")
    told |= {"core": f"{core_mb:g} MB", "drums": count_of(drums)}
    told |= {"few": rows["seed"].nunique(), "many": bought["seed"].nunique()}
    return CAPTIONS.picture(figure, "more_core", "below", **told)


def seconds(levels):
    """Draw over a few seconds how many tasks are active, and how many of them wait for a page."""
    figure, ax = plots.panels(height=2.8)
    labels = ("active, not waiting for a page", "active, waiting for a page")
    for colour, name, label in zip(plots.colours(2), levels, labels, strict=True):
        x = levels.index - levels.index[0]
        ax.fill_between(x, levels[name], color=colour, step="post", label=label, lw=0)
    lasts = np.diff(levels.index)
    active, waiting = (np.average(levels[name].iloc[:-1], weights=lasts) for name in levels)
    told = {"active": active, "share": 100 * waiting / active}
    ax.set(xlabel="time (s)", ylabel="tasks", ylim=0)
    ax.set_title(f"{told['share']:.0f} % of the active tasks wait for a page")
    ax.yaxis.get_major_locator().set_params(integer=True)
    return CAPTIONS.picture(figure, "seconds", "below", **told)


def against_paging(store, ours):
    """Draw Figures 3, 4 and 5: response, interactions and users' time against pages moved."""
    figure, axes = plots.panels(1, 3, 3.4)
    shown = {
        "Figure 3: response (s)": ("response_s", "response_s"),
        "Figure 4: interactions": ("interactions", "interactions"),
        "Figure 5: user time (%)": ("user_cpu_percent", "user_percent"),
    }
    for ax, (title, (column, measure)) in zip(axes, shown.items(), strict=True):
        for size, tone in tones().items():
            group = store[store["memory_mb"] == size]
            mean = ours.loc[group.index]
            style = "s--" if size == min(SIZES) else "D-"
            x = mean["paging_pages_per_s"]
            order = x.sort_values(kind="stable").index
            ax.plot(x[order], mean.loc[order, measure], style, color=tone, ms=4, label=SIZES[size])
            if measure == "interactions":
                turning = group.index[group["paging_configuration"] != "1 LAM"]
                fit = np.polyfit(x[turning], mean.loc[turning, measure], 1)
                ax.plot([0, 180], np.polyval(fit, [0, 180]), ":", color=tone, lw=1)
            printed = group["paging_pages_s"], group[column]
            charts.published(ax, *printed, f"paper, {SIZES[size]}")
            if size == max(SIZES):
                ax.lines[-1].set_markerfacecolor("k")
        ax.set(xlabel="pages moved per second", ylim=0, xlim=(0, 185))
        ax.set_title(title, fontsize="small")
    for point, device in group["paging_configuration"].items():
        at, name = mean.loc[point, ["paging_pages_per_s", "interactions"]], device.split()
        left = {"xytext": (-7, 4), "ha": "right"} if at.iloc[0] > 50 else {"xytext": (8, -9)}
        left |= {"textcoords": "offset points", "fontsize": "x-small"}
        axes[1].annotate(f"{name[0]} {name[-1]}", at, **left)
    axes[1].set_ylim(0, 1.12 * ours["interactions"].max())
    ends = {"first": ours.loc[store.index[0]], "last": ours.loc[store.index[-1]]}
    return CAPTIONS.picture(figure, "against_paging", "below", **ends)


def traverse(store, ours, pair):
    """Draw interactions against the reciprocal of the traverse time, LAM left out."""
    figure, ax = plots.panels(height=3.2)
    told = {}
    for size, tone in tones().items():
        group = store[(store["memory_mb"] == size) & (store["paging_configuration"] != "1 LAM")]
        mean = ours.loc[group.index]
        style = "s--" if size == min(SIZES) else "D-"
        x = 1000.0 / mean["paging_queue_ms"]
        ax.plot(x, mean["interactions"], style, color=tone, ms=5, label=SIZES[size])
        products = mean["interactions"] * mean["paging_queue_ms"] / 1000.0
        told["half" if size == min(SIZES) else "one"] = ", ".join(f"{p:.0f}" for p in products)
    x, y = 1000.0 / pair["paging_queue_ms"], pair["interactions"]
    ends = [0, 2 * x.max()], [0, 2 * y.astype(float).max()]
    ax.plot(*ends, color="0.6", lw=1, label="throughput proportional to 1/T")
    charts.published(ax, x, y, "paper, 1 MB")
    ax.set(xlabel="1 / traverse time (1/s)", ylabel="interactions in 9 minutes")
    ax.set(xlim=0, ylim=(0, 2300))
    return CAPTIONS.picture(figure, "traverse", "below", **told)


def thrashing(store, curves, rows):
    """Draw Denning's thrashing curve for each of the four drum runs, and mark the runs."""
    own, told = averages(rows, ["active_tasks", "interactions"]), []
    figure, ax = plots.panels(height=3.4)
    for place, (point, curve) in enumerate(curves.groupby("point")):
        run = store.loc[point]
        style = "--" if run["memory_mb"] == min(SIZES) else "-"
        name = f"{count_of(len(run['paging_devices']))}, {SIZES[run['memory_mb']]}"
        tone = plots.colours(4)[place]
        ax.plot(curve["tasks"], curve["interactions"], style, color=tone, label=name)
        at = own.loc[point]
        ax.plot(at["active_tasks"], at["interactions"], MARKERS[place], color=tone, ms=9, mec="k")
        on_it = np.interp(at["active_tasks"], curve["tasks"], curve["interactions"])
        flat = curve.loc[curve["interactions"] > 0.99 * curve["interactions"].max(), "tasks"].max()
        off = 100 * (at["interactions"] / on_it - 1)
        where = f"{name}: at {at['active_tasks']:.1f} tasks, {round(off):+d} % off its curve"
        told.append(f"{where}, which is flat up to {flat}")
    ax.set(xlabel="active tasks", ylabel="interactions in 9 minutes", ylim=0, xlim=(0.5, 20))
    ax.set(xticks=range(2, 21, 2), title="If more tasks are let in than fit")
    return CAPTIONS.picture(figure, "thrashing", "below", marks="; ".join(told))


def by_n(n_runs, ours):
    """Draw Figures 6, 7 and 8: response, batch time and batch elapsed time against N."""
    shown = {
        "Figure 6: response (s)": ("response_s", "response_s"),
        "Figure 7: batch time (%)": ("batch_cpu_percent", "batch_percent"),
        "Figure 8: elapsed (1000 / %)": ("batch_elapsed", "batch_elapsed"),
    }
    finite = n_runs[np.isfinite(n_runs["activations_per_batch"])]
    finite = finite.sort_values("activations_per_batch", kind="stable")
    endless = n_runs.index.difference(finite.index)[0]
    figure, axes = plots.panels(1, 3, 3.2)
    tone = plots.colours(1)[0]
    for ax, (title, (column, measure)) in zip(axes, shown.items(), strict=True):
        x, mean = finite["activations_per_batch"], ours.loc[finite.index]
        plots.band(ax, x, mean[measure], mean[measure + "_half_width"], tone, "simulated")
        charts.published(ax, x, finite[column], "paper")
        if measure != "batch_elapsed":
            level = ours.loc[endless, measure]
            ax.axhline(level, color="0.3", ls="--", clip_on=False, label="N without end")
        ax.set(xlabel="N", ylim=0)
        ax.set_title(title, fontsize="small")
    ends = {"first": ours.loc[finite.index[0]], "last": ours.loc[finite.index[-1]]}
    return CAPTIONS.picture(figure, "by_n", "below", **ends)


def along(rows, x, by, panels, xlabel, caption):
    """Draw measures along a column x, on a scale of powers of two, one curve per value of ``by``.

    ``rows`` has a row per run; ``panels`` gives each measure its title.
    """
    figure, axes = plots.panels(1, len(panels), 3.2)
    told = [f"Along {xlabel} {', '.join(f'{tick:g}' for tick in sorted(rows[x].unique()))}"]
    names = list(dict.fromkeys(rows[by]))
    for ax, (measure, title) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        for place, name in enumerate(names):
            mean = summarize(rows[rows[by] == name], x, [measure])
            values = mean[measure], mean[measure + "_half_width"]
            plots.band(ax, mean.index, *values, plots.colours(len(names))[place], name)
            ax.plot(mean.index, values[0], MARKERS[place], color=plots.colours(4)[place], ms=5)
            told.append(f"{title}, {name}: {', '.join(f'{value:.3g}' for value in values[0])}")
        ax.set_xscale("log", base=2)
        ticks = sorted(rows[x].unique())
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.set(xlabel=xlabel, ylim=0)
        ax.set_title(title, fontsize="medium")
    return plots.picture(figure, caption, ". ".join(told) + ".", legend="below")


def references(string, exponent):
    """Draw Figure 2 with a program's own curve, and that program's working set by its window."""
    length = len(string) // 4
    pages = pages_since_activation(string, length)
    windows = np.unique(np.geomspace(1, length, 40).astype(int))
    sets = working_sets(string, windows)
    figure, (left, right) = plots.panels(1, 2, 3.2)
    share = np.geomspace(1e-5, 1, 200)
    tone, other = plots.colours(2)
    left.plot(100 * share, 100 * share**exponent, color=tone, label="fitted curve")
    at = np.unique(np.geomspace(1, length, 200).astype(int))
    own = 100 * at / length, 100 * pages[at] / pages[-1]
    left.plot(*own, "--", color=other, label="a matrix product")
    left.set(xlabel="time since activation (%)", xscale="log", ylim=0)
    left.set_title("Figure 2: pages demanded (%)", fontsize="medium")
    right.plot(sets.window, sets.mean_pages, "--", color=other)
    right.set(xlabel="window (references)", xscale="log", ylim=0)
    right.set_title("Working set (pages)", fontsize="medium")
    at_once = np.interp(0.1, own[0], own[1]), 100 * 0.001**exponent
    told = dict(zip(("product", "curve"), at_once, strict=True)) | {"most": sets.mean_pages.max()}
    return CAPTIONS.picture(figure, "references", "below", page_bytes=PAGE_BYTES, **told)
