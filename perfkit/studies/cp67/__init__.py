"""Bard's study: his experiments, our days of them, the calibration."""

from perfkit.studies.cp67.runs import (
    KEY,
    PRIORITY,
    REPLACEMENT,
    SLICES,
    designs,
    experiment,
    kept,
    levels,
    levels_off_at,
    observe_days,
    score_levels,
    versions_of,
)

__all__ = [
    "KEY",
    "PRIORITY",
    "REPLACEMENT",
    "SLICES",
    "designs",
    "experiment",
    "kept",
    "levels",
    "levels_off_at",
    "observe_days",
    "score_levels",
    "versions_of",
]
