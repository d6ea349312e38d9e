"""Random streams, one for each purpose, and what was drawn from them beforehand.

Streams are spawned from the run's seed by name, so that two variants of a system
that share a seed see the same load (common random numbers).
"""

import zlib

import numpy as np

from perfkit.des.compiling import inlined
from perfkit.values import is_whole


def stream(seed, purpose, *index):
    """Return the generator that serves one purpose of one run.

    Parameters
    ----------
    seed : int
        The run's seed, not negative.
    purpose : str
        What it is drawn for: "think", "demand", ...
    *index : int
        Further numbers, such as the process that draws.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        If the seed is no whole number of 0 or more.
    """
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"seed must be a whole number of 0 or more; {seed!r} is not.")
    key = (zlib.crc32(purpose.encode()), *index)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


@inlined
def draw_exponential(m):
    """Return a machine's next exponential draw of mean 1, of those drawn beforehand."""
    value = m.exponentials[m.kernel.exponentials_used]
    m.kernel.exponentials_used += 1
    return value


@inlined
def draw_uniform(m):
    """Return a machine's next draw from 0 to 1, of those drawn beforehand."""
    value = m.uniforms[m.kernel.uniforms_used]
    m.kernel.uniforms_used += 1
    return value
