"""What each study's headline effect rests on, from its committed sensitivity and its fits.

A study's ``conclusions`` module names the effect (``HEADLINE``). It is given as the machine
stands, then over everything that was moved, one at a time: parameters that we assumed, those that
we fitted, and other fits as good as the standing one (``OTHER_FITS``, parameters by name).
"""

import pandas as pd

from perfkit import show
from studies import STUDIES
from studies.evidence.sensitivity import committed, moved_to

AS_FITTED, OPEN = "as fitted", "values we guessed"
FITTED, OTHER = "values we fitted", "other fits as good"
SIGNS = "yes", "not surely", "no", "none as fitted"


def rests(key):
    """Return a study's headline effect as fitted, and its range over whatever was moved.

    Indexed by what was moved: ``low`` and ``high``, in percent, of the means, the standing one
    among them; ``least`` and ``most``, the ends of their 95 % intervals; ``text``.
    """
    conclusions = STUDIES[key].conclusions()
    headline, own = conclusions.HEADLINE, conclusions.parameters()
    rows = pd.concat([committed(key), committed(key, fits=True)], ignore_index=True)
    rows = rows[rows["conclusion"] == headline.conclusion].assign(
        effect=lambda one: 100.0 * (one["margin"] + headline.held_to),
        apart=lambda one: 100.0 * one["half_width"],
        what=lambda one: [_what(own, name) for name in one["parameter"]],
    )
    own_rows = rows[rows["what"] == AS_FITTED]
    found = {AS_FITTED: _range(own_rows)}
    found[AS_FITTED]["text"] = show.pm(*own_rows[["effect", "apart"]].iloc[0])
    for what, moved in rows.drop(own_rows.index).groupby("what"):
        found[what] = _range(moved if what == OTHER else pd.concat([own_rows, moved]))
    return pd.DataFrame(found).T


def _what(own, name):
    """Return what it is that a row moved."""
    if name in ("", "fit"):
        return OTHER if name else AS_FITTED
    return FITTED if own.spec_of(name).metadata["status"] == "calibrated" else OPEN


def _range(rows):
    ends = rows.loc[rows["effect"].idxmin()], rows.loc[rows["effect"].idxmax()]
    texts = [
        f"{row['effect']:.0f} ({moved_to(row) if row.parameter else AS_FITTED})" for row in ends
    ]
    least, most = (rows["effect"] - rows["apart"]).min(), (rows["effect"] + rows["apart"]).max()
    found = {"low": ends[0]["effect"], "high": ends[1]["effect"], "least": least, "most": most}
    return found | {"text": " to ".join(dict.fromkeys(texts))}


def sign(found):
    """Return, as one of SIGNS, whether an effect keeps its sign at every move."""
    if (found["least"] > 0.0).all() or (found["most"] < 0.0).all():
        return SIGNS[0]
    if found.loc[AS_FITTED, "least"] < 0.0 < found.loc[AS_FITTED, "most"]:
        return SIGNS[3]
    return SIGNS[1] if (found["low"] * found["high"] > 0.0).all() else SIGNS[2]


def told(keys=tuple(STUDIES)):
    """Return the ranges as texts, a row for each study; see ``rests``."""
    rows = {}
    for key, found in zip(keys, map(rests, keys), strict=True):
        texts = found["text"].reindex([AS_FITTED, OPEN, FITTED, OTHER], fill_value="-")
        effect = {"effect (%)": STUDIES[key].conclusions().HEADLINE.effect}
        rows[key] = effect | dict(texts) | {"one sign": sign(found)}
    return pd.DataFrame(rows).T


def finding():
    """Return in sentences which effects keep their sign, and how widely the widest moves."""
    found = {key: rests(key) for key in STUDIES}
    firm, unsure, turned, none = (
        " and ".join(key for key in STUDIES if sign(found[key]) == word) or "none" for word in SIGNS
    )
    ends = {key: (one["low"].min(), one["high"].max()) for key, one in found.items()}
    widest, (low, high) = max(ends.items(), key=lambda one: one[1][1] - one[1][0])
    return (
        "We changed every value that we had to guess or to fit, one at a time. The sign of the"
        f" effect survives in {firm}. In {unsure} it survives only just: one change leaves it"
        f" within its own error of zero. In {turned} it does not survive; in {none} even our best"
        f" fit leaves it uncertain. In {widest} the effect goes from {low:.0f} to {high:.0f} %."
        " The runs are short, so the notebooks' own numbers differ a little."
    )
