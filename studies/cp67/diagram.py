"""CP-67 as a diagram: users, Q1, Q2 and its candidates, storage, drum and discs."""

import numpy as np

from perfkit.des.compiling import kernel
from perfkit.des.records import viewed
from perfkit.systems.cp67 import Parameters, draw_load
from perfkit.systems.cp67.memory import algorithm_2, choose_page
from perfkit.systems.cp67.state import DUSETIMR, Frame, Queue, new_machine, version_records
from studies.show.captions import Captions
from studies.show.diagrams import Diagram, Measured, lines, parameters_of

CAPTIONS = Captions("cp67")


def machine(result=None):
    """Draw the system; with a run's result arrows carry what it counted per second."""
    p = parameters_of(result, Parameters)
    of = Measured(result, p.days * p.measured_s)
    queues = ((p.t1_ms, "q1_users"), (p.t2_ms, "q2_users"))
    d = Diagram(5.0)
    users = d.place("users", 0.85, 3.9, 1.4, 0.9, "think; one\nis DUSETIMR", kind="outside")
    waiting = of.mean("users", "candidates")
    candidates = d.queue("candidates", 0.95, 2.6, 1.6, 0.8, waiting, slots=2)
    slices = [lines(f"slice {ms:g} ms", of.mean("users", of_queue)) for ms, of_queue in queues]
    q1 = d.queue("Q1", 3.5, 3.9, 1.7, 0.9, slices[0])
    q2 = d.queue("Q2", 3.5, 2.6, 1.7, 0.9, slices[1])
    processor = d.place("processor", 6.05, 3.25, 1.6, 1.3, "Q1 first", kind="server")
    storage = d.place("storage", 0.95, 0.68, 1.6, 0.9, f"{p.frames} pages\na pointer cycles")
    drum = d.drum("drum", 3.75, 0.68, 1.5, 0.9)
    discs = d.disc("discs", 6.05, 0.68, 1.6, 1.0, f"{p.discs} drives")
    d.arrow([users.right(), q1.left()], of.rate("admissions\n", "q1_entries"))
    d.arrow([candidates.right(), q2.left()], of.rate("admissions\n", "q2_entries"))
    d.arrow([q1.right(), (4.8, 3.9), (4.8, 3.5), processor.left(0.25)])
    d.arrow([q2.right(), (4.8, 2.6), (4.8, 3.0), processor.left(-0.25)])
    over = [processor.top(), (6.05, 4.65), (0.85, 4.65), users.top()]
    d.arrow(over, of.rate("tasks ended ", "tasks_ended"))
    under = [processor.bottom(-0.6), (5.45, 1.97), (0.95, 1.97), candidates.bottom()]
    d.arrow(under, "slice used up", side="below")
    faults = [processor.bottom(-0.3), (5.75, 1.4), (3.75, 1.4), drum.top()]
    d.arrow(faults, of.rate("page faults ", "faults"), side="above", at=0.52)
    d.arrow([processor.bottom(0.2), discs.top(0.2)], of.rate("SIO\n", "disc_ios"), both=True)
    d.arrow([drum.left(0.2), storage.right(0.2)], of.rate("page reads\n", "page_reads"), pages=True)
    writes = of.rate("page writes\n", "page_writes")
    d.arrow([storage.right(-0.2), drum.left(-0.2)], writes, pages=True, side="below")
    return d.picture(*CAPTIONS.words("machine"))


def clock(
    bits=(1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1), in_queue=(1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1), hand=0
):
    """Draw which page each of the two algorithms takes from one state of storage.

    ``bits`` are the pages' reference bits; ``in_queue`` is 1 for each page whose owner is in Q1
    or Q2 (the bits of others are off); ``hand`` is the page that the pointer stands on.

    Both decisions are those of the simulator, which is given this state.
    """
    said = {algorithm: decide(bits, in_queue, hand, algorithm) for algorithm in (1, 2)}
    d, count = Diagram(5.3), len(bits)
    centre, face, words, arc = np.array([4.45, 2.65]), 1.62, {1: 2.13, 2: 1.1}, {1: 2.45, 2: 0.78}

    def at(page, radius):
        angle = np.pi / 2 - 2 * np.pi * page / count
        return centre + radius * np.array([np.cos(angle), np.sin(angle)])

    for page, looks in enumerate(zip(bits, in_queue, strict=True)):
        _page(d, page, *at(page, face), *looks)
    d.arrow([centre, at(hand, 0.65)])
    d.text(*centre - (0, 0.15), "pointer")
    for algorithm, choices in said.items():
        last = len(choices) - 1
        for page, choice in choices.items():
            weight = "bold" if choice == "take" else "normal"
            d.text(*at(page, words[algorithm]), choice, weight=weight)
        if last > 0:
            d.arrow([at(hand + k, arc[algorithm]) for k in np.linspace(0.15, last, 40)])
    d.text(*at(hand - count / 16, 2.42), "Algorithm 1", style="italic")
    d.text(*at(hand + count / 2, 0.55), "Algorithm 2", style="italic")
    for k, (what, looks) in enumerate(
        {"bit on": (1, 1), "bit off": (0, 1), "not in queue": (0, 0)}.items()
    ):
        _page(d, "", 0.35, 4.9 - 0.55 * k, *looks)
        d.text(0.7, 4.9 - 0.55 * k, what, ha="left")
    d.text(0.12, 3.2, "clear: turn the bit\noff and pass", ha="left")
    return d.picture(
        *CAPTIONS.words(
            "clock",
            choices=" ".join((_told(algorithm, choices) for algorithm, choices in said.items())),
        )
    )


def _page(d, name, x, y, bit, queued):
    """Draw a page: dark with its bit on, a broken line if its owner is not in queue."""
    fill, ink = ("0.3", "white") if bit else ("white" if queued else "0.9", "black")
    d.mark(name, x, y, 0.23, fill, broken=not queued, color=ink, size=10)


def _told(algorithm, choices):
    """Return one algorithm's decisions as a sentence."""
    passed = [f"{page} ({choice})" for page, choice in choices.items() if choice != "take"]
    taken = next(page for page, choice in choices.items() if choice == "take")
    return f"Algorithm {algorithm} comes to pages {', '.join(passed) or 'none'}, takes {taken}."


@kernel
def _take(machine, own):
    return choose_page(machine, own)


def decide(bits, in_queue, hand, algorithm):
    """Return what the simulator's algorithm 1 or 2 says of each page that its pointer comes to.

    By page, in the pointer's order: "pass", "clear" (the bit is turned off) or "take".
    """
    _check_state(bits, in_queue, hand)
    count = len(bits)
    p = Parameters(frames=count, algorithm=algorithm, users=1.0, swing=0.0, day_users_sd=0.0)
    load = draw_load(p, 0, 0)
    m = viewed(new_machine(p, load, version_records(p, None), np.zeros(1, int), 0))
    m.users.queue[DUSETIMR] = Queue.Q1
    m.frames.state[:] = Frame.HELD
    m.frames.owner[:] = [DUSETIMR if queued else DUSETIMR + 1 for queued in in_queue]
    m.frames.page[:] = np.arange(count)
    m.frames.bit[:] = bits
    m.kernel.pointer, m.kernel.idle_frames = hand, count - sum(in_queue)
    taken = _take(m, algorithm_2)
    order = [(hand + k) % count for k in range(count)]
    seen = order[: order.index(taken)] if m.kernel.trips == 0 or algorithm == 1 else order
    off = np.asarray(bits) > m.frames.bit
    seen = {page: "clear" if off[page] else "pass" for page in seen if page != taken}
    return seen | {taken: "take"}


def _check_state(bits, in_queue, hand):
    """Refuse a state that storage can't be in."""
    if not 4 <= len(bits) <= 24 or len(bits) != len(in_queue):
        raise ValueError("bits and in_queue must be of one length, from 4 to 24 pages.")
    if not {*bits, *in_queue} <= {0, 1}:
        raise ValueError("bits and in_queue must be 0 or 1 for each page.")
    if any(bit > queued for bit, queued in zip(bits, in_queue, strict=True)):
        raise ValueError("bits must be 0 where in_queue is: they are turned off as a user leaves.")
    if not 0 <= hand < len(bits):
        raise ValueError(f"hand must be a page from 0 to {len(bits) - 1}; {hand} is not.")
