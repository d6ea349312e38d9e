"""Whether a run's scorecards are the committed ones, cell by cell, each under a name to cite."""

import re

import pandas as pd

from perfkit.core.values import is_number
from perfkit.core.wording import nearest
from studies.evidence import kept_cards, published

MOST_TOLD = 10
HITS = {"True": "reproduces", "False": "does not reproduce", "absent": "absent"}
STATES = SAME, MOVED, LEFT_OUT = "same", "moved", "not compared"
SHOWN = ["kind", "published", "committed", "now", "verdict", "state", "moved"]


def compared(keys, where, quick=False):
    """Return each cell and claim of a run beside the committed one, under its name to cite.

    Numbers are compared as they are kept, to six digits; of a ``quick`` run only those that have
    no error of replication, for the others move with the number of runs.

    Returns
    -------
    pandas.DataFrame
        Texts, indexed by name: the kind, the ``published`` value, ours as ``committed`` and
        ``now``, the ``verdict`` on it now, its ``state`` and what ``moved``.
    """
    both = [pd.concat(_texts(key, card) for key in keys) for card in (kept_cards.COMMITTED, where)]
    names = both[0].index.union(both[1].index, sort=False)
    was, now = (cards.reindex(names, fill_value="absent") for cards in both)
    chosen = ~was["kind"].eq("claim") & was["half_width"].eq("nan") | (not quick)
    first = (was != now).idxmax(axis=1).where((was != now).any(axis=1) & chosen)
    frame = was[["kind", "published"]].assign(committed=was["ours"], now=now["ours"])
    frame["verdict"] = now["verdict"].mask(now["verdict"].eq(""), now["reproduced"].map(HITS))
    frame["state"] = chosen.map({True: SAME, False: LEFT_OUT}).mask(first.notna(), MOVED)
    frame["moved"] = ""
    for name, column in first.dropna().items():
        before, after = was.at[name, column], now.at[name, column]
        frame.loc[name, "moved"] = f"{column} was {before}, now {after}"
    return frame.rename_axis("row")[SHOWN]


def told(frame, most=MOST_TOLD):
    """Say in a sentence how many rows are as committed, which moved and how many are left out."""
    counts = frame["state"].value_counts()
    moved = frame.loc[frame["state"] == MOVED, "moved"]
    texts = [f"{name}: {text}" for name, text in moved.items()]
    texts = texts[:most] + [f"and {len(texts) - most} more"] * (len(texts) > most > 0)
    left_out = counts.get(LEFT_OUT, 0)
    said = f"{counts.get(SAME, 0)} of {len(frame) - left_out} cells and claims are the same as"
    said += " committed"
    said += f"; {left_out} are left out, which fewer runs move" if left_out else ""
    said += f"; {len(moved)} moved" if len(moved) else ""
    return said + (f": {'; '.join(texts)}." if texts else ".")


def tell(frame):
    """Print that sentence; a cell that moved is an error."""
    if (frame["state"] == MOVED).any():
        raise RuntimeError(told(frame))
    print(told(frame))


def committed(keys):
    """Return the committed scorecards under their rows' names."""
    return pd.concat(named(key, kept_cards.load(key, kept_cards.COMMITTED)) for key in keys)


def named(key, card):
    """Return a scorecard under its rows' names: ``sim61/table_3/2_drums/paging_ms``.

    A claim is ``sim61/claims/`` and its id, as in ``data/sim61/claims.csv``.
    """
    claims = published.claims(key)
    ids = dict(zip(claims["statement"], claims["id"], strict=True))
    names = [
        "/".join(filter(None, [key, _word(row.item).lower(), _word(row.cell), _word(row.quantity)]))
        if row.cell not in ids or row.kind != "claim"
        else f"{key}/claims/{ids[row.cell]}"
        for row in card.fillna({"quantity": ""}).itertuples()
    ]
    return card.set_axis(names)


def rows(frame, cited):
    """Return the rows of a frame that a name cites: ``tss360/table_6/R`` is R in all of Table 6.

    Parts of a name may be left out between its first and its last.
    """
    wanted = cited.strip("/").split("/")
    found = frame[[_in_order(wanted, name.split("/")) for name in frame.index]]
    if found.empty:
        hint = nearest(cited, list(frame.index)) or "; perfkit score KEY --details has them."
        raise ValueError(f"There is no row '{cited}' in the scorecards{hint}")
    return found


def _in_order(wanted, parts):
    left = iter(parts)
    return all(part in left for part in wanted) and parts[0] == wanted[0]


def _word(text):
    return re.sub(r"[^\w.]+", "_", text).strip("_")


def _texts(key, where):
    """Return a scorecard's rows as texts under their names, ``ours`` first."""
    card = named(key, kept_cards.load(key, where))
    card = card.map(lambda v: f"{v:.6g}" if is_number(v) else str(v))
    card.insert(0, "ours", card.pop("ours"))
    return card
