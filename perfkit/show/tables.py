"""Tables to read: one frame for numbers, the same in a notebook, on a page and at a command line.

A verdict is one of four, with its mark: holds, refuted, undecided, misprint. What was fitted is
shaded and said so. Pictures are in ``perfkit.show.plots``.
"""

import re
import textwrap
import zlib

import numpy as np
import pandas as pd
from IPython.display import Markdown
from pandas.io.formats.style import Styler
from tabulate import tabulate

from perfkit.core.wording import short, with_half_width
from studies.evidence import kept_cards, scorecard

WIDTH = 96  # characters of the plain form
MOST_COLUMNS = 7
LEAST_TEXT, MOST_KEY = 12, 24
PADDING = 2  # that tabulate leaves beside headings
MARKS = {"holds": "✔", "refuted": "✘", "undecided": "?", "misprint": "⚠"}
WORDS = {"misprint": "the paper misprints"}
HIT, MISS = MARKS["holds"], MARKS["refuted"]
NUMBER = re.compile(r"^[-+−✘✔ ]*[\d.,e±%×inf +−-]*[✘✔*?]?$")
LOOK = [
    {"selector": "th, td", "props": "text-align: left; vertical-align: top;"},
    {"selector": "td.fitted", "props": "background-color: rgba(128, 128, 128, 0.18);"},
    {"selector": "caption", "props": "text-align: left; caption-side: bottom;"},
]
RIGHT = "text-align: right; font-variant-numeric: tabular-nums;"


class Table:
    """A table to read: HTML in a notebook, plain text within 96 columns elsewhere.

    Attributes
    ----------
    frame : pandas.DataFrame
        Of texts, as they are shown.
    caption : str
    """

    def __init__(self, frame, caption="", fitted=()):
        top = frame.columns.get_level_values(0).unique()
        if len(top) > MOST_COLUMNS:
            raise ValueError(
                f"A table to read has {MOST_COLUMNS} columns at most; this has {len(top)}."
                " Choose columns, or put them under common headings."
            )
        self.frame, self._fitted = frame, np.isin(np.arange(len(frame)), list(fitted))
        notes = [caption, "Shaded rows (marked f): fitted on." if self._fitted.any() else ""]
        self.caption = " ".join(filter(None, notes))

    def _with_index(self):
        names = [name or f"{'':{place}}" for place, name in enumerate(self.frame.index.names)]
        return self.frame.reset_index(names=names)

    def _plain_index(self):
        return isinstance(self.frame.index, pd.RangeIndex)

    def _repr_html_(self):
        shaded = np.where(self._fitted, "fitted", "")[:, None]
        whole = self.frame.reset_index(drop=True)
        classes = pd.DataFrame(np.tile(shaded, whole.shape[1]), whole.index, whole.columns)
        own = zlib.crc32(repr(self).encode())  # so that equal tables are equal on a page
        style = Styler(whole, uuid=f"{own:08x}", cell_ids=False, escape="html")
        deepest = f".level{whole.columns.nlevels - 1}"
        right = [
            {"selector": f"td.col{place}, th{deepest}.col{place}", "props": RIGHT}
            for place, column in enumerate(self.frame.astype(str).to_numpy().T)
            if all(NUMBER.match(text) for text in column)
        ]
        style = style.set_td_classes(classes).set_table_styles(LOOK + right)
        style = style.set_caption(self.caption) if self.caption else style
        if self._plain_index():
            return style.hide(axis="index").to_html()
        style.index = style.data.index = self.frame.index
        style.hide_index_ = [False] * self.frame.index.nlevels
        return style.to_html()

    def __repr__(self):
        return self.text()

    def text(self, width=WIDTH):
        """Return the table as lines of at most so many characters."""
        rows = self.frame.copy() if self._plain_index() else self._with_index()
        keys = 0 if self._plain_index() else self.frame.index.nlevels
        if self._fitted.any():
            mark = "  " if rows.columns.nlevels == 1 else ("  ", *[""] * (rows.columns.nlevels - 1))
            rows.insert(keys, mark, np.where(self._fitted, "f", ""))
            keys += 1
        parts = [_laid_out(part, width, keys) for part in _fitting(rows.astype(str), keys, width)]
        caption = [textwrap.fill(self.caption, width)] if self.caption else []
        return "\n\n".join(parts + caption)


def _heads(rows):
    """Return the headings of columns as texts, those of two levels on two lines."""
    names = [name if isinstance(name, tuple) else (name,) for name in rows.columns]
    return ["\n".join(str(part) for part in name if part != "") for name in names]


def _width(texts):
    return max((len(line) for text in texts for line in str(text).split("\n")), default=0)


def _least(rows, keys):
    """Return each column's least width, so that no number is broken.

    Of rows' names and of words of headings only those longer than MOST_KEY are.
    """
    found = []
    for k, head in enumerate(_heads(rows)):
        texts = rows.iloc[:, k]
        whole = _width(texts)
        if not _numbers(texts):
            whole = min(whole, MOST_KEY if k < keys else LEAST_TEXT)
        found.append(max(whole, PADDING + min(max(_width(head.split()), 1), MOST_KEY)))
    return found


def _numbers(texts):
    return all(NUMBER.match(text) for text in texts)


def _fitting(rows, keys, width):
    """Return the frame in parts that fit the width, each with the key columns."""
    needs = [2 + need for need in _least(rows, keys)]
    known = sum(needs[:keys])
    parts, part, used = [], [], known
    for column, need in list(enumerate(needs))[keys:]:
        if part and used + need > width:
            parts, part, used = [*parts, part], [], known
        part, used = [*part, column], used + need
    return [rows.iloc[:, [*range(keys), *part]] for part in [*parts, part] if part]


def _laid_out(rows, width, keys):
    """Return a frame of texts as lines of at most so many characters: long texts are broken."""
    number = [_numbers(rows.iloc[:, k]) for k in range(rows.shape[1])]
    heads, least = _heads(rows), _least(rows, keys)
    whole = [_width(rows.iloc[:, k]) for k in range(rows.shape[1])]
    whole = [max(own, _width([head]) + PADDING) for own, head in zip(whole, heads, strict=True)]
    widths = [max(pair) for pair in zip(whole, least, strict=True)]
    room = width - 2 * (len(widths) - 1)
    while sum(widths) > room and widths != least:
        over = [wide if wide > low else 0 for wide, low in zip(widths, least, strict=True)]
        widths[over.index(max(over))] -= 1
    heads = [
        "\n".join(_broken(head, wide - PADDING)) for head, wide in zip(heads, widths, strict=True)
    ]
    cells = [
        ["\n".join(_broken(text, wide)) for text, wide in zip(row, widths, strict=True)]
        for row in rows.to_numpy()
    ]
    sides = ["right" if right else "left" for right in number]
    text = tabulate(cells, heads, "simple", colalign=sides, disable_numparse=True)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _broken(text, width):
    return [part for line in text.split("\n") for part in textwrap.wrap(line, width) or [""]]


def pm(value, half_width):
    """Return a number and its half-width in two digits of it: ``"1.01 ± 0.02"``."""
    told, margin = with_half_width(float(value), float(half_width), most=4)
    return f"{told} ± {margin}" if margin and margin != "0" else told


def _texts(column, digits):
    """Return a column as texts: numbers with as many decimals each, so that points line up."""
    if column.dtype == bool or not pd.api.types.is_numeric_dtype(column):
        return column.map(lambda value: _text(value, digits)).astype(object)
    values = column.astype(float)
    sizes = values.abs()[np.isfinite(values) & (values != 0.0)]
    whole = (values.dropna() % 1 == 0).all()
    decimals = 0
    if len(sizes) and not whole:
        decimals = int(np.clip(digits - 1 - np.floor(np.log10(sizes.median())), 0, 6))
    lost = len(sizes) and not whole and (sizes < 0.5 * 10.0**-decimals).any()
    form = (lambda value: short(value, digits)) if lost else f"{{:.{decimals}f}}".format
    return values.map(lambda value: "" if np.isnan(value) else form(value)).astype(object)


def _text(value, digits):
    """Return one value as text: truths as words, numbers in digits, what is missing as nothing."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return short(float(value), digits)
    return "" if value is None or value is pd.NA or value is pd.NaT else str(value)


def table(frame, caption="", digits=3):
    """Return any frame as a table to read.

    Parameters
    ----------
    frame : pandas.DataFrame or pandas.Series
        At most seven columns, those under one heading counted once; labels are words with units.
    caption : str
    digits : int
        Significant digits of a column's typical number.

    Returns
    -------
    Table
    """
    frame = frame.to_frame() if isinstance(frame, pd.Series) else frame
    texts = [_texts(frame.iloc[:, place], digits) for place in range(frame.shape[1])]
    shown = pd.concat(texts, axis=1) if texts else frame
    shown.columns = frame.columns
    return Table(shown, caption)


def verdict(row, kinds=False):
    """Return a scorecard row's verdict: its mark, how far ours is off, and its kind if asked."""
    if row.verdict:
        told = f"{MARKS[row.verdict]} {WORDS.get(row.verdict, row.verdict)}"
        return f"{told}, by construction" if row.kind == scorecard.BY_CONSTRUCTION else told
    off = row.ours - row.published
    far = f"{100.0 * off / abs(row.published):+.0f} %" if row.published else f"{off:+.2g}"
    told = f"{HIT if row.reproduced else MISS} {'0 %' if far in ('+0 %', '-0 %') else far}"
    return f"{told}, {row.kind}" if kinds or row.kind == "fitted" else told


def cells(card, null=False, why=False, caption=""):
    """Return rows of a scorecard as a table: what, paper, ours, how far off.

    Parameters
    ----------
    card : pandas.DataFrame
        Rows as ``scorecard.cells`` or ``scorecard.claim`` returns.
    null : bool
        Whether the forecast without the simulator, and z, stand beside.
    why : bool
        Whether the diagnosis stands beside.
    caption : str

    Returns
    -------
    Table
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

    Parameters
    ----------
    card : pandas.DataFrame
        Rows as ``scorecard.cells`` returns, one per cell and quantity.
    caption : str

    Returns
    -------
    Table
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
        for name, text in {
            "paper": _texts(rows["published"], 3),
            "ours": _texts(rows["ours"], 3),
        }.items():
            columns[quantity, name] = text if name == "paper" else text + missed
    shown = pd.DataFrame(columns, index=order)
    known = card.groupby("cell", sort=False)["kind"].agg(lambda kinds: (kinds == "fitted").any())
    return Table(shown, caption, np.flatnonzero(known.reindex(order)))


def claims(card, caption=""):
    """Return the claims of a scorecard as a table: what was asked, what came out, the verdict.

    Parameters
    ----------
    card : pandas.DataFrame
        What ``ClaimTests.score`` returned.
    caption : str

    Returns
    -------
    Table
    """
    rows = card[card["verdict"].fillna("") != ""].reset_index(drop=True)
    told = pd.DataFrame(
        {
            "place": rows["item"],
            "claim": rows["cell"],
            "asked": rows["quantity"],
            "ours": [pm(*pair) for pair in zip(rows["ours"], rows["half_width"], strict=True)],
            "verdict": [verdict(row) for row in rows.itertuples()],
            "why": rows["note"].fillna(""),
        }
    )
    return Table(told, caption)


def verdicts(card):
    """Return what a scorecard comes to, kind by kind, with what a null meets beside.

    Parameters
    ----------
    card : pandas.DataFrame

    Returns
    -------
    Table
    """
    lines = []
    for kind, words in scorecard.KINDS.items():
        rows = card[card["kind"] == kind]
        if kind == "claim" or rows.empty:
            continue
        null, near = scorecard.null_hits(rows).sum(), rows["z"].dropna().abs() <= 2.0
        of_null, of_z = rows["null"].notna().sum(), len(near)
        lines.append(
            {
                "": words,
                "reproduced": f"{rows['reproduced'].sum()} of {len(rows)}",
                "the null": f"{null} of {of_null}" if of_null else "",
                "z within 2": f"{near.sum()} of {of_z}" if of_z else "",
                "meaning": scorecard.MEANINGS[kind],
            }
        )
    said = card.loc[card["kind"] == "claim", "verdict"].value_counts()
    told = ", ".join(
        f"{said.get(name, 0)} {mark} {WORDS.get(name, name)}" for name, mark in MARKS.items()
    )
    return Table(pd.DataFrame(lines), f"Claims: {told}." if len(said) else "")


def banner(key, values):
    """Say which parameters of a notebook are not the committed ones; nothing if none.

    Parameters
    ----------
    key : str
        The study.
    values : dict
        The notebook's ``globals()``.

    Returns
    -------
    IPython.display.Markdown or None
    """
    own = kept_cards.committed_parameters(key)
    changed = [
        f"`{name} = {values[name]!r}` (committed: {value!r})"
        for name, value in own.items()
        if name in values and values[name] != value
    ]
    if not changed:
        return None
    return Markdown(
        f"> **Turned:** {', '.join(changed)}. Tables and figures follow; the sentences speak of"
        " the committed run."
    )
