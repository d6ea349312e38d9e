"""The scheduling table: entries as a frame, the paper's two tables, and reading a reader's own.

A task is always assigned to an entry. The entry gives its priority and deadline, limits its
time slice, and says which entry follows at the slice's end, by cause and by frames held.
"""

import math

import numpy as np

from perfkit.systems.tables import MOST, table_rows
from perfkit.systems.tss360.machine import ENTRY
from perfkit.values import is_number
from perfkit.wording import nearest

NUMBERS = {
    "priority": 0,
    "deadline_s": 0,
    "slice_ms": 0.1,
    "quantum_ms": 0.1,
    "p_max_pages": 1,
    "fewer_than_pages": 0,
    "more_than_pages": 0,
}
EXITS = ("if_done", "if_fewer", "if_within", "if_more", "if_over", "if_swapped")
COLUMNS = ("entry", *NUMBERS, "steals", *EXITS)
FIRST_ENTRIES = ("first", "nonconversational", "system")
MARGIN_PAGES = 2


def schedule_table(parameters):
    """Return the scheduling table of a parameter record's ``schedule``.

    A transaction has up to three short slices, enough for a typical one, and then long ones.
    Newly active tasks go first. Under the old schedule all later slices are in the background;
    under the new one all short ones are in the foreground. Nothing else differs: limits and
    deadlines of later slices are the same under both.

    Parameters
    ----------
    parameters : Parameters

    Returns
    -------
    pandas.DataFrame
        A row an entry; the columns of ``COLUMNS``. ``first``, ``nonconversational`` and
        ``system`` are where tasks of the three types begin; the exits name entries.
    """
    import pandas as pd

    p = parameters
    small, medium, large = p.background_p_max
    rows = _short_slices(p, p.foreground_passes[p.schedule == "new"])
    for name, p_max, priority, exits in (
        ("small", small, p.background_priorities[0], ("small", "small", "medium", "medium")),
        ("medium", medium, p.background_priorities[1], ("small", "medium", "large", "large")),
        ("large", large, p.background_priorities[2], ("medium", "large", "large", "large")),
    ):
        below = {"small": 0, "medium": small, "large": medium}[name] - MARGIN_PAGES
        rows.append(
            _row(p, name, priority, p_max, exits, (max(below, 0), p_max - MARGIN_PAGES), "first")
        )
    rows[-1]["steals"] = True
    last = max(p.background_priorities) + 1
    own = _row(p, "nonconversational", last, large, ("nonconversational",) * 4, (0, large))
    rows.append(own | {"steals": True})
    own = _row(p, "system", 0, p.typical_p_max, ("system",) * 4, (0, p.typical_p_max))
    rows.append(own | {"steals": True, "deadline_s": 0.0})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _short_slices(p, passes):
    """Return the entries of short slices, from the second on in two sizes."""
    small, medium, _ = p.background_p_max
    limits = (0, p.typical_p_max - MARGIN_PAGES)
    rows = []
    for number in range(1, p.short_slices + 1):
        follow, larger = f"slice {number + 1}", f"slice {number + 1} larger"
        if number == p.short_slices:
            follow, larger = "small", "medium"
        exits = (follow, follow, larger, larger)
        back = p.background_priorities
        priority, priority_larger = (1, 1) if number <= passes else back[:2]
        if number == 1:
            rows.append(_short(p, "first", 1, p.typical_p_max, exits, limits))
            continue
        name = f"slice {number}"
        rows.append(_short(p, name, priority, small, exits, limits))
        exits = (follow, larger, larger, "large" if number == p.short_slices else larger)
        bounds = (small - MARGIN_PAGES, medium - MARGIN_PAGES)
        row = _short(p, f"{name} larger", priority_larger, medium, exits, bounds)
        rows.append(row | {"steals": number < p.short_slices})
    return rows


def _short(p, name, priority, p_max, exits, limits):
    """Return an entry of a short slice."""
    row = _row(p, name, priority, p_max, exits, limits, "first")
    return row | {"slice_ms": p.foreground_slice_ms, "deadline_s": p.foreground_deadline_s}


def _row(p, name, priority, p_max, exits, limits, if_done=None):
    """Return an entry; exits are for fewer frames, within the limits, more, over P_max."""
    return {
        "entry": name,
        "priority": priority,
        "deadline_s": p.background_deadline_s,
        "slice_ms": p.background_slice_ms,
        "quantum_ms": p.quantum_ms,
        "p_max_pages": p_max,
        "fewer_than_pages": limits[0],
        "more_than_pages": limits[1],
        "steals": False,
        "if_done": name if if_done is None else if_done,
        "if_fewer": exits[0],
        "if_within": exits[1],
        "if_more": exits[2],
        "if_over": exits[3],
        "if_swapped": exits[1],
    }


def read_schedule(schedule, frames):
    """Return a scheduling table as records, or refuse it in one sentence.

    Parameters
    ----------
    schedule : pandas.DataFrame, dict of columns or list of dict
        A row an entry; all of ``COLUMNS``.
    frames : int
        Frames beside the supervisor; every P_max must be less.

    Returns
    -------
    record array of dtype ENTRY
    dict
        Entry name to number.

    Raises
    ------
    ValueError
        If a column or entry is missing or unknown, or a value impossible.
    """
    rows = table_rows(schedule, "schedule", COLUMNS)
    names = [row.get("entry") for row in rows]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError("Each entry of a schedule must have a name of its own.")
    index = {name: i for i, name in enumerate(names)}
    for name in FIRST_ENTRIES:
        if name not in index:
            raise ValueError(f"A schedule must have an entry '{name}'.")
    entries = np.zeros(len(rows), ENTRY).view(np.recarray)
    for entry, row in zip(entries, rows, strict=True):
        _fill(entry, row, index, frames)
    return entries, index


def _fill(entry, row, index, frames):
    """Put a row's checked values into a record."""
    values = {name: _number(row["entry"], name, row[name], low) for name, low in NUMBERS.items()}
    if values["p_max_pages"] >= frames:
        raise ValueError(
            f"p_max_pages of entry '{row['entry']}' must be less than the {frames} frames beside"
            f" the supervisor; {values['p_max_pages']:g} is not."
        )
    for name in ("priority", "fewer_than_pages", "more_than_pages", "p_max_pages"):
        entry[name.removesuffix("_pages")] = int(values[name])
    entry.deadline_ms = 1000.0 * values["deadline_s"]
    entry.slice_ms, entry.quantum_ms = values["slice_ms"], values["quantum_ms"]
    if row["steals"] not in (True, False):
        raise ValueError(f"steals of entry '{row['entry']}' must be true or false.")
    entry.steals = bool(row["steals"])
    for name in EXITS:
        if not isinstance(row[name], str) or row[name] not in index:
            hint = nearest(row[name], index) or f"; the entries are {', '.join(index)}."
            raise ValueError(f"{name} names no entry '{row[name]}'{hint}")
        entry[name] = index[row[name]]


def _number(entry, name, value, low):
    whole = name == "priority" or name.endswith("_pages")
    fits = is_number(value) and low <= value <= MOST
    if not fits or (whole and value != math.floor(value)):
        kind = "a whole number" if whole else "a number"
        raise ValueError(
            f"{name} of entry '{entry}' must be {kind} from {low} to {MOST}; {value!r} is not."
        )
    return value
