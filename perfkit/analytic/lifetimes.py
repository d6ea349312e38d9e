"""Lifetime functions: processor time between two faults of a program by the memory it has.

Belady (IBM Systems Journal 5, 1966) and Belady and Kuehner (CACM 12, 1969) drew the first. A
lifetime may be in s or in references, memory is in pages. The papers were not at hand; the
families are those generally known by their names, and the way of fitting is ours.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from perfkit.analytic.checks import one, one_of, positive, vector
from perfkit.analytic.records import Record


def _power(m, scale, exponent):
    return scale * m**exponent


def _sigmoid(m, limit, half_pages):
    return limit / (1.0 + (half_pages / m) ** 2)


def _saturating(m, limit, reach_pages, exponent):
    return -limit * np.expm1(-((m / reach_pages) ** exponent))


def _exponential(m, scale, growth_pages):
    return scale * np.exp(m / growth_pages)


FAMILIES = {
    "power": (_power, ("scale", "exponent")),
    "sigmoid": (_sigmoid, ("limit", "half_pages")),
    "saturating": (_saturating, ("limit", "reach_pages", "exponent")),
    "exponential": (_exponential, ("scale", "growth_pages")),
}


@dataclass(frozen=True, eq=False)
class Lifetime(Record):
    """A lifetime function of one of the `FAMILIES`; call it with memory.

    - ``power``: scale m^exponent (Belady and Kuehner 1969; exponent about 1.5 to 2.5).
    - ``sigmoid``: limit / (1 + (half_pages / m)^2), half the limit at ``half_pages``
      (Chamberlin, Fuller and Liu, IBM J. R&D 17, 1973).
    - ``saturating``: limit (1 - exp(-(m / reach_pages)^exponent)), S-shaped for an exponent
      above one.
    - ``exponential``: scale exp(m / growth_pages), the rising part of a curve alone.

    Attributes
    ----------
    family : str
    parameters : dict
        All above zero. Scale and limit are in the unit of the lifetime.

    Raises
    ------
    ValueError
        If the family or a parameter is unknown, missing or not above zero.
    """

    family: str
    parameters: dict

    def __post_init__(self):
        """Refuse what is no lifetime function."""
        names = FAMILIES[one_of("family", self.family, FAMILIES)][1]
        if set(self.parameters) != set(names):
            raise ValueError(
                f"The parameters of {self.family} are {', '.join(names)},"
                f" not {', '.join(self.parameters)}."
            )
        for name, value in self.parameters.items():
            positive(name, one(name, value))

    def __call__(self, memory_pages):
        """Return the lifetime at a memory (float or array) in pages."""
        memory = positive("memory_pages", memory_pages)
        parameters = {name: float(value) for name, value in self.parameters.items()}
        with np.errstate(over="ignore", invalid="ignore"):
            lifetime = FAMILIES[self.family][0](memory, **parameters)
        if not np.all(np.isfinite(lifetime)):
            raise ValueError(
                f"memory_pages must give lifetimes that floats hold, not {np.max(memory)}"
                f" with {self.parameters}."
            )
        return lifetime

    def frame(self):
        """Return one row a parameter."""
        import pandas as pd

        return pd.DataFrame({"value": self.parameters}).rename_axis(self.family)

    def plot(self, ax=None, memory_pages=None, **style):
        """Draw the function over ``memory_pages``, 1 to 100 if not given."""
        import pandas as pd

        memory = np.arange(1.0, 101.0) if memory_pages is None else np.asarray(memory_pages)
        axes = pd.Series(self(memory), pd.Index(memory, name="memory_pages")).plot(ax=ax, **style)
        axes.set_ylabel("lifetime")
        return axes


@dataclass(frozen=True, eq=False)
class LifetimeFit(Record):
    """A lifetime function fitted to data.

    Attributes
    ----------
    lifetime : Lifetime
        The best function of the family.
    memory_pages, observed, fitted, residual : numpy.ndarray, shape (n,)
        The data, what the function gives there, and log(observed / fitted).
    rms_residual : float
        Root of the mean square of the residuals: about the relative error.
    """

    lifetime: Lifetime
    memory_pages: np.ndarray
    observed: np.ndarray
    fitted: np.ndarray
    residual: np.ndarray
    rms_residual: float

    def frame(self):
        """Return one row a point of the data."""
        import pandas as pd

        names = ("memory_pages", "observed", "fitted", "residual")
        return pd.DataFrame({k: getattr(self, k) for k in names}).set_index("memory_pages")

    def plot(self, ax=None, **style):
        """Draw the data as points and the function as a line."""
        axes = self.lifetime.plot(ax=ax, memory_pages=np.sort(self.memory_pages), **style)
        axes.plot(self.memory_pages, self.observed, "o")
        return axes


def fit_lifetime(family, memory_pages, lifetime):
    """Fit a family to measured lifetimes by least squares of their logarithms.

    Logarithms, as lifetimes span decades and a relative error counts alike at each. The
    search starts from several places and the best end is kept.

    Parameters
    ----------
    family : str
        One of `FAMILIES`.
    memory_pages, lifetime : array_like of float, shape (n,)
        The data, above zero, at least as many points as the family has parameters.

    Returns
    -------
    LifetimeFit

    Raises
    ------
    ValueError
        If the family is unknown or the data are too few, at too few different memory sizes, of
        two lengths or not above zero.
    """
    from scipy.optimize import least_squares

    function, names = FAMILIES[one_of("family", family, FAMILIES)]
    memory = positive("memory_pages", vector("memory_pages", memory_pages))
    observed = positive("lifetime", vector("lifetime", lifetime))
    if memory.size != observed.size or memory.size < len(names):
        raise ValueError(
            f"{family} needs {len(names)} points or more, as many of memory_pages as of lifetime,"
            f" not {memory.size} and {observed.size}."
        )
    sizes = np.unique(memory).size
    if sizes < len(names):
        raise ValueError(
            f"{family} needs {len(names)} different memory_pages or more, not {sizes}."
        )

    def residual(logs):
        with np.errstate(over="ignore", under="ignore"):
            value = function(memory, *np.exp(np.clip(logs, -300.0, 300.0)))
        return np.log(observed) - np.log(np.clip(value, 1e-300, 1e300))

    ends = [least_squares(residual, start) for start in _starts(names, memory, observed)]
    best = min(ends, key=lambda end: end.cost)
    found = Lifetime(family, dict(zip(names, np.exp(best.x).tolist(), strict=True)))
    rms = float(np.sqrt(np.mean(best.fun**2)))
    return LifetimeFit(found, memory, observed, found(memory), best.fun, rms)


def _starts(names, memory, observed):
    """Return logarithms of parameters to start from, by what each parameter is."""
    places = {
        "scale": (observed.min(), observed.mean() / 1e3),
        "limit": (observed.max() * 1.2, observed.max() * 10),
        "exponent": (1.0, 2.5),
        "half_pages": (np.median(memory), memory.max() * 3),
        "reach_pages": (np.median(memory), memory.max() * 3),
        "growth_pages": (np.ptp(memory) / 3 + 1, np.ptp(memory) * 3 + 1),
    }
    return [np.log(start) for start in product(*(places[name] for name in names))]


def knee(memory_pages, lifetime):
    """Return the memory at which lifetime over memory is greatest.

    Parameters
    ----------
    memory_pages, lifetime : array_like of float, shape (n,)
        Points of a lifetime function.

    Returns
    -------
    float
        In pages; the least if several are as good.
    """
    memory = positive("memory_pages", vector("memory_pages", memory_pages))
    between = positive("lifetime", vector("lifetime", lifetime))
    if memory.size != between.size:
        raise ValueError(f"memory_pages has {memory.size} points and lifetime {between.size}.")
    order = np.argsort(memory, kind="stable")
    return float(memory[order][np.argmax((between / memory)[order])])
