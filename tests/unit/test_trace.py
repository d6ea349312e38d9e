"""A trace has the room that a reader asks for; what is no number of records is refused."""

import numpy as np
import pytest

from perfkit.des.trace import MOST_RECORDS, new_trace
from perfkit.studies import STUDIES


@pytest.mark.parametrize("key", STUDIES)
@pytest.mark.parametrize("trace", [-1, 1.5, None, 10**13, 10**30, "3", True])
def test_every_system_refuses_an_impossible_trace_in_one_sentence(key, trace):
    message = rf"^trace must be a whole number of records from 0 to {MOST_RECORDS}; \S+ is not\.$"
    with pytest.raises(ValueError, match=message):
        STUDIES[key].system().simulate(trace=trace)


def test_a_trace_has_the_room_asked_for():
    assert new_trace(0).size == 0
    assert new_trace(np.int64(5)).size == 5
