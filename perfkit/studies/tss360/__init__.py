"""The TSS/360 study: what its print alone allows, its experiments simulated, our scorecard."""

from perfkit.studies.tss360.demands import KEY
from perfkit.studies.tss360.runs import (
    AFTERNOON,
    CELLS,
    VARIABLES,
    cell_means,
    cell_periods,
    community,
    effects_by_day,
    minutes_of,
    planned_experiments,
    simulate_cells,
    table_6,
    transactions_of,
)

__all__ = [
    "AFTERNOON",
    "CELLS",
    "KEY",
    "VARIABLES",
    "cell_means",
    "cell_periods",
    "community",
    "effects_by_day",
    "minutes_of",
    "planned_experiments",
    "simulate_cells",
    "table_6",
    "transactions_of",
]
