"""Denning's formulas of 1968 beside simulated runs: duty factor, memory, thrashing."""

import numpy as np
import pandas as pd

from perfkit.analytic import paging
from perfkit.analytic.drum import greatest_rate
from perfkit.systems.sim61 import TABLE_2, Parameters
from perfkit.systems.sim61.parameters import PAGE_BYTES
from studies.sim61.derivations import MB_BYTES, MEASURED_S
from studies.sim61.experiments import DRUM, DRUMS
from studies.sim61.runs import averages

MEASURES = (
    "interactions", "user_percent", "supervisor_percent", "paging_queue_ms", "paging_pages_per_s",
    "page_waits", "active_tasks", "scheduled_pages",
)  # fmt: skip
DRUM_COUNTS = {DRUM: 1, DRUMS: 2}


def measured(rows):
    """Return the formulas' inputs from the simulated runs.

    By run: ``between_s``, processor time from one fault that is waited for to the next;
    ``traverse_s``; ``pages``, of core per active task; ``active``; ``busy``, of the processor;
    ``interactions``; ``faults``, waited for per interaction; ``share`` of the pages moved that
    are waited for.
    """
    mean = averages(rows, MEASURES)
    busy = (mean["user_percent"] + mean["supervisor_percent"]) / 100.0
    return pd.DataFrame(
        {
            "between_s": busy * MEASURED_S / mean["page_waits"],
            "traverse_s": mean["paging_queue_ms"] / 1000.0,
            "pages": mean["scheduled_pages"] / mean["active_tasks"],
            "active": mean["active_tasks"],
            "busy": busy,
            "interactions": mean["interactions"],
            "faults": mean["page_waits"] / mean["interactions"],
            "share": mean["page_waits"] / MEASURED_S / mean["paging_pages_per_s"],
        }
    )


def duty_factors(rows):
    """Return duty factor, processor use, and the memory that a busy processor would need.

    By run: ``between_ms``, ``traverse_ms``, ``duty_percent``, ``expected_percent`` of the
    processor, ``busy_percent`` as simulated, ``memory_mb`` asked for, the supervisor's
    included.
    """
    own = measured(rows)
    duty = paging.duty_factor(own["between_s"], own["traverse_s"])
    pages = paging.memory_for_processors(1.0, own["pages"], own["between_s"], own["traverse_s"])
    return pd.DataFrame(
        {
            "between_ms": 1000.0 * own["between_s"],
            "traverse_ms": 1000.0 * own["traverse_s"],
            "duty_percent": 100.0 * duty,
            "expected_percent": (100.0 * own["active"] * duty).clip(upper=100.0),
            "busy_percent": 100.0 * own["busy"],
            "memory_mb": (pages + Parameters().supervisor_pages) * PAGE_BYTES / MB_BYTES,
        }
    )


def thrashing(runs, rows, most_tasks=20):
    """Return Denning's curve for the four drum runs: interactions by the number of active tasks.

    Lifetimes, core per task and faults per interaction are those of the simulated run. A task
    that has less core than its working set faults as the square of the shortage (Belady).

    One row per run and number of tasks: ``point``, ``tasks``, ``interactions``.
    """
    own, parts = measured(rows), []
    drum_per_s = float(greatest_rate(TABLE_2["8567"].revolution_ms / 1000.0, 1))
    for point in runs.index[runs["paging_configuration"].isin(list(DRUM_COUNTS))]:
        run = own.loc[point]
        drums = DRUM_COUNTS[runs.loc[point, "paging_configuration"]]

        def lifetime(pages, run=run):
            return paging.lifetime(min(1.0, pages / run["pages"]), run["between_s"])

        curve = paging.thrashing_curve(
            lifetime,
            float(runs.loc[point, "memory_pages"] - Parameters().supervisor_pages),
            drum_per_s * run["share"] * np.arange(1, drums + 1),
            most_tasks,
            run["between_s"] * run["faults"],
        )
        done = MEASURED_S * curve.throughput_per_s
        parts.append(pd.DataFrame({"point": point, "tasks": curve.programs, "interactions": done}))
    return pd.concat(parts, ignore_index=True)
