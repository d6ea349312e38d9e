"""Fifty years on: the finding of each paper, then and with today's devices."""

import pandas as pd

from perfkit import what_if
from perfkit.experiment import interval
from perfkit.studies.cp67 import today as cp67_today
from perfkit.studies.emas.experiments import COMPUTING, FASTER, FLASH, TODAY_S, observe_waits
from perfkit.studies.sim61 import today as sim61_today
from perfkit.studies.unix_v6 import experiments as unix
from perfkit.systems import cp67, emas, sim61, tss360, unix_v6

FINDINGS = {
    "unix_v6": "2.5 times the memory shortens the work",
    "sim61": "more core for a busy drum changes little",
    "cp67": "Algorithm 2 does more work than Algorithm 1",
    "emas": "prepaging shortens waits for pages",
    "tss360": "the new schedule shortens responses",
}
YORKTOWN = {
    "drums": 16,
    "discs": 16,
    "drum_slots": 100_000,
    "drum_revolution_ms": 0.1,
    "drum_pages_in_two_turns": 2,
    "disc_seek_ms": (0.001, 0.002, 0.003),
    "disc_revolution_ms": 0.01,
    "disc_kb_per_s": 1e6,
    **dict.fromkeys(("fault_ms", "interrupt_ms", "write_ms", "reclaim_ms", "access_ms"), 0.001),
    "slice_end_ms": 0.005,
    "output_lines": 0.0,
}


def _shortened(simulate, parameters, change, measure, replications, seed, **options):
    """Return by how many percent a change shortens a measure, with its half-width."""
    both = {"as it is": options, "changed": {**options, **change}}
    runs = what_if.run(simulate, parameters, both, replications, seed=seed, progress=False)
    if measure == "wait":
        runs["wait"] = runs["preload"] + runs["page_wait"]
    return interval(-what_if.differences(runs, measure, percent=True)["changed"].round(6))


def _unix_v6(count, seed):
    then = unix_v6.Parameters(memory_clicks=650, interactions=100)
    now = then.replace(**unix.TODAY)
    for name, p in {
        "then": then, "today": now, "today, kept busy": now.replace(**unix.SERVER),
    }.items():  # fmt: skip
        change = {"memory_clicks": 1600}
        yield name, _shortened(unix_v6.simulate, p, change, "elapsed_s", count, seed)


def _sim61(count, seed):
    then = sim61.Parameters(measured_s=300.0)
    now = sim61_today.parameters()
    options = {"load": sim61_today.load(), "devices": sim61_today.DEVICES}
    for name, p, given in (
        ("then", then, {}),
        ("today", now.replace(paging_devices=sim61_today.STORES["flash, ten channels"]), options),
        ("today, kept busy", now, options),
    ):  # fmt: skip
        more = {"memory_pages": round(1.25 * p.memory_pages)}
        yield name, _shortened(sim61.simulate, p, more, "response_s", count, seed, **given)


def _cp67(count, seed):
    machines = cp67_today.machines()
    for name, which in {
        "then": "1973", "today": "processor 100 times as fast",
        "today, kept busy": "50 times the users",
    }.items():  # fmt: skip
        p = machines[which].replace(algorithm=1)
        runs = what_if.run(
            cp67.simulate, p, {"as it is": {}, "changed": {"algorithm": 2}}, count,
            seed=seed, progress=False,
        )  # fmt: skip
        more = what_if.differences(runs, "user_percent", percent=True)["changed"].round(6)
        yield name, interval(more)


def _emas(count, seed):
    p = emas.Parameters(**TODAY_S, prepaging=False)
    sooner = {name: kind._replace(cpu_s=kind.cpu_s / FASTER) for name, kind in emas.TABLE_6.items()}
    quick = {name: getattr(p, name) / FASTER for name in COMPUTING} | {"kinds": sooner}
    for name, given in {
        "then": {}, "today": {**FLASH, **quick}, "today, kept busy": FLASH,
    }.items():  # fmt: skip
        yield name, _shortened(observe_waits, p, {"prepaging": True}, "wait", count, seed, **given)


def _tss360(count, seed):
    then = tss360.Parameters(settle_s=900.0, measured_s=1800.0)
    now = then.replace(**YORKTOWN)
    for name, p in {
        "then": then, "today": now, "today, kept busy": now.replace(think_s=4.0),
    }.items():  # fmt: skip
        yield name, _shortened(tss360.simulate, p, {"schedule": "new"}, "R", count, seed)


TODAY = {"unix_v6": _unix_v6, "sim61": _sim61, "cp67": _cp67, "emas": _emas, "tss360": _tss360}


def fifty_years(replications=6, seed=0):
    """Return what each finding is worth, then and today.

    Returns
    -------
    pandas.DataFrame
        One row per system and machine ("then", "today", "today, kept busy"): ``finding``,
        ``gain`` in percent and ``half_width``.
    """
    rows = []
    for key, tell in TODAY.items():
        for machine, (gain, half_width) in tell(replications, seed):
            rows.append((key, FINDINGS[key], machine, gain, half_width))
    return pd.DataFrame(rows, columns=["system", "finding", "machine", "gain", "half_width"])
