"""Swapping in queueing models: Strauss 1971 and Chen 1975.

Neither paper was at hand. What is here rests on what Brachman's thesis (section 3.1) says of them,
on Chen's abstract and on what is generally known; each function says what was assumed. Brachman's
own model is in `perfkit.analytic.swapping`, Kleinrock's in `round_robin`. Times are in s.
"""

from dataclasses import dataclass

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

    Examples
    --------
    >>> swap_in_probability(6, 4).round(2).tolist()  # by how many others are active
    [0.33, 0.4, 0.5, 0.67, 1.0, 1.0]
    """
    users, places = count("users", users, most=MOST_LISTED), count("places", places)
    active = np.arange(users)
    return 1.0 - np.clip((places - active) / (users - active), 0.0, 1.0)


def swapping_network(
    users, think_time_s, demands_s, swap_time_s, swap_probability, most_loaded=None,
    swap_device=None,
):  # fmt: skip
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

    Examples
    --------
    >>> solution = swapping_network(6, 5.0, [0.2, 0.3], 0.05, swap_in_probability(6, 4))
    >>> round(float(solution.to_frame()["utilization"].max()), 2)
    0.32
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


@dataclass(frozen=True, eq=False)
class LimitingResource(Record):
    """What the limiting resource leaves to the users.

    Attributes
    ----------
    limiting : str
        The busiest resource: ``swap``, ``processor`` or ``file``.
    saturated : bool
        Whether it is always busy. If not, there are too few users to saturate anything, the
        model does not hold, and the numbers are the least response and greatest throughput.
    throughput_per_s, response_time_s : float
    """

    limiting: str
    saturated: bool
    throughput_per_s: float
    response_time_s: float


def limiting_resource(
    customers, think_time_s, loads, swap_s, processor_s, file_s, file_on_swap_channel=False
):
    """Return throughput and response where one resource is always busy.

    Strauss ("A simple thruput and response model of EXEC8 under swapping saturation", FJCC
    1971) takes means and lets each swap start as the last one ends; the swap channel then sets
    the pace. His batch work is left out. Assumed: whichever resource an interaction asks for
    longest is the limit, so that a system bound by another one is covered too. Too few users to
    saturate it are served as fast as alone. Response is N / X - Z and never less than the demands.

    Parameters
    ----------
    customers : int
        Users.
    think_time_s : float
        Mean think time.
    loads : float
        Times that the program is brought into memory for an interaction, on average.
    swap_s : float
        Swap channel's time for one load, the swap-out with it.
    processor_s, file_s : float
        Processor and file channel time of the whole interaction.
    file_on_swap_channel : bool, optional
        Whether files and swaps share a channel, as on the PDP-11 of Brachman.

    Examples
    --------
    >>> limit = limiting_resource(12, 5.0, 1.0, swap_s=0.1, processor_s=0.2, file_s=0.3)
    >>> limit.limiting, round(float(limit.throughput_per_s), 2)  # 12 / (5 + 0.6), not 1 / 0.3
    ('file', 2.14)
    """
    customers = count("customers", customers)
    think = not_negative("think_time_s", one("think_time_s", think_time_s))
    swap = positive("loads", one("loads", loads)) * not_negative("swap_s", one("swap_s", swap_s))
    processor = not_negative("processor_s", one("processor_s", processor_s))
    file = not_negative("file_s", one("file_s", file_s))
    demands = {"swap": swap, "processor": processor, "file": file}
    if file_on_swap_channel:
        demands |= {"swap": swap + file, "file": 0.0}
    alone = positive("the sum of the demands", sum(demands.values()))
    limiting = max(demands, key=demands.get)
    throughput = min(1.0 / demands[limiting], customers / (think + alone))
    return LimitingResource(
        limiting=limiting,
        saturated=bool(throughput * demands[limiting] > 1 - 1e-9),
        throughput_per_s=float(throughput),
        response_time_s=float(max(customers / throughput - think, alone)),
    )
