"""Correlations of samples: as a table, and what a regression on several variables explains."""

import numpy as np
import pandas as pd

from perfkit.core.values import check_columns, check_names, check_numeric, is_constant

ROUNDING = 1e-9
SQUARE = "Correlations are a square table with the same rows and columns, all known."


def correlation_table(pairs):
    """Return the square table of correlations from one row per pair.

    Parameters
    ----------
    pairs : pandas.DataFrame
        ``variable``, ``against`` and ``r``, as of a printed triangle.

    Examples
    --------
    >>> import pandas as pd
    >>> pairs = pd.DataFrame({"variable": ["R"], "against": ["N_d"], "r": [0.6]})
    >>> correlation_table(pairs).to_numpy().tolist()
    [[1.0, 0.6], [0.6, 1.0]]
    """
    names = list(dict.fromkeys([*pairs["variable"], *pairs["against"]]))
    diagonal = np.where(np.eye(len(names)) > 0.0, 1.0, np.nan)
    table = pd.DataFrame(diagonal, index=names, columns=names)
    for pair in pairs.itertuples():
        if not np.isnan(table.loc[pair.variable, pair.against]):
            raise ValueError(f"{pair.variable!r} against {pair.against!r} is given twice.")
        table.loc[pair.variable, pair.against] = table.loc[pair.against, pair.variable] = pair.r
    if table.isna().any(axis=None):
        raise ValueError(f"{len(names)} variables have more pairs than the known ones here.")
    return table


def multiple_r2(correlation, response, predictors):
    """Return the share of the response's variance that a regression on predictors explains.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame([[1, 0.6], [0.6, 1]], ["R", "N_d"], ["R", "N_d"])
    >>> round(float(multiple_r2(table, "R", ["N_d"])), 2)  # the square of 0.6
    0.36
    """
    check_names("predictors", predictors)
    named = [response, *predictors]
    check_named(correlation, named)
    _check_not_redundant(correlation, predictors)
    checked_correlation(correlation.loc[named, named])
    place = correlation.index.get_loc
    return r2_of(correlation.to_numpy(float), place(response), [place(name) for name in predictors])


def check_named(correlation, names):
    """Refuse names that a table of correlations does not have, each once."""
    _check_square(correlation)
    check_once(correlation.index)
    check_columns(correlation, names, "table of correlations")
    check_once(names)


def _check_square(correlation):
    if not isinstance(correlation, pd.DataFrame):
        raise TypeError(
            f"Correlations must be a pandas.DataFrame, not {type(correlation).__name__}."
        )
    if correlation.empty or list(correlation.index) != list(correlation.columns):
        raise ValueError(SQUARE)


def check_once(names):
    """Refuse names of variables that are not all different."""
    names = pd.Index(names)
    if names.has_duplicates:
        twice = ", ".join(map(repr, names[names.duplicated()].unique()))
        raise ValueError(f"Each variable must be named once; {twice} is not.")


def _check_not_redundant(correlation, names):
    if len(names) == 0:
        return
    table = correlation.loc[list(names), list(names)]
    if table.isna().any(axis=None):
        raise ValueError(f"The correlations of {', '.join(map(str, names))} must all be known.")
    matrix = checked_correlation(table)
    if (np.abs(np.linalg.eigvalsh(matrix)) < ROUNDING).any():
        raise ValueError(
            f"One of {', '.join(map(str, names))} follows from the others; leave it out."
        )


def r2_of(matrix, target, inside):
    """Return R squared of column ``target`` on the columns ``inside`` of a correlation matrix."""
    if not inside:
        return 0.0
    r = matrix[inside, target]
    return float(r @ np.linalg.solve(matrix[np.ix_(inside, inside)], r))


def standardised(frame, variables=None):
    """Return variables less their means, over their standard deviations.

    Parameters
    ----------
    frame : pandas.DataFrame
    variables : list of str, optional
        All columns by default.
    """
    values = numbers(frame, variables)
    if values.columns.empty:
        raise ValueError("Name one variable or more; there is none.")
    if len(values) < 3 or not np.isfinite(values.to_numpy()).all():
        raise ValueError("Three rows or more are needed, and no value may be missing or infinite.")
    constant = [name for name in values if is_constant(values[name])]
    if constant:
        raise ValueError(f"A constant has no correlation: {', '.join(map(str, constant))}.")
    return (values - values.mean()) / values.std()


def numbers(frame, variables=None):
    """Return columns of a frame as floats; all by default."""
    variables = frame.columns if variables is None else variables
    check_names("variables", variables)
    names = list(variables)
    check_numeric(frame, names)
    check_once(names)
    return pd.DataFrame(
        {name: frame[name].to_numpy(float, na_value=np.nan) for name in names}, frame.index
    )


def checked_correlation(correlation):
    """Return a table of correlations as an array."""
    _check_square(correlation)
    try:
        matrix = correlation.to_numpy(float)
    except (TypeError, ValueError):
        matrix = np.array([np.nan])
    if not np.isfinite(matrix).all():
        raise ValueError(SQUARE)
    if not (np.allclose(matrix, matrix.T) and np.allclose(np.diag(matrix), 1.0)):
        raise ValueError("Correlations are symmetric, with ones on the diagonal.")
    least = np.linalg.eigvalsh(matrix)[0]
    if least < -1e-9:
        raise ValueError(f"No data have these correlations: an eigenvalue is {least:.2g}.")
    return matrix
