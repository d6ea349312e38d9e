"""What a run of a system measured, as a record: a system's ``Result`` derives from this one.

It says what its measures are and their units (``MEASURES``), which of them show in a line
(``SHOWN``: the first of them are a sweep's when none is named), and its trace's kinds (``EVENTS``).
"""

from dataclasses import dataclass

import numpy as np

from perfkit.core.record import ParameterRecord, Record, as_frame
from perfkit.core.wording import nearest, short


@dataclass(frozen=True, repr=False, eq=False)
class Result(Record):
    """What one run measured; a measure or a table is an attribute, too.

    Attributes
    ----------
    parameters : ParameterRecord
    seed : int
    values : dict
        Every measure, in the order of ``MEASURES``, which says what each is.
    tables : dict
        What frames are made of.
    trace : record array
        Of dtype ``perfkit.des.trace.EVENT``; from time zero.
    """

    parameters: ParameterRecord
    seed: int
    values: dict
    tables: dict
    trace: np.ndarray

    MEASURES = {}  # noqa: RUF012
    EVENTS = None
    SHOWN = ()
    renamed = {}  # noqa: RUF012

    def __getattr__(self, name):
        if name.startswith("_") or name in Result.__dataclass_fields__:
            raise AttributeError(name)  # Python asks for such by itself, at each copy
        for named in (self.values, self.tables):
            if name in named:
                return named[name]
        known = [*self.MEASURES, *self.tables]
        hint = nearest(name, known) or "."
        if name in self.renamed:
            hint = f"; it is called {self.renamed[name]}."
        raise AttributeError(f"A result has no '{name}'{hint}")

    def __dir__(self):
        return [*super().__dir__(), *self.values, *self.tables]

    def measures(self):
        """Return the measures as a flat dictionary, a row of a tidy frame."""
        return dict(self.values)

    def to_frame(self):
        """Return by measure ``value`` and ``meaning``, which begins with the unit."""
        import pandas as pd

        index = pd.Index(self.values, name="measure")
        meaning = [self.MEASURES[name] for name in self.values]
        return pd.DataFrame({"value": [*self.values.values()], "meaning": meaning}, index)

    def trace_frame(self):
        """Return the trace: ``time_s``, ``kind`` by name, ``actor``, ``value``, ``detail``."""
        return as_frame(
            {
                "time_s": self.trace.time_ms / 1000.0,
                "kind": [self.EVENTS(kind).name.lower() for kind in self.trace.kind],
                **{name: self.trace[name] for name in ("actor", "value", "detail")},
            }
        )

    def __repr__(self):
        shown = {"seed": self.seed, **{name: self.values[name] for name in self.SHOWN}}
        numbers = [f"{name}={short(value, 6) or value}" for name, value in shown.items()]
        return f"Result({', '.join(numbers)}, ...)"
