"""The study's main conclusions, each as the margin by which one repetition supports it."""

from perfkit.systems.tss360 import Parameters, simulate
from studies.evidence.sensitivity import Headline, Margins

CONCLUSIONS = {
    "schedule_gains": "The new schedule takes a tenth or more from typical responses",
    "gain_is_in_the_long": "The median response gains less by the new schedule than the mean",
    "replacement_gains_nothing": "The new replacement gains 2 % of the response at most",
    "replacement_costs": "The new replacement costs 1 % of the response or more",
    "replacement_moves_frames": "The new replacement moves 3 % of the sharable frames or more",
    "purges_what_is_used": "Sharable reclaims double under the new replacement, or more",
    "full_storage_makes_wait": "Tasks wait as storage fills: N_e goes with P_eav at -0.3 or less",
    "private_reclaims_fall": "Private reclaims fall as N_d grows: they go with it at -0.3 or less",
}
HEADLINE = Headline("schedule_gains", 0.1, "response time saved by the new schedule")
MOVES = {  # in words: the moves with which a conclusion fails
    "lower_threshold": "free-frame threshold\n5 or 8, not 6",
    "estimate_threshold": "estimate's threshold\n6 or 24, not 10",
    "upper_threshold": "upper threshold\n9 or 12, not 10",
}
SETTLE_S, MEASURED_S = 1800.0, 3600.0  # a third and two thirds of an afternoon of the notebook


def parameters():
    """Return the fitted machine, with a shorter afternoon."""
    return Parameters(settle_s=SETTLE_S, measured_s=MEASURED_S)


def observe(parameters, seed):
    """Return by how much each conclusion holds in one afternoon, with one load in all cells."""
    old = simulate(parameters, seed)
    schedule = simulate(parameters.replace(schedule="new"), seed)
    replacement = simulate(parameters.replace(replacement="new"), seed)
    by_schedule, by_replacement = schedule.R / old.R, replacement.R / old.R
    r = old.minutes()[["P_eav", "N_e", "N_d", "r_p"]].corr()
    return Margins(
        schedule_gains=0.9 - by_schedule,
        gain_is_in_the_long=_median_response(schedule) / _median_response(old) - by_schedule,
        replacement_gains_nothing=by_replacement - 0.98,
        replacement_costs=by_replacement - 1.01,
        replacement_moves_frames=0.97 - replacement.P_s / old.P_s,
        purges_what_is_used=1.0 - 2.0 * old.r_s / replacement.r_s,
        full_storage_makes_wait=-0.3 - r.loc["P_eav", "N_e"],
        private_reclaims_fall=-0.3 - r.loc["N_d", "r_p"],
    )


def _median_response(result):
    """Return the median response of typical transactions, s."""
    log = result.transaction_log()
    return log.loc[log["typical"], "response_s"].median()
