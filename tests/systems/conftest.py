"""What tests of several systems set up alike."""

import numpy as np
import pytest

from perfkit.systems.tss360 import load


@pytest.fixture
def no_accesses(monkeypatch):
    """TSS/360 without accesses to data sets, which no parameter switches off."""
    none = np.zeros((len(load.CLASSES),) * 2)
    none[0, 0] = 1.0
    monkeypatch.setattr(load, "TABLE_3", none)
