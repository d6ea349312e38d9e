"""The paper's testable statements on the planned experiment, against simulated ones."""

import numpy as np

from perfkit.methods import power
from studies.evidence.claims import Finding, above, below
from studies.tss360.experiments import slope
from studies.tss360.runs import COVARIATES

EFFECTS = {
    "scheduling_effect": ("schedule", "R", -1, "s"),
    "replacement_effect": ("replacement", "R", 1, "s"),
    "sharable_reduced": ("replacement", "P_s", -1, "page frames"),
    "sharable_thrash": ("replacement", "r_s", 1, "pages/s"),
    "available_increased": ("replacement", "P_a", 1, "page frames"),
    "swap_outs_reduced": ("replacement", "TSE_so", -1, "TSEs/s"),
}
DEPENDS = "; depends on estimate_threshold: see its other readings, 6 and 24"
SOURCES = {
    "scheduling_significant": ("schedule", True),
    "replacement_not_significant": ("replacement", False),
    "interaction_not_significant": ("schedule:replacement", False),
}


def made():
    """Return the tests that a few words define, by claim."""
    effects = {claim: _effect_test(*words) for claim, words in EFFECTS.items()}
    verdicts = {claim: _verdict_test(*words) for claim, words in SOURCES.items()}
    names = ("dispatchable_with_response", "eligible_with_response")
    return effects | verdicts | dict(zip(names, map(_correlation_test, COVARIATES), strict=True))


def _effect_test(term, variable, sign, unit):
    note = unit + (DEPENDS if term == "replacement" else "")

    def test(e):
        values = e.effects.loc[term, variable]
        return above(values, note=note) if sign > 0 else below(values, note=note)

    test.__doc__ = f"Effect of the {term} on {variable}, the same afternoons in all cells."
    return test


def _verdict_test(source, wanted):
    def test(e):
        """Share of simulated experiments of 36 periods with the paper's verdict."""
        if not len(e.experiments):
            return Finding(False, np.nan, np.nan, 0.5, "needs twelve afternoons or more a cell")
        p = e.p_values[source]
        found = power.rejection_share(p if wanted else 1.0 - p, 0.05 if wanted else 0.95)
        half_width = (found["high"] - found["low"]) / 2.0
        note = f"{len(p)} experiments"
        refuted = found["high"] <= 0.5
        return Finding(found["low"] > 0.5, found["share"], half_width, 0.5, note, "> 0.5", refuted)

    return test


def replacement_effect_slight(e):
    """Size of the schedule's effect on R less that of the replacement's."""
    mean = e.effects.groupby("term")["R"].mean()
    sign = np.sign(mean)
    lead = sign["schedule"] * e.effects.loc["schedule", "R"]
    return above(lead - sign["replacement"] * e.effects.loc["replacement", "R"], note="s")


def sharable_reclaims_against_frames(e):
    """Slope of r_s over P_s, periods of all cells."""
    values = [slope(day, "P_s", "r_s") for _, day in e.periods.groupby("day")]
    return below(values, note="pages/s a frame")


def _correlation_test(covariate):
    def test(e):
        values = [day[covariate].corr(day["R"]) for _, day in e.periods.groupby("day")]
        return above(np.array(values)[np.isfinite(values)])

    test.__doc__ = f"Correlation of {covariate} with R over periods."
    return test


def distributions_differ(e):
    """Share of responses up to the old median: new schedule less old, old replacement."""
    gains = []
    for old, new in zip(e.cells["old_old"], e.cells["new_old"], strict=True):
        logs = (result.transaction_log() for result in (old, new))
        before, after = (log.loc[log["typical"], "response_s"].to_numpy() for log in logs)
        gains.append((after <= np.median(before)).mean() - 0.5)
    return above(gains, note="cumulative share at the old median")
