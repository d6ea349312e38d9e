"""The methods on the runs of a simulator that knows nothing of them."""

import numpy as np
import pytest
from factorial import runs_of

from perfkit.experiment import summarize, sweep
from perfkit.methods import designs, planned
from perfkit.systems import unix_v6

FACTORS = {"memory_clicks": (650, 1280), "processes": (6, 10)}


@pytest.fixture(scope="module")
def runs():
    design = runs_of(FACTORS).drop(columns="block")
    base = unix_v6.Parameters(process_clicks=314, interactions=20)
    return sweep(unix_v6.simulate, base, design, 3, jobs=1, progress=False)


def test_effects_of_a_planned_experiment_on_runs(runs):
    means = summarize(runs, list(FACTORS), "elapsed_s").reset_index()
    by_means = designs.effects_of_means(means[[*FACTORS, "elapsed_s"]], FACTORS).loc["elapsed_s"]
    found = planned.effects(runs, "elapsed_s", FACTORS, block="seed")
    np.testing.assert_allclose(found["effect"], by_means)
    # More memory helps, more processes do not, and memory helps more when there are many.
    assert found.loc["memory_clicks", "high"] < 0.0 < found.loc["processes", "low"]
    assert found.loc["memory_clicks:processes", "effect"] < 0.0
