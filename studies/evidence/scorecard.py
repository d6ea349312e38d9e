"""Published numbers against ours: tolerance set beforehand, verdict, headline.

A scorecard is a frame with one row per published cell or claim. Its kinds are always counted
apart: ``KINDS`` says what each means. Beside a cell's verdict stand three columns. ``null`` is
what a reader would forecast without the simulator (``studies.evidence.nulls``). ``z`` is the
distance in units of the published value's own sampling error. ``half_width`` is how sure the
simulated one is.
"""

import numpy as np
import pandas as pd
from scipy import stats

from perfkit.core.values import is_number, is_truth

COLUMNS = [
    "item", "cell", "quantity", "kind", "published", "ours", "half_width", "tolerance",
    "reproduced", "verdict", "null", "z", "note",
]  # fmt: skip
KINDS = {
    "predicted": "predicted cells",
    "chosen in sight": "cells chosen in sight",
    "arithmetic": "cells of arithmetic",
    "bookkeeping": "cells of bookkeeping",
    "claim": "claims",
    "fitted": "cells that were fitted on",
}  # what is counted, and how a sentence calls it
MEANINGS = {
    "predicted": "in no fit, and stands without any one choice that was made after it was seen",
    "chosen in sight": "in no fit, but falls without a rule or value chosen after it was seen",
    "arithmetic": "follows from other printed numbers",
    "bookkeeping": "a sum or a count that a table must meet by itself",
    "claim": "a statement of the text",
    "fitted": "in the cost of the calibration",
    "by construction": "an input, or follows from inputs or fitted cells by an identity",
}
FORECAST = ("predicted", "chosen in sight")
BY_CONSTRUCTION = "by construction"
VERDICTS = HOLDS, REFUTED, UNDECIDED, MISPRINT = "holds", "refuted", "undecided", "misprint"
NEAR = 2.0  # standard deviations
BESIDE = (
    "a forecast without the simulator: {null} of {null_of}",
    "within two standard deviations: {z_within_2} of {z_of}",
)
DEFAULT_RELATIVE_TOLERANCE = 0.10


def cells(
    item, cell, quantity, kind, published, ours, half_width=np.nan, *, relative=None, absolute=None,
    spread=np.nan, runs=np.inf, note="",
):  # fmt: skip
    """Return scorecard rows for cells compared by their distance.

    Columns go together by position, whatever the labels of a Series; ``cell``, ``published`` and
    ``ours`` have a value per cell, the others too or one for all. ``item`` is where the numbers
    stand ("Table VI"), ``quantity`` what is compared, with its unit, and ``kind`` one of
    ``MEANINGS`` but "claim". ``half_width`` is of our 95 % interval over replications, not a number
    where nothing is random.

    The tolerance is a share of the published value (``relative``) or a number (``absolute``), 10 %
    by default; it is the paper's own stated error where it states one. ``spread`` is the standard
    deviation of the published number, as repetitions of the paper's own design (a session, three
    afternoons) have it, not a number where it is not known; ``z`` is the distance over it and the
    error of our mean together, which is the ``half_width`` over Student's factor for so many
    ``runs``. ``note`` is the diagnosis of what is not reproduced.
    """
    if relative is not None and absolute is not None:
        raise ValueError("relative and absolute are two ways to say one tolerance; give one.")
    columns = {"item": item, "cell": cell, "quantity": quantity, "kind": kind, "note": note}
    columns |= {"published": published, "ours": ours, "half_width": half_width}
    _check_lengths(**columns, relative=relative, absolute=absolute, spread=spread)
    columns = {name: _by_position(value) for name, value in columns.items()}
    allowed = [name for name in MEANINGS if name != "claim"]
    others = [name for name in np.ravel(columns["kind"]).tolist() if name not in allowed]
    if others:
        raise ValueError(f"A cell's kind must be {', '.join(allowed)}; {others[0]!r} is not.")
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
    known = np.nan_to_num(np.asarray(half_width, float), posinf=np.nan) / student(runs)
    spread = np.asarray(spread, float)
    error = np.hypot(np.where(spread > 0.0, spread, np.nan), known)
    columns |= {"published": published, "ours": ours, "tolerance": tolerance, "reproduced": hit}
    columns |= {"verdict": "", "null": np.nan, "z": (ours - published) / error}
    return pd.DataFrame(columns)[COLUMNS]


def exact(item, cell, printed, ours, tolerance, note="", kind="arithmetic", quantity=""):
    """Return scorecard rows of what follows from published numbers, with a tolerance.

    One printed number goes with any of ours.
    """
    ours = np.atleast_1d(np.asarray(ours, float))
    printed = np.broadcast_to(np.asarray(printed, float), ours.shape)
    return cells(item, cell, quantity, kind, printed, ours, absolute=tolerance, note=note)


def _check_lengths(**columns):
    lists = {n: v for n, v in columns.items() if np.iterable(v) and not isinstance(v, str)}
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        raise ValueError(f"There must be one value per cell, or one for all; there are {words}.")


def _check_tolerance(name, tolerance):
    for one in [] if tolerance is None else np.ravel(tolerance):
        if not is_number(one) or not one >= 0.0:
            raise ValueError(f"{name} must be a tolerance of 0 or more; {one} is not.")


def _by_position(value):
    """Return a Series without its labels, anything else as it is."""
    return value.to_numpy() if hasattr(value, "to_numpy") else value


def spread(half_width, repetitions, printed=1):
    """Return the standard deviation of a printed number, from our repetitions of its design.

    ``half_width`` is of the 95 % interval of our mean over so many repetitions; the printed number
    is the mean of ``printed``: one session, three afternoons.
    """
    return np.asarray(half_width, float) / student(repetitions) * (repetitions / printed) ** 0.5


def student(runs):
    """Return a 95 % half-width over the standard error of a mean of so many runs.

    Not a number for one.
    """
    return stats.t.ppf(0.975, np.asarray(runs, float) - 1.0)


def reading_notes(printed, read):
    """Return one note per cell: what is printed where our reading differs, else nothing."""
    return [
        "" if p == r else f"our reading; printed {p:g}" for p, r in zip(printed, read, strict=True)
    ]


def claim(
    item, statement, holds, *, quantity="", published=np.nan, ours=np.nan, half_width=np.nan,
    refuted=False, misprint=False, note="",
):  # fmt: skip
    """Return the scorecard row of a claim of the text: it holds, is refuted or is undecided.

    ``quantity`` is the number behind it, and what was asked of it: ``published``, what it was held
    against, ``ours`` with its 95 % ``half_width``. It ``holds`` if the inequality does at 95 %
    confidence over replications, and is ``refuted`` if the whole interval is on the other side; a
    ``misprint`` can't hold, because other printed numbers contradict it. ``note`` is the
    diagnosis if it does not hold.
    """
    if not is_truth(holds):
        raise TypeError(f"A claim holds or not, True or False; {holds!r} is neither.")
    verdict = HOLDS if holds else MISPRINT if misprint else REFUTED if refuted else UNDECIDED
    numbers = dict(published=published, ours=ours, half_width=half_width)
    row = dict(item=item, cell=statement, quantity=quantity, kind="claim", **numbers)
    row |= dict(reproduced=bool(holds), verdict=verdict, note=note)
    return pd.DataFrame([row]).reindex(columns=COLUMNS)


def gather(*parts):
    """Return one scorecard from its parts."""
    parts = [part.dropna(axis=1, how="all") for part in parts]
    return pd.concat(parts, ignore_index=True).reindex(columns=COLUMNS)


def counts(card, kinds=FORECAST):
    """Return how cells of some kinds fare by group: ours, the null's and z's.

    One row per item, quantity and kind: ``reproduced``, ``of``; ``null``, how many of the cells the
    null meets, and ``null_of``, how many it forecasts; ``z_within_2``, of ``z_of`` whose sampling
    error is known; and ``beats_null``, empty without a null.
    """
    rows = card[card["kind"].isin(list(kinds))].fillna({"quantity": ""})
    groups = rows.groupby(["item", "quantity", "kind"], sort=False)
    table = groups[["reproduced", "published", "tolerance", "null", "z"]].apply(tally)
    beats = (table["reproduced"] > table["null"]).astype(object)
    return table.assign(beats_null=beats.where(table["null_of"] > 0, ""))


def tally(rows):
    """Count rows of a scorecard: hits, the null's, and those within two standard deviations."""
    z = rows["z"].abs()
    found = {"reproduced": rows["reproduced"].sum(), "of": len(rows)}
    found |= {"null": null_hits(rows).sum(), "null_of": rows["null"].notna().sum()}
    found |= {"z_within_2": (z <= NEAR).sum(), "z_of": z.notna().sum()}
    return pd.Series(found).astype(int)


def null_hits(card):
    """Return which cells the null meets by the cell's own tolerance."""
    distance = (card["null"].astype(float) - card["published"].astype(float)).abs()
    return distance <= card["tolerance"].astype(float) + 1e-9


def headline(card):
    """Return one sentence: how many of how many are reproduced, kind by kind.

    Beside forecasts stands how many the nulls meet, and how many lie within two standard
    deviations, of those whose deviation is known; claims are told by verdict.
    """
    if card is None:
        return "Not run yet."
    parts = []
    for kind, words in KINDS.items():
        rows = card[card["kind"] == kind]
        if len(rows):
            comparison = _told_claims(rows) if kind == "claim" else _beside(rows, *BESIDE)
            parts.append(f"{int(rows['reproduced'].sum())} of {len(rows)} {words}{comparison}")
    return "Reproduced: " + ", ".join(parts) + "."


def told(card):
    """Return by kind 'N of M', and how many claims hold or don't.

    Beside forecasts stand the null's hits, and how many lie within two standard deviations (z).
    """
    words = {}
    for kind in KINDS:
        rows = card[card["kind"] == kind]
        beside = _beside(rows, "null {null} of {null_of}", "z {z_within_2} of {z_of}")
        hits = f"{int(rows['reproduced'].sum())} of {len(rows)}{beside}"
        words[kind] = hits if len(rows) else "-"
    verdicts = card.loc[card["kind"] == "claim", "verdict"].value_counts()
    del words["claim"]
    name = f"claims: {' / '.join(VERDICTS)}"
    return words | {name: " / ".join(str(verdicts.get(verdict, 0)) for verdict in VERDICTS)}


def _beside(rows, null, near):
    """Return in brackets what the null meets and what is near, as two templates tell it."""
    counted = tally(rows)
    known = {null: counted["null_of"], near: counted["null_of"] and counted["z_of"]}
    parts = [words.format(**counted) for words, there in known.items() if there]
    return f" ({'; '.join(parts)})" if parts else ""


def _told_claims(rows):
    verdicts = rows["verdict"].value_counts()
    others = [f"{verdicts[name]} {name}" for name in VERDICTS[1:] if verdicts.get(name, 0)]
    return f" ({', '.join(others)})" if others else ""


def errors(card):
    """Return the mean absolute error by quantity and kind, in percent and in the unit.

    A published zero counts in the unit only.
    """
    rows = card[card["kind"].isin(["fitted", *FORECAST])].copy()
    rows["absolute"] = (rows["ours"] - rows["published"]).abs()
    rows["percent"] = 100.0 * rows["absolute"] / rows["published"].abs().replace(0.0, np.nan)
    return rows.groupby(["item", "quantity", "kind"], sort=False)[["percent", "absolute"]].mean()
