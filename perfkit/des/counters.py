"""Levels that are averaged over time exactly, and what a machine has counted up to a moment."""

import numpy as np
from numba.extending import register_jitable

from perfkit.des.compiling import assembly, inlined, kernel
from perfkit.des.records import fields, records

BLOCK, ABREAST = 128, 8  # numbers that NumPy sums without halving, and sums side by side
DEPTHS = 64
LEVEL = fields(real="value since area peak")


@register_jitable
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
def area(level, now):
    """Return a level's integral over time up to ``now``."""
    return level.area + level.value * (now - level.since)


@kernel
def mean_level(level, start, now):
    """Return a level's mean from ``start`` (its last restart) to ``now``."""
    return area(level, now) / (now - start)


@inlined
def set_level(m, level, value):
    """Move one of a machine's levels."""
    change_level(m.levels[level], m.kernel.now_ms, float(value))


@inlined
def shift_level(m, level, by):
    """Move one of a machine's levels up or down."""
    change_level(m.levels[level], m.kernel.now_ms, m.levels[level].value + by)


@assembly
def running_totals(values):
    """Return each sum of an array's first numbers, one after another, as ``cumsum`` does.

    Examples
    --------
    >>> running_totals(np.array([3.0, 1.0, 2.0])).tolist()
    [3.0, 4.0, 6.0]
    """
    sums = values.copy()
    for n in range(1, sums.size):
        sums[n] += sums[n - 1]
    return sums


@assembly
def total(values):
    """Return the sum of an array in NumPy's order: of halves, at last of eight sums side by side.

    Examples
    --------
    >>> total(np.full(1000, 0.1)), float(np.full(1000, 0.1).sum()), sum([0.1] * 1000)
    (100.00000000000001, 100.00000000000001, 99.9999999999986)
    """
    # Numba's cache can't restore a kernel that calls itself: what is due stands by its depth.
    counts, sums, summed = np.full(DEPTHS, values.size), np.zeros(DEPTHS), np.zeros(DEPTHS)
    depth, at = 0, 0
    while True:
        count = counts[depth]
        if count > BLOCK:
            half = count // 2
            counts[depth + 1] = half - half % ABREAST
            summed[depth] = 0
            depth += 1
            continue
        value = _block(values, at, count)
        at += count
        while depth and summed[depth - 1]:
            depth -= 1
            value += sums[depth]
        if not depth:
            return value
        sums[depth - 1], summed[depth - 1] = value, 1
        counts[depth] = counts[depth - 1] - counts[depth]


@kernel
def _block(values, first, count):
    """Return the sum of so many numbers of an array from one on."""
    whole = count - count % ABREAST
    total = 0.0
    if whole:
        a = b = c = d = e = f = g = h = 0.0
        for i in range(first, first + whole, ABREAST):
            a, b, c, d = a + values[i], b + values[i + 1], c + values[i + 2], d + values[i + 3]
            e, f, g, h = e + values[i + 4], f + values[i + 5], g + values[i + 6], h + values[i + 7]
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(first + whole, first + count):
        total += values[i]
    return total


@assembly
def mean(values):
    """Return the mean of an array, not a number if it is empty."""
    return ratio(total(values), values.size)


@kernel
def ratio(part, whole):
    """Return a quotient, not a number if there is nothing to divide by."""
    return part / whole if whole else np.nan
