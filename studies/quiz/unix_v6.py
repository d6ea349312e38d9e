"""UNIX V6: the elevator of its disc, its swap scheduler, its buffer cache."""

from perfkit.des.devices import Discipline, choose_request, seek_table
from perfkit.des.records import records
from perfkit.systems.unix_v6 import Parameters
from perfkit.systems.unix_v6.memory import allocate, paper_victim, release
from perfkit.systems.unix_v6.state import PROCESS, REQUEST, State, new_map

REQUESTS, LATE, SEEN = "ABCDEFGH", 2, 3  # two come late, while the third is served
PROCESSES, WANTED = "ABC", 4  # the fourth process, D, is out of core
STATES = {"ready": State.READY, "disc wait": State.SLEEP, "pause": State.WAIT}
BUFFERS, BLOCKS, READS = 3, 6, 12


def disc(rng):
    """Draw requests for cylinders, and serve them by the drive's rule and seek times."""
    sides = 0, 0
    while min(sides) < 2:
        start, *cylinders = rng.sample(range(0, 250, 20), len(REQUESTS) + 1)
        there = cylinders[:-LATE]
        sides = sum(c > start for c in there), sum(c < start for c in there)
    towards, p = rng.choice(["high", "low"]), Parameters()
    curve = seek_table(p.disc_cylinders, *p.disc_seek_ms)
    seek_ms = {far: round(float(curve[far])) for far in range(20, 250, 20)}
    order, steps, moved, at = [], [], [], start
    for i, turns in _served(cylinders, start, 1 if towards == "high" else -1):
        order.append(REQUESTS[i])
        moved.append(abs(cylinders[i] - at))
        to = f"from {at} to {order[-1]} at {cylinders[i]}: {moved[-1]} cylinders"
        steps.append(f"none is ahead, the arm turns; {to}" if turns else to)
        at = cylinders[i]
    seeks = [seek_ms[far] for far in moved]
    steps += [f"moved = {_sum(moved)}", f"seek_ms = {_sum(seeks)}"]
    requests = [{"request": r, "cylinder": c} for r, c in zip(REQUESTS, cylinders, strict=True)]
    seek_times = [{"distance": far, "seek_ms": ms} for far, ms in seek_ms.items()]
    case = {"start": start, "towards": towards, "requests": requests, "seek_times": seek_times}
    return case, {"order": order, "moved": sum(moved), "seek_ms": sum(seeks)}, steps


def _served(cylinders, at, way):
    """Yield the number of each request in the order of service, and if the arm turns for it."""
    left = list(range(len(cylinders)))
    while left:
        early = len(cylinders) - len(left) < SEEN
        there = [i for i in left if not early or i < len(cylinders) - LATE]
        waiting = records(len(there), REQUEST)
        waiting.cylinder, waiting.order = [cylinders[i] for i in there], there
        chosen, new_way = choose_request(waiting, len(there), 0, Discipline.LOOK, at, way)
        yield there[chosen], new_way != way
        at, way = cylinders[there[chosen]], new_way
        left.remove(there[chosen])


def _sum(numbers):
    return f"{' + '.join(map(str, numbers))} = {sum(numbers)}"


def swap(rng):
    """Draw processes in core and one that is to come in, and swap by the scheduler's rule."""
    p, gaps, at = Parameters(), rng.choices([0, 0, 10, 20], k=4), 0
    ages_s, clicks = rng.sample(range(1, 10), 3), rng.choices([20, 30, 40], k=3)
    states, rows = rng.choices(list(STATES), weights=[3, 3, 2], k=3), [{}, {}, {}]
    for i, gap in zip(rng.sample(range(3), 3), gaps, strict=False):
        place = {"process": PROCESSES[i], "place": at + gap, "clicks": clicks[i]}
        rows[i] = place | {"state": states[i], "in_core_s": ages_s[i]}
        at += gap + clicks[i]
    case = {
        "core_clicks": at + gaps[-1],
        "wanted_clicks": rng.choice([30, 40, 50, 60]),
        "wanted_out_s": rng.randint(1, 6),
        "minimum_out_s": p.minimum_time_out_s,
        "minimum_in_s": p.minimum_time_in_s,
        "processes": rows,
    }
    return case, *_swapped(case)


def _swapped(case):
    """Return the answer and the steps: the machine's rule says who goes, and finds the place."""
    rows, clicks, out, steps = case["processes"], case["wanted_clicks"], [], []
    table, areas = records(WANTED + 1, PROCESS), new_map(case["core_clicks"], WANTED)
    table[WANTED].age_s = case["wanted_out_s"]
    for row, process in zip(rows, table[1:], strict=False):
        process.loaded, process.state, process.age_s = 1, STATES[row["state"]], row["in_core_s"]
    areas[0].extent, at = 0, 0
    for row in sorted(rows, key=lambda row: row["place"]):
        _free(areas, at, row["place"])
        at = row["place"] + row["clicks"]
    _free(areas, at, case["core_clicks"])
    while (place := int(allocate(areas, clicks))) < 0:
        steps.append(f"holes: {_holes(areas)}; none has {clicks} clicks")
        victim = paper_victim(table, WANTED, case["minimum_out_s"], case["minimum_in_s"])
        if victim < 0:
            longest_s = max(process.age_s for process in table[1:WANTED] if process.loaded)
            ages = f"D is out for {table[WANTED].age_s} s, the longest in core for {longest_s} s"
            steps.append(f"no pause; {ages}: D stays out")
            break
        row, pauses = rows[victim - 1], table[victim].state == State.WAIT
        out.append(row["process"])
        steps.append(f"{out[-1]} {'pauses' if pauses else 'is the longest in core'}: it goes out")
        table[victim].loaded = 0
        _free(areas, row["place"], row["place"] + row["clicks"])
    steps.append(f"{f'D goes to {place}; ' if place >= 0 else ''}holes left: {_holes(areas)}")
    holes = [area for area in areas if area.extent]
    answer = {"out": out, "place": place if place >= 0 else None}
    answer |= {"holes": [int(hole.address) for hole in holes]}
    return answer | {"hole_clicks": [int(hole.extent) for hole in holes]}, steps


def _free(areas, at, end):
    if end > at:
        release(areas, end - at, at)


def _holes(areas):
    return ", ".join(f"{a.extent} at {a.address}" for a in areas if a.extent) or "none"


def lru(rng):
    """Draw reads through a cache of which the least recently used buffer is renamed."""
    faults = []
    while not READS - 6 <= len(faults) <= READS - 3:
        reads, kept, faults, steps = [0], [], [], []
        for place in range(1, READS + 1):
            reads.append(rng.choice([b for b in range(1, BLOCKS + 1) if b != reads[-1]]))
            block, what, gone = reads[-1], "found", None
            if block not in kept:
                faults.append(place)
                gone = kept[0] if len(kept) == BUFFERS else None
                what = f"fault, {gone} goes" if gone else "fault"
            kept = [*(b for b in kept if b not in (block, gone)), block]
            steps.append(f"{block}  {what:15} {' '.join(map(str, kept))}")
    case = {"buffers": BUFFERS, "reads": reads[1:]}
    return case, {"faults": len(faults), "fault_at": faults, "kept": kept}, steps
