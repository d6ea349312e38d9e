"""The categories: Table 4's allowances, and transitions that the paper leaves unsaid.

Where a process goes next is decided when a residence in core ends:
``more_core`` and ``more_cpu`` after an overrun (``more_cpu_penalised`` if the process has not
dealt with its console for the penalty period), ``less_core`` when it sleeps and its working set
fits well into that category (0 for none), else ``asleep``. The paper says that there is "a set of
transitions dependent upon the future behaviour of the process" and how often each category is
met; these transitions are ours.
"""

import math
from typing import NamedTuple

from perfkit.core.record import as_frame
from perfkit.core.tables import MOST, checked_number, table_rows
from perfkit.systems.emas.state import CORE_QUEUES, TRANSITIONS


class Category(NamedTuple):
    """A category of processes.

    Attributes
    ----------
    category : int
        Its number, from 1 in order.
    core_queue : int
        From 1 to 5.
    core_pages : int
        Core allowance; shared pages that it holds count like its own.
    max_drum_pages, min_drum_pages : int
        Drum allowance, and what a process falls back to that exceeds it.
    cpu_s : float
        Processor time allowed in a residence.
    compaction_s : float
        Processor time after which the working set is compacted.
    more_core, more_cpu, more_cpu_penalised, less_core, asleep : int
        Next category by what ended the residence; ``less_core`` 0 for none.
    """

    category: int
    core_queue: int
    core_pages: int
    max_drum_pages: int
    min_drum_pages: int
    cpu_s: float
    compaction_s: float
    more_core: int
    more_cpu: int
    more_cpu_penalised: int
    less_core: int
    asleep: int


COLUMNS = Category._fields
LEAST_TIME_S = 1e-4

TABLE_4 = tuple(
    Category(*row)
    for row in (
        (1, 1, 50, 80, 64, 1.0, 0.128, 17, 15, 16, 8, 11),
        (2, 1, 20, 80, 64, 0.5, 0.5, 3, 6, 7, 0, 5),
        (3, 1, 30, 80, 64, 1.0, 1.0, 4, 9, 10, 5, 8),
        (4, 1, 50, 80, 64, 2.0, 0.5, 17, 15, 16, 11, 14),
        (5, 1, 20, 80, 64, 0.5, 0.5, 8, 6, 7, 0, 5),
        (6, 4, 20, 80, 64, 4.0, 1.0, 9, 6, 7, 0, 5),
        (7, 5, 20, 80, 64, 10.0, 1.0, 10, 7, 7, 0, 5),
        (8, 1, 30, 80, 64, 1.0, 0.5, 11, 9, 10, 5, 8),
        (9, 4, 30, 80, 64, 10.0, 1.0, 12, 9, 10, 5, 8),
        (10, 4, 30, 80, 64, 6.0, 1.0, 13, 10, 10, 5, 8),
        (11, 2, 40, 80, 64, 1.0, 1.0, 14, 12, 13, 8, 11),
        (12, 4, 40, 80, 64, 10.0, 1.0, 15, 12, 13, 8, 11),
        (13, 5, 40, 80, 64, 12.0, 1.0, 16, 13, 13, 8, 11),
        (14, 2, 50, 80, 64, 1.0, 1.0, 17, 15, 16, 11, 14),
        (15, 4, 50, 80, 64, 10.0, 1.0, 19, 15, 16, 11, 14),
        (16, 5, 50, 80, 64, 10.0, 1.0, 19, 16, 16, 11, 14),
        (17, 3, 60, 128, 80, 2.0, 0.5, 20, 18, 19, 14, 17),
        (18, 4, 60, 128, 80, 7.0, 0.5, 19, 18, 19, 14, 17),
        (19, 5, 60, 128, 80, 5.0, 1.0, 19, 19, 19, 14, 17),
        (20, 3, 62, 128, 80, 2.0, 0.25, 20, 18, 19, 17, 20),
    )
)


def category_table():
    """Return the categories, with our transitions, as a frame to read and edit.

    One row per category, the columns of Category.

    Examples
    --------
    >>> category_table().loc[0, ["core_pages", "cpu_s"]].tolist()
    [50.0, 1.0]
    """
    return as_frame(TABLE_4, columns=list(COLUMNS))


def read_categories(table):
    """Return the categories of a table, or refuse it in one sentence."""
    given = table_rows(table, "table of categories", COLUMNS)
    rows = [_row(number, values) for number, values in enumerate(given, 1)]
    if not rows:
        raise ValueError("A table of categories must have at least one row.")
    for row in rows:
        for name in TRANSITIONS:
            target = getattr(row, name)
            lowest = 0 if name == "less_core" else 1
            if not lowest <= target <= len(rows):
                raise ValueError(
                    f"{name} of category {row.category} must be from {lowest} to {len(rows)};"
                    f" {target} is not."
                )
    return tuple(rows)


def _row(number, values):
    checked = {}
    for name in COLUMNS:
        if name in ("cpu_s", "compaction_s"):
            checked[name] = checked_number(name, values[name], LEAST_TIME_S, math.inf)
        else:
            low = int(name not in TRANSITIONS)
            checked[name] = checked_number(name, values[name], low, MOST, whole=True)
    row = Category(**checked)
    if row.category != number:
        raise ValueError(
            f"Categories must be numbered from 1 in order; row {number} has {row.category}."
        )
    if row.core_queue > CORE_QUEUES:
        raise ValueError(f"core_queue must be from 1 to {CORE_QUEUES}; {row.core_queue} is not.")
    if row.min_drum_pages > row.max_drum_pages:
        raise ValueError(f"min_drum_pages of category {number} must not exceed max_drum_pages.")
    return row
