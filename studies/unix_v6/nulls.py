"""What a reader would forecast from the eight fitted runs alone, without the simulator."""

import numpy as np
import pandas as pd

from perfkit.systems.unix_v6 import Parameters
from studies.evidence import nulls, published
from studies.evidence.nulls import Null, log_linear
from studies.unix_v6.runs import KEY, MEASURES, published_runs, swap_times_ms

BY_FACTORS = log_linear("process_clicks", "memory_clicks", "processes")
QUEUE = (
    "the processes that fit in memory, plus the mean excess over them in the fitted runs that swap"
)
WHY = {
    "Table VI": "a power law in process size, memory and processes through the fitted runs",
    "Table VII": "the same law, sizes averaged; no fitted run varies compute time: no effect",
    "Table IV": "a + b x size, such that over the fitted runs, by least squares,"
    " utilization x elapsed time = swaps x (a + b x size) + interactions x c",
    "Table V": "the same law: c over the text's six blocks",
}


def closed_ms(known, asked):
    """Forecast the device times at which the disc time of the fitted runs closes."""
    return asked["closed_ms"].to_numpy()


def beyond_loaded(known, asked):
    """Forecast the queue as the loaded processes and a constant (section 3.3.3 has 1)."""
    swapping = known[known["processes"] > known["loaded"]]
    return asked["loaded"] + (swapping["published"] - swapping["loaded"]).mean()


RUNS = [*WHY][:2]
# Equation 3.1, from fitted runs with the same number of processes, meets fewer: NOTES.md.
NULLS = [
    *(Null(i, m, BY_FACTORS, WHY[i]) for i in RUNS for m in MEASURES if m != "queue"),
    *(Null(item, "queue", beyond_loaded, QUEUE) for item in RUNS),
    *(Null(item, "measured_time_ms", closed_ms, WHY[item]) for item in [*WHY][2:]),
]


def factors():
    """Return what the nulls may use of a cell: its run's factors, or its closed device time."""
    runs = published_runs()
    sizes = runs["process_clicks"].map(np.mean)
    runs = runs.assign(item=runs["table"], cell="run " + runs["run"].astype(str))
    runs = runs.assign(process_clicks=sizes)
    columns = ["item", "cell", "process_clicks", "memory_clicks", "processes", "loaded"]
    return pd.concat([runs[columns], closed_times(runs[runs["kind"] == "fitted"])])


def closed_times(fitted):
    """Return the swap and block times at which the disc time of the fitted runs closes best."""
    busy_ms = 10.0 * fitted["utilization_percent"] * fitted["elapsed_s"]
    swaps, interactions = fitted["swaps"], fitted["processes"] * Parameters().interactions
    design = np.column_stack([swaps, swaps * fitted["process_clicks"], interactions])
    of_a_swap, of_a_click, of_work = np.linalg.lstsq(design, busy_ms)[0]
    times = of_a_swap + of_a_click * swap_times_ms().index.to_series()
    swap_times = [("Table IV", f"PS {size}", time) for size, time in times.items()]
    block_ms = of_work / published.stated(KEY, "blocks_per_interaction")
    rows = [*swap_times, ("Table V", "any block", block_ms)]
    return pd.DataFrame(rows, columns=["item", "cell", "closed_ms"])


def with_nulls(card):
    """Return the study's scorecard with its column ``null``."""
    return nulls.with_nulls(card, NULLS, factors())
