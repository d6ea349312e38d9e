"""The experiments of the TSS/360 paper as design points, and our scorecard of them."""

import numpy as np
import pandas as pd

from perfkit import published
from perfkit.systems.tss360 import Parameters, simulate

KEY = "tss360"
AFTERNOON = {"settle_min": 30.0, "measured_min": 180}
FRAME_CLASSES = np.array([5.5, 15.5, 25.5, 35.5])
CPU_CLASSES_S = (0.0, 0.01, 0.1, 1.0, 10.0)


def table_6():
    """Return Table 6 with TSE_so as the text has it: 0.08 and 0.04 instead of one digit.

    Returns
    -------
    pandas.DataFrame
    """
    table = published.table(KEY, "table_6")
    swaps = table["variable"] == "TSE_so"
    for column in ("old_old", "new_old"):
        table.loc[swaps, column] = published.stated(KEY, "swap_outs_old")
    for column in ("old_new", "new_new"):
        table.loc[swaps, column] = published.stated(KEY, "swap_outs_new")
    return table


def table_4_means():
    """Return the mean frames of each row of Table 4, by the middle of its classes."""
    shares = published.table(KEY, "table_4").set_index("cpu_s").to_numpy()
    return shares @ FRAME_CLASSES / shares.sum(axis=1)


def frames_by_processing(transactions):
    """Return the mean frames that transactions held, by the rows of Table 4."""
    rows = pd.cut(transactions["cpu_s"], CPU_CLASSES_S)
    return transactions.groupby(rows, observed=False)["frames"].mean().to_numpy()
