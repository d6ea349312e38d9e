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

from perfkit.analytic.checks import (
    MOST_LISTED,
    count,
    function,
    not_negative,
    one,
    positive,
    vector,
)
from perfkit.analytic.mva import mva_curve
from perfkit.analytic.records import Record

MOST_RESIDENT = 5_000  # each of them is a network of its own


def birth_death(up_rates, down_rates):
    """Return the steady state of a birth and death process.

    Parameters
    ----------
    up_rates : array_like of float, shape (n,)
        Rate from state k to k + 1, for k = 0 to n - 1; zero or more. Beyond a zero no state
        is ever reached.
    down_rates : array_like of float, shape (n,)
        Rate from state k + 1 to k; greater than zero.

    Returns
    -------
    numpy.ndarray, shape (n + 1,)
        Probability of states 0 to n. Logarithms are summed, so that long chains neither
        overflow nor lose their digits.

    Raises
    ------
    ValueError
        If the lists differ in length or a rate is impossible.
    """
    up = not_negative("up_rates", vector("up_rates", up_rates))
    down = positive("down_rates", vector("down_rates", down_rates))
    if up.size != down.size:
        raise ValueError(f"up_rates has {up.size} rates and down_rates {down.size}, not as many.")
    return steady_state(up, down)


def steady_state(up, down):
    """Return what `birth_death` does, of arrays of rates that are known to be sound."""
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
    """
    demands = not_negative("demands_s", vector("demands_s", demands_s))
    positive("the sum of demands_s", demands.sum())
    most_resident = count("most_resident", most_resident)
    return mva_curve(demands, most_resident).throughput


def paged_throughput(
    compute_s,
    lifetime,
    memory_pages,
    page_service_s,
    most_resident,
    other_demands_s=(),
    fault_overhead_s=0.0,
):
    """Return the throughput of a paged subsystem at each number of programs in memory.

    With n resident programs each has ``memory_pages / n`` frames, computes for a lifetime
    between faults, and so makes ``compute_s / lifetime`` faults an interaction. At each n the
    devices are solved afresh with the demands of that n.

    Parameters
    ----------
    compute_s : float
        Processor time of one interaction, in s, without the overhead of paging.
    lifetime : callable
        Takes the frames of a program, returns the processor time between its faults in s; a
        `perfkit.analytic.paging.Lifetime`, say.
    memory_pages : float
        Frames shared by the resident programs.
    page_service_s : float
        Service of one fault by the paging device, one at a time, in s. For a sectored drum
        use `perfkit.analytic.paging.thrashing_curve` with its rates.
    most_resident : int
        Greatest number of programs in memory, `MOST_RESIDENT` at most.
    other_demands_s : array_like of float, optional
        Demands at further devices, whatever the memory, in s.
    fault_overhead_s : float, optional
        Processor time that the supervisor spends on a fault, in s.

    Returns
    -------
    numpy.ndarray, shape (most_resident,)
        Interactions per s with 1 to ``most_resident`` programs.

    Raises
    ------
    TypeError
        If the lifetime is not a function.
    ValueError
        If a number is impossible or the programs are too many.
    """
    function("lifetime", lifetime)
    compute_s = positive("compute_s", one("compute_s", compute_s))
    memory_pages = positive("memory_pages", one("memory_pages", memory_pages))
    page_service_s = not_negative("page_service_s", one("page_service_s", page_service_s))
    fault_overhead_s = not_negative("fault_overhead_s", one("fault_overhead_s", fault_overhead_s))
    others = np.atleast_1d(not_negative("other_demands_s", other_demands_s))
    curve = np.empty(count("most_resident", most_resident, most=MOST_RESIDENT))
    for programs in range(1, curve.size + 1):
        between_s = positive("lifetime of a program", lifetime(memory_pages / programs))
        faults = compute_s / between_s
        demands = [compute_s + faults * fault_overhead_s, faults * page_service_s, *others]
        curve[programs - 1] = subsystem_throughput(demands, programs)[-1]
    return curve


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

    def frame(self):
        """Return one row a measure, all but the distribution."""
        import pandas as pd

        named = {k: v for k, v in vars(self).items() if k != "active_probability"}
        return pd.DataFrame({"value": named}).rename_axis("measure")

    def distribution(self):
        """Return one row a number of active users: probability, eligible, dispatchable."""
        import pandas as pd

        active = np.arange(self.terminals + 1)
        resident = np.minimum(active, self.memory_limit)
        columns = {
            "probability": self.active_probability,
            "eligible": active - resident,
            "dispatchable": resident,
        }
        return pd.DataFrame(columns, index=pd.Index(active, name="active"))

    def plot(self, ax=None, **style):
        """Draw the distribution of the number of active users."""
        axes = self.distribution()["probability"].plot(ax=ax, **style)
        axes.set_xlabel("active users")
        axes.set_ylabel("probability")
        return axes


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

    Returns
    -------
    Terminals

    Raises
    ------
    ValueError
        If a throughput is not above zero, the limit exceeds the list or the terminals are more
        than memory holds.
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
    return _terminals(terminals, limit, think_time_s, probability, resident, rate)


def _terminals(terminals, limit, think_time_s, probability, resident, rate):
    throughput = float(probability @ rate)
    active = float(probability @ np.arange(terminals + 1))
    dispatchable = float(probability @ resident)
    eligible = float(probability @ (np.arange(terminals + 1) - resident))
    return Terminals(
        terminals=terminals,
        memory_limit=limit,
        throughput_per_s=throughput,
        response_time_s=active / throughput,
        thinking=throughput * think_time_s,
        eligible=eligible,
        dispatchable=dispatchable,
        eligible_time_s=eligible / throughput,
        dispatchable_time_s=dispatchable / throughput,
        active_probability=probability,
    )


@dataclass(frozen=True, eq=False)
class TerminalsCurve(Record):
    """The same system with several numbers of users.

    Attributes
    ----------
    points : tuple of Terminals
    """

    points: tuple

    def frame(self):
        """Return one row a number of users: all measures of `Terminals`."""
        import pandas as pd

        rows = [point.frame()["value"] for point in self.points]
        frame = pd.DataFrame(rows).set_index("terminals").rename_axis(columns=None)
        frame.index = frame.index.astype(int)
        return frame

    def plot(self, ax=None, **style):
        """Draw N_e and N_d over the users, as Figure 3 of the TSS/360 paper."""
        axes = self.frame()[["dispatchable", "eligible"]].plot(ax=ax, **style)
        axes.set_ylabel("mean number of tasks")
        return axes


def memory_constrained_curve(terminals, think_time_s, throughput_by_load, memory_limit=None):
    """Solve `memory_constrained` for each of several numbers of users.

    Parameters
    ----------
    terminals : array_like of int, shape (n,)
        Numbers of users.
    think_time_s, throughput_by_load, memory_limit
        As for `memory_constrained`.

    Returns
    -------
    TerminalsCurve
    """
    users = vector("terminals", terminals)
    return TerminalsCurve(
        tuple(memory_constrained(n, think_time_s, throughput_by_load, memory_limit) for n in users)
    )


def saturated_users(think_time_s, throughput_by_load, memory_limit=None):
    """Return the users at which the asymptotes cross, for the whole and for memory.

    The first is Kleinrock's N*, where the throughput's asymptote N / (Z + R(1)) meets the
    greatest throughput within the limit; the second is the number of users at which, if none
    waited, memory would be full: the limit plus those who think meanwhile.

    Parameters
    ----------
    think_time_s, throughput_by_load, memory_limit
        As for `memory_constrained`.

    Returns
    -------
    tuple of float
        ``(saturation, memory_full)``.
    """
    think_time_s = not_negative("think_time_s", one("think_time_s", think_time_s))
    rates = positive("throughput_by_load", vector("throughput_by_load", throughput_by_load))
    limit = count("memory_limit", rates.size if memory_limit is None else memory_limit)
    if limit > rates.size:
        raise ValueError(f"memory_limit must be at most {rates.size}, not {limit}.")
    saturation = rates[:limit].max() * (think_time_s + 1.0 / rates[0])
    return float(saturation), float(limit + rates[limit - 1] * think_time_s)
