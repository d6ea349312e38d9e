"""Terminals at a system whose memory holds a limited number of programs.

The system proper (processor, discs, paging device) is solved first, by itself, at each number
of programs in memory; its throughputs then stand for it as one server whose rate depends on
the load. What is left is a birth and death process in the number of users that do not think.
The decomposition is Courtois's and Brandwajn's; Sekino used one in his model of MULTICS
(MAC TR-103, 1972), which Anderson, Reiser and Galati name for TSS/360. N_e and N_d are theirs:
the eligible wait for memory, the dispatchable are in it.

Sekino's report was not at hand. Assumed: users alike, exponential think times, an entrance
limit in programs and not in pages, and many visits to the devices between two changes of the
number in memory. Without a limit and with product-form devices the result is exact.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import MOST_LISTED, count, not_negative, one, positive, vector
from perfkit.analytic.mva import mva_curve
from perfkit.analytic.records import Record


def steady_state(up, down):
    """Return the probabilities of a birth and death process with n + 1 states.

    Parameters
    ----------
    up, down : numpy.ndarray of float, shape (n,)
        Rates from state k to k + 1, zero or more, and back, above zero. Logarithms are summed,
        so that long chains neither overflow nor lose their digits.

    Examples
    --------
    >>> steady_state([1.0, 1.0], [1.0, 2.0]).round(2).tolist()
    [0.4, 0.4, 0.2]
    """
    with np.errstate(divide="ignore"):
        steps = np.log(up) - np.log(down)
    logs = np.concatenate(([0.0], np.cumsum(steps)))
    weight = np.exp(logs - logs.max())
    return weight / weight.sum()


def subsystem_throughput(demands_s, most_resident):
    """Return the throughput of queueing devices at each number of programs (exact MVA).

    Parameters
    ----------
    demands_s : array_like of float, shape (devices,)
        Service demand of one interaction at each device, in s; at least one above zero.
    most_resident : int
        Greatest number of programs.

    Returns
    -------
    numpy.ndarray, shape (most_resident,)
        Interactions per s with 1 to ``most_resident`` programs.

    Examples
    --------
    >>> subsystem_throughput([0.2, 0.3], 2).round(3).tolist()
    [2.0, 2.632]
    """
    demands = not_negative("demands_s", vector("demands_s", demands_s))
    positive("the sum of demands_s", demands.sum())
    most_resident = count("most_resident", most_resident)
    return mva_curve(demands, most_resident).throughput


@dataclass(frozen=True, eq=False)
class Terminals(Record):
    """Users at terminals of a system with a memory limit, in the steady state.

    Attributes
    ----------
    terminals, memory_limit : int
        Users, and programs that memory holds.
    throughput_per_s, response_time_s : float
        Interactions per s, and mean time from request to answer in s.
    thinking, eligible, dispatchable : float
        Mean numbers at the terminals, waiting for memory (N_e), in memory (N_d).
    eligible_time_s, dispatchable_time_s : float
        The response time's two parts, in s.
    active_probability : numpy.ndarray, shape (terminals + 1,)
        Probability that 0, 1, ... users do not think.
    """

    terminals: int
    memory_limit: int
    throughput_per_s: float
    response_time_s: float
    thinking: float
    eligible: float
    dispatchable: float
    eligible_time_s: float
    dispatchable_time_s: float
    active_probability: np.ndarray


def memory_constrained(terminals, think_time_s, throughput_by_load, memory_limit=None):
    """Solve terminals before a subsystem whose memory holds a limited number of programs.

    Parameters
    ----------
    terminals : int
        Users.
    think_time_s : float
        Mean think time in s; with zero all users are always active.
    throughput_by_load : array_like of float, shape (m,)
        Interactions per s that the subsystem completes with 1, 2, ... m programs in memory.
    memory_limit : int, optional
        Programs that memory holds, at most m; all m if not given. The others wait.

    Examples
    --------
    >>> served = subsystem_throughput([0.2, 0.3], 4)
    >>> solution = memory_constrained(20, 5.0, served)
    >>> round(solution.response_time_s, 2), round(solution.eligible, 1)
    (1.96, 2.2)
    """
    terminals = count("terminals", terminals, most=MOST_LISTED)
    think_time_s = not_negative("think_time_s", one("think_time_s", think_time_s))
    rates = positive("throughput_by_load", vector("throughput_by_load", throughput_by_load))
    limit = count("memory_limit", rates.size if memory_limit is None else memory_limit)
    if limit > rates.size:
        raise ValueError(
            f"memory_limit must be at most {rates.size}, the loads that throughput_by_load"
            f" tells of, not {limit}."
        )
    active = np.arange(terminals + 1)
    resident = np.minimum(active, limit)
    rate = np.concatenate(([0.0], rates))[resident]
    done_while_thinking = rate[1:] * think_time_s
    if done_while_thinking.all():
        probability = steady_state((terminals - active[:-1]).astype(float), done_while_thinking)
    else:
        probability = (active == terminals).astype(float)
    throughput = float(probability @ rate)
    dispatchable = float(probability @ resident)
    eligible = float(probability @ (active - resident))
    return Terminals(
        terminals=terminals,
        memory_limit=limit,
        throughput_per_s=throughput,
        response_time_s=float(probability @ active) / throughput,
        thinking=throughput * think_time_s,
        eligible=eligible,
        dispatchable=dispatchable,
        eligible_time_s=eligible / throughput,
        dispatchable_time_s=dispatchable / throughput,
        active_probability=probability,
    )


def memory_constrained_curve(terminals, think_time_s, throughput_by_load, memory_limit=None):
    """Return a frame of what `memory_constrained` finds, one row per number of users.

    Parameters
    ----------
    terminals : array_like of int, shape (n,)
        Numbers of users.
    think_time_s, throughput_by_load, memory_limit
        As for `memory_constrained`.

    Examples
    --------
    >>> served = subsystem_throughput([0.2, 0.3], 4)
    >>> memory_constrained_curve(2, 5.0, served)["response_time_s"].round(3).tolist()
    [0.524]
    """
    import pandas as pd

    found = [
        memory_constrained(users, think_time_s, throughput_by_load, memory_limit)
        for users in vector("terminals", terminals)
    ]
    return pd.DataFrame(map(vars, found)).set_index("terminals").drop(columns="active_probability")
