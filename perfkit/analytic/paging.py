"""Paging: traverse time, thrashing and how many programs to run at once.

What a processor, a memory and a paging device make of programs; what programs ask of memory is in
`references`. Times are in s and memory in pages; lifetimes counted in references do as well, if
all other times are.

The papers were not at hand; the formulas are those generally known by their names, and each
function says what was assumed.
"""

from dataclasses import dataclass

import numpy as np

from perfkit.analytic.checks import (
    count,
    fitting,
    function,
    not_negative,
    one,
    positive,
    positives,
    vector,
)
from perfkit.analytic.multiprogramming import steady_state
from perfkit.analytic.records import Record

MOST_PROGRAMS = 30_000  # the time goes with the square


def lifetime(memory_pages, scale, exponent=2.0):
    """Return the mean time between a program's faults, scale m^exponent (Belady, Kuehner 1969).

    Parameters
    ----------
    memory_pages : array_like of float
        Frames of the program, m.
    scale : float
        The lifetime in one frame, in s or in references.
    exponent : float, optional
        About two for most programs.

    Examples
    --------
    >>> lifetime([40, 80], scale=1e-5).round(3).tolist()
    [0.016, 0.064]
    """
    scale = positive("scale", one("scale", scale))
    exponent = positive("exponent", one("exponent", exponent))
    return scale * positive("memory_pages", memory_pages) ** exponent


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

    Examples
    --------
    >>> round(float(duty_factor(0.016, traverse_time_s=0.010)), 2)
    0.62
    """
    between = positive("lifetime_s", lifetime_s)
    traverse = not_negative("traverse_time_s", traverse_time_s)
    fitting(lifetime_s=between, traverse_time_s=traverse)
    return between / (between + traverse)


def memory_for_processors(processors, working_set_pages, lifetime_s, traverse_time_s):
    """Return the memory that keeps processors busy, in pages: N w (1 + m T).

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

    Examples
    --------
    >>> float(memory_for_processors(1, 20, 0.01, traverse_time_s=0.01))  # half the time they wait
    40.0
    """
    share = duty_factor(lifetime_s, traverse_time_s)
    processors, pages = positives(processors=processors, working_set_pages=working_set_pages)
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
    processor_useful : numpy.ndarray
        Share of the processor's time for programs.
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
    device_busy: np.ndarray
    faults_per_s: np.ndarray
    traverse_time_s: np.ndarray
    throughput_per_s: np.ndarray
    index = "programs"


def thrashing_curve(lifetime, memory_pages, page_rates_per_s, most_programs, compute_s=1.0):
    """Return what a processor and a paging device do at each number of programs.

    Memory is divided equally. Programs compute for a lifetime, fault, wait for the page, and
    so on; a finished one is replaced at once. Lifetimes and page services are exponential, so
    the programs at the paging device are a birth and death process.

    Parameters
    ----------
    lifetime : callable
        Takes the frames of a program, returns the processor time between its faults in s, as
        `lifetime` does.
    memory_pages : float
        Frames for programs.
    page_rates_per_s : float or array_like of float
        Pages per s that the paging device serves with 1, 2, ... requests outstanding; the last
        holds for more. `perfkit.analytic.drum.greatest_rate` gives that of a page a track.
    most_programs : int
        Greatest number of programs, `MOST_PROGRAMS` at most.
    compute_s : float, optional
        Processor time of one interaction, in s.

    Examples
    --------
    >>> curve = thrashing_curve(lambda m: lifetime(m, 1e-5), 160, 100.0, 4)
    >>> curve.throughput_per_s.round(2).tolist()
    [0.96, 0.98, 0.97, 0.94]
    """
    function("lifetime", lifetime)
    memory_pages = positive("memory_pages", one("memory_pages", memory_pages))
    rates = positive("page_rates_per_s", vector("page_rates_per_s", page_rates_per_s))
    compute_s = positive("compute_s", one("compute_s", compute_s))
    programs = np.arange(1, count("most_programs", most_programs, most=MOST_PROGRAMS) + 1)
    pages = memory_pages / programs
    name = "lifetime of a program"
    between = np.array([positive(name, one(name, lifetime(m))) for m in pages])
    busy, waiting = np.empty((2, programs.size))
    for n, cycle in zip(programs, between, strict=True):
        down = rates[np.minimum(np.arange(n), rates.size - 1)]
        probability = steady_state(np.full(n, 1.0 / cycle), down)
        busy[n - 1] = probability[:n].sum()
        waiting[n - 1] = probability @ np.arange(n + 1)
    faults = busy / between
    return Thrashing(
        programs=programs,
        pages_each=pages,
        lifetime_s=between,
        processor_useful=busy,
        device_busy=faults / rates.max(),
        faults_per_s=faults,
        traverse_time_s=waiting / faults,
        throughput_per_s=busy / compute_s,
    )


def choose_degree(curve, page_service_s):
    """Return the number of programs, and its throughput, by each of four rules, as a frame.

    Denning, Kahn, Leroudier, Potier and Suri, "Optimal multiprogramming", Acta Informatica 7
    (1976). ``greatest_throughput`` is the optimum, the least number within 1e-9 of it; ``knee``
    is where lifetime over memory is greatest; ``lifetime_equals_service`` the most whose lifetime
    is no shorter than a page service (L = S); ``half_busy`` the most that keep the paging device
    at most half busy (50 % rule). The last two choose one program if no number meets them.

    Parameters
    ----------
    curve : Thrashing
    page_service_s : float
        Mean service of a page without queueing, S, in s.

    Examples
    --------
    >>> curve = thrashing_curve(lambda m: lifetime(m, 1e-5), 160, 100.0, 4)
    >>> choose_degree(curve, 0.01).iloc[:, 0].tolist()
    [2, 1, 4, 3]
    """
    import pandas as pd

    service = positive("page_service_s", one("page_service_s", page_service_s))
    best = curve.throughput_per_s >= curve.throughput_per_s.max() * (1 - 1e-9)
    chosen = {
        "greatest_throughput": int(curve.programs[best].min()),
        "knee": int(curve.programs[np.argmax(curve.lifetime_s / curve.pages_each)]),
        "lifetime_equals_service": _most(curve, curve.lifetime_s >= service),
        "half_busy": _most(curve, curve.device_busy <= 0.5),
    }
    programs = pd.Series(chosen).rename_axis("rule")
    reached = curve.throughput_per_s[programs - 1]
    return pd.DataFrame({"programs": programs, "throughput_per_s": reached})


def _most(curve, allowed):
    return int(curve.programs[allowed].max(initial=1))
