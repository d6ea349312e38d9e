"""How a machine is run: the event loop with its policies, compiled, and why it stopped.

A system's loop is ``run(machine, *policies, until_ms)``, and draws the load itself. It leaves in
``machine.kernel.stop`` why it ended: a member of the system's Stop. NONE, the first, stands while
the loop goes on, and still when only the time has stopped it. Where a system's log can fill, the
second is LOG_FULL.
"""

import functools

import numpy as np
from numba import typeof, types

from perfkit.des.alarms import next_actor
from perfkit.des.compiling import COMPILED, event_loop, failures_named, inlined, look
from perfkit.des.lists import NOBODY

NONE, LOG_FULL = 0, 1


class Log:
    """What a machine has written into one of its tables, taken over whenever that is full.

    ``table`` is the table's name, ``count`` that of the kernel's count of its records.
    """

    def __init__(self, table, count):
        self.table, self.count = table, count
        self.parts = []

    def take(self, machine):
        """Take over what there is, and let the machine begin its table anew."""
        written = machine.kernel[self.count]
        self.parts.append(getattr(machine, self.table)[:written].copy())
        machine.kernel[self.count] = 0

    def taken(self, machine):
        """Return all records up to now, in order."""
        self.take(machine)
        return np.concatenate(self.parts).view(np.recarray)


class Loop:
    """A system's event loop with the policies it takes, compiled once per type of machine.

    ``run(machine, *policies, until_ms)`` takes a policy of each of ``kinds``, in order.
    ``refusals`` has a sentence for each further member of Stop; ``arguments(machine)`` returns what
    the only policy is asked with: see ``failures_named``.
    """

    def __init__(self, run, *kinds, refusals=None, arguments=None):
        self.run = run
        self.kinds = kinds
        self.refusals = refusals or {}
        self.arguments = arguments
        self._compiled = {}
        self._own = functools.cache(lambda kind: kind.own())

    def until(self, machine, until_ms, empty=None, **given):
        """Run a machine until a time (in place), compiled unless Numba is switched off.

        ``empty(machine)`` takes a full log over: see ``Log``. A reader's policies are given by the
        names of their kinds, None for the system's own rule. A RuntimeError says that a policy
        failed, or why the run can't go on.
        """
        policies = [given.get(kind.name) for kind in self.kinds]
        rules = [
            self._own(kind) if policy is None else kind.check(policy)
            for kind, policy in zip(self.kinds, policies, strict=True)
        ]
        run = self._loop(machine) if COMPILED else self.run
        arguments = self.arguments and functools.partial(self.arguments, machine)
        while True:
            with failures_named(*policies, arguments=arguments):
                run(machine, *rules, until_ms)
            if empty is None or machine.kernel.stop != LOG_FULL:
                break
            empty(machine)
        if machine.kernel.stop != NONE:
            raise RuntimeError(self.refusals[int(machine.kernel.stop)])

    def _loop(self, machine):
        """Return the event loop compiled for machines that look like this one."""
        seen = look(machine)
        if seen not in self._compiled:
            kinds = (kind.type for kind in self.kinds)
            loop = event_loop(self.run, typeof(machine), *kinds, types.float64)
            (self._compiled[seen],) = loop.overloads.values()
        return self._compiled[seen].entry_point  # past Numba, which would find the types anew


@inlined
def next_event(m, until_ms):
    """Move the clock to the next alarm and return its actor; NOBODY if the loop must stop."""
    k = m.kernel
    actor = next_actor(m.alarms)
    if m.alarms.time[actor] > until_ms:
        k.now_ms = until_ms
        return NOBODY
    k.now_ms = m.alarms.time[actor]
    k.events += 1
    return actor
