"""Records that turn into frames and show as tables, and parameters as such records.

A system's ``Parameters`` derives from ParameterRecord and declares each field, its unit and its
source, with ``stated``, ``derived``, ``manual``, ``calibrated`` or ``assumed``. Unknown names and
impossible values are refused in one sentence, old names with the new one.
"""

import functools
import math
from dataclasses import Field, dataclass, field, fields
from inspect import Parameter, Signature
from textwrap import fill

import numpy as np

from perfkit.core.values import is_finite, is_number, is_truth
from perfkit.core.wording import nearest, short

ROWS_SHOWN = 40


class Record:
    """What every result can do; a frozen dataclass derives from it and gives ``to_frame``."""

    def to_frame(self):
        """Return the result as a tidy pandas.DataFrame."""
        raise NotImplementedError

    def __str__(self):
        """Return the frame as text, four significant digits; a long one loses its middle."""
        return as_text(self.to_frame())

    def _repr_html_(self):
        return as_html(self.to_frame())

    def plot(self, ax=None, **style):
        """Draw the frame's columns over its index; ``style`` goes to ``DataFrame.plot``."""
        return self.to_frame().plot(ax=ax, **style)


def as_frame(data, **options):
    """Return columns or rows as a pandas.DataFrame; to import pandas sooner would slow all down."""
    import pandas as pd

    return pd.DataFrame(data, **options)


def as_text(frame):
    """Return a frame as text, four significant digits, at most `ROWS_SHOWN` rows."""
    return frame.to_string(float_format=short, max_rows=ROWS_SHOWN)


def as_html(frame):
    """Return a frame as HTML, four significant digits, at most `ROWS_SHOWN` rows."""
    return frame.to_html(float_format=short, max_rows=ROWS_SHOWN)


def _status(status):
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


REFUSAL = "If a name is unknown or a value impossible; the message says what is allowed."
MOST_HELD = 2 * 10**7
PROVENANCE = ("parameter", "value", "unit", "status", "source")
STATUSES = ("stated", "derived", "manual", "calibrated", "assumed")
stated = _status("stated")
derived = _status("derived")
manual = _status("manual")
calibrated = _status("calibrated")
assumed = _status("assumed")


@dataclass(frozen=True, init=False)
class ParameterRecord:
    """A frozen record of parameters; derive from it and declare fields with a status.

    Parameters
    ----------
    **values
        Fields that differ from their defaults.

    Attributes
    ----------
    calibrated_on : str
        The published cells that the calibrated fields were fitted to; a class attribute.
    renamed : dict
        What fields were called before, to what they are called; a class attribute.

    Examples
    --------
    >>> @dataclass(frozen=True, init=False)
    ... class Shop(ParameterRecord):
    ...     tills: int = assumed(2, "tills", "a small shop", 1, 9)
    >>> Shop(tills=3).replace(tills=4).as_dict()
    {'tills': 4}
    >>> Shop(till=3)
    Traceback (most recent call last):
    ValueError: There is no parameter 'till'; did you mean tills?
    """

    calibrated_on = ""
    renamed = {}  # noqa: RUF012
    _repr_html_ = Record._repr_html_

    def __init_subclass__(cls):
        """Let ``help`` and completion know the fields: their defaults, units and sources."""
        # Only what is inherited has been made a field: dataclass() runs after this hook.
        declared = dict(getattr(cls, "__dataclass_fields__", {}))
        declared |= {name: spec for name, spec in vars(cls).items() if isinstance(spec, Field)}
        cls.__signature__ = Signature(
            Parameter(name, Parameter.KEYWORD_ONLY, default=spec.default)
            for name, spec in declared.items()
        )
        lines = [_described(name, spec) for name, spec in declared.items()]
        raises = "\n\n    Raises\n    ------\n    ValueError\n        " + REFUSAL
        head = (cls.__doc__ or "A record of parameters.").rstrip()
        cls.__doc__ = f"{head}\n\n    Parameters\n    ----------\n" + "\n".join(lines) + raises

    def __init__(self, *unnamed, **values):
        specs = {f.name: f for f in fields(self)}
        if unnamed:
            raise TypeError(
                f"Name each parameter: {type(self).__name__}({next(iter(specs))}={unnamed[0]!r})."
            )
        for name in values:
            if name not in specs:
                raise self._unknown(name)
        for name, spec in specs.items():
            value = values.get(name, spec.default)
            object.__setattr__(self, name, checked(spec, value))
        if values:  # defaults are checked before a run: here it would load kernels for `show`
            self.check()

    def __getattr__(self, name):
        raise AttributeError(str(self._unknown(name)))

    @classmethod
    def _unknown(cls, name):
        hint = cls.hint(name) or f"; the names are {', '.join(cls.names())}."
        return ValueError(f"There is no parameter '{name}'{hint}")

    @classmethod
    def hint(cls, name, others=()):
        """Return how to end a sentence that refuses a name: what it is called now, or is near."""
        if name in cls.renamed:
            return f"; it is called {cls.renamed[name]}."
        return nearest(name, [*cls.names(), *others])

    @classmethod
    def given(cls, parameters, face="simulate"):
        """Return a run's parameters, the defaults for None."""
        if parameters is not None and not isinstance(parameters, cls):
            system = cls.__module__.split(".")[-2]
            raise TypeError(
                f"{face} takes {system}.{cls.__name__}(...), not {type(parameters).__name__}."
            )
        parameters = cls() if parameters is None else parameters
        _check_as_it_is(type(parameters))
        return parameters

    def check(self):
        """Refuse combinations of values that are impossible together; for subclasses."""

    def replace(self, **changes):
        """Return a copy with some fields changed, checked anew."""
        return type(self)(**{**self.as_dict(), **changes})

    def as_dict(self):
        """Return the fields and values as a dictionary."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def names(cls):
        """Return the field names in order."""
        return [f.name for f in fields(cls)]

    @classmethod
    def parse(cls, name, text):
        """Return the value that a text such as ``name=text`` gives a field."""
        spec = {f.name: f for f in fields(cls)}.get(name)
        if spec is None:
            raise cls._unknown(name)
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
            raise ValueError(f"{name} must be {_wanted(spec)}; '{text}' is not.") from None
        return checked(spec, value)

    @classmethod
    def allowed(cls, name):
        """Return in words what a field may be."""
        return _wanted({f.name: f for f in fields(cls)}[name])

    @classmethod
    def plausible(cls, name):
        """Return in words which range, or which other readings, a field has; '' if none is told."""
        ends = {f.name: f for f in fields(cls)}[name].metadata["plausible"]
        return " or ".join(_show(end) for end in ends) if ends is not None else ""

    def provenance(self, *statuses):
        """Return every field's value, unit, status and source.

        Parameters
        ----------
        *statuses : str
            Fields of these alone ("calibrated", "assumed", ...); without the cells that calibrated
            ones were fitted on, which are the same for all.
        """
        for status in statuses:
            if status not in STATUSES:
                raise ValueError(
                    f"There is no status {status!r}; the statuses are {', '.join(STATUSES)}."
                )
        rows = [
            {
                "parameter": f.name,
                "value": _show(getattr(self, f.name)),
                "unit": f.metadata["unit"],
                "status": f.metadata["status"],
                "source": f.metadata["source"] if statuses else self._source(f),
            }
            for f in fields(self)
            if not statuses or f.metadata["status"] in statuses
        ]
        return as_frame(rows, columns=PROVENANCE).set_index("parameter")

    def to_frame(self):
        """Return every field's value, unit, status and source as a pandas.DataFrame."""
        return self.provenance()

    @classmethod
    def settings_type(cls, whole="", real=""):
        """Return a record type for the fields' values, as compiled handlers read them.

        Fields that are tuples or free words are left out; of one in seconds there is another in
        milliseconds: of ``think_s``, ``think_ms``. Further fields' names stand in ``whole`` and
        ``real``, with spaces between them.
        """
        wholes, reals = whole.split(), real.split()
        for spec in fields(cls):
            kind = type(spec.default)
            if kind is float:
                reals += [spec.name, *_in_ms(spec.name)]
            elif kind in (bool, int) or (kind is str and spec.metadata["choices"]):
                wholes.append(spec.name)
        kinds = [(name, "i8") for name in wholes] + [(name, "f8") for name in reals]
        return np.dtype(kinds, align=True)

    def fill(self, settings):
        """Write the fields into a record of ``settings_type``; a choice is its place among all."""
        names = set(settings.dtype.names)
        for spec in fields(self):
            if spec.name not in names:
                continue
            value = getattr(self, spec.name)
            if isinstance(value, str):
                value = spec.metadata["choices"].index(value)
            settings[spec.name] = value
            for name in _in_ms(spec.name):
                if name in names:
                    settings[name] = 1000.0 * value

    def _source(self, spec):
        source = spec.metadata["source"]
        if spec.metadata["status"] == "calibrated":
            return f"{source}; fitted on {self.calibrated_on}"
        return source


@functools.cache
def _check_as_it_is(record):
    """Check a record's defaults, once."""
    record().check()


def check_held(what, count):
    """Refuse a machine that would hold more of something than a computer has room for."""
    if count > MOST_HELD:
        raise ValueError(f"There would be {count:,.0f} {what}; at most {MOST_HELD:,} can be held.")


def _described(name, spec):
    """Return a field's entry of a docstring."""
    default, detail = spec.default, spec.metadata
    kind = type(default).__name__
    if isinstance(default, tuple) and default:
        kind = f"tuple of {type(default[0]).__name__}"
    allowed = _wanted(spec)
    source = f"; {detail['source']}" if detail["source"] else ""
    sentence = f"{allowed[0].upper()}{allowed[1:]}{source} ({detail['status']})."
    text = fill(sentence, 95, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return f"    {name} : {kind}, default {_show(default)}\n{text}"


def _in_ms(name):
    """Return the name in milliseconds of a field in seconds, in a list."""
    in_seconds = name.endswith("_s") and not name.endswith("_per_s")
    return [f"{name[:-2]}_ms"] if in_seconds else []


def _number(text):
    number = float(text)
    return int(number) if number.is_integer() and "." not in text else number


def _show(value):
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
        raise ValueError(f"{spec.name} must be {_wanted(spec)}; {value!r} is not.")
    return value


def _fits(kind, value):
    if kind is bool:
        return is_truth(value)
    if kind is int:
        return is_finite(value) and value % 1 == 0
    if kind is float:
        return is_finite(value)
    return isinstance(value, kind)


def _wanted(spec):
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
