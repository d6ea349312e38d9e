"""What every model asks of its input: one sentence says what was wrong and what is allowed."""

import numpy as np

from perfkit.core.wording import one_line

MOST = 10**9
MOST_LISTED = 10**7  # of what a model keeps about ten numbers each, which is 10^8 in all
SMALLEST, LARGEST = 1e-50, 1e50  # products and quotients of a few stay within what floats hold


def positive(name, value):
    """Return a number or array of numbers, refused unless from `SMALLEST` to `LARGEST`."""
    value = numbers(name, value)
    if not np.all(value > 0):
        wrong = _first(value, value <= 0)
        raise ValueError(f"{name} must be greater than zero, not {wrong}.")
    return _in_range(name, value, SMALLEST)


def positives(**given):
    """Return numbers or arrays that can be taken together, each as `positive` wants it."""
    checked = [positive(name, value) for name, value in given.items()]
    fitting(**given)
    return checked


def not_negative(name, value):
    """Return a number or array of numbers, refused unless from 0 to `LARGEST`."""
    value = numbers(name, value)
    if not np.all(value >= 0):
        raise ValueError(f"{name} must be zero or more, not {_first(value, value < 0)}.")
    return _in_range(name, value, 0.0)


def share(name, value):
    """Return a number or array of numbers, refused unless from 0 to 1."""
    value = numbers(name, value)
    if not np.all((value >= 0) & (value <= 1)):
        wrong = _first(value, (value < 0) | (value > 1))
        raise ValueError(f"{name} must be from 0 to 1, not {wrong}.")
    return value


def rising(name, value):
    """Refuse an array of numbers unless each is greater than the last."""
    if not np.all(np.diff(value) > 0):
        given = one_line(value.tolist())
        raise ValueError(f"{name} must rise from each number to the next, not be {given}.")


def function(name, value):
    """Return a function, refused unless it can be called."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, not {one_line(value)}.")
    return value


def one(name, value):
    """Return a number as a float, refused if it is an array or not finite."""
    value = numbers(name, value)
    if np.ndim(value):
        raise ValueError(f"{name} must be one number, not an array of shape {np.shape(value)}.")
    return value


def count(name, value, least=1, most=MOST):
    """Return a whole number, refused unless it is one from ``least`` to ``most``."""
    value = numbers(name, value)
    if np.ndim(value):
        raise ValueError(f"{name} must be one whole number, not {np.size(value)} of them.")
    if value != int(value) or not least <= value <= most:
        wanted = _wanted("a whole number", value, least, most)
        raise ValueError(f"{name} must be {wanted}, not {value}.")
    return int(value)


def vector(name, value):
    """Return a sequence, array or column of numbers as an array of one dimension and not empty."""
    value = np.atleast_1d(numbers(name, value))
    if value.ndim != 1 or value.size == 0:
        raise ValueError(f"{name} must be a list of numbers, not an array of shape {value.shape}.")
    return value


def numbers(name, value):
    """Return a number or array of numbers as floats, refused if one is missing or infinite."""
    value = floats(name, value)
    if not np.all(np.isfinite(value)):
        raise ValueError(f"{name} must be finite, not {_first(value, ~np.isfinite(value))}.")
    return value


def floats(name, value):
    """Return a number or array of numbers as floats, infinite ones too; texts are refused."""
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "biufO" or _has_text(given):
            raise TypeError
        return np.asarray(value, float)[()]
    except OverflowError:
        raise ValueError(f"{name} must be a number of {LARGEST:.0e} at most.") from None
    except (TypeError, ValueError):
        rows = value if isinstance(value, list | tuple) else []
        lengths = sorted({len(row) for row in rows if isinstance(row, list | tuple | np.ndarray)})
        if len(lengths) > 1:
            said = " and ".join(map(str, lengths))
            raise ValueError(f"The rows of {name} differ in length: {said}.") from None
        raise ValueError(f"{name} must be a number or numbers, not {one_line(value)}.") from None


def counts(name, value, least=1, most=MOST):
    """Return a vector of whole numbers, refused unless all are from ``least`` to ``most``."""
    value = vector(name, value)
    wrong = (value != np.floor(value)) | (value < least) | (value > most)
    if np.any(wrong):
        first = _first(value, wrong)
        wanted = _wanted("whole numbers", first, least, most)
        raise ValueError(f"{name} must be {wanted}, not {first}.")
    return value.astype(int)


def fitting(**given):
    """Refuse arrays that can't be taken together, number by number; one number goes with any."""
    shapes = {name: np.shape(numbers(name, value)) for name, value in given.items()}
    shapes = {name: shape for name, shape in shapes.items() if shape}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        said = ", ".join(map(str, shapes.values()))
        raise ValueError(
            f"{', '.join(shapes)} must be one number each or alike in shape, not of {said}."
        ) from None


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


def _in_range(name, value, least):
    """Return numbers, refused where products with others may leave the range of floats."""
    wrong = (value < least) | (value > LARGEST)
    if np.any(wrong):
        wrong = _first(value, wrong)
        raise ValueError(f"{name} must be from {least:g} to {LARGEST:g}, not {wrong}.")
    return value


def _has_text(array):
    """Tell whether a text is among an array's objects: "5" would pass for a number."""
    return array.dtype.kind == "O" and any(isinstance(each, str | bytes) for each in array.flat)


def _wanted(kind, value, least, most):
    """Say what was wanted; the upper limit only to those who went beyond it."""
    return f"{kind} of {least} or more" if value <= most else f"{kind} of {most:.4g} at most"


def _first(value, wrong):
    """Return the first wrong number, so that a message about an array stays one line."""
    return np.atleast_1d(value)[np.atleast_1d(wrong)][0]
