"""The command headline: the number of a finding that comes out of an experiment, not of a run."""

import importlib

from perfkit import show
from perfkit.commands.arguments import RUN_OPTIONS
from perfkit.commands.words import count, emit, pairs, say_if_compiling, width
from studies import study


def headline(given):
    """Print what an experiment's machine says of the study's first sentence."""
    entry = study(given.key)
    found = getattr(importlib.import_module(f"studies.{entry.key}.experiments"), "headline", None)
    if found is None:
        raise ValueError(
            f"What {entry.key} finds is seen in runs: its notebook begins with the commands."
        )
    asked = pairs(given.values)
    counts = {name: count(name, asked.pop(name)) for name in RUN_OPTIONS if name in asked}
    record = entry.module().Parameters
    changes = {name: record.parse(name, text) for name, text in asked.items()}
    record(**changes)  # refused before anything is run
    say_if_compiling(entry.key)
    table = found(**counts, **changes)
    emit(given, table, lambda: show.table(table).text(width()))
