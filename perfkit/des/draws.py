"""Random streams, one for each purpose: NumPy's PCG64, bit for bit, drawn inside kernels.

Streams are spawned from the run's seed by name, so that two variants of a system that share a seed
see the same load (common random numbers). Exponential and normal numbers are drawn by inversion,
one uniform number each, with ``elementary``'s functions: the same bits on every processor.
"""

import zlib

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from perfkit.core.values import check_whole
from perfkit.des.compiling import COMPILED, assembly, kernel
from perfkit.des.elementary import log, normal_quantile
from perfkit.des.records import records

# A generator's state and step, 128 bits each, and the half of a word that is still to be used.
STREAM = np.dtype(
    [*((name, "u8") for name in ("high", "low", "step_high", "step_low", "half")), ("halves", "i8")]
)
HALF_BITS, HALF = np.uint64(32), np.uint64(2**32 - 1)
ONE, KEPT_BITS, ROTATION_BITS = np.uint64(1), np.uint64(63), np.uint64(58)
WORD_BITS = np.uint64(64)
FRACTION_BITS, FRACTION = np.uint64(11), 2.0**-53
MARGIN = 1e-12  # of a bound: more than the logarithm errs by
FACTOR = 0x2360ED051FC65DA44385DF649FCCF645  # PCG64's, of 128 bits
# NumPy's SeedSequence: the words of its pool, and the factors by which it hashes and mixes.
POOL, WORDS = 4, 8
HASH_IN, HASH_IN_STEP, HASH_OUT, HASH_OUT_STEP, MIX_LEFT, MIX_RIGHT = map(
    np.uint64, (0x43B0D7E5, 0x931E8875, 0x8B51F9DD, 0x58F38DED, 0xCA01F9DD, 0x4973F715)
)
MIX_BITS = np.uint64(16)


@kernel
def _join(low, high):
    """Return a word of two halves, carries above them cut off."""
    return low & HALF | (high & HALF) << HALF_BITS


def _next_state(high, low, step_high, step_low):
    """Return a stream's next state, two words: times the factor, plus its step."""
    step = int(step_high) << 64 | int(step_low)
    state = (int(high) << 64 | int(low)) * FACTOR + step
    return np.uint64(state >> 64 & 2**64 - 1), np.uint64(state & 2**64 - 1)


if COMPILED:

    @intrinsic
    def _next_state(_context, high, low, step_high, step_low):
        word, wide = ir.IntType(64), ir.IntType(128)

        def generate(context, builder, signature, words):
            high, low, step_high, step_low = (builder.zext(one, wide) for one in words)
            state = builder.or_(builder.shl(high, wide(64)), low)
            step = builder.or_(builder.shl(step_high, wide(64)), step_low)
            state = builder.add(builder.mul(state, wide(FACTOR)), step)
            parts = builder.trunc(builder.lshr(state, wide(64)), word), builder.trunc(state, word)
            return context.make_tuple(builder, signature.return_type, parts)

        return types.UniTuple(types.uint64, 2)(*[types.uint64] * 4), generate


@kernel
def _step(s):
    """Move a stream's state on."""
    s.high, s.low = _next_state(s.high, s.low, s.step_high, s.step_low)


@kernel
def _next_word(s):
    """Return a stream's next 64 bits."""
    _step(s)
    turn, mixed = s.high >> ROTATION_BITS, s.high ^ s.low
    return mixed >> turn | mixed << (WORD_BITS - turn & KEPT_BITS)


@kernel
def _next_half(s):
    """Return a stream's next 32 bits: of a word the lower half first, the other one later."""
    if s.halves:
        s.halves = 0
        return s.half
    word = _next_word(s)
    s.half, s.halves = word >> HALF_BITS, 1
    return word & HALF


@kernel
def uniform(s):
    """Return a stream's next number of 0 to below 1 (modifies the stream in place)."""
    return (_next_word(s) >> FRACTION_BITS) * FRACTION


@kernel
def exponential(s):
    """Return a stream's next exponential number of mean 1."""
    return -log(1.0 - uniform(s))  # of 1 less the draw: a draw may be 0, never 1


@kernel
def exponential_is_less(s, x):
    """Return whether a stream's next exponential number of mean 1 is less than a number.

    The number lies between u and u / (1 - u), which mostly spares its logarithm.
    """
    u = uniform(s)
    if u >= x * (1.0 + MARGIN):
        return False
    return u < x * (1.0 - u) * (1.0 - MARGIN) or -log(1.0 - u) < x


@kernel
def normal(s):
    """Return a stream's next normal number of mean 0 and standard deviation 1."""
    return normal_quantile(uniform(s))


@kernel
def whole(s, count):
    """Return a stream's next whole number from 0 to below a count, at most 2^32 - 1."""
    if count == 1:
        return 0
    n = np.uint64(count)
    scaled = _next_half(s) * n
    if scaled & HALF < n:
        least = (HALF + ONE - n) % n
        while scaled & HALF < least:
            scaled = _next_half(s) * n
    return np.int64(scaled >> HALF_BITS)


@kernel
def _shuffle(s, numbers):
    """Shuffle an array as NumPy's ``permutation`` does (modifies both in place)."""
    mask = ONE
    while mask < np.uint64(len(numbers)):
        mask <<= ONE
    mask -= ONE
    for i in range(len(numbers) - 1, 0, -1):
        while mask >> ONE >= np.uint64(i):
            mask >>= ONE
        j = _next_half(s) & mask
        while j > np.uint64(i):
            j = _next_half(s) & mask
        numbers[i], numbers[np.int64(j)] = numbers[np.int64(j)], numbers[i]


@kernel
def _fill(s, numbers):
    for i in range(numbers.size):
        numbers[i] = uniform(s)


@kernel
def _hashed(word, factor, step):
    """Return a word hashed by a factor, and the next word's factor."""
    after = factor * step & HALF
    word = (word ^ factor) * after & HALF
    return word ^ word >> MIX_BITS, after


@kernel
def _seed_streams(key, pool, words, streams):
    """Seed streams as NumPy does with a key and those that follow (modifies all in place)."""
    for n in range(streams.size):
        factor = HASH_IN
        for i in range(POOL):
            pool[i], factor = _hashed(key[i], factor, HASH_IN_STEP)
        for i in range(key.size):
            for j in range(POOL):
                if i != j:
                    word, factor = _hashed(pool[i] if i < POOL else key[i], factor, HASH_IN_STEP)
                    mixed = (MIX_LEFT * pool[j] & HALF) + (HALF + ONE) - (MIX_RIGHT * word & HALF)
                    mixed &= HALF
                    pool[j] = mixed ^ mixed >> MIX_BITS
        factor = HASH_OUT
        for i in range(WORDS):
            words[i], factor = _hashed(pool[i % POOL], factor, HASH_OUT_STEP)
        _begin(streams[n], words)
        key[-1] += ONE


@kernel
def _begin(s, words):
    """Set a stream to its beginning: words for the state, then for the step, each high, low."""
    s.step_low = _join(words[6] << ONE | ONE, words[7] << ONE | words[6] >> HALF_BITS - ONE)
    s.step_high = _join(
        words[4] << ONE | words[7] >> HALF_BITS - ONE, words[5] << ONE | words[4] >> HALF_BITS - ONE
    )
    q_0 = words[2] + (s.step_low & HALF)
    q_1 = words[3] + (s.step_low >> HALF_BITS) + (q_0 >> HALF_BITS)
    q_2 = words[0] + (s.step_high & HALF) + (q_1 >> HALF_BITS)
    q_3 = words[1] + (s.step_high >> HALF_BITS) + (q_2 >> HALF_BITS)
    s.low, s.high = _join(q_0, q_1), _join(q_2, q_3)
    _step(s)
    s.halves = 0


def _words(number):
    """Return a whole number as words of 32 bits, the lowest first."""
    return [number >> at & 2**32 - 1 for at in range(0, max(number.bit_length(), 1), 32)]


def stream(seed, purpose, *index):
    """Return the stream that serves one purpose of one run, a record of dtype STREAM.

    Parameters
    ----------
    seed : int
        The run's seed, not negative.
    purpose : str
        What it is drawn for: "think", "demand", ...
    *index : int
        Further numbers, such as the process that draws.

    Raises
    ------
    ValueError
        If the seed is not a whole number of 0 or more.

    Examples
    --------
    >>> uniform(stream(0, "think")) == uniform(stream(0, "demand"))
    False
    >>> one = stream(0, "think", 3)
    >>> [whole(one, 100) for _ in range(4)]
    [52, 83, 58, 63]
    """
    return _streams(seed, 1, purpose, *index)[0]


def streams(seed, purpose, count, *index):
    """Return ``stream(seed, purpose, *index, n)`` for each n from 0 to ``count`` - 1.

    Examples
    --------
    >>> [whole(one, 100) for one in streams(0, "think", 4)][3]
    52
    """
    return _streams(seed, count, purpose, *index, 0)


def _streams(seed, count, purpose, *index):
    return seeded(stream_key(seed, purpose, *index), count).view(np.recarray)


def stream_key(seed, purpose, *index):
    """Return what ``seeded`` seeds a stream with, words of 32 bits, the last of the last number."""
    check_whole("seed", seed, 0)
    key = _words(int(seed))
    key += [0] * (POOL - len(key))
    for number in (zlib.crc32(purpose.encode()), *map(int, index)):
        key += _words(number)
    return np.array(key, np.uint64)


@assembly
def seeded(key, count):
    """Return streams (dtype STREAM) of a key and those that follow it (modifies the key)."""
    made = records(count, STREAM)
    _seed_streams(key, np.zeros(POOL, np.uint64), np.zeros(WORDS, np.uint64), made)
    return made


@register_jitable
def permutation(s, count):
    """Return the whole numbers below a count in an order that a stream draws.

    Examples
    --------
    >>> permutation(stream(0, "file"), 5).tolist()
    [4, 3, 1, 2, 0]
    """
    numbers = np.arange(count)
    _shuffle(s, numbers)
    return numbers


def uniforms(s, *shape):
    """Return a stream's next numbers of 0 to below 1, an array of a shape.

    Examples
    --------
    >>> uniforms(stream(0, "think"), 2, 3).shape
    (2, 3)
    """
    numbers = np.empty(shape)
    _fill(s, numbers.reshape(-1))
    return numbers
