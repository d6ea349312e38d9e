"""The demands of transactions, skewed and related as in Tables 2 to 4, task by task.

A task's demands depend on the seed, the task and the transaction's number only, a user's
sessions on the seed, the user and the session's number: the same whatever the machine does
(common random numbers). Transactions are independent of each other;
to stratify them would make runs differ less, but minutes and periods too quiet, and how they
differ is what the paper measures.
"""

import numpy as np

from perfkit.core.record import as_frame
from perfkit.core.tables import MOST, checked_number, table_rows
from perfkit.core.wording import nearest
from perfkit.des import supply
from perfkit.des.draws import stream
from perfkit.des.elementary import (
    each_exp,
    each_log,
    each_normal_quantile,
    each_power,
    interpolate,
    log1p,
)
from perfkit.des.records import records
from perfkit.systems.tss360.parameters import MARGIN_PAGES
from perfkit.systems.tss360.state import BLOCK, DEMAND, ENTRY, ROWS, SESSION, TaskType, task_kinds

DRAWS = (
    *("think", "patience", "cpu", "access", "class"),
    *("reads", "writes", "frames", "region", "lines"),
)
SMALLEST = 1e-12
CLASSES = ((0, 0), (1, 10), (11, 20), (21, 30), (31, None))
TAILS = {"reads": (78.0, 175.0), "writes": (109.0, 290.0)}
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


class Supply(supply.Supply):
    """Draws the coming transactions of every task, and refills a machine's draws."""

    def __init__(self, parameters, seed):
        super().__init__([stream(seed, "place")])
        self.log = []
        self.parameters = parameters
        self.kinds = np.array(task_kinds(parameters))
        self.demand = [stream(seed, "demand", t) for t in range(len(self.kinds))]
        self.session = [stream(seed, "session", t) for t in range(len(self.kinds))]
        self.cpu_cdf = np.array(parameters.cpu_cdf)
        self.log_cpu_s = each_log(parameters.cpu_points_s)

    def draw_rows(self, tasks, blocks):
        """Draw so many blocks of the next transactions of each task, as one array of DEMAND."""
        u = _uniforms([self.demand[t] for t in tasks], len(DRAWS), blocks).clip(max=1.0 - SMALLEST)
        rows, kinds = records(u.shape[1], DEMAND), np.repeat(self.kinds[tasks], blocks * BLOCK)
        for kind, draw in (
            (TaskType.CONVERSATIONAL, self._conversational),
            (TaskType.NONCONVERSATIONAL, self._nonconversational),
            (TaskType.SYSTEM, self._system),
        ):
            chosen = kinds == kind
            part = rows[chosen]  # a copy, to be put back
            draw(part, dict(zip(DRAWS, u[:, chosen], strict=True)))
            rows[chosen] = part
        rows.region = np.floor(u[DRAWS.index("region")] * 1e9).astype(int) % 10**6
        return rows

    def _conversational(self, rows, u):
        p = self.parameters
        rows.think_ms = -1000.0 * p.think_s * each_log(u["think"])
        rows.patience_ms = -60000.0 * p.patience_min * each_log(u["patience"])
        cpu_s = each_exp(interpolate(u["cpu"], self.cpu_cdf, self.log_cpu_s))
        rows.cpu_ms = 1000.0 * cpu_s
        if p.output_lines > 0.0:
            more = each_log(p.output_lines / (1.0 + p.output_lines))
            rows.lines = np.floor(each_log(u["lines"]) / more)
        reads, writes = _classes(u["cpu"], u["access"], p.access_correlation)
        rows.reads = _accesses(reads, u["reads"], TAILS["reads"])
        rows.writes = _accesses(writes, u["writes"], TAILS["writes"])
        rows.working_set_pages = _working_sets(cpu_s, u["frames"], u["class"], p)

    def _nonconversational(self, rows, u):
        p = self.parameters
        rows.patience_ms = np.inf
        rows.cpu_ms = -1000.0 * p.nonconversational_cpu_s * each_log(u["cpu"])
        cpu_s = rows.cpu_ms / 1000.0
        rows.working_set_pages = _working_sets(
            np.maximum(cpu_s, TABLE_4_CPU_S[-1]), u["frames"], u["class"], p
        )

    def _system(self, rows, u):
        p = self.parameters
        rows.think_ms = -1000.0 * p.system_think_s * each_log(u["think"])
        rows.patience_ms = np.inf
        rows.cpu_ms = -1000.0 * p.system_cpu_s * each_log(u["cpu"])
        rows.working_set_pages = p.system_working_set_pages

    def draw_sessions(self, users, blocks):
        """Draw so many blocks of the next sessions of each user, with the absences after them."""
        p, u = self.parameters, _uniforms([self.session[t] for t in users], 2, blocks)
        rows = records(u.shape[1], SESSION)
        rows.session_ms = -60000.0 * p.session_min * each_log(u[0])
        rows.away_ms = -60000.0 * p.away_min * each_log(u[1])
        return rows

    def refill(self, machine):
        """Refill what is used: rows, where less than a block is left (modifies it in place)."""
        for rows, used, draw in (
            (machine.demands, machine.demands_used, self.draw_rows),
            (machine.sessions, machine.sessions_used, self.draw_sessions),
        ):
            due = np.flatnonzero(used > ROWS - BLOCK)
            if due.size:
                blocks = used[due].min() // BLOCK
                gone = blocks * BLOCK  # whole blocks alone, or what is left would be drawn anew
                rows[due, : ROWS - gone] = rows[due, gone:]
                rows[due, ROWS - gone :] = draw(due, blocks).reshape(-1, gone)
                used[due] -= gone
        super().refill(machine)

    def collect(self, machine):
        """Take over what the event-tracing monitor has written down."""
        self.log.append(machine.log[: machine.kernel.logged].copy())
        machine.kernel.logged = 0

    def logged(self):
        """Return the event-tracing monitor's transactions, in order, as a record array."""
        return np.concatenate(self.log).view(np.recarray)


def _uniforms(streams, columns, blocks):
    """Return so many blocks of numbers above 0 of each stream, one block behind the other."""
    # Blocks of one size, whatever is drawn at a time: so the same numbers come in any portions.
    u = [stream.random((blocks, columns, BLOCK)) for stream in streams]
    return np.concatenate(u).transpose(1, 0, 2).reshape(columns, -1).clip(SMALLEST)


def _classes(u_cpu, u, correlation):
    """Draw classes of reads and writes, the more the more processing time (normal copula)."""
    apart = np.sqrt(1.0 - correlation * correlation)
    z = correlation * each_normal_quantile(u_cpu) + apart * each_normal_quantile(u)
    middle = np.array([0.0, 5.5, 15.5, 25.5, 120.0])
    total = (middle[:, None] + middle).ravel()
    order = np.argsort(total, kind="stable")  # totals tie: their order must not hang on a sort
    cumulative = np.cumsum(TABLE_3.ravel()[order])
    edges = each_normal_quantile(cumulative / cumulative[-1])
    cell = order[np.searchsorted(edges, z, side="right").clip(0, 24)]
    return cell // len(CLASSES), cell % len(CLASSES)


def _accesses(classes, u, tail):
    """Draw numbers of accesses: even within a class, lognormal beyond the last."""
    mean, sd = tail
    variance = log1p((sd / mean) * (sd / mean))
    low = np.array([c[0] for c in CLASSES])[classes]
    width = np.array([1.0 if high is None else high - low + 1.0 for low, high in CLASSES])[classes]
    inside = np.floor(low + width * u)
    beyond = np.floor(
        low + mean * each_exp(np.sqrt(variance) * each_normal_quantile(u) - 0.5 * variance)
    )
    return np.where(classes == len(CLASSES) - 1, beyond, inside).astype(int)


def _working_sets(cpu_s, u, u_class, p):
    """Draw private working sets: Table 4's frames given the processing time.

    A transaction too short to touch its whole working set has a larger one, so that what it
    touches is what the table says; for slices that are cut short all are larger by a factor.
    """
    rows = np.searchsorted(TABLE_4_CPU_S, cpu_s, side="right")
    cumulative = np.cumsum(TABLE_4, axis=1) / TABLE_4.sum(axis=1, keepdims=True)
    column = (u_class[:, None] >= cumulative[rows, :-1]).sum(axis=1)
    frames = 10.0 * column + 0.5 + 10.0 * u
    short = each_power(np.minimum(1.0, 1000.0 * cpu_s / p.loading_ms), p.touch_exponent)
    return np.rint(p.working_set_factor * frames / np.maximum(short, SMALLEST))


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
    row = _row(p, "nonconversational", last, large, ("nonconversational",) * 4, (0, large))
    rows.append(row | {"steals": True})
    row = _row(p, "system", 0, p.typical_p_max, ("system",) * 4, (0, p.typical_p_max))
    rows.append(row | {"steals": True, "deadline_s": 0.0})
    return as_frame(rows, columns=list(COLUMNS))


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
    times = (p.background_deadline_s, p.background_slice_ms, p.quantum_ms)
    leads_to = (name if if_done is None else if_done, *exits, exits[1])
    row = (name, priority, *times, p_max, *limits, False, *leads_to)
    return dict(zip(COLUMNS, row, strict=True))


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
