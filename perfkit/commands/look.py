"""The commands that show what is there: list, show, score."""

import textwrap
from pathlib import Path

from perfkit.commands.words import emit, width
from perfkit.core.record import STATUSES
from perfkit.core.wording import nearest
from studies import STUDIES, chosen, study

RESULTS = "results"


def list_studies(given):
    """Print the studies, three lines each."""
    import pandas as pd

    names = ("key", "title", "paper", "method")
    rows = [{name: getattr(entry, name) for name in names} for entry in STUDIES.values()]
    told = [line for row in rows for line in _listed(**row)]
    emit(given, pd.DataFrame(rows), lambda: "\n".join(told))


def _listed(key, **texts):
    behind = {"width": width(), "subsequent_indent": " " * 11}
    heads = [f"{key:11}", " " * 11, " " * 11]
    lines = zip(heads, texts.values(), strict=True)
    return [textwrap.fill(text, initial_indent=head, **behind) for head, text in lines]


def show(given):
    """Print a study's parameters and measures, or one of them whole."""
    import pandas as pd

    entry = study(given.key)
    system = entry.system()
    record = system.Parameters()
    frame = record.to_frame().reset_index()
    frame.insert(3, "allowed", [record.allowed(name) for name in frame["parameter"]])
    if given.name is None:
        emit(given, frame, lambda: _all(entry, record, system.MEASURES))
    elif given.name in record.names():
        row = frame[frame["parameter"] == given.name]
        emit(given, row, lambda: _one(entry.key, row.iloc[0], record))
    elif given.name in system.MEASURES:
        meaning = system.MEASURES[given.name]
        row = pd.DataFrame([{"measure": given.name, "meaning": meaning}])
        emit(given, row, lambda: f"{given.name}: {meaning} (a measure, no parameter)")
    else:
        hint = record.hint(given.name, system.MEASURES) or f"; see perfkit show {entry.key}."
        raise ValueError(f"{entry.key} has no parameter or measure '{given.name}'{hint}")


def _filled(text, indent="    "):
    return textwrap.fill(text, width(), initial_indent=indent, subsequent_indent=indent)


def _all(entry, record, measures):
    """Return every parameter and every measure of a study as text."""
    lines = [_filled(entry.title, ""), _filled(entry.paper, ""), ""]
    lines += ["PARAMETERS (perfkit run, name=value)"]
    for row in record.provenance(*STATUSES).itertuples():
        value = f"{row.value} {row.unit}".strip() if row.value != "" else "none"
        lines += [f"{row.Index} = {value}  ({row.status}; {record.allowed(row.Index)})"]
        lines += [_filled(row.source)] if row.source else []
    lines += [_filled(f"Calibrated values were fitted on {record.calibrated_on}.", ""), ""]
    lines += ["MEASURES (what a run reports)"]
    lines += [_filled(f"{name}: {meaning}", "") for name, meaning in measures.items()]
    return "\n".join(lines)


def _one(key, row, record):
    """Return one parameter whole as text."""
    name = row["parameter"]
    told = {
        "unit": row["unit"],
        "allowed": row["allowed"],
        "plausible": record.plausible(name),
        "status": row["status"],
        "source": row["source"],
        "try": f"perfkit run {key} {name}=... --compare",
    }
    lines = [f"{name} = {row['value'] or 'none'}"]
    for word, text in told.items():
        if text:
            lines.append(textwrap.fill(f"  {word:10} {text}", width(), subsequent_indent=" " * 13))
    return "\n".join(lines)


def score(given):
    """Print scorecards: of the last run where it has one, else as committed."""
    import pandas as pd

    from studies.evidence import kept_cards

    last = _last_run(given.results)
    cards, texts = [], []
    for entry in chosen(given.keys):
        of_run = last if last and (last / f"{entry.key}.csv").exists() else None
        where = of_run or kept_cards.folder()
        card = kept_cards.load(entry.key, where)
        conditions = kept_cards.told_conditions(entry.key, where)
        told = f"of the run in {of_run.parent}" if of_run else "as committed"
        texts.append(f"\n{entry.title} ({', '.join(filter(None, [told, conditions]))})")
        if card is None:
            texts.append(f"  no scorecard yet: perfkit reproduce {entry.key}")
            continue
        texts.append(_card(card, given.details))
        cards.append(card.assign(study=entry.key, scorecard=told))
    if not cards:
        cards = [pd.DataFrame()]
    emit(given, pd.concat(cards, ignore_index=True), lambda: "\n".join(texts))


def _card(card, details):
    """Return a scorecard as text, every row of it or what it comes to."""
    from perfkit.show import tables as tables
    from studies.evidence import scorecard

    if details:
        rows = tables.cells(card[card["kind"] != "claim"], null=True, why=True)
        parts = [rows.text(width()), "", tables.claims(card).text(width()), ""]
    else:
        parts = [tables.verdicts(card).text(width())]
    return "\n".join([*parts, textwrap.fill(scorecard.headline(card), width())])


def _last_run(results):
    """Return the scorecards' folder of a run, None if none is named and there is none."""
    last = Path(RESULTS if results is None else results) / "scorecards"
    if last.is_dir():
        return last
    if results is not None:
        near = Path(results).parent
        there = sorted(p.parent.name for p in near.glob("*/scorecards")) if near.is_dir() else []
        hint = nearest(Path(results).name, there) or "; name one that reproduce has written."
        raise ValueError(f"There is no folder {last}{hint}")
    return None
