"""Random streams, one for each purpose.

Streams are spawned from the run's seed by name, so that two variants of a system
that share a seed see the same load (common random numbers).
"""

import zlib

import numpy as np

from perfkit.des.elementary import (
    each_log,
    each_normal_quantile,
    each_poisson_quantile,
    log1p,
)
from perfkit.values import is_whole


class Stream(np.random.Generator):
    """A NumPy generator whose draws have the same bits on every processor.

    Uniform and whole numbers, permutations and choices are NumPy's own, made of whole numbers.
    What NumPy draws through functions of the C library is drawn here by inversion, one uniform
    number a draw; every other way to draw is refused.
    """

    def standard_exponential(self, size=None):
        """Draw exponential numbers of mean 1."""
        return -each_log(1.0 - self.random(size))

    def exponential(self, scale=1.0, size=None):
        """Draw exponential numbers of mean ``scale``."""
        return scale * self.standard_exponential(size)

    def standard_normal(self, size=None):
        """Draw normal numbers of mean 0 and standard deviation 1."""
        return each_normal_quantile(self.random(size))

    def poisson(self, lam=1.0, size=None):
        """Draw Poisson counts of mean ``lam``, which may be an array."""
        uniforms = self.random(np.shape(lam) if size is None else size)
        return each_poisson_quantile(uniforms, lam).astype(np.int64)

    def geometric(self, p, size=None):
        """Draw how many tries it takes until one succeeds, each with probability ``p``."""
        tries = np.floor(each_log(1.0 - self.random(size)) / log1p(-p))
        return 1 + tries.astype(np.int64)


ALIKE = {"random", "integers", "permutation", "permuted", "shuffle", "choice", "bytes", "spawn"}


def _refused(name):
    def refuse(self, *_, **__):
        raise AttributeError(
            f"A stream does not draw '{name}', which differs from processor to processor; make"
            " it of random, standard_normal, exponential, poisson or geometric."
        )

    return refuse


for _name in vars(np.random.Generator).keys() - vars(Stream).keys() - ALIKE - {"bit_generator"}:
    if not _name.startswith("_"):
        setattr(Stream, _name, _refused(_name))


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
    """
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"seed must be a whole number of 0 or more; {seed!r} is not.")
    key = (zlib.crc32(purpose.encode()), *index)
    return Stream(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
