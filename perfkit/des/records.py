"""Records of 8-byte fields, in NumPy's arrays: what a machine's state is made of."""

import numpy as np


def fields(whole="", real=""):
    """Return a record type of 8-byte fields: names with spaces between, of whole then real ones."""
    kinds = [(name, "i8") for name in whole.split()] + [(name, "f8") for name in real.split()]
    return np.dtype(kinds, align=True)


def records(shape, dtype):
    """Return a record array of zeros."""
    return np.zeros(shape, dtype).view(np.recarray)


def copied(value):
    """Return a copy of an array, a record, or a machine of such; None stays."""
    if isinstance(value, tuple):
        return type(value)(*map(copied, value))
    return value if value is None or isinstance(value, float | int) else value.copy()


def record(dtype):
    """Return one record of zeros."""
    return records(1, dtype)[0]
