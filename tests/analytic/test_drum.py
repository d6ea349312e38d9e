"""The drum's times by hand and against the papers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.analytic import drum
from perfkit.des.devices import Disc, transfer_end


@given(st.floats(0.001, 0.1), st.integers(1, 40), st.floats(0.001, 0.999))
def test_an_idle_drum_turns_to_any_sector_alike(revolution, sectors, part):
    """Over all sectors, from a moment within a sector, as the simulated device has it."""
    device = Disc(np.zeros(2), 1, sectors, revolution, 0.0, 0.0, 0.0)
    now = (7 + part) * revolution / sectors
    each = [transfer_end(device, now, target, 1) - now for target in range(sectors)]
    mean = np.mean(each) + (part - 0.5) * revolution / sectors
    assert drum.idle_service(revolution, sectors) == pytest.approx(mean)


def test_the_sim61_drum_pages_at_its_limit():
    limit = drum.greatest_rate(0.0172, 1)
    assert round(limit) == 58
    assert 2 * limit == pytest.approx(114, rel=0.02)
