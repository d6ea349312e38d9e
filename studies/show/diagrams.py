"""Diagrams of machines, drawn by code: places, queues, devices, arrows with what goes along them.

A diagram is seven inches wide, and its coordinates are inches from the lower left corner. Shape
says what a thing is, so that there is no legend and no need of colour: slots are a queue, a lying
cylinder is a drum, a stack is a disc, a shaded box works. Broken arrows carry pages.
"""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle, Ellipse, FancyArrowPatch, FancyBboxPatch, Polygon
from matplotlib.path import Path

from perfkit.core.wording import short
from perfkit.show import plots

POINTS, TITLE_IN = 10.0, 0.3
LINE_IN = 1.3 * POINTS / 72.0
ROUND_IN, PLATTERS = 0.16, 4
CORNERS = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
INK, PAPER = "0.1", "white"
FILLS = {"place": PAPER, "server": "#cfe3f1", "outside": "0.9"}
DEVICE = "#f6e3c8"
DIGITS = 3
SIDES = {  # of an arrow, where its label stands: how far off, and aligned how
    "above": (0.0, 0.04, "center", "bottom"),
    "below": (0.0, -0.05, "center", "top"),
    "left": (-0.07, 0.0, "right", "center"),
    "right": (0.07, 0.0, "left", "center"),
}


@dataclass(frozen=True)
class Shape:
    """A thing in a diagram, by its centre and size; its sides are where arrows begin and end."""

    x: float
    y: float
    width: float
    height: float

    def left(self, shift=0.0):
        """Return the middle of the left side, shifted upwards."""
        return self.x - self.width / 2, self.y + shift

    def right(self, shift=0.0):
        """Return the middle of the right side, shifted upwards."""
        return self.x + self.width / 2, self.y + shift

    def top(self, shift=0.0):
        """Return the middle of the upper side, shifted to the right."""
        return self.x + shift, self.y + self.height / 2

    def bottom(self, shift=0.0):
        """Return the middle of the lower side, shifted to the right."""
        return self.x + shift, self.y - self.height / 2


class Diagram:
    """An empty diagram of a height in inches, to which shapes and arrows are added."""

    def __init__(self, height, title=""):
        whole = height + bool(title) * TITLE_IN
        self.figure = Figure(figsize=(plots.WIDTH_IN, whole))
        self.ax = self.figure.add_axes((0, 0, 1, 1), xlim=(0, plots.WIDTH_IN), ylim=(0, whole))
        self.ax.set_axis_off()
        self.ax.text(0.1, whole - 0.05, title, va="top", weight="bold", size=1.2 * POINTS)

    def place(self, name, x, y, width, height, note="", kind="place"):
        """Add a box: a ``place`` where something waits, a ``server``, or what is ``outside``."""
        if kind not in FILLS:
            raise ValueError(f"kind must be {', '.join(FILLS)}; {kind!r} is not.")
        shape = Shape(x, y, width, height)
        corner = (x - width / 2 + 0.06, y - height / 2 + 0.06)
        size = (width - 0.12, height - 0.12)
        look = {"boxstyle": "round,pad=0.06", "fc": FILLS[kind], "ec": INK, "lw": 1.2}
        self.ax.add_patch(FancyBboxPatch(corner, *size, gid=name, **look))
        self._name(name, note, x, y)
        return shape

    def queue(self, name, x, y, width, height, note="", slots=3):
        """Add a queue: a box with slots at its right end, the first of which goes next."""
        shape = self._outline(name, x, y, width, height, PAPER)
        step = 0.11
        for k in range(1, slots + 1):
            at = x + width / 2 - k * step
            self._line([at, at], [y - height / 2, y + height / 2])
        self._name(name, note, x - slots * step / 2, y)
        return shape

    def drum(self, name, x, y, width, height, note=""):
        """Add a drum: a lying cylinder."""
        half, end = (width - ROUND_IN) / 2, (ROUND_IN, height)
        self._outline(name, x, y, 2 * half, height, DEVICE, lw=0.0)
        self._ends([(x - half, y), (x + half, y)], end, (90, 270))
        for side in (-0.5, 0.5):
            self._line([x - half, x + half], [y + side * height] * 2)
        self._name(name, note, x - ROUND_IN / 2, y)
        return Shape(x, y, width, height)

    def disc(self, name, x, y, width, height, note=""):
        """Add a disc: a stack of platters."""
        half, end = (height - ROUND_IN) / 2, (width, ROUND_IN)
        self._outline(name, x, y, width, 2 * half, DEVICE, lw=0.0)
        self._ends([(x, y - half), (x, y + half)], end, (180, 360))
        for side in (-1, 1):
            at = x + side * width / 2
            self._line([at, at], [y - half, y + half])
            for level_in in np.linspace(y - half, y + half, PLATTERS + 1)[1:-1]:
                self._line([at, at - side * 0.08], [level_in] * 2)
        self._name(name, note, x, y - ROUND_IN / 4)
        return Shape(x, y, width, height)

    def frame(self, name, x, y, width, height):
        """Add a broken line around things that belong together, its name within, at the top."""
        self._outline(name, x, y, width, height, "none", ls=(0, (4, 3)), lw=0.9, zorder=0)
        at = (x - width / 2 + 0.08, y + height / 2 - 0.06)
        self._text(*at, name, ha="left", va="top", style="italic")
        return Shape(x, y, width, height)

    def arrow(self, points, label="", *, pages=False, both=False, side="", at=0.5, piece=None):
        """Add an arrow along points, with a label at its longest piece, or at another ``piece``.

        It is broken if pages go along it, not who asks for them, and has a head at either end if it
        goes ``both`` ways. The label's ``side`` is "above" or "below" a level piece, "left" or
        "right" of another, by default above, or right; ``at`` is which part of the piece lies
        before its middle.
        """
        points = np.asarray(points, float)
        look = {"arrowstyle": "<|-|>" if both else "-|>", "mutation_scale": 10, "color": INK}
        style = (0, (3.5, 1.8)) if pages else "-"
        self.ax.add_patch(
            FancyArrowPatch(path=Path(points), ls=style, lw=1.2, shrinkA=0, shrinkB=0, **look)
        )
        if not label:
            return
        steps = np.diff(points, axis=0)
        k = int(np.abs(steps).sum(axis=1).argmax()) if piece is None else piece
        x, y = points[k] + at * steps[k]
        side = side or ("above" if abs(steps[k][0]) > abs(steps[k][1]) else "right")
        if side not in SIDES:
            raise ValueError(f"side must be {', '.join(SIDES)}; {side!r} is not.")
        dx, dy, ha, va = SIDES[side]
        self._text(x + dx, y + dy, label, ha=ha, va=va)

    def mark(self, words, x, y, radius=0.125, fill=PAPER, broken=False, **style):
        """Add a circle with a number or a letter in it; it lies over everything else."""
        look = {"fc": fill, "ec": INK, "lw": 1.0, "ls": (0, (3, 2)) if broken else "-"}
        self.ax.add_patch(Circle((x, y), radius, zorder=4, gid=f"mark {words}", **look))
        self._text(x, y, str(words), **{"zorder": 5, "size": POINTS - 1} | style)

    def text(self, x, y, words, **style):
        """Add words that belong to no shape."""
        self._text(x, y, words, **style)

    def picture(self, caption, alt):
        """Return the diagram as a ``plots.Picture``."""
        return plots.picture(self.figure, caption, alt)

    def _outline(self, name, x, y, width, height, fill, **style):
        look = {"fc": fill, "ec": INK, "lw": 1.2, "gid": name, "closed": True} | style
        self.ax.add_patch(Polygon((x, y) + CORNERS * (width, height), **look))
        return Shape(x, y, width, height)

    def _ends(self, centres, size, angles):
        """Draw both ends of a cylinder, of the first only the outer half."""
        for centre, edge in zip(centres, (0.0, 1.2), strict=True):
            self.ax.add_patch(Ellipse(centre, *size, fc=DEVICE, ec=INK, lw=edge))
        self.ax.add_patch(
            Arc(centres[0], *size, theta1=angles[0], theta2=angles[1], ec=INK, lw=1.2)
        )

    def _line(self, x, y):
        self.ax.plot(x, y, color=INK, lw=1.0)

    def _name(self, name, note, x, y):
        rows = [(row, "bold") for row in name.split("\n") if row]
        rows += [(row, "normal") for row in note.split("\n") if row]
        for k, (row, weight) in enumerate(rows):
            self._text(x, y + ((len(rows) - 1) / 2 - k) * LINE_IN, row, weight=weight)

    def _text(self, x, y, words, **style):
        style = {"ha": "center", "va": "center", "size": POINTS, "color": INK} | style
        self.ax.text(x, y, words, linespacing=1.3, **style)


class Measured:
    """What a run measured, as words on a diagram; without a run they have no numbers.

    Its counts over ``seconds`` are rates.
    """

    def __init__(self, result=None, seconds=1.0):
        self.counts = None if result is None else result.values
        self.seconds = seconds

    def rate(self, what, *names):
        """Return what goes along an arrow, and how often per second: some measures' sum."""
        if self.counts is None:
            return what.strip()
        number = sum(self.counts[name] for name in names) / self.seconds
        return f"{what}{short(number, DIGITS)}/s"

    def mean(self, what, name):
        """Return a mean number of things as a line of a note, empty without a run."""
        return "" if self.counts is None else f"mean {short(self.counts[name], DIGITS)} {what}"


def parameters_of(result, kind, needed=False):
    """Return a result's parameters, of this kind, or the default ones if no result is needed."""
    bare = result is None and not needed
    parameters = kind() if bare else getattr(result, "parameters", None)
    if not isinstance(parameters, kind):
        system = kind.__module__.split(".")[-2]
        raise TypeError(f"The diagram needs a result of {system}.simulate; {result!r:.60} is none.")
    return parameters


def lines(*some):
    """Return lines as a note, empty ones left out."""
    return "\n".join(line for line in some if line)
