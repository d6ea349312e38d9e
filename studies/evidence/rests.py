"""What each study's headline effect rests on, from its committed sensitivity and its fits.

A study's ``conclusions`` module names the effect (``HEADLINE``). It is given as the machine
stands, then over everything that was moved: what the paper leaves open (parameters that we
assumed), the numbers that we fitted, and other fits as good as the standing one
(``OTHER_FITS``, parameters by name).
"""

import pandas as pd

from perfkit import show
from studies import STUDIES
from studies.evidence.sensitivity import committed, moved_to

AS_FITTED, OPEN = "as fitted", "left open by the paper"
FITTED, OTHER = "fitted numbers", "other fits as good"


def rests(key):
    """Return a study's headline effect as fitted, and its range over whatever was moved.

    Indexed by what was moved: ``low`` and ``high`` (percent), and ``text``, which names the moves.
    As fitted, ``low`` and ``high`` are the ends of the 95 % interval.
    """
    conclusions = STUDIES[key].conclusions()
    headline, own = conclusions.HEADLINE, conclusions.parameters()
    rows = pd.concat([committed(key), committed(key, fits=True)], ignore_index=True)
    rows = rows[rows["conclusion"] == headline.conclusion].assign(
        effect=lambda one: 100.0 * (one["margin"] + headline.held_to),
        what=lambda one: [_what(own, name) for name in one["parameter"]],
    )
    found = {AS_FITTED: _as_fitted(rows[rows["what"] == AS_FITTED].iloc[0])}
    others = rows[rows["what"] != AS_FITTED].groupby("what")
    return pd.DataFrame(found | {what: _range(moved) for what, moved in others}).T


def _what(own, name):
    """Return what it is that a row moved."""
    if name in ("", "fit"):
        return OTHER if name else AS_FITTED
    return FITTED if own.spec_of(name).metadata["status"] == "calibrated" else OPEN


def _as_fitted(row):
    at, apart = row["effect"], 100.0 * row["half_width"]
    return {"low": at - apart, "high": at + apart, "text": show.pm(at, apart)}


def _range(moved):
    low, high = (moved.loc[pick] for pick in (moved["effect"].idxmin(), moved["effect"].idxmax()))
    ends = [f"{row['effect']:.0f} ({moved_to(row)})" for row in (low, high)]
    return {"low": low["effect"], "high": high["effect"], "text": " to ".join(dict.fromkeys(ends))}


def survives(found):
    """Return whether an effect has one sign, sure as it is, whatever was moved."""
    return bool((found["low"] > 0.0).all() or (found["high"] < 0.0).all())


def told(keys=tuple(STUDIES)):
    """Return the ranges as texts, a row for each study; see ``rests``."""
    rows = {}
    for key in keys:
        found = rests(key)
        texts = found["text"].reindex([AS_FITTED, OPEN, FITTED, OTHER], fill_value="-")
        effect = {"effect (%)": STUDIES[key].conclusions().HEADLINE.effect}
        rows[key] = effect | dict(texts) | {"one sign": "yes" if survives(found) else "no"}
    return pd.DataFrame(rows).T


def finding():
    """Return in a sentence how many effects keep their sign, and how widely they move."""
    found = {key: rests(key) for key in STUDIES}
    firm = [key for key in STUDIES if survives(found[key])]
    others = " and ".join(key for key in STUDIES if key not in firm)
    ends = {key: (one["low"].min(), one["high"].max()) for key, one in found.items()}
    widest, (low, high) = max(ends.items(), key=lambda one: one[1][1] - one[1][0])
    return (
        f"Of the {len(found)} headline effects {len(firm)} keep their sign whichever uncertain"
        f" number or rule we move. Those of {others} do not, and the papers do not print what their"
        f" sign depends on. The size of each depends on such rules: the effect of {widest} goes"
        f" from {low:.0f} to {high:.0f} %. Sessions are short here, so the notebooks' own numbers"
        " differ a little."
    )
