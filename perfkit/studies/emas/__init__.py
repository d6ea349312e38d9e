"""The EMAS study: its runs, our scorecard of them, the calibration."""

from perfkit.studies.emas.figures import paging_parts, transfer_panel, unit_of
from perfkit.studies.emas.runs import (
    FITTED,
    KEY,
    observe_samples,
    observe_trace,
    published_samples,
    published_services,
    published_values,
    score,
    trace_of,
)

__all__ = [
    "FITTED",
    "KEY",
    "observe_samples",
    "observe_trace",
    "paging_parts",
    "published_samples",
    "published_services",
    "published_values",
    "score",
    "trace_of",
    "transfer_panel",
    "unit_of",
]
