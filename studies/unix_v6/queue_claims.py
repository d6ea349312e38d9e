"""The thesis's statements on longer compute times and the disc's queue (section 5.2)."""

import numpy as np
from scipy.optimize import brentq

from perfkit.analytic.mva import solve_mva
from perfkit.analytic.swapping import elapsed_ratio
from perfkit.systems.unix_v6 import Parameters
from studies.evidence.claims import about, above, all_below
from studies.unix_v6.experiments import SMALL
from studies.unix_v6.runs import (
    QUEUE_ERROR,
    REPEATABILITY,
    ROUND_SHARE,
    block_time_ms,
    swap_times_ms,
)


def by_compute(e, measure, times=(12, 30, 60, 186, 354)):
    """Return a measure of the runs with 157 clicks, all memory, by compute time."""
    return np.array([e.values(measure, compute=c) for c in times])


def queue_against_compute(e):
    """The greatest of the four changes of the queue from one PC to the next."""
    steps = np.diff(by_compute(e, "queue"), axis=0)
    return all_below(steps, 0.0, "requests")


def queue_change_beyond_swap_time(e):
    """Fall of the queue per ms of PC beyond Tswap (60 to 186) less that below (12 to 60)."""
    q = by_compute(e, "queue", (12, 60, 186))
    return above((q[1] - q[2]) / 126.0 - (q[0] - q[1]) / 48.0, note="requests per ms of PC")


def queue_ratio(e):
    """Ratio of queues over inverse ratio of elapsed times, PC 12 and 186 at NL = 4."""
    queues = e.values("queue", memory_clicks=650) / e.values("queue", SMALL, 650, 12, 186)
    times = e.values("elapsed_s", SMALL, 650, 12, 186) / e.values("elapsed_s", memory_clicks=650)
    note = "the simulated queue with PC 186 is shorter than published, and so is the time"
    return about(queues / times, 1.0, REPEATABILITY, note)


def queue_ratio_breaks_down(e):
    """Elapsed time by the ratio of queues over the simulated one, PC 354."""
    predicted = e.values("elapsed_s") * e.values("queue") / e.values("queue", compute=354)
    ratio = predicted / e.values("elapsed_s", compute=354)
    return above(ratio, 1.0 + ROUND_SHARE)


def queue_rule(e):
    """The larger error, at PC 186 or 354, of the best of five rules that know PC up to 60."""
    known, unknown = np.array([12.0, 30.0, 60.0]), np.array([186.0, 354.0])
    seen, wanted = by_compute(e, "queue", known), by_compute(e, "queue", unknown)
    rules = {
        "constant": np.broadcast_to(seen[:1], wanted.shape),
        "line": _line(known, seen, unknown),
        "line over log PC": _line(np.log(known), seen, np.log(unknown)),
        "power": np.exp(_line(np.log(known), np.log(seen), np.log(unknown))),
        "closed network": by_network(e, unknown - known[0]),
    }
    errors = {name: np.abs(queue - wanted).max(axis=0) for name, queue in rules.items()}
    best = min(errors, key=lambda name: errors[name].mean())
    return above(errors[best], QUEUE_ERROR, f"requests; the best rule is the {best}")


def _line(x, y, at):
    """Return the values of straight lines, one for each column of y, at further x."""
    return np.outer(at, np.polyfit(x, y, 1)[0]) + np.polyfit(x, y, 1)[1]


def by_network(e, longer_ms):
    """Return the queue by mean value analysis, shape (times, seeds).

    Demands are those of the run with PC = 12, of the processor so much longer; the think time is
    what gives that run's queue.
    """
    names = ("queue", "elapsed_s", "utilization", "user_share", "supervisor_share")
    queue, elapsed_s, *shares = (by_compute(e, name, (12,))[0] for name in names)
    per_interaction_s = elapsed_s / (12 * Parameters(**e.changes).interactions)
    disc_s, processor_s = shares[0] * per_interaction_s, (shares[1] + shares[2]) * per_interaction_s

    def disc_queue(think_s, seed, more_ms=0.0):
        demands_s = [disc_s[seed], processor_s[seed] + more_ms / 1000.0]
        return solve_mva(demands_s, 12, think_time_s=think_s).queue[0]

    def by_seed(seed):
        think_s = 0.0
        if disc_queue(0.0, seed) > queue[seed]:  # else no network has so long a queue
            think_s = brentq(lambda z: disc_queue(z, seed) - queue[seed], 0.0, 60.0)
        return [disc_queue(think_s, seed, ms) for ms in longer_ms]

    return np.transpose([by_seed(seed) for seed in range(queue.size)])


def compiling_model(e):
    """Error of Equation 3.1, which has no term for PC, from PC 12 to 354, eight loaded."""
    short, compiling = by_compute(e, "elapsed_s", (12, 354))
    times = 2 * [block_time_ms()] + 2 * [swap_times_ms()[SMALL[0]]]
    few, many = (e.more(memory_clicks=m, compute_ms=354)["elapsed_s"] for m in (650, 1280))
    memory = 100.0 * (few * elapsed_ratio(4, 8, *times) / many - 1.0).abs().mean()
    note = f"percent; a change of memory at PC 354 needs no queue, and is off by {memory:.0f}"
    return above(100.0 * np.abs(short / compiling - 1.0), 100.0 * REPEATABILITY, note)
