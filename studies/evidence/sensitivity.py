"""Which conclusions of a study survive when its uncertain parameters move.

A study's ``conclusions`` module has ``CONCLUSIONS`` (a sentence by name), ``parameters()`` (the
baseline) and ``observe(parameters, seed)``, which returns ``Margins``: by how much each
conclusion holds in one repetition, above 0 if it does. Every calibrated and assumed parameter
moves through its plausible range, which its record states (``plausible=``) where 20 % either way
is not what is meant. Seeds are in common.
"""

import math
import shutil
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from perfkit.core.extras import extra
from perfkit.core.wording import short
from perfkit.runs import designs
from perfkit.runs.experiment import interval, summarize, sweep
from studies.evidence.kept_cards import COMMITTED, write

UNCERTAIN = ("calibrated", "assumed")
SHARE = 0.2
LEVELS = 4
HOLDS, FAILS, OPEN = "holds", "fails", "undecided"
COLUMNS = ["parameter", "value", "conclusion", "margin", "half_width", "repetitions", "verdict"]


class Margins(dict):
    """By how much each conclusion holds, by name: what a study's ``observe`` returns."""

    def measures(self):
        """Return the margins, as a system's result returns its measures."""
        return dict(self)


class Headline(NamedTuple):
    """The effect behind a headline: a conclusion's margin and the share that it was held to.

    ``effect`` says in words what is positive.
    """

    conclusion: str
    held_to: float
    effect: str


class Uncertain(NamedTuple):
    """A parameter that is not known: the ends of its range, or its other readings."""

    name: str
    values: tuple

    @property
    def range(self):
        """Whether what it may be is a range of numbers, rather than other readings."""
        return len(self.values) == 2 and all(type(v) in (int, float) for v in self.values)


def uncertain(parameters):
    """Return the uncertain parameters of a record, in its order.

    A number may be 20 % less or more, within its field's bounds, a switch may be the other way,
    a choice another; what the record states as plausible goes before, even where the paper states
    a number that can be read in two ways. Tuples of numbers are left out unless it states others.
    """
    unknown = []
    for spec in fields(parameters):
        values = spec.metadata["plausible"]
        if spec.metadata["status"] in UNCERTAIN or values is not None:
            value = getattr(parameters, spec.name)
            values = _by_default(spec.metadata, value) if values is None else values
            if set(values) - {value}:
                unknown.append(Uncertain(spec.name, tuple(values)))
    return unknown


def _by_default(detail, own):
    """Return what a field may be besides what it is, where its record says nothing."""
    if isinstance(own, bool):
        return (not own,)
    if isinstance(own, str):
        return detail["choices"] or ()
    if isinstance(own, tuple) or not math.isfinite(own) or own == 0:
        return ()
    ends = [(1.0 - SHARE) * own, (1.0 + SHARE) * own]
    if isinstance(own, int):
        ends = [min(own - 1, round(ends[0])), max(own + 1, round(ends[1]))]
    low, high = detail["low"], detail["high"]
    if low is not None:
        ends[0] = max(low, ends[0])
    if high is not None:
        ends[1] = min(high, ends[1])
    return tuple(ends)


def one_at_a_time(conclusions, replications=4, *, seed=0, progress=True, store=None):
    """Move every uncertain parameter to each of its values, the others as they are.

    ``conclusions`` is a study's module; ``progress`` and ``store`` are as in
    ``perfkit.runs.experiment.sweep``. One row per point and conclusion: ``parameter`` (empty: as it
    is), ``value``, ``conclusion``, ``margin`` (mean over seeds), ``half_width``, ``repetitions``,
    ``verdict``.
    """
    own = conclusions.parameters()
    values = {
        one.name: [value for value in one.values if value != getattr(own, one.name)]
        for one in uncertain(own)
    }
    values = {name: each for name, each in values.items() if each}
    moves = [(name, value) for name, each in values.items() for value in each]
    design = designs.one_at_a_time(own, values)
    settings = {"seed": seed, "progress": progress, "store": store}
    return _margins(conclusions, design, [("", ""), *moves], replications, settings)


def at_other_fits(conclusions, replications=4, *, seed=0, progress=True, store=None):
    """Return the same rows for the study's ``OTHER_FITS``, as good as the standing one.

    ``parameter`` is "fit", ``value`` its name. A study may have none: then there are no rows.
    """
    fits = getattr(conclusions, "OTHER_FITS", {})
    if not fits:
        return pd.DataFrame(columns=COLUMNS)
    own = conclusions.parameters()
    names = {name for changes in fits.values() for name in changes}
    usual = {name: getattr(own, name) for name in sorted(names)}
    design = pd.DataFrame([usual | changes for changes in fits.values()], dtype=object)
    settings = {"seed": seed, "progress": progress, "store": store}
    return _margins(conclusions, design, [("fit", name) for name in fits], replications, settings)


def _margins(conclusions, design, moves, replications, settings):
    """Return a row for each point of a design, named by its move, and each conclusion."""
    own = conclusions.parameters()
    runs = sweep(conclusions.observe, own, design, replications, **settings)
    means = summarize(runs, "point", list(conclusions.CONCLUSIONS))
    return pd.DataFrame(
        [
            _row(*move, name, *means.loc[point, [name, f"{name}_half_width"]], replications)
            for point, move in enumerate(moves)
            for name in conclusions.CONCLUSIONS
        ],
        columns=COLUMNS,
    )


def _row(parameter, value, conclusion, margin, half_width, repetitions):
    """Return one conclusion's row at one point."""
    sure = abs(margin) > half_width
    return {
        "parameter": parameter,
        "value": value,
        "conclusion": conclusion,
        "margin": margin,
        "half_width": half_width,
        "repetitions": repetitions,
        "verdict": (HOLDS if margin > 0 else FAILS) if sure else OPEN,
    }


def morris(conclusions, trajectories=6, *, seed=0, progress=True, store=None):
    """Screen the uncertain numbers by Morris's elementary effects, all moving together.

    Points are run once. One row per conclusion and parameter: ``mu_star`` (mean absolute effect of
    the whole range on the margin), its ``half_width``, ``sigma``; and, the same for all parameters,
    ``holds_share``: at how many points of all the conclusion held.
    """
    with extra("sweep", "Morris's screening"):
        from SALib.sample import morris as sample

    own = conclusions.parameters()
    moved = [one for one in uncertain(own) if one.range]
    names = [one.name for one in moved]
    bounds = [sorted(map(float, one.values)) for one in moved]
    problem = {"num_vars": len(moved), "names": names, "bounds": bounds}
    points = sample.sample(problem, trajectories, num_levels=LEVELS, seed=seed)
    design = pd.DataFrame(points, columns=names).astype(object)
    for name in names:
        if isinstance(getattr(own, name), int):
            design[name] = [round(value) for value in design[name]]
    settings = {"seed": seed, "progress": progress, "store": store}
    runs = sweep(conclusions.observe, own, design, 1, **settings)
    span = np.diff(bounds).T
    steps = np.diff(design.to_numpy(float).reshape(trajectories, -1, len(span.T)), axis=1) / span
    frames = []
    for name in conclusions.CONCLUSIONS:
        margins = runs[name].to_numpy(float)
        change = np.diff(margins.reshape(trajectories, -1, 1), axis=1)
        effects = np.where(steps != 0.0, change / np.where(steps, steps, 1.0), 0.0).sum(axis=1)
        means, half_widths = zip(*(interval(one) for one in np.abs(effects).T), strict=True)
        columns = {"conclusion": name, "parameter": names, "mu_star": means}
        columns |= {"half_width": half_widths, "sigma": effects.std(axis=0, ddof=1)}
        columns |= {"holds_share": float(np.mean(margins > 0))}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def survivors(frame):
    """Return by conclusion what it depends on: the moves at which it fails or is undecided.

    ``frame`` is as ``one_at_a_time`` returns. Indexed by conclusion, what survives everything
    first: ``fails`` and ``undecided``, texts.
    """
    moves = {}
    for name, rows in frame.groupby("conclusion", sort=False):
        moved = rows[rows["parameter"] != ""]
        texts = pd.Series([moved_to(row) for row in moved.itertuples()], moved.index, dtype=object)
        moves[name] = {
            verdict: ", ".join(texts[moved["verdict"] == verdict]) for verdict in (FAILS, OPEN)
        }
    table = pd.DataFrame(moves).T
    return table.iloc[np.argsort(table.map(len).sum(axis=1), kind="stable")]


def moved_to(row):
    """Return a row's move as text; a committed number is text with all its digits."""
    text = str(row.value)
    if "." in text and not text.startswith("("):
        text = short(float(text))
    return text if row.parameter == "fit" else f"{row.parameter} = {text}"


def committed(key, fits=False):
    """Return a study's committed table, as ``one_at_a_time`` gave it, or ``at_other_fits``."""
    path = COMMITTED / "sensitivity" / (f"{key}_fits.csv" if fits else f"{key}.csv")
    return pd.read_csv(path, dtype={"value": str}).fillna({"parameter": "", "value": ""})


def examine(key, conclusions, results, replications=4, trajectories=6, *, progress=True):
    """Examine a study, write what a move does and Morris's screening, and tell both in words.

    The tables go to the folder ``sensitivity`` of ``results``. Runs that are done are kept until
    the end, so that one that was killed goes on.
    """
    folder = Path(results) / "sensitivity"
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{key}.runs"
    settings = {"progress": progress, "store": kept}
    moved = one_at_a_time(conclusions, replications, **settings)
    screened = morris(conclusions, trajectories, **settings)
    write(at_other_fits(conclusions, replications, **settings), folder / f"{key}_fits.csv")
    write(moved, folder / f"{key}.csv")
    write(screened, folder / f"{key}_morris.csv")
    shutil.rmtree(kept)
    return told(conclusions, moved, screened)


def told(conclusions, moved, screened):
    """Return in words what becomes of each conclusion, what survives everything first."""
    shares = screened.groupby("conclusion")["holds_share"].first()
    as_it_is = moved[moved["parameter"] == ""].set_index("conclusion")["verdict"]
    lines = []
    for name, row in survivors(moved).iterrows():
        where = [f"{verdict} with {row[verdict]}" for verdict in (FAILS, OPEN) if row[verdict]]
        lines.append(f"{conclusions.CONCLUSIONS[name]}.")
        hangs = "; ".join(where) or "no single move changes that"
        lines.append(f"    Baseline: {as_it_is[name]}; {hangs}.")
        lines.append(f"    With all moved together it holds at {shares[name]:.0%} of the points.")
    return "\n".join(lines)
