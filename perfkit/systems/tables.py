"""Tables that a reader may hand over: a frame, a dictionary of columns or rows, as rows."""

from perfkit.wording import nearest

MOST = 10**9


def table_rows(table, what, columns, optional=()):
    """Return the rows of a reader's table as dictionaries.

    Parameters
    ----------
    table : pandas.DataFrame, dict of columns, or iterable of dict or NamedTuple
    what : str
        What the table is, for messages: "schedule".
    columns : iterable of str
        Those that it may have.
    optional : iterable of str
        Those of them that may be left out.

    Returns
    -------
    list of dict

    Raises
    ------
    ValueError
        If it is something else, has a column twice or columns of different lengths, or a column
        is unknown or missing.
    """
    rows = _rows(table, what)
    for row in rows:
        _check_columns(row, what, columns, optional)
    return rows


def _rows(table, what):
    if hasattr(table, "columns"):
        if not table.columns.is_unique:
            twice = table.columns[table.columns.duplicated()][0]
            raise ValueError(f"A {what} must have each column once; '{twice}' is there twice.")
        return table.to_dict("records")
    try:
        if not isinstance(table, dict):
            return [row._asdict() if hasattr(row, "_asdict") else dict(row) for row in table]
        columns = {name: list(values) for name, values in table.items()}
    except (TypeError, ValueError):
        raise ValueError(
            f"A {what} must be a frame, a dictionary of columns or a list of dictionaries,"
            f" not {type(table).__name__}."
        ) from None
    if len({len(values) for values in columns.values()}) > 1:
        raise ValueError(f"The columns of a {what} must be of one length.")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _check_columns(row, what, columns, optional):
    for name in row:
        if name not in columns:
            hint = nearest(name, columns) or f"; the columns are {', '.join(columns)}."
            raise ValueError(f"A {what} has no column '{name}'{hint}")
    for name in columns:
        if name not in row and name not in optional:
            raise ValueError(f"A {what} must have a column '{name}'.")
