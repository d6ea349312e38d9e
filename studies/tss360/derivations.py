"""What follows from the print alone: sums, ratios, fits, significance, power and identities.

A derived cell counts as reproduced if it is the printed one within what rounding allows: half
of its last printed digit, and what the rounding of its own inputs can move it.
"""

from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from perfkit.methods import correlation, designs, factors, power
from studies.evidence import published, scorecard
from studies.evidence.scorecard import exact
from studies.tss360.demands import KEY, SHARE_HALF, joint_accesses, joint_frames, moved

FACTORS = {"schedule": ("old", "new"), "replacement": ("old", "new")}
COVARIATES = 2
EXPERIMENTS = ["old_old", "new_old", "old_new", "new_new"]


def derive_tables():
    """Return the scorecard of everything that is arithmetic on the print."""
    cdf = published.table(KEY, "table_2").set_index("point")["cdf"]
    return scorecard.gather(
        _accesses_from_table_3(cdf),
        _times_from_table_4(cdf),
        _variation(),
        derive_workload(),
        derive_table_5(),
        derive_table_6(),
        derive_table_7(),
    )


def rounding(function, printed, halves):
    """Return a function of printed numbers, and how far rounding can have moved it.

    The function is monotone in each number; ``halves`` are half of the last printed digit of each.
    """
    value = function(*printed)
    corners = product(*((p - h, p + h) for p, h in zip(printed, halves, strict=True)))
    return value, max(abs(function(*corner) - value) for corner in corners)


def _accesses_from_table_3(cdf):
    accesses = joint_accesses()
    reading = published.readings(KEY).set_index("key")["reading"]
    points = ["reads_0", "reads_10", "reads_20", "writes_0"]
    ours = [*accesses.sum(axis=1).cumsum()[:3], accesses.sum(axis=0)[0]]
    cell, slack = [f"{point} from Table 3" for point in points], np.array([4, 8, 12, 4])
    notes = scorecard.reading_notes(cdf[points], [reading.get(p, cdf[p]) for p in points])
    tolerance = SHARE_HALF * (1 + slack)
    return exact("Table 2", cell, cdf[points], ours, tolerance, notes, quantity="share")


def _times_from_table_4(cdf):
    frames = joint_frames()
    times = ["cpu_0.1", "cpu_1", "cpu_10"]
    halves = _printed_halves(frames).sum(axis=1).cumsum()[1:]
    notes = ["the tables disagree: other samples, or slices were counted", "", ""]
    ours, tolerance = frames.to_numpy().sum(axis=1).cumsum()[1:], SHARE_HALF + halves
    cell = [f"{point} from Table 4" for point in times]
    return exact("Table 2", cell, cdf[times], ours, tolerance, notes, quantity="share")


def _variation():
    moments = published.table(KEY, "table_2_moments").iloc[0]
    ratio, spread = rounding(
        lambda mean, sd: sd / mean, [moments["mean"], moments["sd"]], [0.005, 0.05]
    )
    printed, cell = published.stated(KEY, "processing_variation"), ["coefficient of variation"]
    return exact("The workload", cell, printed, ratio, 0.05 + spread, quantity="ratio")


def _printed_halves(frames):
    """Return half of the last printed digit of Table 4, whose 0.02, 0.11 and 0.58 have two."""
    cells = frames.to_numpy(float)
    return np.where((cells > 0) & np.isclose(cells, cells.round(2)), 0.005, SHARE_HALF)


def derive_workload():
    """Return the classes of transactions and the rate of the shortest, as a scorecard."""
    shares = moved()
    short = published.table(KEY, "figure_points").set_index("point").loc["short_transaction"]
    stated = ["transaction_classes", "none_only_writes", "short_transaction_rate"]
    per_s = published.stated(KEY, "short_transaction_pages") / short["x_value"]
    return exact(
        ["The workload", "The workload", "Paging"],
        ["classes by data moved", "share that only writes", "paging rate of 2 ms"],
        [published.stated(KEY, name) for name in stated],
        [(shares > 0.0).sum(), shares["out"], per_s],
        [0.0, 3 * SHARE_HALF, 0.5],
        kind=["bookkeeping", "bookkeeping", "arithmetic"],
        quantity=["classes", "share", "pages/s"],
    )


def block_correlations(block):
    """Return a block of Table 5 (1 to 3), with the sign that we read, as a square frame."""
    return correlation.correlation_table(
        published.table(KEY, "table_5", readings=True).query("block == @block")
    )


def derive_table_5():
    """Return whether Table 5 can be correlations, and its order, as a scorecard."""
    possible = [np.linalg.eigvalsh(block_correlations(block))[0] > 0.0 for block in (1, 2, 3)]
    against = published.table(KEY, "table_5").query("against == 'R*'")
    sizes = against.set_index("variable")["r"].abs().sort_values(ascending=False, kind="stable")
    printed = [3, published.stated(KEY, "sharable_correlates_next")]
    cell = ["blocks that can be correlations", "second highest correlation with R*"]
    notes = ["with our reading of the lost sign", "P_s and N_e share the place"]
    ours, kind, units = [sum(possible), sizes.iloc[1]], "bookkeeping", ["blocks", "ratio"]
    return exact("Table 5", cell, printed, ours, [0.0, 0.05], notes, kind=kind, quantity=units)


def performance_factors(minutes):
    """Return the stepwise regression of log response inside each block of Table 5.

    ``minutes`` is how many independent ones stand behind the correlations; the paper does not say.
    Indexed by block and step (`factors.stepwise_path`).
    """
    paths = {
        block: factors.stepwise_path(block_correlations(block), "R*", minutes)
        for block in (1, 2, 3)
    }
    return pd.concat(paths, names=["block", "step"])


def explained():
    """Return how much of the variance of log response sets of variables explain in Table 5."""
    sets = {1: [["P_eav"], ["P_eav", "N_e"], ["N_d", "N_e"], None], 2: [["P_s"], None], 3: [None]}
    rows = []
    for block, chosen in sets.items():
        table = block_correlations(block)
        for names in chosen:
            names = names or [name for name in table.index if name != "R*"]
            rows.append((block, ", ".join(names), correlation.multiple_r2(table, "R*", names)))
    return pd.DataFrame(rows, columns=["block", "variables", "r2"])


def table_6_means():
    """Return Table 6 with a row an experiment and a column a variable."""
    return published.table(KEY, "table_6").set_index("variable")[EXPERIMENTS].T.astype(float)


def table_6_effects():
    """Return the effects of both changes and their interaction on every variable of Table 6."""
    levels = published.table(KEY, "experiments").set_index("experiment")[list(FACTORS)]
    return designs.effects_of_means(levels.join(table_6_means()), FACTORS)


def derive_table_6():
    """Return what the text says of Table 6, from its cells, as a scorecard."""
    means = table_6_means()
    levels = published.table(KEY, "experiments").set_index("experiment")
    response = means["R"].groupby(levels["schedule"]).mean()
    swap_outs = means["TSE_so"].groupby(levels["replacement"]).mean()
    stated = ["response_old", "response_new", "swap_outs_old", "swap_outs_new"]
    counts = [
        (means["p_v"] + means["p_o"] < 1.0).sum(),
        (means["N_t"] > published.stated(KEY, "users_in_periods")).sum(),
    ]
    return exact(
        "Table 6",
        [*stated, "experiments with idle time", "experiments with N_t above 26"],
        [*(published.stated(KEY, name) for name in stated), len(means), len(means)],
        [*response[["old", "new"]], *swap_outs[["old", "new"]], *counts],
        [0.505, 0.505, 0.055, 0.055, 0.0, 0.0],
        kind=["arithmetic"] * 4 + ["bookkeeping"] * 2,
        quantity=["s", "s", "TSEs/s", "TSEs/s", "experiments", "experiments"],
    )


def derive_table_7():
    """Return Table 7 from its own sums of squares, as a scorecard."""
    table = published.table(KEY, "table_7").set_index("source")
    table["half"] = np.where(table.index == "error", 0.05, 0.005)
    return scorecard.gather(_mean_squares(table), _f_tests(table), _error_degrees(table))


def _table_7(cell, quantity, printed, ours, absolute, note="", kind="arithmetic"):
    return exact("Table 7", cell, printed, ours, absolute, note, kind=kind, quantity=quantity)


def _mean_squares(table):
    note = ["", "", "", "0.67 is 20.1/30; with it the printed F ratios don't close"]
    found = table["sum_of_squares"] / table["df"]
    absolute = 0.005 + table["half"] / table["df"]
    kind = np.where(table["df"] == 1, "bookkeeping", "arithmetic")  # a sum over one is itself
    return _table_7(
        "mean square, " + table.index, "s2", table["mean_square"], found, absolute, note, kind
    )


def _f_tests(table):
    """Return the F ratios, and whether they are significant."""
    error, tests = table.loc["error"], table.drop(index="error")
    found = [
        rounding(
            lambda a, b: a * error["df"] / b,
            [row.sum_of_squares, error["sum_of_squares"]],
            [row.half, error["half"]],
        )
        for row in tests.itertuples()
    ]
    ratio, spread = np.array(found).T
    significant = stats.f.sf(ratio, 1, error["df"]) < 0.05
    return scorecard.gather(
        _table_7("F, " + tests.index, "ratio", tests["f_ratio"], ratio, 0.05 + spread),
        _table_7(
            "significant, " + tests.index, "yes or no", tests["significant"], significant, 0.0
        ),
    )


def _error_degrees(table):
    experiments = published.table(KEY, "experiments")
    free = experiments["periods"].sum() - len(experiments) - COVARIATES
    note = "36 periods less 4 means less 2 slopes; one was lost, or a third slope fitted"
    cell = ["degrees of freedom of the error"]
    degrees = [table.loc["error", "df"]]
    return _table_7(cell, "degrees", degrees, [free], 0.0, note, "bookkeeping")


def error_variance():
    """Return the error's mean square of Table 7 (s2), 20.1 over 29 degrees."""
    error = published.table(KEY, "table_7").set_index("source").loc["error"]
    return float(error["sum_of_squares"] / error["df"])


def margin_of_design():
    """Return the half-width of the 95 % interval of an effect over the 36 periods, s.

    By Table 7's error, with covariates that the factors leave alone.
    """
    runs, df = _periods()
    return float(stats.t.ppf(0.975, df) * (4.0 * error_variance() / runs) ** 0.5)


def power_of_design(effects_s=(1.125, 1.0, 0.75, 0.5, 0.135)):
    """Return the chance that the 36 periods find effects on response, with Table 7's error.

    The effects are by default those of Table 6, of the text, of Table 7's sum of squares, half a
    second, and that of the replacement algorithm. Indexed by ``effect_s``: ``power`` at the 5 %
    level, ``replicates``: how many periods an experiment would find it with a chance of 80 %.
    """
    runs, df = _periods()
    found = power.effect_power(np.asarray(effects_s), error_variance(), runs, df)
    replicates = [
        power.replicates_needed(effect, error_variance(), len(EXPERIMENTS), covariates=COVARIATES)
        for effect in effects_s
    ]
    index = pd.Index(effects_s, name="effect_s")
    return pd.DataFrame({"power": found, "replicates": replicates}, index=index)


def _periods():
    """Return the periods of the experiment and the printed degrees of freedom of its error."""
    error = published.table(KEY, "table_7").set_index("source").loc["error"]
    return int(published.table(KEY, "experiments")["periods"].sum()), int(error["df"])


def identities(means=None):
    """Return what the means of Table 6 say of the system, an experiment a column.

    ``means`` has a row an experiment and a column a variable; by default it is the print.
    Supervisor and processing time per fault (ms), time from fault to fault of a dispatchable task
    (ms), idle share, reclaims over faults, and frames that P_eav charges a dispatchable task beyond
    those it holds, (P_s + P_a - P_eav) / N_d.
    """
    m = table_6_means() if means is None else means
    table = {
        "supervisor_ms_a_fault": 1000.0 * m["p_o"] / m["r_pf"],
        "processing_ms_a_fault": 1000.0 * m["p_v"] / m["r_pf"],
        "fault_to_fault_ms": 1000.0 * m["N_d"] / m["r_pf"],
        "idle": 1.0 - m["p_v"] - m["p_o"],
        "reclaims_over_faults": (m["r_s"] + m["r_p"]) / m["r_pf"],
        "frames_charged_beyond_held": (m["P_s"] + m["P_a"] - m["P_eav"]) / m["N_d"],
    }
    return pd.DataFrame(table).T[EXPERIMENTS]
