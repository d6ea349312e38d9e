"""What the paper measured, our runs of it, and the scorecard of the two.

Every number of the trace session comes from the trace alone, by ``perfkit.methods.tracing``.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from perfkit import published
from perfkit.methods import tracing
from perfkit.systems.emas import KINDS, Event, Parameters, configuration_a, simulate
from perfkit.systems.emas.machine import SAMPLED

KEY = "emas"
CATEGORIES = 20
SESSION_USERS = 28
TRACE_ROOM = 250
FITTED = (
    "core_queue", "page_wait", "cpu", "headway", "preload_pages", "prepage_transfers",
    "demand_disc", "demand_shared", "time_prepaged", "time_demand_disc", "time_demand_drum",
    "wasted", "written", "category_2", "category_5", "category_14", "edit_elapsed", "user_share",
)  # fmt: skip
STAGES = ("core_queue", "preload", "run_queue", "page_wait", "cpu")
PERCENT = 100.0


@dataclass(frozen=True)
class Measured:
    """A run and what the analysis programs found in its trace.

    Attributes
    ----------
    result : Result
    trace : Trace
        From the end of settling.
    values : dict
        Every published quantity that this run gives, by the paper's units.
    """

    result: object
    trace: tracing.Trace
    values: dict

    def measures(self):
        """Return the values, a row of a tidy frame."""
        return self.values


def trace_of(result):
    """Return the trace of a run from the end of its settling."""
    return tracing.Trace.of(result, Event).between(result.parameters.settle_s)


def observe_trace(parameters=None, seed=0, **options):
    """Simulate a session that is traced in full, and analyse its trace.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to machine B with 30 users.
    seed : int
    **options
        Handed to ``simulate``.

    Returns
    -------
    Measured
    """
    p = Parameters() if parameters is None else parameters
    room = int(TRACE_ROOM * (p.settle_s + p.measured_s) * max(1.0, p.processes / 30))
    result = simulate(p, seed, trace=room, **options)
    trace = trace_of(result)
    values = trace_values(trace) | session_values(result) | processor_values(result)
    return Measured(result, trace, values)


def trace_values(trace):
    """Return what the paper reports of its trace session, computed from a trace.

    Parameters
    ----------
    trace : Trace

    Returns
    -------
    dict of str to float
    """
    found = tracing.visits(trace)
    stages = tracing.residence_stages(trace, found)
    values = {name: stages[name] for name in (*STAGES, "suspended", "supervisor")}
    values |= paging_values(trace)
    values["headway"] = stages["cpu"] / values["demands"]
    values["wait_ratio"] = (sum(stages[name] for name in STAGES) - stages["cpu"]) / stages["cpu"]
    resident = stages[["preload", "suspended", "run_queue", "page_wait", "on_processor"]].sum()
    values["residences_per_s"] = values["preloads"] / trace.seconds
    values["multiprogramming"] = values["residences_per_s"] * resident / 1000.0
    values["multiprogramming_peak"] = peak_level(trace)
    values |= category_values(trace)
    words = published.table(KEY, "table_5", readings=True).set_index("event")["words"]
    words = {Event(number).name.lower(): int(n) for number, n in words.items()}
    space = published.stated(KEY, "trace_space") * 1024
    records, seconds = trace.filled(words, int(space))
    return values | {"trace_records": records, "trace_minutes": seconds / 60.0}


def paging_values(trace):
    """Return the traffic, shares and transfer times of the section on paging."""
    pages, times = tracing.traffic(trace), tracing.transfer_times(trace)
    compacted = tracing.compactions(trace)
    demands = pages[["demand_disc", "demand_drum", "demand_in_core"]].sum()
    brought = pages["preload_transfers"] + pages["demand_disc"] + pages["demand_drum"]
    gone = pages["removed_at_removal"] + pages["removed_at_compaction"]
    back = pages["preloaded_written"] + pages["demanded_written"]
    preloads = pages["preloads"]
    share = {
        "prepaged_share": pages["preloaded"] / (pages["preloaded"] + demands),
        "demand_share": demands / (pages["preloaded"] + demands),
        "prepage_transfers": pages["preload_transfers"] / pages["preloaded"],
        "demand_disc": pages["demand_disc"] / demands,
        "demand_shared": pages["demand_in_core"] / demands,
        "demand_drum": pages["demand_drum"] / demands,
        "wasted": pages["preloaded_not_used"] / pages["preloaded"],
        "removed_by_compaction": pages["removed_at_compaction"] / gone,
        "written": back / brought,
    }
    return {name: PERCENT * value for name, value in share.items()} | {
        "preloads": float(preloads),
        "preload_pages": pages["preloaded"] / preloads,
        "preload_transfers": pages["preload_transfers"] / preloads,
        "demands": demands / preloads,
        "compaction_success": compacted["success_percent"],
        "time_prepaged": times["prepaged"],
        "time_demand_disc": times["demand_disc"],
        "time_demand_drum": times["demand_drum"],
        "time_written": times["written"],
    }


def peak_level(trace):
    """Return the greatest number of processes resident in core at once.

    A process is resident from the beginning of its preload until it sleeps or overruns.
    """
    enters = trace.having("preload_begins")["time_ms"]
    leaves = trace.having("sleeps", "overruns", "begins_log_out")["time_ms"]
    times = np.concatenate([leaves, enters])
    steps = np.concatenate([-np.ones(leaves.size), np.ones(enters.size)])
    level = np.cumsum(steps[np.argsort(times, kind="stable")])
    return float(level.max() - min(level.min(), 0.0))


def category_values(trace):
    """Return how the categories share the transitions, and what the text says of the matrix."""
    matrix = tracing.category_transitions(trace, CATEGORIES)
    total = max(matrix.sum(), 1)
    into = PERCENT * matrix.sum(axis=0) / total
    stays = PERCENT * np.trace(matrix) / total
    cluster = np.sort(into)[-4:].sum()
    shares = {f"category_{i + 1}": share for i, share in enumerate(into)}
    return shares | {"matrix_diagonal": stays, "matrix_cluster": cluster}


def session_values(result):
    """Return what subsystem monitoring saw: elapsed times and processor time by command."""
    session = result.session()
    elapsed = session.groupby("kind")["elapsed_s"].mean().reindex(KINDS)
    total = session.groupby("kind")["elapsed_s"].sum().reindex(KINDS)
    values = {f"{kind}_elapsed": seconds for kind, seconds in elapsed.items()}
    values |= {
        f"{kind}_elapsed_share": PERCENT * part for kind, part in (total / total.sum()).items()
    }
    values["commands"] = len(session) * 7200.0 / result.parameters.measured_s
    return values


def processor_values(result):
    """Return the shares of the processor, and Table 2's services in percent of the time."""
    frame = result.processor()["percent"]
    return {
        "user_share": result.user_percent,
        "supervisor_share": result.supervisor_percent,
        "idle_share": result.idle_percent,
        **{f"service_{name}": percent for name, percent in frame.items()},
    }


def sample_values(result):
    """Return Table 3: mean, greatest and least of every sampled variable."""
    samples = result.samples()
    values = {}
    for name in SAMPLED:
        column = samples[name]
        values |= {
            f"mean_{name}": column.mean(),
            f"maximum_{name}": column.max(),
            f"minimum_{name}": column.min(),
        }
    return values


def observe_samples(parameters=None, seed=0, **options):
    """Simulate a session of machine A without a trace, for Tables 2 and 3.

    Returns
    -------
    Measured
        Its trace is empty.
    """
    p = configuration_a() if parameters is None else parameters
    result = simulate(p, seed, **options)
    values = processor_values(result) | sample_values(result) | session_values(result)
    return Measured(result, trace_of(result), values)


def published_values():
    """Return every published mean that our runs of machine B give, with unit and place.

    Returns
    -------
    pandas.DataFrame
        Indexed by our name: ``item``, ``published``, ``unit``, ``kind`` ("fitted" or
        "predicted").
    """
    rows = []
    for row in published.table(KEY, "residence").itertuples():
        rows.append((row.stage, "Queuing times", row.mean_ms, "ms"))
    skipped = ("demand_only_factor", "waste_break_even")
    for row in published.table(KEY, "paging", readings=True).itertuples():
        if row.id not in skipped:
            rows.append((row.id, "Paging traffic", row.value, row.unit))
    for claim, unit in (("headway", "ms"), ("multiprogramming", "processes")):
        rows.append((claim, "Queuing times", published.stated(KEY, claim), unit))
    for row in published.table(KEY, "table_4").itertuples():
        rows.append((f"category_{row.category}", "Table 4", row.transitions_percent, "percent"))
    table_6 = published.table(KEY, "table_6").set_index("command_type")["elapsed_percent"]
    means = published.table(KEY, "command_means").set_index("command_type")["elapsed_s"].dropna()
    rows += [(f"{kind}_elapsed", "Observations", value, "s") for kind, value in means.items()]
    rows += [(f"{kind}_elapsed_share", "Table 6", v, "percent") for kind, v in table_6.items()]
    rows.append(("commands", "Observations", published.stated(KEY, "session_commands"), "commands"))
    rows.append(
        ("user_share", "Observations", published.stated(KEY, "session_cpu_share"), "percent")
    )
    frame = pd.DataFrame(rows, columns=["name", "item", "published", "unit"]).set_index("name")
    frame["kind"] = np.where(frame.index.isin(FITTED), "fitted", "predicted")
    return frame
