"""What commands have in common: values that people write, tables and numbers that they read."""

import shutil
import sys

from perfkit.core.wording import grouped
from perfkit.systems import find

MOST_SEED = 10**18
PLAIN_WIDTH, LEAST_WIDTH, MOST_WIDTH = 96, 60, 140


def width():
    """Return how many characters a line may have: the terminal's, 96 where there is none."""
    columns = shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns
    return min(max(columns, LEAST_WIDTH), MOST_WIDTH)


def pairs(texts):
    """Read name=value texts into a dictionary."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ValueError(f"'{text}' has no value; write name=value, without spaces.")
        if name in found:
            raise ValueError(f"{name} is given twice.")
        found[name] = value.strip()
    return found


def read_parameters(key, record, asked, options=()):
    """Read texts by name as a system's parameters; ``options`` are other names of the line."""
    check_names(key, record, asked, options)
    return {name: record.parse(name, text) for name, text in asked.items()}


def check_names(key, record, names, options=()):
    """Refuse a name that is no parameter of a system, a measure's too."""
    measures = find(key).module().MEASURES
    for name in names:
        if name not in (*record.accepted(), *options):
            hint = record.hint(name, options) or f"; see perfkit show {key}."
            hint = "; it is a measure, which a run prints." if name in measures else hint
            raise ValueError(f"There is no parameter '{name}'{hint}")


def count(name, text, least=1):
    """Read a whole number from least to what can be run, or refuse it in one sentence."""
    from perfkit.runs.experiment import MOST_RUNS

    least, most = (0, MOST_SEED) if name == "seed" else (least, MOST_RUNS)
    short = text.isdecimal() and len(text) <= len(str(MOST_SEED))
    if not short or not least <= int(text) <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}; '{text}' is not.")
    return int(text)


def number(text):
    """Return the number that a text is, else the text, for a check to refuse."""
    try:
        return float(text)
    except ValueError:
        return text


def say_if_compiling(*keys):
    """Tell who waits why the first simulation of each of these systems takes so long."""
    from perfkit.des.compiling import is_compiled

    new = [key for key in keys if not is_compiled(key)]
    if new:
        each = " each" if len(new) > 1 else ""
        print(f"perfkit: compiling {', '.join(new)}, once, for about 20 s{each}", file=sys.stderr)


def estimate(values, signed=False):
    """Return the mean of a measure over runs with its half-width, as people write them.

    Runs in which the measure is not a number are left out, and it is said in how many it is.
    """
    from perfkit.runs.experiment import interval

    there = int(values.count())
    if there == 0:
        return "not measured"
    told = grouped(*interval(values), signed)
    return told if there == len(values) else f"{told} in {there} of {len(values)} runs"


def emit(given, frame, text):
    """Print a command's answer: the frame as JSON or CSV where the line asks for it, or a text.

    Parameters
    ----------
    given : argparse.Namespace
        With ``json`` and ``csv``.
    frame : pandas.DataFrame or callable
        Or what returns one.
    text : callable
        Returns what people read.
    """
    if callable(frame) and (given.json or given.csv):
        frame = frame()
    if given.json:
        print(frame.to_json(orient="records", indent=1, force_ascii=False))
    elif given.csv:
        print(frame.to_csv(index=False), end="")
    else:
        print(text())
