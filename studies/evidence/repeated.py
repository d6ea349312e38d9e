"""Whether a run's scorecards are the committed ones, cell by cell."""

from perfkit.core.values import is_number
from studies.evidence import kept_cards

MOST_TOLD = 10


def compared(keys, where, quick=False):
    """Return in a sentence how many cells are as committed and which moved, and whether any did.

    Numbers are compared as they are kept, to six digits. Of a ``quick`` run, only cells are that
    have no error of replication, for the others move with the number of runs.
    """
    moved, of, left_out = [], 0, 0
    for key in keys:
        was, now = _cells(key, kept_cards.COMMITTED), _cells(key, where)
        cells = list(dict.fromkeys([*was, *now]))
        chosen = [cell for cell in cells if not quick or is_exact(was.get(cell) or now[cell])]
        of, left_out = of + len(chosen), left_out + len(cells) - len(chosen)
        told = (_told(was.get(cell), now.get(cell)) for cell in chosen)
        moved += [f"{key}/{'/'.join(c)} {t}" for c, t in zip(chosen, told, strict=True) if t]
    more = [f"and {len(moved) - MOST_TOLD} more"] * (len(moved) > MOST_TOLD)
    text = f"{of - len(moved)} of {of} cells are the same as committed"
    text += f"; {left_out} are left out, which fewer runs move" if left_out else ""
    text += f"; moved: {', '.join(moved[:MOST_TOLD] + more)}" if moved else ""
    return f"{text}.", bool(moved)


def is_exact(row):
    """Return whether a cell is a number without an error of replication."""
    return row["half_width"] == "nan" and row["kind"] != "claim"


def _cells(key, where):
    """Return a scorecard's rows, as texts by column, by their names."""
    card = kept_cards.load(key, where)
    if card is None:
        raise RuntimeError(f"{key} has no scorecard in {where}, so it can't be compared.")
    rows = card.map(lambda value: f"{value:.6g}" if is_number(value) else str(value))
    names = rows[["item", "cell", "quantity"]].itertuples(index=False, name=None)
    return dict(zip((tuple(filter(None, n)) for n in names), rows.to_dict("records"), strict=True))


def _told(was, now):
    """Return how a row moved, by ``ours`` or else the first column that did; empty if none did."""
    if was is None or now is None:
        return "is gone" if was else "is new"
    column = next((name for name in ("ours", *was) if was[name] != now[name]), "")
    which = "" if column == "ours" else f"has a {column} that "
    return column and f"{which}was {was[column]}, now {now[column]}"
