"""Whether a run's scorecards are the committed ones, cell by cell."""

import pandas as pd

from perfkit.core.values import is_number
from studies.evidence import kept_cards

NAME, MOST_TOLD = ["item", "cell", "quantity"], 10


def compared(keys, where, quick=False):
    """Return in a sentence how many cells are as committed and which moved, and whether any did.

    Numbers are compared as they are kept, to six digits; of a ``quick`` run only those that have
    no error of replication, for the others move with the number of runs.
    """
    both = [pd.concat(_cells(key, card) for key in keys) for card in (kept_cards.COMMITTED, where)]
    names = both[0].index.union(both[1].index, sort=False)
    was, now = (cards.reindex(names, fill_value="absent") for cards in both)
    chosen = ~was["kind"].eq("claim") & was["half_width"].eq("nan") | (not quick)
    moved = (was != now)[chosen]
    columns = moved.idxmax(axis=1)[moved.any(axis=1)]
    texts = [
        f"{name}{'' if column == 'ours' else f' ({column})'}"
        f" was {was.at[name, column]}, now {now.at[name, column]}"
        for name, column in columns.items()
    ]
    more = [f"and {len(texts) - MOST_TOLD} more"] * (len(texts) > MOST_TOLD)
    told = f"{len(moved) - len(texts)} of {len(moved)} cells are the same as committed"
    told += f"; {sum(~chosen)} are left out, which fewer runs move" if quick else ""
    told += f"; moved: {', '.join(texts[:MOST_TOLD] + more)}" if texts else ""
    return f"{told}.", bool(texts)


def _cells(key, where):
    """Return a scorecard as texts, ``ours`` first, its rows under the cells' names."""
    card = kept_cards.load(key, where).map(lambda v: f"{v:.6g}" if is_number(v) else str(v))
    card.insert(0, "ours", card.pop("ours"))
    return card.set_axis(["/".join(filter(None, [key, *row])) for row in card[NAME].to_numpy()])
