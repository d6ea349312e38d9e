"""Moved to ``perfkit.record``, but for the line of results that are no ``Result`` yet."""

from dataclasses import fields

from perfkit.record import (  # noqa: F401
    PROVENANCE,
    STATUSES,
    ParameterRecord,
    assumed,
    calibrated,
    checked,
    derived,
    manual,
    stated,
)
from perfkit.values import is_number
from perfkit.wording import short


def brief(result):
    """Return a run's result in a line: its single numbers; arrays and tables are left out."""
    values = {f.name: getattr(result, f.name) for f in fields(result)}
    numbers = [
        f"{name}={short(value, 6) or value}" for name, value in values.items() if is_number(value)
    ]
    return f"{type(result).__name__}({', '.join(numbers)}, ...)"
