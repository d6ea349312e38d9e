"""Swapping in queueing models: Strauss 1971 and Chen 1975.

Neither paper was at hand. What is here rests on what Brachman's thesis (section 3.1) says of them,
on Chen's abstract and on what is generally known; each function says what was assumed. Brachman's
own model is in `perfkit.analytic.swapping`, Kleinrock's in `round_robin`. Times are in s.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perfkit.analytic.checks import MOST_LISTED, count, not_negative, one, positive, share, vector
from perfkit.analytic.multiprogramming import Terminals, memory_constrained, subsystem_throughput
from perfkit.analytic.records import Record


@dataclass(frozen=True, eq=False)
class SwappingNetwork(Record):
    """Users at terminals of a swapping system, in the steady state.

    Attributes
    ----------
    terminals : Terminals
        Throughput, response time and the distribution of active users.
    swap_probability : float
        Share of interactions that need a swap.
    device : tuple of str
        Those given, and the swap channel last where the swaps have one of their own.
    utilization, queue_length : numpy.ndarray, shape (devices,)
        Of each device; users in service are in the queue.
    iterations : int
        Rounds until the swap probability stood still.
    """

    terminals: Terminals
    swap_probability: float
    device: tuple
    utilization: np.ndarray
    queue_length: np.ndarray
    iterations: int
    index = "device"


def swap_in_probability(users, places):
    """Return the chance that a user who stops thinking finds his program swapped out.

    Assumed: memory holds the programs of the active, and its remaining places those of
    thinking users, any of them with equal chance. With k others active a program is in memory
    with chance (places - k) / (users - k), within 0 and 1.

    Parameters
    ----------
    users, places : int
        Users, and programs that memory holds.

    Returns
    -------
    numpy.ndarray, shape (users,)
        For k = 0 to users - 1 others active.
    """
    users, places = count("users", users, most=MOST_LISTED), count("places", places)
    active = np.arange(users)
    return 1.0 - np.clip((places - active) / (users - active), 0.0, 1.0)


def swapping_network(
    users,
    think_time_s,
    demands_s,
    swap_time_s,
    swap_probability,
    most_loaded=None,
    swap_device=None,
):
    """Solve a closed network whose routing to the swap channel depends on the state.

    Chen ("Queueing network model of interactive computing systems", Proc. IEEE 63, 1975) gave
    the chance of a swap-in as a factor of the state and solved by iteration over Buzen's
    method. Here: with a mean chance the network has product form; its steady state says what
    users see who stop thinking, thus a new mean chance, and so on until it stands still. Exact
    if the chance does not depend on the state. Assumed: one swap channel, a swap before an
    interaction and none within, all devices first come, first served and exponential.

    Parameters
    ----------
    users : int
        Users N at terminals.
    think_time_s : float
        Mean think time, above zero.
    demands_s : array_like of float, shape (devices,)
        Demand of an interaction at each device other than the swap channel.
    swap_time_s : float
        Time of the swap channel for one swap-in and what it pushes out.
    swap_probability : array_like of float, shape (users,)
        Chance of a swap with 0 to N - 1 others active; `swap_in_probability` gives one.
    most_loaded : int, optional
        Programs that may be active at once, the others wait as in `memory_constrained`; no
        limit if not given (Chen's, as assumed).
    swap_device : int, optional
        The device that serves swaps too, from 0; they have a channel of their own, the last
        device of the result, if not given.

    Raises
    ------
    ValueError
        If the iteration does not come to rest.
    """
    users = count("users", users)
    positive("think_time_s", one("think_time_s", think_time_s))
    demands = not_negative("demands_s", vector("demands_s", demands_s))
    swap_time_s = not_negative("swap_time_s", one("swap_time_s", swap_time_s))
    chance = share("swap_probability", vector("swap_probability", swap_probability))
    if chance.size != users:
        raise ValueError(f"swap_probability must have {users} numbers, not {chance.size}.")
    limit = users if most_loaded is None else count("most_loaded", most_loaded)
    devices = [f"device {i}" for i in range(1, demands.size + 1)]
    if swap_device is None:
        demands, swap_device = np.append(demands, 0.0), demands.size
        devices.append("swap channel")
    if count("swap_device", swap_device, 0) >= demands.size:
        raise ValueError(f"swap_device must be below {demands.size}, not {swap_device}.")
    swapping = swap_time_s * (np.arange(demands.size) == swap_device)
    mean = chance.min()
    for iteration in range(1, 10_001):
        all_demands = demands + mean * swapping
        curve = subsystem_throughput(all_demands, min(limit, users))
        found = memory_constrained(users, think_time_s, curve)
        seen = found.active_probability[:-1] * np.arange(users, 0, -1)
        before, mean = mean, float(seen @ chance / seen.sum())
        if abs(mean - before) < 1e-12:
            return _network(found, mean, devices, all_demands, curve, iteration)
    raise ValueError("The chance of a swap did not come to rest; is the network near a jump?")


def _network(found, mean, devices, demands, curve, iteration):
    """Average each device's queue, by exact MVA at each load, over the loads."""
    queue = np.zeros((curve.size + 1, demands.size))
    for load, throughput in enumerate(curve, 1):
        queue[load] = throughput * demands * (1.0 + queue[load - 1])
    loaded = np.minimum(np.arange(found.terminals + 1), curve.size)
    return SwappingNetwork(
        terminals=found,
        swap_probability=mean,
        device=tuple(devices),
        utilization=found.throughput_per_s * demands,
        queue_length=found.active_probability @ queue[loaded],
        iterations=iteration,
    )


class SwappedWork(NamedTuple):
    """A class of work in `limiting_resource`, by means of one interaction or job.

    Attributes
    ----------
    customers : int
        Users, or jobs kept in the system.
    think_time_s : float
        Mean think time; zero for jobs.
    loads : float
        Times that the program is brought into memory, on average.
    swap_s : float
        Swap channel's time for one load, the swap-out with it.
    processor_s, file_s : float
        Processor and file channel time of the whole interaction or job.
    """

    customers: int
    think_time_s: float
    loads: float
    swap_s: float
    processor_s: float
    file_s: float


@dataclass(frozen=True, eq=False)
class LimitingResource(Record):
    """What the limiting resource leaves to each class of work.

    Attributes
    ----------
    limiting : str
        The busiest resource: ``swap``, ``processor`` or ``file``.
    saturated : bool
        Whether it is always busy. If not, there are too few customers to saturate anything, the
        model does not hold, and the numbers are the least response and greatest throughput.
    throughput_per_s, response_time_s : dict
        By class of work, ``interactive`` and, where given, ``batch``.
    utilization : dict
        By resource.
    loads_per_s : float
        Programs brought into memory; the places in memory over it are their mean stay in s.
    """

    limiting: str
    saturated: bool
    throughput_per_s: dict
    response_time_s: dict
    utilization: dict
    loads_per_s: float

    def to_frame(self):
        """Return one row per class of work."""
        import pandas as pd

        columns = {k: getattr(self, k) for k in ("throughput_per_s", "response_time_s")}
        return pd.DataFrame(columns).rename_axis("work")


def limiting_resource(interactive, batch=None, batch_share=0.0, file_on_swap_channel=False):
    """Return throughput and response where one resource is always busy.

    Strauss ("A simple thruput and response model of EXEC8 under swapping saturation", FJCC
    1971) takes means and lets each swap start as the last one ends; the swap channel then sets
    the pace of interactive and batch work. Assumed: the loads are shared between the two by
    ``batch_share``; whichever resource that mix fills first is the limit, so that a system
    bound by another one comes out too. A class with too few users or jobs to ask for its share,
    as nobody can be served faster than alone, leaves the rest to the other one. Response is
    N / X - Z and never less than the class's demands.

    Parameters
    ----------
    interactive : SwappedWork
    batch : SwappedWork, optional
    batch_share : float, optional
        Share of the loads that are batch's, above 0 and below 1 if there is batch.
    file_on_swap_channel : bool, optional
        Whether files and swaps share a channel, as on the PDP-11 of Brachman.
    """
    works = [interactive] if batch is None else [interactive, batch]
    part = share("batch_share", one("batch_share", batch_share))
    if (part == 0) != (batch is None) or part == 1:
        raise ValueError(
            "batch_share must be above 0 and below 1 with batch work, and 0 without it,"
            f" not {part}."
        )
    demands = np.array([_demands(work, file_on_swap_channel) for work in works])
    loads = np.array([work.loads for work in works], float)
    shares = np.array([1.0 - part, part])[: len(works)]
    throughput = _paced(demands, shares / loads)
    customers = np.array([work.customers for work in works], float)
    thinks = np.array([work.think_time_s for work in works], float)
    _hold_to_customers(throughput, customers / (thinks + demands.sum(axis=1)), demands)
    busy = dict(zip(("swap", "processor", "file"), (throughput @ demands).tolist(), strict=True))
    limiting = max(busy, key=busy.get)
    response = np.maximum(customers / throughput - thinks, demands.sum(axis=1))
    names = ("interactive", "batch")[: len(works)]
    return LimitingResource(
        limiting=limiting,
        saturated=busy[limiting] > 1 - 1e-9,
        throughput_per_s=dict(zip(names, throughput.tolist(), strict=True)),
        response_time_s=dict(zip(names, response.tolist(), strict=True)),
        utilization=busy,
        loads_per_s=float(throughput @ loads),
    )


def _demands(work, file_on_swap_channel):
    """Return a class's demands at swap channel, processor and file channel."""
    for name in SwappedWork._fields:
        one(name, getattr(work, name))
    count("customers", work.customers)
    not_negative("think_time_s", work.think_time_s)
    swap = positive("loads", work.loads) * not_negative("swap_s", work.swap_s)
    processor = not_negative("processor_s", work.processor_s)
    file = not_negative("file_s", work.file_s)
    positive("the sum of a class's demands", swap + processor + file)
    return (swap + file, processor, 0.0) if file_on_swap_channel else (swap, processor, file)


def _paced(demands, mix):
    """Return the throughputs in this mix that fill the busiest resource."""
    return mix / (mix @ demands).max()


def _hold_to_customers(throughput, most, demands):
    """Hold each class to the most it can ask for, in place, and give the other one the rest.

    The rest is never less than what the other one had, though rounding may make it seem so.
    """
    for held in np.flatnonzero(throughput > most):
        throughput[held] = most[held]
        for other in range(throughput.size):
            if other != held:
                used = demands[other] > 0
                spare = 1.0 - most[held] * demands[held][used]
                rest = max((spare / demands[other][used]).min(), throughput[other])
                throughput[other] = min(rest, most[other])
