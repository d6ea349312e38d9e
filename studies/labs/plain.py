"""Values as plain data: what may pass from a process that is not trusted to one that is.

Only numbers, words, lists, tuples, dictionaries, arrays, series and frames pass, as JSON; nothing
that is read can run code, as a pickle could.
"""

import json

import numpy as np
import pandas as pd

MOST_BYTES = 64 * 2**20
DEEPEST = 40


class Other(str):
    """What stands for a value that can't pass: the name of its type."""

    def __call__(self, *arguments):  # so that a check tells it from a word
        raise TypeError(self)


def encode(value, depth=0):
    """Return a value as what JSON can say; what can't pass becomes its type's name."""
    if depth > DEEPEST:
        return {"other": "value that holds itself"}
    again = lambda inner: encode(inner, depth + 1)  # noqa: E731
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer):
        return int(value) if abs(int(value)) < 2**63 else {"other": "number of too many digits"}
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, np.bool_):
        return bool(value)
    match value:
        case tuple() | list():
            return {type(value).__name__ if type(value) is tuple else "list": [*map(again, value)]}
        case dict():
            return {"dict": [[again(key), again(inner)] for key, inner in value.items()]}
        case np.ndarray() if value.dtype.kind in "biufUO":
            return {"array": [*map(again, value.tolist())] if value.ndim else again(value.item())}
        case pd.Series():
            return {"series": again(value.tolist()), "index": again(value.index.tolist())}
        case pd.DataFrame():
            columns = [again(value.iloc[:, k].tolist()) for k in range(value.shape[1])]
            told = {"frame": columns, "index": again(value.index.tolist())}
            return told | {"columns": again(value.columns.tolist())}
    return {"other": type(value).__name__[:80]}


def decode(told):
    """Return the value that was encoded."""
    if isinstance(told, str):
        return told.encode("utf-8", "replace").decode()  # half a letter can't be written
    if not isinstance(told, dict):
        return told
    match told:
        case {"tuple": values}:
            return tuple(decode(value) for value in values)
        case {"list": values}:
            return [decode(value) for value in values]
        case {"dict": pairs}:
            return {decode(key): decode(value) for key, value in pairs}
        case {"array": values}:
            return np.array([decode(value) for value in values])
        case {"series": values, "index": index}:
            return pd.Series(decode(values), decode(index))
        case {"frame": columns, "index": index, "columns": names}:
            data = dict(enumerate(decode(column) for column in columns))
            return pd.DataFrame(data, decode(index)).set_axis(decode(names), axis=1)
    return Other(str(told.get("other", "value"))[:80])


def dumps(value):
    """Return a value as a line of bytes."""
    return json.dumps(encode(value)).encode() + b"\n"


def loads(line):
    """Return the value of a line; ValueError if the line is none of ``dumps``.

    Examples
    --------
    >>> loads(dumps({"seed": 7, "times_s": (1.0, 2.5)}))
    {'seed': 7, 'times_s': (1.0, 2.5)}
    """
    try:
        return decode(json.loads(line))
    except Exception:  # whatever was sent
        raise ValueError("These are no plain values.") from None
