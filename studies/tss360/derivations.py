"""What follows from the paper's own numbers: sums, ratios, significance and margins.

A derived cell is reproduced if it equals the printed one within rounding: half of its last
printed digit, plus what the rounding of its own inputs can move it.
"""

from itertools import product

import numpy as np
from scipy import stats

from perfkit.methods import correlation, designs
from studies.evidence import published, scorecard
from studies.evidence.scorecard import exact
from studies.tss360.demands import KEY, SHARE_HALF, joint_accesses, joint_frames, moved

FACTORS = {"schedule": ("old", "new"), "replacement": ("old", "new")}
COVARIATES = 2
EXPERIMENTS = ["old_old", "new_old", "old_new", "new_new"]


def derive_tables():
    """Return the scorecard of all arithmetic on the paper's own numbers."""
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
    """Return a function of printed numbers, and how far rounding can move it.

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
    """Return the scorecard of Table 5's consistency and order."""
    possible = [np.linalg.eigvalsh(block_correlations(block))[0] > 0.0 for block in (1, 2, 3)]
    against = published.table(KEY, "table_5").query("against == 'R*'")
    sizes = against.set_index("variable")["r"].abs().sort_values(ascending=False, kind="stable")
    printed = [3, published.stated(KEY, "sharable_correlates_next")]
    cell = ["blocks that can be correlations", "second highest correlation with R*"]
    notes = ["with our reading of the lost sign", "P_s and N_e share the place"]
    ours, kind, units = [sum(possible), sizes.iloc[1]], "bookkeeping", ["blocks", "ratio"]
    return exact("Table 5", cell, printed, ours, [0.0, 0.05], notes, kind=kind, quantity=units)


def table_6_means():
    """Return Table 6 with a row an experiment and a column a variable."""
    return published.table(KEY, "table_6").set_index("variable")[EXPERIMENTS].T.astype(float)


def table_6_effects():
    """Return the effects of both changes and their interaction on every variable of Table 6."""
    levels = published.table(KEY, "experiments").set_index("experiment")[list(FACTORS)]
    return designs.effects_of_means(levels.join(table_6_means()), FACTORS)


def derive_table_6():
    """Return the scorecard of the text's statements on Table 6, from its cells."""
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


def margin_of_design():
    """Return the half-width of the 95 % interval of an effect over the 36 periods, s.

    By Table 7's error, with covariates that the factors leave alone.
    """
    error = published.table(KEY, "table_7").set_index("source").loc["error"]
    variance = error["sum_of_squares"] / error["df"]
    periods = published.table(KEY, "experiments")["periods"].sum()
    return float(stats.t.ppf(0.975, error["df"]) * (4.0 * variance / periods) ** 0.5)
