"""Fit a simulator's free parameters to the few published cells that a study names for it.

A study declares what is free and what the residuals are; the search is SciPy's least
squares on a unit cube. The load is the same at every point (common random numbers), but a
simulator's output still has small jumps, so slopes are taken over wide steps.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import least_squares
from tqdm.auto import tqdm

STEP = 0.05


@dataclass(frozen=True)
class Free:
    """A free number of the fit.

    Attributes
    ----------
    name : str
        As the study's ``parameters_of`` knows it.
    low, high : float
        What it may be.
    """

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class Fit:
    """What a calibration found.

    Attributes
    ----------
    values : dict
        The free numbers.
    cost, start_cost : float
        Half the sum of the softened squares, at the end and at the start.
    free : tuple of Free
    """

    values: dict
    cost: float
    start_cost: float
    free: tuple

    def frame(self):
        """Return the numbers with their bounds, and whether one lies at its bound.

        Returns
        -------
        pandas.DataFrame
        """
        rows = []
        for free in self.free:
            value, width = self.values[free.name], free.high - free.low
            near = min(value - free.low, free.high - value) < 0.02 * width
            rows.append((free.name, value, free.low, free.high, near))
        return pd.DataFrame(rows, columns=["name", "value", "low", "high", "at_bound"])


def calibrate(residuals, free, start, *, rounds=12, progress=True):
    """Find the values of the free numbers that make the residuals least.

    Parameters
    ----------
    residuals : callable
        Takes a dictionary of the free numbers and returns an array: (ours - published)
        over what counts as one unit of error.
    free : sequence of Free
    start : dict
        Where to begin.
    rounds : int
        Most steps of the least-squares search; each costs one run a free number and more.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Fit

    Raises
    ------
    ValueError
        If a start value lies outside its bounds.
    """
    low = np.array([number.low for number in free])
    width = np.array([number.high for number in free]) - low
    for number in free:
        if not number.low <= start[number.name] <= number.high:
            raise ValueError(
                f"{number.name} must start from {number.low} to {number.high};"
                f" {start[number.name]} does not."
            )
    bar = tqdm(unit="evaluation", disable=not progress, leave=False)

    def at(point):
        bar.update()
        values = low + np.clip(point, 0.0, 1.0) * width
        return residuals({number.name: v for number, v in zip(free, values.tolist(), strict=True)})

    begin = (np.array([start[number.name] for number in free]) - low) / width
    found = least_squares(
        at, begin, jac=_wide_slopes(at), bounds=(0.0, 1.0), loss="soft_l1", max_nfev=rounds
    )
    bar.close()
    values = low + found.x * width
    names = [number.name for number in free]
    return Fit(
        dict(zip(names, values.tolist(), strict=True)), found.cost, _soft(at(begin)), tuple(free)
    )


def _wide_slopes(at):
    """Return a function that gives the Jacobian by central differences over wide steps."""

    def slopes(point):
        columns = []
        for i in range(point.size):
            up, down = point.copy(), point.copy()
            up[i], down[i] = min(point[i] + STEP, 1.0), max(point[i] - STEP, 0.0)
            columns.append((at(up) - at(down)) / (up[i] - down[i]))
        return np.column_stack(columns)

    return slopes


def _soft(residuals):
    return float((np.sqrt(1.0 + residuals**2) - 1.0).sum())
