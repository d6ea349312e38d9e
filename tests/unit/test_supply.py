"""Draws made beforehand are a stream's, in its order, however they are refilled."""

from typing import NamedTuple

import numpy as np
import pytest

from perfkit.des import supply
from perfkit.des.compiling import kernel
from perfkit.des.draws import stream
from perfkit.des.records import fields, record


class Machine(NamedTuple):
    kernel: np.record
    settings: np.record
    draws: np.ndarray
    used: np.ndarray
    rows: np.ndarray
    rows_used: np.ndarray


@kernel
def draw(m):
    return supply.draw_uniform(m), supply.draw_exponential(m)


@kernel
def low(m):
    return supply.draws_run_low(m)


@pytest.mark.parametrize(("length", "margin"), [(10, 1), (10, 4), (64, 3)])
def test_draws_at_use_are_the_streams_own(length, margin):
    table = np.zeros((2, 8, 3))
    m = Machine(
        record(fields("rows_ended")),
        record(fields("draws_an_event")),
        np.zeros((2, length)),
        np.full(2, length),
        table,
        np.full(2, 8),
    )
    m.settings.draws_an_event = margin
    rows = [stream(1, "row", t) for t in range(2)]
    streams = [stream(1, "place"), stream(1, "gap")]
    supplied = supply.Supply(streams, rows=lambda t, out: rows[t].random(out=out))
    supplied.refill(m)
    places, gaps, taken = [], [], []
    for _ in range(200):
        if low(m):
            supplied.refill(m)
        place, gap = draw(m)
        places.append(place)
        gaps.append(gap)
        taken.append(table[1, m.rows_used[1]].copy())
        m.rows_used[1] += 1
        m.kernel.rows_ended = m.rows_used[1] == 8
    np.testing.assert_array_equal(places, stream(1, "place").random(200))
    np.testing.assert_array_equal(gaps, stream(1, "gap").standard_exponential(200))
    np.testing.assert_array_equal(taken, stream(1, "row", 1).random((200, 3)))
    np.testing.assert_array_equal(table[0], stream(1, "row", 0).random((8, 3)))
