"""The thesis's statements on swapping itself and its costs, each against simulated runs."""

import numpy as np
import pandas as pd

from perfkit.systems.unix_v6 import Parameters, simulate
from perfkit.systems.unix_v6.parameters import NO_DRIVE
from perfkit.systems.unix_v6.state import Event
from studies.evidence.claims import about, above, farthest
from studies.unix_v6.experiments import GROUPS, SMALL, processor_bound
from studies.unix_v6.runs import REPEATABILITY, ROUND_SHARE

RESUMED = (Event.SLEEP, Event.WAKE, Event.SWAP_IN, Event.RUN)


def swapping_in_no_time(e):
    """Elapsed time with swaps in no time over that with all twelve in core, the worst of three."""
    at_once = {"swap_drive": NO_DRIVE, "scheduler_ms": 0.0}
    room = 12 * SMALL[0] + Parameters(**e.changes).update_clicks
    all_in = e.more(memory_clicks=room, scaled=False, scheduler_ms=0.0)["elapsed_s"]
    few, *ratios = (
        e.more(memory_clicks=memory, **at_once)["elapsed_s"] / all_in
        for memory in (330, 650, 1000, 1280)
    )
    note = f"for the thesis's memories; with two in core the ratio is {few.mean():.2f}"
    return farthest([about(ratio, 1.0, REPEATABILITY, note) for ratio in ratios])


def swapped_in_to_wait(result):
    """Return the percent of swap-ins after which the process waits at once for the same again.

    It was woken outside; when it runs, it does not get all that it waited for.
    """
    trace = pd.DataFrame(result.trace)
    steps = trace[trace["kind"].isin(RESUMED)].sort_values("actor", kind="stable")
    before = {name: steps.shift(n) for n, name in enumerate(RESUMED[::-1], start=1)}
    vain = (steps["kind"] == Event.SLEEP) & (steps["time_ms"] == before[Event.RUN]["time_ms"])
    for kind, rows in before.items():
        vain &= (rows["kind"] == kind) & (rows["actor"] == steps["actor"])
    vain &= steps["value"] == before[Event.SLEEP]["value"]
    return 100.0 * vain.sum() / result.swaps_in


def woken_to_wait(e):
    """Swap-ins of processes that wait for the same again at once, run 1 with a line of 300 baud."""
    own, slow = (
        [
            swapped_in_to_wait(simulate(e.machine(memory_clicks=650, **line), seed, trace=10**6))
            for seed in range(e.seed, e.seed + e.replications)
        ]
        for line in ({}, {"line_characters_per_s": 30.0})
    )
    note = f"percent of swap-ins; most type a little first; with 9600 baud {np.mean(own):.1f}"
    return above(slow, 100.0 * ROUND_SHARE, note)


def sleep_wakes_all(e):
    """Swaps with the old sleep call less those with pause and alarm, run 1."""
    old = e.more(memory_clicks=650, sleep_wakes_all=True)
    own = e.values("swaps", memory_clicks=650)
    longer = 100.0 * (old["elapsed_s"].to_numpy() / e.values("elapsed_s", memory_clicks=650) - 1.0)
    note = f"of {own.mean():.0f} swaps; the time changes by {longer.mean():+.1f} percent"
    note += "; no process sleeps longer than 3 s"
    return above(old["swaps"].to_numpy() - own, note=note)


def inner_swap_area(e):
    """Swap time on the innermost cylinders less that next to the files, run 1 on one drive."""
    own = Parameters(**e.changes)
    beside = own.file_area_start + own.file_area
    shared = {"memory_clicks": 650, "swap_drive": 1}
    near, far = e.more(**shared, swap_area_start=beside), e.more(**shared)
    longer = far["elapsed_s"].mean() / near["elapsed_s"].mean() - 1.0
    note = f"ms per swap, by the geometry put in (files on cylinders {own.file_area_start} to"
    note += f" {beside - 1}); the whole run takes {100.0 * longer:.0f} percent longer"
    return above(far["swap_ms"] - near["swap_ms"], note=note)


def memory_compaction(e):
    """Swaps less those with core compacted when needed, mean of the six runs with PN = 12."""
    more = [
        e.values("swaps", size, memory)
        - e.more(process_clicks=size, memory_clicks=memory, compaction=True)["swaps"].to_numpy()
        for size, memory in GROUPS
    ]
    each = [np.mean(values) for values in more]
    note = f"swaps, over the same seeds; by run {min(each):.0f} to {max(each):.0f}"
    return above(np.mean(more, axis=0), note=note)


def shared_swap_device(e):
    """Block times with swapping on the files' drive, less those with a drive of its own."""
    shared = e.more(memory_clicks=650, swap_drive=1)["block_ms"].to_numpy()
    return above(shared - e.values("block_ms", memory_clicks=650), note="ms per block, run 1")


def cpu_bound_no_overlap(e):
    """Extra elapsed time with one process loaded instead of six, over its swaps x Tswap."""
    alone, free = (processor_bound(e, loaded, times=4) for loaded in (1, 6))
    swap_s = alone["swaps"] * alone["swap_ms"] / 1000.0
    ratio = (alone["elapsed_s"] - free["elapsed_s"]) / swap_s
    note = "a swap also costs passes of the scheduler and a gap before the disc starts; four times"
    note += " the replications"
    return about(ratio, 1.0, REPEATABILITY, note)


def cpu_bound_memory(e):
    """Elapsed time with two processes loaded over that with all six."""
    ratio = processor_bound(e, 2)["elapsed_s"] / processor_bound(e, 6)["elapsed_s"]
    return about(ratio, 1.0, REPEATABILITY)


def cpu_bound_linear(e):
    """Elapsed time of twelve over that of six processes, three loaded."""
    ratio = processor_bound(e, 3, 12)["elapsed_s"] / processor_bound(e, 3)["elapsed_s"]
    return about(ratio, 2.0, 2.0 * REPEATABILITY)


def cpu_bound_swap_device(e):
    """Elapsed time with a disc of twice the speed over that with the RL01."""
    faster = processor_bound(e, 3, disc_speed=2.0)
    ratio = faster["elapsed_s"] / processor_bound(e, 3)["elapsed_s"]
    return about(ratio, 1.0, REPEATABILITY)
