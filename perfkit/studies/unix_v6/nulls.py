"""What a reader would forecast from the eight fitted runs alone, without the simulator."""

import numpy as np
import pandas as pd

from perfkit import nulls, published
from perfkit.nulls import Null, log_linear
from perfkit.studies.unix_v6.runs import KEY, MEASURES, published_runs, swap_times_ms
from perfkit.systems.unix_v6 import Parameters


def closed_ms(known, asked):
    """Forecast device times such that the disc time of the fitted runs closes."""
    return asked["closed_ms"].to_numpy()


BY_FACTORS = log_linear("process_clicks", "memory_clicks", "processes")
NULLS = (
    *(
        Null(
            "Table VI",
            measure,
            BY_FACTORS,
            "a power law in process size, memory and processes through the fitted runs",
        )
        for measure in MEASURES
    ),
    *(
        Null(
            "Table VII",
            measure,
            BY_FACTORS,
            "the same law, sizes averaged; no fitted run tells of compute time: no effect",
        )
        for measure in MEASURES
    ),
    Null(
        "Table IV",
        "measured_time_ms",
        closed_ms,
        "utilization x time = swaps x (a + b x size) + interactions x c, least squares over the"
        " fitted runs: a + b x size",
    ),
    Null("Table V", "measured_time_ms", closed_ms, "the same law: c over the text's 6 blocks"),
)


def factors():
    """Return what the nulls may use of a cell: its run's factors, or its closed device time."""
    runs = published_runs()
    cells = runs.assign(
        item=runs["table"],
        cell="run " + runs["run"].astype(str),
        process_clicks=runs["process_clicks"].map(np.mean),
    )
    times = closed_times(cells[cells["kind"] == "fitted"])
    return pd.concat(
        [cells[["item", "cell", "process_clicks", "memory_clicks", "processes"]], times],
        ignore_index=True,
    )


def closed_times(fitted):
    """Return the swap and block times at which the disc time of the fitted runs closes best."""
    busy_ms = 10.0 * fitted["utilization_percent"] * fitted["elapsed_s"]
    swaps, interactions = fitted["swaps"], fitted["processes"] * Parameters().interactions
    design = np.column_stack([swaps, swaps * fitted["process_clicks"], interactions])
    of_a_swap, of_a_click, of_work = np.linalg.lstsq(design, busy_ms)[0]
    sizes = swap_times_ms().index
    block_ms = of_work / published.stated(KEY, "blocks_per_interaction")
    return pd.DataFrame(
        {
            "item": ["Table IV"] * len(sizes) + ["Table V"],
            "cell": [f"PS {size}" for size in sizes] + ["any block"],
            "closed_ms": [*(of_a_swap + of_a_click * sizes), block_ms],
        }
    )


def with_nulls(card):
    """Return the study's scorecard with its column ``null``."""
    return nulls.with_nulls(card, NULLS, factors())
