"""The machine repairman by hand and against mean value analysis, which has other oracles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.analytic.mva import mva_curve
from perfkit.analytic.repairman import repairman, saturation_point

TIMES = st.floats(0.01, 100.0)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 60), TIMES, TIMES, st.integers(1, 6))
def test_it_is_mean_value_analysis_with_a_delay(users, think, service, repairmen):
    found = repairman(range(1, users + 1), think, service, repairmen)
    curve = mva_curve([service], users, think, repairmen)
    assert found.throughput == pytest.approx(curve.throughput, rel=1e-10)
    assert found.response_s == pytest.approx(curve.response_s, rel=1e-10)
    assert found.queue == pytest.approx(curve.queue[:, 0], rel=1e-10)
    assert found.utilization == pytest.approx(curve.utilization[:, 0], rel=1e-10)


def test_kleinrock_saturation():
    assert saturation_point(35.2, 0.88) == pytest.approx(41)
    assert saturation_point(9, 1, 2) == 20
    found = repairman([1000, 1001], 35.2, 0.88)
    assert np.diff(found.response_s) == pytest.approx(0.88)
    assert found.response_s == pytest.approx(found.users * 0.88 - 35.2)
