"""Brachman's deterministic model of a swapping system under disc saturation (1983).

Every function takes numbers or NumPy arrays, times in any one unit. System A is the one that
was measured, system B the one asked about. Sections and equations are those of the thesis.
"""

from typing import NamedTuple

import numpy as np

from perfkit.analytic.checks import fitting, not_negative, positive, positives

BYTES_PER_CLICK = 64
# The disc by its specification (Table I), with two surfaces per cylinder.
ACCESS_MS, TRANSFER_US_PER_BYTE, TRACK_SEEK_MS = 67.5, 2.35, 15.0
BLOCKS_PER_CYLINDER, BLOCK_BYTES = 40, 512
INPUTS = ("loaded_a", "loaded_b", "block_time_a", "block_time_b", "swap_time_a", "swap_time_b")


def elapsed_ratio(loaded_a, loaded_b, block_time_a, block_time_b, swap_time_a, swap_time_b):
    """Return the elapsed time of system B over that of system A (Equation 3.1).

    Divided through by both numbers of loaded processes it reads
    (block_b + swap_b / loaded_b) / (block_a + swap_a / loaded_a): one swap is shared by one
    file request of every loaded process. So B over A times A over B is one, and ratios chain.

    Parameters
    ----------
    loaded_a, loaded_b : array_like of float
        Most processes loaded at once, NL.
    block_time_a, block_time_b : array_like of float
        Mean time of a file request, Tblock.
    swap_time_a, swap_time_b : array_like of float
        Mean time of a one-way swap, Tswap; zero where swapping is free (section 5.4).

    Examples
    --------
    >>> round(float(elapsed_ratio(4, 8, 39.8, 39.8, 50.7, 50.7)), 3)
    0.879
    """
    given = dict(
        loaded_a=loaded_a, loaded_b=loaded_b, block_time_a=block_time_a, block_time_b=block_time_b
    )
    loaded_a, loaded_b, block_time_a, block_time_b = positives(**given)
    swap_time_a = not_negative("swap_time_a", swap_time_a)
    swap_time_b = not_negative("swap_time_b", swap_time_b)
    fitting(**given, swap_time_a=swap_time_a, swap_time_b=swap_time_b)
    both = loaded_a * loaded_b
    return (both * block_time_b + loaded_a * swap_time_b) / (
        both * block_time_a + loaded_b * swap_time_a
    )


def predict_elapsed(
    elapsed_a, loaded_a, loaded_b, block_time_a, block_time_b, swap_time_a, swap_time_b
):
    """Return the elapsed time of system B from a measured one of system A (Equation 3.1).

    Parameters
    ----------
    elapsed_a : array_like of float
        Measured elapsed time of A, with as many processes as B has.
    loaded_a, loaded_b, block_time_a, block_time_b, swap_time_a, swap_time_b
        As for `elapsed_ratio`.

    Examples
    --------
    >>> round(predict_elapsed(717, 4, 8, 39.8, 39.8, 50.7, 50.7))
    630
    """
    elapsed_a = positive("elapsed_a", elapsed_a)
    ratio = positive(
        "the ratio of elapsed times",
        elapsed_ratio(loaded_a, loaded_b, block_time_a, block_time_b, swap_time_a, swap_time_b),
    )
    fitting(elapsed_a=elapsed_a, loaded_b=ratio)
    return elapsed_a * ratio


def processes_loaded(memory_clicks, process_clicks, processes=None):
    """Return NL: the whole processes that fit in memory, never more than there are.

    Section 3.3.1 prints a ceiling; every row of Tables VI and VII follows the floor.

    Parameters
    ----------
    memory_clicks, process_clicks : array_like of float
        User memory MM and process size PS.
    processes : array_like of float, optional
        Active processes, PN.

    Examples
    --------
    >>> int(processes_loaded(650, 157)), int(processes_loaded(1280, 157, processes=6))
    (4, 6)
    """
    given = dict(memory_clicks=memory_clicks, process_clicks=process_clicks)
    if processes is not None:
        given["processes"] = processes
    memory, size, *most = positives(**given)
    fits = np.floor(memory / size)
    return np.minimum(fits, *most) if most else fits


def elapsed_without_overlap(elapsed_a, swap_time, swaps):
    """Return the elapsed time of processor-bound work with one loaded process (section 3.3.2).

    Parameters
    ----------
    elapsed_a : array_like of float
        Elapsed time without swapping, or with all of it hidden.
    swap_time, swaps : array_like of float
        Tswap and Nswaps, the swap-ins plus the swap-outs.

    Examples
    --------
    >>> float(elapsed_without_overlap(600.0, 0.05, 1000))  # every swap is waited for
    650.0
    """
    elapsed_a, swap_time = positives(elapsed_a=elapsed_a, swap_time=swap_time)
    swaps = not_negative("swaps", swaps)
    fitting(elapsed_a=elapsed_a, swap_time=swap_time, swaps=swaps)
    return elapsed_a + swap_time * swaps


def swapping_is_hidden(quantum, swap_time, loaded):
    """Tell whether processor-bound work hides all its swapping (section 3.3.2).

    It does where the slice covers a swap-out with a swap-in and two processes are loaded.

    Parameters
    ----------
    quantum, swap_time, loaded : array_like of float
        Time slice Q, Tswap and NL.

    Examples
    --------
    >>> bool(swapping_is_hidden(quantum=1.0, swap_time=0.05, loaded=2))
    True
    """
    quantum, swap_time, loaded = positives(quantum=quantum, swap_time=swap_time, loaded=loaded)
    least = smallest_quantum(swap_time)
    return (quantum >= least) & (loaded > 1)


def smallest_quantum(swap_time):
    """Return the shortest time slice without thrashing, 2 Tswap (section 3.3.2).

    Parameters
    ----------
    swap_time : array_like of float

    Examples
    --------
    >>> float(smallest_quantum(0.05))
    0.1
    """
    return 2.0 * positive("swap_time", swap_time)


def elapsed_by_processes(elapsed_a, processes_a, processes_b):
    """Return the elapsed time with another number of processes, in proportion (section 5.2).

    Parameters
    ----------
    elapsed_a, processes_a, processes_b : array_like of float
        Elapsed time with PN = `processes_a`, and the PN asked about.

    Examples
    --------
    >>> float(elapsed_by_processes(600.0, 10, 12))
    720.0
    """
    elapsed_a, processes_a, processes_b = positives(
        elapsed_a=elapsed_a, processes_a=processes_a, processes_b=processes_b
    )
    return elapsed_a * processes_b / processes_a


def elapsed_by_queue(elapsed_a, queue_a, queue_b):
    """Return the elapsed time of the same system with another compute time (section 5.2).

    Parameters
    ----------
    elapsed_a, queue_a, queue_b : array_like of float
        Elapsed time and mean disc queue with one PC, and the queue with the other. The two
        differ in PC alone; a shorter queue means a longer run.

    Examples
    --------
    >>> float(elapsed_by_queue(600.0, 4.0, 5.0))
    480.0
    """
    elapsed_a, queue_a, queue_b = positives(elapsed_a=elapsed_a, queue_a=queue_a, queue_b=queue_b)
    return elapsed_a * queue_a / queue_b


def expected_queue(loaded):
    """Return the queue to expect while PC is below Tswap: NL + 1 (sections 3.3.3 and 5.4).

    Parameters
    ----------
    loaded : array_like of float

    Examples
    --------
    >>> int(expected_queue(4))
    5
    """
    return positive("loaded", loaded) + 1.0


def calculated_block_time(block_bytes=BLOCK_BYTES):
    """Return the block time by the specification: access plus transfer (Table V).

    Parameters
    ----------
    block_bytes : array_like of float
        The default is Table I's.

    Examples
    --------
    >>> round(float(calculated_block_time()), 2)  # ms, of 512 bytes
    68.7
    """
    return ACCESS_MS + TRANSFER_US_PER_BYTE / 1000.0 * positive("block_bytes", block_bytes)


def calculated_swap_times(process_clicks):
    """Return least and greatest swap time by the specification (Table IV).

    Access plus transfer, plus one track-to-track seek for each cylinder boundary inside the
    image: fewest when it starts with a cylinder, one more when it does not. It gives every
    printed cell but the greatest time at 157 clicks (see ERRATA.md).

    Parameters
    ----------
    process_clicks : array_like of float
        Process size PS.

    Returns
    -------
    tuple of (float or numpy.ndarray)
        Least and greatest, in ms.

    Examples
    --------
    >>> [round(float(ms), 1) for ms in calculated_swap_times(157)]
    [91.1, 106.1]
    """
    size = positive("process_clicks", process_clicks) * BYTES_PER_CLICK
    access = calculated_block_time(size)
    crossings = np.ceil(np.ceil(size / BLOCK_BYTES) / BLOCKS_PER_CYLINDER) - 1.0
    return access + crossings * TRACK_SEEK_MS, access + (crossings + 1.0) * TRACK_SEEK_MS


class Application(NamedTuple):
    """One of the worked applications of section 5.4.

    Attributes
    ----------
    name : str
        As in ``data/unix_v6/examples.csv``.
    inputs : dict
        Arguments of `elapsed_ratio`, times in s.
    ratio_by_printed_formula : float
        What the formula printed in the thesis comes to.
    ratio_by_equation : float
        What Equation 3.1 and its extensions give for the change that is described.
    """

    name: str
    inputs: dict
    ratio_by_printed_formula: float
    ratio_by_equation: float


def applications():
    """Return the five worked applications of section 5.4.

    The first four agree. The fifth multiplies by 5/7, the queue NL + 1 before over the queue
    NL + 1 after. But the queue extension compares runs that differ in PC alone, and here PC
    stays below Tswap, so with NL = 6 the queue is 7 for either PC and the factor is 1.

    Examples
    --------
    >>> len(applications())
    5
    """
    one = (4, 8, 0.05, 0.05, 0.07, 0.07)
    two = (4, 4, 0.05, 0.04, 0.07, 0.055)
    three = (4, 10, 0.05, 0.05, 0.07, 0.0)
    four = (4, 4, 0.05, 0.04, 0.07, 0.07)
    five = (4, 6, 0.05, 0.05, 0.07, 0.06)
    queue = expected_queue(five[1])
    rows = [
        (one, (8 * 4 * 0.05 + 4 * 0.07) / (8 * 4 * 0.05 + 8 * 0.07), 1.0),
        (two, (4 * 4 * 0.04 + 4 * 0.055) / (4 * 4 * 0.05 + 4 * 0.070), 1.0),
        (three, (10 * 4 * 0.05 + 4 * 0.00) / (10 * 4 * 0.05 + 10 * 0.07), 1.0),
        (
            four,
            (4 * 4 * 0.04 + 4 * 0.07) / (4 * 4 * 0.05 + 4 * 0.07) * 15 / 10,
            elapsed_by_processes(1.0, 10, 15),
        ),
        (
            five,
            (4 * 6 * 0.05 + 4 * 0.06) / (4 * 6 * 0.05 + 6 * 0.07) * 5 / 7,
            elapsed_by_queue(1.0, queue, queue),
        ),
    ]
    found = []
    for i, (inputs, printed, extension) in enumerate(rows, 1):
        named, ours = dict(zip(INPUTS, inputs, strict=True)), elapsed_ratio(*inputs) * extension
        found.append(Application(f"application_{i}", named, printed, ours))
    return found
