"""A player as a cell's output or as one file that needs no network."""

import base64
import gzip
import html
import json
import os
import zlib
from enum import EnumMeta
from pathlib import Path

import numpy as np

from perfkit.des.devices import DriveState
from perfkit.show.players.films import film
from perfkit.systems import find

FOLDER = Path(__file__).parent
CELL = """<style>{css}</style><div class="player" id="{name}"><p>{said}</p></div>
<script>(() => {{
"use strict";
{script}
play(document.getElementById("{name}"), {told});
}})();</script>"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{css}</style></head><body><h1>{title}</h1>{cell}</body></html>
"""
UNPLAYED = "Here a browser that runs scripts plays what the machine does."


class Player:
    """Films of one machine or two, side by side: shown by a cell, or saved as one file.

    Attributes
    ----------
    films : dict of str to Film
        By title.
    """

    def __init__(self, films):
        self.films = films

    def __repr__(self):
        one, titles = next(iter(self.films.values())), "; ".join(self.films)
        return f"Player of {one.key} from {one.begin_s:g} to {one.end_s:g} s: {titles}"

    def _repr_html_(self):
        return self.cell()

    def cell(self):
        """Return a part of a page that plays the films."""
        told = json.dumps([described(one, title) for title, one in self.films.items()])
        told = told.replace("</", "<\\/")  # or a title could end the script
        css = (FOLDER / "player.css").read_text(encoding="utf-8")
        name = f"player-{zlib.crc32(told.encode())}"
        return CELL.format(name=name, css=css, script=script(), told=told, said=UNPLAYED)

    def page(self):
        """Return a whole page, which needs no other file and no network."""
        first = next(iter(self.films.values()))
        title = html.escape(find(first.key).title)
        css = (FOLDER / "page.css").read_text(encoding="utf-8")
        return PAGE.format(title=title, css=css, cell=self.cell())

    def save(self, path):
        """Write that page to a file, which appears whole or not at all."""
        path = Path(path)
        part = path.with_name(f".{path.name}.part")
        part.write_text(self.page(), encoding="utf-8")
        os.replace(part, path)


def player(key, *changes, parameters=None, seed=0, begin_s=None, seconds=20.0):
    """Return the player of a machine, or of two side by side on one load.

    Parameters
    ----------
    key : str
        A system.
    *changes : dict
        What differs, for each machine: one, two, or none.
    parameters : ParameterRecord, optional
        What it differs from, the system's own by default.
    seed, begin_s, seconds
        As of ``film``.

    Examples
    --------
    >>> small = player("unix_v6", {"memory_clicks": 650}, {"memory_clicks": 900}, seconds=2.0)
    >>> list(small.films)
    ['A: memory_clicks = 650', 'B: memory_clicks = 900']
    """
    base = find(key).module().Parameters.given(parameters, "player")
    machines = [base.replace(**differs) for differs in changes or ({},)]
    if len(machines) > 2:
        raise ValueError("A player shows one machine or two.")
    beside = machines if machines[1:] else [*machines, base]
    named = [n for n in dict.fromkeys(n for one in changes for n in one) if _differs(beside, n)]
    films = {}
    for letter, p in zip("AB", machines, strict=False):
        told = ", ".join(f"{name} = {p.text_of(name)}" for name in named) or "baseline"
        title = f"{letter}: {told}" if machines[1:] else told
        films[title] = film(key, p, seed, begin_s=begin_s, seconds=seconds)
    return Player(films)


def _differs(machines, name):
    """Say whether machines have different values of a parameter or lever."""
    return len({one.text_of(name) for one in machines}) > 1


def script():
    """Return the player's script, for a page whose scripts import nothing."""
    parts = (
        (FOLDER / f"{name}.mjs").read_text(encoding="utf-8")
        for name in ("film", "scenes", "player")
    )
    return "\n".join(parts).replace("export ", "")


def described(one, title):
    """Return a film as film.mjs reads it."""
    arrays = {"first": one.first, "ends": one.ends, "changes": one.changes}
    packed = {name: _packed(values.astype(np.int32)) for name, values in arrays.items()}
    return {
        "key": one.key, "title": title, "slots": one.slots, "enums": enums(one.key),
        "p": _finite(one.parameters.as_dict()), "settings": _finite(one.settings),
        "begin_s": one.begin_s, "end_s": one.end_s, "times_ms": _packed(one.times_ms), **packed,
    }  # fmt: skip


def enums(key):
    """Return the numbers by which a system names its states, queues and the like."""
    named = {**vars(find(key).module().state), "DriveState": DriveState}
    kinds = {n: kind for n, kind in named.items() if isinstance(kind, EnumMeta) and len(kind)}
    return {name: {one.name: int(one) for one in kind} for name, kind in kinds.items()}


def _finite(values):
    """Return what JSON has numbers for."""
    return {name: value for name, value in values.items() if value != np.inf}


def _packed(values):
    return base64.b64encode(gzip.compress(values.tobytes(), 9, mtime=0)).decode()
