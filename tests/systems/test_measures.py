"""Every system says of each measure of a run what it is."""

import pytest

from perfkit.studies import STUDIES

SHORT = {
    "cp67": {"days": 1, "measured_s": 600.0},
    "emas": {"settle_s": 10.0, "measured_s": 60.0},
    "tss360": {"settle_s": 60.0, "measured_s": 120.0},
}


@pytest.mark.parametrize("key", STUDIES)
def test_every_measure_is_explained_in_a_line(key):
    system = STUDIES[key].system()
    result = system.simulate(system.Parameters(**SHORT.get(key, {})), seed=1)
    assert list(system.MEASURES) == list(result.measures())
    assert all(0 < len(text) <= 58 and not text.endswith(".") for text in system.MEASURES.values())


@pytest.mark.parametrize("key", STUDIES)
def test_a_result_shows_in_a_line_what_it_is(key):
    system = STUDIES[key].system()
    shown = repr(system.simulate(system.Parameters(**SHORT.get(key, {})), seed=1))
    assert shown.startswith("Result(seed=1, ")
    assert "\n" not in shown
    assert len(shown) < 500
