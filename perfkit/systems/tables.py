"""Tables that a reader may hand over: a frame, a dictionary of columns or rows, as rows."""

MOST = 10**9


def table_rows(table, what):
    """Return the rows of a reader's table as dictionaries.

    Parameters
    ----------
    table : pandas.DataFrame, dict of columns, or iterable of dict or NamedTuple
    what : str
        What the table is, for messages: "schedule".

    Returns
    -------
    list of dict

    Raises
    ------
    ValueError
        If it is something else, has a column twice or columns of different lengths.
    """
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
