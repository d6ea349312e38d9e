"""The commands that show what is there: list, show."""

import textwrap

from perfkit.commands.words import emit, width
from perfkit.core.record import STATUSES, as_frame
from perfkit.systems import SYSTEMS, find


def list_systems(given):
    """Print the studies, three lines each."""
    rows = [vars(entry) for entry in SYSTEMS.values()]
    told = [line for row in rows for line in _listed(**row)]
    emit(given, lambda: as_frame(rows), lambda: "\n".join(told))


def _listed(key, **texts):
    behind = {"width": width(), "subsequent_indent": " " * 11}
    heads = [f"{key:11}", " " * 11, " " * 11]
    lines = zip(heads, texts.values(), strict=True)
    return [textwrap.fill(text, initial_indent=head, **behind) for head, text in lines]


def show(given):
    """Print a study's parameters and measures, or one of them whole."""
    entry = find(given.key)
    system = entry.module()
    record = system.Parameters()
    frame = record.provenance(levers=True).reset_index()
    frame.insert(3, "allowed", [record.allowed(name) for name in frame["parameter"]])
    if given.name is None:
        emit(given, frame, lambda: _all(entry, record, system.MEASURES))
    elif given.name in record.accepted():
        row = frame[frame["parameter"] == given.name]
        emit(given, row, lambda: _one(entry.key, row.iloc[0], record))
    elif given.name in system.MEASURES:
        meaning = system.MEASURES[given.name]
        row = as_frame([{"measure": given.name, "meaning": meaning}])
        emit(given, row, lambda: f"{given.name}: {meaning} (a measure, no parameter)")
    else:
        hint = record.hint(given.name, system.MEASURES) or f"; see perfkit show {entry.key}."
        raise ValueError(f"{entry.key} has no parameter or measure '{given.name}'{hint}")


def _filled(text, indent="    "):
    return textwrap.fill(text, width(), initial_indent=indent, subsequent_indent=indent)


def _all(entry, record, measures):
    """Return every parameter and every measure of a study as text."""
    lines = [_filled(entry.title, ""), _filled(entry.paper, ""), ""]
    rows = record.provenance(*STATUSES, levers=True)
    lines += ["LEVERS, and what else to turn first"]
    lines += _each(rows.loc[list(record.headline)], record)
    lines += ["", "PARAMETERS (perfkit run, name=value)"]
    lines += _each(rows.loc[record.names()], record)
    lines += [_filled(f"Calibrated values were fitted on {record.calibrated_on}.", ""), ""]
    lines += ["MEASURES (what a run reports)"]
    lines += [_filled(f"{name}: {meaning}", "") for name, meaning in measures.items()]
    return "\n".join(lines)


def _each(rows, record):
    """Return lines on parameters and levers: value, unit, status, what is allowed, the source."""
    lines = []
    for row in rows.itertuples():
        value = f"{row.value} {row.unit}".strip() if row.value != "" else "none"
        head = f"{row.Index} = {value}  ({row.status}; {record.allowed(row.Index)})"
        lines += [textwrap.fill(head, width(), subsequent_indent=" " * 8)]
        lines += [_filled(row.source)] if row.source else []
        if row.Index in record.levers:
            lines += [_filled(f"sets {', '.join(record.sets(row.Index))}")]
    return lines


def _one(key, row, record):
    """Return one parameter or lever whole as text."""
    name = row["parameter"]
    told = {
        "unit": row["unit"],
        "allowed": row["allowed"],
        "plausible": record.plausible(name),
        "status": row["status"],
        "source": row["source"],
        "sets": ", ".join(record.sets(name)) if name in record.levers else "",
        "try": f"perfkit run {key} {name}=... --compare",
    }
    lines = [f"{name} = {row['value'] or 'none'}"]
    for word, text in told.items():
        if text:
            lines.append(textwrap.fill(f"  {word:10} {text}", width(), subsequent_indent=" " * 13))
    return "\n".join(lines)
