"""TSS/360 as a diagram: tasks in three queues, main storage, paging drums and discs, data sets."""

from perfkit.core.wording import short
from perfkit.systems.tss360 import Parameters
from perfkit.systems.tss360.state import Event
from studies.show.captions import Captions
from studies.show.diagrams import DIGITS, Diagram, Measured, parameters_of

CAPTIONS = Captions("tss360")


def machine(result=None):
    """Draw the machine; with a run's result arrows carry what it counted per second."""
    p = parameters_of(result, Parameters)
    of = Measured(result)
    d = Diagram(5.65, "TSS/360: three queues and a storage")
    think = "users think"
    if result is not None:
        think = f"{short(result.N_t - result.N_e - result.N_d, DIGITS)} users think"
    inactive = d.place("inactive", 0.95, 4.7, 1.6, 0.8, think, kind="outside")
    eligible = d.queue("eligible", 3.35, 4.7, 1.6, 0.8, of.mean("tasks", "N_e"))
    tasks = d.queue("dispatchable", 5.95, 4.7, 1.8, 0.8, of.mean("tasks", "N_d"))
    processor = d.place("processor", 5.95, 3.0, 1.8, 0.8, kind="server")
    data = d.disc("data sets", 0.95, 3.15, 1.6, 0.95, f"{p.data_discs} discs")
    drum = d.drum("drums", 0.95, 1.85, 1.65, 0.75, f"{p.drums} for paging")
    disc = d.disc("discs", 0.95, 0.5, 1.65, 0.85, f"{p.discs} for paging")
    d.frame(f"main storage: {p.memory_pages} pages", 5.0, 1.2, 3.8, 2.1)
    held = f"{p.supervisor_pages} pages"
    d.place("supervisor", 4.1, 1.45, 1.75, 0.75, held, kind="outside")
    d.place("available", 5.95, 1.45, 1.75, 0.75, of.mean("frames", "P_a"))
    d.place("sharable", 4.1, 0.58, 1.75, 0.75, of.mean("frames", "P_s"))
    d.place("private", 5.95, 0.58, 1.75, 0.75, of.mean("frames", "private_frames"))
    d.arrow([inactive.right(), eligible.left()], "active")
    d.arrow([eligible.right(), tasks.left()], of.rate("dispatches\n", "dispatches"))
    over = [tasks.top(), (5.95, 5.3), (0.95, 5.3), inactive.top()]
    d.arrow(over, of.rate("transaction done ", "TSE_done"), at=0.45)
    back = [tasks.bottom(-0.7), (5.25, 4.0), (3.35, 4.0), eligible.bottom()]
    d.arrow(back, of.rate("other slice ends ", "TSE_mp", "TSE_mq", "TSE_so"), side="below")
    d.arrow([tasks.bottom(0.2), processor.top(0.2)], both=True)
    accesses = of.rate("accesses ", "data_accesses")
    d.arrow([processor.left(), data.right(-0.15)], accesses, both=True)
    d.arrow([processor.bottom(), (5.95, 2.25)], of.rate("page faults ", "r_pf"), side="left")
    d.arrow([drum.right(), (3.1, 1.85)], of.rate("page reads\n", "drum_reads"), pages=True)
    d.arrow([disc.right(-0.1), (3.1, 0.4)], of.rate("page reads\n", "disc_reads"), pages=True)
    writes = of.rate("page writes\n", "page_writes")
    d.arrow([(3.1, 1.2), (1.65, 1.2), (1.65, 1.475)], writes, pages=True)
    d.arrow([(1.65, 1.2), (1.65, 0.925)], pages=True)
    d.arrow([drum.bottom(-0.7), disc.top(-0.7)], of.rate("migrations\n", "migrations"), pages=True)
    return d.picture(*CAPTIONS.words("machine", pages=p.memory_pages))


def figure_1(result):
    """Redraw Figure 1, the queues of tasks, with what went along each arrow in a run."""
    p, of = parameters_of(result, Parameters, needed=True), Measured(result)
    d = Diagram(4.7, "Figure 1: the queues of tasks")
    inactive = d.queue("inactive", 0.74, 2.6, 1.28, 0.95, "think", slots=0)
    eligible = d.queue("eligible", 2.85, 2.6, 1.6, 0.95, of.mean("tasks", "N_e"))
    tasks = d.queue("dispatchable", 5.95, 2.6, 1.9, 0.95, of.mean("tasks", "N_d"))
    d.arrow([inactive.right(), eligible.left()], _active(result))
    d.arrow([eligible.right(), tasks.left()], of.rate("P_max < P_eav\n", "dispatches"))
    over = [tasks.top(), (5.95, 4.2), (0.74, 4.2), inactive.top()]
    d.arrow(over, of.rate("not active: transaction done or cancelled ", "TSE_done"), at=0.5)
    causes = [
        ("P_max exceeded ", "TSE_mp", 1.6),
        ("processing limit ", "TSE_mq", 1.05),
        ("swap-out ", "TSE_so", 0.5),
    ]
    for k, (what, name, y) in enumerate(causes):
        shift = 0.3 * k - 0.3
        back = [tasks.bottom(shift), (5.95 + shift, y), (2.85 - shift, y), eligible.bottom(-shift)]
        d.arrow(back, of.rate(what, name))
    d.text(1.3, 1.05, "still active:\nanother slice")
    return d.picture(*CAPTIONS.words("figure_1", minutes=p.measured_s / 60.0))


def _active(result):
    """Return the label of tasks that become active: with a rate if the run was traced."""
    p, events = result.parameters, result.trace
    if not events.size or result.trace_full:
        return "active"
    since = events.time_ms > 1000.0 * p.settle_s
    times = (since & (events.kind == Event.ACTIVE)).sum()
    return f"active\n{short(times / p.measured_s, DIGITS)}/s"
