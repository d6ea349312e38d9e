"""Brachman's study: his runs, our scorecard of them, the calibration."""

from perfkit.studies.unix_v6.runs import (
    FACTORS,
    KEY,
    MEASURES,
    averages,
    bias,
    closure,
    mean_errors,
    published_runs,
    score_device_times,
    score_runs,
    simulate_runs,
    with_memory,
)

__all__ = [
    "FACTORS",
    "KEY",
    "MEASURES",
    "averages",
    "bias",
    "closure",
    "mean_errors",
    "published_runs",
    "score_device_times",
    "score_runs",
    "simulate_runs",
    "with_memory",
]
