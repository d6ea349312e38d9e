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
from perfkit.core.wording import check_known
from perfkit.des.compiling import assembly, kernel
from perfkit.des.counters import running_totals
from perfkit.des.draws import STREAM, exponential, normal, uniform
from perfkit.des.elementary import exp, log1p, poisson_quantile
from perfkit.des.records import records, viewed
from perfkit.systems.emas.state import COMMAND, KIND, LINES_PARTS, PARTS, settings_of

KINDS = ("edit", "compile", "execute", "other")
LOG_ON, EXECUTE = len(KINDS), KINDS.index("execute")
KINDS_PART, TIMES_PART, THINKS_PART, PAGES_PART = range(LINES_PARTS)
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
        check_known("kind of command", name, KINDS)
    for name in KINDS:
        if not isinstance(kinds.get(name), CommandKind):
            raise ValueError(f"kinds must have a CommandKind for '{name}'.")
        for field, value in kinds[name]._asdict().items():
            checked_number(f"{field} of kind '{name}'", value, LEAST.get(field, 0), MOST)
    if not any(kind.count for kind in kinds.values()):
        raise ValueError("kinds must have one with a count above 0.")
    return dict(kinds)


def draw_commands(p, s, count, kinds=TABLE_6):
    """Draw commands (dtype COMMAND) from a mix of kinds, at random and independent of each other.

    Processor times are log-normal; lines of input are Poisson about their means, at least the
    command's own; of output about ``mean_output_lines``, so that another processor time changes a
    command's own lines alone; characters per line are the kind's mean.
    """
    rows, parts = records(count, COMMAND), records(PARTS, STREAM)
    sizes, table = np.zeros(len(KINDS), np.int64), kind_records(p, kinds)
    _fill_commands(s, parts, sizes, table, settings_of(p)[0], rows)
    return rows


def kind_records(p, kinds):
    """Return what commands of each kind are drawn with, as records of dtype KIND."""
    return viewed(derive_kinds(mix_of(kinds), p.arrays()))


def mix_of(kinds):
    """Return the numbers of a mix of commands, a row for each kind."""
    return np.array([kinds[name] for name in KINDS], float)


@assembly
def derive_kinds(mix, arrays):
    """Return what commands of each kind of a mix are drawn with, as records of dtype KIND."""
    rows, counted = records(mix.shape[0], KIND), running_totals(mix[:, 0])
    _, _, pages, cpu_cv, silent_share = arrays
    for n in range(rows.size):
        row, lines, printed_lines = rows[n], mix[n, 2], mix[n, 4]
        row.cumulative, row.cpu_s = counted[n] / counted[-1], mix[n, 1]
        row.cpu_variance = log1p(cpu_cv[n] * cpu_cv[n])
        row.further_lines, row.output_lines = max(lines - 1.0, 0.0), printed_lines
        row.silent_share, row.pages = silent_share[n], pages[n]
        row.input_characters = _a_line(mix[n, 3], lines)
        row.output_characters = _a_line(mix[n, 5], printed_lines)
    return rows


@kernel
def _a_line(characters, lines):
    return int(np.rint(characters / lines)) if lines > 0.0 else 0


@kernel
def _fill_commands(s, parts, sizes, kinds, settings, rows):
    part_commands(s, parts, sizes, kinds, rows.size)
    for row in rows:
        draw_command(row, parts, kinds, settings)


@kernel
def _kind(kinds, draw):
    """Return the number of the kind of command that a draw means."""
    number = 0
    while kinds[number].cumulative <= draw:
        number += 1
    return number


@kernel
def _skip(s, draws):
    for _ in range(draws):
        uniform(s)


@kernel
def part_commands(s, parts, sizes, kinds, count):
    """Part a stream into those that commands are drawn from, and move it behind them (in place).

    One has all kinds, one all processor times, and so on. Lines have draws of their own, dealt by
    kind, first those typed, then those printed: another mean leaves other commands as they are.
    """
    parts[KINDS_PART] = s
    sizes[:] = 0
    for _ in range(count):
        sizes[_kind(kinds, uniform(s))] += 1
    parts[TIMES_PART] = s
    _skip(s, count)
    for part in range(2 * sizes.size):
        parts[LINES_PARTS + part] = s
        _skip(s, sizes[part // 2])
    parts[THINKS_PART] = s
    _skip(s, count)
    parts[PAGES_PART] = s
    _skip(s, count)


@kernel
def draw_command(row, parts, kinds, settings):
    """Draw the next of the commands that a stream was parted for (modifies all in place)."""
    number = _kind(kinds, uniform(parts[KINDS_PART]))
    kind, typed = kinds[number], LINES_PARTS + 2 * number
    row.kind, row.last = number, 0
    variance = kind.cpu_variance
    spread = exp(math.sqrt(variance) * normal(parts[TIMES_PART]) - 0.5 * variance)
    row.cpu_ms = 1000.0 * kind.cpu_s * spread
    row.input_lines = 1.0 + poisson_quantile(uniform(parts[typed]), kind.further_lines)
    lines = mean_output_lines(kind, row.cpu_ms / 1000.0)
    row.output_lines = poisson_quantile(uniform(parts[typed + 1]), lines)
    row.input_characters, row.output_characters = kind.input_characters, kind.output_characters
    row.think_ms = 1000.0 * settings.command_think_s * exponential(parts[THINKS_PART])
    _set_user(row, settings)
    draw_pages(row, parts[PAGES_PART], kinds, settings)


@kernel
def mean_output_lines(kind, cpu_s):
    """Return how many lines a command of a kind (dtype KIND) prints in the mean, by its time.

    They are the kind's own at the kind's mean processor time; the share of them that is not silent
    is in proportion to the time.
    """
    timed = (1.0 - kind.silent_share) * cpu_s / kind.cpu_s
    return kind.output_lines * (kind.silent_share + timed)


@kernel
def _set_user(row, settings):
    """Set how a user thinks before a further line, at random about a mean, and how he types."""
    row.think_varies = 1
    row.line_think_ms = 1000.0 * settings.line_think_s
    row.typing_ms = 1000.0 / settings.typing_characters_per_s


@kernel
def draw_pages(row, s, kinds, settings):
    """Draw the own pages of a command's programme, log-normal by its kind, and how it prints."""
    kind = kinds[min(row.kind, kinds.size - 1)]
    cv = settings.programme_pages_cv
    variance = log1p(cv * cv)
    row.own_pages = max(2.0, kind.pages * exp(math.sqrt(variance) * normal(s) - 0.5 * variance))
    row.locality = settings.locality_share * row.own_pages
    row.silent_share = kind.silent_share


@kernel
def draw_log_on(row, s, kinds, settings):
    """Draw the log-on that opens a session; its think time is the gap since the last one."""
    _set_silent(row, LOG_ON, 1000.0 * settings.log_on_cpu_s)
    row.think_ms = 1000.0 * settings.log_on_gap_s * exponential(s)
    _set_user(row, settings)
    draw_pages(row, s, kinds, settings)


@kernel
def draw_batch(row, s, kinds, settings):
    """Draw the work of a batch process: an execution without terminal."""
    _set_silent(row, EXECUTE, 1000.0 * kinds[EXECUTE].cpu_s)
    _set_user(row, settings)
    draw_pages(row, s, kinds, settings)


@kernel
def _set_silent(row, kind, cpu_ms):
    """Set what is no command of a terminal: a line of input without characters, none of output."""
    row.kind, row.cpu_ms, row.think_ms, row.last = kind, cpu_ms, 0.0, 0
    row.input_lines, row.output_lines = 1, 0
    row.input_characters = row.output_characters = 0


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
