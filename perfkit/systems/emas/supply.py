"""The supply of draws: what each process's user and programme will do, from streams of its own.

They depend on the seed and the process only, so that a user asks for the same, and a programme
touches the same pages, whatever the machine (common random numbers).
"""

import numpy as np

from perfkit.des.draws import stream
from perfkit.des.elementary import each_power
from perfkit.systems.emas.load import TABLE_6, batch_row, draw_session, log_on_row, set_programmes

REFERENCES, COMMANDS, THINKS, UNIFORMS = 8192, 16, 64, 2**16
FARTHEST = 1e6
NEVER_MS = 1e15


class Supply:
    """Refills a machine's draws when they run low.

    Parameters
    ----------
    p : Parameters
    seed : int
    scripts : list of record array, optional
        Job scripts to play; terminal k plays scripts k, k + users, ...
    kinds : mapping of str to CommandKind
        The mix of commands that sessions are drawn from otherwise.
    """

    def __init__(self, p, seed, scripts=None, kinds=TABLE_6):
        self.p, self.scripts, self.kinds = p, scripts, kinds
        count = p.processes
        self.reference = [stream(seed, "reference", t) for t in range(count)]
        self.session = [stream(seed, "session", t) for t in range(count)]
        self.think = [stream(seed, "think", t) for t in range(count)]
        self.uniform = stream(seed, "place")
        self.commands_left = [np.zeros(0) for _ in range(count)]
        self.scripts_left = [self._scripts_of(t) for t in range(count)]
        ranks = each_power(np.arange(1, p.base_pages + 1), -p.popularity_exponent)
        self.base = np.cumsum(ranks) / ranks.sum()
        ranks = each_power(np.arange(1, p.command_pages + 1), -p.popularity_exponent)
        self.own = np.cumsum(ranks) / ranks.sum()
        self.completions = []

    def _scripts_of(self, t):
        if self.scripts is None or t >= self.p.users:
            return []
        return self.scripts[t :: self.p.users]

    def draw_references(self, t, count):
        """Draw a process's next references.

        Returns
        -------
        ndarray of float64, shape (count, 3)
            The rank of a shared page, or -1 for an own one; the stack distance in units of the
            locality; the uniform draw that decides whether it writes.
        """
        p, rng = self.p, self.reference[t]
        draws = rng.random((count, 4))
        shared = draws[:, 0] < p.shared_reference_share
        base = shared & (draws[:, 1] < p.base_reference_share)
        command = shared & ~base
        rows = np.empty((count, 3))
        rows[:, 0] = -1.0
        rows[base, 0] = np.searchsorted(self.base, draws[base, 2], side="right")
        rows[command, 0] = p.base_pages + np.searchsorted(self.own, draws[command, 2], side="right")
        distance = each_power(1.0 - draws[:, 2], -1.0 / p.locality_exponent) - 1.0
        rows[:, 1] = np.minimum(distance, FARTHEST)
        rows[:, 2] = draws[:, 3]
        return rows

    def draw_thinks(self, t, count):
        """Draw a user's next think times before lines, of mean 1."""
        return self.think[t].standard_exponential(count)

    def draw_commands(self, t, count):
        """Return a process's next commands, session after session or script after script."""
        rows = self.commands_left[t]
        while len(rows) < count:
            more = self._next_session(t)
            rows = np.concatenate([rows, more]) if len(rows) else more
        self.commands_left[t] = rows[count:]
        return rows[:count]

    def _next_session(self, t):
        rng = self.session[t]
        if t >= self.p.users:
            return batch_row(self.p, rng, self.kinds)
        if self.scripts is None:
            return draw_session(self.p, rng, self.kinds)
        opening = log_on_row(self.p, rng)
        if not self.scripts_left[t]:
            opening.think_ms[:] = NEVER_MS
            return opening
        script = self.scripts_left[t].pop(0)
        set_programmes(self.p, script, rng)
        return np.concatenate([opening, script])

    def refill(self, machine):
        """Refill whatever is more than half used (modifies the machine in place)."""
        k, processes = machine.kernel, machine.processes
        self._refill_rows(machine.references, processes.references_used, self.draw_references)
        self._refill_rows(machine.commands, processes.commands_used, self.draw_commands)
        self._refill_rows(machine.thinks, processes.thinks_used, self.draw_thinks)
        k.rows_ended = 0
        used = int(k.uniforms_used)
        left = machine.uniforms.size - used
        machine.uniforms[:left] = machine.uniforms[used:]
        machine.uniforms[left:] = self.uniform.random(used)
        k.uniforms_used = 0
        self.collect(machine)

    def collect(self, machine):
        """Take over the commands completed since the last time (modifies the machine in place)."""
        k = machine.kernel
        self.completions.append(machine.completions[: k.completed].copy())
        k.completed = 0

    def _refill_rows(self, rows, used, draw):
        """Move the rows left of each process to the front and fill up behind them."""
        length = rows.shape[1]
        for t in np.flatnonzero(2 * used > length):
            count = int(used[t])
            rows[t, : length - count] = rows[t, count:]
            rows[t, length - count :] = draw(t, count)
            used[t] = 0
