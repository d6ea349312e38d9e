"""Events per second of the alarm core by number of actors, in Numba and in C++.

Each actor that comes up sets its next alarm an exponential time later, and that is all. So every
alarm is set, and from some thousand actors on the tree no longer fits the processor's caches.
"""

import math
import statistics
import time

import numpy as np

from benchmarks.figures import ImpossibleFigure, event_seconds, possible
from perfkit.des.alarms import new_alarms, next_actor, set_alarm
from perfkit.des.compiling import kernel

ACTORS = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
EVENTS, ROUNDS = 3_000_000, 3


@kernel
def hold(alarms, generator, events):
    """Let alarms go off and be set again (modifies all in place)."""
    for _ in range(events):
        actor = next_actor(alarms)
        time_s = alarms.time[actor] + generator.standard_exponential()
        set_alarm(alarms, actor, time_s)


def time_numba(actors, events):
    """Return the seconds of so many events after as many to warm up, and the simulated time."""
    alarms = new_alarms(actors)
    generator = np.random.default_rng(1)
    for actor, time_s in enumerate(generator.standard_exponential(actors).tolist()):
        set_alarm(alarms, actor, time_s)
    hold(alarms, generator, events)
    before_s = alarms.time[next_actor(alarms)]
    start = time.perf_counter()
    hold(alarms, generator, events)
    return time.perf_counter() - start, alarms.time[next_actor(alarms)] - before_s


def event_s(name, timer, actors, events):
    """Return the seconds of an event; so many actors must have had so many events meanwhile."""
    taken_s, simulated_s = timer(actors, events)
    if abs(simulated_s * actors / events - 1.0) > 5.0 / math.sqrt(events):
        raise ImpossibleFigure(f"{name}: {actors} actors had {events} events in {simulated_s} s.")
    return event_seconds(f"{name}, {actors} actors", taken_s / events)


def main(run_cpp=None, events=EVENTS):
    """Print events per second by number of actors.

    Parameters
    ----------
    run_cpp : callable, optional
        Takes ``actors`` and ``events`` as ``time_numba`` does; None without C++.
    events : int
    """
    print(f"\nThe alarm core alone, median of {ROUNDS}: millions of events per second")
    timers = {"Numba": time_numba} | ({"C++ -O3": run_cpp} if run_cpp else {})
    for actors in ACTORS:
        rounds = [
            [event_s(name, timer, actors, events) for name, timer in timers.items()]
            for _ in range(ROUNDS)
        ]
        own, *others = (statistics.median(each) for each in zip(*rounds, strict=True))
        told = f"{actors:>9,} actors{1e-6 / own:9.2f}"
        for other in others:
            ratio = statistics.median(mine / theirs for mine, theirs in rounds)
            possible("The time over C++", ratio, 0.1, 100.0)
            told += f"   C++ -O3{1e-6 / other:9.2f}   time over C++ {ratio:5.2f}"
        print(told)
