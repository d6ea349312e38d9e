"""What a page must know of a system beside its machine: one script, made of its ``Parameters``.

``script(key)`` is JavaScript: parameters and levers with unit, range, source and default, their
checks and what is derived of them (``tools.wasm.script``), measures, and how records lie in memory.
"""

import json
import zlib
from dataclasses import fields
from pathlib import Path

import numpy as np

from perfkit.core.fields import told, wanted
from perfkit.core.record import named_in_ms
from perfkit.show.players.films import SEEN
from perfkit.show.players.page import enums
from perfkit.systems import find, sim61
from tools.wasm import films, whole
from tools.wasm.script import Script, members

FOLDER = Path(__file__).parent
KINDS = {bool: "truth", int: "whole", float: "number", str: "word"}


def sources(*names, folder=FOLDER):
    """Return scripts of a folder as one, for a page, where no module can import another."""
    return "\n".join((folder / f"{name}.mjs").read_text().replace("export ", "") for name in names)


class Code(str):
    """A text that is JavaScript, not a word."""


def script(key):
    """Return a system's description as an expression of JavaScript."""
    system, writer = find(key).module(), Script()
    described = _record(system.Parameters, writer) | {
        "key": key,
        "levers": [
            _field(name, one.spec)
            | {"text": f"{one.spec.default:g}", "sets": system.Parameters.sets(name)}
            | {"changes": Code(writer.function(one.changes))}
            for name, one in system.Parameters.levers.items()
        ],
        "measures": [
            [name, is_whole, system.MEASURES[name]] for name, is_whole in whole.measures(key)
        ],
        "settings": _layout(system.state.SETTINGS, system.Parameters),
        "arrays": [[n, kind is int] for n, kind in system.Parameters.array_types().items()],
        "streams": [_words(*purpose) for purpose in whole.PURPOSES[key]],
        "tables": list(_tables(key)),
        "film": whole.as_json(films.arguments()),
        "trace": whole.as_json(whole.new_trace(0)),
        "seen": [f"{table}.{name}" for table, names in SEEN[key] for name in names.split()],
        "enums": enums(key),
        "room": films.ROOM,
    }
    if key == "sim61":
        described["device"] = _record(sim61.Device, writer) | {
            "named": {name: one.as_dict() for name, one in sim61.TABLE_2.items()},
            "drum": {"of": sim61.parameters.DRUM, "pattern": sim61.parameters.DRUM_OF.pattern},
        }
    functions = "\n".join(writer.functions.values())
    return f"(() => {{{functions}\nreturn {_written(described)};}})()"


def _record(cls, writer):
    """Return a record's fields, and its members as code."""
    own = members(cls)
    return {
        "fields": [_field(spec.name, spec) for spec in fields(cls)],
        "members": {name: Code(writer.function(member)) for name, member in own.items()},
        "properties": [name for name in own if isinstance(vars(cls)[name], property)],
    }


def _field(name, spec):
    """Return how a field or a lever is declared."""
    detail, many = spec.metadata, isinstance(spec.default, tuple)
    kind = type((*spec.default, 0.0)[0]) if many else type(spec.default)
    row = {"name": name, "kind": KINDS[kind], "own": spec.default, "text": told(spec.default)}
    row |= {key: detail[key] for key in ("unit", "status", "source", "low", "high", "infinite")}
    row |= {"choices": detail["choices"], "many": many, "wanted": wanted(spec)}
    # Nothing is told of what doesn't apply; 0 is told.
    return {k: v for k, v in row.items() if k == "own" or not (v is None or v is False or v == "")}


def _layout(dtype, cls):
    """Return how a record of a type is filled, as ``ParameterRecord.fill`` does."""
    specs, rows = {spec.name: spec for spec in fields(cls)}, []
    in_ms = {new: name for name in specs for new in named_in_ms(name)}
    for name in dtype.names:
        row = {
            "name": name,
            "at": dtype.fields[name][1],
            "whole": dtype[name].kind == "i",
            "from": name,
        }
        if name in specs and isinstance(specs[name].default, str):
            row["choices"] = specs[name].metadata["choices"]
        if name in in_ms and name not in specs:
            row |= {"from": in_ms[name], "factor": 1000.0}
        elif name not in specs and not isinstance(getattr(cls, name, None), property):
            continue
        rows.append({key: value for key, value in row.items() if value is not False})
    return {"size": dtype.itemsize, "fields": rows}


def _words(purpose, *index):
    """Return the words that end the key of a stream."""
    return [zlib.crc32(purpose.encode()), *index]


def _tables(key):
    """Yield what a machine is given beside its settings, in order; a page's loads are our own."""
    tables = whole.arguments(key, find(key).module().Parameters(), 0)[1]
    if key == "sim61":
        yield {"kind": "devices", "layout": _layout(sim61.state.MODEL, sim61.Device)}
        tables = tables[2:]
    else:
        yield {"kind": "arrays"}
        tables = tables[1:]
    if key == "cp67":
        yield {"kind": "version"}
        tables = tables[1:]
    for table in tables:
        yield {"kind": "constant", **whole.as_json(table)}


def _written(value):
    """Return a value as JavaScript."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{_written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_written, value)) + "]"
    return json.dumps(value.item() if isinstance(value, np.generic) else value, ensure_ascii=False)
