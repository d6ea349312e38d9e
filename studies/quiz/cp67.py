"""CP-67: the clock of its replacement algorithm, and two versions compared by switching."""

from itertools import product
from math import sqrt

import pandas as pd

from perfkit.methods.switching import label, settled, switching_order
from perfkit.runs.experiment import interval
from perfkit.systems.cp67 import replacement_policy
from perfkit.systems.cp67.state import Choice

PAGES, OTHERS, REFERENCES = "ABCDEF", "GHIJ", 8
BATCH, STUDENT = 3, 3.182
SCATTERS = [  # of four differences around their mean, whose standard error is 1, 2 or 3
    four
    for four in product(range(-8, 9), repeat=4)
    if sum(four) == 0 and sum(d * d for d in four) in (12, 48, 108)
]


def clock(rng):
    """Draw pages in storage and references, and replace pages by Algorithm 2."""
    replaced, passed = [], 0
    while not (2 <= len(replaced) <= 4 and passed):
        pages, bits, passed = list(PAGES), rng.choices([0, 1], k=len(PAGES)), 0
        pointer, references, replaced, steps = rng.randrange(len(PAGES)), [], [], []
        frames = zip(range(1, 7), pages, bits, strict=True)
        case = {"pointer": pointer + 1, "references": references}
        case["frames"] = [dict(zip(("frame", "page", "bit"), row, strict=True)) for row in frames]
        for _ in range(REFERENCES):
            missing = [page for page in PAGES + OTHERS if page not in pages]
            page, what = rng.choice(pages if rng.random() < 0.5 else missing), "is there"
            references.append(page)
            if page in missing:
                frame, off = _found(bits, pointer)
                pointer, passed = (frame + 1) % len(bits), passed + len(off)
                replaced.append(pages[frame])
                names = ", ".join(pages[f] for f in off)
                what = f"{names and f'off: {names}; '}replaces {pages[frame]}"
                pages[frame] = page
            bits[pages.index(page)] = 1
            marks = (" >"[f == pointer] for f in range(len(pages)))
            steps.append(f"{page}: {' '.join(map('{}{}{}'.format, marks, pages, bits))}  {what}")
    return case, {"replaced": replaced, "pages": pages, "bits": bits, "pointer": pointer + 1}, steps


def _found(bits, frame):
    """Return the first frame that may be taken, and those passed, whose bits are turned off."""
    off = []
    while replacement_policy.rule(bits[frame], 1, 0, 0.0, 1) == Choice.TURN_OFF:
        bits[frame] = 0
        off.append(frame)
        frame = (frame + 1) % len(bits)
    return frame, off


def switching(rng):
    """Draw batches of two versions, whose first observations are near the version before."""
    effect, scatter = rng.choice([-1, 1]) * rng.randint(2, 9), rng.choice(SCATTERS)
    levels, values = [], []
    for further in scatter:
        load = rng.randint(40, 60)
        levels += [load, load + effect + further]
    for before, level in zip([levels[0], *levels], levels, strict=False):
        apart = rng.randint(-3, 3)
        values += [level + round(0.6 * (before - level)), level - apart, level + apart]
    versions = switching_order(2, BATCH, len(values))
    frame = label(pd.DataFrame({"run": 0, "version": versions, "x": values}), BATCH, 2)
    means, differences = _compared(settled(frame))
    mean, half_width = interval(differences)
    decided = "yes" if abs(mean) > half_width else "no"
    sum_a, sum_b = frame.groupby("version")["x"].sum()
    rows = [
        {"batch": n // BATCH + 1, "version": "AB"[versions[n]]}
        | {f"x{k + 1}": values[n + k] for k in range(BATCH)}
        for n in range(0, len(values), BATCH)
    ]
    error = sqrt(sum(d * d for d in scatter) / 12)
    steps = [f"pair {n + 1}: {b:g} - {a:g} = {b - a:g}" for n, (a, b) in means.iterrows()]
    steps += [
        f"mean = {differences.sum():g} / 4 = {mean:g}",
        f"s = sqrt({sum(d * d for d in scatter)} / 3), s / 2 = {error:g}",
        f"half_width = {STUDENT} x {error:g} = {half_width:.2f}; |{mean:g}| above it: {decided}",
        f"undiscarded: ({sum_b} - {sum_a}) / 12, the sums of x1 to x3 of B and of A",
    ]
    answer = {"differences": [int(d) for d in differences], "mean": int(mean)}
    answer |= {"half_width": round(half_width, 2), "decided": decided}
    undiscarded = round(float(_compared(frame)[1].mean()), 2)
    return {"student": STUDENT, "batches": rows}, answer | {"undiscarded": undiscarded}, steps


def _compared(frame):
    """Return the means of each pair of batches by version, and version B less A."""
    means = frame.groupby(["cycle", "version"])["x"].mean().unstack()
    return means, means[1] - means[0]
