"""The committed tables of what each conclusion hangs on are what the simulators give anew."""

import numpy as np
import pandas as pd
import pytest

from studies import STUDIES
from studies.evidence.sensitivity import committed


@pytest.mark.parametrize("key", STUDIES)
def test_points_of_the_committed_table_come_out_anew(key):
    conclusions = STUDIES[key].conclusions()
    frame = committed(key)
    own = conclusions.parameters()
    points = [rows for _, rows in frame.groupby(["parameter", "value"], sort=False)]
    for rows in (points[0], points[-1]):
        name, value = rows.iloc[0][["parameter", "value"]]
        p = own.replace(**{name: own.parse(name, value)}) if name else own
        seeds = range(int(rows["repetitions"].iloc[0]))
        margins = pd.DataFrame([conclusions.observe(p, seed) for seed in seeds]).mean()
        assert set(rows["conclusion"]) == set(conclusions.CONCLUSIONS)
        np.testing.assert_allclose(
            rows["margin"], margins[rows["conclusion"]], rtol=1e-5, atol=1e-9
        )
