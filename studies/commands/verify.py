"""The command that says of each cell and claim whether it is as published with this version."""

import textwrap

import pandas as pd

from perfkit import show
from perfkit.commands.words import say_if_compiling, width
from perfkit.des import memo
from studies import chosen
from studies.commands import reproduce as runner
from studies.evidence import kept_cards, repeated
from studies.show import verification


def verify(given):
    """Execute studies, and tell of each cell and claim whether it is as committed.

    Every run is made anew, whatever was run before.
    The terminal has counts and the rows that were named; a page and JSON have every row.
    """
    cited = [text for text in given.keys if "/" in text]
    keys = list(dict.fromkeys(text.partition("/")[0] for text in given.keys))
    keys = [entry.key for entry in chosen(keys)]
    for text in cited:
        repeated.rows(repeated.committed(keys), text)  # refused before the minutes of a run
    say_if_compiling(*keys)
    with runner.environment(memo.SETTING, memo.OFF):
        results = runner.reproduce(
            keys, given.results, given.quick, say=lambda line: print(line, flush=True)
        )
    frame = repeated.compared(keys, results / runner.CARDS, given.quick)
    for form, made in (("json", verification.data), ("html", verification.page)):
        kept_cards.replaced(results / f"verification.{form}", made(frame, given.quick))
    tables = [verification.counts(frame)]
    tables += [pd.concat(repeated.rows(frame, text) for text in cited)] if cited else []
    print(*(show.Table(table).text(width()) for table in tables), sep="\n\n")
    on = ", ".join(f"{name} {version}" for name, version in verification.made_on().items())
    print(textwrap.fill(on, width()))
    print(f"Every row: {results}/verification.html and verification.json.")
    repeated.tell(frame)
