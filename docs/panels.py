"""The panels of the pages: which two machines each opens with, and the script that runs them."""

import base64
import gzip
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from perfkit.show.players import page
from perfkit.show.players.films import first_s
from studies import STUDIES
from tools.wasm import describe

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS, MODULES = ROOT / "docs/panel", ROOT / "build/wasm"
PLAYER = "const {{ Film, Player }} = (() => {{\n{}\nreturn {{ Film, Player }};\n}})();"
PARTS = "statistics", "state", "picture", "pool", "words", "watch", "panel"
MOST_RUNS = 200


class Panel(NamedTuple):
    """What a study's panel opens with: the machines that its headline compares.

    Attributes
    ----------
    a, b : dict
        What differs from the paper's machine, as texts by name.
    names : tuple of str
        What each stands for.
    along : dict
        The axis: ``name``, ``low``, ``high`` as texts, ``in``: "b" or "both" machines.
    measure : str
    shown : tuple of str
        Further measures, in the table.
    replications : int
    verdicts : tuple of str
        What the headline says if B has less of the measure, and if A has; none where it speaks of
        an experiment that is more than two machines.
    note : str
        How the numbers compare with the page's.
    """

    a: dict
    b: dict
    names: tuple
    along: dict
    measure: str
    shown: tuple
    replications: int
    verdicts: tuple
    note: str = ""


AFTERNOON, HOUR = {"measured_s": "5400"}, {"measured_s": "3600"}
PANELS = {
    "unix_v6": Panel(
        {"memory_clicks": "1600"},
        {"memory_clicks": "650", "disc_speed": "1.25"},
        ("more memory", "a faster disc"),
        {"name": "disc_speed", "low": "1", "high": "1.5", "in": "b"},
        "elapsed_s",
        ("swaps", "queue", "utilization"),
        20,
        ("The disc saves more.", "The memory saves more."),
    ),
    "sim61": Panel(
        {"core_mb": "1"},
        {"core_mb": "0.5", "drums": "2"},
        ("twice the core", "a second drum"),
        {"name": "drums", "low": "1", "high": "4", "in": "b"},
        "response_s",
        ("paging_queue_ms", "active_tasks", "paging_busy_percent"),
        40,
        ("A second drum does more than the core.", "The core does more than a second drum."),
    ),
    "cp67": Panel(
        {"algorithm": "1"},
        {"algorithm": "2"},
        ("Algorithm 1", "Algorithm 2"),
        {"name": "frames", "low": "80", "high": "160", "in": "both"},
        "response_s",
        ("user_percent", "page_reads_per_s", "io_bound_s", "cpu_bound_s"),
        20,
        (
            "On the same days users wait less under B.",
            "On the same days users wait less under A.",
        ),
        "A run is a day; the last column tells what days of their own leave of the difference.",
    ),
    "emas": Panel(
        HOUR | {"prepaging": "False"},
        HOUR | {"prepaging": "True"},
        ("on demand", "fetching ahead"),
        {"name": "preloads_at_once", "low": "1", "high": "4", "in": "both"},
        "page_wait_per_cpu",
        ("wait_per_cpu", "awake", "user_percent", "residences_per_s"),
        12,
        (
            "Counting waits for pages alone, it pays to fetch ahead.",
            "It does not pay to fetch ahead.",
        ),
    ),
    "tss360": Panel(
        AFTERNOON | {"schedule": "old"},
        AFTERNOON | {"schedule": "new"},
        ("the old schedule", "the new schedule"),
        {"name": "users", "low": "22", "high": "36", "in": "both"},
        "R",
        ("N_e", "p_o", "p_v", "TSE_mp"),
        96,
        ("The new schedule is worth making.", "The new schedule is not worth making."),
    ),
}


def first(key):
    """Return what a study's panel opens with, as its script takes it."""
    panel = PANELS[key]
    state = {"a": panel.a, "b": panel.b, "along": panel.along, "measure": panel.measure}
    return state | {"replications": str(panel.replications), "seed": "0"}


def script(key):
    """Return the script of a study's panel: the machine, what it is, and what draws it."""
    panel = PANELS[key]
    told = {"first": first(key), "names": panel.names, "verdicts": panel.verdicts}
    told |= {"shown": panel.shown, "note": panel.note, "module": _module(key)}
    told["film_s"] = first_s(key, STUDIES[key].module().Parameters())
    quantiles = stats.t.ppf(0.975, np.arange(1, MOST_RUNS)).round(5).tolist()
    worker = describe.sources("machine") + describe.sources("worker", folder=SCRIPTS)
    return "\n".join(
        [
            '(() => {\n"use strict";',
            f"const T95 = {json.dumps(quantiles)}, WORKER = {json.dumps(worker)};",
            describe.sources("python", "parameters"),
            PLAYER.format(page.script()),
            describe.sources(*PARTS, folder=SCRIPTS),
            f"start({{ system: {describe.script(key)}, ...{json.dumps(told)} }});\n}})();",
        ]
    )


def _module(key):
    """Return a system's module, compressed, as text: a page from a file can't load another file."""
    packed = gzip.compress((MODULES / f"{key}.wasm").read_bytes(), 9, mtime=0)
    return base64.b64encode(packed).decode()
