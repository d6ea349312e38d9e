"""Paging: traverse time, thrashing and how many programs to run at once.

The public face of three rooms: program behaviour in `references` (working sets, LRU, Fine's
curve of a reference string), lifetime functions in `lifetimes`, and here what a processor, a
memory and a paging device make of them. Times are in s and memory in pages; lifetimes counted
in references do as well, if all other times are.

The papers were not at hand; the formulas are those generally known by their names, and each
function says what was assumed.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import count, fitting, function, not_negative, one, positive, vector
from perfkit.analytic.lifetimes import FAMILIES, Lifetime, LifetimeFit, fit_lifetime, knee
from perfkit.analytic.multiprogramming import steady_state
from perfkit.analytic.records import Record
from perfkit.analytic.references import (
    FaultCurve,
    WorkingSets,
    lru_curve,
    pages_since_activation,
    stack_distances,
    working_sets,
    working_sets_of_independent,
    working_sets_of_interreferences,
)

MOST_PROGRAMS = 30_000  # the time goes with the square

__all__ = [
    "FAMILIES",
    "Degrees",
    "FaultCurve",
    "Lifetime",
    "LifetimeFit",
    "Thrashing",
    "WorkingSets",
    "choose_degree",
    "duty_factor",
    "fit_lifetime",
    "knee",
    "lru_curve",
    "memory_for_processors",
    "pages_since_activation",
    "space_time",
    "stack_distances",
    "thrashing_curve",
    "working_sets",
    "working_sets_of_independent",
    "working_sets_of_interreferences",
]


def duty_factor(lifetime_s, traverse_time_s):
    """Return the share of its time in memory that a program alone at a processor computes.

    Denning ("Thrashing: its causes and prevention", FJCC 1968): with a missing-page rate m and
    a traverse time T it is 1 / (1 + m T); here m is 1 / lifetime.

    Parameters
    ----------
    lifetime_s : array_like of float
        Processor time between faults, in s.
    traverse_time_s : array_like of float
        Time from a fault to the page's arrival, waiting and all, in s.

    Returns
    -------
    float or numpy.ndarray
    """
    between = positive("lifetime_s", lifetime_s)
    traverse = not_negative("traverse_time_s", traverse_time_s)
    fitting(lifetime_s=between, traverse_time_s=traverse)
    return between / (between + traverse)


def space_time(memory_pages, compute_s, lifetime_s, traverse_time_s):
    """Return the space-time of a program: its pages by the time that it holds them.

    Parameters
    ----------
    memory_pages : array_like of float
        Pages held.
    compute_s : array_like of float
        Processor time of the whole run, in s.
    lifetime_s, traverse_time_s
        As for `duty_factor`.

    Returns
    -------
    float or numpy.ndarray
        In page-seconds.
    """
    pages, compute = positive("memory_pages", memory_pages), positive("compute_s", compute_s)
    share = duty_factor(lifetime_s, traverse_time_s)
    fitting(memory_pages=pages, compute_s=compute, lifetime_s=share)
    return pages * (compute / share)


def memory_for_processors(processors, working_set_pages, lifetime_s, traverse_time_s):
    """Return the memory that keeps processors busy: N w (1 + m T).

    Denning 1968, "Relations among processor, memory, traverse time": each processor needs
    1 / duty factor programs, each with its working set in memory. No queue for a processor is
    allowed for, so it is a least memory. With the memory given, the processor time delivered
    is, while paging bounds it, inverse to the traverse time, as SIM/61 found.

    Parameters
    ----------
    processors : array_like of float
    working_set_pages : array_like of float
    lifetime_s, traverse_time_s
        As for `duty_factor`.

    Returns
    -------
    float or numpy.ndarray
        In pages.
    """
    processors = positive("processors", processors)
    pages = positive("working_set_pages", working_set_pages)
    share = duty_factor(lifetime_s, traverse_time_s)
    fitting(processors=processors, working_set_pages=pages, lifetime_s=share)
    return processors * pages / share


@dataclass(frozen=True, eq=False)
class Thrashing(Record):
    """A multiprogrammed paged system by the number of programs in memory.

    Attributes
    ----------
    programs : numpy.ndarray of int, shape (n,)
        Degree of multiprogramming, 1 to n; the other arrays go with it.
    pages_each, lifetime_s : numpy.ndarray
        Frames of each program, and processor time between its faults in s.
    processor_useful, processor_overhead : numpy.ndarray
        Shares of the processor's time for programs and for serving faults.
    device_busy : numpy.ndarray
        Faults over the most that the paging device can serve.
    faults_per_s, traverse_time_s : numpy.ndarray
        Of the whole system, and mean time of a fault at the paging device in s.
    throughput_per_s : numpy.ndarray
        Interactions per s.
    """

    programs: np.ndarray
    pages_each: np.ndarray
    lifetime_s: np.ndarray
    processor_useful: np.ndarray
    processor_overhead: np.ndarray
    device_busy: np.ndarray
    faults_per_s: np.ndarray
    traverse_time_s: np.ndarray
    throughput_per_s: np.ndarray

    def frame(self):
        """Return one row a number of programs."""
        import pandas as pd

        return pd.DataFrame(vars(self)).set_index("programs")

    def plot(self, ax=None, **style):
        """Draw the shares of processor and paging device: the thrashing curve."""
        shares = ["processor_useful", "processor_overhead", "device_busy"]
        axes = self.frame()[shares].plot(ax=ax, **style)
        axes.set_ylabel("share of time")
        return axes


def thrashing_curve(
    lifetime, memory_pages, page_rates_per_s, most_programs, compute_s=1.0, fault_overhead_s=0.0
):
    """Return what a processor and a paging device do at each number of programs.

    Memory is divided equally. Programs compute for a lifetime, fault, wait for the page, and
    so on; a finished one is replaced at once. Lifetimes and page services are exponential, so
    the programs at the paging device are a birth and death process.

    Parameters
    ----------
    lifetime : callable
        Takes the frames of a program, returns the processor time between its faults in s.
    memory_pages : float
        Frames for programs.
    page_rates_per_s : float or array_like of float
        Pages per s that the paging device serves with 1, 2, ... requests outstanding; the last
        holds for more. `perfkit.analytic.drum.closed_rates` gives a drum's.
    most_programs : int
        Greatest number of programs, `MOST_PROGRAMS` at most.
    compute_s : float, optional
        Processor time of one interaction, in s.
    fault_overhead_s : float, optional
        Processor time that the supervisor spends on a fault, in s.

    Returns
    -------
    Thrashing

    Raises
    ------
    TypeError
        If the lifetime is not a function.
    ValueError
        If an argument or a lifetime is not above zero, or the programs are too many.
    """
    function("lifetime", lifetime)
    memory_pages = positive("memory_pages", one("memory_pages", memory_pages))
    rates = positive("page_rates_per_s", vector("page_rates_per_s", page_rates_per_s))
    overhead = not_negative("fault_overhead_s", one("fault_overhead_s", fault_overhead_s))
    compute_s = positive("compute_s", one("compute_s", compute_s))
    programs = np.arange(1, count("most_programs", most_programs, most=MOST_PROGRAMS) + 1)
    pages = memory_pages / programs
    name = "lifetime of a program"
    between = np.array([positive(name, one(name, lifetime(m))) for m in pages])
    busy, waiting = np.empty((2, programs.size))
    for n, cycle in zip(programs, between + overhead, strict=True):
        down = rates[np.minimum(np.arange(n), rates.size - 1)]
        probability = steady_state(np.full(n, 1.0 / cycle), down)
        busy[n - 1] = probability[:n].sum()
        waiting[n - 1] = probability @ np.arange(n + 1)
    faults = busy / (between + overhead)
    useful = faults * between
    return Thrashing(
        programs=programs,
        pages_each=pages,
        lifetime_s=between,
        processor_useful=useful,
        processor_overhead=faults * overhead,
        device_busy=faults / rates.max(),
        faults_per_s=faults,
        traverse_time_s=waiting / faults,
        throughput_per_s=useful / compute_s,
    )


@dataclass(frozen=True, eq=False)
class Degrees(Record):
    """How many programs to run at once, by four rules.

    Attributes
    ----------
    greatest_throughput : int
        The optimum itself; the least number that comes within 1e-9 of it.
    knee : int
        Where lifetime over memory is greatest: the tangent from the origin to the lifetime.
    lifetime_equals_service : int
        The most whose lifetime is no shorter than a page service (L = S).
    half_busy : int
        The most that keep the paging device at most half busy (50 % rule).
    throughput_per_s : dict
        The throughput by each rule.
    """

    greatest_throughput: int
    knee: int
    lifetime_equals_service: int
    half_busy: int
    throughput_per_s: dict

    def frame(self):
        """Return one row a rule: its number of programs and their throughput."""
        import pandas as pd

        number = {rule: getattr(self, rule) for rule in self.throughput_per_s}
        columns = {"programs": number, "throughput_per_s": self.throughput_per_s}
        return pd.DataFrame(columns).rename_axis("rule")

    def plot(self, ax=None, **style):
        """Draw the throughput by each rule as bars."""
        axes = self.frame()["throughput_per_s"].plot.bar(ax=ax, **style)
        axes.set_ylabel("throughput_per_s")
        return axes


def choose_degree(curve, page_service_s):
    """Choose the number of programs by the optimum, the knee, L = S and the 50 % rule.

    Denning, Kahn, Leroudier, Potier and Suri, "Optimal multiprogramming", Acta Informatica 7
    (1976). L = S and the 50 % rule choose one program if no number meets them.

    Parameters
    ----------
    curve : Thrashing
    page_service_s : float
        Mean service of a page without queueing, S, in s.

    Returns
    -------
    Degrees
    """
    service = positive("page_service_s", one("page_service_s", page_service_s))
    best = curve.throughput_per_s >= curve.throughput_per_s.max() * (1 - 1e-9)
    chosen = {
        "greatest_throughput": int(curve.programs[best].min()),
        "knee": int(curve.programs[np.argmax(curve.lifetime_s / curve.pages_each)]),
        "lifetime_equals_service": _most(curve, curve.lifetime_s >= service),
        "half_busy": _most(curve, curve.device_busy <= 0.5),
    }
    reached = {rule: float(curve.throughput_per_s[n - 1]) for rule, n in chosen.items()}
    return Degrees(**chosen, throughput_per_s=reached)


def _most(curve, allowed):
    return int(curve.programs[allowed].max(initial=1))
