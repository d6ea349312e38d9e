"""Round robin with a swap at each quantum, and its limit, processor sharing.

Kleinrock, "Swap-time considerations in time-shared systems", IEEE Trans. C-19 (1970), which
was not at hand: Brachman's thesis (section 3.1) says that it gives the expected swap time
expended on all customers in the system, from waits conditional on the service. Here the waits
are derived too. Assumed: one processor, Poisson arrivals, exponential demands, new arrivals at
the tail of one queue, a swap before each quantum that the processor waits for and that is
paid even by a customer alone. Times are in s.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import not_negative, one, positive
from perfkit.analytic.records import Record

SHORTEST = 1e-8


@dataclass(frozen=True, eq=False)
class RoundRobin(Record):
    """A round robin in the steady state.

    Attributes
    ----------
    utilization : float
        Share of the processor's time, swaps included.
    swapping : float
        Share of the processor's time that goes to swaps.
    in_system : float
        Mean customers waiting or served.
    response_s : float
        Mean time from arrival to departure.
    swap_time_expended_s : float
        Kleinrock's expected swap time spent so far, in passes that are over, on all those who
        are in the system.
    quantum_s, swap_s, first_wait_s : float
        The quantum, the swap, and the mean wait before the first pass.
    second_ahead, last_ahead, pull : float
        Customers ahead in the second pass, in late passes, and by what factor the difference
        shrinks a pass.
    pass_s : float
        Mean length of a pass, with its swap.
    """

    utilization: float
    swapping: float
    in_system: float
    response_s: float
    swap_time_expended_s: float
    quantum_s: float
    swap_s: float
    first_wait_s: float
    second_ahead: float
    last_ahead: float
    pull: float
    pass_s: float

    def response_to(self, demand_s):
        """Return the mean response of a customer whose demand is known.

        Parameters
        ----------
        demand_s : array_like of float
            Processor time asked for, without swaps.
        """
        demand = positive("demand_s", demand_s)
        passes = np.maximum(np.ceil(demand / self.quantum_s - 1e-12), 1.0)
        settling = (self.second_ahead - self.last_ahead) / (1 - self.pull)
        ahead = (passes - 1) * self.last_ahead + settling * (1 - self.pull ** (passes - 1))
        return self.first_wait_s + ahead * self.pass_s + demand + passes * self.swap_s


def round_robin(arrivals_per_s, demand_s, quantum_s, swap_s=0.0):
    """Solve the round robin exactly.

    A demand's rest after a quantum is exponential again, so the passes are alike and
    independent, no matter who makes them, and the number in the system is that of M/G/1 with all
    passes of a customer made in one go (Pollaczek and Khinchin's formula). For one customer,
    those ahead in the next pass are those ahead in this one who come back and the arrivals
    meanwhile: E[N'] = p E[N] + r (E[N] b + q + s), r the arrival rate, p the chance of coming
    back, b the mean pass, q and s quantum and swap.

    Parameters
    ----------
    arrivals_per_s : float
        Poisson arrivals.
    demand_s : float
        Mean of the exponential demand.
    quantum_s : float
        Quantum; ``numpy.inf`` for first come, first served.
    swap_s : float, optional
        Swap before each quantum.

    Raises
    ------
    ValueError
        If the processor cannot keep up, or the quantum is below `SHORTEST` of the demand.

    Examples
    --------
    >>> [round(round_robin(0.5, 1.0, 0.2, swap_s).response_s, 2) for swap_s in (0.0, 0.1)]
    [2.0, 6.74]
    """
    rate, demand_s, swap_s = _checked(arrivals_per_s, demand_s, swap_s)
    quantum_s = _quantum(quantum_s, demand_s)
    back, turn, mean, square = _pass(demand_s, quantum_s, swap_s)
    end = -np.expm1(-quantum_s / demand_s)
    utilization = rate * mean / end
    _sustained(utilization)
    total_square = square / end + 2 * back * turn * mean / end**2
    in_system = utilization + rate**2 * total_square / (2 * (1 - utilization))
    first_wait = (in_system - utilization) * mean + rate / end * square / 2
    comes_back = back * (in_system - utilization + rate / end * turn)
    second = comes_back + rate * (first_wait + turn)
    pull = back + rate * mean
    last = rate * turn / (1 - pull)
    passes = back * ((1 + last) / end**2 + (second - last) / (1 - back * pull) ** 2)
    return RoundRobin(
        utilization=float(utilization),
        swapping=float(rate * swap_s / end),
        in_system=float(in_system),
        response_s=float(in_system / rate),
        swap_time_expended_s=float(swap_s * rate * mean * passes),
        quantum_s=float(quantum_s),
        swap_s=float(swap_s),
        first_wait_s=float(first_wait),
        second_ahead=float(second),
        last_ahead=float(last),
        pull=float(pull),
        pass_s=float(mean),
    )


def _checked(arrivals_per_s, demand_s, swap_s, swap="swap_s"):
    return (
        positive("arrivals_per_s", one("arrivals_per_s", arrivals_per_s)),
        positive("demand_s", one("demand_s", demand_s)),
        not_negative(swap, one(swap, swap_s)),
    )


def _quantum(quantum_s, demand_s):
    """Return the quantum; a share of the demand below `SHORTEST` would lose its digits."""
    if not isinstance(quantum_s, str) and np.ndim(quantum_s) == 0 and quantum_s == np.inf:
        return quantum_s
    quantum_s = positive("quantum_s", one("quantum_s", quantum_s))
    if quantum_s < SHORTEST * demand_s:
        raise ValueError(
            f"quantum_s must be at least {SHORTEST} of demand_s, not {quantum_s / demand_s};"
            " processor_sharing_response has the limit."
        )
    return quantum_s


def _pass(demand_s, quantum_s, swap_s):
    """Return the chance to come back, the full pass, and two moments of any pass.

    A full pass that never happens is given as zero: it has no weight.
    """
    back = np.exp(-quantum_s / demand_s)
    end = -np.expm1(-quantum_s / demand_s)
    whole = quantum_s if back > 0 else 0.0
    run = demand_s * end
    run_square = 2 * demand_s * (run - whole * back)
    square = run_square + 2 * swap_s * run + swap_s**2
    return back, whole + swap_s if back > 0 else 0.0, run + swap_s, square


def processor_sharing_response(service_s, arrivals_per_s, demand_s, swap_share=0.0):
    """Return the mean response to a demand where quanta are endlessly short.

    x (1 + a) / (1 - r d (1 + a)): whoever asks for x waits in proportion to it, whatever the
    distribution of the others' demands (Kleinrock, JACM 14, 1967). The swap shrinks with the
    quantum, a being their ratio; a swap of fixed length would saturate the processor.

    Parameters
    ----------
    service_s : array_like of float
        Demand x of the customer.
    arrivals_per_s, demand_s : float
        Poisson arrivals r and mean demand d.
    swap_share : float, optional
        Swap time over service time, a.

    Examples
    --------
    >>> float(processor_sharing_response(1.0, 0.5, 1.0))  # half the processor is the others'
    2.0
    """
    rate, demand_s, swap_share = _checked(arrivals_per_s, demand_s, swap_share, "swap_share")
    stretch = 1.0 + swap_share
    load = rate * demand_s * stretch
    _sustained(load)
    return positive("service_s", service_s) * stretch / (1.0 - load)


def processor_sharing_swap_time(arrivals_per_s, demand_s, swap_share):
    """Return the expected swap time, in s, expended on all customers under processor sharing.

    Customers who have had service x number r (1 - B(x)) T'(x), B the distribution of demands
    and T the response; each has cost a x of swaps. With `processor_sharing_response` the
    integral is a r (1 + a) E[x^2] / 2 / (1 - r d (1 + a)), and E[x^2] = 2 d^2 of exponential ones.

    Parameters
    ----------
    arrivals_per_s, demand_s, swap_share
        As for `processor_sharing_response`.

    Examples
    --------
    >>> round(float(processor_sharing_swap_time(0.5, 1.0, 0.2)), 3)
    0.3
    """
    rate, demand_s, share_ = _checked(arrivals_per_s, demand_s, swap_share, "swap_share")
    growth = processor_sharing_response(1.0, rate, demand_s, share_)
    return float(share_ * rate * growth * demand_s**2)


def _sustained(load):
    if load >= 1:
        raise ValueError(
            f"The processor must be asked for less than all its time, not for {load:.6g}."
        )
