"""Run the machine: one call is one run, and the same seed is the same run."""

from perfkit.des.running import Loop

from study_key.machine import new_machine, run
from study_key.parameters import Parameters
from study_key.result import read_out

LOOP = Loop(run)


def simulate(parameters=None, seed=0, *, trace=0):
    """Simulate one run.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``.
    seed : int
        Draws all that is random; the same seed, the same run.
    trace : int
        How many trace records to keep.

    Returns
    -------
    Result

    Examples
    --------
    >>> round(simulate(Parameters(users=5), seed=0).response_s, 2)
    0.62
    """
    p = Parameters.given(parameters)
    machine = new_machine(p, seed, trace)
    LOOP.until(machine, 1000.0 * (p.settle_s + p.measured_s))
    return read_out(machine, p, seed)
