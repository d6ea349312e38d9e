"""The scorecard of the TSS/360 paper's tables: simulated against published values.

The shares of Tables 2 and 3 and the tasks logged on are input. Table 4 and the first column of
Table 6 were fitted. Rules were chosen with the rest of Table 6 and Table 2's moments in sight
(NOTES.md).
"""

import numpy as np
import pandas as pd

from perfkit.methods.distributions import cumulative_table, joint_table
from perfkit.runs.experiment import interval
from studies.evidence import published, scorecard
from studies.tss360.demands import KEY
from studies.tss360.experiments import correlations
from studies.tss360.runs import CELLS, FITTED_CELL, VARIABLES, table_6

CORRELATION_TOLERANCE = 0.2
CLEAR = 0.2
SHARE_HALF_DIGIT = 0.0005
RESOURCES = {"virtual storage processing time": "cpu_s", "data set reads": "reads"} | {
    "data set writes": "writes"
}
TERMS = {"scheduling": "schedule", "interaction": "schedule:replacement"}  # of Table 7
IN_SIGHT = "chosen in sight"
# Correlations that miss without a rule that was chosen with Table 5 in sight (NOTES.md): a
# deadline of long slices; users without patience; 96 afternoons.
PAIRS_IN_SIGHT = (
    *("N_d p_v", "p_v R*", "P_a r_p", "P_a r_pf", "P_s r_p", "TSE_mq TSE_so", "TSE_mq R*"),
    *("N_t N_d", "P_a R*", "N_e p_v"),
)
JOINT = {
    "table_3": ("reads", "writes", [0, 10, 20, 30], [0, 10, 20, 30]),
    "table_4": ("cpu_s", "frames", [0.01, 0.1, 1, 10], [10, 20, 30, 40]),
}


def score_workload(transactions):
    """Return the scorecard of Tables 2, 3 and 4 on transactions that ended, intervals over days."""
    days = [day for _, day in transactions.groupby("day")]
    joints = [_score_joint(name, days) for name in JOINT]
    return scorecard.gather(_score_table_2(days), _score_moments(transactions, days), *joints)


def _over_days(values):
    """Return means and half-widths of an array with one row per day."""
    found = [interval(column) for column in np.asarray(values, float).T]
    return [mean for mean, _ in found], [half_width for _, half_width in found]


def _score_table_2(days):
    printed = published.table(KEY, "table_2")
    read = published.table(KEY, "table_2", readings=True)["cdf"]

    def shares(day):
        groups = printed.groupby("resource", sort=False)
        tables = [cumulative_table(day[RESOURCES[name]], own["limit"]) for name, own in groups]
        return np.concatenate([table["cdf"] for table in tables])

    ours, half_width = _over_days([shares(day) for day in days])
    notes = scorecard.reading_notes(printed["cdf"], read)
    kind = scorecard.BY_CONSTRUCTION
    return scorecard.cells(
        "Table 2", printed["point"], "share", kind, read, ours, half_width, note=notes
    )


def _score_moments(transactions, days):
    """Score means and deviations of all that ended; users who log off cut long ones off."""
    printed = published.table(KEY, "table_2_moments")
    columns = [RESOURCES[name] for name in printed["resource"]]

    def moments(log):
        return log[columns].agg(["mean", "std"]).T.to_numpy().ravel()

    _, half_width = _over_days([moments(day) for day in days])
    names = [f"{moment}, {name}" for name in printed["resource"] for moment in ("mean", "sd")]
    values = printed[["mean", "sd"]].to_numpy().ravel(), moments(transactions), half_width
    note = "of what was finished; the longest are cut off when their users log off"
    units = np.repeat(printed["unit"], 2)
    return scorecard.cells("Table 2", names, units, IN_SIGHT, *values, note=note)


def _score_joint(name, days):
    printed = published.table(KEY, name).set_index(published.table(KEY, name).columns[0])
    shape = printed.shape
    ours, half_width = _over_days(
        [joint_table(day, *JOINT[name]).to_numpy()[: shape[0], : shape[1]].ravel() for day in days]
    )
    values = printed.to_numpy(float).ravel()
    table, kind = name.replace("_", " ").title(), scorecard.BY_CONSTRUCTION
    kind = "fitted" if name == "table_4" else kind
    cell = [f"{row}, {column}" for row in printed.index for column in printed.columns]
    tolerance = np.maximum(SHARE_HALF_DIGIT, 0.1 * values)
    return scorecard.cells(table, cell, "share", kind, values, ours, half_width, absolute=tolerance)


def score_table_5(minutes):
    """Return the scorecard of Table 5: pooled minutes, within 0.2, intervals over days."""
    printed = published.table(KEY, "table_5").set_index("pair")["r"]
    read = published.table(KEY, "table_5", readings=True).set_index("pair")["r"]
    by_day = [correlations(day)[printed.index] for _, day in minutes.groupby("day")]
    _, half_width = _over_days(by_day)
    kinds = np.where(printed.index.isin(PAIRS_IN_SIGHT), IN_SIGHT, "predicted")
    notes = ["" if known else "our reading; the sign is lost" for known in printed.notna()]
    return scorecard.cells(
        "Table 5", printed.index, "correlation", kinds, read, correlations(minutes)[printed.index],
        half_width, absolute=CORRELATION_TOLERANCE, note=notes,
    )  # fmt: skip


def signs(card):
    """Return how many printed correlations of 0.2 and more keep their sign, and how many there are.

    The one whose sign is lost, which has a note, is left out.
    """
    clear = card[(card["published"].abs() >= CLEAR) & (card["note"] == "")]
    return int((np.sign(clear["published"]) == np.sign(clear["ours"])).sum()), len(clear)


def _design_spread(experiments):
    """Return the standard deviation of each cell of Table 6 over experiments of 36 periods."""
    parts = [own.groupby("cell")[list(VARIABLES)].mean() for own in experiments]
    found = pd.concat(parts).groupby("cell").std() if parts else pd.DataFrame()
    return found.reindex(index=CELLS, columns=list(VARIABLES)).astype(float)


def score_table_6(means, experiments=()):
    """Return the scorecard of Table 6: 10 % or half of the last printed digit.

    ``means`` and ``experiments`` are as ``runs.cell_means`` and ``runs.planned_experiments``
    return; ``z`` has the experiments' spread and the rounding of the printed value.
    """
    printed = table_6(exact_swap_outs=False).loc[list(VARIABLES)]
    half_digit = 0.5 * printed["last_digit"].to_numpy(float)
    spread = np.hypot(_design_spread(experiments), half_digit / 3**0.5)
    cards = []
    for cell in CELLS:
        ours, half_width = _over_days(means.xs(cell, level="cell")[list(VARIABLES)])
        values = printed[cell].to_numpy(float)
        kinds = np.full(len(VARIABLES), "fitted" if cell == FITTED_CELL else IN_SIGHT, object)
        kinds[VARIABLES.index("N_t")] = scorecard.BY_CONSTRUCTION
        words = "{} schedule, {} replacement".format(*cell.split("_"))
        cards.append(scorecard.cells(
            "Table 6", words, list(VARIABLES), kinds, values, ours, half_width,
            absolute=np.maximum(half_digit, 0.1 * values), spread=spread.loc[cell],
            runs=means.index.get_level_values("day").nunique(),
        ))  # fmt: skip
    return scorecard.gather(*cards)


def score_table_7(tables):
    """Return the scorecard of Table 7: mean squares and F ratios of simulated experiments.

    ``tables`` has an `experiments.variance_table` of each.
    """
    printed = published.table(KEY, "table_7").set_index("source")
    read = published.table(KEY, "table_7", readings=True).set_index("source")
    cards = []
    for column, name, unit in (("mean_square", "mean square", "s2"), ("f_ratio", "F", "ratio")):
        rows = printed.index[printed[column].notna()]
        found = [table.loc[[TERMS.get(row, row) for row in rows], column] for table in tables]
        ours, half_width = _over_days(found or np.full((1, len(rows)), np.nan))
        values, kinds = read.loc[rows, column], np.where(rows == "error", "predicted", IN_SIGHT)
        cards.append(scorecard.cells(
            "Table 7", name + ", " + rows + ", simulated", unit, kinds, values, ours, half_width,
            spread=scorecard.spread(half_width, len(tables)), runs=len(tables),
            note=scorecard.reading_notes(printed.loc[rows, column], values),
        ))  # fmt: skip
    return scorecard.gather(*cards)


def column_errors(means):
    """Return the mean absolute error of each column of Table 6, in percent, by cell.

    Two variables are left out: forced swap-outs, which are printed with one digit, and the tasks
    logged on, which are input.
    """
    names = [name for name in VARIABLES if name not in ("TSE_so", "N_t")]
    ours = means.groupby("cell", sort=False)[names].mean()
    printed = table_6().loc[names, CELLS].T
    return (100.0 * (ours / printed - 1.0).abs()).mean(axis=1).rename("percent")
