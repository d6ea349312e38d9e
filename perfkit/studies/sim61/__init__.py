"""The SIM/61 study: its runs, our scorecard of them, the calibration."""

from perfkit.studies.sim61.runs import (
    KEY,
    N_MEASURES,
    STORE_MEASURES,
    averages,
    mean_errors,
    n_runs,
    score_n,
    score_store,
    simulate_n,
    simulate_store,
    store_runs,
)

__all__ = [
    "KEY",
    "N_MEASURES",
    "STORE_MEASURES",
    "averages",
    "mean_errors",
    "n_runs",
    "score_n",
    "score_store",
    "simulate_n",
    "simulate_store",
    "store_runs",
]
