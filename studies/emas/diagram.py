"""EMAS as a diagram: terminals, processor, and the levels core, drum and disc."""

from perfkit.systems.emas import Parameters
from perfkit.systems.emas.state import DISCS
from studies.emas import timeline
from studies.emas.runs import trace_of
from studies.show.captions import Captions
from studies.show.diagrams import Diagram, Measured, lines, parameters_of

CAPTIONS = Captions("emas")
EVENTS = (  # of Table 5, where they are issued
    *((1, 1.6, 6.3), (1, 1.2, 5.68), (2, 3.72, 6.62), (2, 6.72, 6.55), (2, 3.9, 3.0)),
    *((3, 6.02, 4.29), (4, 4.85, 3.63), (21, 3.3, 3.9), (22, 2.65, 3.38), (28, 4.28, 2.6)),
    *((5, 6.13, 1.6), (6, 6.38, 1.6), (7, 5.08, 0.95), (12, 0.4, 3.05), (12, 1.2, 3.05)),
    *((9, 5.3, 0.25), (11, 5.6, 0.25), (19, 5.9, 0.25)),
)


def machine(result=None):
    """Draw the machine; with a run's result arrows carry what it counted per second."""
    p = parameters_of(result, Parameters)
    of = Measured(result, p.measured_s)
    d = Diagram(4.75, "Machine B: core, drum and disc")
    slices = f"slice {p.time_slice_ms:g} ms"
    processor = d.place("processor", 0.95, 4.05, 1.6, 1.0, slices, kind="server")
    asleep = f"{p.users} users think"
    terminals = d.place("terminals", 0.95, 2.35, 1.6, 0.8, asleep, kind="outside")
    inside = lines(f"{p.frames} pages", of.mean("processes", "multiprogramming"))
    core = d.place("core", 4.4, 4.05, 2.4, 1.0, inside)
    moved = lines(f"{p.drums} drums", result and of.rate("transfers ", "drum_operations"))
    drum = d.drum("drum", 4.4, 2.35, 2.4, 0.95, moved)
    moved = lines(f"{DISCS} discs", result and of.rate("transfers ", "disc_operations"))
    disc = d.disc("disc", 4.4, 0.6, 2.4, 1.05, moved)
    d.arrow([terminals.top(), processor.bottom()], of.rate("commands\n", "commands"), both=True)
    d.arrow([processor.right(), core.left()], of.rate("residences\n", "residences"), both=True)
    d.arrow([drum.top(-0.7), core.bottom(-0.7)], "preload", pages=True, side="left")
    d.arrow([drum.top(-0.3), core.bottom(-0.3)], "demand", pages=True)
    d.arrow([core.bottom(0.8), drum.top(0.8)], "removed", pages=True)
    loading = of.rate("cold wakes\n", "cold_wakes")
    d.arrow([disc.top(-0.7), drum.bottom(-0.7)], loading, pages=True, side="left")
    d.arrow(
        [drum.bottom(0.8), disc.top(0.8)],
        f"after {p.drum_hold_s:g} s\nasleep",
        pages=True,
        side="left",
    )
    d.arrow(
        [disc.right(), (6.2, 0.6), (6.2, 4.05), core.right()], "demand", pages=True, side="right"
    )
    return d.picture(*CAPTIONS.words("machine"))


def figure_2(result):
    """Redraw Figure 2, the management of a process, with how often each way was taken."""
    p, trace = parameters_of(result, Parameters, needed=True), trace_of(result)
    if trace.full or not trace.records.size:
        raise ValueError("The figure counts events: simulate with a larger trace.")
    went = timeline.ways(trace)

    def times(what, origins, targets):
        """Return a label with how often the ways from some stations to others were taken."""
        origin, target = (went.index.get_level_values(k) for k in ("from", "to"))
        chosen = origin.str.startswith(origins) & target.str.startswith(targets)
        return f"{what}{went[chosen].sum():,}"

    core, run = "core queue", "run queue"
    d = Diagram(7.0)
    asleep = d.place("asleep", 0.8, 6.3, 1.3, 0.8, kind="outside")
    storage = d.queue("active storage", 3.1, 6.3, 1.65, 0.6, slots=2)
    cores = d.frame("core queues", 5.85, 5.6, 2.1, 2.2)
    for k in range(5):
        joined = times("", "", f"{core} {k + 1}")
        d.queue("", 5.85, 6.22 - 0.33 * k, 1.9, 0.28, f"{k + 1}: {joined}")
    preload = d.place("preload", 5.85, 3.78, 1.6, 0.6, kind="server")
    suspended = d.place("suspended", 2.35, 3.78, 1.2, 0.5)
    runs = d.frame("run queues", 3.2, 2.4, 1.8, 1.5)
    for k in range(3):
        joined = times("", "", f"{run} {k}")
        d.queue("", 3.2, 2.7 - 0.33 * k, 1.6, 0.28, f"{k}: {joined}")
    processor = d.place("processor", 5.95, 2.4, 1.4, 0.9, kind="server")
    waits = d.place("page wait", 5.95, 0.95, 1.4, 0.6)
    removal = d.place("removed", 0.8, 2.4, 1.3, 0.8, "from core")
    d.arrow([asleep.right(), storage.left()], times("", "wakes", "active"), at=0.6)
    d.arrow([storage.right(), cores.left(0.7)], times("", "active", core))
    d.arrow([asleep.bottom(0.4), (1.2, 5.4), cores.left(-0.2)], times("wakes ", "wakes", core))
    d.arrow([cores.bottom(), preload.top()], times("residences ", core, "preload"), side="left")
    d.arrow([preload.left(0.12), suspended.right(0.12)], times("", "preload", "suspended"))
    d.arrow([suspended.bottom(0.3), runs.top(-0.55)])
    d.arrow(
        [preload.left(-0.15), (3.7, 3.63), runs.top(0.5)], times("", "preload", run), side="below"
    )
    d.arrow([runs.right(0.2), processor.left(0.2)], times("", run, "processor"), at=0.6)
    d.arrow([processor.left(-0.25), runs.right(-0.25)], times("", "processor", run), side="below")
    d.arrow(
        [processor.bottom(), waits.top()], times("demand ", "processor", "page wait"), side="left"
    )
    d.arrow(
        [waits.left(), (3.2, 0.95), runs.bottom()], times("page arrives ", "page wait", run), at=0.6
    )
    corners = [(6.55, 1.5), (6.85, 1.5), (6.85, 0.25), (0.8, 0.25)]
    out = [processor.bottom(0.6), *corners, removal.bottom()]
    d.arrow(out, times("sleeps, overruns or log-out ", "processor", "removal"))
    d.arrow([removal.top(-0.4), asleep.bottom(-0.4)], times("", "removed", "wakes"))
    d.arrow(
        [removal.top(0.4), (1.2, 4.9), cores.left(-0.7)], times("new category ", "removed", core)
    )
    for number, x, y in EVENTS:
        d.mark(number, x, y)
    minutes = p.measured_s / 60.0
    return d.picture(*CAPTIONS.words("figure_2", minutes=minutes))
