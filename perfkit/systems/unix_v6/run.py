"""Run the machine and measure it as iostat does (section 4.3)."""

import functools
import math
from dataclasses import dataclass

import numba
import numpy as np
from numba import types

from perfkit.des.compiling import COMPILED, PolicyKind, machine_type
from perfkit.systems.record import brief
from perfkit.systems.unix_v6 import simulator
from perfkit.systems.unix_v6.assembly import new_machine
from perfkit.systems.unix_v6.machine import FIRST_USER, PROCESS, Event, Fault, Mode
from perfkit.systems.unix_v6.parameters import Parameters
from perfkit.systems.unix_v6.swapping import paper_victim
from perfkit.systems.unix_v6.workload import checked_workload, draw_workload

_PROCESSES = types.Array(numba.from_dtype(PROCESS), 1, "C", aligned=True)

victim_policy = PolicyKind(
    "victim",
    types.int64(_PROCESSES, types.int64, types.int64, types.int64),
    paper_victim,
)

FAULTS = {
    Fault.BAD_VICTIM: "The victim policy chose a process that is not in core or is being swapped.",
    Fault.SWAP_AREA_FULL: "The swap area is full.",
    Fault.NO_PROGRESS: "The workload did not end within 10^9 ms of simulated time.",
}


@dataclass(frozen=True)
class Result:
    """What one run measured.

    Attributes
    ----------
    parameters : Parameters
    seed : int
    elapsed_s : float
        From the start of the workload to the exit of its last process. All other measures
        begin when every process that prints has done so once (section 4.5).
    swaps : int
        Swap-ins and swap-outs while iostat watched.
    queue : float
        Mean queue at the controllers, the requests in service included, as sampled.
    utilization : float
        Share of clock ticks at which a drive was busy.
    samples : ndarray of int, shape (3, 4)
        Clock ticks by system state (user, system, idle) and drives busy (none, 0, 1, both).
    queue_samples : ndarray of int
        Clock ticks by queue length.
    counts : dict
        Further counters and averages; ``MEASURES`` says what each is.
    finished_s : ndarray of float, shape (processes,)
        When each process left.
    trace : record array
        Fields ``time_ms``, ``kind``, ``actor`` (a process or drive), ``value``.
    """

    parameters: Parameters
    seed: int
    elapsed_s: float
    swaps: int
    queue: float
    utilization: float
    samples: np.ndarray
    queue_samples: np.ndarray
    counts: dict
    finished_s: np.ndarray
    trace: np.ndarray

    __repr__ = brief

    def states(self):
        """Return iostat's matrix: percent of time by system state and drives busy.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(
            100.0 * self.samples / max(self.samples.sum(), 1),
            index=pd.Index([mode.name.lower() for mode in Mode], name="system"),
            columns=pd.Index(["none", "drive 0", "drive 1", "both"], name="drives busy"),
        )

    def events(self):
        """Return the trace as a frame, its kinds by name.

        Returns
        -------
        pandas.DataFrame
            Columns ``time_s``, ``kind``, ``process``, ``value``. Process 0 is the swap
            scheduler, 1 is /etc/update, the workload's processes follow.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "time_s": self.trace.time_ms / 1000.0,
                "kind": [Event(kind).name.lower() for kind in self.trace.kind],
                "process": self.trace.actor,
                "value": self.trace.value,
            }
        )

    def measures(self):
        """Return the scalar measures as a flat dictionary, a row of a tidy frame."""
        return {
            "elapsed_s": self.elapsed_s,
            "swaps": self.swaps,
            "queue": self.queue,
            "utilization": self.utilization,
            **self.counts,
        }


@functools.cache
def _compiled_run(kind):
    signature = types.int64(kind, victim_policy.type)
    return numba.njit([signature], cache=True, nogil=True)(simulator.run)


@functools.cache
def _paper_victim():
    return victim_policy.own()


def run_machine(machine, victim=None):
    """Run an assembled machine to its end, compiled unless Numba is switched off.

    Raises
    ------
    RuntimeError
        If the run stopped on a fault; the message names it.
    """
    victim = _paper_victim() if victim is None else victim_policy.check(victim)
    run = _compiled_run(machine_type(machine)) if COMPILED else simulator.run
    run(machine, victim)
    if machine.kernel.fault != Fault.NONE:
        raise RuntimeError(FAULTS[Fault(machine.kernel.fault)])


def simulate(parameters=None, seed=0, *, victim=None, workload=None, trace=0):
    """Simulate one run of the workload.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``.
    seed : int
        Draws the workload and the phases; the same seed, the same run.
    victim : callable, optional
        A function under ``@victim_policy``; defaults to the paper's rule.
    workload : Workload, optional
        For as many processes, interactions and blocks as the parameters say; defaults to
        ``draw_workload(parameters, seed)``.
    trace : int
        How many trace records to keep, at most 10^8; a full trace stops growing and is marked in
        ``counts["trace_full"]``.

    Returns
    -------
    Result

    Raises
    ------
    TypeError, ValueError
        If the parameters, the policy or the workload are impossible.
    RuntimeError
        If the run stopped on a fault, such as a victim policy's impossible choice.
    """
    parameters = Parameters() if parameters is None else parameters
    if not isinstance(parameters, Parameters):
        raise TypeError(f"simulate takes unix_v6.Parameters(...), not {type(parameters).__name__}.")
    if workload is None:
        workload = draw_workload(parameters, seed)
    else:
        workload = checked_workload(parameters, workload)
    machine = new_machine(parameters, workload, seed, trace)
    run_machine(machine, victim)
    return read_out(machine, parameters, seed)


def read_out(machine, parameters, seed):
    """Return the Result of a machine that has run to its end."""
    k = machine.kernel
    watched_ms = k.now_ms - k.started_ms
    ticks = max(machine.samples.sum(), 1)
    queue = machine.queue_samples @ np.arange(machine.queue_samples.size) / ticks
    finished_ms = np.array(machine.processes.finished_ms[FIRST_USER:])
    counters = (
        "swaps_in",
        "swaps_out",
        "reads",
        "read_aheads",
        "writes",
        "cache_hits",
        "seeks",
        "swap_clicks",
        "scattered",
        "swap_ends",
        "swaps_at_once",
        "pauses",
        "pauses_out",
        "characters",
        "events",
        "trace_full",
    )
    return Result(
        parameters,
        seed,
        elapsed_s=float(k.now_ms) / 1000.0,
        swaps=int(k.swaps_in + k.swaps_out),
        queue=float(queue),
        utilization=float(1.0 - machine.samples[:, 0].sum() / ticks),
        samples=machine.samples,
        queue_samples=machine.queue_samples,
        counts={name: int(k[name]) for name in counters} | _averages(machine, watched_ms),
        finished_s=finished_ms / 1000.0,
        trace=machine.trace[: k.traced],
    )


def _averages(machine, watched_ms):
    """Return the time averages and shares that the counters and samples of a run come to."""
    k = machine.kernel
    share = machine.samples / max(machine.samples.sum(), 1)
    over_ms = watched_ms or math.nan  # averages over no time are no numbers
    return {
        "watched_s": float(watched_ms) / 1000.0,
        "mean_queue_exact": float(k.queue_area_ms / over_ms),
        "utilization_exact": float(k.busy_ms / over_ms),
        "swap_ms": float(k.swap_time_ms / max(k.swaps_in + k.swaps_out, 1)),
        "block_ms": float(k.block_time_ms / max(k.reads + k.read_aheads + k.writes, 1)),
        "block_queue": float(k.block_response_ms / over_ms),
        "user_share": float(share[Mode.USER].sum()),
        "system_share": float(share[Mode.SYSTEM].sum()),
        "overlap_share": float(share[: Mode.IDLE, 1:].sum()),
    }
