"""What a reader would forecast for the SIM/61 paper's cells without a simulator."""

import numpy as np
import pandas as pd

from perfkit.systems.sim61 import TABLE_2
from studies.evidence import nulls
from studies.evidence.nulls import Null
from studies.sim61.runs import DEVICES, n_runs, store_names, store_runs

NEVER = 0.05


def by_limit(known, asked):
    """Forecast by a power law in Table 2's limit of the paging devices and in memory."""
    rule = nulls.log_linear("limit_per_s", "memory_mb", least=NEVER)
    return rule(known.dropna(subset="limit_per_s"), asked)


def by_share(known, asked):
    """Forecast by a straight line in batch's share of counted activations, 1 / (N + 1)."""
    known = known.dropna(subset="batch_share").sort_values("batch_share", kind="stable")
    return np.interp(asked["batch_share"], known["batch_share"], known["published"])


LIMIT = "a power law in the most pages that the devices can move, and in memory"
STORE = ("response_s", "interactions", "paging_pages_s", "user_io_kb_s", "user_cpu_percent")
NULLS = (
    *(Null("Table 3", name, by_limit, LIMIT) for name in (*STORE, "overhead_percent")),
    Null("Backing Store Study", "batch_cpu_percent", by_limit, LIMIT + "; 0 counts as 0.05"),
    *(
        Null("Table 5", name, by_share, "straight between the fitted ends in 1 / (N + 1)")
        for name in ("response_s", "interactions", "batch_cpu_percent")
    ),
    Null("Table 4", "free", nulls.mean_of_fitted, "the same at every N as at N = 0"),
)


def factors():
    """Return what the rules need for each cell: device limit and memory, or batch's share."""
    store, n = store_runs(), n_runs()
    most = {name: sum(TABLE_2[d].pages_per_s() for d in own) for name, own in DEVICES.items()}
    limit_per_s = store["paging_configuration"].map(most)
    store = store[["memory_mb"]].assign(cell=store_names(store), limit_per_s=limit_per_s)
    share = 1.0 / (n["activations_per_batch"] + 1.0)
    cells = pd.concat([store, pd.DataFrame({"cell": "N = " + n["n"], "batch_share": share})])
    return cells.merge(pd.DataFrame({"item": sorted({null.item for null in NULLS})}), how="cross")


def with_nulls(card):
    """Return the study's scorecard with what the nulls forecast."""
    return nulls.with_nulls(card, NULLS, factors())
