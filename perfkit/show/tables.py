"""Tables to read: one frame for numbers, the same in a notebook, on a page and at a command line.

What was fitted is shaded and said so. Pictures are in ``perfkit.show.plots``.
"""

import re
import textwrap
import zlib

import numpy as np
import pandas as pd
from tabulate import tabulate

from perfkit.core.wording import short, with_half_width

WIDTH = 96  # characters of the plain form
MOST_COLUMNS = 7
LEAST_TEXT, MOST_KEY = 12, 24
PADDING = 2  # that tabulate leaves beside headings
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
        # Here, for it needs Jinja, which comes with notebooks and not with the command line.
        from pandas.io.formats.style import Styler

        shaded = np.where(self._fitted, "fitted", "")[:, None]
        whole = self.frame.reset_index(drop=True)
        classes = pd.DataFrame(np.tile(shaded, whole.shape[1]), whole.index, whole.columns)
        digest = zlib.crc32(repr(self).encode())  # so that equal tables are equal on a page
        style = Styler(whole, uuid=f"{digest:08x}", cell_ids=False, escape="html")
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
    widths = []
    for k, head in enumerate(_heads(rows)):
        texts = rows.iloc[:, k]
        whole = _width(texts)
        if not _numbers(texts):
            whole = min(whole, MOST_KEY if k < keys else LEAST_TEXT)
        widths.append(max(whole, PADDING + min(max(_width(head.split()), 1), MOST_KEY)))
    return widths


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
    whole = [max(wide, _width([head]) + PADDING) for wide, head in zip(whole, heads, strict=True)]
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
    """Return a number and its half-width in two digits of it.

    Examples
    --------
    >>> pm(1.0123, 0.0187)
    '1.012 ± 0.019'
    """
    number, margin = with_half_width(float(value), float(half_width), most=4)
    return f"{number} ± {margin}" if margin and margin != "0" else number


def texts(column, digits):
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

    Examples
    --------
    >>> table(pd.DataFrame({"swaps": [12, 9], "elapsed, s": [7.041, 66.3]}), "Two runs.")
      swaps    elapsed, s
    -------  ------------
         12           7.0
          9          66.3
    <BLANKLINE>
    Two runs.
    """
    frame = frame.to_frame() if isinstance(frame, pd.Series) else frame
    columns = [texts(frame.iloc[:, place], digits) for place in range(frame.shape[1])]
    shown = pd.concat(columns, axis=1) if columns else frame
    shown.columns = frame.columns
    return Table(shown, caption)
