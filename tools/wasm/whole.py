"""A run of each system as one function, from numbers and tables to a record of measures.

A function takes a system's settings, tables, keys of its streams, a film (``tools.wasm.films``), a
trace, and a record of dtype MEASURED that it fills, unless it takes a film. It returns why the run
stopped, a member of the system's Stop, or before it begins NO_SEEK_CURVE, if the three published
times of seeks make no curve, or NO_OWN_RULE, if cp67 is to use a rule of the reader's. It is
compiled for WebAssembly only: it frees nothing, because its caller takes all memory back at once.
``arguments(key, parameters, seed)`` returns what a system's function is called with.
"""

import base64

import numpy as np
from numba import njit
from numba.extending import register_jitable

from perfkit.des.draws import seeded, stream_key
from perfkit.des.lists import LIST
from perfkit.des.parts import whole_options
from perfkit.des.records import record, records
from perfkit.des.running import LOG_FULL
from perfkit.des.trace import new_trace
from perfkit.systems import cp67, emas, find, sim61, tss360, unix_v6
from perfkit.systems.emas.memory.categories import TABLE_4
from perfkit.systems.emas.memory.core import weighted_wait
from perfkit.systems.sim61.processor import n_to_1
from perfkit.systems.sim61.users import paper_curve
from perfkit.systems.tss360.processor import paper_entrance
from perfkit.systems.unix_v6.memory import paper_victim
from tools.wasm import films
from tools.wasm.films import filming


def _loop(system):
    return njit(nogil=True, **whole_options())(system.run.run)


RULES = paper_victim, paper_curve, n_to_1, cp67.memory.algorithm_2, weighted_wait, paper_entrance
VICTIM, CURVE, ACTIVATION, REPLACEMENT, CORE_QUEUE, ENTRANCE = (
    njit(getattr(rule, "py_func", rule)) for rule in RULES
)
UNIX_V6, SIM61, CP67, EMAS, TSS360 = map(_loop, (unix_v6, sim61, cp67, emas, tss360))


def _stepping(loop, *rules):
    """Return a system's loop with its rules, as a function of machine and time."""
    first, last = rules[0], rules[-1]
    if len(rules) == 1:
        return register_jitable(lambda m, until_ms: loop(m, first, until_ms))
    return register_jitable(lambda m, until_ms: loop(m, first, last, until_ms))


@register_jitable
def _emas_without_log(m, until_ms):
    """Run emas until a time, its log forgotten."""
    while True:
        EMAS(m, CORE_QUEUE, until_ms)
        m.kernel.completed = 0
        if m.kernel.stop != LOG_FULL:
            return


@register_jitable
def _tss360_without_log(m, until_ms):
    """Run tss360 until a time, its log forgotten."""
    while True:
        TSS360(m, ENTRANCE, until_ms)
        m.kernel.logged = 0
        if m.kernel.stop != LOG_FULL:
            return


UNIX_V6_UNTIL = filming("unix_v6", _stepping(UNIX_V6, VICTIM))
SIM61_UNTIL = filming("sim61", _stepping(SIM61, CURVE, ACTIVATION))
CP67_UNTIL = filming("cp67", _stepping(CP67, REPLACEMENT))
EMAS_UNTIL = filming("emas", _emas_without_log)
TSS360_UNTIL = filming("tss360", _tss360_without_log)


NO_SEEK_CURVE, NO_OWN_RULE = -1, -2


@register_jitable
def _joined(one, other):
    """Return the records of two tables as one."""
    both = np.empty(one.size + other.size, one.dtype)
    for n in range(one.size):
        both[n] = one[n]
    for n in range(other.size):
        both[one.size + n] = other[n]
    return both


def run_unix_v6(settings, tables, keys, film, trace, out):
    """Run unix_v6."""
    k, free = records(1, unix_v6.state.KERNEL)[0], records(1, LIST)[0]
    streams = seeded(keys[0], settings.processes), seeded(keys[1], settings.processes)
    file, phase = seeded(keys[2], 1)[0], seeded(keys[3], 1)[0]
    loops, loop_ms, pauses, sizes, seek_ms = unix_v6.state.derive(settings, tables[0])
    if seek_ms.size == 0:
        return NO_SEEK_CURVE
    work = unix_v6.load.draw(settings, *streams, file, loops, loop_ms, pauses)
    made = unix_v6.state.assemble(settings, k, phase, free, sizes, seek_ms)
    m = unix_v6.state.Machine(settings, k, phase, free, *work, trace, *made)
    if UNIX_V6_UNTIL(m, film, np.inf):
        return k.stop
    unix_v6.result.measure(k, m.samples, m.queue_samples, out)
    return k.stop


def run_sim61(settings, tables, keys, film, trace, out):
    """Run sim61."""
    models, published_ms, means, deviations, sizes, kinds = tables
    seek_ms = sim61.state.derive(settings, models, published_ms, sizes)
    k, pool, free = records(1, sim61.state.KERNEL)[0], records(1, LIST)[0], records(1, LIST)[0]
    demand = seeded(keys[0], settings.tasks)
    place, gap, phase = seeded(keys[1], 1)[0], seeded(keys[2], 1)[0], seeded(keys[3], 1)[0]
    demands, used = np.zeros((settings.tasks, 1, COLUMNS)), np.ones(settings.tasks, np.int64)
    given = demand, place, gap, phase, demands, used, seek_ms, means, deviations, trace
    made = sim61.state.assemble(settings, k, pool, free, models, sizes, kinds)
    m = sim61.state.Machine(settings, k, pool, free, *given, *made)
    if SIM61_UNTIL(m, film, 1000.0 * (settings.settle_s + settings.measured_s)):
        return k.stop
    sim61.result.measure(settings, k, m.before, m.after, m.queues, kinds, out)
    return k.stop


COLUMNS = len(sim61.state.Column)


def run_cp67(settings, tables, keys, film, trace, out):
    """Run cp67, day after day: a key's last number is the day, the tasks' last but one."""
    arrays, versions, order = tables
    rates, benchmarks, waits_ms, seeks_ms = cp67.state.derive(settings, arrays)
    if seeks_ms.size == 0:
        return NO_SEEK_CURVE
    for n in range(versions.size):
        if versions[n].algorithm == cp67.state.Algorithm.OWN:
            return NO_OWN_RULE
    counts, areas = records(1, cp67.state.KERNEL)[0], np.zeros(cp67.state.LEVELS)
    observations, stop = records(0, cp67.state.OBSERVATION), 0
    for day in range(settings.days):
        k, (a, b, c) = records(1, cp67.state.KERNEL)[0], _lists()
        spread, session, minidisk = seeded(keys[0], 1), seeded(keys[1], 1), seeded(keys[2], 1)
        work = cp67.load.draw(settings, spread[0], session[0], minidisk[0], keys[3].copy())
        keys[3][-2] += np.uint64(1)
        place, gap, phase = seeded(keys[4], 1)[0], seeded(keys[5], 1)[0], seeded(keys[6], 1)[0]
        row = order[day % order.shape[0]].copy()
        if order.shape[0] == 1:  # it goes on from day to day
            for n in range(row.size):
                row[n] = order[0, (n + observations.size) % row.size]
        made = cp67.state.assemble(
            settings, k, a, b, c, row, benchmarks, waits_ms, seeks_ms, work[0], work[1], day
        )
        given = a, b, c, place, gap, phase, versions, row, rates, benchmarks.pages.copy(), waits_ms
        m = cp67.state.Machine(settings, k, *given, trace, *made)
        trace = trace[:0]
        if CP67_UNTIL(m, film, 1000.0 * settings.measured_s):
            return k.stop
        cp67.result.add_day(k, m.levels, counts, areas)
        observations, stop = _joined(observations, m.observations[: k.observed]), k.stop
    cp67.result.measure(counts, areas, observations, out)
    return stop


@register_jitable
def _lists():
    """Return three lists."""
    return records(1, LIST)[0], records(1, LIST)[0], records(1, LIST)[0]


def run_emas(settings, tables, keys, film, trace, out):
    """Run emas."""
    arrays, categories, mix = tables
    weights, popularity, distances, seek_ms = emas.state.derive(settings, arrays)
    if seek_ms.size == 0:
        return NO_SEEK_CURVE
    kinds, scripts = emas.load.derive_kinds(mix, arrays), records(0, emas.state.COMMAND)
    script_ends = np.zeros(1, np.int64)
    k, (idle, free, _) = records(1, emas.state.KERNEL)[0], _lists()
    count, end_s = settings.processes, settings.settle_s + settings.measured_s
    streams = seeded(keys[0], count), seeded(keys[1], count), seeded(keys[2], count)
    place, phase = seeded(keys[3], 1)[0], seeded(keys[4], 1)[0]
    given = categories, weights, kinds, scripts, script_ends, popularity, distances
    made = emas.state.assemble(settings, k, idle, free, seek_ms, categories.size, kinds.size, end_s)
    m = emas.state.Machine(settings, k, idle, free, *given, *streams, place, phase, trace, *made)
    log = records(0, emas.state.COMPLETION)
    if film[4].size and EMAS_UNTIL(m, film, 0.0):
        return k.stop
    log = _emas_until(m, log, 1000.0 * settings.settle_s)
    before = emas.result.Counts(*_emas_count(m))
    log = _emas_until(m, log, 1000.0 * end_s)
    after, commands = emas.result.Counts(*_emas_count(m)), 0
    for one in log:
        commands += one.ready_ms >= before.counters[0].now_ms
    emas.result.measure(k, m.levels, before, after, commands, out)
    return k.stop


@register_jitable
def _emas_count(m):
    return emas.result.count(m.kernel, m.levels, m.drives, m.services, m.transitions)


@register_jitable
def _emas_until(m, log, until_ms):
    """Run emas to a time; return its log with what has been added."""
    while True:
        EMAS(m, CORE_QUEUE, until_ms)
        log = _joined(log, m.completions[: m.kernel.completed])
        m.kernel.completed = 0
        if m.kernel.stop != LOG_FULL:
            return log


def run_tss360(settings, tables, keys, film, trace, out):
    """Run tss360."""
    popular, seek_ms = tss360.state.derive(settings, tables[0])
    if seek_ms.size == 0:
        return NO_SEEK_CURVE
    entries = tss360.load.derive_entries(settings, tables[0])
    kinds = tss360.state.kinds_of(settings)
    demands = tss360.load.Tables(*tss360.load.derive_tables(tables[0]))
    first = np.array([0, entries.size - 2, entries.size - 1])
    k, available = records(1, tss360.state.KERNEL)[0], records(1, LIST)[0]
    demand, session = seeded(keys[0], kinds.size), seeded(keys[1], kinds.size)
    given = entries, popular, demands, demand, session, seeded(keys[2], 1)[0], seeded(keys[3], 1)[0]
    made = tss360.state.assemble(settings, k, available, kinds, first, seek_ms)
    m = tss360.state.Machine(settings, k, available, *given, trace, *made)
    log, settled = records(0, tss360.state.TRANSACTION), settings.settled_min
    if film[4].size and TSS360_UNTIL(m, film, 0.0):
        return k.stop
    while True:
        TSS360(m, ENTRANCE, tss360.state.MS_A_MINUTE * (settings.minutes - 1))
        log = _joined(log, m.log[: k.logged])
        k.logged = 0
        if k.stop != LOG_FULL:
            break
    begun = 0  # as the log is in order of ends
    while begun < log.size and log[begun].end_ms <= settled * tss360.state.MS_A_MINUTE:
        begun += 1
    tss360.result.measure(k, m.minutes[settled : settings.minutes - 1], log[begun:], out)
    return k.stop


RUNS = {
    "unix_v6": run_unix_v6, "sim61": run_sim61, "cp67": run_cp67, "emas": run_emas,
    "tss360": run_tss360,
}  # fmt: skip
PURPOSES = {  # of a system's streams, in order, each with the number that its keys end with, if any
    "unix_v6": (("demand", 0), ("block", 0), ("file",), ("phase",)),
    "sim61": (("demand", 0), ("place",), ("gap",), ("phase",)),
    "cp67": (
        *(("day", 0), ("session", 0), ("minidisk", 0), ("task", 0, 0)),
        *(("place", 0), ("gap", 0), ("phase", 0)),
    ),
    "emas": (("session", 0), ("reference", 0), ("think", 0), ("place",), ("phase",)),
    "tss360": (("demand", 0), ("session", 0), ("place",), ("phase",)),
}


def arguments(key, parameters, seed, trace=0, film=(), **more):
    """Return what a system's function is called with, for its own policies and devices.

    ``film`` is when one begins and ends, in ms, if any is to be taken; ``more`` is what
    ``simulate`` takes, too: ``load`` of sim61, ``versions`` and ``order`` of cp67.
    """
    system = find(key).module()
    settings, tables = record(system.state.SETTINGS), _tables(key, parameters, **more)
    parameters.fill(settings)
    keys = tuple(stream_key(seed, *purpose) for purpose in PURPOSES[key])
    out = record(system.result.MEASURED)
    return settings, tables, keys, films.arguments(*(film and (key, *film))), new_trace(trace), out


def as_json(arguments):
    """Return arguments as machine.mjs takes them: a list where there is a tuple."""
    if isinstance(arguments, tuple):
        return list(map(as_json, arguments))
    told = {"base64": base64.b64encode(arguments.tobytes()).decode()}
    if isinstance(arguments, np.ndarray):
        told |= {"shape": arguments.shape, "item": arguments.itemsize}
    return told


def measures(key):
    """Return the measures of a system as machine.mjs takes them: name, whether they are whole."""
    measured = find(key).module().result.MEASURED
    return [(name, measured[name].kind == "i") for name in measured.names]


def _tables(key, p, load=sim61.load.TABLE_1, versions=None, order=(0,)):
    """Return the tables that a system's function takes."""
    if key == "sim61":
        names = *p.paging_devices, *[p.user_disc] * p.user_discs
        chosen = [sim61.state.model_of(sim61.TABLE_2, name) for name in names]
        models, seek_ms = records(len(chosen), sim61.state.MODEL), [one.seek_ms for one in chosen]
        for row, one in zip(models, chosen, strict=True):
            one.fill(row)
        return models, np.array(seek_ms), *sim61.state.tables_of(load)
    if key == "cp67":
        rows = np.atleast_2d(np.array(order, np.int64))
        return p.arrays(), cp67.state.version_records(p, versions), rows
    if key == "emas":
        mix = emas.load.mix_of(emas.TABLE_6)
        return p.arrays(), emas.state.category_records(TABLE_4), mix
    return (p.arrays(),)
