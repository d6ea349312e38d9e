"""A trace written by hand, for the tests of the trace analysis programs."""

import numpy as np
import pytest

from perfkit.des.trace import EVENT
from perfkit.methods import tracing


@pytest.fixture(scope="session")
def by_hand():
    """Return a function that makes a trace of rows (ms, kind's name, process, value, detail).

    ``without`` names the kinds that its system has not; ``only`` those that it has.
    """

    def trace(*rows, without=(), only=tracing.EVENTS):
        kinds = {n: name for n, name in enumerate(only) if name not in without}
        number = {name: n for n, name in kinds.items()}
        records = np.zeros(len(rows), EVENT)
        for record, (time_ms, name, actor, *numbers) in zip(records, rows, strict=True):
            record["time_ms"], record["kind"], record["actor"] = time_ms, number[name], actor
            record["value"], record["detail"] = [*numbers, 0, 0][:2]
        return tracing.Trace(records, kinds)

    return trace
