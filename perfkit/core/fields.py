"""How a field of a record is declared, what it may hold, and how its value is read and told.

A field is one of ``dataclasses``, its unit, source, bounds and status in ``metadata``; a lever of
``perfkit.core.levers`` is declared by such a field, too.
"""

import math
import re
from dataclasses import field

from perfkit.core.values import is_finite, is_number, is_truth
from perfkit.core.wording import nearest, one_line

MEANT = {  # how what a refused text seems to mean is written
    r"[\d.]+ ?([^\W\d]+|%)": "; write the number without a unit.",
    r"[\d.]+ ?[-:–…] ?\d.*": "; a sweep takes a range as 650..2560.",
    r".*(,|\.\.).*": "; a sweep takes several, as 10,20 or 10..20.",
}


def declared(status):
    """Return a function that declares a field of a status."""

    def declare(
        default, unit, source, low=None, high=None, *, choices=None, infinite=False, plausible=None
    ):
        detail = {"unit": unit, "status": status, "source": source, "low": low, "high": high}
        detail |= {"choices": choices, "infinite": infinite, "plausible": plausible}
        return field(default=default, metadata=detail)

    declare.__doc__ = f"""Declare a {status} field: default, unit, source, and what is allowed.

    A tuple as default makes a field of several numbers or words; ``low`` and ``high``
    then bound each of them. ``infinite`` allows infinity. ``plausible`` are the ends of the
    range, or the other readings, that ``studies.evidence.sensitivity`` moves an uncertain field to.
    """
    return declare


def read(spec, text):
    """Return the value that a text such as ``name=text`` gives a field, or refuse it."""
    parts = [part for part in text.split(",") if part.strip()]
    try:
        if isinstance(spec.default, tuple):
            words = bool(spec.default) and isinstance(spec.default[0], str)
            value = tuple(part.strip() if words else _number(part) for part in parts)
        elif isinstance(spec.default, str):
            value = text.strip()
        elif isinstance(spec.default, bool):
            value = {"true": True, "false": False}[text.strip().lower()]
        else:
            value = _number(text)
    except (ValueError, KeyError):
        forms = {} if isinstance(spec.default, tuple) else MEANT
        end = next((end for form, end in forms.items() if re.fullmatch(form, text)), ".")
        raise ValueError(f"{spec.name} must be {wanted(spec)}; {text!r} is not{end}") from None
    return checked(spec, value)


def _number(text):
    number = float(text)
    return int(number) if number.is_integer() and "." not in text else number


def told(value):
    """Return a value as ``read`` reads it."""
    if not isinstance(value, tuple):
        return str(value)
    return ", ".join(v if isinstance(v, str) else f"{v:g}" for v in value)


def checked(spec, value):
    """Return ``value`` in the field's own type, or refuse it in one sentence."""
    if isinstance(spec.default, tuple):
        items = value if isinstance(value, (tuple, list)) else (value,)
        kind = type(spec.default[0]) if spec.default else float
        return tuple(_one(spec, kind, item) for item in items)
    return _one(spec, type(spec.default), value)


def _one(spec, kind, value):
    choices = spec.metadata["choices"]
    if spec.metadata["infinite"] and is_number(value) and value == math.inf:
        return value
    fits = _fits(kind, value)
    if fits and kind in (bool, int, float):
        value = kind(value)
        low, high = spec.metadata["low"], spec.metadata["high"]
        fits = (low is None or value >= low) and (high is None or value <= high)
    if not fits or (choices and value not in choices):
        end = (isinstance(value, str) and nearest(value, map(str, choices or ()))) or "."
        raise ValueError(f"{spec.name} must be {wanted(spec)}; {one_line(value)} is not{end}")
    return value


def _fits(kind, value):
    if kind is bool:
        return is_truth(value)
    if kind in (int, float):
        return is_finite(value) and (kind is float or value % 1 == 0)
    return isinstance(value, kind)


def wanted(spec):
    """Say what a field allows, as the end of 'x must be ...'."""
    detail, many = spec.metadata, isinstance(spec.default, tuple)
    if detail["choices"]:
        return "one of " + ", ".join(str(c) for c in detail["choices"])
    kind = type(spec.default[0]) if many and spec.default else type(spec.default)
    if kind is bool:
        return "true or false"
    if kind is str:
        return "words" if many else "a word"
    words = "whole numbers" if kind is int else "numbers"
    words = words if many else "a " + words[:-1]
    unit = f" ({detail['unit']})" if detail["unit"] else ""
    unit += " or infinity" if detail["infinite"] else ""
    low, high = detail["low"], detail["high"]
    if low is not None and high is not None:
        return f"{words} from {low} to {high}{unit}"
    if low is not None:
        return f"{words} of {low} or more{unit}"
    return words + unit
