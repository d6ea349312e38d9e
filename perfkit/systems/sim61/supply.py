"""The supply of draws: each purpose, and each task's interactions, from a stream of its own.

A task's characteristics depend on the seed, the task and the interaction's number only,
so that a task makes the same demands whatever the machine (common random numbers).
"""

import numpy as np

from perfkit.des.draws import stream
from perfkit.systems.sim61.machine import DEMAND

ROWS = 32
SMALLEST_SHARE = 0.05
FIELDS = len(DEMAND.names)


class Supply:
    """Refills a machine's draws when they run low.

    Parameters
    ----------
    classes : tuple of TaskClass
    seed : int
    """

    def __init__(self, classes, seed):
        self.means = np.repeat([_means(c) for c in classes], [c.tasks for c in classes], axis=0)
        self.deviations = np.repeat(
            [_deviations(c) for c in classes], [c.tasks for c in classes], axis=0
        )
        self.demand = [stream(seed, "demand", t) for t in range(len(self.means))]
        self.exponential = stream(seed, "gap")
        self.uniform = stream(seed, "place")

    def draw_rows(self, t, count):
        """Draw the characteristics of a task's next interactions.

        Returns
        -------
        ndarray of float64, shape (count, 6)
        """
        rows = self.demand[t].standard_normal((count, FIELDS)) * self.deviations[t]
        rows += self.means[t]
        np.maximum(rows, SMALLEST_SHARE * self.means[t], out=rows)
        rows[:, 0] = np.maximum(np.rint(rows[:, 0]), 1.0)
        return rows

    def refill(self, machine):
        """Refill whatever is more than half used (modifies the machine in place)."""
        k, tasks = machine.kernel, machine.tasks
        demands = machine.demands.view(np.float64).reshape(tasks.size, -1, FIELDS)
        rows = demands.shape[1]
        for t in np.flatnonzero(2 * tasks.rows_used > rows):
            used = int(tasks.rows_used[t])
            demands[t, : rows - used] = demands[t, used:]
            demands[t, rows - used :] = self.draw_rows(t, used)
        tasks.rows_used[2 * tasks.rows_used > rows] = 0
        k.rows_ended = 0
        _refill(machine.exponentials, k.exponentials_used, self.exponential.standard_exponential)
        _refill(machine.uniforms, k.uniforms_used, self.uniform.random)
        k.exponentials_used = k.uniforms_used = 0


def _refill(block, used, draw):
    """Move the draws left to the front and fill up behind them."""
    left = block.size - used
    block[:left] = block[used:]
    block[left:] = draw(used)


def _means(c):
    return (
        c.working_set_pages,
        c.compute_ms,
        1000.0 * c.think_s,
        c.io_interval_ms,
        c.exec_interval_ms,
        c.shared_interval_ms,
    )


def _deviations(c):
    return (
        c.working_set_sd_pages,
        c.compute_sd_ms,
        1000.0 * c.think_sd_s,
        c.io_interval_sd_ms,
        c.exec_interval_sd_ms,
        c.shared_interval_sd_ms,
    )
