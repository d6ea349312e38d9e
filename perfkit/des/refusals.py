"""Why Numba can't compile a reader's function, in a sentence instead of its own page."""

import re

from numba import types

from perfkit.core.wording import nearest
from perfkit.des.read_only import WRITES

RECORD = re.compile(r"Record\(.*?;\d+;\w+\)")
LINE = re.compile(r'File "[^"\n]*", line (\d+)|" at [^\n]*\((\d+)\)')
ASIDES = re.compile(r"( for '\$[^']*')?, defined at .*|Raised from .*")


def reason(error, signature):
    """Return why a function was not compiled for a signature, by the exception that Numba raised.

    It is the end of a sentence, one line; records are called just that, and the line of the source
    is named where Numba tells it.
    """
    names = _fields(signature)
    if isinstance(error, KeyError) and names:
        name = error.args[0]
        hint = nearest(name, names) or f"; the fields are {', '.join(names)}."
        return f"there is no field '{name}'{hint}"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Failed in ")]
    what = lines[0] if lines else type(error).__name__
    calls = [line.removeprefix(">>> ") for line in lines if line.startswith(">>> ")]
    if any(call.startswith("setitem(readonly") for call in calls):
        what = WRITES
    elif "conversion from none to" in what:
        what = "it returns nothing on some path"
    elif what.startswith("No implementation of function") and calls:
        what = f"Numba has no {calls[0]}"
    what = ASIDES.sub("", RECORD.sub("record", what)).rstrip(". ")
    if not type(error).__module__.startswith("numba."):
        what = f"Numba fails in it with {type(error).__name__}: {what}"
    at = [file or lowering for file, lowering in LINE.findall(str(error))]
    # The last line that Numba names is the reader's; the first may be one of Numba's own.
    return f"{what} (line {at[-1]})." if at else f"{what}."


def _fields(signature):
    """Return the names of the fields of all records that a signature takes."""
    kinds = [getattr(argument, "dtype", argument) for argument in signature.args]
    return [name for kind in kinds if isinstance(kind, types.Record) for name in kind.fields]
