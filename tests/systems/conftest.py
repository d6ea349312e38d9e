"""What tests of several systems set up alike."""

import numpy as np
import pytest

from perfkit.systems.tss360 import load


@pytest.fixture
def no_accesses(monkeypatch):
    """TSS/360 without accesses to data sets, which no parameter switches off."""
    tables = load.demand_tables
    none = np.zeros_like(load.CELLS)
    monkeypatch.setattr(load, "demand_tables", lambda p: tables(p)._replace(cells=none))
