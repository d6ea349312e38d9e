"""Published numbers against ours: tolerance set beforehand, verdict, headline.

A scorecard is a frame with a row a published cell or claim. Its kinds are "fitted" (a
calibration cell), "predicted" (by the simulator), "arithmetic" (arithmetic on published
numbers), and "claim" (a statement of the text). They are always counted apart. Cells "by
construction", inputs and what follows from fitted cells or was given in another way, are shown
and not counted.
"""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd

from perfkit.values import is_number, is_truth
from perfkit.wording import short, with_half_width

COLUMNS = [
    "item",
    "cell",
    "quantity",
    "kind",
    "published",
    "ours",
    "half_width",
    "tolerance",
    "reproduced",
    "note",
]
KINDS = {
    "arithmetic": "cells of arithmetic",
    "predicted": "predicted cells",
    "claim": "claims",
    "fitted": "cells that were fitted on",
}
BY_CONSTRUCTION = "by construction"
DEFAULT_RELATIVE_TOLERANCE = 0.10
COMMITTED = Path(__file__).resolve().parents[1] / "notebooks" / "scorecards"


def cells(
    item,
    cell,
    quantity,
    kind,
    published,
    ours,
    half_width=np.nan,
    *,
    relative=None,
    absolute=None,
    note="",
):
    """Return scorecard rows for cells compared by their distance.

    Columns go together by position, whatever the labels of a Series.

    Parameters
    ----------
    item : str or array_like of str
        Where the numbers stand: "Table VI".
    cell : array_like of str
        Which cell of it, a name a value.
    quantity : str
        What is compared, with its unit.
    kind : str or array_like of str
        "fitted", "predicted", "arithmetic" or "by construction".
    published, ours : array_like of float
    half_width : array_like of float
        Of our 95 % interval over replications; not a number where nothing is random.
    relative, absolute : float or array_like of float, optional
        The tolerance: either a share of the published value or a number; 10 % by default.
        It is the paper's own stated error where it states one.
    note : str or array_like of str
        The diagnosis of what is not reproduced.
    """
    if relative is not None and absolute is not None:
        raise ValueError("relative and absolute are two ways to say one tolerance; give one.")
    _check_lengths(
        cell=cell,
        published=published,
        ours=ours,
        item=item,
        quantity=quantity,
        kind=kind,
        half_width=half_width,
        relative=relative,
        absolute=absolute,
        note=note,
    )
    _check_kinds(kind)
    _check_tolerance("relative", relative)
    _check_tolerance("absolute", absolute)
    published = np.asarray(published, float)
    ours = np.asarray(ours, float)
    if absolute is None:
        share = DEFAULT_RELATIVE_TOLERANCE if relative is None else np.asarray(relative, float)
        tolerance = share * np.abs(published)
    else:
        tolerance = np.broadcast_to(np.asarray(absolute, float), published.shape)
    hit = np.abs(ours - published) <= tolerance + 1e-9
    return pd.DataFrame(
        {
            "item": _by_position(item),
            "cell": _by_position(cell),
            "quantity": _by_position(quantity),
            "kind": _by_position(kind),
            "published": published,
            "ours": ours,
            "half_width": _by_position(half_width),
            "tolerance": tolerance,
            "reproduced": hit,
            "note": _by_position(note),
        }
    )[COLUMNS]


def _check_lengths(**columns):
    lists = {n: v for n, v in columns.items() if np.iterable(v) and not isinstance(v, str)}
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        raise ValueError(f"There must be one value a cell, or one for all; there are {told}.")


def _check_tolerance(name, tolerance):
    for one in [] if tolerance is None else np.ravel(tolerance):
        if not is_number(one) or not one >= 0.0:
            raise ValueError(f"{name} must be a tolerance of 0 or more; {one} is not.")


def _check_kinds(kind):
    allowed = [*(name for name in KINDS if name != "claim"), BY_CONSTRUCTION]
    others = [name for name in np.ravel(_by_position(kind)).tolist() if name not in allowed]
    if others:
        raise ValueError(f"A cell's kind must be {', '.join(allowed)}; {others[0]!r} is not.")


def _by_position(value):
    """Return a Series without its labels, anything else as it is."""
    return value.to_numpy() if hasattr(value, "to_numpy") else value


def reading_notes(printed, read):
    """Return a note a cell: what is printed where our reading differs, else nothing."""
    return [
        "" if p == r else f"our reading; printed {p:g}" for p, r in zip(printed, read, strict=True)
    ]


def claim(
    item,
    statement,
    holds,
    *,
    quantity="",
    published=np.nan,
    ours=np.nan,
    half_width=np.nan,
    note="",
):
    """Return the scorecard row of a claim of the text, which holds or not.

    Parameters
    ----------
    item, statement : str
        Where it stands and what it says, in our words.
    holds : bool
        Whether the inequality holds at 95 % confidence over replications.
    quantity : str
        The number behind it, and what was asked of it.
    published, ours, half_width : float
        The number that it was held against, what ours came to, and its 95 % half-width.
    note : str
        The diagnosis if it does not hold.
    """
    if not is_truth(holds):
        raise TypeError(f"A claim holds or not, True or False; {holds!r} is neither.")
    row = [
        item,
        statement,
        quantity,
        "claim",
        published,
        ours,
        half_width,
        np.nan,
        bool(holds),
        note,
    ]
    return pd.DataFrame([row], columns=COLUMNS)


def gather(*parts):
    """Return one scorecard from its parts."""
    parts = [part.dropna(axis=1, how="all") for part in parts]
    return pd.concat(parts, ignore_index=True).reindex(columns=COLUMNS)


def summary(card):
    """Return, by item and kind, how many of how many are reproduced."""
    counts = card.groupby(["item", "kind"], sort=False)["reproduced"].agg(["sum", "count"])
    counts["share"] = (counts["sum"] / counts["count"]).round(2)
    return counts.rename(columns={"sum": "reproduced", "count": "of"})


def undecided(card):
    """Return which claims are neither shown nor refuted.

    They have no interval, as after a single run, or nothing that could be tested.
    """
    numbers = card[["ours", "half_width"]].astype(float)
    unknown = numbers["ours"].isna() | np.isinf(numbers["half_width"])
    return unknown & (card["kind"] == "claim") & ~card["reproduced"].astype(bool)


def headline(card):
    """Return one sentence: how many of how many are reproduced, kind by kind.

    What is undecided is not reproduced, but told.
    """
    if card is None:
        return "Not run yet."
    parts = []
    for kind, words in KINDS.items():
        rows = card[card["kind"] == kind]
        if len(rows):
            open_ones = undecided(rows).sum()
            told = f" ({open_ones} undecided)" if open_ones else ""
            parts.append(f"{int(rows['reproduced'].sum())} of {len(rows)} {words}{told}")
    return "Reproduced: " + ", ".join(parts) + "."


def missed(card):
    """Return what is not reproduced, with its diagnosis, for reading: few digits of a number.

    What a claim was held against is in its quantity, for it is seldom a published number.
    """
    rows = card[~card["reproduced"].astype(bool)]
    columns = ["item", "cell", "quantity", "kind", "published", "ours", "half_width", "note"]
    numbers = with_half_widths(rows)
    published = rows["published"].map(lambda number: short(number, 3)).astype(object)
    numbers["published"] = published.mask(rows["kind"] == "claim", "")
    return rows.assign(**numbers)[columns].fillna("").reset_index(drop=True)


def with_half_widths(card):
    """Return ``ours`` and ``half_width`` of a scorecard as texts, for reading."""
    pairs = zip(card["ours"], card["half_width"], strict=True)
    both = [with_half_width(*pair) for pair in pairs]
    return pd.DataFrame(both, card.index, ["ours", "half_width"], dtype=object)


def errors(card):
    """Return the mean absolute error by quantity and kind, in percent and in the unit.

    A published zero counts in the unit only.
    """
    rows = card[card["kind"].isin(["fitted", "predicted"])].copy()
    rows["absolute"] = (rows["ours"] - rows["published"]).abs()
    rows["percent"] = 100.0 * rows["absolute"] / rows["published"].abs().replace(0.0, np.nan)
    return rows.groupby(["item", "quantity", "kind"], sort=False)[["percent", "absolute"]].mean()


def folder():
    """Return where scorecards are read from: PERFKIT_RESULTS, else the committed ones."""
    return _of_this_run() or COMMITTED


def _of_this_run():
    """Return the folder that PERFKIT_RESULTS names; None if it is unset or empty."""
    named = os.environ.get("PERFKIT_RESULTS")
    return Path(named) if named else None


def save(card, key):
    """Write a study's scorecard for the index, when the runner asks for it.

    Only a run under ``python -m perfkit reproduce`` (which sets PERFKIT_RESULTS) writes;
    a notebook that a reader plays with leaves no file.
    """
    if _of_this_run():
        path = folder() / f"{key}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = path.with_suffix(".part")
        card.to_csv(whole, index=False, float_format="%.6g")
        whole.replace(path)


def note_conditions(key, values, where):
    """Remember beside a scorecard in which notebook parameters its run was not the notebook's own.

    Parameters
    ----------
    key : str
    values : dict
        Those that differ from the notebook's.
    where : path
        The scorecard's folder.
    """
    if (Path(where) / f"{key}.csv").exists():
        (Path(where) / f"{key}.json").write_text(json.dumps(values))


def conditions(key, where=None):
    """Return the notebook parameters that a scorecard was made with, as far as they differ.

    Parameters
    ----------
    key : str
    where : path, optional
        The folder, as in ``load``.
    """
    path = Path(where or folder()) / f"{key}.json"
    if not path.exists():
        return {}
    try:
        values = json.loads(path.read_text())
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}.") from None
    except ValueError as error:
        raise ValueError(f"{path} can't be read as JSON: {error}.") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path} must hold parameters by name, not {values!r}.")
    return values


def told_conditions(key, where=None):
    """Return in words how a scorecard's run differs from the notebook's; empty if it doesn't."""
    changed = ", ".join(f"{name} = {value}" for name, value in conditions(key, where).items())
    return f"made with {changed}, not the notebook's own values" if changed else ""


def load(key, where=None):
    """Return a study's scorecard, or None if no run has left one.

    Parameters
    ----------
    key : str
    where : path, optional
        The folder; by default that of this run or, without one, the committed one.
    """
    path = Path(where or folder()) / f"{key}.csv"
    if not path.exists():
        return None
    try:
        card = pd.read_csv(path)
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no scorecard: {error}.") from None
    if list(card.columns) != COLUMNS:
        raise ValueError(f"{path} is no scorecard: its columns must be {', '.join(COLUMNS)}.")
    kinds = [*KINDS, BY_CONSTRUCTION]
    if card.empty or card["reproduced"].dtype != bool or not card["kind"].isin(kinds).all():
        raise ValueError(
            f"{path} is no scorecard: it must have rows, all of a kind ({', '.join(kinds)}) and"
            " reproduced True or False."
        )
    return card
