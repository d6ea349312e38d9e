"""Random streams."""

import zlib

import numpy as np
import pytest

from perfkit.des.draws import stream


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 2**70 + 5, 2**128, 2**200 - 3])
@pytest.mark.parametrize("index", [(), (0,), (3, 2**32), (2**100, 1, 0)])
def test_a_streams_draws_are_those_of_numpys_own_seed(seed, index):
    key = (zlib.crc32(b"think"), *index)
    numpys = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
    assert np.array_equal(stream(seed, "think", *index).random(8), numpys.random(8))


def test_streams_differ_by_seed_purpose_or_index_and_in_nothing_else():
    keys = [(7, "think"), (8, "think"), (7, "demand"), (7, "think", 0), (7, "think", 1)]
    first = {stream(*key).random() for key in keys}
    assert len(first) == len(keys)
    think, demand = stream(7, "think"), stream(7, "demand")
    demand.random(1000)
    late = think.random(50)
    stream(7, "demand")
    assert np.array_equal(stream(7, "think").random(50), late)


def test_streams_of_one_seed_are_uncorrelated():
    """Each of six correlations of 20 000 pairs stays within 4.5 / sqrt(20 000).

    For independent streams this fails at one seed in about 25 000; the seed is fixed.
    """
    draws = np.array([stream(5, p).random(20_000) for p in ("think", "cpu", "disc", "route")])
    correlations = np.corrcoef(draws)[np.triu_indices(4, 1)]
    assert np.abs(correlations).max() < 4.5 / np.sqrt(20_000)
