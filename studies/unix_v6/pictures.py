"""The study's pictures, each from a frame that the notebook shows or asks for."""

import numpy as np
from matplotlib.patches import Rectangle

from perfkit.core.wording import short
from perfkit.des.devices import seek_table
from perfkit.show import plots
from studies.evidence import rests
from studies.show import charts
from studies.show.captions import Captions

CAPTIONS = Captions("unix_v6")
OPEN = {"marker": "o", "mfc": "white", "ms": 6, "ls": "none"}


def _squares(ax, table, size=11):
    """Draw a table as shaded fields with their numbers, light where small."""
    values = table.to_numpy(float)
    ax.pcolormesh(values, cmap="cividis_r", edgecolor="white", lw=1.5)
    for (row, column), value in np.ndenumerate(values):
        tone = "white" if 2 * value > values.max() + values.min() else "black"
        place = {"ha": "center", "va": "center", "fontsize": size}
        ax.text(column + 0.5, row + 0.5, f"{value:.0f}", color=tone, **place)
    ax.set_xticks(np.arange(values.shape[1]) + 0.5, [f"{name:g}" for name in table.columns])
    ax.set_yticks(np.arange(values.shape[0]) + 0.5, [f"{name:g}" for name in table.index])
    ax.grid(False)
    ax.invert_yaxis()


def disc_or_memory(elapsed_s, measured_clicks, twice, faster, larger):
    """Draw the elapsed time for every disc and memory, with measured machines and offers framed."""
    figure, ax = plots.panels(height=2.9)
    _squares(ax, elapsed_s)
    memories, speeds = list(elapsed_s.columns), list(elapsed_s.index)
    measured = [(clicks, 1.0, "black", "-") for clicks in measured_clicks]
    doubled = [(memories[0], 2.0, "#d55e00", "-"), (twice, 1.0, "#d55e00", "-")]
    offers = [(memories[0], faster, "#d55e00", "--"), (larger, 1.0, "#d55e00", "--")]
    for clicks, speed, tone, style in measured + offers + doubled:
        corner = (memories.index(clicks) + 0.04, speeds.index(speed) + 0.04)
        ax.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, ec=tone, lw=3, ls=style))
    ax.set(xlabel="user memory (64-byte clicks)", ylabel="speed of the disc\n(times the RL01's)")
    ax.set_title("Seconds to finish the work of twelve processes")
    disc, memory = (elapsed_s.loc[faster, memories[0]], elapsed_s.loc[1.0, larger])
    return CAPTIONS.picture(
        figure,
        "disc_or_memory",
        factor="" if memories[0] == 650 else f", times {memories[0] / 650:.3g}",
        times=larger / memories[0],
        smallest=memories[0],
        faster=faster,
        disc=disc,
        larger=larger,
        memory=memory,
        before=elapsed_s.loc[1.0, memories[0]],
        half=elapsed_s.loc[2.0, memories[0]],
        twice=twice,
        double=elapsed_s.loc[1.0, twice],
    )


def whereabouts(places):
    """Draw which processes are in core, moment by moment."""
    figure, ax = plots.panels(height=2.4)
    blue, orange = plots.colours(2)
    charts.timeline(ax, places, {"in core": blue, "on the way": orange})
    here = places[places["place"] != "out"]
    most = max(((here["from_s"] <= t) & (t < here["to_s"])).sum() for t in here["from_s"])
    count = places["process"].nunique()
    return CAPTIONS.picture(figure, "whereabouts", "right", most=most, processes=count)


def seek_curve(p):
    """Draw the seek time by distance, with the published times."""
    track_ms, mean_ms, _ = p.disc_seek_ms
    figure, ax = plots.panels(height=2.4)
    seek_ms = seek_table(p.disc_cylinders, *p.disc_seek_ms)
    ax.plot(range(p.disc_cylinders), seek_ms, color=plots.colours(1)[0], label="simulator")
    ax.axhline(mean_ms, color="black", lw=1, ls=":", label="published average")
    charts.published(ax, [1], [track_ms], "published, track to track")
    ax.set(xlabel="distance (cylinders)", ylabel="seek (ms)", ylim=0)
    return CAPTIONS.picture(figure, "seek_curve", "right", track_ms=track_ms, mean_ms=mean_ms)


def figure_1(pairs):
    """Draw Figure 1: what Equation 3.1 and the simulator predict, against the measurements."""
    figure, ax = plots.panels(height=3.4)
    ax.axline((600, 600), slope=1, color="0.4", lw=1)
    larger = np.sign(pairs["process_clicks_b"].str[0] - pairs["process_clicks_a"].str[0])
    blue, _, green, red = plots.colours(4)
    looks = {0: (blue, "o", "equal"), 1: (green, "^", "smaller"), -1: (red, "v", "larger")}
    for way, (tone, marker, word) in looks.items():
        x, y = pairs.loc[larger == way, ["elapsed_s_b", "predicted_s"]].to_numpy().T
        label = f"Equation 3.1,\nfrom {word} sizes"
        ax.plot(x, y, marker, color=tone, ms=4, alpha=0.6, label=label)
    for kind, face, word in (("predicted", "black", "held out"), ("fitted", "white", "fitted")):
        x, y = pairs.loc[pairs["kind_b"] == kind, ["elapsed_s_b", "simulated_s"]].to_numpy().T
        ax.plot(x, y, "D", color="black", mfc=face, ms=5, label=f"simulator,\n{word}")
    labels = {"xlabel": "measured elapsed time (s)", "ylabel": "predicted (s)"}
    ax.set(title="Figure 1, reconstructed", **labels)
    off = 100.0 * pairs[["equation_off", "simulator_off"]].mean()
    return CAPTIONS.picture(
        figure,
        "figure_1",
        "right",
        equation_off=off["equation_off"],
        pairs=len(pairs),
        simulator_off=off["simulator_off"],
    )


def _by_size(six, draw):
    """Let ``draw(ax, colour, memory, group)`` draw each group of runs, a panel per size."""
    figure, axes = plots.panels(1, 2, height=3.0, sharey=True)
    for ax, size in zip(axes, (157, 314), strict=True):
        groups = six[six["process_clicks"].str[0] == size].groupby("memory_clicks")
        for colour, (memory, group) in zip(plots.colours(3), groups, strict=False):
            draw(ax, colour, memory, group)
        ax.set(title=f"Processes of {size} clicks", xlabel="processes")
    return figure, axes


def figure_2(six, ours, printed):
    """Draw Figure 2: elapsed time by processes."""

    def draw(ax, colour, memory, group):
        x, mean = group["processes"], ours.loc[group.index]
        half_width = mean["elapsed_s_half_width"]
        plots.band(ax, x, mean["elapsed_s"], half_width, colour, f"{memory} clicks, simulated")
        ax.plot(x, group["elapsed_s"], mec=colour, **OPEN)
        as_printed = printed.loc[group.index, "elapsed_s"]
        ax.plot(x + 0.12, as_printed.where(as_printed != group["elapsed_s"]), "x", color=colour)

    figure, axes = _by_size(six, draw)
    axes[0].plot([], [], mec="0.3", label="measured", **OPEN)
    axes[0].plot([], [], "x", color="0.3", label="published, probably a misprint")
    axes[0].set_ylabel("elapsed time (s)")
    off = 100.0 * (ours.loc[six.index, "elapsed_s"] / six["elapsed_s"] - 1.0).abs().mean()
    return CAPTIONS.picture(figure, "figure_2", "below", off=off)


def swaps_of_the_network(six, ours, network):
    """Draw swaps by processes: measured, simulated and by Chen's network."""

    def draw(ax, colour, memory, group):
        x = group["processes"]
        ax.plot(x, network.loc[group.index, "swaps"], color=colour, ls="--")
        ax.plot(x, ours.loc[group.index, "swaps"], color=colour, label=f"{memory} clicks")
        ax.plot(x, group["swaps"], mec=colour, **OPEN)

    figure, axes = _by_size(six, draw)
    axes[0].plot([], [], color="0.3", ls="--", label="Chen's network")
    axes[0].plot([], [], mec="0.3", label="measured", **OPEN)
    axes[0].set_ylabel("swaps")
    full = six.index[six["processes"] == 12]
    shares = [100.0 * (f.loc[full, "swaps"] / six["swaps"]).mean() for f in (ours, network)]
    told = dict(zip(("simulated", "network"), shares, strict=True))
    return CAPTIONS.picture(figure, "swaps_of_the_network", "below", **told)


def where_the_equation_fails(steps):
    """Draw the error of Equation 3.1 in steps of memory, by the less busy run's utilization."""
    figure, ax = plots.panels(height=3.0)
    blue, orange = plots.colours(2)
    for size, tone, marker in ((157, blue, "o"), (314, orange, "s")):
        own = steps[steps["process_clicks_b"].str[0] == size]
        ax.plot(own["utilization"], own["error"], marker, color=tone, label=f"{size} clicks")
    ax.axhline(0, color="0.4", lw=1)
    ax.axvline(80, color="0.4", lw=1, ls=":")
    ax.set(xlabel="utilization of the less busy run (%)", ylabel="error of Equation 3.1 (%)")
    ax.set(title="The thesis trusts the formula right of 80 %")
    ends = {"least": steps["error"].min(), "most": steps["error"].max(), "count": len(steps)}
    return CAPTIONS.picture(figure, "where_the_equation_fails", "right", **ends)


def lead(moved, headline, found, together):
    """Draw the headline's lead, in percentage points, over each parameter's values.

    ``moved`` is as ``sensitivity.committed`` returns, ``found`` as ``rests.rests``; ``together`` is
    the share of Morris's points at which the lead is above 0.
    """
    rows = moved[moved["conclusion"] == headline.conclusion]
    rows = rows.assign(margin=100.0 * (rows["margin"] + headline.held_to))
    own = rows.loc[rows["parameter"] == "", "margin"].item()
    ends = rows[rows["parameter"] != ""].groupby("parameter")["margin"].agg(["min", "max"])
    low, high = ends["min"].clip(upper=own), ends["max"].clip(lower=own)
    order = (high - low).sort_values(ascending=False).index
    figure, ax = plots.panels(height=0.9 + 0.16 * len(ends))
    ax.barh(range(len(ends)), (high - low)[order], 0.7, low[order], color=plots.colours(1)[0])
    ax.axvline(0, color="black", lw=1.2)
    ax.axvline(own, color="0.4", lw=1, ls=":")
    ax.set_yticks(range(len(ends)), [name.replace("_", " ") for name in order], fontsize="x-small")
    ax.set(ylim=(len(ends) - 0.5, -0.5), xlim=(min(-2.0, low.min() - 2.0), None))
    ax.set_xlabel("lead of the disc over memory (percentage points of the time)")
    numbers = {"least": low.min(), "most": high.max(), "own": found["text"][rests.AS_FITTED]}
    one_sign = "is the same at every move" if rests.sign(found) == rests.SIGNS[0] else "changes"
    fits = (
        "Other fits as good are left out"
        if rests.OTHER in found.index
        else "No other fit is as good"
    )
    told = {"count": len(ends), "sign": one_sign, "fits": fits, "together": 100.0 * together}
    return CAPTIONS.picture(figure, "lead", **numbers, **told)


def patience(elapsed_s, swaps):
    """Draw elapsed time and swaps by the two minimum times."""
    figure, axes = plots.panels(1, 2, height=3.0)
    tables = {"Elapsed time (s)": elapsed_s, "Swaps": swaps}
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        _squares(ax, table, 8.5)
        ax.set(title=title, xlabel="minimum time in (s)", ylabel="minimum time out (s)")
    ends = {}
    for name, table in (("", elapsed_s), ("_swaps", swaps)):
        ends |= {"first" + name: table.iloc[3, 0], "last" + name: table.iloc[3, -1]}
    named = {"out": elapsed_s.index[3], "longest": elapsed_s.columns[-1]}
    return CAPTIONS.picture(figure, "patience", **ends, **named)


def variants(differences, swaps):
    """Draw each variant's ``change`` of time with its ``half_width`` in percent, and its swaps.

    The first of ``swaps`` is the unchanged machine's.
    """
    figure, (ax, beside) = plots.panels(1, 2, height=3.1, sharey=True, width_ratios=[3, 2])
    at = np.arange(len(differences))
    tones = [plots.colours(4)[2] if x < 0 else plots.colours(4)[3] for x in differences["change"]]
    bars = {"xerr": differences["half_width"], "error_kw": {"ecolor": "black"}}
    ax.barh(at, differences["change"], 0.6, color=tones, **bars)
    ax.axvline(0, color="0.3", lw=1)
    ax.set_yticks(at, differences.index)
    ax.invert_yaxis()
    ax.set(xlabel="change of elapsed time (%)", title="Time")
    beside.barh(at, swaps.loc[differences.index], 0.6, color="0.7")
    beside.axvline(swaps.iloc[0], color="0.3", ls=":")
    beside.set(xlabel="swaps", title="Swaps")
    best = differences["change"].idxmin()
    return CAPTIONS.picture(
        figure,
        "variants",
        swaps=swaps.iloc[0],
        best=best,
        change=short(differences.loc[best, "change"], 3),
    )


def at_the_disc(found):
    """Draw how often how many requests are at the disc, simulated and by convolution."""
    figure, ax = plots.panels(height=2.5)
    blue, orange = plots.colours(2)
    ax.bar(found.index, found["simulated"], 0.7, color=blue, label="simulated")
    own = found["convolution"].loc[:5]
    ax.plot(own.index, own, "D-", color=orange, mec="white", label="Buzen's convolution")
    ax.set(xlabel="requests at the disc", ylabel="share of the time", xticks=found.index)
    idle = {"idle": 100.0 * found["simulated"][0], "network_idle": 100.0 * own[0]}
    return CAPTIONS.picture(figure, "at_the_disc", "right", most=found.index.max(), **idle)


def quanta(simulated, curve, smallest_s):
    """Draw round robin by quantum: the share of time that swaps take, and two responses."""
    figure, axes = plots.panels(1, 2, height=3.0)
    blue, orange, green = plots.colours(3)
    one = simulated.loc[1]
    axes[0].plot(curve.index, 100 * curve["swapping"], color=blue, label="Kleinrock's model")
    axes[0].plot(one["quantum_s"], 100 * one["swapping"], "o", color=orange, label="simulated")
    axes[1].plot(curve.index, curve["response_s"], color=green, label="to 1 s of work")
    axes[1].plot(curve.index, curve["mean_response_s"], "--", color=green, label="mean of all")
    axes[0].set(ylabel="swapping (% of time)", ylim=0)
    axes[1].set(ylabel="response (s)", yscale="log")
    axes[1].set_yticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
    for ax in axes:
        ax.axvline(smallest_s, color="0.4", ls=":", label="two swap times")
        ax.set(xlabel="quantum (s)", xscale="log")
        ax.set_xticks([0.2, 0.5, 1, 2, 5, 10], ["0.2", "0.5", "1", "2", "5", "10"])
        ax.minorticks_off()
    of_the_model, of_ours = 100.0 * curve["swapping"], 100.0 * one["swapping"]
    return CAPTIONS.picture(
        figure,
        "quanta",
        "below",
        shortest=curve.index[0],
        longest=curve.index[-1],
        most=of_the_model.iloc[0],
        least=of_the_model.iloc[-1],
        simulated_most=of_ours.max(),
        simulated_least=of_ours.min(),
        response_short=curve["response_s"].iloc[0],
        response_long=curve["response_s"].iloc[-1],
    )


def thrashing(found, curve):
    """Draw throughput by processes, simulated and by the paging model, and the lifetimes."""
    figure, (ax, other) = plots.panels(1, 2, height=3.0)
    blue, orange = plots.colours(2)
    ax.plot(found.index, found["throughput_per_s"], "o-", color=blue, label="simulated")
    own = curve.programs >= found.index.min()
    ax.plot(curve.programs[own], curve.throughput_per_s[own], color=orange, label="paging's model")
    ax.set(xlabel="processes", ylabel="interactions per second", ylim=0)
    known = found[found["swap_s"].lt(0.1)]
    other.plot(known.index, known["lifetime_s"], "o", color=blue)
    other.plot(curve.programs[own], curve.lifetime_s[own], color=orange)
    other.plot(known.index, known["swap_s"], ":", color="0.3", label="a swap (s)")
    other.set(xlabel="processes", ylabel="work between swaps (s)", yscale="log")
    other.set_yticks([0.05, 0.1, 0.2, 0.5], ["0.05", "0.1", "0.2", "0.5"])
    other.minorticks_off()
    per_s, model = found["throughput_per_s"], curve.throughput_per_s[own]
    return CAPTIONS.picture(
        figure,
        "thrashing",
        "below",
        peak=per_s.max(),
        at=per_s.idxmax(),
        last=per_s.iloc[-1],
        many=per_s.index[-1],
        model_low=model.min(),
        model_high=model.max(),
    )
