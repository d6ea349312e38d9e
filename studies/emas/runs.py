"""The paper's measurements, the simulated ones, and the scorecard of both.

Every number of the trace session comes from the trace alone, by ``perfkit.methods.tracing``.
"""

import functools
import inspect
from dataclasses import dataclass

import numpy as np
import pandas as pd
import statsmodels.api as sm

from perfkit.core.values import is_constant
from perfkit.des.memo import remembered
from perfkit.methods import tracing
from perfkit.runs.experiment import summarize
from perfkit.systems.emas import KINDS, Event, Parameters, configuration_a, simulate
from perfkit.systems.emas.state import SAMPLED
from studies.evidence import published, scorecard

KEY = "emas"
TRACE_ROOM_PER_S = 1000
FITTED = (
    "core_queue", "page_wait", "cpu", "headway", "preload_pages", "prepage_transfers",
    "demand_disc", "demand_shared", "time_prepaged", "time_demand_disc", "time_demand_drum",
    "wasted", "written", "category_2", "category_5", "category_8", "category_14", "category_20",
    "edit_elapsed", "user_share",
)  # fmt: skip
INPUTS = (
    "mean_users", "maximum_users", "minimum_users", "maximum_core_unallocated",
    "minimum_core_unallocated",
    *(f"{kind}_{what}" for kind in KINDS for what in ("commands", "cpu_share")),
)  # fmt: skip
FOLLOWING = ("preload", "preload_transfers", "prepaged_share", "demand_share", "commands")
IN_SIGHT = ("run_queue", "time_written", "compile_elapsed", "execute_elapsed")
LOOKED_AT = ("Table 4", "Table 6")  # whole tables
STAGES = ("core_queue", "preload", "run_queue", "page_wait", "cpu")
PERCENT = 100.0
FEWEST_RESIDENCES = 30
MEANS_TOLERANCE, STAGE_TOLERANCE, SHARE_POINTS = 0.15, 0.10, 3.0
HALF_A_DIGIT = 0.05
SESSION_S = 7200.0


@dataclass(frozen=True)
class Measured:
    """What the analysis programs found in a trace: published quantities in the paper's units.

    ``result`` is the run and ``trace`` its trace from the end of settling, unless both are dropped.
    """

    values: dict
    result: object = None
    trace: tracing.Trace = None

    def measures(self):
        """Return the values, one row of a tidy frame."""
        return self.values


def trace_of(result):
    """Return the trace of a run from the end of its settling."""
    return tracing.Trace.of(result, Event).between(result.parameters.settle_s)


def takes_what_simulate_does(observe):
    """Return an observer whose signature shows what its ``options`` may be."""
    takes = inspect.signature(simulate)
    shown = [one for name, one in takes.parameters.items() if name != "trace"]
    observe.__signature__ = takes.replace(parameters=shown)
    return observe


@takes_what_simulate_does
def observe_trace(parameters=None, seed=0, **options):
    """Simulate a session that is traced in full, and analyse its trace.

    Raises
    ------
    RuntimeError
        If the trace has too little room for the whole session, or no process was loaded.
    """
    p = Parameters() if parameters is None else parameters
    room = int(TRACE_ROOM_PER_S * (p.settle_s + p.measured_s) * max(1.0, p.processes / 30))
    result = simulate(p, seed, trace=room, **options)
    trace = trace_of(result)
    if trace.full:
        raise RuntimeError(f"The trace does not fit into {room} records; simulate a shorter time.")
    if not result.values["residences"]:
        raise RuntimeError(
            "No process was loaded in the measured time; does the core queue policy let all wait?"
        )
    values = trace_values(trace, len(result.transitions))
    values |= session_values(result) | processor_values(result)
    values["suspensions_per_hour"] = 3600.0 * result.values["suspensions"] / p.measured_s
    busy_ms = result.values["drum_operations"] * p.drum_page_ms
    values["drum_channel"] = PERCENT * busy_ms / (1000.0 * p.measured_s)
    return Measured(values, result, trace)


@takes_what_simulate_does
@functools.partial(remembered, data=published.folder_of(KEY))
def traced_values(parameters=None, seed=0, **options):
    """Return the values of ``observe_trace`` alone, which can be kept: a trace is too large."""
    return Measured(observe_trace(parameters, seed, **options).values)


def trace_values(trace, categories=20):
    """Return the paper's numbers of its trace session, computed from a trace."""
    stages = tracing.residence_stages(trace)
    values = {name: stages[name] for name in (*STAGES, "suspended", "supervisor")}
    values |= paging_values(trace)
    values["headway"] = stages["cpu"] / values["demands"]
    values["wait_ratio"] = (sum(stages[name] for name in STAGES) - stages["cpu"]) / stages["cpu"]
    resident = stages[["preload", "suspended", "run_queue", "page_wait", "on_processor"]].sum()
    values["residences_per_s"] = values["preloads"] / trace.seconds
    values["multiprogramming"] = values["residences_per_s"] * resident / 1000.0
    values["multiprogramming_peak"] = peak_level(trace)
    values |= rate_values(trace) | category_values(trace, categories)
    records, seconds = trace.filled(*_trace_space())
    return values | {"trace_records": records, "trace_minutes": seconds / 60.0}


@functools.cache
def _trace_space():
    """Return the words of each kind of record, and the space in words."""
    words = published.table(KEY, "table_5", readings=True).set_index("event")["words"]
    words = {Event(number).name.lower(): int(n) for number, n in words.items()}
    return words, int(published.stated(KEY, "trace_space") * 1024)


def paging_values(trace):
    """Return the traffic, shares and transfer times of the section on paging."""
    pages, times = tracing.traffic(trace), tracing.transfer_times(trace)
    compacted = tracing.compactions(trace)
    demands = pages[["demand_disc", "demand_drum", "demand_in_core"]].sum()
    brought = pages["preload_transfers"] + pages["demand_disc"] + pages["demand_drum"]
    gone = pages["removed_at_removal"] + pages["removed_at_compaction"]
    back = pages["preloaded_written"] + pages["demanded_written"]
    preloads = pages["preloads"]
    parts = {
        "prepaged_share": (pages["preloaded"], pages["preloaded"] + demands),
        "demand_share": (demands, pages["preloaded"] + demands),
        "prepage_transfers": (pages["preload_transfers"], pages["preloaded"]),
        "demand_disc": (pages["demand_disc"], demands),
        "demand_shared": (pages["demand_in_core"], demands),
        "demand_drum": (pages["demand_drum"], demands),
        "wasted": (pages["preloaded_not_used"], pages["preloaded"]),
        "removed_by_compaction": (pages["removed_at_compaction"], gone),
        "written": (back, brought),
    }
    share = {name: part / whole if whole else np.nan for name, (part, whole) in parts.items()}
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


def rate_values(trace):
    """Return the text's claims on Figure 5 as slopes over two-second intervals of paging.

    Slopes are of least squares lines against the paging rate. The demand rate has one slope below
    the median rate and one above. Transfer times are of pages from drum, weighted by transfers.
    """
    rates = tracing.paging_rates(trace)
    rate = rates["rate"].to_numpy()
    low = rate <= np.median(rate)
    slope = {name: _slope(rate, rates[name]) for name in ("prepaging", "demand")}
    demand_ms = _slope(rate, rates["demand_drum_ms"], rates["demand_drum"])
    prepaging_ms = _slope(rate, rates["prepaging_ms"], rates["prepaging"])
    return {
        "prepaging_in_rise": PERCENT * slope["prepaging"] / (slope["prepaging"] + slope["demand"]),
        "demand_slope_low": _slope(rate[low], rates["demand"][low]),
        "demand_slope_high": _slope(rate[~low], rates["demand"][~low]),
        "demand_time_slope": demand_ms,
        "demand_time_slope_with_disc": _slope(rate, rates["demand_ms"], rates["demand"]),
        "prepaging_time_slope": prepaging_ms,
    }


def _slope(x, y, weights=None):
    """Return the slope of a weighted least squares line, without missing values.

    Not a number if fewer than three points are left, or all of them at one x.
    """
    y = np.asarray(y, float)
    weights = np.ones(y.size) if weights is None else np.asarray(weights, float)
    known = np.isfinite(y) & (weights > 0)
    if known.sum() < 3 or is_constant(x[known]):
        return np.nan
    return sm.WLS(y[known], sm.add_constant(x[known]), weights=weights[known]).fit().params[1]


def peak_level(trace):
    """Return the greatest number of processes resident in core at once.

    A process is resident from the beginning of its preload until it sleeps or overruns.
    """
    enters = trace.column("time_ms")[trace.places("preload_begins")]
    leaves = trace.column("time_ms")[trace.places("sleeps", "overruns", "begins_log_out")]
    times = np.concatenate([leaves, enters])
    steps = np.concatenate([-np.ones(leaves.size), np.ones(enters.size)])
    level = np.cumsum(steps[np.argsort(times, kind="stable")])
    return float(level.max() - min(level.min(), 0.0))


def category_values(trace, categories):
    """Return the categories' shares of the transitions, and the text's numbers of the matrix.

    A log-on is a transition into the category with which a user begins.
    """
    matrix = tracing.category_transitions(trace, categories)
    begun = np.bincount(trace.having("created")["detail"], minlength=categories)
    total = max(matrix.sum() + begun.sum(), 1)
    into = PERCENT * (matrix.sum(axis=0) + begun) / total
    stays = PERCENT * np.trace(matrix) / total
    cluster = np.sort(into)[-4:].sum()
    done = tracing.residences(trace)
    cpu_ms = done.groupby("category")["cpu_ms"].agg(["mean", "size"])
    cpu_ms = cpu_ms[cpu_ms["size"] >= FEWEST_RESIDENCES]["mean"]
    shares = {f"category_{i + 1}": share for i, share in enumerate(into)}
    shares["category_cpu_ratio"] = cpu_ms.max() / cpu_ms[cpu_ms > 0.0].min()
    return shares | {"matrix_diagonal": stays, "matrix_cluster": cluster}


def session_values(result):
    """Return the numbers of subsystem monitoring: elapsed and processor times by command."""
    session = result.session()
    elapsed = session.groupby("kind")["elapsed_s"].mean().reindex(KINDS)
    total = session.groupby("kind")["elapsed_s"].sum().reindex(KINDS)
    values = {f"{kind}_elapsed": seconds for kind, seconds in elapsed.items()}
    per_session = SESSION_S / result.parameters.measured_s
    cpu = session.groupby("kind")["cpu_s"].agg(["sum", "size"]).reindex(KINDS, fill_value=0)
    for kind in KINDS:
        values[f"{kind}_elapsed_share"] = PERCENT * total[kind] / total.sum()
        values[f"{kind}_cpu_share"] = PERCENT * cpu.loc[kind, "sum"] / cpu["sum"].sum()
        values[f"{kind}_commands"] = cpu.loc[kind, "size"] * per_session
    values["commands"] = len(session) * per_session
    values["cpu_min"] = session["cpu_s"].sum() / 60.0
    return values


def processor_values(result):
    """Return the shares of the processor, and Table 2's services in percent of the time."""
    frame = result.processor()["percent"]
    return {
        "user_share": result.user_percent,
        "supervisor_share": result.supervisor_percent,
        "idle_share": result.idle_percent,
        "no_work_share": result.values["no_work_percent"],
        "blocked_share": result.values["blocked_percent"],
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


@takes_what_simulate_does
def observe_samples(parameters=None, seed=0, **options):
    """Simulate a session of machine A without a trace, for Tables 2 and 3.

    Its trace is empty.
    """
    p = configuration_a() if parameters is None else parameters
    result = simulate(p, seed, **options)
    values = processor_values(result) | sample_values(result) | session_values(result)
    return Measured(values, result, trace_of(result))


def published_values():
    """Return every published mean that the simulated machine B gives, with unit and place.

    Indexed by the simulator's name: ``item``, ``published``, ``quantity`` and ``kind``.
    """
    rows = []
    for row in published.table(KEY, "residence").itertuples():
        rows.append((row.stage, "Queuing times", row.mean_ms, "time per residence, ms"))
    skipped = ("demand_only_factor", "waste_break_even")
    for row in published.table(KEY, "paging", readings=True).itertuples():
        if row.id not in skipped:
            rows.append((row.id, "Paging traffic", row.value, f"pages, {row.unit}"))
    for claim, unit in (("headway", "headway, ms"), ("multiprogramming", "level, processes")):
        rows.append((claim, "Queuing times", published.stated(KEY, claim), unit))
    for row in published.table(KEY, "table_4").itertuples():
        share = row.transitions_percent
        rows.append((f"category_{row.category}", "Table 4", share, "transitions, percent"))
    table_6 = published.table(KEY, "table_6").set_index("command_type")
    means = published.table(KEY, "command_means").set_index("command_type")["elapsed_s"].dropna()
    for kind, value in means.items():
        rows.append((f"{kind}_elapsed", "Observations", value, "elapsed time, s"))
    for column, ours, quantity in (
        ("count", "commands", "commands"),
        ("cpu_percent", "cpu_share", "processor time, percent"),
        ("elapsed_percent", "elapsed_share", "elapsed time, percent"),
    ):
        rows += [(f"{k}_{ours}", "Table 6", n, quantity) for k, n in table_6[column].items()]
    for name, claim, quantity in (
        ("commands", "session_commands", "commands"),
        ("user_share", "session_cpu_share", "processor, percent"),
    ):
        rows.append((name, "Observations", published.stated(KEY, claim), quantity))
    columns = ["name", "item", "published", "quantity"]
    frame = pd.DataFrame(rows, columns=columns).set_index("name")
    looked_at = frame.index.isin(IN_SIGHT) | frame["item"].isin(LOOKED_AT)
    frame["kind"] = np.where(looked_at, "chosen in sight", "predicted")
    frame.loc[frame.index.isin(FITTED), "kind"] = "fitted"
    return frame


def published_services():
    """Return Table 2: the processor's states and services, in percent of the time.

    The percentages are those of the seconds, because the printed ones are cut off. Unit costs are
    these seconds over worked rates, so all but the users' share is by construction.
    """
    frame = published.table(KEY, "table_2").set_index("item")
    seconds = frame.loc["total", "seconds"]
    percent = PERCENT * frame["seconds"] / seconds
    frame = frame.assign(percent=percent).drop(index="total")
    names = [
        f"{item}_share" if item in ("user", "supervisor", "idle") else f"service_{item}"
        for item in frame.index
    ]
    values = {"item": "Table 2", "published": frame["percent"].to_numpy()}
    values |= {"quantity": "processor, percent", "kind": scorecard.BY_CONSTRUCTION}
    frame = pd.DataFrame({**values, "sessions": seconds / SESSION_S}, index=names)
    frame.loc["user_share", "kind"] = "chosen in sight"
    return frame


def published_samples():
    """Return mean and extremes of Table 3's variables that the simulator has."""
    frame = published.table(KEY, "table_3").set_index("item")
    frame["mean"] = frame["total"] / published.stated(KEY, "samples")
    rows = []
    for which in ("mean", "maximum", "minimum"):
        for name in frame.index[frame.index.isin(SAMPLED)]:
            thing = "users" if name == "users" else "store, pages"
            thing = "queue length, processes" if "queue" in name else thing
            looked_at = name.startswith(("run_queue", "drum"))
            kind = "chosen in sight" if looked_at else "predicted"
            rows.append((f"{which}_{name}", frame.loc[name, which], f"{which} {thing}", kind))
    frame = pd.DataFrame(rows, columns=["name", "published", "quantity", "kind"])
    return frame.assign(item="Table 3").set_index("name")


def score(printed, rows):
    """Return the scorecard of published means against replications.

    ``printed`` is indexed by the simulator's name: ``item``, ``published``, ``quantity`` and,
    optionally, ``kind`` and ``sessions``: the length of the printed session in simulated ones, 1
    by default. ``rows`` has a row per replication.

    Tolerances were set by the study's goals: 10 % for the means of a residence, 3 points for
    the three shares of the processor, 15 % for every other number. A printed zero is held to half
    of the last printed digit. Inputs, and cells that follow from fitted ones, are "by
    construction": shown, not counted.
    """
    names = list(printed.index)
    ours = summarize(rows.assign(all=0), "all", names).iloc[0]
    values = printed["published"].to_numpy(float)
    share = np.where(printed.index.isin([*STAGES, "headway"]), STAGE_TOLERANCE, MEANS_TOLERANCE)
    three = printed.index.isin(["user_share", "supervisor_share", "idle_share"])
    known = printed.index.isin([*INPUTS, *FOLLOWING])
    whole = printed["quantity"].str.startswith(("maximum", "minimum"))
    half_digit = np.where(whole, 0.5, HALF_A_DIGIT)
    half_width = ours[[f"{name}_half_width" for name in names]].to_numpy(float)
    kinds = np.where(known, scorecard.BY_CONSTRUCTION, printed.get("kind", "predicted"))
    held = np.select([three, values == 0.0], [SHARE_POINTS, half_digit], share * np.abs(values))
    spread = scorecard.spread(half_width, len(rows), printed.get("sessions", 1.0))
    return scorecard.cells(
        printed["item"], names, printed["quantity"], kinds, values, ours[names], half_width,
        absolute=held, spread=spread, runs=len(rows),
    )  # fmt: skip
