"""Levels that are averaged over time exactly, and what a machine has counted up to a moment."""

import math

import numpy as np

from perfkit.des.compiling import inlined, kernel
from perfkit.des.records import fields, records

LEVEL = fields(real="value since area peak")


def new_levels(count):
    """Return ``count`` levels at zero as a record array of dtype ``LEVEL``."""
    return records(count, LEVEL)


@kernel
def change_level(level, now, value):
    """Move a level to ``value`` at time ``now`` (modifies the record in place)."""
    level.area += level.value * (now - level.since)
    level.since = now
    level.value = value
    level.peak = max(level.peak, value)


@kernel
def restart_level(level, now):
    """Forget what a level has gathered and start anew at ``now``, at its present value."""
    level.area = 0.0
    level.since = now
    level.peak = level.value


@kernel
def mean_level(level, start, now):
    """Return a level's mean from ``start`` (its last restart) to ``now``."""
    return (level.area + level.value * (now - level.since)) / (now - start)


@inlined
def set_level(m, level, value):
    """Move one of a machine's levels."""
    change_level(m.levels[level], m.kernel.now_ms, float(value))


@inlined
def shift_level(m, level, by):
    """Move one of a machine's levels up or down."""
    change_level(m.levels[level], m.kernel.now_ms, m.levels[level].value + by)


def areas(machine):
    """Return the integral over time of each of a machine's levels, up to now."""
    levels = machine.levels
    return levels.area + levels.value * (machine.kernel.now_ms - levels.since)


def read(machine, names, **tables):
    """Return what a machine has counted up to now, to take differences of.

    Returns
    -------
    dict
        ``now_ms``, the kernel's fields ``names``, ``areas`` of the levels, and a copy of each
        table of further counters.
    """
    kernel = dict(zip(machine.kernel.dtype.names, machine.kernel.item(), strict=True))
    counts = {name: kernel[name] for name in ("now_ms", *names)}
    # Copies, for the machine runs on and its counters with it.
    copies = {name: table.view(np.ndarray).copy() for name, table in tables.items()}
    return {**counts, "areas": areas(machine), **copies}


def difference(later, earlier):
    """Return later counters less earlier ones, of a table a dictionary of columns."""
    if getattr(later, "dtype", np.dtype(int)).names:
        return {name: later[name] - earlier[name] for name in later.dtype.names}
    if isinstance(later, dict):
        return {name: difference(value, earlier[name]) for name, value in later.items()}
    return later - earlier


def mean(values):
    """Return the mean of an array, not a number if it is empty."""
    return float(values.mean()) if values.size else math.nan


def ratio(part, whole):
    """Return a quotient, not a number if there is nothing to divide by."""
    return float(part / whole) if whole else math.nan
