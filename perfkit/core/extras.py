"""Packages that a light install leaves out: who lacks one is told the extra that brings it."""

import contextlib


@contextlib.contextmanager
def extra(name, what):
    """Import what an extra brings; a missing package is refused with the extra's name.

    Parameters
    ----------
    name : str
        The extra: "plot" for ``perfkit[plot]``.
    what : str
        What needs it, as the subject of a sentence.

    Raises
    ------
    ImportError
        One sentence; no ModuleNotFoundError, which would be taken for a module of perfkit's.

    Examples
    --------
    >>> with extra("plot", "Drawing"):
    ...     import no_such_package
    Traceback (most recent call last):
    ImportError: Drawing needs no_such_package; install it with: pip install 'perfkit[plot]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{what} needs {error.name}; install it with: pip install 'perfkit[{name}]'"
        ) from None
