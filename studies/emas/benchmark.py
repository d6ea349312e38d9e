"""The benchmark: job scripts with the command totals of the observed session."""

import numpy as np
import pandas as pd

from perfkit.des.draws import permutation, stream, uniforms, whole
from perfkit.des.elementary import each_log, each_poisson_quantile
from perfkit.systems.emas import KINDS, TABLE_6, Parameters, ScriptCommand, simulate
from perfkit.systems.emas.load import draw_commands, kind_records, mean_output_lines
from studies.emas.runs import KEY, Measured, session_values, trace_of
from studies.evidence import published

HOURS = 2.0


def command_totals():
    """Return the commands of each kind in the observed session, from Table 6."""
    return published.table(KEY, "table_6").set_index("command_type")["count"]


def build_scripts(seed=0, parameters=None):
    """Build one job script per session: commands, processor and think times, lines, typing rates.

    The totals of each kind are Table 6's, dealt out at random over the scripts. Processor times
    have the spread of the live load and are scaled so that each kind's total is the session's.
    Before each line of a command its user thinks for the same time. From command to command this
    time varies like the mean of that number of random times.

    One row per command, with the columns of ``ScriptCommand``.
    """
    p = Parameters() if parameters is None else parameters
    rng = stream(seed, "job scripts")
    totals, usual = command_totals(), kind_records(p, TABLE_6)
    kinds = np.repeat(np.arange(len(KINDS)), [totals[kind] for kind in KINDS])
    rows = []
    for number, kind in enumerate(KINDS):
        only = {name: k._replace(count=int(name == kind)) for name, k in TABLE_6.items()}
        drawn = draw_commands(p, rng, int(totals[kind]), only)
        cpu_s = drawn.cpu_ms / drawn.cpu_ms.mean() * TABLE_6[kind].cpu_s
        output = [mean_output_lines(usual[number], one) for one in cpu_s]
        printed = each_poisson_quantile(uniforms(rng, len(output)), output)
        rows.append(
            pd.DataFrame(
                {
                    "kind": kind,
                    "cpu_s": cpu_s,
                    "input_lines": drawn.input_lines,
                    "input_characters": drawn.input_characters,
                    "output_lines": printed.astype(int),
                    "output_characters": drawn.output_characters,
                    "think_s": drawn.think_ms / 1000.0,
                    "line_think_s": _line_thinks(p, rng, drawn.input_lines - 1),
                    "typing_characters_per_s": p.typing_characters_per_s,
                },
                index=np.flatnonzero(kinds == number),
            )
        )
    sessions = int(published.stated(KEY, "session_sessions"))
    frame = pd.concat(rows).sort_index().iloc[permutation(rng, kinds.size)]
    extra = [whole(rng, sessions) for _ in range(kinds.size - sessions)]
    frame["script"] = np.concatenate([np.arange(sessions), extra])
    return frame.sort_values("script", kind="stable")[list(ScriptCommand._fields)].reset_index(
        drop=True
    )


def _line_thinks(p, rng, lines):
    """Draw the mean of exponential think times over each number of further lines."""
    lines = np.maximum(lines, 1)
    thinks = -each_log(1.0 - uniforms(rng, int(lines.sum())))
    return p.line_think_s * np.add.reduceat(thinks, np.cumsum(lines) - lines) / lines


def drive(parameters, seed=0, *, scripts, trace=0):
    """Drive a simulated machine with job scripts until they are done, or for four hours.

    Its terminals log on together, each with the first of its scripts. A script asks for the same
    work on every machine and with every seed, which draws phases and references only.

    ``values`` has the commands done, the time taken, and elapsed times by command.
    """
    p = parameters.replace(settle_s=0.0, measured_s=2.0 * HOURS * 3600.0)
    result = simulate(p, seed, scripts=scripts, trace=trace)
    session = result.session()
    values = session_values(result)
    values["commands"] = len(session)
    values["last_ready_s"] = session["ready_s"].max()
    return Measured(values, result, trace_of(result))
