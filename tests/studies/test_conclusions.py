"""The committed tables of what each conclusion hangs on are what the simulators give anew."""

import numpy as np
import pandas as pd
import pytest

from perfkit.sensitivity import committed
from perfkit.studies import STUDIES


@pytest.mark.parametrize("key", STUDIES)
def test_points_of_the_committed_table_come_out_anew(key):
    """The last point stands for all; each is of the same simulator, but for one parameter."""
    conclusions, frame = STUDIES[key].conclusions(), committed(key)
    own = conclusions.parameters()
    *_, (name, value) = frame[["parameter", "value"]].itertuples(index=False, name=None)
    rows = frame[(frame["parameter"] == name) & (frame["value"] == value)]
    p = own.replace(**{name: own.parse(name, value)})
    seeds = range(int(rows["repetitions"].iloc[0]))
    margins = pd.DataFrame([conclusions.observe(p, seed) for seed in seeds]).mean()
    assert set(rows["conclusion"]) == set(conclusions.CONCLUSIONS)
    np.testing.assert_allclose(rows["margin"], margins[rows["conclusion"]], rtol=1e-5, atol=1e-9)
