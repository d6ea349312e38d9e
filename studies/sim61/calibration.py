"""The simulator's free numbers, and the errors of the fitted cells.

The cells: the one-drum and LAM pairs of Table 3, and N = infinity and N = 0 of Table 5. One
number was chosen by hand between fits and is not searched: the N-to-1 study's
``supervisor_pages``.
"""

import numpy as np

from perfkit.systems.sim61 import NToOneLoad, n_to_1_load
from studies.evidence import scorecard
from studies.evidence.calibration import free_numbers
from studies.sim61.runs import (
    N_MEASURES,
    STORE_MEASURES,
    averages,
    n_runs,
    score_n,
    score_store,
    simulate_n,
    simulate_store,
    store_runs,
)

FREE_PARAMETERS = free_numbers(
    curve_exponent=(0.015, 0.4), exec_fault_share=(0.0, 0.5), shared_fault_share=(0.0, 0.5),
    extra_pages=(0.0, 9.0), interactive_slice_ms=(15.0, 150.0), compute_bound_ms=(0.0, 160.0),
    batch_slice_ms=(60.0, 500.0), batch_delay_ms=(0.0, 3000.0), charged_share=(0.0, 0.5),
    svc_ms=(0.0, 1.2), page_ms=(1.0, 3.0), no_rotation_ms=(0.0, 1.5), io_ms=(0.1, 8.0),
    activation_ms=(0.0, 20.0), window_routine_ms=(0.0, 3.0), io_wait_share=(0.0, 1.0),
    io_kb=(0.6, 1.2), user_surface_share=(0.05, 1.0),
)  # fmt: skip
FREE_LOAD = free_numbers(
    basic_working_set_pages=(5.0, 16.0), paging_working_set_pages=(12.0, 32.0),
    batch_working_set_pages=(4.0, 26.0), paging_think_s=(1.0, 30.0),
)  # fmt: skip
FREE = FREE_PARAMETERS + FREE_LOAD
CHOSEN = ("reads_first", "io_buffers")
STORE_ERROR = {
    "response_s": 0.06,
    "interactions": 0.02,
    "paging_pages_s": 0.03,
    "user_io_kb_s": 0.05,
    "user_cpu_percent": 0.8,
    "overhead_percent": 0.8,
}
HOPELESS = 30.0
N_ERROR = {"response_s": 0.03, "interactions": 0.015, "batch_cpu_percent": 0.6}


def free_values(parameters, load=None):
    """Return the calibration's free numbers as the parameter records have them."""
    load = NToOneLoad() if load is None else load
    own = {free.name: float(getattr(parameters, free.name)) for free in FREE_PARAMETERS}
    return own | {free.name: float(getattr(load, free.name)) for free in FREE_LOAD}


def changes_of(values):
    """Return the parameters that these free numbers stand for."""
    return {free.name: values[free.name] for free in FREE_PARAMETERS}


def load_of(values):
    """Return the N-to-1 load with these free numbers, which the paper does not give."""
    return NToOneLoad(**{free.name: values[free.name] for free in FREE_LOAD})


def residuals(values, replications=4, seed=0, **alternative):
    """Return the errors in the named cells, in units of STORE_ERROR and N_ERROR.

    Log ratios of times, counts and rates, differences of percentages; lost cells left out.
    """
    changes = changes_of(values) | alternative
    store, n = store_runs(), n_runs()
    store, n = store[store["kind"] == "fitted"], n[n["kind"] == "fitted"]
    store_rows = simulate_store(store, replications, seed, **changes)
    n_rows = simulate_n(n, replications, seed, load=n_to_1_load(load_of(values)), **changes)
    parts = [*_off(store, store_rows, STORE_MEASURES, STORE_ERROR)]
    parts += _off(n, n_rows, N_MEASURES, N_ERROR)
    return np.nan_to_num(np.concatenate(parts), nan=HOPELESS).clip(-HOPELESS, HOPELESS)


def predictions(values, replications=4, seed=0):
    """Return the scorecard of both studies' runs under these free numbers."""
    changes, load = changes_of(values), n_to_1_load(load_of(values))
    store, n = store_runs(), n_runs()
    store_rows = simulate_store(store, replications, seed, **changes)
    n_rows = simulate_n(n, replications, seed, load=load, **changes)
    return scorecard.gather(score_store(store, store_rows), score_n(n, n_rows))


def _off(runs, rows, measures, errors):
    ours = averages(rows, measures.values())
    for column, unit in errors.items():
        known = runs.index[runs[column].notna()]
        printed = runs.loc[known, column].to_numpy(float)
        found = ours.loc[known, measures[column]].to_numpy()
        if column.endswith("percent"):
            yield (found - printed) / unit
        else:
            yield np.log(np.maximum(found, 1e-6) / printed) / unit
