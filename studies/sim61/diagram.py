"""The RCA system as a diagram: terminals, processor, core, paging devices, the users' discs."""

from collections import Counter

import numpy as np
import pandas as pd

from perfkit.systems.sim61 import TABLE_2, Parameters
from studies.show.captions import Captions
from studies.show.diagrams import Diagram, Measured, lines, parameters_of

CAPTIONS = Captions("sim61")


def machine(result=None):
    """Draw the machine; with a run's result arrows carry what it counted per second."""
    p = parameters_of(result, Parameters)
    of = Measured(result, p.measured_s)
    names = " and ".join(f"{n} × {name}" for name, n in Counter(p.paging_devices).items())
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
        "user discs", 6.12, 3.55, 1.6, 1.1, lines(f"{p.user_discs} × {p.user_disc}", busy[1])
    )
    model = TABLE_2.get(p.paging_devices[0], TABLE_2["8567"])
    draw = d.disc if any(model.seek_ms) else d.drum if model.revolution_ms else d.place
    paging = draw("paging", 6.12, 1.65, 1.6, 1.1, lines(names, busy[0]))
    activations = of.rate("activations\n", "activations_interactive", "activations_batch")
    d.arrow([terminals.bottom(), ready.top(0.08)], "ready")
    d.arrow([ready.right(), core.left(0.25)], activations)
    d.arrow([core.top(0.6), processor.bottom(0.6)])
    d.arrow([processor.left(), terminals.right()], of.rate("interactions\n", "interactions"))
    d.arrow([processor.right(), discs.left()], of.rate("I/O\n", "ios"), both=True)
    reads = of.rate("pages in\n", "pages_in", "exec_pages_in")
    d.arrow([paging.left(0.2), core.right(0.2)], reads, pages=True, at=0.45)
    out = of.rate("out\n", "pages_out")
    d.arrow([core.right(-0.2), paging.left(-0.2)], out, pages=True, side="below", at=0.55)
    return d.picture(*CAPTIONS.words("machine"))


def figure_1(result):
    """Redraw Figure 1, the queues of the task scheduler, with a run's counts at each arrow."""
    p = parameters_of(result, Parameters, needed=True)
    went, both = _times(result), ("interactive", "communications")
    waits = result.values["page_waits"], result.values["io_waits"]

    def times(what, kind, *types):
        return f"{what}\n{sum(went.at[kind, of_type] for of_type in types):,}"

    d = Diagram(5.7)
    terminal = d.place("terminal", 0.72, 4.0, 1.3, 0.8, "think time", kind="outside")
    delay = d.place("delay", 0.72, 0.95, 1.3, 0.8, "of batch tasks", kind="outside")
    ready = d.queue("interactive", 2.72, 4.0, 1.45, 0.9, "ready queue", slots=2)
    batch = d.queue("batch", 2.72, 0.95, 1.45, 0.9, "ready queue", slots=2)
    activator = d.place(
        "activation", 4.2, 2.45, 1.15, 0.75, "working set\n≤ free core", kind="server"
    )
    active = d.frame("active", 6.0, 2.4, 1.86, 4.1)
    processor = d.queue("processor", 6.0, 3.7, 1.6, 0.75)
    paging = d.queue("paging", 6.2, 2.3, 1.2, 0.75)
    discs = d.queue("user I/O", 6.0, 0.85, 1.6, 0.75)
    d.arrow([terminal.right(), ready.left()], times("ready", "ready_anew", *both))
    d.arrow([delay.right(), batch.left()], times("ready", "ready", "batch"))
    down = [ready.right(), (4.2, 4.0), activator.top()]
    d.arrow(down, times("activations", "activate", *both), side="left", at=0.68, piece=1)
    up = [batch.right(), (4.2, 0.95), activator.bottom()]
    d.arrow(up, times("activations", "activate", "batch"), side="left", at=0.68, piece=1)
    d.arrow([activator.right(), (4.93, 2.45), (4.93, 3.7), processor.left()])
    over = [active.top(-0.5), (5.5, 4.75), (2.72, 4.75), ready.top()]
    d.arrow(over, times("slice runs out", "run_out", *both).replace("\n", " "), at=0.4)
    over = [active.top(0.3), (6.3, 5.25), (0.72, 5.25), terminal.top()]
    d.arrow(over, times("responses", "response", *both).replace("\n", " "))
    under = [active.bottom(), (6.0, 0.12), (0.72, 0.12), delay.bottom()]
    d.arrow(under, times("slice runs out", "run_out", "batch").replace("\n", " "))
    d.arrow([processor.bottom(-0.05), paging.top(-0.25)], f"page waits\n{waits[0]:,}", both=True)
    d.arrow(
        [processor.bottom(-0.6), discs.top(-0.6)], f"I/O waits\n{waits[1]:,}", both=True, at=0.8
    )
    return d.picture(*CAPTIONS.words("figure_1", minutes=p.measured_s / 60))


def _times(result):
    """Return how often each event happened while measured: by kind and by type of task.

    ``ready_anew`` counts tasks that became ready for another reason than the end of a slice.
    """
    if result.values["trace_full"] or not result.trace.size:
        raise ValueError("The figure counts events: simulate with a larger trace.")
    events = result.trace_frame()
    types = np.repeat(result.by_class["task_type"], result.by_class["tasks"])
    events["type"] = types[events["actor"]]
    events = events[events["time_s"] > result.parameters.settle_s]
    names = ["interactive", "communications", "batch"]
    found = pd.crosstab(events["kind"], events["type"]).reindex(columns=names, fill_value=0)
    found = found.reindex(["ready", "activate", "run_out", "response"], fill_value=0)
    found.loc["ready_anew"] = found.loc["ready"] - found.loc["run_out"]
    return found
