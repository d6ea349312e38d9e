"""The command that shows the results: score."""

import textwrap
from pathlib import Path

import pandas as pd

from perfkit.commands.words import emit, width
from perfkit.core.wording import nearest
from studies import chosen
from studies.commands import RESULTS
from studies.evidence import kept_cards, repeated, scorecard
from studies.show import cards


def score(given):
    """Print scorecards: of the last run where it has one, else as committed."""
    last = _last_run(given.results)
    scorecards, texts = [], []
    cited = [text for text in given.keys if "/" in text]
    for entry in chosen(list(dict.fromkeys(text.partition("/")[0] for text in given.keys))):
        run = last if last and (last / f"{entry.key}.csv").exists() else None
        where = run or kept_cards.folder()
        card = kept_cards.load(entry.key, where)
        conditions = kept_cards.told_conditions(entry.key, where)
        origin = f"of the run in {run.parent}" if run else "as committed"
        texts.append(f"\n{entry.title} ({', '.join(filter(None, [origin, conditions]))})")
        if card is None:
            texts.append(f"  no scorecard yet: perfkit reproduce {entry.key}")
            continue
        card = repeated.named(entry.key, card)
        mine = [text for text in cited if text.partition("/")[0] == entry.key]
        card = pd.concat(repeated.rows(card, text) for text in mine) if mine else card
        texts.append(_card(card, given.details or mine))
        scorecards.append(card.assign(study=entry.key, scorecard=origin))
    if not scorecards:
        scorecards = [pd.DataFrame()]
    emit(given, pd.concat(scorecards, ignore_index=True), lambda: "\n".join(texts))


def _card(card, details):
    """Return a scorecard as text, every row of it or what it comes to."""
    if details:
        claims = card["kind"] == "claim"
        parts = []
        if not claims.all():
            parts += [cards.cells(card[~claims], null=True, why=True).text(width()), ""]
        if claims.any():
            parts += [cards.claims(card).text(width()), ""]
    else:
        parts = [cards.verdicts(card).text(width())]
    return "\n".join([*parts, textwrap.fill(scorecard.headline(card), width())])


def _last_run(results):
    """Return the scorecards' folder of a run, None if none is named and there is none."""
    last = Path(RESULTS if results is None else results) / "scorecards"
    if last.is_dir():
        return last
    if results is not None:
        near = Path(results).parent
        runs = sorted(p.parent.name for p in near.glob("*/scorecards")) if near.is_dir() else []
        hint = nearest(Path(results).name, runs) or "; name one that reproduce has written."
        raise ValueError(f"There is no folder {last}{hint}")
    return None
