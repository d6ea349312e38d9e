"""The RCA system as a diagram: terminals, processor, core, paging devices, the users' discs."""

from collections import Counter

from perfkit.diagrams import Diagram, Measured, lines
from perfkit.systems.sim61 import Parameters


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
    of = Measured(result, p.measured_s)
    names = " and ".join(f"{n} x {name}" for name, n in Counter(p.paging_devices).items())
    busy = ["", ""]
    if result is not None:
        shares = (result.paging_busy_percent, result.user_disc_busy_percent)
        busy = [f"{share:.0f} % busy" for share in shares]
    d = Diagram(4.2)
    terminals = d.place("terminals", 0.9, 3.55, 1.5, 0.8, "think time", kind="outside")
    ready = d.queue("ready queues", 0.82, 1.9, 1.5, 0.85, slots=2)
    processor = d.place("processor", 3.5, 3.55, 1.5, 0.9, kind="server")
    d.frame(f"core: {p.memory_pages} pages", 3.5, 1.35, 1.95, 2.1)
    held = lines(f"{p.frames} pages", of.mean("scheduled", "scheduled_pages"))
    core = d.place("schedulable", 3.5, 1.65, 1.75, 0.85, held)
    d.place("supervisor", 3.5, 0.7, 1.75, 0.62, f"{p.supervisor_pages} pages", kind="outside")
    discs = d.disc(
        "user discs", 6.12, 3.55, 1.6, 1.1, lines(f"{p.user_discs} x {p.user_disc}", busy[1])
    )
    paging = d.drum("paging", 6.12, 1.65, 1.6, 1.1, lines(names, busy[0]))
    activations = of.rate("activations\n", "activations_interactive", "activations_batch")
    d.arrow([terminals.bottom(), ready.top(0.08)], "ready")
    d.arrow([ready.right(), core.left(0.25)], activations)
    d.arrow([core.top(0.6), processor.bottom(0.6)])
    d.arrow([processor.left(), terminals.right()], of.rate("interactions\n", "interactions"))
    d.arrow([processor.right(), discs.left()], of.rate("I/O\n", "ios"), both=True)
    reads = of.rate("pages in\n", "pages_in", "exec_pages_in")
    d.arrow([paging.left(0.2), core.right(0.2)], reads, pages=True, at=0.45)
    d.arrow(
        [core.right(-0.2), paging.left(-0.2)],
        of.rate("out\n", "pages_out"),
        pages=True,
        side="below",
        at=0.55,
    )
    return d.picture(
        "The machine. A task that is activated has core scheduled for it and demands its pages one"
        " by one. Broken arrows are pages.",
        "Terminals make tasks ready; activated ones share core and the processor. Pages come from"
        " the paging devices and go back to them; users' input and output has discs of its own.",
    )
