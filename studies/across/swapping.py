"""Swap or page: the same programs on the same discs, swapped whole, paged on demand, prepaged.

Brachman's third open question. The swapped machine is ``unix_v6`` with a drive and controller for
swaps and others for files. The paged one is ``sim61`` with the PDP-11's memory, discs and processor
times: a PDP-11/34 has no page table, so this machine is imagined. It gets the very interactions
that ``unix_v6`` draws, and its pauses end at full seconds too. The best that prepaging could do is
``unix_v6`` swapping what an interaction will touch instead of whole programs.
"""

import math
from functools import cache

import numpy as np
import pandas as pd
from scipy.special import ndtr

from perfkit.des.alarms import set_alarms
from perfkit.des.devices import seek_table
from perfkit.des.memo import remembered
from perfkit.des.records import viewed
from perfkit.runs.experiment import interval, replicate
from perfkit.systems import sim61, unix_v6
from perfkit.systems.sim61.load import read_load
from perfkit.systems.sim61.result import read_out
from perfkit.systems.sim61.run import LOOP
from perfkit.systems.sim61.state import FIRST_DEVICE_ACTOR, Column, State, new_machine

PAGING = ("touched", "unit", "dirty", "reuse", "page_ms", "tick_s")
PROCESSES, INTERACTIONS, BLOCK, CLICK = 12, 200, 512, 64  # bytes of a block, of a click
CLICKS, MEMORY, UNIT, TOUCHED = 320, 1280, 1024, 0.3  # 20 KB programs, four in core, 1 KB pages
SWAPPED, PAGED, PREPAGED = "swapped whole", "paged on demand", "prepaged at best"
WAYS = (SWAPPED, PAGED, PREPAGED)
FEWEST = 6  # cylinders over which a seek curve can be drawn
DIRTY = sim61.Parameters().dirty_share
LOAD = {  # two blocks read at random places and a pause; nothing printed, no update
    "operations_per_interaction": 2.0, "write_share": 0.0, "sequential_share": 0.0,
    "strings_per_interaction": 0.0, "pause_percent": (0.0, 100.0, 0.0, 0.0),
    "other_inodes": 0, "flush_period_s": 3600, "update_clicks": 1,
}  # fmt: skip
SPARE = 32  # interactions drawn beyond one a second
ENDLESS_S = 1e6  # a pause that ends only when `simulate_paged` ends it
ALL_FIT = 4000  # clicks
LATENCIES = ("head_switch_ms", "head_skew_ms", "cylinder_skew_ms")
AXES = {
    "memory": (640, 960, 1280, 1920, 2560, 3200, 4000),
    "touched": (0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0),
    "unit": (512, 1024, 2048, 4096, 10240, 20480),
    "positioning": (1.0, 0.5, 0.25, 0.1, 0.05),
}


@sim61.fault_policy
def at_once(page, working_set, compute_ms, alpha):
    """Let an interaction ask for its pages one after the other when it begins."""
    return 0.0


def machine(memory=MEMORY, positioning=1.0, clicks=CLICKS, **changes):
    """Return the swapping machine, with so much core and so much of each program swapped.

    Times of seek and rotation (``positioning``) are against the RL01's, a block takes as long to
    transfer; ``changes`` are other parameters.
    """
    own = unix_v6.Parameters()
    blocks = max(1, round(own.disc_blocks_per_track * positioning))
    more = own.disc_blocks_per_track / blocks  # cylinders for the same bytes
    changed = {
        "disc_revolution_ms": blocks * (own.disc_revolution_ms / own.disc_blocks_per_track),
        "disc_seek_ms": tuple(positioning * ms for ms in own.disc_seek_ms),
        "disc_blocks_per_track": blocks,
        "disc_cylinders": max(20, math.ceil(own.disc_cylinders * more)),
        "file_area_cylinders": math.ceil(own.file_area_cylinders * more), "file_area_start": 0,
        "swap_area_start": math.ceil(own.swap_area_start * more), "swap_offset_blocks": 0,
        "memory_clicks": memory, "process_clicks": (clicks,), "processes": PROCESSES,
        "interactions": INTERACTIONS, "controllers": 2,
    }  # fmt: skip
    changed |= {name: getattr(own, name) * positioning for name in LATENCIES}
    return own.replace(**LOAD | changed | changes)


def drive(own, cylinders, unit):
    """Return a drive of a swapping machine as a device of sim61 that moves ``unit`` bytes.

    Of the disc it uses neighbouring cylinders, with their seeks.
    """
    block_ms = own.disc_revolution_ms / own.disc_blocks_per_track
    cylinders = min(max(FEWEST, cylinders), own.disc_cylinders)
    curve = np.asarray(seek_table(own.disc_cylinders, *own.disc_seek_ms))[:cylinders]
    apart = np.abs(np.subtract.outer(np.arange(cylinders), np.arange(cylinders)))
    return sim61.Device(
        transfer_kb_per_s=sim61.parameters.PAGE_BYTES * BLOCK / (block_ms * unit),
        revolution_ms=own.disc_revolution_ms,
        seek_ms=(float(curve[1]), float(curve[apart].mean()), float(curve[-1])),
        window_ms=0.0,
        cylinders=cylinders,
        pages_per_track=max(1, own.disc_blocks_per_track * BLOCK // unit),
    )


def paged(own, touched=TOUCHED, unit=UNIT, dirty=DIRTY, reuse=1.0, page_ms=None, tick_s=1.0):
    """Return sim61's parameters and options for the machine and the load of a swapping one.

    ``touched`` is the share of its program that an interaction refers to, ``unit`` the bytes of a
    page. Of the pages a share is changed (``dirty``), or the same as before (``reuse``). A page
    moved costs ``page_ms`` of the processor, or what a block read does. Pauses end at ``tick_s``.
    """
    program = own.process_clicks[0] * CLICK
    pages = max(1, round(touched * program / unit))
    cylinder = own.disc_heads * own.disc_blocks_per_track * BLOCK
    devices = {
        "pages": drive(own, math.ceil(PROCESSES * program / cylinder), unit),
        "files": drive(own, own.file_area, BLOCK),
    }
    parameters = sim61.Parameters(
        memory_pages=own.memory_clicks * CLICK // unit, supervisor_pages=0, extra_pages=0.0,
        paging_devices=("pages",), user_disc="files", user_discs=1, user_channels=1,
        processor_add_us=1.0, load_add_us=1.0, window_routine_ms=own.controller_ms,
        from_track_beginning=False, compute_bound_ms=math.inf, interactive_slice_ms=1e8,
        charged_share=0.0, dirty_share=dirty, reuse_share=reuse, exec_fault_share=0.0,
        shared_fault_share=0.0, svc_ms=0.0, seek_ms=0.0, no_rotation_ms=0.0,
        page_ms=own.block_io_ms if page_ms is None else page_ms, reclaim_ms=0.0,
        io_ms=own.system_call_ms + own.block_io_ms, activation_ms=own.scheduler_ms,
        io_wait_share=1.0, io_buffers=1, io_kb=BLOCK / 1000.0, user_surface_share=1.0,
        settle_s=20.0, measured_s=200.0,
    )  # fmt: skip
    load = {
        "task_type": "interactive", "tasks": PROCESSES, "working_set_pages": pages,
        "compute_ms": own.compute_ms, "compute_sd_ms": own.compute_ms, "think_s": ENDLESS_S,
        "io_interval_ms": own.compute_ms, "io_interval_sd_ms": own.compute_ms,
        "exec_interval_ms": 0.0, "shared_interval_ms": 0.0,
        "virtual_memory_pages": max(pages, program // unit),
    }  # fmt: skip
    return parameters, {"load": [load], "devices": devices, "tick_s": tick_s}


@remembered
def simulate_paged(parameters, seed=0, *, own, further, load, devices, tick_s=1.0):
    """Simulate sim61 with the interactions of ``own``, a swapping machine, and its pauses.

    They are those of ``unix_v6`` with that seed: the same computing, and so many operations on
    files, ``further`` of which read one block more. A pause ends at a full second: the loop stops
    there, and ends those that are over. With a shorter ``tick_s`` it lasts up to a second less, at
    random, so that pauses last the same on average and do not end together.
    """
    p, classes = parameters, read_load(load)
    longer = own.replace(interactions=round(p.settle_s + p.measured_s) + SPARE)
    work = unix_v6.draw_workload(longer, seed).interactions
    reads = np.floor((1.0 + further) * work.operations.cumsum(axis=1))
    reads = np.diff(reads, axis=1, prepend=0.0)
    raw = np.full((*work.shape, len(Column)), 0.5)  # sim61 makes normal draws of these
    raw[..., Column.COMPUTE] = ndtr(work.compute_ms / own.compute_ms - 1.0)
    raw[..., Column.IO_INTERVAL] = ndtr(work.compute_ms / (reads + 0.5) / own.compute_ms - 1.0)
    m = viewed(new_machine(p, classes, seed, devices, demands=raw))
    less_s = np.random.default_rng(seed).random(work.shape)
    ticks = np.ceil((work.pause_s - less_s) / tick_s)
    tasks, left, done = np.arange(PROCESSES), *np.zeros((2, PROCESSES), int)
    first = FIRST_DEVICE_ACTOR + m.devices.size
    for tick in range(1, round((p.settle_s + p.measured_s) / tick_s) + 1):
        LOOP.until(m, 1000.0 * tick_s * tick, fault=at_once)
        pauses = m.tasks.state == State.THINKING
        left = np.where(pauses & (left == 0), ticks[tasks, done], left) - pauses
        over = pauses & (left == 0)
        done += over
        alarms_ms = m.alarms.time[first : first + PROCESSES]
        set_alarms(m.alarms, first, np.where(over, m.kernel.now_ms, alarms_ms))
    return read_out(m, p, classes, seed)


@cache
def further_reads(positioning=1.0):
    """Return how many blocks an operation reads besides its own, as in unix_v6 if all fit."""
    own = machine(ALL_FIT, positioning)
    operations = unix_v6.draw_workload(own, 0).operations.size
    return unix_v6.simulate(own, 0).reads / operations - 1.0


@cache
def swapped(own, replications, seed):
    """Return the runs of a swapping machine, made once because they do not depend on pages."""
    return replicate(unix_v6.simulate, own, replications, seed=seed, progress=False)


def run(way, replications=5, seed=0, memory=MEMORY, positioning=1.0, **changes):
    """Run one way of sharing core.

    Changes are PAGING's, for `paged`, or parameters of the swapping machine. Rows are runs:
    ``elapsed_s`` of 200 interactions of each process, ``busy`` (share of the time) of the drive
    for programs, ``transfers`` (and paged ``reads``) and ``kb`` per interaction, ``transfer_ms``.
    """
    paging = {name: changes.pop(name) for name in PAGING if name in changes}
    touched = paging.get("touched", TOUCHED)
    clicks = max(1, round(touched * CLICKS)) if way == PREPAGED else CLICKS
    own = machine(memory, positioning, clicks, **changes)
    work = PROCESSES * own.interactions
    if way != PAGED:
        runs = swapped(own, replications, seed)
        found = {
            "elapsed_s": runs["elapsed_s"],
            "transfers": runs["swaps"] / work,
            "transfer_ms": runs["swap_ms"],
            "kb": runs["swap_clicks"] * CLICK / 1000.0 / work,
        }
        busy = runs["swaps"] * runs["swap_ms"] / runs["elapsed_s"] / 1000.0
        return pd.DataFrame(found).assign(busy=busy, seed=runs["seed"])
    parameters, options = paged(own, **paging)
    options |= {"own": own, "further": further_reads(positioning)}
    # In one thread: two would wait for each other, for the loop returns to Python at each tick.
    how = {"seed": seed, "jobs": 1, "progress": False}
    runs = replicate(simulate_paged, parameters, replications, **how, **options)
    moved = (runs["pages_in"] + runs["pages_out"]) / runs["interactions"]
    busy = runs["paging_busy_percent"] / 100.0
    found = {
        "elapsed_s": work * parameters.measured_s / runs["interactions"],
        "transfers": moved,
        "reads": runs["pages_in"] / runs["interactions"],
        "transfer_ms": 1000.0 * busy * parameters.measured_s / (moved * runs["interactions"]),
        "kb": moved * paging.get("unit", UNIT) / 1000.0,
    }
    return pd.DataFrame(found).assign(busy=busy, seed=runs["seed"])


def along(axis, replications=5, seed=0, ways=WAYS, **changes):
    """Run all ways along one of AXES: rows as of `run`, with ``way`` and the axis."""
    parts = []
    for way in ways:
        for value in AXES[axis]:
            found = run(way, replications, seed, **changes | {axis: value})
            parts.append(found.assign(way=way, **{axis: value}))
    return pd.concat(parts, ignore_index=True)


def between(rows, axis):
    """Return the neighbouring values of an axis between which the faster of two ways changes.

    The ways are paging and swapping, by their means. There may be several such pairs, or none.
    """
    means = rows.groupby([axis, "way"])["elapsed_s"].mean().unstack()
    turns = np.flatnonzero(np.diff(np.sign(means[PAGED] - means[SWAPPED])))
    return [tuple(means.index[at : at + 2]) for at in turns]


def limit(replications=5, seed=0, **changes):
    """Return the pages of a program, and what paging takes over swapping on either side of 1.

    That is by the pages that an interaction touches, whole ones, found by halving: a mean with its
    half-width at the last number where paging is faster and at the next.
    """
    pages, seen = CLICKS * CLICK // changes.get("unit", UNIT), {}
    low, high = 0, pages + 1
    slow = run(SWAPPED, replications, seed, **changes)["elapsed_s"]
    while high - low > 1:
        at = (low + high) // 2
        paged_s = run(PAGED, replications, seed, **changes | {"touched": at / pages})["elapsed_s"]
        seen[at] = interval(paged_s / slow)
        low, high = (at, high) if seen[at][0] < 1.0 else (low, at)
    return pages, {at: seen[at] for at in (low, high) if at in seen}


def expected_ms(own, unit):
    """Return the time of a transfer of ``unit`` bytes: gap, mean seek, half a turn, its bytes."""
    program = own.process_clicks[0] * CLICK
    cylinder = own.disc_heads * own.disc_blocks_per_track * BLOCK
    device = drive(own, math.ceil(PROCESSES * program / cylinder), unit)
    turn_ms = own.disc_revolution_ms / 2.0
    return own.controller_ms + device.seek_ms[1] + turn_ms + device.page_ms


DISCS = {
    "RL01": {},
    "positions ten times as fast": {"positioning": 0.1},
    "positioning nearly free": {"positioning": 0.02},
}


def trivial(replications=5, seed=0):
    """Return the cases in which theory knows the answer: ``expected``, ``seen``, ``half_width``."""
    rows, fits = {}, {way: run(way, replications, seed, memory=ALL_FIT) for way in WAYS}
    for way in (PAGED, PREPAGED):
        ratio = fits[way]["elapsed_s"] / fits[SWAPPED]["elapsed_s"]
        rows[f"all fit: elapsed time, {way}, over swapped"] = (1.0, *interval(ratio))
    whole = {"unit": CLICKS * CLICK, "touched": 1.0, "dirty": 1.0, "memory": 640, "reuse": 0.0}
    moved = run(PAGED, replications, seed, **whole)["transfers"]
    rows["a page is a program: transfers per interaction"] = (2.0, *interval(moved))
    tight = {"memory": 640, "touched": 1.0}
    pages = {name: run(PAGED, replications, seed, **tight, **disc) for name, disc in DISCS.items()}
    for name, disc in DISCS.items():
        expected = expected_ms(machine(memory=640, **disc), UNIT)
        rows[f"{name}: ms per page"] = (expected, *interval(pages[name]["transfer_ms"]))
    for name in ("RL01", "positioning nearly free"):
        swap = run(SWAPPED, replications, seed, memory=640, **DISCS[name])["transfer_ms"]
        expected = expected_ms(machine(memory=640, **DISCS[name]), CLICKS * CLICK)
        rows[f"{name}: ms per swap"] = (expected, *interval(swap))
    moved = pages["RL01"]["transfers"] * PROCESSES * INTERACTIONS
    ratio = pages["RL01"]["elapsed_s"] / (moved * expected_ms(machine(), UNIT) / 1000.0)
    rows["RL01, thrashing: elapsed time over transfers times ms per page"] = (1.0, *interval(ratio))
    return pd.DataFrame(rows, index=["expected", "seen", "half_width"]).T
