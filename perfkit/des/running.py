"""How a machine is run: the event loop with its policies, compiled, stopped and refilled.

A system's loop is ``run(machine, *policies, until_ms)``. It leaves in ``machine.kernel.stop`` why
it ended: a member of the system's Stop, of which NONE and DRAWS_USED are the first two. NONE stands
while the loop goes on, and still when only the time has stopped it.
"""

import functools

from numba import typeof, types

from perfkit.des.alarms import next_actor
from perfkit.des.compiling import COMPILED, event_loop, failures_named, inlined, look
from perfkit.des.lists import NOBODY
from perfkit.des.supply import draws_run_low

NONE, DRAWS_USED = 0, 1


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

    def until(self, machine, until_ms, refill=None, **given):
        """Run a machine until a time (in place), compiled unless Numba is switched off.

        ``refill(machine)`` makes new draws. A reader's policies are given by the names of their
        kinds, None for the system's own rule. A RuntimeError says that a policy failed, or why the
        run can't go on.
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
            if machine.kernel.stop != DRAWS_USED:
                break
            refill(machine)
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
    # Before the event, not within it: a handler can't stop halfway and be done again.
    if draws_run_low(m):
        k.stop = DRAWS_USED
        return NOBODY
    actor = next_actor(m.alarms)
    if m.alarms.time[actor] > until_ms:
        k.now_ms = until_ms
        return NOBODY
    k.now_ms = m.alarms.time[actor]
    k.events += 1
    return actor
