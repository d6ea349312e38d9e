"""Machines at time zero or after a time, counted from zero, for tests that look into them."""

import numpy as np

from perfkit.systems import cp67, emas, sim61, tss360
from perfkit.systems.emas.memory.categories import TABLE_4


def new(system, p, seed=1, trace=0, load=None):
    """Return a system's machine at time zero, and the supply of its draws."""
    if system is sim61:
        classes = sim61.load.TABLE_1 if load is None else sim61.load.read_load(load)
        supply = sim61.load.new_supply(classes, seed)
        return sim61.state.new_machine(p, classes, supply, seed, sim61.TABLE_2, trace), supply
    if system is cp67:
        drawn, versions = cp67.draw_load(p, seed), cp67.state.version_records(p, None)
        machine = cp67.state.new_machine(
            p, drawn, versions, np.zeros(1, np.int64), seed, trace=trace
        )
        return machine, cp67.load.new_supply(seed, 0)
    if system is emas:
        supply = emas.load.Supply(p, seed)
        return emas.state.new_machine(p, TABLE_4, supply, seed, 1000.0, trace), supply
    entries, index = tss360.load.read_schedule(tss360.schedule_table(p), p.frames)
    supply = tss360.load.Supply(p, seed)
    return tss360.state.new_machine(p, entries, index, supply, seed, trace), supply


def machine_after(until_s, system, seed=1, trace=0, load=None, **changes):
    machine, supply = new(system, system.Parameters(**changes), seed, trace, load)
    system.run.LOOP.until(machine, 1000.0 * until_s, supply.refill)
    return machine
