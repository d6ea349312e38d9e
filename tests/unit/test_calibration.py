"""The search finds what is known, keeps its bounds, and every calibrated field is free in it."""

import numpy as np
import pytest

from perfkit.calibration import Free, calibrate
from perfkit.studies import STUDIES

FREE = (Free("a", 0.0, 10.0), Free("b", -1.0, 1.0))


def test_a_known_minimum_is_found():
    x = np.linspace(0.0, 1.0, 20)
    wanted = 3.0 * x + 0.25

    def residuals(values):
        return values["a"] * x + values["b"] - wanted

    fit = calibrate(residuals, FREE, {"a": 8.0, "b": -0.5}, rounds=50, progress=False)
    assert fit.values == pytest.approx({"a": 3.0, "b": 0.25}, abs=1e-3)
    assert fit.cost < 1e-6 < fit.start_cost


def test_a_minimum_beyond_a_bound_ends_at_the_bound_and_says_so():
    fit = calibrate(
        lambda v: np.array([v["a"] - 12.0, v["b"]]),
        FREE,
        {"a": 5.0, "b": 0.5},
        rounds=50,
        progress=False,
    )
    frame = fit.frame().set_index("name")
    assert frame.loc["a", "at_bound"] and not frame.loc["b", "at_bound"]
    assert 9.8 < fit.values["a"] <= 10.0


def test_a_start_outside_the_bounds_is_refused():
    with pytest.raises(ValueError, match=r"b must start from -1\.0 to 1\.0; 2 does not"):
        calibrate(lambda v: np.zeros(1), FREE, {"a": 1, "b": 2}, progress=False)


@pytest.mark.parametrize("key", STUDIES)
def test_every_calibrated_parameter_is_free_or_an_alternative(key):
    parts, parameters = STUDIES[key].calibration(), STUDIES[key].system().Parameters()
    provenance = parameters.provenance()
    calibrated = set(provenance.index[provenance["status"] == "calibrated"])
    reached = set(parts.changes_of(parts.free_values(parameters)))
    choices = {name for choice in parts.ALTERNATIVES for name in choice}
    assert reached <= calibrated <= reached | choices
    assert set(provenance.loc[sorted(choices), "status"]) <= {"calibrated", "assumed"}
    assert parameters.calibrated_on in provenance.loc[sorted(calibrated)[0], "source"]


@pytest.mark.parametrize("key", STUDIES)
def test_the_free_numbers_of_the_defaults_are_the_defaults(key):
    parts, parameters = STUDIES[key].calibration(), STUDIES[key].system().Parameters()
    again = parameters.replace(**parts.changes_of(parts.free_values(parameters)))
    assert again == parameters
