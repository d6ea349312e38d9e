"""Moved to ``perfkit.des.counters``."""

from perfkit.des.counters import (  # noqa: F401
    LEVEL,
    change_level,
    mean_level,
    new_levels,
    restart_level,
)
