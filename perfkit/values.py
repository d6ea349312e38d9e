"""Which values count as truth values, whole numbers and numbers: NumPy's as well as Python's."""

import math
import numbers

import numpy as np


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
