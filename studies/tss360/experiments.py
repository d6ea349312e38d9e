"""Further experiments on the TSS/360 system, for claims and what-ifs."""

from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from perfkit.core.values import check_whole
from perfkit.methods import planned, power
from perfkit.methods.correlation import standardised
from perfkit.systems.tss360 import Parameters
from perfkit.systems.tss360.load import BLOCK, draw_demands
from studies.tss360.derivations import FACTORS
from studies.tss360.runs import (
    AFTERNOON,
    COVARIATES,
    FITTED_CELL,
    cell_means,
    cell_periods,
    community,
    effects_by_day,
    minutes_of,
    planned_experiments,
    simulate_all,
    transactions_of,
)

SURVEY_USERS = (12, 17, 22, 27, 31, 35, 40)
KNEE_USERS = 30
BLOCKS = (
    ("N_t", "N_e", "N_d", "p_v", "p_o", "P_eav", "R*"),
    ("P_a", "P_s", "r_s", "r_p", "r_pf", "R*"),
    ("TSE_mp", "TSE_mq", "TSE_so", "R*"),
)
FACTOR_NAMES = tuple(dict.fromkeys(name for block in BLOCKS for name in block if name != "R*"))


class Evidence:
    """Simulated afternoons for the claims: the four cells, and others when a claim asks.

    ``cells`` are as ``runs.simulate_cells`` returns, the seed is that of the first afternoon, and
    ``changes`` are parameters that differ from the paper's in every further run.
    """

    def __init__(self, cells, seed=0, **changes):
        self.cells, self.seed, self.changes = cells, seed, changes
        self.days = len(cells[FITTED_CELL])

    @cached_property
    def minutes(self):
        """The old system's minutes, with their ``day``; minutes without a response left out."""
        return minutes_of(self.cells[FITTED_CELL]).dropna(subset=["R"])

    @cached_property
    def transactions(self):
        """The old system's transactions, with their ``day``."""
        return transactions_of(self.cells[FITTED_CELL])

    @cached_property
    def periods(self):
        """The 15-minute periods of all cells."""
        return cell_periods(self.cells)

    @cached_property
    def means(self):
        """Means of Table 6's variables by cell and day."""
        return cell_means(self.periods)

    @cached_property
    def effects(self):
        """Effects on Table 6's variables by term and day."""
        return effects_by_day(self.means)

    @cached_property
    def experiments(self):
        """Simulated experiments of 36 periods."""
        return planned_experiments(self.periods, self.seed)

    @cached_property
    def tables(self):
        """Table 7 of each simulated experiment."""
        return [variance_table(experiment) for experiment in self.experiments]

    @cached_property
    def p_values(self):
        """The p values of Table 7 in each simulated experiment, a column a source."""
        return pd.DataFrame([table["p"] for table in self.tables]).reset_index(drop=True)

    @cached_property
    def survey(self):
        """Means by minute of runs with few to many users, old system, with ``users``."""
        return users_survey(self.seed, **self.changes)

    def by_day(self, function):
        """Return a function of each day's minutes, an array over days."""
        return np.array([function(day) for _, day in self.minutes.groupby("day")])

    def by_day_transactions(self, function):
        """Return a function of each day's transactions, an array over days."""
        return np.array([function(day) for _, day in self.transactions.groupby("day")])


def variance_table(periods):
    """Return Table 7 of an experiment, corrected for N_d and N_e."""
    return planned.variance_table(periods, "R", FACTORS, COVARIATES)


def correlations(minutes):
    """Return the correlations of Table 5 on minutes, in its order and indexed by its pairs."""
    found = {}
    for block in BLOCKS:
        table = standardised(minutes, list(block)).corr()
        found |= {f"{a} {b}": table.loc[a, b] for a, b in combinations(block, 2)}
    return pd.Series(found, name="r")


def users_survey(seed=0, days=6, **changes):
    """Return minutes of afternoons with few to many users, with their ``users`` and ``day``."""
    check_whole("days", days)
    check_whole("seed", seed, 0)
    base = Parameters(**{**AFTERNOON, **changes})
    points = [base.replace(**community(users)) for users in SURVEY_USERS for _ in range(days)]
    seeds = list(range(seed, seed + days)) * len(SURVEY_USERS)
    results = simulate_all(points, seeds)
    frames = [
        result.minutes().assign(users=p.users, day=s)
        for result, p, s in zip(results, points, seeds, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def slope(frame, x, y):
    """Return the slope of the straight line of y over x."""
    known = frame[[x, y]].dropna()
    return float(np.polyfit(known[x], known[y], 1)[0])


def straightness(x, y):
    """Return R squared of the straight line of y over x."""
    return float(np.corrcoef(x, y)[0, 1] ** 2)


def found_share(p_values, level=0.05):
    """Return the share of experiments that find each source significant, with its interval."""
    sources = [name for name in p_values if name not in COVARIATES and name != "error"]
    return pd.DataFrame({name: power.rejection_share(p_values[name], level) for name in sources}).T


def device_demands(results):
    """Return the time that a transaction needs on each device, s: busy share over throughput.

    By device: the ``processor`` with the supervisor's time, then each drum and disc.
    """
    means = pd.DataFrame([result.measures() for result in results]).mean()
    devices = pd.concat([result.devices() for result in results])
    busy = devices["busy_share"].groupby([devices.index, devices["device"]]).mean()
    shares = [means["p_v"] + means["p_o"], *busy]
    names = ["processor", *busy.index.get_level_values("device")]
    return pd.Series(shares, names) / means["transactions"]


def demanded(parameters, seed=0, blocks=10):
    """Return ``cpu_s``, ``reads``, ``writes`` of what users ask for, whether or not it ends."""
    users = range(parameters.user_slots)
    rows = draw_demands(parameters, seed, users, BLOCK * blocks)
    return pd.DataFrame(
        {"cpu_s": rows["cpu_ms"] / 1000.0, "reads": rows["reads"], "writes": rows["writes"]}
    )


def paging_rates(transactions, per_decade=2):
    """Return Figure 2: the paging rate of transactions by processing time.

    Indexed by bin: ``C`` and ``S`` (geometric means), ``count``; bins of ten or more.
    """
    known = transactions[transactions["page_reads"] > 0]
    bins = np.floor(per_decade * np.log10(known["cpu_s"]))
    logs = np.log(known[["cpu_s", "page_rate"]]).groupby(bins)
    table = np.exp(logs.mean()).set_axis(["C", "S"], axis=1)
    table["count"] = logs.size()
    return table[table["count"] >= 10]


def binned_means(frame, x, y, edges, least=5):
    """Return the means of two columns in bins of the first with so many rows or more."""
    known = frame[[x, y]].dropna()
    groups = known.groupby(pd.cut(known[x], edges), observed=True)
    return groups.mean()[groups.size() >= least].reset_index(drop=True)
