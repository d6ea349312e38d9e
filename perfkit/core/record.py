"""Records that turn into frames and show as tables, and parameters as such records.

A system's ``Parameters`` derives from ParameterRecord and declares each field, its unit and its
source, with ``stated``, ``derived``, ``manual``, ``calibrated`` or ``assumed``. Unknown names and
impossible values are refused in one sentence, old names with the new one.
"""

import functools
from dataclasses import Field, dataclass, fields
from inspect import Parameter, Signature
from textwrap import fill
from types import MappingProxyType

import numpy as np

from perfkit.core.fields import checked, declared, read, told, wanted
from perfkit.core.wording import check_known, nearest, short

ROWS_SHOWN, MOST_KNOWN = 40, 4096


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


REFUSAL = "If a name is unknown or a value impossible; the message says what is allowed."
MOST_HELD = 2 * 10**7
PROVENANCE = ("parameter", "value", "unit", "status", "source")
STATUSES = ("stated", "derived", "manual", "calibrated", "assumed")
stated, derived, manual, calibrated, assumed = map(declared, STATUSES)


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
    levers : dict
        By name what is said in a word and sets parameters (``perfkit.core.levers.Lever``). Where
        a parameter is taken a lever is, but the record holds parameters only; as an attribute it
        is where the record stands, None if its parameters stand at none of the lever's values.
    headline : tuple of str
        The levers and parameters that the study's finding speaks of, which ``show`` tells first.

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
    levers = MappingProxyType({})
    headline = ()
    _repr_html_ = Record._repr_html_

    def __init_subclass__(cls):
        """Let ``help`` and completion know the fields: their defaults, units and sources."""
        # Only what is inherited has been made a field: dataclass() runs after this hook.
        own = dict(getattr(cls, "__dataclass_fields__", {}))
        own |= {name: spec for name, spec in vars(cls).items() if isinstance(spec, Field)}
        levers = {name: lever.spec for name, lever in cls.levers.items()}
        for name, spec in levers.items():
            spec.name = name
        cls.__signature__ = Signature(
            Parameter(name, Parameter.KEYWORD_ONLY, default=spec.default)
            for name, spec in {**own, **levers}.items()
        )
        parts = [(cls.__doc__ or "A record of parameters.").rstrip()]
        for title, specs in (("Parameters", own), ("Other Parameters", levers)):
            if specs:
                lines = [f"    {title}", "    " + "-" * len(title)]
                parts.append("\n".join(lines + [_described(*each) for each in specs.items()]))
        parts.append("    Raises\n    ------\n    ValueError\n        " + REFUSAL)
        cls.__doc__ = "\n\n".join(parts)

    def __init__(self, *unnamed, **values):
        specs = {f.name: f for f in fields(self)}
        if unnamed:
            raise TypeError(
                f"Name each parameter: {type(self).__name__}({next(iter(specs))}={unnamed[0]!r})."
            )
        values = self.expanded(values)
        for name, spec in specs.items():
            value = values.get(name, spec.default)
            object.__setattr__(self, name, checked(spec, value))
        if values:  # defaults are checked before a run: here it would load kernels for `show`
            self.check()

    def __getattr__(self, name):
        if name in type(self).levers:
            return self.levers[name].stands_at(type(self)(), self)
        # What begins with _ Python asks for by itself, at each copy: no near name is looked for.
        raise AttributeError(name if name.startswith("_") else str(self._unknown(name)))

    @classmethod
    def _unknown(cls, name):
        hint = cls.hint(name) or f"; the names are {', '.join(cls.accepted())}."
        return ValueError(f"There is no parameter '{name}'{hint}")

    @classmethod
    def hint(cls, name, others=()):
        """Return how to end a sentence that refuses a name: what it is called now, or is near."""
        if name in cls.renamed:
            return f"; it is called {cls.renamed[name]}."
        return nearest(name, [*cls.accepted(), *others])

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
        """Return a copy with some fields changed, checked anew.

        A lever changes its parameters from the defaults, whatever they are here.
        """
        return type(self)(**{**self.as_dict(), **self.expanded(changes)})

    def variants(self, names, rows):
        """Yield what ``replace`` makes of each row's values; a value is checked once."""
        specs, own = self._specs(), self.as_dict()
        self.expanded({name: specs[name].default if name in specs else None for name in names})

        def changes(name, value):
            new = {name: value} if name in own else self.expanded({name: value})
            return {name: checked(specs[name], value) for name, value in new.items()}

        known = functools.lru_cache(MOST_KNOWN, typed=True)(changes)
        for row in rows:
            one = object.__new__(type(self))
            vars(one).update(own)
            for name, value in zip(names, row, strict=True):
                plain = isinstance(value, (int, float, str))  # others have no hash, or no one type
                vars(one).update((known if plain else changes)(name, value))
            one.check()
            yield one

    def as_dict(self):
        """Return the fields and values as a dictionary."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def names(cls):
        """Return the field names in order."""
        return [f.name for f in fields(cls)]

    @classmethod
    def accepted(cls):
        """Return the names that a value may be given for: the fields, then the levers."""
        return [*cls.names(), *cls.levers]

    @classmethod
    def spec_of(cls, name):
        """Return how a field or a lever is declared; another name is refused."""
        if name not in cls.accepted():
            raise cls._unknown(name)
        return cls._specs()[name]

    @classmethod
    def _specs(cls):
        levers = {name: lever.spec for name, lever in cls.levers.items()}
        return {**{f.name: f for f in fields(cls)}, **levers}

    @classmethod
    def sets(cls, name):
        """Return the fields that a name sets: itself, or those of a lever."""
        lever = cls.levers.get(name)
        return [name] if lever is None else list(lever.changes(cls(), lever.spec.default))

    @classmethod
    def check_apart(cls, names):
        """Refuse names of which two set one field, as a lever and its parameter do."""
        setters = {}
        for name in names:
            for one in cls.sets(name):
                pair = {setters.setdefault(one, name), name}
                if len(pair) > 1:
                    both = " and ".join(sorted(pair - {one}))
                    verb = "also sets" if one in pair else "both set"
                    raise ValueError(f"{both} {verb} {one}; give one or the other.")

    @classmethod
    def expanded(cls, values):
        """Return values by name with a lever's parameters, by the defaults, in its place."""
        specs, found = cls._specs(), dict(values)
        for name in values:
            if name not in specs:
                raise cls._unknown(name)
        if turned := [name for name in values if name in cls.levers]:
            cls.check_apart(values)
        for name in turned:
            found |= cls.levers[name].changes(cls(), checked(specs[name], found.pop(name)))
        return found

    @classmethod
    def parse(cls, name, text):
        """Return the value that a text such as ``name=text`` gives a field or a lever."""
        return read(cls.spec_of(name), text)

    @classmethod
    def allowed(cls, name):
        """Return in words what a field or a lever may be."""
        return wanted(cls.spec_of(name))

    @classmethod
    def plausible(cls, name):
        """Return in words which range, or which other readings, a field has; '' if none is told."""
        ends = cls.spec_of(name).metadata["plausible"]
        return " or ".join(told(end) for end in ends) if ends is not None else ""

    def text_of(self, name):
        """Return a field's value as text, a lever's in few digits."""
        value = getattr(self, name)
        return told(value) if name in self.names() or value is None else f"{value:g}"

    def provenance(self, *statuses, levers=False):
        """Return every field's value, unit, status and source.

        Parameters
        ----------
        *statuses : str
            Fields of these alone ("calibrated", "assumed", ...); without the cells that calibrated
            ones were fitted on, which are the same for all.
        levers : bool
            Behind them the levers, of status "lever".
        """
        for status in statuses:
            check_known("status", status, STATUSES)
        shown = (statuses or STATUSES) + ("lever",) * levers
        rows = [
            {
                "parameter": f.name,
                "value": self.text_of(f.name),
                "unit": f.metadata["unit"],
                "status": f.metadata["status"],
                "source": f.metadata["source"] if statuses else self._source(f),
            }
            for f in self._specs().values()
            if f.metadata["status"] in shown
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
                reals += [spec.name, *named_in_ms(spec.name)]
            elif kind in (bool, int) or (kind is str and spec.metadata["choices"]):
                wholes.append(spec.name)
        kinds = [(name, "i8") for name in wholes] + [(name, "f8") for name in reals]
        return np.dtype(kinds, align=True)

    def fill(self, settings):
        """Write the fields into a record of ``settings_type``; a choice is its place among all.

        Properties that bear the name of a further field of it are written, too.
        """
        specs = {spec.name: spec for spec in fields(self)}
        for name in settings.dtype.names:
            if name in specs or isinstance(getattr(type(self), name, None), property):
                value = getattr(self, name)
                if isinstance(value, str):
                    value = specs[name].metadata["choices"].index(value)
                settings[name] = value
        for name in specs:
            for in_ms in set(named_in_ms(name)) & set(settings.dtype.names):
                settings[in_ms] = 1000.0 * getattr(self, name)

    @classmethod
    def array_types(cls):
        """Return the fields that are tuples of numbers, by name the type of these."""
        tuples = {f.name: f.default for f in fields(cls) if isinstance(f.default, tuple)}
        found = {name: type((*default, 0.0)[0]) for name, default in tuples.items()}
        return {name: kind for name, kind in found.items() if kind is not str}

    def arrays(self):
        """Return the fields that are tuples of numbers as arrays, in order."""
        types = self.array_types()
        return tuple(np.array(getattr(self, name), kind) for name, kind in types.items())

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
    allowed = wanted(spec)
    source = f"; {detail['source']}" if detail["source"] else ""
    sentence = f"{allowed[0].upper()}{allowed[1:]}{source} ({detail['status']})."
    text = fill(sentence, 95, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return f"    {name} : {kind}, default {told(default)}\n{text}"


def named_in_ms(name):
    """Return the name in milliseconds of a field in seconds, in a list."""
    in_seconds = name.endswith("_s") and not name.endswith("_per_s")
    return [f"{name[:-2]}_ms"] if in_seconds else []
