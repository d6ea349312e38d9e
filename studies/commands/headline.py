"""The command headline: the number of a finding that is of an experiment, not of a run."""

import importlib
import inspect

from perfkit import show
from perfkit.commands.arguments import RUN_OPTIONS
from perfkit.commands.simulate import what_was_run
from perfkit.commands.words import count, emit, pairs, read_parameters, say_if_compiling, width
from studies import study


def headline(given):
    """Print what an experiment's machine says of the study's first sentence."""
    entry = study(given.key)
    found = getattr(importlib.import_module(f"studies.{entry.key}.experiments"), "headline", None)
    if found is None:
        raise ValueError(
            f"What {entry.key} finds is seen in single runs; the first cells of its notebook,"
            f" notebooks/{entry.key}.ipynb, have the commands."
        )
    asked = pairs(given.values)
    defaults = inspect.signature(found).parameters
    counts = {n: count(n, asked.pop(n, str(defaults[n].default))) for n in RUN_OPTIONS}
    record = entry.module().Parameters
    changes = read_parameters(entry.key, record, asked)
    if own := found.sets & {one for name in changes for one in record.sets(name)}:
        raise ValueError(f"The experiment itself sets {min(own)}; give other parameters.")
    record(**changes)  # refused before anything is run
    say_if_compiling(entry.key)
    table = found(**counts, **changes)
    told = what_was_run(entry.key, record, {"": changes}, counts)
    emit(given, table, lambda: "\n".join([*told, "", show.table(table).text(width())]))
