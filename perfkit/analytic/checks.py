"""What every model asks of its input: one sentence says what was wrong and what is allowed."""

import numpy as np

MOST = 10**9


def positive(name, value):
    """Return a number or array of numbers, refused unless finite and greater than zero."""
    value = numbers(name, value)
    if not np.all(value > 0):
        wrong = _first(value, value <= 0)
        raise ValueError(f"{name} must be greater than zero, not {wrong}.")
    return value


def not_negative(name, value):
    """Return a number or array of numbers, refused unless finite and zero or more."""
    value = numbers(name, value)
    if not np.all(value >= 0):
        raise ValueError(f"{name} must be zero or more, not {_first(value, value < 0)}.")
    return value


def share(name, value):
    """Return a number or array of numbers, refused unless from 0 to 1."""
    value = numbers(name, value)
    if not np.all((value >= 0) & (value <= 1)):
        wrong = _first(value, (value < 0) | (value > 1))
        raise ValueError(f"{name} must be from 0 to 1, not {wrong}.")
    return value


def probabilities(name, value):
    """Return a list of numbers as an array, refused unless none is negative and they sum to 1."""
    value = not_negative(name, vector(name, value))
    if abs(value.sum() - 1.0) > 1e-9:
        raise ValueError(f"{name} must sum to 1, not to {value.sum():.6g}.")
    return value


def rising(name, value):
    """Return a list of numbers as an array, refused unless each is greater than the last."""
    value = vector(name, value)
    if not np.all(np.diff(value) > 0):
        raise ValueError(f"{name} must rise from each number to the next, not be {value}.")
    return value


def one_of(name, value, choices):
    """Return a name, refused unless it is one of those in ``choices``."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(str, choices))}, not {value!r}.")
    return value


def count(name, value, least=1):
    """Return a whole number, refused unless it is one from ``least`` to ``MOST``."""
    value = numbers(name, value)
    if np.ndim(value):
        raise ValueError(f"{name} must be one whole number, not {np.size(value)} of them.")
    if value != int(value) or not least <= value <= MOST:
        raise ValueError(f"{name} must be {_wanted('a whole number', value, least)}, not {value}.")
    return int(value)


def vector(name, value):
    """Return a sequence, array or column of numbers as an array of one dimension and not empty."""
    value = np.atleast_1d(numbers(name, value))
    if value.ndim != 1 or value.size == 0:
        raise ValueError(f"{name} must be a list of numbers, not an array of shape {value.shape}.")
    return value


def numbers(name, value):
    """Return a number or array of numbers as floats, refused if one is missing or infinite."""
    try:
        value = np.asarray(value, float)[()]
    except (TypeError, ValueError):
        given = " ".join(repr(value).split())
        raise ValueError(f"{name} must be a number or numbers, not {given}.") from None
    if not np.all(np.isfinite(value)):
        raise ValueError(f"{name} must be finite, not {_first(value, ~np.isfinite(value))}.")
    return value


def counts(name, value, least=1):
    """Return a vector of whole numbers, refused unless all are from ``least`` to ``MOST``."""
    value = vector(name, value)
    wrong = (value != np.floor(value)) | (value < least) | (value > MOST)
    if np.any(wrong):
        first = _first(value, wrong)
        raise ValueError(f"{name} must be {_wanted('whole numbers', first, least)}, not {first}.")
    return value.astype(int)


def spread(name, value, length, each):
    """Return a vector of ``length``: one number is repeated, another length is refused.

    ``each`` says what the numbers belong to, "station" or "class".
    """
    value = vector(name, value)
    if value.size not in (1, length):
        raise ValueError(
            f"{name} must be one number or one a {each}, {length} in all, not {value.size}."
        )
    return np.broadcast_to(value, length).copy()


def in_order(name, value, labels, kind):
    """Return a Series, or a frame's rows, in the order of labels, anything else as it is.

    ``kind`` says what the labels name, "stations" or "classes". Other labels are refused.
    """
    if not hasattr(value, "iloc"):
        return value
    labels, given = [str(label) for label in labels], [str(label) for label in value.index]
    if given == labels:
        return value
    if sorted(given) != sorted(labels) or len(set(given)) < len(given):
        raise ValueError(f"{name} must have the {kind} {tuple(labels)}, not {tuple(given)}.")
    return value.iloc[[given.index(label) for label in labels]]


def alike(name, value, first):
    """Return a Series in the order of the labels of another one, anything else as it is."""
    both = np.ndim(first) == np.ndim(value) == 1 and hasattr(first, "iloc")
    return in_order(name, value, first.index, "labels") if both else value


def _wanted(kind, value, least):
    """Say what was wanted; the upper limit only to those who went beyond it."""
    return f"{kind} of {least} or more" if value <= MOST else f"{kind} of {MOST:.0e} at most"


def _first(value, wrong):
    """Return the first wrong number, so that a message about an array stays one line."""
    return np.atleast_1d(value)[np.atleast_1d(wrong)][0]
