"""Which values count as truth values, whole numbers, numbers or constants, NumPy's included.

A ``check_`` refuses a value in one sentence.
"""

import math
import numbers
from collections.abc import Hashable

import numpy as np

from perfkit.core.wording import nearest, one_line

ROUNDING = 1e-13  # differences of numbers, relative to the largest, that may be rounding alone


def is_truth(value):
    """Return whether it is True or False."""
    return isinstance(value, (bool, np.bool_))


def is_whole(value):
    """Return whether it is an integer; True and False are none."""
    return isinstance(value, numbers.Integral) and not is_truth(value)


def is_number(value):
    """Return whether it is one real number, infinity and nan included; True and False are none."""
    return isinstance(value, numbers.Real) and not is_truth(value)


def is_finite(value):
    """Return whether it is one real number that a float can hold."""
    try:
        return is_number(value) and math.isfinite(value)
    except OverflowError:
        return False


def is_constant(values):
    """Return whether numbers are all equal, but for rounding."""
    values = np.asarray(values, float)
    return values.size == 0 or bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def check_share(name, value):
    """Refuse what is no number between 0 and 1, such as a confidence of 95."""
    if not is_number(value) or not 0.0 < value < 1.0:
        raise ValueError(f"{name} must be between 0 and 1; {one_line(value)} is not.")


def check_whole(name, value, least=1, most=math.inf):
    """Refuse what is no whole number of so much or more, or of more than ``most``."""
    if not is_whole(value) or not least <= value <= most:
        allowed = f"of {least} or more" if most == math.inf else f"from {least} to {most}"
        raise ValueError(f"{name} must be a whole number {allowed}; {one_line(value)} is not.")


def check_above_0(name, value):
    """Refuse what is no finite number above 0."""
    if not is_finite(value) or value <= 0.0:
        raise ValueError(f"{name} must be a finite number above 0; {one_line(value)} is not.")


def check_list(name, values):
    """Refuse an array of more or fewer dimensions than one."""
    if np.ndim(values) != 1:
        raise ValueError(f"{name} must be a list of numbers, not of shape {np.shape(values)}.")


def checked_order(order, versions, per_day=""):
    """Return an order of versions by number; rows are allowed where ``per_day`` says of what."""
    order = np.asarray(order)
    whole = order.ndim in ((1, 2) if per_day else (1,)) and np.issubdtype(order.dtype, np.integer)
    if not whole or not order.size or order.min() < 0 or order.max() >= versions:
        raise ValueError(
            f"order must be whole numbers from 0 to {versions - 1}, a version for each"
            f" observation, in one row{per_day}."
        )
    return order


def check_names(name, values):
    """Refuse what is no list of names, such as one name or a number."""
    if isinstance(values, str) or not np.iterable(values):
        raise TypeError(f"{name} must be a list of names; {one_line(values)} is none.")


def check_columns(frame, names, what="frame"):
    """Refuse what is no frame, or one that lacks columns: the nearest name is said, or all."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"The {what} must be a pandas.DataFrame, not {type(frame).__name__}.")
    odd = [name for name in names if not isinstance(name, Hashable)]
    if odd:
        raise TypeError(f"A column of the {what} has a name; {one_line(odd[0])} is none.")
    lacking = [str(name) for name in names if name not in frame]
    if lacking:
        columns = [str(name) for name in frame.columns]
        hint = nearest(lacking[0], columns) if len(lacking) == 1 else ""
        hint = hint or f"; the columns are {', '.join(columns)}."
        named = "', '".join(lacking)
        raise ValueError(f"There is no column '{named}' in the {what}{hint}")
    double = [name for name in names if frame[name].ndim != 1]
    if double:
        raise ValueError(f"The {what} has more than one column '{double[0]}'.")


def check_numeric(frame, names, what="frame"):
    """Refuse columns that are not there, or hold texts, categories or times and no numbers."""
    from pandas.api import types

    check_columns(frame, names, what)
    for name in names:
        kind = frame[name].dtype
        known = types.is_any_real_numeric_dtype(kind) or types.is_bool_dtype(kind)
        if types.is_object_dtype(kind):
            known = all(is_number(value) or is_truth(value) for value in frame[name].dropna())
        if not known:
            raise ValueError(f"'{name}' of the {what} must be numbers, not {kind}.")


def check_none_missing(name, values):
    """Refuse a column with a missing value, such as rows that would be in no group."""
    import pandas as pd

    missing = np.asarray(pd.isna(values))
    if missing.any():
        raise ValueError(
            f"{missing.sum()} of {missing.size} rows lack {name}; leave them out (dropna)."
        )
