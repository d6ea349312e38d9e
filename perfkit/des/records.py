"""Records of 8-byte fields, in NumPy's arrays: what a machine's state is made of."""

import functools
import math

import numpy as np
from numba.extending import overload


def fields(whole="", real=""):
    """Return a record type of 8-byte fields: names with spaces between, of whole then real ones."""
    kinds = [(name, "i8") for name in whole.split()] + [(name, "f8") for name in real.split()]
    return np.dtype(kinds, align=True)


def measures_type(measures, *whole):
    """Return a record type for measures, in their order: those named are whole numbers."""
    return np.dtype([(name, "i8" if name in whole else "f8") for name in measures])


def as_dict(record):
    """Return a record's fields as Python's numbers; what is not a number is always ``math.nan``."""
    # So dictionaries of alike runs are equal: Python compares what is one object no further.
    values = (value if value == value else math.nan for value in record.item())
    return dict(zip(record.dtype.names, values, strict=True))


def records(shape, dtype):
    """Return a record array of zeros."""
    return np.zeros(shape, dtype).view(np.recarray)


@overload(records)
def _compiled_records(shape, dtype):
    return lambda shape, dtype: np.zeros(shape, dtype)


def settings_maker(settings_type, derive):
    """Return a function of parameters: the numbers that a machine obeys, and ``derive``'s tables.

    It keeps what it returned for the last eight: who changes one takes a copy.
    """

    @functools.lru_cache(8)
    def settings_of(p):
        settings = record(settings_type)
        p.fill(settings)
        return settings, *derive(settings, p.arrays())

    return settings_of


def viewed(value):
    """Return a machine, or a part of one, whose records' fields are attributes in Python, too.

    For who looks into a machine: it takes longer than to make one.
    """
    if isinstance(value, tuple):
        return type(value)(*map(viewed, value))
    of_records = type(value) is np.ndarray and value.dtype.names
    return value.view(np.recarray) if of_records else value


def record(dtype):
    """Return one record of zeros."""
    return records(1, dtype)[0]
