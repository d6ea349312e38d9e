"""EMAS: who is loaded into core from its five queues."""

import numpy as np

from perfkit.systems.emas import Parameters
from perfkit.systems.emas.memory.categories import TABLE_4
from perfkit.systems.emas.memory.core import weighted_wait

PROCESSES, AT_ONCE = "ABCDEFG", 3


def core_queues(rng):
    """Draw processes that wait for core, and load them by the weighted waits of queues."""
    weights, waits = Parameters().core_queue_weights, []
    while len({*waits}) < len(PROCESSES):  # no two are equal
        rows = _waiting(rng)
        waits = [round(weights[row["queue"] - 1] * row["waited_s"], 6) for row in rows]
    free = rng.randrange(30, 130, 5)
    case = {"free_pages": free, "at_once": AT_ONCE}
    case["weights"] = [{"queue": n, "weight": weight} for n, weight in enumerate(weights, 1)]
    return case | {"processes": rows}, *_loaded(rows, free, np.array(weights))


def _waiting(rng):
    queues = sorted(rng.choices(range(1, 6), k=len(PROCESSES)))
    waits_s = [rng.randint(1, 9) * (10 if queue == 5 else 1) for queue in queues]
    order = sorted(zip(queues, waits_s, strict=True), key=lambda one: (one[0], -one[1]))
    rows = []
    for name, (queue, waited_s) in zip(PROCESSES, order, strict=True):
        allowance = rng.choice([c.core_pages for c in TABLE_4 if c.core_queue == queue])
        row = {"process": name, "queue": queue, "waited_s": waited_s, "allowance": allowance}
        rows.append(row | {"working_set": rng.randint(8, allowance - 2)})
    return rows


def _loaded(rows, free, weights):
    """Return the answer and the steps; the machine's rule says whose turn it is."""
    left, steps, loaded, part, blocked = list(rows), [], [], None, None
    while len(loaded) < AT_ONCE and not part and not blocked:
        heads = {row["queue"] - 1: row for row in reversed(left)}
        waits = np.full(weights.size, -1.0)
        for queue, row in heads.items():
            waits[queue] = row["waited_s"]
        head = heads[weighted_wait(waits, weights)]
        parts = (f"{heads[q]['process']} {waits[q] * weights[q]:.3g}" for q in sorted(heads))
        name, pages, least = head["process"], head["allowance"], head["working_set"]
        steps.append(f"{', '.join(parts)}: {name} is next")
        if least > free:
            blocked, what = name, "blocks"
        else:
            part, what = (None, "is loaded") if pages <= free else (name, "is loaded in part")
            loaded.append(name)
            left.remove(head)
        steps.append(f"  {pages} pages, {least} at least, of {free}: {name} {what}")
        free -= 0 if blocked else least if part else pages
    return {"loaded": loaded, "in_part": part, "blocked": blocked, "left": free}, steps
