"""The PDP-11/34 as a diagram: core, buffers, one controller, the disc with files and swap area."""

from perfkit.diagrams import Diagram, Measured, lines
from perfkit.systems.unix_v6 import Parameters


def machine(result=None):
    """Draw the machine; with a run's result arrows carry what it counted per second.

    Parameters
    ----------
    result : Result, optional
        Its parameters are drawn, else the default ones.

    Returns
    -------
    perfkit.plots.Picture
    """
    p = Parameters() if result is None else result.parameters
    of = Measured(result, result and result.watched_s)
    d = Diagram(4.45)
    d.frame(f"core: {p.memory_clicks} clicks", 2.25, 3.15, 4.35, 2.4)
    loaded = d.place("processes", 1.05, 3.4, 1.75, 0.7, f"{p.processes}; {p.loaded} fit in core")
    processor = d.place("processor", 3.65, 3.45, 1.3, 1.1, kind="server")
    scheduler = d.place("swap scheduler", 1.05, 2.3, 1.75, 0.62, "one swap at a time")
    buffers = d.place("buffers", 3.65, 2.3, 1.3, 0.62, f"{p.buffers} blocks")
    line = d.place("line", 6.1, 3.8, 1.7, 0.66, f"{p.line_characters_per_s:g} characters/s")
    pause = d.place("pause", 6.1, 3.05, 1.7, 0.66, "goes out first", kind="outside")
    note = lines(p.discipline, of.mean("requests", "mean_queue_exact"))
    name = "controller" if p.controllers == 1 else f"{p.controllers} controllers"
    queue = d.queue(name, 2.35, 0.65, 3.3, 0.9, note)
    d.arrow([loaded.right(), processor.left(-0.05)], both=True)
    d.arrow([processor.right(0.35), line.left()], of.rate("characters\n", "characters"), at=0.58)
    d.arrow([processor.right(-0.4), pause.left()], of.rate("pauses\n", "pauses"), at=0.58)
    d.arrow([processor.bottom(), buffers.top()], "block operations", both=True, side="left")
    d.arrow([scheduler.top(), loaded.bottom()], "swaps")
    swaps = lines(of.rate("swaps in ", "swaps_in"), of.rate("swaps out ", "swaps_out"))
    d.arrow([scheduler.bottom(), queue.top(-1.3)], swaps, pages=True, both=True, at=0.6)
    blocks = lines(of.rate("reads ", "reads", "read_aheads"), of.rate("writes ", "writes"))
    d.arrow([buffers.bottom(), queue.top(1.3)], blocks, pages=True, both=True, side="left", at=0.6)
    lower = d.disc(
        f"drive {p.swap_drive}",
        5.95,
        0.65,
        1.9,
        0.95,
        "swap area" if p.swap_drive == 0 else "file area\nswap area",
    )
    d.arrow([queue.right(), lower.left()], both=True)
    if p.swap_drive == 0:
        upper = d.disc("drive 1", 5.95, 1.8, 1.9, 0.95, "file area")
        d.arrow([queue.right(0.25), (4.6, 0.9), (4.6, 1.8), upper.left()], both=True)
    return d.picture(
        "The machine. Processes share core and the controller, which moves blocks of files"
        " and whole processes alike. Broken arrows are transfers.",
        "Processes in core use the processor; a process that pauses is swapped out first. Block"
        " operations go through buffers, swaps through the swap scheduler; both queue at the same"
        " controller, behind which the file area and the swap area lie on discs.",
    )
