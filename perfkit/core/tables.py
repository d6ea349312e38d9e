"""Tables that a reader may hand over: a frame, a dictionary of columns or rows, as rows."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from perfkit.core.values import is_finite, is_number
from perfkit.core.wording import check_known

MOST = 10**9
Table = Mapping | Iterable  # a frame, a dictionary of columns, or rows


def table_rows(table, what, columns, optional=()):
    """Return the rows of a reader's table as dictionaries.

    The table is a frame (an index that bears the name of a missing column is that column), a
    dictionary of columns, or an iterable of dictionaries or NamedTuples; ``what`` is what messages
    call it. It may have ``columns``, of which ``optional`` ones may be left out.
    """
    rows = _rows(table, what, columns)
    for row in rows:
        for name in row:
            check_known(f"column of a {what}", name, columns)
        for name in columns:
            if name not in row and name not in optional:
                raise ValueError(f"A {what} must have a column '{name}'.")
    return rows


def checked_number(name, value, low=0, most=None, *, whole=False, above=False):
    """Return a number from ``low``, or above it, to ``most`` (else any finite), or refuse it."""
    fits = is_finite(value) if most is None else is_number(value) and value <= most
    fits = fits and value >= low and not (above and value == low)
    if not fits or (whole and value != math.floor(value)):
        kind = "a whole number" if whole else "a number"
        ends = f"of {low} or more" if most is None else f"from {low} to {most}"
        ends = f"above {low}" if above else ends
        raise ValueError(f"{name} must be {kind} {ends}; {value!r} is not.")
    return int(value) if whole else float(value)


def check_ranges(what, *ranges):
    """Refuse a reader's arrays, each (name, values, least, most), if a number is out of range."""
    largest = np.finfo(float).max
    for name, values, least, most in ranges:
        wrong = ~((values >= least) & (values <= most))
        if wrong.any():
            limit = np.broadcast_to(most, values.shape)[wrong][0]
            allowed = f"from {least} to {limit}" if limit < largest else "0 or more"
            allowed = "finite, 0 or more" if limit == largest else allowed
            raise ValueError(f"{what}.{name} must be {allowed}; {values[wrong][0]} is not.")


def _rows(table, what, columns):
    if hasattr(table, "columns"):
        if not table.columns.is_unique:
            twice = table.columns[table.columns.duplicated()][0]
            raise ValueError(f"A {what} must have each column once; '{twice}' is there twice.")
        return _with_index(table, columns).to_dict("records")
    try:
        if not isinstance(table, dict):
            return [row._asdict() if hasattr(row, "_asdict") else dict(row) for row in table]
        given = {name: list(values) for name, values in table.items()}
    except (TypeError, ValueError):
        raise ValueError(
            f"A {what} must be a frame, a dictionary of columns or a list of dictionaries,"
            f" not {type(table).__name__}."
        ) from None
    if len({len(values) for values in given.values()}) > 1:
        raise ValueError(f"The columns of a {what} must be of one length.")
    return [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]


def _with_index(frame, columns):
    """Return a frame with those levels of its index as columns that it lacks as such."""
    lacking = [name for name in frame.index.names if name in columns and name not in frame.columns]
    return frame.reset_index(lacking) if lacking else frame
