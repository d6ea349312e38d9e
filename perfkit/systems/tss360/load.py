"""The demands of transactions, skewed and related as in Tables 2 to 4, task by task.

A task's demands depend on the seed, the task and the transaction's number only, a user's
sessions on the seed, the user and the session's number: the same whatever the machine does
(common random numbers). Transactions are independent of each other;
to stratify them would make runs differ less, but minutes and periods too quiet, and how they
differ is what the paper measures.
"""

import math
from typing import NamedTuple

import numpy as np

from perfkit.core.record import as_frame
from perfkit.core.tables import MOST, checked_number, table_rows
from perfkit.core.wording import nearest
from perfkit.des.compiling import assembly, kernel
from perfkit.des.draws import streams, uniform
from perfkit.des.elementary import (
    exp,
    interpolate,
    log,
    log1p,
    normal_quantile,
    power,
)
from perfkit.des.records import records, viewed
from perfkit.systems.tss360.parameters import MARGIN_PAGES
from perfkit.systems.tss360.state import (
    BLOCK,
    DEMAND,
    DRAWS,
    ENTRY,
    TaskType,
    settings_of,
    task_kinds,
)

THINK, PATIENCE, CPU, ACCESS, FRAMES_CLASS, READS, WRITES, FRAMES, REGION, LINES = range(DRAWS)
SMALLEST = 1e-12
CLASSES = (0, 1, 11, 21, 31)
"""The fewest accesses of each class."""
READS_TAIL, WRITES_TAIL = (78.0, 175.0), (109.0, 290.0)
"""Mean and standard deviation of accesses beyond 30, as those of Table 2 want them."""
TABLE_3 = np.array(
    [
        [0.622, 0.0, 0.0, 0.0, 0.0],
        [0.164, 0.034, 0.010, 0.001, 0.0],
        [0.028, 0.019, 0.014, 0.013, 0.0],
        [0.001, 0.010, 0.001, 0.002, 0.021],
        [0.0, 0.037, 0.005, 0.004, 0.014],
    ]
)
"""Share of transactions by class of reads (rows) and writes (columns) of ``CLASSES``.

The first four rows and columns are Table 3, the rest follows from Table 2 as we read it
(data/tss360/ERRATA.md).
"""
TABLE_4_CPU_S = (0.01, 0.1, 1.0)
TABLE_4 = np.array(
    [
        [0.001, 0.11, 0.005, 0.0],
        [0.02, 0.58, 0.071, 0.002],
        [0.001, 0.059, 0.107, 0.009],
        [0.0, 0.003, 0.014, 0.007],
    ]
)
"""Share of transactions by processing time (rows, bounded by ``TABLE_4_CPU_S``) and frames."""


class Tables(NamedTuple):
    """What demands are drawn with: the tables' distributions, summed up.

    Attributes
    ----------
    cpu_cdf, log_cpu_s : ndarray of float64, shape (points,)
        Of processing times, log-linear between points.
    cell_edges : ndarray of float64, shape (classes * classes,)
        Normal quantiles up to which a draw means a cell of Table 3, by rising accesses.
    cells : ndarray of int64, shape (classes * classes,)
        Those cells: ``len(CLASSES)`` times the class of reads, plus that of writes.
    frames : ndarray of float64, shape (4, 4)
        Of Table 4's frames, one row per class of processing time.
    """

    cpu_cdf: np.ndarray
    log_cpu_s: np.ndarray
    cell_edges: np.ndarray
    cells: np.ndarray
    frames: np.ndarray


def demand_tables(p):
    """Return what demands are drawn with under a parameter record."""
    return Tables(*derive_tables(p.arrays()))


_MIDDLE = np.array([0.0, 5.5, 15.5, 25.5, 120.0])  # accesses of each class
# Totals tie: their order must not depend on a sort.
CELLS = np.argsort((_MIDDLE[:, None] + _MIDDLE).ravel(), kind="stable")
CELLS_CDF = np.cumsum(TABLE_3.ravel()[CELLS])
FRAMES_CDF = np.cumsum(TABLE_4, axis=1) / TABLE_4.sum(axis=1, keepdims=True)


@assembly
def derive_tables(arrays):
    """Return the fields of Tables."""
    _, _, _, points_s, cdf, _ = arrays
    logs, edges = np.zeros(points_s.size), np.zeros(CELLS_CDF.size)
    for n in range(logs.size):
        logs[n] = log(points_s[n])
    for n in range(edges.size):
        edges[n] = normal_quantile(CELLS_CDF[n] / CELLS_CDF[-1])
    return cdf, logs, edges, CELLS.copy(), FRAMES_CDF.copy()


def draw_demands(p, seed, tasks, count):
    """Draw the first transactions (dtype DEMAND) of some tasks, so many of each, task by task."""
    kinds = task_kinds(p)[tasks]
    own = streams(seed, "demand", max(tasks) + 1)[tasks]
    rows, raw = records((len(kinds), count), DEMAND), np.zeros((DRAWS, BLOCK))
    _fill_demands(own, kinds, raw, settings_of(p)[0], demand_tables(p), rows)
    return rows.reshape(-1)


@kernel
def _fill_demands(streams, kinds, raw, settings, tables, rows):
    for t in range(kinds.size):
        for at in range(rows.shape[1]):
            if at % BLOCK == 0:
                draw_block(streams[t], raw)
            draw_demand(rows[t, at], kinds[t], raw, at % BLOCK, settings, tables)


@kernel
def draw_block(s, raw):
    """Draw a block of raw rows, column by column (modifies both in place)."""
    for column in range(raw.shape[0]):
        for at in range(raw.shape[1]):
            raw[column, at] = uniform(s)


@kernel
def draw_demand(row, kind, raw, at, settings, tables):
    """Turn a raw row of a block into what a transaction of a kind demands (in place)."""
    cpu = _inside(raw[CPU, at])
    if kind == TaskType.CONVERSATIONAL:
        row.think_ms = _exponential(1000.0 * settings.think_s, raw[THINK, at])
        row.patience_ms = _exponential(60000.0 * settings.patience_min, raw[PATIENCE, at])
        cpu_s = exp(interpolate(cpu, tables.cpu_cdf, tables.log_cpu_s))
        row.cpu_ms = 1000.0 * cpu_s
        if settings.output_lines > 0.0:
            more = log(settings.output_lines / (1.0 + settings.output_lines))
            row.lines = int(np.floor(log(_inside(raw[LINES, at])) / more))
        reads, writes = _classes(cpu, raw[ACCESS, at], settings.access_correlation, tables)
        row.reads = _accesses(reads, raw[READS, at], READS_TAIL)
        row.writes = _accesses(writes, raw[WRITES, at], WRITES_TAIL)
        row.working_set_pages = _working_set(cpu_s, raw, at, settings, tables)
    elif kind == TaskType.NONCONVERSATIONAL:
        row.patience_ms = np.inf
        row.cpu_ms = _exponential(1000.0 * settings.nonconversational_cpu_s, cpu)
        long_s = max(row.cpu_ms / 1000.0, TABLE_4_CPU_S[-1])
        row.working_set_pages = _working_set(long_s, raw, at, settings, tables)
    else:
        row.think_ms = _exponential(1000.0 * settings.system_think_s, raw[THINK, at])
        row.patience_ms = np.inf
        row.cpu_ms = _exponential(1000.0 * settings.system_cpu_s, cpu)
        row.working_set_pages = settings.system_working_set_pages
    row.region = int(_inside(raw[REGION, at]) * 1e9) % 10**6


@kernel
def draw_session(row, raw, at, settings):
    """Turn a raw row of a block into a session and the absence after it (in place)."""
    row.session_ms = -60000.0 * settings.session_min * log(max(raw[0, at], SMALLEST))
    row.away_ms = -60000.0 * settings.away_min * log(max(raw[1, at], SMALLEST))


@kernel
def _inside(draw):
    """Return a draw that is neither 0 nor 1."""
    return min(max(draw, SMALLEST), 1.0 - SMALLEST)


@kernel
def _exponential(mean, draw):
    return -mean * log(_inside(draw))


@kernel
def _classes(cpu, draw, correlation, tables):
    """Draw classes of reads and writes, the more the more processing time (normal copula)."""
    apart = math.sqrt(1.0 - correlation * correlation)
    z = correlation * normal_quantile(cpu) + apart * normal_quantile(_inside(draw))
    at = 0
    while at < tables.cells.size - 1 and tables.cell_edges[at] <= z:
        at += 1
    return tables.cells[at] // len(CLASSES), tables.cells[at] % len(CLASSES)


@kernel
def _accesses(number, draw, tail):
    """Draw a number of accesses: even within a class, lognormal beyond the last."""
    low, draw = CLASSES[number], _inside(draw)
    if number < len(CLASSES) - 1:
        return int(np.floor(low + (CLASSES[number + 1] - low) * draw))
    mean, sd = tail
    variance = log1p((sd / mean) * (sd / mean))
    spread = exp(math.sqrt(variance) * normal_quantile(draw) - 0.5 * variance)
    return int(np.floor(low + mean * spread))


@kernel
def _working_set(cpu_s, raw, at, settings, tables):
    """Draw a private working set: Table 4's frames given the processing time.

    A transaction too short to touch its whole working set has a larger one, so that what it
    touches is what the table says; for slices that are cut short all are larger by a factor.
    """
    row = column = 0
    while row < len(TABLE_4_CPU_S) and TABLE_4_CPU_S[row] <= cpu_s:
        row += 1
    cumulative = tables.frames[row]
    while column < cumulative.size - 1 and cumulative[column] <= _inside(raw[FRAMES_CLASS, at]):
        column += 1
    frames = 10.0 * column + 0.5 + 10.0 * _inside(raw[FRAMES, at])
    short = power(min(1.0, 1000.0 * cpu_s / settings.loading_ms), settings.touch_exponent)
    return np.rint(settings.working_set_factor * frames / max(short, SMALLEST))


NUMBERS = {  # and the least that each may be
    "priority": 0, "deadline_s": 0, "slice_ms": 0.1, "quantum_ms": 0.1,
    "p_max_pages": 1, "fewer_than_pages": 0, "more_than_pages": 0,
}  # fmt: skip
EXITS = ("if_done", "if_fewer", "if_within", "if_more", "if_over", "if_swapped")
COLUMNS = ("entry", *NUMBERS, "steals", *EXITS)
FIRST_ENTRIES = ("first", "nonconversational", "system")


def schedule_table(parameters):
    """Return the scheduling table of a parameter record's ``schedule``.

    A transaction has up to three short slices, enough for a typical one, and then long ones.
    Newly active tasks go first. Under the old schedule all later slices are in the background;
    under the new one all short ones are in the foreground. Nothing else differs: limits and
    deadlines of later slices are the same under both.

    One row per entry; the columns of ``COLUMNS``. ``first``, ``nonconversational`` and ``system``
    are where tasks of the three types begin; the exits name entries.

    Examples
    --------
    >>> from perfkit.systems.tss360 import Parameters
    >>> table = schedule_table(Parameters(schedule="new"))
    >>> table.set_index("entry").loc["first", "if_more"]
    'slice 2 larger'
    """
    p, (entries, index) = parameters, own_schedule(parameters)
    names, rows = list(index), []
    for name, entry in zip(names, entries, strict=True):
        deadline_s = p.background_deadline_s
        if name.startswith(("first", "slice")):
            deadline_s = p.foreground_deadline_s
        elif name == "system":
            deadline_s = 0.0
        numbers = entry.slice_ms, entry.quantum_ms, entry.p_max, entry.fewer_than, entry.more_than
        leads_to = [names[entry[exit_to]] for exit_to in EXITS]
        rows.append((name, entry.priority, deadline_s, *numbers, bool(entry.steals), *leads_to))
    return as_frame(rows, columns=list(COLUMNS))


def own_schedule(p):
    """Return the schedule of a parameter record as ``read_schedule`` does."""
    names = ["first"]
    for number in range(2, p.short_slices + 1):
        names += [f"slice {number}", f"slice {number} larger"]
    names += ["small", "medium", "large", "nonconversational", "system"]
    entries = viewed(derive_entries(settings_of(p)[0], p.arrays()))
    return entries, {name: n for n, name in enumerate(names)}


@assembly
def derive_entries(settings, arrays):
    """Return the entries of a schedule (dtype ENTRY): of short slices, from the second on in two
    sizes, small, medium and large ones, and those of the two other types of task.
    """
    s, (passes, p_max, priorities, _, _, _) = settings, arrays
    small, typical = 2 * s.short_slices - 1, s.typical_p_max
    medium, large, other, system = small + 1, small + 2, small + 3, small + 4
    rows = records(system + 1, ENTRY)
    for row in rows:
        row.deadline_ms, row.slice_ms = 1000.0 * s.background_deadline_s, s.background_slice_ms
        row.quantum_ms = s.quantum_ms
    for number in range(1, s.short_slices + 1):
        own, follow, larger = 2 * number - 3, 2 * number - 1, 2 * number
        early = number <= passes[s.schedule]
        exits = follow, follow, larger, larger
        if number == 1:
            _short(rows[0], s, 1, typical, (0, typical - MARGIN_PAGES), exits)
            continue
        priority = 1 if early else priorities[0]
        _short(rows[own], s, priority, p_max[0], (0, typical - MARGIN_PAGES), exits)
        last = number == s.short_slices
        exits = follow, larger, larger, large if last else larger
        priority = 1 if early else priorities[1]
        limits = p_max[0] - MARGIN_PAGES, p_max[1] - MARGIN_PAGES
        _short(rows[own + 1], s, priority, p_max[1], limits, exits)
        rows[own + 1].steals = not last
    below = 0, max(p_max[0] - MARGIN_PAGES, 0), max(p_max[1] - MARGIN_PAGES, 0)
    exits = (
        (small, small, medium, medium),
        (small, medium, large, large),
        (medium, large, large, large),
    )
    for size in range(3):
        limits = below[size], p_max[size] - MARGIN_PAGES
        _entry(rows[small + size], priorities[size], p_max[size], limits, exits[size])
    last = max(priorities[0], priorities[1], priorities[2]) + 1
    _entry(rows[other], last, p_max[2], (0, p_max[2]), (other, other, other, other))
    _entry(rows[system], 0, typical, (0, typical), (system, system, system, system))
    rows[other].if_done, rows[system].if_done, rows[system].deadline_ms = other, system, 0.0
    rows[large].steals = rows[other].steals = rows[system].steals = 1
    return rows


@kernel
def _entry(row, priority, p_max, limits, exits):
    """Fill an entry (in place); exits are for fewer frames, within the limits, more, over P_max."""
    row.priority, row.p_max, (row.fewer_than, row.more_than) = priority, p_max, limits
    row.if_fewer, row.if_within, row.if_more, row.if_over = exits
    row.if_swapped = row.if_within


@kernel
def _short(row, settings, priority, p_max, limits, exits):
    """Fill an entry of a short slice (in place)."""
    _entry(row, priority, p_max, limits, exits)
    row.slice_ms = settings.foreground_slice_ms
    row.deadline_ms = 1000.0 * settings.foreground_deadline_s


def read_schedule(schedule, frames):
    """Return a scheduling table as records of dtype ENTRY, and each entry's number by its name."""
    rows = table_rows(schedule, "schedule", COLUMNS)
    names = [row.get("entry") for row in rows]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError("Each entry of a schedule must have a name of its own.")
    index = {name: i for i, name in enumerate(names)}
    for name in FIRST_ENTRIES:
        if name not in index:
            raise ValueError(f"A schedule must have an entry '{name}'.")
    entries = records(len(rows), ENTRY)
    for entry, row in zip(entries, rows, strict=True):
        _fill(entry, row, index, frames)
    return entries, index


def _fill(entry, row, index, frames):
    """Put a row's checked values into a record."""
    values = {}
    for name, low in NUMBERS.items():
        whole = name == "priority" or name.endswith("_pages")
        named = f"{name} of entry '{row['entry']}'"
        values[name] = checked_number(named, row[name], low, MOST, whole=whole)
    if values["p_max_pages"] >= frames:
        raise ValueError(
            f"p_max_pages of entry '{row['entry']}' must be less than the {frames} frames beside"
            f" the supervisor; {values['p_max_pages']:g} is not."
        )
    for name in ("priority", "fewer_than_pages", "more_than_pages", "p_max_pages"):
        entry[name.removesuffix("_pages")] = values[name]
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
