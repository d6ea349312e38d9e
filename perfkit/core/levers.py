"""Levers: what people say in a word, and what is several parameters of a system.

A disc a quarter faster is one number to the person who asks, and five parameters of the machine. A
system's ``Parameters`` has such factors in ``levers``, by name, and takes them like parameters.
"""

import math
from collections.abc import Callable
from dataclasses import Field
from typing import NamedTuple

from perfkit.core.fields import checked, declared
from perfkit.core.values import is_number

DIGITS = 12  # that a value read from parameters has: more may be rounding


class Lever(NamedTuple):
    """A factor of a system: what it may be, and what it makes of the parameters.

    ``spec`` is declared as a parameter's. ``changes`` takes a record and a value and returns what
    the record's parameters become, by name; ``reads`` takes the defaults and a record and returns
    the value that the record would stand at.
    """

    spec: Field
    changes: Callable
    reads: Callable

    def stands_at(self, own, record):
        """Return the value that makes the record's parameters of the defaults, None if none is."""
        value = self.reads(own, record)
        for near in (float(f"{value:.{DIGITS}g}"), value):
            try:
                made = self.changes(own, near := checked(self.spec, near))
            except ValueError:
                continue
            if all(_alike(getattr(record, name), new) for name, new in made.items()):
                return near
        return None


def lever(default, unit, source, low=None, high=None, *, changes, reads):
    """Declare a lever: default, unit, source, its ends, and two functions as in ``Lever``.

    Examples
    --------
    >>> double = lever(1, "times", "ours", changes=lambda own, by: {"n": by * own.n}, reads=None)
    >>> double.spec.metadata["unit"]
    'times'
    """
    return Lever(declared("lever")(default, unit, source, low, high), changes, reads)


def _alike(one, other):
    """Return whether two values are equal, but for rounding."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    return math.isclose(one, other, rel_tol=1e-9) if is_number(one) else one == other
