"""CP-67 as a diagram: users, Q1, Q2 and its candidates, storage, drum and discs."""

from perfkit.diagrams import Diagram, Measured, lines
from perfkit.systems.cp67 import Parameters


def machine(result=None):
    """Draw the system; with a run's result arrows carry what it counted per second.

    Parameters
    ----------
    result : Result, optional
        Its parameters are drawn, else the default ones.

    Returns
    -------
    perfkit.plots.Picture
    """
    p = Parameters() if result is None else result.parameters
    of = Measured(result, p.days * p.measured_s)
    queues = ((p.t1_ms, "q1_users"), (p.t2_ms, "q2_users"))
    d = Diagram(5.0)
    users = d.place("users", 0.85, 3.9, 1.4, 0.9, "think\nDUSETIMR too", kind="outside")
    waiting = of.mean("users", "candidates")
    candidates = d.queue("candidates", 0.95, 2.6, 1.6, 0.8, waiting, slots=2)
    slices = [lines(f"slice {ms:g} ms", of.mean("users", of_queue)) for ms, of_queue in queues]
    q1 = d.queue("Q1", 3.5, 3.9, 1.7, 0.9, slices[0])
    q2 = d.queue("Q2", 3.5, 2.6, 1.7, 0.9, slices[1])
    processor = d.place("processor", 6.05, 3.25, 1.6, 1.3, "Q1 first", kind="server")
    storage = d.place("storage", 0.95, 0.6, 1.6, 0.9, f"{p.frames} pages\na pointer cycles")
    drum = d.drum("drum", 3.75, 0.6, 1.5, 0.9)
    discs = d.disc("discs", 6.05, 0.6, 1.6, 1.0, f"{p.discs} drives")
    d.arrow([users.right(), q1.left()], of.rate("tasks\n", "q1_entries"))
    d.arrow([candidates.right(), q2.left()], of.rate("admissions\n", "q2_entries"))
    d.arrow([q1.right(), (4.8, 3.9), (4.8, 3.5), processor.left(0.25)])
    d.arrow([q2.right(), (4.8, 2.6), (4.8, 3.0), processor.left(-0.25)])
    over = [processor.top(), (6.05, 4.65), (0.85, 4.65), users.top()]
    d.arrow(over, of.rate("tasks ended ", "tasks_ended"))
    under = [processor.bottom(-0.6), (5.45, 1.97), (0.95, 1.97), candidates.bottom()]
    d.arrow(under, "slice used up", side="below")
    faults = [processor.bottom(-0.3), (5.75, 1.4), (3.75, 1.4), drum.top()]
    d.arrow(faults, of.rate("page faults ", "faults"), side="above", at=0.52)
    d.arrow([processor.bottom(0.3), discs.top(0.3)], of.rate("SIO\n", "disc_ios"), both=True)
    d.arrow([drum.left(0.2), storage.right(0.2)], of.rate("page reads\n", "page_reads"), pages=True)
    writes = of.rate("page writes\n", "page_writes")
    d.arrow([storage.right(-0.2), drum.left(-0.2)], writes, pages=True, side="below")
    return d.picture(
        "The system. Q1 and Q2 are in queue and share processor and storage; candidates wait"
        " until storage has room. Broken arrows are pages.",
        "A user's task begins in Q1. One that has used up its slice becomes a candidate for Q2 and"
        " enters when there is room. Missing pages come from the drum, virtual SIOs go to discs.",
    )
