"""The experiments of the TSS/360 paper as design points, and the measurements of their afternoons.

An afternoon is a run with some time to settle. As in the paper, each cell has three periods of 15
minutes on each of three afternoons, when more than 26 users are logged on.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from perfkit.core.values import check_whole
from perfkit.des.draws import permutation, stream
from perfkit.methods.designs import effects_of_means
from perfkit.methods.distributions import conditional_means
from perfkit.runs.executors import threads
from perfkit.systems.tss360 import Parameters, simulate
from studies.evidence import published
from studies.tss360.demands import FRAME_MIDDLES, KEY, joint_frames
from studies.tss360.derivations import EXPERIMENTS as CELLS
from studies.tss360.derivations import FACTORS

AFTERNOON = {"measured_s": 5400.0}
FITTED_CELL = CELLS[0]
LEAST_USERS = 26.0
DAYS, PERIODS_A_DAY = 3, 3
CPU_CLASSES_S = (0.0, 0.01, 0.1, 1.0, 10.0)
VARIABLES = (
    "R", "N_t", "N_e", "N_d", "p_v", "p_o", "P_eav", "P_s", "P_a", "r_p", "r_s", "r_pf", "TSE_so",
)  # fmt: skip
COVARIATES = ("N_d", "N_e")


def table_6(exact_swap_outs=True):
    """Return Table 6 by variable, by default with the text's TSE_so: 0.08 and 0.04."""
    table = published.table(KEY, "table_6").set_index("variable")
    if exact_swap_outs:
        for cell in CELLS:
            claim = "swap_outs_old" if cell.endswith("_old") else "swap_outs_new"
            table.loc["TSE_so", cell] = published.stated(KEY, claim)
    return table


def table_4_means():
    """Return the mean frames of each row of Table 4, by the middle of its classes."""
    return conditional_means(joint_frames(), FRAME_MIDDLES).drop("all").to_numpy()


def frames_by_processing(transactions):
    """Return the mean frames that transactions held, by the rows of Table 4."""
    rows = pd.cut(transactions["cpu_s"], CPU_CLASSES_S)
    return transactions.groupby(rows, observed=False)["frames"].mean().to_numpy()


def simulate_all(parameters, seeds, jobs=None, **options):
    """Simulate a list of parameter records, each under its own seed, in threads."""
    runs = zip(parameters, seeds, strict=True)
    return Parallel(n_jobs=threads(jobs), prefer="threads")(
        delayed(simulate)(p, seed, **options) for p, seed in runs
    )


def community(users):
    """Return the parameters for so many users logged on, in the default share of all users."""
    base = Parameters()
    return {"users": float(users), "user_slots": round(base.user_slots / base.users * users)}


def simulate_cells(days, seed=0, cells=CELLS, **changes):
    """Simulate afternoons under each cell of the 2x2 design, the same load in all of them.

    Each cell has ``days`` afternoons, with seeds from ``seed`` upwards; "old_new" is the old
    schedule with the new replacement. ``changes`` are parameters. Results are by cell.
    """
    check_whole("days", days)
    check_whole("seed", seed, 0)
    if isinstance(cells, str) or not set(cells) <= set(CELLS):
        raise ValueError(f"cells must be a list of some of {', '.join(CELLS)}; {cells!r} is not.")
    base = Parameters(**{**AFTERNOON, **changes})
    rules = [cell.split("_") for cell in cells]
    points = [base.replace(schedule=new, replacement=own) for new, own in rules]
    seeds = list(range(seed, seed + days))
    results = simulate_all([p for p in points for _ in seeds], seeds * len(cells))
    return {cell: results[i * days : (i + 1) * days] for i, cell in enumerate(cells)}


def minutes_of(results):
    """Return the sampling monitor's rows of several afternoons, with the ``day`` of each."""
    frames = [result.minutes().assign(day=day) for day, result in enumerate(results)]
    return pd.concat(frames, ignore_index=True)


def transactions_of(results):
    """Return the event-tracing monitor's rows of several afternoons, with their ``day``."""
    if isinstance(results, dict):
        raise TypeError("transactions_of takes the results of one cell: cells['old_old'], say.")
    frames = [result.transaction_log().assign(day=day) for day, result in enumerate(results)]
    return pd.concat(frames, ignore_index=True)


def periods_of(result, least_users=LEAST_USERS):
    """Return the means of each 15-minute period in which more than so many users were logged on.

    One row per period: ``period``, the variables of Table 6 (R over transactions), ``R*`` (over
    minutes).
    """
    length = int(published.stated(KEY, "period_length"))
    minutes = result.minutes()
    minutes = minutes.iloc[: len(minutes) // length * length]
    minutes["period"] = minutes["minute"] // length
    ended = minutes["typical_transactions"]
    total = (minutes["R"].fillna(0.0) * ended).groupby(minutes["period"]).sum()
    means = minutes.groupby("period")[[*VARIABLES, "R*"]].mean()
    means["R"] = total / ended.groupby(minutes["period"]).sum()
    return means[means["N_t"] > least_users].reset_index()


def cell_periods(cells, least_users=LEAST_USERS):
    """Return the periods of all cells, as ``simulate_cells`` returns these.

    One row per period: ``cell``, ``schedule``, ``replacement``, ``day``, then as in ``periods_of``.
    """
    if not isinstance(cells, dict):
        raise TypeError("cell_periods takes what simulate_cells returns: results by cell.")
    parts = []
    for cell, results in cells.items():
        schedule, replacement = cell.split("_")
        for day, result in enumerate(results):
            found = periods_of(result, least_users)
            parts.append(
                found.assign(cell=cell, schedule=schedule, replacement=replacement, day=day)
            )
    return pd.concat(parts, ignore_index=True)


def cell_means(periods):
    """Return the mean of each variable by cell and day.

    Indexed by cell and day; days on which no period qualifies in every cell are left out.
    """
    means = periods.groupby(["cell", "day"], sort=False)[list(VARIABLES)].mean()
    cells = means.groupby("day").size()
    complete = cells.index[cells == periods["cell"].nunique()]
    if complete.empty:
        raise ValueError(
            f"No afternoon had a quarter of an hour with more than {LEAST_USERS:g} users logged on"
            " in every cell; choose more afternoons, or a mean of more users."
        )
    return means[means.index.isin(complete, "day")]


def effects_by_day(means):
    """Return the effects of both factors and their interaction on each variable, by day.

    Indexed by term (``schedule``, ``replacement``, ``schedule:replacement``) and day.
    """
    levels = published.table(KEY, "experiments").set_index("experiment")[list(FACTORS)]
    parts = {
        day: effects_of_means(levels.join(own.droplevel("day")), FACTORS).T
        for day, own in means.groupby("day")
    }
    return pd.concat(parts, names=["day", "term"]).swaplevel().sort_index()


def planned_experiments(periods, seed=0):
    """Draw as many experiments of 36 periods as the simulated afternoons allow.

    ``periods`` is as ``cell_periods`` returns. A cell has three afternoons, shared with no other,
    and three random periods of each, or fewer if fewer qualify.
    """
    days = periods["day"].nunique()
    groups = days // DAYS
    order = stream(seed, "periods")
    experiments = []
    for number in range(groups if groups >= len(CELLS) else 0):
        parts = []
        for shift, cell in enumerate(CELLS):
            first = (number + shift) % groups * DAYS
            for day in range(first, first + DAYS):
                own = periods[(periods["cell"] == cell) & (periods["day"] == day)]
                most = min(PERIODS_A_DAY, len(own))
                parts.append(own.iloc[np.sort(permutation(order, len(own))[:most])])
        experiments.append(pd.concat(parts, ignore_index=True))
    return experiments
