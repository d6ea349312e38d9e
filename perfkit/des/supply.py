"""Draws made beforehand, uniform and exponential, which handlers turn into what they need.

NumPy fills them in without the lock that Python's threads share. A machine has ``draws``, one row
per kind, and ``used``, how many of each row are used; its settings have ``draws_an_event``,
more than an event can use of a row. It may have tables of draws besides, each with an actor's
rows in order, such as ``demands``, with ``demands_used`` beside it; a handler that takes an
actor's last row sets ``kernel.rows_ended``.
"""

import numpy as np

from perfkit.des.compiling import inlined

UNIFORM, EXPONENTIAL = 0, 1


@inlined
def draw_uniform(m):
    """Return a machine's next draw from 0 to 1."""
    at = m.used[UNIFORM]
    m.used[UNIFORM] = at + 1
    return m.draws[UNIFORM, at]


@inlined
def draw_exponential(m):
    """Return a machine's next exponential draw of mean 1."""
    at = m.used[EXPONENTIAL]
    m.used[EXPONENTIAL] = at + 1
    return m.draws[EXPONENTIAL, at]


@inlined
def draws_run_low(m):
    """Return whether the draws left might not last for another event."""
    for kind in range(m.used.size):
        if m.used[kind] + m.settings.draws_an_event > m.draws.shape[1]:
            return True
    return m.kernel.rows_ended != 0


def shift(block, used):
    """Move the draws left to the front of a block; return what is to be filled behind them."""
    left = len(block) - used
    block[:left] = block[used:]  # what is left goes first: a run has one sequence of draws
    return block[left:]


class Supply:
    """Refills a machine's draws when they run low.

    ``streams`` has a Stream for each row of the machine's draws; for each table of rows there is a
    ``fill(actor, out)``, which writes an actor's next rows into ``out``.
    """

    def __init__(self, streams, **rows):
        self.streams = list(streams)
        self.rows = rows

    def refill(self, machine):
        """Refill all draws, and the rows of which more than half are used (modifies in place)."""
        for kind, stream in enumerate(self.streams):
            draw = stream.standard_exponential if kind == EXPONENTIAL else stream.random
            free = shift(machine.draws[kind], machine.used[kind])
            free[:] = draw(free.size)
        machine.used[:] = 0
        for name, fill in self.rows.items():
            table, used = getattr(machine, name), getattr(machine, f"{name}_used")
            for actor in np.flatnonzero(2 * used > table.shape[1]).tolist():
                fill(actor, shift(table[actor], used[actor]))
                used[actor] = 0
        machine.kernel.rows_ended = 0
        self.collect(machine)

    def collect(self, machine):
        """Take over what the machine has written down so far; for subclasses."""
