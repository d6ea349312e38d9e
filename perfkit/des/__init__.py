"""The compiled core of every simulator: alarms, draws, counters, lists and devices.

Nothing here knows of units, names, frames or files: kernels take numbers and
arrays, and each runs unchanged as plain Python when ``NUMBA_DISABLE_JIT=1``.
"""
