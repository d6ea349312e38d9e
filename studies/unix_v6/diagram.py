"""The PDP-11/34 as a diagram: core, buffers, one controller, drives with files and swap area."""

from matplotlib.patches import Rectangle

from perfkit.show import plots
from perfkit.systems.unix_v6 import Parameters
from studies.show.captions import Captions
from studies.show.diagrams import POINTS, Diagram, Measured, lines, parameters_of
from studies.unix_v6 import timeline

CAPTIONS = Captions("unix_v6")
SHADES = 8
LEAST_LABELLED = 0.03  # of the time shown


def machine(result=None):
    """Draw the machine; with a run's result arrows carry what it counted per second."""
    p = parameters_of(result, Parameters)
    of = Measured(result, result and result.watched_s)
    d = Diagram(4.45)
    fit = f"{p.memory_clicks} clicks\n{p.loaded} of {p.processes} processes fit"
    core = d.place("core", 1.15, 3.55, 2.0, 1.1, fit)
    processor = d.place("processor", 3.65, 3.55, 1.3, 1.1, kind="server")
    scheduler = d.place("swap scheduler", 1.15, 2.3, 1.75, 0.62, "one swap at a time")
    buffers = d.place("buffers", 3.65, 2.3, 1.3, 0.62, f"{p.buffers} blocks")
    line = d.place("line", 6.1, 3.8, 1.7, 0.66, f"{p.line_characters_per_s:g} characters/s")
    pause = d.place("pause", 6.1, 3.05, 1.7, 0.66, "goes out first", kind="outside")
    note = lines(p.discipline, of.mean("requests", "mean_queue_exact"))
    name = "controller" if p.controllers == 1 else f"{p.controllers} controllers"
    queue = d.queue(name, 2.35, 0.65, 3.3, 0.9, note)
    d.arrow([core.right(), processor.left()], both=True)
    d.arrow([processor.right(0.3), line.left(0.05)], of.rate("characters\n", "characters"), at=0.58)
    d.arrow([processor.right(-0.4), pause.left(0.1)], of.rate("pauses\n", "pauses"), at=0.58)
    d.arrow([processor.bottom(), buffers.top()], "block operations", both=True, side="left")
    d.arrow([scheduler.top(), core.bottom()], "swaps", pages=True, both=True)
    swaps = lines(of.rate("swaps in ", "swaps_in"), of.rate("swaps out ", "swaps_out"))
    d.arrow([scheduler.bottom(), queue.top(-1.2)], swaps, pages=True, both=True, at=0.6)
    blocks = lines(of.rate("reads ", "reads", "read_aheads"), of.rate("writes ", "writes"))
    d.arrow([buffers.bottom(), queue.top(1.3)], blocks, pages=True, both=True, side="left", at=0.6)
    areas = "swap area" if p.swap_drive == 0 else "file area\nswap area"
    lower = d.disc(f"drive {p.swap_drive}", 5.95, 0.65, 1.9, 0.95, areas)
    d.arrow([queue.right(), lower.left()], both=True)
    if p.swap_drive == 0:
        upper = d.disc("drive 1", 5.95, 1.8, 1.9, 0.95, "file area")
        d.arrow([queue.right(0.25), (4.6, 0.9), (4.6, 1.8), upper.left()], both=True)
    return d.picture(*CAPTIONS.words("machine"))


def core_map(result, from_s=0.0, until_s=20.0):
    """Draw which piece of core each process holds over time, and the holes between them."""
    p = parameters_of(result, Parameters, needed=True)
    held = timeline.pieces(result, from_s, until_s)
    figure, ax = plots.panels(height=3.6)
    ax.set_facecolor("0.8")
    ax.set(xlim=(from_s, until_s), ylim=(0, p.memory_clicks))
    ax.set(xlabel="time (s)", ylabel="core (clicks of 64 bytes)", title="Who holds which core")
    ax.grid(False)
    shades = [[1.0 - (1.0 - part) * 0.55 for part in colour] for colour in plots.colours(SHADES)]
    for piece in held.itertuples():
        corner, length = (piece.from_s, piece.address), piece.to_s - piece.from_s
        shade = shades[piece.process % SHADES] if piece.process else "white"
        look = {"fc": shade, "ec": "0.25", "lw": 0.7, "hatch": "" if piece.settled else "/////"}
        ax.add_patch(Rectangle(corner, length, piece.clicks, **look))
        if piece.settled and length > LEAST_LABELLED * (until_s - from_s):
            x, y = piece.from_s + length / 2, piece.address + piece.clicks / 2
            ax.text(x, y, piece.process or "u", ha="center", va="center", size=POINTS)
    swaps = int((~held["settled"]).sum())
    return CAPTIONS.picture(figure, "core_map", from_s=from_s, until_s=until_s, swaps=swaps)
