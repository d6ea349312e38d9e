"""TSS/360: two changes that are tried together, on the afternoons of a 2x2 design."""

from itertools import product

import pandas as pd

from perfkit.methods.designs import effects_of_means

LEVELS, SIGNS = ("old", "new"), {"old": -1, "new": 1}
FACTORS = {"schedule": LEVELS, "replacement": LEVELS}


def factorial(rng):
    """Draw three afternoons of each combination, and find the effects."""
    middle, halves = rng.randint(40, 70), [0, 0, 0]
    while 0 in halves[:2]:
        halves = [rng.randint(-6, 4) for _ in halves]
    rows, cells = [], []
    for replacement, schedule in product(LEVELS, repeat=2):
        a, b = SIGNS[schedule], SIGNS[replacement]
        mean = middle + a * halves[0] + b * halves[1] + a * b * halves[2]
        off = rng.randint(-3, 3), rng.randint(-3, 3)
        days = {f"day_{n}_s": (mean + d) / 10 for n, d in enumerate((*off, -sum(off)), 1)}
        cell = {"schedule": schedule, "replacement": replacement}
        rows.append(cell | days)
        cells.append(cell | {"R": round(sum(days.values()) / 3, 2)})
    effects = effects_of_means(pd.DataFrame(cells), FACTORS).loc["R"].round(2) + 0.0
    schedule, replacement, both = map(float, effects)
    means = [cell["R"] for cell in cells]
    steps = [f"{c['schedule']} schedule, {c['replacement']} replacement: {c['R']}" for c in cells]
    steps += [
        f"schedule: ({means[1]} + {means[3]}) / 2 - ({means[0]} + {means[2]}) / 2 = {schedule}",
        f"replacement: ({means[2]} + {means[3]}) / 2 - ({means[0]} + {means[1]}) / 2"
        f" = {replacement}",
        f"interaction: (({means[3]} - {means[2]}) - ({means[1]} - {means[0]})) / 2 = {both}",
    ]
    answer = {"means_s": means, "schedule_s": schedule, "replacement_s": replacement}
    return {"afternoons": rows}, answer | {"interaction_s": both}, steps
