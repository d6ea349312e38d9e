"""The closed central-server network in SimPy: a process per customer, a Resource per station.

The generators are Python's own, one for each purpose: drawing one number at a time
they are faster than NumPy's. An event is counted whenever a think or a service ends,
as the other two versions count an alarm that goes off.
"""

import random

import simpy

from benchmarks.central_server import CPU_S, CUSTOMERS, DISC_S, DISCS, P_THINK, THINK_S


class CentralServer:
    """A network whose customers all begin to think at time zero.

    Parameters
    ----------
    seed : int
        The same seed, the same run.
    """

    def __init__(self, seed):
        self.environment = simpy.Environment()
        self.cpu = simpy.Resource(self.environment)
        self.discs = [simpy.Resource(self.environment) for _ in range(DISCS)]
        purposes = ("think", "cpu", "disc", "route")
        self.random = {purpose: random.Random(f"{seed} {purpose}") for purpose in purposes}
        self.events = 0
        self.served = 0
        self.responses = 0
        self.response_s = 0.0
        for _ in range(CUSTOMERS):
            self.environment.process(self.customer())

    def delay(self, purpose, mean_s):
        """Wait an exponential time, and count its end as an event."""
        yield self.environment.timeout(self.random[purpose].expovariate(1.0 / mean_s))
        self.events += 1

    def customer(self):
        """Think, then use the CPU and the discs until routed back to think."""
        route = self.random["route"]
        while True:
            yield from self.delay("think", THINK_S)
            submitted_s = self.environment.now
            while True:
                with self.cpu.request() as turn:
                    yield turn
                    yield from self.delay("cpu", CPU_S)
                self.served += 1
                if route.random() < P_THINK:
                    break
                with self.discs[route.randrange(DISCS)].request() as turn:
                    yield turn
                    yield from self.delay("disc", DISC_S)
            self.responses += 1
            self.response_s += self.environment.now - submitted_s

    def run(self, seconds):
        """Run the network for so many seconds of its own time."""
        self.environment.run(until=self.environment.now + seconds)

    def counts(self):
        """Return the clock, CPU services ended, responses ended, their summed times."""
        return self.environment.now, self.served, self.responses, self.response_s
