"""A confidence or a level is a number between 0 and 1, in all methods."""

import numpy as np
import pandas as pd
import pytest

from perfkit.methods import (
    correlation,
    designs,
    evop,
    families,
    fits,
    planned,
    power,
    switching,
)

TWO = {"a": (0, 1), "b": (0, 1)}
RUNS = designs.factorial_design(TWO, 4).assign(
    R=np.random.default_rng(0).normal(size=16), N=np.random.default_rng(1).normal(size=16)
)
SWITCHED = switching.label(
    pd.DataFrame({"run": 0, "version": [0, 1] * 8, "x": RUNS["R"]}), batch=1, versions=2
)
TUNED = [evop.Adjustable("t", 5.0, 1.0, 0.0, 10.0)]
CYCLES = np.arange(6.0).reshape(2, 3) ** 2


@pytest.mark.parametrize("share", [95, 1, 0, -0.5, np.nan, "0.95", None, True])
@pytest.mark.parametrize(
    "call",
    [
        lambda share: correlation.correlations(RUNS[["R", "N"]], confidence=share),
        lambda share: correlation.correlation_interval(0.5, 10, share),
        lambda share: planned.effects(RUNS, "R", TWO, confidence=share),
        lambda share: planned.covariate_effects(RUNS, TWO, ["N"], confidence=share),
        lambda share: planned.adjusted_means(RUNS, "R", TWO, confidence=share),
        lambda share: planned.slopes(RUNS, "R", TWO, ["N"], confidence=share),
        lambda share: fits.fit_values(families.EXPONENTIAL, [1.0, 2.0, 3.0]).frame(share),
        lambda share: evop.effects(CYCLES, evop.corners(1), share),
        lambda share: evop.evolve(lambda s, c: s["t"], TUNED, 3, confidence=share),
        lambda share: designs.lenth_margin([1.0, 2.0, 3.0], share),
        lambda share: switching.compare(SWITCHED, "x", confidence=share),
        lambda share: switching.units_needed([1.0, 2.0], 1.0, confidence=share),
        lambda share: switching.units_needed([1.0, 2.0], 1.0, power=share),
        lambda share: power.f_power(1.0, 1, 10, share),
        lambda share: power.effect_power(1.0, 1.0, 16, 12, share),
        lambda share: power.effect_half_width(1.0, 16, 12, share),
        lambda share: power.detectable_effect(share, 1.0, 16, 12),
        lambda share: power.replicates_needed(1.0, 1.0, 4, power=share),
        lambda share: power.replicates_needed(1.0, 1.0, 4, level=share),
        lambda share: power.simulated_power(RUNS, TWO, {}, 1.0, level=share),
        lambda share: power.rejection_share([0.1], level=share),
        lambda share: power.rejection_share([0.1], confidence=share),
        lambda share: correlation.samples_for_significance(0.5, share),
    ],
)
def test_what_is_no_share_is_refused(call, share):
    with pytest.raises(ValueError, match=r"(confidence|level|power) must be between 0 and 1"):
        call(share)
