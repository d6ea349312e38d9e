"""What a reader would forecast without the simulator, from the fitted cells alone.

A study's ``nulls`` module has one ``Null`` per group of forecast cells, with its reason; each was
set before it was computed. A group whose nulls meet as many cells as the simulator does is no
evidence for the simulator, and is reported so.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from studies.evidence.scorecard import FORECAST


class Null(NamedTuple):
    """The forecast of one group: the scorecard's forecast rows of an item and a quantity.

    ``rule(known, asked)`` returns a number per row of ``asked``, the group's rows; ``known`` are
    the fitted rows of the quantity. Both have the study's factors as columns. ``why`` says why a
    reader would forecast so.
    """

    item: str
    quantity: str
    rule: Callable
    why: str


def with_nulls(card, nulls, factors=None):
    """Return a scorecard with its column ``null``; refuse a group or a null without the other.

    ``factors`` is a frame of what rules may use of a cell, with columns ``item`` and ``cell``.
    """
    card = card.assign(null=np.nan)
    wanted = card["kind"].isin(FORECAST)
    groups = {(null.item, null.quantity): null for null in nulls}
    there = set(card.loc[wanted, ["item", "quantity"]].itertuples(index=False, name=None))
    odd = sorted(there ^ set(groups))
    if odd:
        raise ValueError(f"The nulls and the forecast cells differ on {odd[0]}.")
    full = card if factors is None else card.merge(factors, "left", ["item", "cell"])
    full.index = card.index
    for (item, quantity), null in groups.items():
        of_it = card["quantity"] == quantity
        asked = wanted & of_it & (card["item"] == item)
        known = of_it & (card["kind"] == "fitted")
        card.loc[asked, "null"] = null.rule(full[known], full[asked])
    return card


def constant(number):
    """Return the rule that forecasts one number everywhere."""
    return lambda known, asked: np.full(len(asked), float(number))


def mean_of_fitted(known, asked):
    """Forecast the mean of the fitted cells."""
    return np.full(len(asked), known["published"].mean())


def log_linear(*factors, least=0.5):
    """Return the rule of a power law in some factors, by least squares through the fitted cells.

    Factors are columns of numbers above 0. A published number below ``least`` counts as that, for a
    zero has no logarithm.
    """

    def design(rows):
        logs = np.log(rows[list(factors)].to_numpy(float))
        return np.column_stack([np.ones(len(rows)), logs])

    def rule(known, asked):
        logs = np.log(known["published"].clip(lower=least).to_numpy(float))
        return np.exp(design(asked) @ np.linalg.lstsq(design(known), logs, rcond=None)[0])

    return rule


def registry(nulls):
    """Return a study's nulls as a table: the group, and why its forecast is what it is."""
    return pd.DataFrame([{"item": n.item, "quantity": n.quantity, "null": n.why} for n in nulls])
