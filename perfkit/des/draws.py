"""Random streams, one for each purpose.

Streams are spawned from the run's seed by name, so that two variants of a system
that share a seed see the same load (common random numbers).
"""

import zlib

import numpy as np

from perfkit.core.values import is_whole
from perfkit.des.compiling import COMPILED, kernel
from perfkit.des.elementary import each_log, each_normal_quantile, each_poisson_quantile, log1p

WORD_BITS, WORD = 32, 2**32 - 1
# NumPy's SeedSequence: the words of its pool, and the factors by which it hashes and mixes.
POOL, STATE = 4, 4
HASH_IN, HASH_IN_STEP = 0x43B0D7E5, 0x931E8875
HASH_OUT, HASH_OUT_STEP = 0x8B51F9DD, 0x58F38DED
MIX_LEFT, MIX_RIGHT = 0xCA01F9DD, 0x4973F715


class Stream(np.random.Generator):
    """A NumPy generator whose draws have the same bits on every processor.

    Uniform and whole numbers, permutations and choices are NumPy's own, made of whole numbers.
    What NumPy draws through functions of the C library is drawn here by inversion, one uniform
    number per draw; every other way to draw is refused.
    """

    def standard_exponential(self, size=None):
        """Draw exponential numbers of mean 1."""
        # Of 1 less the draw: a draw may be 0, never 1.
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


ALIKE = {"random", "integers", "permutation", "permuted", "shuffle", "choice", "bytes"}


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


class Seed(np.random.bit_generator.ISeedSequence):
    """The words that NumPy's generator starts from, where they are known."""

    def __init__(self, words):
        self.words = words

    def generate_state(self, n_words, dtype=np.uint32):
        """Return the words, which are what PCG64 asks for."""
        return self.words


@kernel
def _hashed(word, factor, step):
    """Return a word hashed by a factor, and the next word's factor."""
    after = factor * step & WORD
    word = (word ^ factor) * after & WORD
    return word ^ word >> 16, after


@kernel
def _hash_keys(key, pool, states):
    """Hash a key as NumPy's SeedSequence does, and those after it (modifies all in place)."""
    for n in range(len(states)):
        factor = HASH_IN
        for i in range(POOL):
            pool[i], factor = _hashed(key[i], factor, HASH_IN_STEP)
        for i in range(key.size):
            for j in range(POOL):
                if i != j:
                    word, factor = _hashed(pool[i] if i < POOL else key[i], factor, HASH_IN_STEP)
                    mixed = MIX_LEFT * pool[j] - MIX_RIGHT * word & WORD
                    pool[j] = mixed ^ mixed >> 16
        factor = HASH_OUT
        for i in range(2 * STATE):
            word, factor = _hashed(pool[i % POOL], factor, HASH_OUT_STEP)
            states[n, i // 2] |= word << WORD_BITS * (i % 2)
        key[-1] += 1


def _words(number):
    """Return a whole number as words, the lowest first."""
    return [number >> at & WORD for at in range(0, max(number.bit_length(), 1), WORD_BITS)]


def _seeds(seed, *key, count):
    """Return NumPy's seeds of so many keys in a row; compiled, which is many times as fast."""
    if not COMPILED:
        keys = ((*key[:-1], key[-1] + n) for n in range(count))
        return [np.random.SeedSequence(seed, spawn_key=key) for key in keys]
    words = _words(seed)
    words += [0] * (POOL - len(words))
    for number in key:
        words += _words(number)
    states = np.zeros((count, STATE), np.int64)
    _hash_keys(np.array(words), np.zeros(POOL, np.int64), states)
    return map(Seed, states.view(np.uint64))


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

    Examples
    --------
    >>> float(stream(0, "think").random()) == float(stream(0, "demand").random())
    False
    >>> stream(0, "think", 3).integers(100, size=4).tolist()
    [52, 83, 58, 63]
    """
    (generator,) = _streams(seed, 1, purpose, *map(int, index))
    return generator


def streams(seed, purpose, count):
    """Return ``stream(seed, purpose, n)`` for each n from 0 to ``count`` - 1, in a list.

    Examples
    --------
    >>> [int(rng.integers(100)) for rng in streams(0, "think", 4)][3]
    52
    """
    return _streams(seed, count, purpose, 0)


def _streams(seed, count, purpose, *index):
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"seed must be a whole number of 0 or more; {seed!r} is not.")
    seeds = _seeds(int(seed), zlib.crc32(purpose.encode()), *index, count=count)
    return [Stream(np.random.PCG64(one)) for one in seeds]
