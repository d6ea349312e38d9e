"""Quizzes: mechanisms of the five systems as small cases, to be solved by hand.

``words.toml`` has the kinds and what a student reads. A kind's function, in the module of its
study, takes a ``random.Random`` and returns a case, its answer and the steps that lead there.
"""

import random
import textwrap
import tomllib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tabulate import tabulate

KINDS = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
WIDTH = 78  # of the text, so that a sheet and a terminal of 80 columns hold it
MOST_ROWS = 6  # of a table that is printed row by row; a longer one lies on its side


@dataclass(frozen=True)
class Quiz:
    """A case to be solved by hand.

    Attributes
    ----------
    kind, study, title : str
    seed : int
    rule, question : str
    case : dict
        The data: numbers, words, lists of these, and tables as lists of rows.
    asks : dict
        What to hand in: the name of each part of the answer, and what it is.
    answer : dict
        By these names: a number, a word, a list of these, or None.
    steps : list of str
        The way there, as on a board.
    """

    kind: str
    study: str
    seed: int
    title: str
    rule: str
    case: dict
    question: str
    asks: dict
    answer: dict
    steps: list

    def text(self):
        """Return what a student needs, in lines of 80 columns at most."""
        head = f"{self.title} ({self.study}, {self.kind}, seed {self.seed})"
        tables = [_table(value) for value in self.case.values() if _is_table(value)]
        rule, question = (textwrap.fill(text, WIDTH) for text in (self.rule, self.question))
        return "\n\n".join([head, rule, *tables, question, _listed("Hand in", self.asks)])

    def solution(self):
        """Return the steps, a line each, and the answer."""
        steps = "\n".join(["Solution", *(f"  {step}" for step in self.steps)])
        answer = {name: told(value) for name, value in self.answer.items()}
        return f"{steps}\n\n{_listed('Answer', answer)}"


def draw(kind, seed):
    """Return the quiz of a kind, one of `KINDS`, that a seed stands for.

    Examples
    --------
    >>> draw("lru", 7).answer["kept"]
    [5, 1, 2]
    """
    words = KINDS[kind]
    drawn = getattr(import_module(f"studies.quiz.{words['study']}"), kind)
    case, answer, steps = drawn(random.Random(f"{kind} {seed}"))
    said = {name: told(value) for name, value in case.items() if not _is_table(value)}
    filled = {name: " ".join(words[name].format(**said).split()) for name in ("rule", "question")}
    return Quiz(**words | filled, kind=kind, seed=seed, case=case, answer=answer, steps=steps)


def told(value):
    """Return a number, a word, a list of these or None as people write it."""
    if isinstance(value, list):
        return ", ".join(map(told, value)) or "none"
    return "none" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)


def _is_table(value):
    return isinstance(value, list) and isinstance(value[0], dict)


def _table(rows):
    if len(rows) > MOST_ROWS:
        columns = [[name, *(row[name] for row in rows)] for name in rows[0]]
        return textwrap.indent(tabulate(columns, tablefmt="plain", disable_numparse=True), "  ")
    return textwrap.indent(tabulate(rows, headers="keys", tablefmt="simple"), "  ")


def _listed(head, parts):
    return "\n".join([head, *(f"  {name:18}{text}" for name, text in parts.items())])
