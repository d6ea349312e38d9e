"""Scorecards as tables to read.

A verdict is one of four, with its mark: holds, refuted, undecided, misprint.
"""

import numpy as np
import pandas as pd

from perfkit.core.wording import short
from perfkit.show.tables import Table, pm, texts
from studies.evidence import scorecard

MARKS = {"holds": "✔", "refuted": "✘", "undecided": "?", "misprint": "⚠"}
WORDS = {"misprint": "the paper misprints"}
HIT, MISS = MARKS["holds"], MARKS["refuted"]


def verdict(row, kinds=False):
    """Return a scorecard row's verdict: its mark, how far ours is off, and its kind if asked."""
    if row.verdict:
        words = f"{MARKS[row.verdict]} {WORDS.get(row.verdict, row.verdict)}"
        return f"{words}, by construction" if row.kind == scorecard.BY_CONSTRUCTION else words
    error = row.ours - row.published
    share = f"{100.0 * error / abs(row.published):+.0f} %" if row.published else f"{error:+.2g}"
    words = f"{HIT if row.reproduced else MISS} {'0 %' if share in ('+0 %', '-0 %') else share}"
    return f"{words}, {row.kind}" if kinds or row.kind == "fitted" else words


def cells(card, null=False, why=False, caption=""):
    """Return rows of a scorecard as a table: what, paper, ours, how far off.

    With ``null`` the forecast without the simulator, and z, stand beside; with ``why`` the
    diagnosis.
    """
    card = card.reset_index(drop=True).fillna({"verdict": "", "note": "", "quantity": ""})
    what = card["cell"] if card["item"].nunique() < 2 else card["item"] + ": " + card["cell"]
    shown = {}
    if card["quantity"].nunique() > 1:
        shown["quantity"] = card["quantity"]
    claimed = card["verdict"] != ""
    shown["paper"] = card["published"].map(lambda value: short(value, 4)).mask(claimed, "")
    shown["ours"] = [pm(*pair) for pair in zip(card["ours"], card["half_width"], strict=True)]
    various = card["kind"].nunique() > 1
    shown["verdict"] = [verdict(row, various) for row in card.itertuples()]
    if null:
        shown["null"] = card["null"].map(lambda value: short(value, 3))
        shown["z"] = card["z"].map(lambda value: short(value, 2))
    if why:
        shown["why"] = card["note"]
    if not claimed.any() and card["quantity"].nunique() == 1 and card["quantity"].iloc[0]:
        caption = " ".join(filter(None, [caption, f"Quantity: {card['quantity'].iloc[0]}."]))
    shown = pd.DataFrame(shown).set_axis(list(what))
    return Table(shown, caption, np.flatnonzero(card["kind"] == "fitted"))


def beside(card, caption=""):
    """Return a scorecard's cells with one row per cell, paper beside ours under each quantity.

    A ✘ stands beside what misses its tolerance.
    """
    card = card.reset_index(drop=True)
    order = list(dict.fromkeys(card["cell"]))
    quantities = list(dict.fromkeys(card["quantity"]))
    if card.duplicated(["cell", "quantity"]).any():
        twice = card.loc[card.duplicated(["cell", "quantity"]), "cell"].iloc[0]
        raise ValueError(f"Each cell must stand once per quantity; {twice!r} stands twice.")
    columns = {}
    for quantity in quantities:
        rows = card[card["quantity"] == quantity].set_index("cell").reindex(order)
        missed = np.where(rows["reproduced"].isin([False]), f" {MISS}", "")
        columns[quantity, "paper"] = _as_printed(rows["published"])
        ours = texts(rows["ours"], 3)
        if (rows["half_width"] > 0.0).any():
            pairs = zip(rows["ours"], rows["half_width"], strict=True)
            ours = pd.Series([pm(*pair) for pair in pairs], rows.index)
        columns[quantity, "ours"] = ours + missed
    shown = pd.DataFrame(columns, index=order)
    known = card.groupby("cell", sort=False)["kind"].agg(lambda kinds: (kinds == "fitted").any())
    return Table(shown, caption, np.flatnonzero(known.reindex(order)))


def _as_printed(values):
    """Return published numbers as texts, with the decimals that any of them has."""
    places = [len(f"{value:.6g}".partition(".")[2]) for value in values.dropna()]
    decimals = max(places, default=0)
    return values.map(lambda value: "" if np.isnan(value) else f"{value:.{decimals}f}")


def claims(card, caption=""):
    """Return the claims of a scorecard as a table: what was asked, what came out, the verdict."""
    rows = card[card["verdict"].fillna("") != ""].reset_index(drop=True)
    table = pd.DataFrame(
        {
            "place": rows["item"],
            "claim": rows["cell"],
            "asked": rows["quantity"],
            "ours": [pm(*pair) for pair in zip(rows["ours"], rows["half_width"], strict=True)],
            "verdict": [verdict(row) for row in rows.itertuples()],
            "why": rows["note"].fillna(""),
        }
    )
    return Table(table, caption)


def verdicts(card):
    """Return what a scorecard comes to, kind by kind, with what a null meets beside."""
    lines = []
    for kind, words in scorecard.KINDS.items():
        rows = card[card["kind"] == kind]
        if kind == "claim" or rows.empty:
            continue
        counted = yardsticks(scorecard.tally(rows))
        lines.append({"": words, **counted, "meaning": scorecard.MEANINGS[kind]})
    verdicts = card.loc[card["kind"] == "claim", "verdict"].value_counts()
    counts = ", ".join(
        f"{verdicts.get(name, 0)} {mark} {WORDS.get(name, name)}" for name, mark in MARKS.items()
    )
    return Table(pd.DataFrame(lines), f"Claims: {counts}." if len(verdicts) else "")


def worth(card, words=None):
    """Return what each group of forecasts is worth: its hits, the null's, and those near by z.

    ``words`` are quantities' names where the scorecard has ours.
    """
    found = scorecard.counts(card).reset_index().replace({"quantity": words or {}})
    lines = [
        {"": f"{one['item']}: {one['quantity']}", "kind": one["kind"], **yardsticks(one)}
        for _, one in found.iterrows()
    ]
    return Table(pd.DataFrame(lines).assign(**{"beats the null": found["beats_null"]}))


def yardsticks(counted):
    """Return in words what ``scorecard.tally`` counted, by heading."""
    names = ("reproduced", "of"), ("null", "null_of"), ("z_within_2", "z_of")
    told = [f"{counted[hits]} of {counted[of]}" if counted[of] else "" for hits, of in names]
    return dict(zip(("reproduced", "the null", "z within 2"), told, strict=True))
