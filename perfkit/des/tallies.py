"""Tallies: levels that are averaged over time exactly."""

import numpy as np

from perfkit.des.compiling import kernel

LEVEL = np.dtype([("value", "f8"), ("since", "f8"), ("area", "f8"), ("peak", "f8")], align=True)


def new_levels(count):
    """Return ``count`` levels at zero as a record array of dtype ``LEVEL``."""
    return np.zeros(count, LEVEL).view(np.recarray)


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
