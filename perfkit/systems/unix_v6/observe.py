"""Observe a running machine at intervals, with its minimum times switched on line."""

import numpy as np

from perfkit.systems.unix_v6.assembly import new_machine
from perfkit.systems.unix_v6.machine import Mode
from perfkit.systems.unix_v6.parameters import Parameters
from perfkit.systems.unix_v6.run import run_machine
from perfkit.systems.unix_v6.workload import draw_workload
from perfkit.values import is_finite

LEAST_PERIOD_S = 1.0 / 30.0  # two clock ticks: at least one falls into it
SWITCHABLE = ("minimum_time_out_s", "minimum_time_in_s")
OBSERVATION = np.dtype(
    [
        ("start_s", "f8"),
        ("version", "i8"),
        ("swaps_per_min", "f8"),
        ("utilization", "f8"),
        ("queue", "f8"),
        ("user_percent", "f8"),
        ("system_percent", "f8"),
        ("characters_per_s", "f8"),
    ]
)


def observe(parameters=None, seed=0, *, versions, order, period_s=60.0, victim=None):
    """Observe one run, switching between versions that differ in their minimum times.

    Parameters
    ----------
    parameters : Parameters, optional
        ``interactions`` must last for all observations.
    seed : int
    versions : sequence of dict
        What each version changes: ``minimum_time_out_s``, ``minimum_time_in_s``.
    order : array of int, shape (observations,)
        The version in force in each observation.
    period_s : float
        Length of an observation, two clock ticks of 1/60 s or more.
    victim : callable, optional
        As in ``simulate``.

    Returns
    -------
    ndarray of OBSERVATION, shape (observations,)
        The first begins when every process that prints has done so once (section 4.5).

    Raises
    ------
    TypeError
        If ``parameters`` or a version is of another kind.
    ValueError
        If there is no version, one changes what can't be switched, ``order`` names none,
        ``period_s`` is impossible, or the workload ends too early.
    """
    parameters = Parameters() if parameters is None else parameters
    if not isinstance(parameters, Parameters):
        raise TypeError(f"observe takes unix_v6.Parameters(...), not {type(parameters).__name__}.")
    if not is_finite(period_s) or period_s < LEAST_PERIOD_S:
        raise ValueError(
            "period_s must be a finite number of 1/30 (two clock ticks) or more;"
            f" {period_s!r} is not."
        )
    settings = [_switched(parameters, version) for version in versions]
    order = _checked_order(order, len(settings))
    machine = new_machine(parameters, draw_workload(parameters, seed), seed)
    _switch(machine, settings[order[0]])
    machine.settings.pause_ms = 0.0
    while machine.kernel.started_ms == 0.0:
        _run_on(machine, period_s, victim)
    observations = np.zeros(order.size, OBSERVATION)
    for observation, version in zip(observations, order, strict=True):
        _switch(machine, settings[version])
        before = _counters(machine)
        _run_on(machine, period_s, victim)
        _fill(observation, version, before, _counters(machine))
    return observations


def _checked_order(order, versions):
    if not versions:
        raise ValueError("versions must hold at least one dictionary of changes.")
    order = np.asarray(order)
    whole = order.ndim == 1 and order.size > 0 and np.issubdtype(order.dtype, np.integer)
    if not whole or order.min() < 0 or order.max() >= versions:
        raise ValueError(
            f"order must name versions by whole numbers from 0 to {versions - 1}, one for each"
            " observation, in one row."
        )
    return order


def _switched(parameters, version):
    if not isinstance(version, dict):
        raise TypeError(
            f"versions must be a sequence of dictionaries of changes; {version!r} is no dictionary."
        )
    odd = sorted(set(version) - set(SWITCHABLE))
    if odd:
        raise ValueError(f"{odd[0]} can't be switched on line; {' and '.join(SWITCHABLE)} can.")
    changed = parameters.replace(**version)
    return {name: getattr(changed, name) for name in SWITCHABLE}


def _switch(machine, times):
    for name, value in times.items():
        machine.settings[name] = value


def _run_on(machine, period_s, victim):
    k = machine.kernel
    machine.settings.pause_ms += 1000.0 * period_s
    run_machine(machine, victim)
    if k.users_left == 0:
        raise ValueError(
            f"The workload ended after {k.now_ms / 1000.0:.0f} s, before the last observation;"
            " ask for more interactions or fewer observations."
        )


def _counters(machine):
    k = machine.kernel
    return {
        "time_s": float(machine.settings.pause_ms) / 1000.0,
        "swaps": int(k.swaps_in + k.swaps_out),
        "characters": int(k.characters),
        "samples": machine.samples.copy(),
        "queue_samples": machine.queue_samples.copy(),
    }


def _fill(observation, version, before, after):
    change = {name: after[name] - before[name] for name in after}
    samples, ticks = change["samples"], max(change["samples"].sum(), 1)
    queue = (change["queue_samples"] * np.arange(change["queue_samples"].size)).sum()
    observation["start_s"] = before["time_s"]
    observation["version"] = version
    observation["swaps_per_min"] = 60.0 * change["swaps"] / change["time_s"]
    observation["characters_per_s"] = change["characters"] / change["time_s"]
    observation["utilization"] = 1.0 - samples[:, 0].sum() / ticks
    observation["queue"] = queue / ticks
    observation["user_percent"] = 100.0 * samples[Mode.USER].sum() / ticks
    observation["system_percent"] = 100.0 * samples[Mode.SYSTEM].sum() / ticks
