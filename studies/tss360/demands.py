"""The demands of transactions in Tables 2 to 4 and Figure 2: classes, fits, the paging law."""

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from perfkit.methods import characterisation, families, fits
from studies.evidence import published

KEY = "tss360"
SHARE_HALF = 0.0005
FRAME_MIDDLES = [5.5, 15.5, 25.5, 35.5]
THREE_PHASES = families.hyperexponential(3)


def joint_accesses():
    """Return Table 3, reads by writes, as an array of shares."""
    return published.table(KEY, "table_3").set_index("reads").to_numpy(float)


def joint_frames():
    """Return Table 4, processing time by page frames, as a frame of shares."""
    return published.table(KEY, "table_4").set_index("cpu_s")


def moved():
    """Return the share of transactions by the data they move, inside Table 3."""
    shares = joint_accesses()
    return pd.Series(
        {
            "none": shares[0, 0],
            "in": shares[1:, 0].sum(),
            "in and out": shares[1:, 1:].sum(),
            "out": shares[0, 1:].sum(),
        }
    )[characterisation.MOVES]


def demand_fits():
    """Fit families to the processing times of Table 2, cells and moments."""
    points = published.table(KEY, "table_2").query("unit == 's'")
    moments = published.table(KEY, "table_2_moments").iloc[0]
    tried = [families.LOGNORMAL, families.GAMMA, families.WEIBULL, families.hyperexponential(2)]
    shares = (points["limit"], points["cdf"], SHARE_HALF)
    printed = (*shares, moments["mean"], moments["sd"], (0.005, 0.05))
    return {one.name: fits.fit_printed(one, *printed) for one in (*tried, THREE_PHASES)}


def fitted_demands():
    """Return Table 2's processing times beside those of each fitted family.

    By family: shares by limit, ``mean``, ``sd``, and unfitted the median and the share below 0.2 s.
    """
    points = published.table(KEY, "table_2").query("unit == 's'")
    limits, names = points["limit"].to_numpy(float), points["limit"].map("{:g} s".format)
    moments = published.table(KEY, "table_2_moments").iloc[0]
    rows = {"printed": dict(zip(names, points["cdf"], strict=True))}
    rows["printed"] |= {"mean": moments["mean"], "sd": moments["sd"]}
    rows["printed"]["median"] = published.stated(KEY, "processing_median")
    for name, fit in demand_fits().items():
        found = fit.distribution
        rows[name] = dict(zip(names, found.cdf(limits), strict=True))
        rows[name] |= {"mean": found.mean(), "sd": found.std(), "median": found.ppf(0.5)}
        rows[name]["below 0.2 s"] = float(found.cdf(characterisation.TYPICAL_CPU_S))
    return pd.DataFrame(rows).T


def typical_share():
    """Return the range that Tables 2 and 3 leave for the share of typical transactions.

    One row per line through Table 2, straight over the logarithm of time or of three phases:
    ``few_accesses_least``, ``few_accesses_most``, ``short``, then of both together ``least`` and
    ``most`` possible, ``independent_least``, ``independent_most``.
    """
    shares = joint_accesses()
    few = np.array([shares[:2, 0].sum(), shares[:2, :2].sum()])
    limit_s = characterisation.TYPICAL_CPU_S
    points = published.table(KEY, "table_2").query("unit == 's'")
    fitted = demand_fits()[THREE_PHASES.name].distribution
    lines = {
        "straight": float(np.interp(np.log(limit_s), np.log(points["limit"]), points["cdf"])),
        "hyperexponential": float(fitted.cdf(limit_s)),
    }
    rows = {
        name: [*few, short, max(few[0] + short - 1.0, 0.0), min(few[1], short), *(few * short)]
        for name, short in lines.items()
    }
    columns = ["few_accesses_least", "few_accesses_most", "short", "least", "most"]
    columns += ["independent_least", "independent_most"]
    return pd.DataFrame(rows, index=columns).T


def figure_2_law():
    """Return the power law of Figure 2 that Tables 2 and 6 allow, by experiment.

    It passes through the one point given. With its slope and Table 2's processing times all
    transactions together fault r_pf / p_v times per second of processing, as in Table 6.

    Indexed by experiment: ``faults_per_s`` of processing, ``slope`` of log S over log C,
    ``below_100_from_s``: the processing time from which S is less than 100 pages/s.
    """
    demand = demand_fits()[THREE_PHASES.name].distribution
    point = published.table(KEY, "figure_points").set_index("point").loc["short_transaction"]
    c, s = point["x_value"], point["y_value"]
    means = published.table(KEY, "table_6").set_index("variable")
    rows = {}
    for name in published.table(KEY, "experiments")["experiment"]:
        rate = means.loc["r_pf", name] / means.loc["p_v", name]

        def excess(slope, rate=rate):
            return s * c**-slope * demand.moment(1.0 + slope) / demand.mean() - rate

        slope = brentq(excess, -0.99, -0.01)
        rows[name] = (rate, slope, c * (100.0 / s) ** (1.0 / slope))
    return pd.DataFrame(rows, index=["faults_per_s", "slope", "below_100_from_s"]).T
