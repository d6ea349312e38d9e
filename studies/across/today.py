"""Fifty years on: the finding of each paper, then and with today's devices."""

import pandas as pd

from perfkit.runs import what_if
from perfkit.runs.experiment import interval
from perfkit.systems import cp67, emas, sim61, tss360, unix_v6
from studies.across.cases import SUPERVISOR
from studies.cp67 import today as cp67_today
from studies.emas.experiments import (
    FASTER,
    FLASH,
    TODAY_S,
    computing_faster,
    observe_waits,
)
from studies.sim61 import today as sim61_today
from studies.unix_v6 import experiments as unix

FINDINGS = {  # and what keeps today's machine busy
    "unix_v6": ("2.5 times the memory shortens the work", "a server's load"),
    "sim61": ("a quarter more core shortens responses", "one flash channel"),
    "cp67": ("Algorithm 2 does more work than Algorithm 1", "50 times the users"),
    "emas": ("prepaging shortens waits for pages", "the old processor"),
    "tss360": ("the new schedule shortens responses", "users think 4 s"),
}
YORKTOWN = {
    "drums": 16, "drum_slots": 100_000, "drum_revolution_ms": 0.1, "drum_pages_in_two_turns": 2,
    "discs": 16, "disc_seek_ms": (0.001, 0.002, 0.003), "disc_revolution_ms": 0.01,
    "disc_kb_per_s": 1e6, "output_lines": 0.0,
    **dict.fromkeys(SUPERVISOR, 0.001), "slice_end_ms": 0.005,
}  # fmt: skip
THEN, NOW, BUSY = "then", "today", "today, kept busy"


def machines():
    """Return by system what runs it, its machines by name, the change, the measure and its sign.

    A machine is parameters and options of what runs it. A measure that the change is to lengthen
    has the sign 1.
    """
    unix_then = unix_v6.Parameters(memory_clicks=650)
    unix_now = unix_then.replace(**unix.TODAY)
    sim_now, given = sim61_today.parameters(), {"load": sim61_today.load()}
    given["devices"] = sim61_today.DEVICES
    channels = sim61_today.STORES["flash, ten channels"]
    bard = cp67_today.machines()
    p = emas.Parameters(**TODAY_S, prepaging=False)
    quick = computing_faster(p, FASTER)
    kinds = {"kinds": quick.pop("kinds")}
    tss_then = tss360.Parameters(settle_s=900.0, measured_s=1800.0)
    tss_now = tss_then.replace(**YORKTOWN)
    return {
        "unix_v6": (
            unix_v6.simulate,
            {THEN: (unix_then, {}), NOW: (unix_now, {}),
             BUSY: (unix_now.replace(**unix.SERVER), {})},
            lambda p: {"memory_clicks": 1600}, "elapsed_s", -1,
        ),
        "sim61": (
            sim61.simulate,
            {THEN: (sim61.Parameters(measured_s=300.0), {}),
             NOW: (sim_now.replace(paging_devices=channels), given), BUSY: (sim_now, given)},
            lambda p: {"memory_pages": round(1.25 * p.memory_pages)}, "response_s", -1,
        ),
        "cp67": (
            cp67.simulate,
            {THEN: (bard["1973"].replace(algorithm=1), {}),
             NOW: (bard["processor 100 times as fast"].replace(algorithm=1), {}),
             BUSY: (bard["50 times the users"].replace(algorithm=1), {})},
            lambda p: {"algorithm": 2}, "user_percent", 1,
        ),
        "emas": (
            observe_waits,
            {THEN: (p, {}), NOW: (p.replace(**FLASH, **quick), kinds),
             BUSY: (p.replace(**FLASH), {})},
            lambda p: {"prepaging": True}, "wait", -1,
        ),
        "tss360": (
            tss360.simulate,
            {THEN: (tss_then, {}), NOW: (tss_now, {}), BUSY: (tss_now.replace(think_s=4.0), {})},
            lambda p: {"schedule": "new"}, "R", -1,
        ),
    }  # fmt: skip


def fifty_years(replications=5, seed=0):
    """Return what each ``finding`` gains then and today: ``gain`` in percent, ``half_width``.

    Five replications are those of ``unix_v6``'s own part of this name: one machine, one number.
    """
    rows = []
    for key, (simulate, own, change, measure, sign) in machines().items():
        for name, (p, given) in own.items():
            both = {"baseline": given, "changed": {**given, **change(p)}}
            runs = what_if.run(simulate, p, both, replications, seed=seed, progress=False)
            if measure == "wait":
                runs["wait"] = runs["preload"] + runs["page_wait"]
            gain = sign * what_if.differences(runs, measure, percent=True)["changed"].round(6)
            rows.append((key, FINDINGS[key][0], name, *interval(gain)))
    return pd.DataFrame(rows, columns=["system", "finding", "machine", "gain", "half_width"])
