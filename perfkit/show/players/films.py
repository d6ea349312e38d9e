"""Films: what can be seen of a machine after each of its events, kept as what has changed.

A film is drawn from nothing but itself: where somebody watches, no machine runs.
"""

from typing import NamedTuple

import numpy as np

from perfkit.core.values import is_finite
from perfkit.des.alarms import next_actor
from perfkit.des.records import as_dict
from perfkit.systems import cp67, emas, find, sim61, tss360, unix_v6

MOST_SECONDS, MOST_BEGIN_S = 600.0, 36_000.0
BEGIN_S = {"unix_v6": 20.0, "cp67": 600.0}  # of systems that need not settle
# By system what is seen: a table of its machine and fields, or the members of an Enum by which an
# array of numbers is indexed.
SEEN = {
    "unix_v6": (
        ("kernel", "running swap_process waiting swaps_out reads writes"),
        ("processes", "state loaded locked core_address size_clicks channel interaction"),
        ("requests", "drive cylinder buffer"),
        ("drives", "state cylinder"),
    ),
    "sim61": (
        ("kernel", "running free_frames pages_in page_wait_ms"),
        ("tasks", "state held_pages dirty_pages"),
        ("groups", "responses"),
        ("devices", "serving"),
        ("device_queues", "length"),
    ),
    "cp67": (
        ("kernel", "running pointer page_reads tasks_ended page_wait_ms"),
        ("users", "state queue"),
        ("frames", "state owner bit"),
        ("drum_queue", "length"),
    ),
    "emas": (
        ("kernel", "running preloading free_frames residences commands"),
        ("processes", "state charge_pages held_pages"),
        ("queues", "length"),
        ("drum_queues", "length"),
    ),
    "tss360": (
        ("kernel", "running estimate sharable_frames"),
        ("tasks", "state"),
        ("held", "length"),
        ("available", "length"),
        ("devices", "waiting"),
        ("tallies", "PAGE_FAULTS PRIVATE_RECLAIMS SHARABLE_RECLAIMS TSE_SWAP_OUT TRANSACTIONS"),
    ),
}


class Film(NamedTuple):
    """What is seen of a machine over a time.

    Attributes
    ----------
    key : str
        The system.
    parameters : ParameterRecord
    settings : dict of str to int or float
        All numbers that the machine obeys.
    slots : dict of str to tuple of int
        By "table.field" where it begins in a row of what is seen, and how many there are.
    begin_s, end_s : float
    first : ndarray of int64, shape (slots,)
        What is seen at the beginning.
    times_ms : ndarray of float64, shape (moments,)
        When something seen has changed, once an event is over.
    ends : ndarray of int64, shape (moments,)
        Where each moment's changes end.
    changes : ndarray of int64, shape (changes, 2)
        A slot and its new value.
    """

    key: str
    parameters: object
    settings: dict
    slots: dict
    begin_s: float
    end_s: float
    first: np.ndarray
    times_ms: np.ndarray
    ends: np.ndarray
    changes: np.ndarray


def new_machine(key, p, seed):
    """Return a system's machine before its first event, as ``simulate`` makes it."""
    if key == "unix_v6":
        return unix_v6.state.new_machine(p, unix_v6.load.draw_workload(p, seed), seed)
    if key == "sim61":
        return sim61.state.new_machine(p, sim61.load.TABLE_1, seed, sim61.TABLE_2)
    if key == "cp67":
        versions, order = cp67.run.checked_versions(p), np.zeros(1, np.int64)
        drawn = cp67.load.draw_load(p, seed, 0)
        return cp67.state.new_machine(p, drawn, versions, order, seed)
    if key == "emas":
        return emas.run.machine_of(p, seed)
    entries, index = tss360.load.own_schedule(p)
    return tss360.state.new_machine(p, entries, index, tss360.load.demand_tables(p), seed)


def log_of(key):
    """Return what takes over a system's log, or nothing where it has none."""
    logs = {"emas": emas.result.completion_log, "tss360": tss360.result.transaction_log}
    return logs[key]().take if key in logs else None


def seen(key, machine):
    """Return all that is seen of a machine at this moment, times in whole ms.

    Examples
    --------
    >>> machine = new_machine("unix_v6", unix_v6.Parameters(processes=3), 0)
    >>> row, slots = seen("unix_v6", machine), slots_of("unix_v6", machine)
    >>> begin, count = slots["processes.size_clicks"]
    >>> row[begin : begin + count].tolist()
    [0, 39, 157, 157, 157]
    """
    return np.concatenate([np.ravel(values) for _, values in _parts(key, machine)]).astype(np.int64)


def slots_of(key, machine):
    """Return by "table.field" where it begins in a row of what is seen, and how many there are."""
    sizes = {name: np.size(values) for name, values in _parts(key, machine)}
    begins = np.cumsum([0, *sizes.values()]).tolist()
    return {name: (begin, size) for (name, size), begin in zip(sizes.items(), begins, strict=False)}


def _parts(key, machine):
    for table, names in SEEN[key]:
        rows = getattr(machine, table)
        for name in names.split():
            at = name if rows.dtype.names else tss360.state.Count[name]
            yield f"{table}.{name}", rows[at]


def film(key, parameters=None, seed=0, *, begin_s=None, seconds=20.0):
    """Film a machine.

    Parameters
    ----------
    key : str
        A system.
    parameters : ParameterRecord, optional
        The system's own by default.
    seed : int
        As of ``simulate``: the same machine.
    begin_s : float, optional
        When it begins, at most 36,000 s; once the machine has settled, by default.
    seconds : float
        How long it lasts, at most 600 s; it ends with the run.

    Returns
    -------
    Film

    Raises
    ------
    ValueError
        If a time is out of its range, or the run has ended before the film would begin.

    Examples
    --------
    >>> taken = film("unix_v6", unix_v6.Parameters(memory_clicks=650), seconds=1.0)
    >>> taken.first.size, bool(taken.times_ms.size)
    (171, True)
    """
    system = find(key).module()
    p = system.Parameters.given(parameters, "film")
    over_s = end_s(key, p)
    begin_s = first_s(key, p) if begin_s is None else begin_s
    check_seconds("begin_s", begin_s, 0.0, MOST_BEGIN_S)
    check_seconds("seconds", seconds, 0.001, MOST_SECONDS)
    machine, log = new_machine(key, p, seed), log_of(key)
    end_ms = 1000.0 * min(begin_s + seconds, over_s)  # its tables have room for no more
    loop = system.run.LOOP
    if begin_s < over_s:
        loop.until(machine, 1000.0 * begin_s, log)
    if begin_s >= over_s or next_ms(machine) <= 1000.0 * begin_s:  # nothing happens any more
        raise ValueError(f"The run ends before {begin_s:g} s; let the film begin sooner.")
    first = before = seen(key, machine)
    times, ends, changes, count = [], [], [np.zeros((0, 2), np.int64)], 0
    while (at_ms := next_ms(machine)) <= end_ms:
        loop.until(machine, at_ms, log)
        now = seen(key, machine)
        moved = np.flatnonzero(now != before)
        if moved.size:
            count += moved.size
            times.append(at_ms), ends.append(count)
            changes.append(np.column_stack([moved, now[moved]]))
            before = now
        if next_ms(machine) == at_ms:
            end_ms = at_ms
            break
    settings = as_dict(machine.settings)
    if key == "sim61":
        settings["revolution_ms"] = float(machine.devices["revolution_ms"][0])
    known = settings, slots_of(key, machine)
    taken = np.array(times), np.array(ends, np.int64), np.concatenate(changes)
    return Film(key, p, *known, begin_s, end_ms / 1000.0, first, *taken)


def first_s(key, p):
    """Return when a film begins unless it is told, in s: once the machine has settled."""
    return BEGIN_S.get(key, getattr(p, "settle_s", 0.0))


def end_s(key, p):
    """Return when a run ends, in s; that of unix_v6 ends with its workload."""
    return np.inf if key == "unix_v6" else getattr(p, "settle_s", 0.0) + p.measured_s


def next_ms(machine):
    """Return when a machine's next alarm goes off."""
    return machine.alarms.time[next_actor(machine.alarms)]


def check_seconds(name, value, least, most):
    """Refuse what is no number of seconds in a range."""
    if not is_finite(value) or not least <= value <= most:
        raise ValueError(
            f"{name} must be a number of seconds from {least:g} to {most:g}; {value!r} is not."
        )
