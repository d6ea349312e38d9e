"""The command that simulates: run, one machine or two side by side."""

import textwrap

import pandas as pd

from perfkit import show
from perfkit.commands import pictures, words
from perfkit.commands.arguments import RUN_OPTIONS
from perfkit.commands.words import emit, pairs, read_parameters, width
from perfkit.core.wording import grouped
from perfkit.runs import experiment, what_if
from perfkit.runs.experiment import interval
from perfkit.show.controls import meanings
from perfkit.systems import find

NEAR = 1e-12


def run(given):
    """Simulate a system; print its measures, or those of two machines and their differences."""
    system, target = find(given.key).module(), pictures.check_target(given.plot)
    variants, counts = _asked(given, system.Parameters)
    *machines, told = what_was_run(given.key, system.Parameters, variants, counts)
    words.say_if_compiling(given.key)

    parameters = system.Parameters(**variants.get("", {}))
    if len(variants) > 1:
        runs = what_if.run(system.simulate, parameters, variants, **counts)
    else:
        runs = experiment.replicate(system.simulate, parameters, **counts)
    names = [name for name in system.MEASURES if name in runs]
    frame = compared(runs, names) if len(variants) > 1 else _measured(runs, names)
    frame["meaning"] = [system.MEASURES[name] for name in frame["measure"]]
    emit(given, frame, lambda: _text([*machines, told], runs, frame))
    if target:
        one = [pictures.one_run, system.simulate, parameters, counts["seed"]]
        two = [pictures.differences, frame, meanings(parameters)]
        pictures.save(target, machines, *(two if len(variants) > 1 else one))


def _asked(given, record):
    """Return what each machine of a line changes, by its name, and the numbers of runs."""
    behind = pairs(given.compare or ())
    given.values += [f"{name}={behind.pop(name)}" for name in RUN_OPTIONS if name in behind]
    asked, counts = counted(given, replications="10", seed="0")
    sides = (asked, behind)
    first, second = (read_parameters(given.key, record, one, RUN_OPTIONS) for one in sides)
    own, other = record(**first), record(**second)  # refused before anything is run
    if given.compare is None:
        return {"": first}, counts
    if own == other:
        raise ValueError("Both machines are the same; let --compare differ in a parameter.")
    if first and second:
        return {"A": first, "B": second}, counts
    return {"baseline": {}, "changed": first or second}, counts


def counted(given, **defaults):
    """Return a line's name=value texts, and of these, or of its options, the numbers of runs."""
    asked, counts = pairs(given.values), {}
    for name, default in defaults.items():
        if (own := getattr(given, name)) is not None and name in asked:
            raise ValueError(f"{name} is given twice.")
        counts[name] = words.count(name, asked.pop(name, default) if own is None else own)
    return asked, counts


def what_was_run(key, record, variants, counts):
    """Return in lines which machines were run, how they are changed, and how often."""
    lines = []
    for name, values in variants.items():
        parameters = record(**values)
        changed = [one for one, value in values.items() if value != getattr(record(), one)]
        told = ", ".join(_changed(parameters, one) for one in changed) or "baseline"
        sets = [_set(parameters, one) for one in changed if one in record.levers]
        if name != "baseline":
            lines += [f"{key}, {name}: {told}" if name else f"{key}, {told}", *sets]
    times, first = counts["replications"], counts["seed"]
    seeds = f"seed {first}" if times == 1 else f"seeds {first} to {first + times - 1}"
    return [*lines, f"{times} replication{'s' if times > 1 else ''} ({seeds})"]


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
        for change in [what_if.differences(runs, name)[other]]
    ]
    columns = ["measure", own, other, "difference", "half_width", "sense"]
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
        table = readable(frame)
        kind = "means, and differences over the same seeds with half-widths of 95 % intervals"
    else:
        table = _table(frame, {"mean": [words.estimate(runs[name]) for name in frame["measure"]]})
        kind = "means with half-widths of 95 % intervals"
    head = [textwrap.fill(line, width()) for line in (*told[:-1], f"{told[-1]}; {kind}")]
    return "\n".join([*head, "", table.text(width())])


def readable(frame):
    """Return what ``compared`` found, with meanings, as a table to read."""
    differs = zip(frame["difference"], frame["half_width"], strict=True)
    columns = {
        **{name: [grouped(value) for value in frame[name]] for name in frame.columns[1:3]},
        "difference": [grouped(*pair, signed=True) for pair in differs],
        "clear?": frame["sense"],
    }
    return _table(frame, columns)


def _table(frame, columns):
    shown = pd.DataFrame({**columns, "meaning": frame["meaning"]})
    return show.Table(shown.set_axis(list(frame["measure"])))
