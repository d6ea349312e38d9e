"""Loads: classes of tasks by the eight characteristics of the paper, and the two it ran.

A load is a frame, a dictionary of columns or a list of dictionaries, one row per class. A
mean interval of 0 says that the class never does it, as in Table 1.
"""

from dataclasses import dataclass
from typing import NamedTuple

from perfkit.core.record import ParameterRecord, as_frame, assumed, calibrated, stated
from perfkit.core.tables import checked_number, table_rows
from perfkit.systems.sim61.state import TaskType

TASK_TYPES = [kind.name.lower() for kind in TaskType]


class TaskClass(NamedTuple):
    """A class of tasks; means with their standard deviations, drawn for each interaction.

    Attributes
    ----------
    name : str
    task_type : str
        "interactive", "batch" or "communications".
    tasks : int
    working_set_pages, working_set_sd_pages : float
    compute_ms, compute_sd_ms : float
        On the RCA 7; for batch tasks a base time for the other characteristics.
    think_s, think_sd_s : float
        Irrelevant for batch tasks.
    io_interval_ms, io_interval_sd_ms : float
    exec_interval_ms, exec_interval_sd_ms : float
        Between supervisor calls of the pageable executive.
    shared_interval_ms, shared_interval_sd_ms : float
        Between references to a shared page.
    virtual_memory_pages : int
    """

    name: str
    task_type: str
    tasks: int
    working_set_pages: float
    working_set_sd_pages: float
    compute_ms: float
    compute_sd_ms: float
    think_s: float
    think_sd_s: float
    io_interval_ms: float
    io_interval_sd_ms: float
    exec_interval_ms: float
    exec_interval_sd_ms: float
    shared_interval_ms: float
    shared_interval_sd_ms: float
    virtual_memory_pages: int


COLUMNS = TaskClass._fields

ROWS_OF_TABLE_1 = (
    ("BASIC, short think", "interactive", 9, 10, 2, 25, 5, 15, 3, 20, 5, 2, 0.5, 3, 0.7, 20),
    ("file edit, short think", "interactive", 9, 10, 2, 20, 5, 10, 2, 5, 1, 3, 0.7, 10, 2.5, 20),
    ("compute bound", "interactive", 5, 20, 5, 300, 10, 30, 5, 0, 0, 5, 1, 0, 0, 40),
    ("I/O bound", "interactive", 9, 15, 3, 25, 5, 20, 5, 2, 0.5, 1, 0.2, 0, 0, 30),
    ("communications-like", "interactive", 9, 10, 2, 10, 2, 5, 2, 5, 1, 1.5, 0.3, 0, 0, 20),
    ("BASIC, long think", "interactive", 9, 10, 2, 25, 5, 25, 5, 20, 5, 2, 0.5, 3, 0.7, 20),
    ("file edit, long think", "interactive", 9, 10, 2, 20, 5, 20, 5, 5, 1, 3, 0.7, 10, 2.5, 20),
    ("paging bound", "interactive", 5, 63, 10, 50, 5, 30, 5, 25, 5, 5, 1, 0, 0, 126),
    ("batch", "batch", 2, 20, 5, 500, 50, 0, 0, 10, 2.5, 3, 0.7, 0, 0, 40),
    ("communications", "communications", 2, 10, 2, 10, 2, 5, 2, 5, 1, 1.5, 0.3, 0, 0, 20),
)  # fmt: skip
TABLE_1 = tuple(TaskClass(*row) for row in ROWS_OF_TABLE_1)


@dataclass(frozen=True, init=False)
class NToOneLoad(ParameterRecord):
    """What the paper leaves unsaid of the load of the N-to-1 study; the rest is Table 1's."""

    calibrated_on = "N = infinity and N = 0 of Table 5"

    # fmt: off
    basic: int = stated(6, "tasks", "of each of two think times", 0, 100000)
    basic_think_s: tuple = stated((15.0, 10.0), "s", "N to 1 Algorithm, third paragraph", 0.0, 1e6)
    paging_bound: int = stated(6, "tasks", "N to 1 Algorithm", 0, 100000)
    compute_bound: int = stated(2, "tasks", "N to 1 Algorithm", 0, 100000)
    batch: int = stated(1, "tasks", "N to 1 Algorithm", 0, 100000)
    basic_working_set_pages: float = calibrated(
        13.5, "pages", "Table 1's class 1 has 10", 1.0, 100000.0, plausible=(10.0, 16.2))
    paging_working_set_pages: float = calibrated(
        29.2, "pages", "Table 1's 63 exceed the core of this machine", 1.0, 100000.0)
    compute_working_set_pages: float = assumed(
        18.1, "pages", "Table 1's class 3 has 20; left by a search, but its tasks are locked out at"
        " every N: no cell shows it", 1.0, 100000.0, plausible=(8.0, 28.0))
    batch_working_set_pages: float = calibrated(
        17.8, "pages", "Table 1's class 9 has 20", 1.0, 100000.0)
    paging_think_s: float = calibrated(
        2.99, "s", "Table 1's class 8 has 30", 0.0, 1e6, plausible=(1.0, 11.6))
    compute_think_s: float = assumed(
        27.5, "s", "Table 1's class 3 has 30; as compute_working_set_pages no cell shows it",
        0.0, 1e6, plausible=(3.0, 30.0))
    # fmt: on

    def check(self):
        """Refuse anything but two think times of the BASIC users."""
        if len(self.basic_think_s) != 2:
            raise ValueError("basic_think_s must be two numbers, the short and the long one.")


def n_to_1_classes(unsaid):
    """Return the task classes of the N-to-1 study's load."""
    basic, paging, compute, batch = TABLE_1[0], TABLE_1[7], TABLE_1[2], TABLE_1[8]
    first_s, second_s = unsaid.basic_think_s

    def shrunk(row, name, tasks, pages):
        deviation = row.working_set_sd_pages * (pages / row.working_set_pages)
        sizes = {"working_set_pages": pages, "working_set_sd_pages": deviation}
        return row._replace(name=name, tasks=tasks, **sizes)

    def thinking(row, think_s):
        return row._replace(think_s=think_s, think_sd_s=row.think_sd_s * think_s / row.think_s)

    u, pages = unsaid, unsaid.basic_working_set_pages
    long, short = (
        shrunk(basic, f"BASIC, {kind} think", u.basic, pages) for kind in ("long", "short")
    )
    paging = shrunk(paging, paging.name, u.paging_bound, u.paging_working_set_pages)
    compute = shrunk(compute, compute.name, u.compute_bound, u.compute_working_set_pages)
    return (
        long._replace(think_s=first_s),
        thinking(short, second_s),
        thinking(paging, u.paging_think_s),
        thinking(compute, u.compute_think_s),
        shrunk(batch, batch.name, u.batch, u.batch_working_set_pages),
    )


def backing_store_load():
    """Return Table 1, the load of the backing store study.

    One row per class, the columns of TaskClass.

    Examples
    --------
    >>> int(backing_store_load()["tasks"].sum())
    68
    """
    return _frame(TABLE_1)


def n_to_1_load(unsaid=None):
    """Return the load of the N-to-1 study: 20 interactive tasks and a batch task.

    Parameters
    ----------
    unsaid : NToOneLoad, optional
        What the paper does not say of it.

    Returns
    -------
    pandas.DataFrame
        One row per class, the columns of TaskClass.

    Examples
    --------
    >>> n_to_1_load(NToOneLoad(batch=0))["tasks"].tolist()
    [6, 6, 6, 2, 0]
    """
    return _frame(n_to_1_classes(NToOneLoad() if unsaid is None else unsaid))


def _frame(classes):
    return as_frame(classes, columns=list(COLUMNS))


def read_load(load):
    """Return the task classes of a load, or refuse it in one sentence.

    Standard deviations, ``think_s`` and ``virtual_memory_pages`` may be left out.
    """
    given = table_rows(load, "load", COLUMNS, {"name", *_optional({})})
    rows = [_row(number, values) for number, values in enumerate(given, 1)]
    if sum(row.tasks for row in rows) == 0:
        raise ValueError("A load must have at least one task.")
    return tuple(rows)


def _row(number, values):
    values = {"name": f"class {number}"} | _optional(values) | values
    if values["task_type"] not in TASK_TYPES:
        raise ValueError(
            f"task_type must be one of {', '.join(TASK_TYPES)}; {values['task_type']!r} is not."
        )
    for name in COLUMNS[2:]:
        above = name in ("working_set_pages", "compute_ms")
        values[name] = checked_number(name, values[name], whole=name == "tasks", above=above)
    values["virtual_memory_pages"] = int(values["virtual_memory_pages"])
    row = TaskClass(**values)
    if row.think_s <= 0 and row.task_type != "batch" and row.tasks:
        raise ValueError(f"think_s must be above 0 for the {row.task_type} class '{row.name}'.")
    return row


def _optional(values):
    """Return what stands for columns that may be left out."""
    defaults = {name: 0.0 for name in COLUMNS if "_sd_" in name}
    pages = values.get("working_set_pages", 0.0)
    return defaults | {"think_s": 0.0, "virtual_memory_pages": pages}
