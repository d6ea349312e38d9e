"""Designs: which machines to run, as frames of one row per point and one column per parameter.

``perfkit.runs.experiment.sweep`` runs any such frame. A frame of your own will do, too.
"""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import qmc

from perfkit.core.values import check_whole, is_finite, is_whole


def factorial(levels):
    """Return every combination of levels, the last parameter turning fastest.

    Parameters
    ----------
    levels : dict of str to sequence
        By parameter, one or more values.

    Examples
    --------
    >>> factorial({"buffers": [10, 20], "swap_drive": [0, 1]}).to_numpy().tolist()
    [[10, 0], [10, 1], [20, 0], [20, 1]]
    """
    if not isinstance(levels, dict) or not levels:
        raise ValueError("levels must be a dictionary: a parameter's name to its values.")
    for name, values in levels.items():
        if isinstance(values, str) or not len(values):
            raise ValueError(f"'{name}' must have a list of values, not {values!r}.")
    return _frame(product(*levels.values()), levels)


def latin_hypercube(ranges, points, seed=0):
    """Return points of which each range has one in each of so many equal parts.

    Parameters
    ----------
    ranges : dict of str to tuple
        By parameter, its ends; whole numbers where both are.
    points : int
    seed : int

    Examples
    --------
    >>> design = latin_hypercube({"buffers": (10, 13)}, 4)
    >>> sorted(design["buffers"].tolist())
    [10, 11, 12, 13]
    """
    check_whole("points", points)
    check_whole("seed", seed, 0)
    ends = _ends(ranges)
    return _scaled(qmc.LatinHypercube(len(ends), rng=seed).random(points), ends)


def sobol(ranges, points, seed=0):
    """Return the first points of a scrambled Sobol sequence, which fills the space evenly.

    Parameters
    ----------
    ranges, seed
        As in ``latin_hypercube``.
    points : int
        A power of 2, or the sequence loses its balance.

    Examples
    --------
    >>> sobol({"buffers": (10, 13)}, 4)["buffers"].nunique()
    4
    """
    check_whole("points", points)
    check_whole("seed", seed, 0)
    if points & (points - 1):
        raise ValueError(f"points must be a power of 2 for a Sobol sequence; {points} is not.")
    ends = _ends(ranges)
    return _scaled(qmc.Sobol(len(ends), rng=seed).random(points), ends)


def one_at_a_time(parameters, values):
    """Return the baseline, then each parameter at each of its values, the others as are.

    Parameters
    ----------
    parameters : ParameterRecord
        The baseline.
    values : dict of str to sequence
        By parameter.

    Examples
    --------
    >>> from perfkit.systems import unix_v6
    >>> design = one_at_a_time(unix_v6.Parameters(), {"buffers": [10, 40], "controllers": [2]})
    >>> design.to_numpy().tolist()
    [[20, 1], [10, 1], [40, 1], [20, 2]]
    """
    usual = {name: getattr(parameters, name) for name in values}
    moved = [{**usual, name: value} for name, each in values.items() for value in each]
    return pd.DataFrame([usual, *moved], dtype=object)  # of objects, so that no type is lost


def write(design, path):
    """Write a design as CSV to a path, from which ``read`` gets it back without loss.

    Examples
    --------
    >>> import tempfile
    >>> from perfkit.systems.unix_v6 import Parameters
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     write(factorial({"process_clicks": [(157,), (157, 314)]}), file.name)
    ...     read(file.name, Parameters)["process_clicks"].tolist()
    [(157,), (157, 314)]
    """
    design.map(_text).to_csv(path, index=False)


def read(path, record):
    """Read a design from CSV; lists have commas between their values, in quotes.

    Parameters
    ----------
    path : path
    record : type
        A system's ``Parameters``, which know the columns' types.

    Examples
    --------
    >>> from io import StringIO
    >>> from perfkit.systems.unix_v6 import Parameters
    >>> read(StringIO("buffers,discipline\\n10,FCFS"), Parameters).iloc[0].tolist()
    [10, 'FCFS']
    """
    try:
        texts = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"{Path(path)} can't be read as a design: {reason}.") from None
    read_ = {name: [record.parse(name, text) for text in texts[name]] for name in texts}
    if not len(texts):
        raise ValueError(f"{Path(path)} must have a point, a row below its head, or more.")
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in read_.items()})


def _text(value):
    if isinstance(value, (tuple, list)):
        return ",".join(map(_text, value))
    return repr(value.item() if isinstance(value, np.generic) else value).strip("'")


def _frame(rows, names):
    return pd.DataFrame(list(rows), columns=list(names), dtype=object).infer_objects()


def _ends(ranges):
    """Return the ends of ranges by name, or refuse what is none."""
    if not isinstance(ranges, dict) or not ranges:
        raise ValueError("ranges must be a dictionary: a parameter's name to its two ends.")
    for name, ends in ranges.items():
        fits = isinstance(ends, (tuple, list)) and len(ends) == 2 and all(map(is_finite, ends))
        if not fits or not ends[0] < ends[1]:
            raise ValueError(f"'{name}' must have two numbers, the lower first; {ends!r} are not.")
    return ranges


def _scaled(places, ends):
    columns = {}
    for place, (name, (low, high)) in zip(places.T, ends.items(), strict=True):
        if is_whole(low) and is_whole(high):
            columns[name] = np.minimum(low + (place * (high - low + 1)).astype(int), high)
        else:
            columns[name] = low + place * (high - low)
    return pd.DataFrame(columns)
