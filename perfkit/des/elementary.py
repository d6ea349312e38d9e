"""Elementary functions that give the same bits on every processor.

NumPy and the C library choose their routines by processor, and these differ in the last bit; a
simulator makes another day of it. The functions here take IEEE additions, subtractions,
multiplications, divisions and square roots alone, in a fixed order, which are exact to the bit
everywhere. Simulators use them wherever a run depends on the result: a formula that is the same
in mathematics, such as one with its terms in another order, is another run.

Coefficients of ``exp``, ``log`` and ``cosine`` are those of FDLIBM (Sun Microsystems, 1993), of
``normal_quantile`` those of Wichura, Applied Statistics 37 (1988), AS 241. ``exp``, ``log`` and
``cosine`` err by less than one unit in the last place.
"""

import math

import numpy as np
from numba.extending import register_jitable

from perfkit.des.compiling import kernel

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
PER_LN2 = 1.44269504088896338700
TURN, HALF_LOG_TURN = 6.283185307179586, 0.9189385332046728
MANTISSA, MANTISSA_BITS, EXPONENT_BIAS = (1 << 52) - 1, 52, 1023

MIDDLE, NEAR, FAR = 0.425, 1.6, 5.0
SMALLEST_TAIL = 2.0**-54
NUMERATORS = (
    (
        2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
        4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
        1.3314166789178437745e2, 3.3871328727963666080e0,
    ),
    (
        7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
        1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
        4.63033784615654529590e0, 1.42343711074968357734e0,
    ),
    (
        2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
        2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
        5.46378491116411436990e0, 6.65790464350110377720e0,
    ),
)  # fmt: skip
DENOMINATORS = (
    (
        5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
        2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
        4.2313330701600911252e1, 1.0,
    ),
    (
        1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
        1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
        2.05319162663775882187e0, 1.0,
    ),
    (
        2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
        7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
        5.99832206555887937690e-1, 1.0,
    ),
)  # fmt: skip
FEW, UNSEEN, NEAR_1 = 200.0, 2.0**-60, 1.0 - 2.0**-10


@kernel
def log(x):
    """Return the natural logarithm of a number of 2.3e-308 to 1.7e308, or of 0."""
    if x == 0.0:
        return -np.inf
    bits = np.float64(x).view(np.int64)
    exponent = (bits >> MANTISSA_BITS) - EXPONENT_BIAS
    part = np.int64((bits & MANTISSA) | (EXPONENT_BIAS << MANTISSA_BITS)).view(np.float64)
    if part > math.sqrt(2.0):
        part, exponent = 0.5 * part, exponent + 1
    f = part - 1.0
    s = f / (2.0 + f)
    z = s * s
    series = 1.818357216161805012e-01 + z * (
        1.531383769920937332e-01 + z * 1.479819860510658591e-01
    )
    series = 2.857142874366239149e-01 + z * (2.222219843214978396e-01 + z * series)
    series = z * (6.666666666666735130e-01 + z * (3.999999999940941908e-01 + z * series))
    half = 0.5 * f * f
    return exponent * LN2_HIGH - ((half - (s * (half + series) + exponent * LN2_LOW)) - f)


@kernel
def exp(x):
    """Return e to the power of a number; infinite above 709, 0 below -708."""
    if x > 709.0:
        return np.inf
    if x < -708.0:
        return 0.0
    n = np.floor(x * PER_LN2 + 0.5)
    high, low = x - n * LN2_HIGH, n * LN2_LOW
    r = high - low
    t = r * r
    series = -1.65339022054652515390e-06 + t * 4.13813679705723846039e-08
    series = -2.77777777770155933842e-03 + t * (6.61375632143793436117e-05 + t * series)
    c = r - t * (1.66666666666666019037e-01 + t * series)
    scale = np.int64((np.int64(n) + EXPONENT_BIAS) << MANTISSA_BITS).view(np.float64)
    return scale * (1.0 - ((low - r * c / (2.0 - c)) - high))


@kernel
def log1p(x):
    """Return log(1 + x) for x above -1, to some units in the last place also where x is small."""
    u = 1.0 + x
    return x if u == 1.0 else log(u) * (x / (u - 1.0))


@kernel
def power(x, y):
    """Return x to the power of y for x above 0, or of 0 for y above 0.

    It errs by at most ``2 + 2 * abs(y log x)`` units in the last place.
    """
    return exp(y * log(x))


@kernel
def cosine(turns):
    """Return the cosine of an angle that is given in turns."""
    turns = abs(turns - np.floor(turns + 0.5))
    sign = 1.0
    if turns > 0.25:
        turns, sign = 0.5 - turns, -1.0
    x = TURN * min(turns, 0.25 - turns)
    z = x * x
    if turns > 0.125:
        series = 2.75573137070700676789e-06 + z * (
            -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
        )
        series = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * series)
        return sign * (x + x * z * (-1.66666666666666324348e-01 + z * series))
    series = -2.75573143513906633035e-07 + z * (
        2.08757232129817482790e-09 - z * 1.13596475577881948265e-11
    )
    series = -1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * series)
    return sign * (1.0 - (0.5 * z - z * z * (4.16666666666666019037e-02 + z * series)))


@kernel
def normal_quantile(u):
    """Return the standard normal's quantile at a probability.

    Those nearer to 0 or 1 than 2**-54 count as if they were as near.
    """
    q = u - 0.5
    if abs(q) <= MIDDLE:
        return q * _ratio(0, MIDDLE * MIDDLE - q * q)
    r = math.sqrt(-log(max(min(u, 1.0 - u), SMALLEST_TAIL)))
    distance = _ratio(1, r - NEAR) if r <= FAR else _ratio(2, r - FAR)
    return distance if q > 0.0 else -distance


@kernel
def _ratio(row, x):
    """Return a ratio of two polynomials of AS 241."""
    above = below = 0.0
    for i in range(8):
        above = above * x + NUMERATORS[row][i]
        below = below * x + DENOMINATORS[row][i]
    return above / below


@kernel
def _beyond_stirling(count):
    """Return log(count!) - count log(count) + count, for a count that is not small."""
    inverse = 1.0 / (count * count)
    series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse / 1260.0)) / count
    return HALF_LOG_TURN + 0.5 * log(count) + series


@kernel
def poisson_start(mean):
    """Return the count from which probabilities are summed, and its own."""
    if mean <= FEW:
        return 0.0, exp(-mean)
    count = np.floor(mean - 10.0 * math.sqrt(mean))
    return count, exp(count * log(mean / count) + count - mean - _beyond_stirling(count))


@kernel
def poisson_quantile(u, mean):
    """Return the least count whose probability of not being exceeded is above ``u``.

    It sums the probabilities of the counts from 0 or, where the mean is large, from ten standard
    deviations below it, near 1 from above. A ValueError refuses a mean that can't be.
    """
    if not 0.0 <= mean < np.inf:
        raise ValueError("The mean of a Poisson count must be finite and 0 or more.")
    count, share = poisson_start(mean)
    return poisson_count(u, mean, count, share)


@kernel
def poisson_count(u, mean, count, share):
    """Return ``poisson_quantile`` from what ``poisson_start`` returns for the mean."""
    if u == 0.0:
        return 0.0
    total = share
    while u >= total and (count < mean or share > UNSEEN):
        count += 1.0
        share *= mean / count
        total += share
    if u <= NEAR_1 or mean == 0.0:
        return count
    # Near to 1 a sum from below has lost the last bits: sum from above, where shares are 0.
    while share > UNSEEN * UNSEEN:
        count += 1.0
        share *= mean / count
    beyond = 0.0
    while count > 0.0 and beyond + share < 1.0 - u:
        beyond += share
        share *= count / mean
        count -= 1.0
    return count


LOG, EXP, COSINE, POWER, NORMAL_QUANTILE, POISSON_QUANTILE = range(6)


@kernel
def _apply_all(function, firsts, seconds):
    """Put a function's values in place of its first arguments; those of one have no second."""
    for i in range(firsts.size):
        if function == LOG:
            firsts[i] = log(firsts[i])
        elif function == EXP:
            firsts[i] = exp(firsts[i])
        elif function == COSINE:
            firsts[i] = cosine(firsts[i])
        elif function == POWER:
            firsts[i] = power(firsts[i], seconds[i])
        elif function == NORMAL_QUANTILE:
            firsts[i] = normal_quantile(firsts[i])
        else:
            firsts[i] = poisson_quantile(firsts[i], seconds[i])


def _each(function):
    """Return a function of numbers or arrays, broadcast."""

    def apply(first, *others):
        if others:  # to broadcast one alone takes as long as a short array's values
            first, *others = np.broadcast_arrays(first, *others)
        values = np.array(first, float, order="C")  # a copy that a flat view can be had of
        flat = values.reshape(-1)
        seconds = np.ascontiguousarray(others[0], float).reshape(-1) if others else flat
        _apply_all(function, flat, seconds)
        return values[()]

    return apply


each_log, each_exp, each_cosine = map(_each, (LOG, EXP, COSINE))
each_power, each_normal_quantile = map(_each, (POWER, NORMAL_QUANTILE))
each_poisson_quantile = _each(POISSON_QUANTILE)


@kernel
def interpolate(x, at, values):
    """Return the straight lines between points: ``numpy.interp``, which rounds by processor.

    Beyond the ends of ``at``, which has two points or more, must not fall, and must rise first,
    ``x`` is taken as the nearer end.
    """
    x = min(max(x, at[0]), at[-1])
    right = max(np.searchsorted(at, x), 1)
    slope = (values[right] - values[right - 1]) / (at[right] - at[right - 1])
    return values[right - 1] + slope * (x - at[right - 1])


@register_jitable
def evenly(first, last, count):
    """Return so many numbers in even steps between two, as NumPy's ``linspace``.

    Examples
    --------
    >>> evenly(0.0, 1.0, 3).tolist()
    [0.0, 0.5, 1.0]
    """
    numbers = np.full(count, first)
    step = (last - first) / max(count - 1, 1)
    for n in range(1, count):
        numbers[n] = n * step + first
    if count > 1:
        numbers[-1] = last
    return numbers


@register_jitable
def slope(values, at):
    """Return the slope of a curve at each of its points, two or more, as NumPy's ``gradient``.

    Examples
    --------
    >>> slope(np.array([0.0, 1.0, 4.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [1.0, 2.0, 3.0]
    """
    slopes, last = np.zeros(values.size), values.size - 1
    even = True
    for n in range(1, last):
        even &= at[n + 1] - at[n] == at[1] - at[0]
    for n in range(1, last):
        before, after = at[n] - at[n - 1], at[n + 1] - at[n]
        if even:
            slopes[n] = (values[n + 1] - values[n - 1]) / (2.0 * (at[1] - at[0]))
            continue
        a, c = -after / (before * (before + after)), before / (after * (before + after))
        b = (after - before) / (before * after)
        slopes[n] = a * values[n - 1] + b * values[n] + c * values[n + 1]
    slopes[0] = (values[1] - values[0]) / (at[1] - at[0])
    slopes[last] = (values[last] - values[last - 1]) / (at[last] - at[last - 1])
    return slopes
