"""Pictures that commands draw into files: a run, how two machines differ, what a sweep found."""

import os
from pathlib import Path
from textwrap import fill

import numpy as np

from perfkit.core.extras import extra
from perfkit.core.values import is_finite
from perfkit.show.controls import shown

DRAWN = (".png", ".svg", ".pdf")
MARKS = "osD^v"  # of the values that have a colour each
MOST_ROWS = 24


def check_target(plot):
    """Return the file that a picture goes to, refused before anything is run."""
    if plot is None:
        return None
    path = Path(plot)
    if path.suffix.lower() not in DRAWN:
        raise ValueError(f"--plot takes a file that ends in {', '.join(DRAWN)}; '{plot}' does not.")
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {path.parent} to draw into.")
    with extra("plot", "--plot"):
        import matplotlib.pyplot  # noqa: F401
    return path


def save(path, title, draw, *asked):
    """Draw what ``draw(*asked)`` returns, under a title, into a file that appears whole or not."""
    import matplotlib

    matplotlib.use("agg")
    from perfkit.show import plots

    plots.use_style()
    figure, part = draw(*asked), path.with_name(f".{path.name}.part")
    title = "\n".join(fill(line, 74) for line in title)
    figure.suptitle(title, x=0.01, ha="left", size="medium", weight="bold")
    figure.savefig(part, format=path.suffix[1:].lower(), dpi=2 * plots.DPI)
    os.replace(part, path)


def one_run(simulate, parameters, seed):
    """Draw a run as its system is known for."""
    from perfkit.show import plots

    figure, ax = plots.panels(height=4.0)
    simulate(parameters, seed).plot(ax)
    ax.set_title(f"seed {seed}", size="small", weight="normal")
    return figure


def differences(frame, words):
    """Draw by how many percent measures clearly differ, the largest first, and count the others."""
    from perfkit.show import plots

    (own, other), clear = frame.columns[1:3], frame["sense"].isin(["more", "less"])
    percent = frame[["difference", "half_width"]].div(frame[own].abs() / 100.0, axis=0)
    percent = percent[clear & np.isfinite(percent["difference"])]
    rows = percent.sort_values("difference", key=abs, ascending=False, kind="stable")
    rows = rows[:MOST_ROWS]
    if rows.empty:
        raise ValueError("No measure clearly differs in percent, so nothing is drawn.")
    labels = [fill(words[name], 44) for name in frame["measure"][rows.index]]
    lines = "".join(labels).count("\n") + len(rows)
    figure, ax = plots.panels(height=1.7 + 0.16 * lines + 0.1 * len(rows))
    look = {"xerr": rows["half_width"], "fmt": "o", "ms": 5, "color": plots.colours(1)[0]}
    ax.errorbar(rows["difference"], range(len(rows)), **look)
    ax.axvline(0.0, color="0.3", lw=1)
    ax.set_yticks(range(len(rows)), labels, fontsize="small")
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlabel=f"{other} against {own} (%), 95 % intervals")
    told = f"{(~clear).sum()} of {len(frame)} measures are unclear or the same"
    if more := clear.sum() - len(rows):
        told += f"; {more} differ by less than these, or are 0 in {own}"
    figure.supxlabel(f"{told}.", size="small", x=0.01, ha="left")
    return figure


def swept(told, columns, measure, words):
    """Draw a measure over one parameter, over two at once, or over each of more in a panel."""
    from perfkit.show import plots

    crossed = len(columns) == 2 and told[columns].nunique().prod() < 2 * len(told)
    parts = [columns] if crossed else [[name] for name in columns]
    figure, axes = plots.panels(len(parts), height=2.7 if len(parts) > 1 else 4.0, squeeze=False)
    for ax, part in zip(axes[:, 0], parts, strict=True):
        x, *by = sorted(part, key=lambda name: told[name].nunique() <= len(MARKS))
        draw = _map if by and told[by[0]].nunique() > len(MARKS) else _lines
        draw(ax, told, measure, words, x, *by)
    pooled = "; in each panel the other parameters vary, too" * (len(parts) > 1)
    axes[0, 0].set_title(fill(words[measure] + pooled, 80), size="small", weight="normal")
    return figure


def _lines(ax, told, measure, words, x, by=None):
    """Draw a measure over one column, in a colour for each value of another."""
    from perfkit.show import plots

    numeric = all(map(is_finite, told[x]))
    groups = list(told.groupby(by, sort=False)) if by else [("", told)]
    for place, (value, part) in enumerate(groups):
        look = {"fmt": MARKS[place] + "-" * bool(by and numeric), "lw": 1, "label": shown(value)}
        look |= {"ms": 3 + 2 * (len(groups) - place), "color": plots.colours(len(groups))[place]}
        reach = part[f"{measure}_half_width"].where(np.isfinite)
        ax.errorbar(part[x] if numeric else part[x].map(shown), part[measure], reach, **look)
    ax.set_xlabel(words[x])
    if by:
        ax.legend(title=fill(words[by], 20), loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _map(ax, told, measure, words, x, y):
    """Draw a measure over two columns as a map of colours."""
    import seaborn as sns

    cells = told.pivot(index=y, columns=x, values=measure)[::-1]
    sns.heatmap(cells.rename(shown).rename(shown, axis=1), ax=ax, cmap="viridis")
    ax.set(xlabel=words[x], ylabel=words[y])
    ax.tick_params(axis="y", rotation=0)
