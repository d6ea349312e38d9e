"""The command that executes the notebook of a study of one's own."""

from pathlib import Path

from perfkit.commands.words import pairs
from studies.commands.reproduce import checked_parameters, execute

TURNED = "results"


def execute_book(given):
    """Execute a notebook in place or, with parameters changed, into a folder beside it."""
    source = Path(given.notebook)
    values = checked_parameters(source, pairs(given.changes))
    target = source.parent / TURNED / source.name if values else source
    print(f"{target}: {execute(source, target, values):.0f} s")
