"""EMAS as a diagram: terminals, processor, and the levels core, drum and disc."""

from perfkit.diagrams import Diagram, Measured, lines
from perfkit.systems.emas import Parameters
from perfkit.systems.emas.state import DISCS


def machine(result=None):
    """Draw the machine; with a run's result arrows carry what it counted per second.

    Parameters
    ----------
    result : Result, optional
        Its parameters are drawn, else those of machine B.

    Returns
    -------
    perfkit.plots.Picture
    """
    p = Parameters() if result is None else result.parameters
    of = Measured(result, p.measured_s)
    d = Diagram(4.75)
    slices = f"slice {p.time_slice_ms:g} ms"
    processor = d.place("processor", 0.95, 4.05, 1.6, 1.0, slices, kind="server")
    asleep = f"{p.users} users think"
    terminals = d.place("terminals", 0.95, 2.35, 1.6, 0.8, asleep, kind="outside")
    inside = lines(f"{p.frames} pages", of.mean("processes", "multiprogramming"))
    core = d.place("core", 4.4, 4.05, 2.4, 1.0, inside)
    moved = lines(f"{p.drums} drums", of.rate("transfers ", "drum_operations"))
    drum = d.drum("drum", 4.4, 2.35, 2.4, 0.95, moved)
    moved = lines(f"{DISCS} discs", of.rate("transfers ", "disc_operations"))
    disc = d.disc("disc", 4.4, 0.6, 2.4, 1.05, moved)
    d.arrow([terminals.top(), processor.bottom()], of.rate("commands\n", "commands"), both=True)
    d.arrow([processor.right(), core.left()], of.rate("residences\n", "residences"), both=True)
    d.arrow([drum.top(-0.7), core.bottom(-0.7)], "preload", pages=True, side="left")
    d.arrow([drum.top(-0.3), core.bottom(-0.3)], "demand", pages=True)
    d.arrow([core.bottom(0.8), drum.top(0.8)], "removal", pages=True)
    loading = of.rate("cold wakes\n", "cold_wakes")
    d.arrow([disc.top(-0.7), drum.bottom(-0.7)], loading, pages=True, side="left")
    d.arrow(
        [drum.bottom(0.8), disc.top(0.8)],
        f"asleep for {p.drum_hold_s:g} s",
        pages=True,
        side="left",
    )
    d.arrow(
        [disc.right(), (6.2, 0.6), (6.2, 4.05), core.right()], "demand", pages=True, side="right"
    )
    return d.picture(
        "The machine. A process keeps its pages on a drum while it is awake, and its working set is"
        " preloaded into core for each residence. Broken arrows are pages.",
        "Terminals give commands to the processor, on which processes in core run. Core, drum and"
        " disc lie one below the other: pages are preloaded or demanded from the drum, some are"
        " demanded from disc, and those of sleepers are removed to disc.",
    )
