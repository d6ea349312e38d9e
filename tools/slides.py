"""Write the pictures that the plans of docs/teaching.md name, in a slide's shape, with an index.

``python -m tools.slides cp67/weeks`` writes any other. Cells of the notebook are run anew for it.
"""

import ast
import contextlib
import io
import re
import sys
import time
from html import escape
from itertools import chain, pairwise
from pathlib import Path

import nbformat
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from perfkit.show import plots
from perfkit.show.players import Player
from studies import book

FOLDER = Path(__file__).resolve().parents[1] / "build" / "slides"
PLANS = {
    "Three weeks": {
        "week 1, first meeting": ("sim61/more_core", "cp67/days"),
        "week 1, second meeting": ("unix_v6/machine", "unix_v6/core_map"),
        "week 2, first meeting": ("unix_v6/player", "unix_v6/disc_or_memory"),
        "week 2, second meeting": ("sim61/machine", "cp67/clock", "emas/machine"),
        "week 3, first meeting": ("sim61/player", "cp67/player", "emas/player", "tss360/figure_1"),
        "week 3, second meeting": ("tss360/gains", "across/ranges"),
    },
    "One lecture": {
        "the machine": ("unix_v6/machine",),
        "the warm-up": ("unix_v6/core_map",),
        "parts 2 and 3": ("unix_v6/player", "unix_v6/disc_or_memory"),
        "where the equation breaks": ("unix_v6/where_the_equation_fails",),
        "the first question": ("sim61/more_core",),
    },
}
WIDE_PX, SHAPE = 1920, 16 / 9
ZOOM = 1.25  # of a chart's letters and lines; those of a diagram fit its boxes as they are
EDGE = 0.015  # of a slide, that stays white
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Pictures for slides</title>
<style>body {{ font: 1.1em/1.4 system-ui, sans-serif; margin: 1em auto; max-width: 60em; }}
figure {{ margin: 2em 0; }} img {{ border: 1px solid silver; width: 100%; }}</style></head>
<body><h1>Pictures for slides</h1>
{}</body></html>
"""


def _stored(node):
    """Return the names that code binds, but for those of functions and comprehensions."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.alias):
        return {(getattr(node, "asname", None) or node.name).partition(".")[0]}
    if isinstance(node, ast.comprehension):
        return set()
    own = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
    return own.union(*map(_stored, ast.iter_child_nodes(node)))


def needed(trees, place):
    """Return the places of a cell and of those before it whose names it needs, in order."""
    places, names = [], set()
    for at in range(place, -1, -1):
        stored = _stored(trees[at])
        if at == place or stored & names:
            places.append(at)
            every = (node for node in ast.walk(trees[at]) if isinstance(node, ast.Name))
            names = (names - stored) | {n.id for n in every if isinstance(n.ctx, ast.Load)}
    return places[::-1]


def drawn(key, names):
    """Yield some of a notebook's pictures and players, each after its name, in its order."""
    cells = [c for c in nbformat.read(book(key).notebook, 4).cells if c.cell_type == "code"]
    trees, at = [ast.parse(cell.source) for cell in cells], {}
    for name in names:
        call = re.compile(rf"\b(pictures|diagram|charts|players)\.{re.escape(name)}\(")
        places = [place for place, cell in enumerate(cells) if call.search(cell.source)]
        if not places:
            raise ValueError(f"The notebook of {key} has no picture '{name}'.")
        at[places[0]] = name
    space = {"display": print}
    for place in sorted({*chain.from_iterable(needed(trees, place) for place in at)}):
        last = ast.Expression(trees[place].body.pop().value) if place in at else None
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(trees[place], key, "exec"), space)
        if last:
            yield at[place], eval(compile(last, key, "eval"), space)


def fitted(picture):
    """Return a picture in a slide's shape, with letters that the last row can read."""
    figure, layout = picture.figure, picture.figure.get_layout_engine()
    wide = figure.get_figwidth() / ZOOM if layout else _trim(figure)
    figure.set_size_inches(wide, wide / SHAPE)
    if figure.legends:
        figure.legends[0].remove()  # its columns were counted for the notebook's width
        picture = plots.picture(figure, picture.caption, picture.alt, "below")
    if layout:
        layout.set(rect=(EDGE, EDGE, 1 - 2 * EDGE, 1 - 2 * EDGE))
        _make_room(figure)
    return picture


def _trim(figure):
    """Take a diagram's empty edges away; return how wide its slide is, in its own inches."""
    (ax,) = figure.axes
    kept = (*ax.patches, *ax.lines, *(text for text in ax.texts if text.get_text()))
    ends = Bbox.union([ax.transData.inverted().transform_bbox(b.get_window_extent()) for b in kept])
    wide = max(ends.width, ends.height * SHAPE) * (1 + 2 * EDGE)
    x, y = (ends.min + ends.max) / 2
    ax.set_xlim(x - wide / 2, x + wide / 2)
    ax.set_ylim(y - wide / SHAPE / 2, y + wide / SHAPE / 2)
    return wide


def _make_room(figure, steps=8):
    """Make titles and labels smaller that end beyond the figure, and ticks that touch."""
    inside = figure.bbox.padded(-EDGE * figure.bbox.width, 0)
    for _ in range(steps):
        figure.draw_without_rendering()
        for ax in figure.axes:
            for text in (*ax.get_children(), ax.xaxis.label, ax.yaxis.label):
                corners = text.get_window_extent().corners() if isinstance(text, Text) else ()
                if not all(inside.contains(*corner) for corner in corners):
                    text.set_fontsize(0.95 * text.get_fontsize())
            ticks = [one for one in ax.get_xticklabels() if one.get_text()]
            boxes = pairwise(one.get_window_extent() for one in ticks)
            if any(a.x1 + a.height / 2 > b.x0 for a, b in boxes):
                ax.tick_params(axis="x", labelsize=0.95 * ticks[0].get_fontsize())


def save(shown, path):
    """Write a picture or a player to files of a name; return what the index has of it."""
    if isinstance(shown, Player):
        shown.save(f"{path}.html")
        return f'<figcaption>{escape(f"{shown}")}. <a href="{path.name}.html">Play</a></figcaption>'
    shown = fitted(shown)
    for kind in ("svg", "png"):
        shown.figure.savefig(f"{path}.{kind}", dpi=WIDE_PX / shown.figure.get_figwidth())
    Path(f"{path}.txt").write_text(f"{shown.caption}\n\n{shown.alt}\n", encoding="utf-8")
    told = f'<figcaption>{escape(shown.caption)} <a href="{path.name}.svg">SVG</a></figcaption>'
    return f'<img src="{path.name}.png" alt="{escape(shown.alt)}">{told}'


def write(folder, names=()):
    """Write pictures by name, those of the plans by default, and their index into a folder."""
    planned = chain.from_iterable(chain.from_iterable(plan.values()) for plan in PLANS.values())
    names, parts, lines = list(dict.fromkeys(names or planned)), {}, []
    folder.mkdir(parents=True, exist_ok=True)
    for key in dict.fromkeys(name.partition("/")[0] for name in names):
        own = [n.partition("/")[2] for n in names if n.partition("/")[0] == key]
        for picture, shown in drawn(key, own):
            parts[f"{key}/{picture}"] = save(shown, folder / f"{key}-{picture}")
            print(*sorted(path.name for path in folder.glob(f"{key}-{picture}.*")), flush=True)
    for plan, meetings in PLANS.items():
        lines.append(f"<h2>{plan}</h2>")
        for meeting, some in meetings.items():
            links = (f'<a href="#{name}">{name}</a>' for name in some if name in parts)
            lines.append(f"<p>{meeting}: {', '.join(links)}</p>")
    lines += [f'<figure id="{name}"><h2>{name}</h2>{parts[name]}</figure>' for name in names]
    (folder / "index.html").write_text(PAGE.format("\n".join(lines)), encoding="utf-8")


def main():
    """Write what the command line names; what can't be drawn is one sentence."""
    started = time.perf_counter()
    try:
        write(FOLDER, sys.argv[1:])
    except ValueError as error:
        sys.exit(str(error))
    print(f"They and index.html are in {FOLDER}, after {time.perf_counter() - started:.0f} s.")


if __name__ == "__main__":
    main()
