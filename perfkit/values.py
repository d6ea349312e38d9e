"""Which values count as truth values, whole numbers, numbers or constants, NumPy's included."""

import math
import numbers

import numpy as np

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
