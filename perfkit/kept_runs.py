"""Runs kept in a file, a line each, so that a killed sweep can go on (``sweep(resume=)``).

The first line says what is run: the simulator, the sources of perfkit, the options.
"""

import functools
import inspect
import json
import os
import pickle
from pathlib import Path

import numpy as np
from joblib import hash as content_hash

from perfkit.sources import source_hash
from perfkit.wording import with_article

HELD = (bool, int, float, str, type(None))  # what JSON gives back as it was


def key(task):
    """Return what tells a run from others: its parameters and its seed."""
    _, parameters, seed = task
    return json.dumps([parameters.as_dict(), seed], default=_plain)


def begin(resume, simulate, options):
    """Return the measures of the runs that a file of an earlier, killed sweep holds, by key.

    A new file gets its first line; a torn last line is left out and ended.
    """
    if resume is None:
        return {}
    what = _what_is_run(simulate, options)
    text = _text_of(resume)
    if not text:
        _remember(resume, what)
        return {}
    first, *records = [_record(line) for line in text.splitlines()]
    _refuse_other(resume, first, what)
    done = _measures_by_key(resume, records)
    if not text.endswith("\n"):
        with Path(resume).open("a") as file:
            file.write("\n")
    return done


def _text_of(resume):
    """Return what a file holds, '' if it is not there yet; refuse what can't be added to."""
    folder = Path(resume).absolute().parent
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder} to keep the runs in.")
    if os.path.isdir(resume):
        raise ValueError(f"The runs must be kept in a file; {resume} is a folder.")
    try:
        with Path(resume).open("a+") as file:
            file.seek(0)
            return file.read()
    except OSError as error:
        raise ValueError(
            f"The runs can't be kept in {resume} ({error.strerror}); name another file."
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"{resume} is no text; delete it or name another file.") from None


def _measures_by_key(resume, records):
    """Return the runs of a file by key; torn lines, which are empty records, are left out."""
    done = {}
    for record in filter(None, records):
        key, measures = record.get("key"), record.get("measures")
        if not isinstance(key, str) or not isinstance(measures, dict):
            raise ValueError(
                f"{resume} has a line that is no run, with its key and its measures;"
                " delete it or name another file."
            )
        done[key] = measures
    return done


def _record(line):
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return {}
    return record if isinstance(record, dict) else {}


def _refuse_other(resume, first, what):
    if set(first) != set(what):
        raise ValueError(
            f"{resume} does not begin by saying what was run; delete it or name another file."
        )
    others = [name for name in what if first[name] != what[name]]
    if others:
        raise ValueError(
            f"{resume} holds runs with another {' and '.join(others)};"
            " delete it or name another file."
        )


def _what_is_run(simulate, options):
    try:
        return {
            "simulator": content_hash(_identity(simulate)),
            "source of perfkit": source_hash(),
            "set of options": {
                name: content_hash(_identity(value)) for name, value in options.items()
            },
        }
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError):
        raise ValueError(
            "resume needs a simulator and options that can be told apart by their contents;"
            " leave it out for these."
        ) from None


def _identity(value):
    """Return what tells a function or value from others, the same in every process."""
    value = getattr(value, "py_func", value)
    if isinstance(value, functools.partial):
        return [_identity(value.func), [*map(_identity, value.args)], _identity(value.keywords)]
    if isinstance(value, dict):
        return {name: _identity(each) for name, each in value.items()}
    if not inspect.isfunction(value):
        return value
    inner = [_identity(cell.cell_contents) for cell in value.__closure__ or ()]
    try:
        source = inspect.getsource(value)
    except OSError:
        source = value.__code__.co_code
    defaults = _identity(value.__defaults__), _identity(value.__kwdefaults__)
    return [value.__module__, value.__qualname__, source, inner, *defaults]


def keep(resume, task, measures):
    """Add a run to a file; measures that would not come back as they are are refused."""
    for name, value in measures.items():
        plain = value.item() if isinstance(value, np.generic) else value
        if not isinstance(plain, HELD):
            raise ValueError(
                f"{resume} can't hold the measure '{name}', {with_article(type(value).__name__)};"
                " measures must be numbers or words, or leave resume out."
            )
    _remember(resume, {"key": key(task), "measures": measures})


def _remember(resume, record):
    with Path(resume).open("a") as file:
        file.write(json.dumps(record, default=_plain) + "\n")


def _plain(value):
    return value.item() if isinstance(value, np.generic) else str(value)
