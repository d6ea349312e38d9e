"""The study's pictures: what is drawn of frames that other modules make."""

import numpy as np

from perfkit.analytic.references import pages_since_activation, working_sets
from perfkit.runs.experiment import summarize
from perfkit.show import plots
from perfkit.systems.sim61.parameters import PAGE_BYTES, TABLE_2
from studies.show import charts
from studies.show.captions import Captions
from studies.sim61.runs import averages

CAPTIONS = Captions("sim61")
SIZES = {0.5: "1/2 MB", 1.0: "1 MB"}
MARKERS = ("o", "s", "^", "D")


def tones():
    """Return a colour for each of the two memories."""
    return dict(zip(SIZES, plots.colours(2), strict=True))


def more_core(rows, store, ours):
    """Draw response and page wait against what one drum can move, at both memories."""
    figure, (left, right) = plots.panels(1, 2, 3.5, sharex=True)
    shown = {left: "response_s", right: "paging_queue_ms"}
    for (pages, own), (size, tone) in zip(
        rows.groupby("memory_pages"), tones().items(), strict=True
    ):
        mean = summarize(own, "rate_per_s", list(shown.values()))
        style = "--" if pages == min(rows["memory_pages"]) else "-"
        for ax, measure in shown.items():
            ax.plot(mean.index, mean[measure], style, color=tone, label=SIZES[size])
    drums = store[store["paging_configuration"].str.contains("drum")]
    one = TABLE_2["8567"].pages_per_s()
    limits = drums["paging_devices"].map(len) * one
    for ax, measure in shown.items():
        charts.published(ax, limits, drums[measure], "paper")
        pair = drums[drums["paging_devices"].map(len) == 2]
        for point, size in pair["memory_mb"].items():
            at = limits[point], ours.loc[point, measure]
            label = f"our two drums, {SIZES[size]}"
            ax.plot(*at, "s", color=tones()[size], mec="k", ms=6, label=label)
        for count, word in ((1, "one drum"), (2, "two drums")):
            ax.axvline(count * one, color="0.6", lw=1, ls=":")
            place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            at = (count * one, 1.0)
            ax.annotate(word, at, (4, -4), va="top", fontsize="small", **place)
        ax.set(xlabel="pages/s that the drum can move", ylim=0, xlim=(40, 205))
    left.set_title("Response of the terminals (s)", fontsize="medium")
    right.set_title("Wait for one page (ms)", fontsize="medium")
    return CAPTIONS.picture(figure, "more_core", "below")


def seconds(levels):
    """Draw how many tasks are active, and how many of them wait for a page, over a few seconds."""
    figure, ax = plots.panels(height=2.8)
    labels = ("active tasks", "of these, waiting for a page")
    for colour, name, label in zip(plots.colours(2), levels, labels, strict=True):
        x = levels.index - levels.index[0]
        ax.fill_between(x, levels[name], color=colour, step="post", label=label, lw=0)
    ax.set(xlabel="time (s)", ylabel="tasks", ylim=0, title="Who holds core waits for a page")
    ax.yaxis.get_major_locator().set_params(integer=True)
    return CAPTIONS.picture(figure, "seconds", "below")


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
            printed = group["paging_pages_s"], group[column]
            charts.published(ax, *printed, f"paper, {SIZES[size]}")
            if size == max(SIZES):
                ax.lines[-1].set_markerfacecolor("k")
        ax.set(xlabel="pages moved per second", ylim=0, xlim=(0, 185))
        ax.set_title(title, fontsize="small")
    for point, device in group["paging_configuration"].items():
        at, name = mean.loc[point, ["paging_pages_per_s", "response_s"]], device.split()
        shift = {"xytext": (5, 5), "textcoords": "offset points", "fontsize": "x-small"}
        axes[0].annotate(f"{name[0]} {name[-1]}", at, **shift)
    return CAPTIONS.picture(figure, "against_paging", "below")


def traverse(store, ours, pair):
    """Draw interactions against the reciprocal of the traverse time, LAM left out."""
    figure, ax = plots.panels(height=3.2)
    for size, tone in tones().items():
        group = store[(store["memory_mb"] == size) & (store["paging_configuration"] != "1 LAM")]
        mean = ours.loc[group.index]
        style = "s--" if size == min(SIZES) else "D-"
        x = 1000.0 / mean["paging_queue_ms"]
        ax.plot(x, mean["interactions"], style, color=tone, ms=5, label=SIZES[size])
    x, y = 1000.0 / pair["paging_queue_ms"], pair["interactions"]
    ends = [0, 2 * x.max()], [0, 2 * y.astype(float).max()]
    ax.plot(*ends, color="0.6", lw=1, label="throughput proportional to 1/T")
    charts.published(ax, x, y, "paper, 1 MB")
    ax.set(xlabel="1 / traverse time (1/s)", ylabel="interactions in 9 minutes")
    ax.set(xlim=0, ylim=(0, 2300))
    return CAPTIONS.picture(figure, "traverse", "below")


def thrashing(store, curves, rows):
    """Draw Denning's thrashing curve of the four drum runs, and where the runs stand on it."""
    own = averages(rows, ["active_tasks", "interactions"])
    figure, ax = plots.panels(height=3.4)
    for place, (point, curve) in enumerate(curves.groupby("point")):
        run = store.loc[point]
        style = "--" if run["memory_mb"] == min(SIZES) else "-"
        drums = {1: "one drum", 2: "two drums"}[len(run["paging_devices"])]
        name = f"{drums}, {SIZES[run['memory_mb']]}"
        tone = plots.colours(4)[place]
        ax.plot(curve["tasks"], curve["interactions"], style, color=tone, label=name)
        at = own.loc[point]
        ax.plot(at["active_tasks"], at["interactions"], MARKERS[place], color=tone, ms=9, mec="k")
    ax.set(xlabel="active tasks", ylabel="interactions in 9 minutes", ylim=0, xlim=(0.5, 20))
    ax.set(xticks=range(2, 21, 2), title="Let more tasks in, and they steal each other's pages")
    return CAPTIONS.picture(figure, "thrashing", "below")


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
    return CAPTIONS.picture(figure, "by_n", "below")


def along(rows, x, by, panels, xlabel, caption, alt):
    """Draw measures along x, a curve with its band for each value of a column.

    ``rows`` has a row per run; ``x`` and ``by`` are columns, what is drawn along, on a scale of
    powers of two, and what tells curves apart; ``panels`` gives a measure's column its title.
    """
    figure, axes = plots.panels(1, len(panels), 3.2)
    names = list(dict.fromkeys(rows[by]))
    for ax, (measure, title) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        for place, name in enumerate(names):
            mean = summarize(rows[rows[by] == name], x, [measure])
            values = mean[measure], mean[measure + "_half_width"]
            plots.band(ax, mean.index, *values, plots.colours(len(names))[place], name)
            ax.plot(mean.index, values[0], MARKERS[place], color=plots.colours(4)[place], ms=5)
        ax.set_xscale("log", base=2)
        ticks = sorted(rows[x].unique())
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.set(xlabel=xlabel, ylim=0)
        ax.set_title(title, fontsize="medium")
    return plots.picture(figure, caption, alt, legend="below")


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
    return CAPTIONS.picture(figure, "references", "below", page_bytes=PAGE_BYTES)
