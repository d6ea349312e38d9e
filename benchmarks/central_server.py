"""The closed central-server network on perfkit.des.

Customers think, then alternate between one processor (CPU) and three discs until
a routing decision sends them back to think. All times are exponential, all queues
first come, first served. Times are in seconds.
"""

import functools
import zlib
from typing import NamedTuple

import numba
import numpy as np
from numba import types

from perfkit.des.alarms import Alarms, clear_alarm, new_alarms, next_actor, set_alarm
from perfkit.des.compiling import COMPILED, PolicyKind, event_loop, kernel
from perfkit.des.read_only import read_only, read_only_type

CUSTOMERS = 50
THINK_S = 5.0
CPU_S = 0.010
DISC_S = 0.040
P_THINK = 0.05

# Actors: the stations first, then the customers, whose alarm ends their thinking.
CPU = 0
FIRST_DISC = 1
DISCS = 3
FIRST_CUSTOMER = FIRST_DISC + DISCS
TO_THINK = -1

STATION = np.dtype(
    [("length", "i8"), ("first", "i8"), ("last", "i8"), ("served", "i8")], align=True
)
CUSTOMER = np.dtype([("behind", "i8"), ("submitted_s", "f8")], align=True)
CLOCK = np.dtype([("now_s", "f8"), ("response_s", "f8"), ("responses", "i8")], align=True)

# Handlers that LLVM won't inline unasked, for its draws make them long: each call would
# hand over the whole network, some sixty words, and take a third of a run's time.
inlined = numba.njit(cache=True, nogil=True, _nrt=False, forceinline=True)


class Network(NamedTuple):
    """The whole state of a run.

    Attributes
    ----------
    alarms : Alarms
        Of the CPU, the discs and the thinking customers.
    stations : record array of STATION, shape (1 + DISCS,)
        Queues as linked lists over the customers, so that none can overflow.
    customers : record array of CUSTOMER
        Who stands behind each, and when it last submitted a request.
    clock : record of CLOCK
        The time, and the sum and number of responses so far.
    think, cpu, disc, route : numpy.random.Generator
        One stream for each purpose.
    """

    alarms: Alarms
    stations: np.ndarray
    customers: np.ndarray
    clock: np.record
    think: np.random.Generator
    cpu: np.random.Generator
    disc: np.random.Generator
    route: np.random.Generator


@kernel
def think(network, customer):
    """A customer begins to think."""
    wake_s = network.clock.now_s + THINK_S * network.think.standard_exponential()
    set_alarm(network.alarms, FIRST_CUSTOMER + customer, wake_s)


@kernel
def serve(network, station):
    """A station begins to serve the first in its queue."""
    if station == CPU:
        service_s = CPU_S * network.cpu.standard_exponential()
    else:
        service_s = DISC_S * network.disc.standard_exponential()
    set_alarm(network.alarms, station, network.clock.now_s + service_s)


@kernel
def join(network, station, customer):
    """A customer joins a station's queue, and is served at once if alone."""
    queue = network.stations[station]
    if queue.length == 0:
        queue.first = customer
        serve(network, station)
    else:
        network.customers[queue.last].behind = customer
    queue.last = customer
    queue.length += 1


@inlined
def leave(network, station):
    """The first customer leaves a station, which serves the next; return who left."""
    queue = network.stations[station]
    customer = queue.first
    queue.length -= 1
    queue.served += 1
    if queue.length > 0:
        queue.first = network.customers[customer].behind
        serve(network, station)
    else:
        clear_alarm(network.alarms, station)
    return customer


@kernel
def thinking_ends(network, customer):
    """A customer submits a request and goes to the CPU."""
    clear_alarm(network.alarms, FIRST_CUSTOMER + customer)
    network.customers[customer].submitted_s = network.clock.now_s
    join(network, CPU, customer)


@inlined
def cpu_ends(network, target):
    """A CPU service ends; its customer goes to the target disc or back to think."""
    customer = leave(network, CPU)
    if target == TO_THINK:
        clock = network.clock
        clock.responses += 1
        clock.response_s += clock.now_s - network.customers[customer].submitted_s
        think(network, customer)
    else:
        join(network, target, customer)


@inlined
def disc_ends(network, station):
    """A disc service ends; its customer goes back to the CPU."""
    join(network, CPU, leave(network, station))


@kernel
def uniform_route(stations, u):
    """Return where a customer goes after the CPU: to think, or to one of the discs.

    Parameters
    ----------
    stations : record array of STATION
        The queues, for rules that look at them; this one does not.
    u : float
        A uniform draw in [0, 1).

    Returns
    -------
    int
        A disc's station number, or TO_THINK.
    """
    if u < P_THINK:
        return TO_THINK
    return FIRST_DISC + int((u - P_THINK) * (DISCS / (1.0 - P_THINK)))


@kernel
def run_built_in(network, events):
    """Run a network for a number of events, routing uniformly (modifies ``network``)."""
    alarms, clock = network.alarms, network.clock
    for _ in range(events):
        actor = next_actor(alarms)
        clock.now_s = alarms.time[actor]
        if actor == CPU:
            cpu_ends(network, uniform_route(network.stations, network.route.random()))
        elif actor < FIRST_CUSTOMER:
            disc_ends(network, actor)
        else:
            thinking_ends(network, actor - FIRST_CUSTOMER)


def run_policy(network, events, route):
    """Run a network for a number of events under a routing policy (modifies ``network``)."""
    alarms, clock = network.alarms, network.clock
    for _ in range(events):
        actor = next_actor(alarms)
        clock.now_s = alarms.time[actor]
        if actor == CPU:
            cpu_ends(network, route(read_only(network.stations), network.route.random()))
        elif actor < FIRST_CUSTOMER:
            disc_ends(network, actor)
        else:
            thinking_ends(network, actor - FIRST_CUSTOMER)


_STATIONS = read_only_type(types.Array(numba.from_dtype(STATION), 1, "C"))
routing_policy = PolicyKind("routing", types.int64(_STATIONS, types.float64), uniform_route)


@functools.cache
def uniform_routing():
    """Return the built-in rule as a routing policy."""
    return routing_policy.own()


@functools.cache
def _compiled_run(network_type):
    return event_loop(run_policy, network_type, types.int64, routing_policy.type)


def _generator(seed, purpose):
    """Return NumPy's own generator, whose exponential numbers cost what those of C++ do."""
    key = (zlib.crc32(purpose.encode()),)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def new_network(seed, customers=CUSTOMERS):
    """Return a network whose customers all begin to think at time zero.

    Parameters
    ----------
    seed : int
        The same seed, the same run.
    customers : int
        How many, at least 1.

    Returns
    -------
    Network
    """
    network = Network(
        new_alarms(FIRST_CUSTOMER + customers),
        np.zeros(FIRST_CUSTOMER, STATION).view(np.recarray),
        np.zeros(customers, CUSTOMER).view(np.recarray),
        np.zeros(1, CLOCK).view(np.recarray)[0],
        *(_generator(seed, purpose) for purpose in ("think", "cpu", "disc", "route")),
    )
    for customer in range(customers):
        think(network, customer)
    return network


def run(network, events, route=None):
    """Run a network for a number of events.

    Parameters
    ----------
    network : Network
        Modified in place.
    events : int
        How many alarms go off.
    route : callable, optional
        A function under ``@routing_policy``; defaults to the built-in rule.
    """
    if route is None:
        run_built_in(network, events)
    else:
        route = routing_policy.check(route)
        compiled = _compiled_run(numba.typeof(network)) if COMPILED else run_policy
        compiled(network, events, route)


def counts(network):
    """Return what a run has counted so far.

    Returns
    -------
    tuple
        The clock in seconds, CPU services ended, responses ended, their summed
        response times in seconds.
    """
    clock = network.clock
    return (
        float(clock.now_s),
        int(network.stations[CPU].served),
        int(clock.responses),
        float(clock.response_s),
    )
