"""Machines at time zero or after a time, counted from zero, for tests that look into them."""

import numpy as np

from perfkit.des.records import viewed
from perfkit.systems import cp67, emas, sim61, tss360
from perfkit.systems.emas.memory.categories import TABLE_4


def new(system, p):
    """Return a system's machine at time zero, its first draws made."""
    machine = _put_together(system, p)
    system.run.LOOP.until(machine, 0.0)
    return machine


def _put_together(system, p, seed=1, trace=0, load=None):
    if system is sim61:
        classes = sim61.load.TABLE_1 if load is None else sim61.load.read_load(load)
        return viewed(sim61.state.new_machine(p, classes, seed, sim61.TABLE_2, trace))
    if system is cp67:
        drawn, versions = cp67.draw_load(p, seed), cp67.state.version_records(p, None)
        order = np.zeros(1, np.int64)
        return viewed(cp67.state.new_machine(p, drawn, versions, order, seed, trace=trace))
    if system is emas:
        kinds = emas.load.kind_records(p, emas.TABLE_6)
        return viewed(emas.state.new_machine(p, TABLE_4, kinds, seed, 1000.0, trace))
    entries, index = tss360.load.read_schedule(tss360.schedule_table(p), p.frames)
    tables = tss360.load.demand_tables(p)
    return viewed(tss360.state.new_machine(p, entries, index, tables, seed, trace))


def machine_after(until_s, system, seed=1, trace=0, load=None, **changes):
    machine = _put_together(system, system.Parameters(**changes), seed, trace, load)
    system.run.LOOP.until(machine, 1000.0 * until_s)
    return machine
