"""How long a slider's redraw takes in each study's panel ("Turn it yourself"): runs and picture."""

import time

from perfkit.show import explore, plots
from perfkit.systems import cp67, emas, sim61, tss360, unix_v6

MOVES = 3
# A system, its machine, along what, replications, a slider, two measures: as in the notebooks.
PANELS = {
    "unix_v6": (
        unix_v6,
        {"memory_clicks": 650, "interactions": 100},
        {"memory_clicks": [400, 650, 1000, 1280, 2560]},
        3,
        {"processes": (2, 20)},
        ["elapsed_s", "queue"],
    ),
    "sim61": (
        sim61,
        {},
        {"memory_pages": [128, 192, 256, 384, 512]},
        3,
        {"user_discs": (1, 6)},
        ["response_s", "paging_queue_ms", "paging_busy_percent"],
    ),
    "cp67": (
        cp67,
        {"measured_s": 1200.0},
        {"users": [15, 45]},
        3,
        {"frames": (80, 200)},
        ["user_percent", "page_reads_per_s", "response_s"],
    ),
    "emas": (
        emas,
        {"settle_s": 60.0, "measured_s": 120.0},
        {"users": [15, 45]},
        4,
        {"frames": (100, 300)},
        ["user_percent", "supervisor_percent", "awake"],
    ),
    "tss360": (
        tss360,
        {"settle_s": 900.0, "measured_s": 1200.0},
        {"users": [22, 29, 36]},
        3,
        {"memory_pages": (200, 400)},
        ["R", "N_e"],
    ),
}


def redraw_seconds(system, machine, along, replications, turn, measures):
    """Return the seconds that each of a few moves of a slider takes, after a first one."""
    base = system.Parameters(**machine)
    panel = explore.sliders(
        system.simulate, base, turn, measures, along=along, replications=replications
    )
    ((name, (low, high)),) = turn.items()
    places = [low + move * (high - low) // (MOVES + 2) for move in range(MOVES + 2)]
    taken = []
    for place in [place for place in places if place != getattr(base, name)][: MOVES + 1]:
        start = time.perf_counter()
        panel.controls[name].value = place
        taken.append(time.perf_counter() - start)
    return taken[1:]


def redraws():
    """Return by study the seconds of its redraws."""
    plots.use_style()
    return {key: redraw_seconds(*panel) for key, panel in PANELS.items()}
