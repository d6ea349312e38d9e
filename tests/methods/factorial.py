"""Factorial designs, for the tests of planned experiments."""

import numpy as np
import pandas as pd


def runs_of(factors, replicates=1, seed=None):
    """Return the runs of a full design, a block a replicate, each in a random order if asked."""
    once = pd.MultiIndex.from_product(list(factors.values())[::-1], names=list(factors)[::-1])
    once = once.to_frame(index=False)[list(factors)]
    rng = None if seed is None else np.random.default_rng(seed)
    orders = [
        rng.permutation(len(once)) if rng else np.arange(len(once)) for _ in range(replicates)
    ]
    design = pd.concat([once.iloc[order] for order in orders], ignore_index=True)
    return design.assign(block=np.repeat(np.arange(replicates) + 1, len(once)))
