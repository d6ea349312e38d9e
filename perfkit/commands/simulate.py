"""The command that simulates: run, alone or beside the baseline."""

import os
import textwrap
from pathlib import Path

import pandas as pd

from perfkit import show
from perfkit.commands.arguments import RUN_OPTIONS
from perfkit.commands.words import (
    count,
    emit,
    estimate,
    pairs,
    read_parameters,
    say_if_compiling,
    width,
)
from perfkit.core.extras import extra
from perfkit.core.wording import grouped
from perfkit.runs import experiment, what_if
from perfkit.runs.experiment import interval
from perfkit.runs.what_if import differences
from perfkit.systems import find

DRAWN = (".png", ".svg", ".pdf")
OWN, CHANGED = "baseline", "changed"
NEAR = 1e-12


def run(given):
    """Simulate a system; print its measures, or its measures beside the baseline's."""
    system = find(given.key).module()
    values, counts = _asked(given, system.Parameters)
    parameters = system.Parameters(**values)
    changed = {n: v for n, v in values.items() if v != getattr(system.Parameters(), n)}
    if given.compare and not changed:
        raise ValueError("--compare needs a parameter that differs; write name=value.")
    target = check_target(given.plot)

    say_if_compiling(given.key)

    if given.compare:
        variants = {OWN: {}, CHANGED: values}
        runs = what_if.run(system.simulate, system.Parameters(), variants, **counts)
    else:
        runs = experiment.replicate(system.simulate, parameters, **counts)
    names = [name for name in system.MEASURES if name in runs]
    told = what_was_run(given.key, parameters, list(changed), counts)
    frame = compared(runs, names) if given.compare else _measured(runs, names)
    frame["meaning"] = [system.MEASURES[name] for name in frame["measure"]]
    emit(given, frame, lambda: _text(told, runs, frame))
    if target:
        save(target, lambda: _picture(told[0], system, parameters, frame, counts["seed"]))


def _asked(given, record):
    """Return the parameters and the numbers of runs that a line asks for, both checked."""
    asked, counts = counted(given, replications="10", seed="0")
    return read_parameters(given.key, record, asked, RUN_OPTIONS), counts


def counted(given, **defaults):
    """Return a line's name=value texts, and of these, or of its options, the numbers of runs."""
    asked, counts = pairs(given.values), {}
    for name, default in defaults.items():
        if (own := getattr(given, name)) is not None and name in asked:
            raise ValueError(f"{name} is given twice.")
        counts[name] = count(name, asked.pop(name, default) if own is None else own)
    return asked, counts


def what_was_run(key, parameters, changed, counts):
    """Return in lines which system was run, what its levers set, and how often."""
    told = ", ".join(_changed(parameters, name) for name in changed) or "baseline"
    sets = [_set(parameters, name) for name in changed if name in parameters.levers]
    times, first = counts["replications"], counts["seed"]
    seeds = f"seed {first}" if times == 1 else f"seeds {first} to {first + times - 1}"
    often = f"{times} replication{'s' if times > 1 else ''} ({seeds})"
    return [f"{key}, {told}", *sets, often]


def _changed(parameters, name):
    """Return in words what a parameter is and was."""
    own, unit = type(parameters)(), parameters.spec_of(name).metadata["unit"]
    text = f"{name} = {parameters.text_of(name) or 'none'} {unit}".strip()
    return f"{text} (baseline: {own.text_of(name)})"


def _set(parameters, name):
    """Return in words what a lever has set."""
    own = type(parameters)()
    pairs = [(one, own.text_of(one), parameters.text_of(one)) for one in own.sets(name)]
    return f"{name} sets " + ", ".join(f"{one} to {now} (from {was})" for one, was, now in pairs)


def _measured(runs, names):
    """Return each measure's mean and half-width."""
    rows = [(name, *interval(runs[name])) for name in names]
    return pd.DataFrame(rows, columns=["measure", "mean", "half_width"])


def compared(runs, names):
    """Return each measure of the first variant, the second, and the difference seed by seed."""
    means = runs.groupby("variant", sort=False)[names].mean()
    own, other = means.index
    rows = [
        (name, means.at[own, name], means.at[other, name], *interval(change), _sense(change))
        for name in names
        for change in [differences(runs, name)[other]]
    ]
    columns = ["measure", "as_it_is", "changed", "difference", "half_width", "sense"]
    return pd.DataFrame(rows, columns=columns)


def _sense(change):
    """Return whether a difference is clear at 95 %: more, less, same or unclear."""
    mean, half_width = interval(change)
    if mean != mean:
        return "not measured in both"
    if (change.dropna().abs() < NEAR).all():
        return "same"
    if abs(mean) <= half_width:
        return "unclear"
    return "more" if mean > 0 else "less"


def _text(told, runs, frame):
    """Return the answer as people read it."""
    if "difference" in frame:
        table = readable(frame, "baseline", "changed")
        kind = "means, and differences over the same seeds with half-widths of 95 % intervals"
    else:
        table = _table(frame, {"mean": [estimate(runs[name]) for name in frame["measure"]]})
        kind = "means with half-widths of 95 % intervals"
    head = [textwrap.fill(line, width()) for line in (*told[:-1], f"{told[-1]}; {kind}")]
    return "\n".join([*head, "", table.text(width())])


def readable(frame, own, other):
    """Return what ``compared`` found, with meanings, as a table to read."""
    differs = zip(frame["difference"], frame["half_width"], strict=True)
    columns = {
        own: [grouped(value) for value in frame["as_it_is"]],
        other: [grouped(value) for value in frame["changed"]],
        "difference": [grouped(*pair, signed=True) for pair in differs],
        "clear?": frame["sense"],
    }
    return _table(frame, columns)


def _table(frame, columns):

    shown = pd.DataFrame({**columns, "meaning": frame["meaning"]})
    return show.Table(shown.set_axis(list(frame["measure"])))


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


def save(path, figure):
    """Draw a figure into a file that appears whole or not at all.

    Parameters
    ----------
    path : pathlib.Path
    figure : callable
        Returns the figure, in perfkit's style.
    """
    import matplotlib

    matplotlib.use("agg")
    from perfkit.show import plots

    plots.use_style()
    part = path.with_name(f".{path.name}.part")
    figure().savefig(part, format=path.suffix[1:].lower(), dpi=2 * plots.DPI)
    os.replace(part, path)


def _picture(told, system, parameters, frame, seed):
    """Draw the differences, or the first run as its system is known for."""
    from perfkit.show import plots

    if "difference" in frame:
        return _differences(frame, told)
    figure, ax = plots.panels(height=4.0)
    system.simulate(parameters, seed).plot(ax)
    ax.set_title(textwrap.fill(f"{told}, seed {seed}", 70))
    return figure


def _differences(frame, told):
    """Draw by how many percent each measure differs, with its interval."""
    from perfkit.show import plots

    rows = frame[(frame["as_it_is"].abs() > 0) & (frame["difference"].notna())]
    if rows.empty:
        raise ValueError("No measure can be compared in percent, so nothing is drawn.")
    size = rows["as_it_is"].abs() / 100.0
    off, margin = rows["difference"] / size, rows["half_width"] / size
    figure, ax = plots.panels(height=1.2 + 0.24 * len(rows))
    ax.axvline(0.0, color="0.3", lw=1)
    colour = plots.colours(1)[0]
    ax.errorbar(off, range(len(rows)), xerr=margin, fmt="none", color=colour)
    for at, (x, sense) in enumerate(zip(off, rows["sense"], strict=True)):
        clear = {"mfc": colour} if sense in ("more", "less") else {"mfc": "white"}
        ax.plot(x, at, "o", ms=5, color=colour, **clear)
    ax.set_yticks(range(len(rows)), [name.replace("_", " ") for name in rows["measure"]])
    ax.set(ylim=(len(rows) - 0.5, -0.5))
    ax.set_xlabel("changed against the baseline (%), 95 % intervals; open: unclear")
    ax.set_title(textwrap.fill(told, 60), x=0.0)
    return figure
