"""Grids of runs behind the pages' own what-if: ``make site`` computes them, whatif.js draws them.

A page has no kernel, so its controls choose among runs made beforehand: every combination of a few
values, short and seldom repeated, over the same seeds. ``python -m tools.whatif`` computes all.
"""

import itertools
import json
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from perfkit.core.sources import source_hash
from perfkit.runs.experiment import interval, sweep
from perfkit.show.controls import shown, written
from studies import study

REPLICATIONS = 4
DIGITS = 4
FOLDER = Path(__file__).resolve().parents[1] / "build" / "grids"


class Grid(NamedTuple):
    """What may be turned on a study's page; all else is as in the paper.

    Attributes
    ----------
    settings : dict
        What makes the runs short.
    along : tuple
        The parameter of the horizontal axis: name, label, values.
    turn : dict
        By parameter its label and values, the paper's among them.
    turned : dict
        Where controls stand at first.
    measures : dict
        By measure its label.
    note : str
        How the runs differ from the notebook's.
    """

    settings: dict
    along: tuple
    turn: dict
    turned: dict
    measures: dict
    note: str


GRIDS = {
    "unix_v6": Grid(
        {"interactions": 100},
        ("memory_clicks", "user memory (clicks)", [400, 650, 1000, 1280, 2560]),
        {
            "processes": ("processes", [4, 8, 12, 16, 20]),
            "compute_ms": ("computing per interaction (ms)", [12, 30, 60]),
            "controllers": ("disc controllers", [1, 2]),
            "discipline": ("order of disc requests", ["LOOK", "FCFS", "SSTF"]),
        },
        {"controllers": 2},
        {"elapsed_s": "elapsed time (s)", "queue": "requests at the disc"},
        "Runs have half the thesis's work, so times are about halved.",
    ),
    "sim61": Grid(
        {"measured_s": 300.0},
        ("memory_pages", "core (pages of 4096 bytes)", [128, 192, 256, 384, 512]),
        {
            "paging_devices": (
                "paging devices",
                [("8567",), ("8567", "8567"), ("8580", "8580"), ("LAM",)],
            ),
            "user_discs": ("discs for users' files", [1, 2, 4, 6]),
            "dirty_share": ("released pages to be written (share)", [0.0, 0.38, 0.76, 1.0]),
        },
        {"paging_devices": ("8567", "8567")},
        {
            "response_s": "response (s)",
            "paging_queue_ms": "wait for a page (ms)",
            "paging_busy_percent": "paging devices busy (%)",
        },
        "Runs have five minutes. 8567 is the drum, 8580 a disc, LAM a store that does not turn.",
    ),
    "cp67": Grid(
        {"measured_s": 1200.0},
        ("users", "users", [15.0, 35.0, 50.0]),
        {
            "algorithm": ("page replacement algorithm", [1, 2]),
            "frames": ("pages of main storage", [80, 100, 130, 200]),
            "t2_ms": ("time slice of Q2 (ms)", [300.0, 3000.0, 30000.0]),
        },
        {"algorithm": 1},
        {
            "user_percent": "processor in users' programs (%)",
            "page_reads_per_s": "page reads per s",
            "response_s": "response (s)",
        },
        "Runs have twenty minutes instead of a day, so bands are wide.",
    ),
    "emas": Grid(
        {"settle_s": 60.0, "measured_s": 240.0},
        ("users", "users", [15, 30, 45]),
        {
            "frames": ("pages of core", [100, 149, 200, 300]),
            "drums": ("drums", [1, 2, 4]),
            "prepaging": ("fetch pages ahead", [True, False]),
            "preloads_at_once": ("preloads side by side", [1, 2]),
        },
        {"prepaging": False},
        {
            "user_percent": "processor in processes (%)",
            "supervisor_percent": "processor in the supervisor (%)",
            "awake": "processes awake",
        },
        "Runs have five minutes, the first of them not measured, instead of two hours.",
    ),
    "tss360": Grid(
        {"settle_s": 900.0, "measured_s": 1200.0},
        ("users", "users logged on", [22.0, 29.0, 36.0]),
        {
            "schedule": ("schedule", ["old", "new"]),
            "replacement": ("page replacement", ["old", "new"]),
            "memory_pages": ("memory (pages of 4096 bytes)", [256, 400]),
            "drums": ("paging drums", [1, 2, 4]),
        },
        {"schedule": "new"},
        {
            "R": "response of typical transactions (s)",
            "N_e": "tasks that wait to enter",
            "p_o": "overhead (share of the processor)",
        },
        "Runs have twenty minutes, so bands are wide: read the lower row.",
    ),
}


def compute(key, grid):
    """Return a study's grid as what whatif.js reads: labels, values, and three numbers a point.

    These are the mean, its half-width, and that of the difference from the paper's machine, seed
    by seed, in the order of the combinations, the points along the axis, the measures.
    """
    system = study(key).module()
    own = system.Parameters(**grid.settings)
    name, label, points = grid.along
    values = {name: values for name, (_, values) in grid.turn.items()}
    combinations = list(itertools.product(*values.values(), points))
    design = pd.DataFrame(combinations, columns=[*values, name], dtype=object)
    runs = sweep(system.simulate, own, design, REPLICATIONS, progress=False)
    shape = (-1, len(points), REPLICATIONS, len(grid.measures))
    found = runs[list(grid.measures)].to_numpy(float).reshape(shape)
    base = found[np.ravel_multi_index(_own_place(own, values), [*map(len, values.values())])]
    numbers = [
        _rounded(number)
        for one in found
        for at, _ in enumerate(points)
        for m, _ in enumerate(grid.measures)
        for number in (*interval(one[at, :, m]), interval(one[at, :, m] - base[at, :, m])[1])
    ]
    return {
        "key": key,
        "note": f"{grid.note} Bands are 95 % intervals over {REPLICATIONS} seeds.",
        "settings": [f"{name}={written(value)}" for name, value in grid.settings.items()],
        "along": {**_values(own, name, label, points, {}), "at": points},
        "turn": [_values(own, n, told, v, grid.turned) for n, (told, v) in grid.turn.items()],
        "measures": list(grid.measures.values()),
        "names": list(grid.measures),
        "replications": REPLICATIONS,
        "numbers": numbers,
    }


def _own_place(own, values):
    return tuple(options.index(getattr(own, name)) for name, options in values.items())


def _values(own, name, label, values, turned):
    """Return a parameter's values in words and as written, the paper's place, and the first."""
    place = values.index(getattr(own, name)) if getattr(own, name) in values else len(values) // 2
    return {
        "name": name,
        "label": label,
        "words": [shown(value) for value in values],
        "values": [written(value) for value in values],
        "own": place,
        "first": values.index(turned[name]) if name in turned else place,
        "slides": len(values) > 2 and isinstance(values[0], int | float),
    }


def _rounded(number):
    return float(f"{number:.{DIGITS}g}") if np.isfinite(number) else None


def script(key):
    """Return a study's grid as a script, computed unless it is kept for these sources."""
    stamp = f"{source_hash()}-{hash_of(GRIDS[key])}"
    kept = FOLDER / f"{key}-{stamp}.js"
    if not kept.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        for old in FOLDER.glob(f"{key}-*.js"):
            old.unlink()
        told = json.dumps(compute(key, GRIDS[key]), separators=(",", ":"))
        kept.write_text(f"(window.whatifGrids ??= {{}}).{key} = {told};\n")
    return kept.read_text()


def hash_of(grid):
    """Return a short name of what a grid asks for."""
    return f"{zlib.crc32(repr((grid, REPLICATIONS, DIGITS)).encode()):08x}"


if __name__ == "__main__":
    for asked in sys.argv[1:] or GRIDS:
        print(asked, f"{len(script(asked)) / 1000:.0f} kB")
