"""What users do: kinds of commands, sessions drawn at random, job scripts; all draws.

A script is a sequence of commands, each with its processor time, its lines and the think time
before it; the benchmark plays scripts, an ordinary run draws sessions from Table 6's mix.

Draws depend on the seed and the process only, so that a user asks for the same, and a programme
touches the same pages, whatever the machine (common random numbers).
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from perfkit.core.tables import MOST, checked_number, table_rows
from perfkit.core.wording import nearest
from perfkit.des import supply
from perfkit.des.draws import stream
from perfkit.des.elementary import each_exp, each_poisson_quantile, each_power, log1p
from perfkit.systems.emas.state import COMMAND, DISTANCE_STEPS, FARTHEST

KINDS = ("edit", "compile", "execute", "other")
LOG_ON = len(KINDS)
NEVER_MS = 1e15
LEAST = {"cpu_s": 1e-6, "input_lines": 1}


class CommandKind(NamedTuple):
    """A kind of command; means of what one command asks for.

    Attributes
    ----------
    count : int
        In the two hours of the observed session.
    cpu_s : float
        Processor time.
    input_lines, input_characters : float
        Lines typed, the command itself included, and characters in all.
    output_lines, output_characters : float
    """

    count: int
    cpu_s: float
    input_lines: float
    input_characters: float
    output_lines: float
    output_characters: float


TABLE_6 = {
    "edit": CommandKind(329, 0.744, 11.0, 140.0, 12.0, 288.0),
    "compile": CommandKind(153, 4.80, 1.27, 15.6, 2.43, 96.1),
    "execute": CommandKind(280, 6.667, 3.0, 31.0, 27.0, 1233.0),
    "other": CommandKind(890, 0.241, 1.27, 15.6, 2.43, 96.1),
}


class ScriptCommand(NamedTuple):
    """A command of a job script.

    Attributes
    ----------
    script : int
        Which script it belongs to; scripts are played by terminals in turn.
    kind : str
        "edit", "compile", "execute" or "other".
    cpu_s : float
    input_lines, output_lines : int
    input_characters, output_characters : int
        A line.
    think_s : float
        Before the command is typed.
    line_think_s : float, optional
        Before each further line; the parameters' ``line_think_s`` by default.
    typing_characters_per_s : float, optional
        The parameters' own by default.
    """

    script: int
    kind: str
    cpu_s: float
    input_lines: int
    input_characters: int
    output_lines: int
    output_characters: int
    think_s: float
    line_think_s: float | None = None
    typing_characters_per_s: float | None = None


def read_kinds(kinds):
    """Return a mix of commands, or refuse it in one sentence; a count of 0 leaves a kind out."""
    if not isinstance(kinds, Mapping):
        raise ValueError(f"kinds must be a mapping of str to CommandKind, not {kinds!r}.")
    for name in kinds:
        if name not in KINDS:
            hint = nearest(name, KINDS) or f"; the kinds are {', '.join(KINDS)}."
            raise ValueError(f"There is no kind of command '{name}'{hint}")
    for name in KINDS:
        if not isinstance(kinds.get(name), CommandKind):
            raise ValueError(f"kinds must have a CommandKind for '{name}'.")
        for field, value in kinds[name]._asdict().items():
            checked_number(f"{field} of kind '{name}'", value, LEAST.get(field, 0), MOST)
    if not any(kind.count for kind in kinds.values()):
        raise ValueError("kinds must have one with a count above 0.")
    return dict(kinds)


def draw_commands(p, rng, count, kinds=TABLE_6):
    """Draw commands (dtype COMMAND) from a mix of kinds, at random and independent of each other.

    Processor times are log-normal; lines of input are Poisson about their means, at least the
    command's own; of output about ``mean_output_lines``, so that another processor time changes a
    command's own lines alone; characters per line are the kind's mean.
    """
    rows = np.zeros(count, COMMAND)
    mix = _each(kinds, "count").astype(float)
    kind = np.searchsorted(np.cumsum(mix) / mix.sum(), rng.random(count), side="right")
    rows["kind"] = kind
    variance = np.array([log1p(cv * cv) for cv in p.cpu_cv])[kind]
    spread = each_exp(np.sqrt(variance) * rng.standard_normal(count) - 0.5 * variance)
    rows["cpu_ms"] = cpu_ms = 1000.0 * _each(kinds, "cpu_s")[kind] * spread
    further = np.maximum(_each(kinds, "input_lines") - 1.0, 0.0)[kind]
    output = mean_output_lines(p, kinds, kind, cpu_ms / 1000.0)
    # Lines have draws of their own, dealt by kind: another mean leaves other commands as they are.
    typed, printed = _line_draws(rng.random(2 * count), kind)
    rows["input_lines"] = 1.0 + each_poisson_quantile(typed, further)
    rows["output_lines"] = each_poisson_quantile(printed, output)
    for what in ("input", "output"):
        lines, characters = _each(kinds, f"{what}_lines"), _each(kinds, f"{what}_characters")
        rows[f"{what}_characters"] = np.round(characters / np.where(lines > 0, lines, np.inf))[kind]
    rows["think_ms"] = 1000.0 * p.command_think_s * rng.standard_exponential(count)
    set_user(p, rows)
    set_programmes(p, rows, rng)
    return rows.view(np.recarray)


def _each(kinds, field):
    """Return a field of all kinds of commands."""
    return np.array([getattr(kinds[name], field) for name in KINDS])


def _line_draws(draws, kind):
    """Deal out draws of lines, kind by kind: first those of lines typed, then of lines printed."""
    size = np.bincount(kind, minlength=len(KINDS))
    place = np.empty_like(kind)
    place[np.argsort(kind, kind="stable")] = np.arange(kind.size)
    typed = place + (np.cumsum(size) - size)[kind]
    return draws[typed], draws[typed + size[kind]]


def set_user(p, rows):
    """Set how users think before a further line, at random about a mean, and how they type."""
    rows["think_varies"] = 1
    rows["line_think_ms"] = 1000.0 * p.line_think_s
    rows["typing_ms"] = 1000.0 / p.typing_characters_per_s


def set_programmes(p, rows, rng):
    """Set how commands' programmes print, and draw their own pages, log-normal by their kinds."""
    variance = log1p(p.programme_pages_cv * p.programme_pages_cv)
    spread = each_exp(math.sqrt(variance) * rng.standard_normal(len(rows)) - 0.5 * variance)
    kind = np.minimum(rows["kind"], len(KINDS) - 1)
    rows["own_pages"] = np.maximum(2.0, np.array(p.programme_pages)[kind] * spread)
    rows["locality"] = p.locality_share * rows["own_pages"]
    rows["silent_share"] = np.array(p.silent_share)[kind]


def mean_output_lines(p, kinds, kind, cpu_s):
    """Return how many lines commands print in the mean, by their kind's number and their time.

    It is the kind's own for a command of the kind's mean processor time, and the share of it that
    is not silent is in proportion to the time.
    """
    silent = np.array(p.silent_share)[kind]
    timed = (1.0 - silent) * cpu_s / _each(kinds, "cpu_s")[kind]
    return _each(kinds, "output_lines")[kind] * (silent + timed)


def log_on_row(p, rng):
    """Draw the log-on that opens a session; its think time is the gap since the last one."""
    row = np.zeros(1, COMMAND)
    row["kind"] = LOG_ON
    row["cpu_ms"] = 1000.0 * p.log_on_cpu_s
    row["input_lines"] = 1
    row["think_ms"] = 1000.0 * p.log_on_gap_s * rng.standard_exponential()
    set_user(p, row)
    set_programmes(p, row, rng)
    return row.view(np.recarray)


def draw_session(p, rng, kinds=TABLE_6):
    """Draw a user's session (dtype COMMAND): the log-on, a geometric number of commands."""
    commands = draw_commands(p, rng, int(rng.geometric(1.0 / p.commands_per_session)), kinds)
    commands.last[-1] = 1
    return np.concatenate([log_on_row(p, rng), commands]).view(np.recarray)


def batch_row(p, rng, kinds=TABLE_6):
    """Return the work of a batch process: an execution without terminal."""
    row = np.zeros(1, COMMAND).view(np.recarray)
    row.kind[:] = KINDS.index("execute")
    row.cpu_ms[:] = 1000.0 * kinds["execute"].cpu_s
    row.input_lines[:] = 1
    set_user(p, row)
    set_programmes(p, row, rng)
    return row


def read_scripts(p, table):
    """Return job scripts (a record array of dtype COMMAND each, without log-on), or refuse them.

    The table has one row per command, in the order of each script. What holds where a script does
    not say how its user thinks and types is in ``p``.
    """
    optional = ScriptCommand._field_defaults
    table = table_rows(table, "table of job scripts", ScriptCommand._fields, optional)
    usual = {name: getattr(p, name) for name in optional}
    rows = [
        _script_command(usual | {k: v for k, v in row.items() if k not in usual or _given(v)})
        for row in table
    ]
    if not rows:
        raise ValueError("Job scripts must have at least one command.")
    numbers = sorted({row.script for row in rows})
    return [_script([row for row in rows if row.script == number]) for number in numbers]


def _given(value):
    """Return whether a script gives a value, or leaves it to the parameters."""
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _script(commands):
    rows = np.zeros(len(commands), COMMAND).view(np.recarray)
    for row, command in zip(rows, commands, strict=True):
        row.kind = KINDS.index(command.kind)
        row.cpu_ms, row.think_ms = 1000.0 * command.cpu_s, 1000.0 * command.think_s
        row.input_lines, row.input_characters = command.input_lines, command.input_characters
        row.output_lines, row.output_characters = command.output_lines, command.output_characters
        row.line_think_ms = 1000.0 * command.line_think_s
        row.typing_ms = 1000.0 / command.typing_characters_per_s
    rows.last[-1] = 1
    return rows


def _script_command(values):
    if values["kind"] not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; {values['kind']!r} is not.")
    checked = {"kind": values["kind"]}
    for name in ScriptCommand._fields:
        if name != "kind":
            above = name in ("cpu_s", "typing_characters_per_s")
            low, whole = int(name == "input_lines"), not name.endswith("_s")
            checked[name] = checked_number(name, values[name], low, whole=whole, above=above)
    return ScriptCommand(**checked)


def _popularity(pages, p):
    """Return how likely a shared reference is to go to a page of each rank or one before it."""
    ranks = each_power(np.arange(1, pages + 1), -p.popularity_exponent)
    shares = np.cumsum(ranks) / ranks.sum()
    shares[-1:] = 1.0  # a sum of shares may end below a draw, and the search beyond the last page
    return shares


class Supply(supply.Supply):
    """Refills a machine's draws when they run low, and takes its completed commands over.

    Terminal k plays scripts k, k + users, ...; without scripts, sessions are drawn from ``kinds``.
    """

    def __init__(self, p, seed, scripts=None, kinds=TABLE_6):
        count = p.processes
        references = [stream(seed, "reference", t) for t in range(count)]
        thinks = [stream(seed, "think", t) for t in range(count)]
        super().__init__(
            [stream(seed, "place")],
            references=lambda t, out: references[t].random(out=out),
            commands=self.fill_commands,
            thinks=lambda t, out: thinks[t].random(out=out),
        )
        self.p, self.scripts, self.kinds = p, scripts, kinds
        shares = _popularity(p.base_pages, p), _popularity(p.command_pages, p)
        self.popularity = np.concatenate(shares)
        steps = np.arange(DISTANCE_STEPS + 1) / DISTANCE_STEPS
        distances = each_power(1.0 - steps, -1.0 / p.locality_exponent) - 1.0
        self.distances = np.minimum(distances, FARTHEST)
        self.session = [stream(seed, "session", t) for t in range(count)]
        self.commands_left = [np.zeros(0, COMMAND)] * count
        self.scripts_left = [list(scripts[t :: p.users]) if scripts else [] for t in range(p.users)]
        self.completions = []

    def fill_commands(self, t, out):
        """Write a process's next commands, session after session or script after script."""
        rows = self.commands_left[t]
        while len(rows) < len(out):
            rows = np.concatenate([rows, self._next_session(t)])
        out[:] = rows[: len(out)]
        self.commands_left[t] = rows[len(out) :]

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

    def collect(self, machine):
        """Take over the commands completed since the last time (modifies the machine in place)."""
        k = machine.kernel
        self.completions.append(machine.completions[: k.completed].copy())
        k.completed = 0
