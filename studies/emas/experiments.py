"""Simulated experiments beside the tables: what claims and what-ifs run."""

from functools import cached_property

import pandas as pd

from perfkit import show
from perfkit.methods import tracing
from perfkit.runs import what_if
from perfkit.runs.experiment import interval, replicate
from perfkit.systems.emas import TABLE_6, Parameters, configuration_a, simulate
from perfkit.systems.emas.memory.categories import TABLE_4
from studies.emas.benchmark import build_scripts, drive
from studies.emas.runs import (
    Measured,
    observe_samples,
    observe_trace,
    published_samples,
    session_values,
    takes_what_simulate_does,
    trace_of,
)

HOUR_S = 3600.0
TRACED_USERS = Parameters().users
OFTEN, CROWD = 4, 1.5
RECALCULATED = ["wasted", "supervisor_share"]
PADDINGS = (0, 6, 24, 40)
FEW_PADDINGS, LARGE = 2, 6  # the first decide a claim and have all replications; the others
BENCHMARKS = WHAT_IFS = 4  # replications that suffice, where as many are asked for
TRACED_FOLD = 4
LOADERS = (1, 2)
PAGE_WAITS = ["preload", "page_wait"]
ALL_WAITS = [*PAGE_WAITS, "core_queue", "suspended"]

FLASH = {
    "drum_revolution_ms": 0.2, "drum_kb_per_s": 3e6, "drum_set_up_ms": 0.0, "drums": 64,
    "disc_revolution_ms": 0.2, "disc_seek_ms": (0.0, 0.0, 0.0),
}  # fmt: skip
FASTER, MORE_CORE, TODAY_S = 500, 1000, {"settle_s": 200.0, "measured_s": 700.0}
TODAY_ROOM_PER_S = 3000
COMPUTING = (
    "drum_transfer_ms", "disc_transfer_ms", "preload_page_ms", "marker_page_ms", "drum_loading_ms",
    "process_control_ms", "dispatch_ms", "svc_ms", "line_ms", "command_ms", "reference_ms",
    "wake_reference_ms", "trace_record_us", "log_on_cpu_s",
)  # fmt: skip


def computing_faster(parameters, times):
    """Return what changes if the processor is so many times as fast: its times, and ``kinds``."""
    sooner = {name: kind._replace(cpu_s=kind.cpu_s / times) for name, kind in TABLE_6.items()}
    return {"kinds": sooner, **{name: getattr(parameters, name) / times for name in COMPUTING}}


@takes_what_simulate_does
def observe_waits(parameters=None, seed=0, **options):
    """Simulate a traced session of many more records per second, and return its waits."""
    p = Parameters() if parameters is None else parameters
    result = simulate(p, seed, trace=int(TODAY_ROOM_PER_S * (p.settle_s + p.measured_s)), **options)
    trace = trace_of(result)
    if trace.full:
        raise RuntimeError("The trace of this run does not fit; simulate a shorter time.")
    stages, times = tracing.residence_stages(trace), tracing.transfer_times(trace)
    values = {name: stages[name] for name in ("preload", "page_wait", "core_queue")}
    values |= {f"time_{name}": times[name] for name in ("prepaged", "demand_drum")}
    elapsed = session_values(result)["execute_elapsed"]
    return Measured(result, trace, values | {"execute_elapsed": elapsed})


def today(parameters, seed=0, replications=4):
    """Return what prepaging saves per residence as devices, processor and core become today's.

    One row per machine: waits for pages with it and without, what it saves in percent with its
    half-width, the times of a page that is preloaded in a batch or demanded alone, core queue, an
    execution's time.
    """
    p = parameters.replace(**TODAY_S)
    quick = computing_faster(p, FASTER)
    machines = {
        "machine B, 1974": {},
        "flash for drums and discs": FLASH,
        f"a processor {FASTER} times as fast": quick,
        "both": {**FLASH, **quick},
        f"both, and {MORE_CORE} times the core": {
            **FLASH, **quick, "frames": MORE_CORE * p.frames,
        },
    }  # fmt: skip
    named = {
        f"{name}, {way:d}": {**changed, "prepaging": way}
        for name, changed in machines.items()
        for way in (True, False)
    }
    rows = what_if.run(observe_waits, p, named, replications, seed=seed, progress=False)
    rows = rows.assign(wait=rows["preload"] + rows["page_wait"]).set_index("variant")
    found = {}
    for name in machines:
        ahead, alone = rows.loc[f"{name}, 1"], rows.loc[f"{name}, 0"]
        saved = 100.0 * (1.0 - ahead["wait"].to_numpy() / alone["wait"].to_numpy())
        found[name] = {
            "waits, with (ms)": ahead["wait"].mean(),
            "waits, without (ms)": alone["wait"].mean(),
            "saved (%)": show.pm(*interval(saved)),
            "page in batch (ms)": ahead["time_prepaged"].mean(),
            "page alone (ms)": ahead["time_demand_drum"].mean(),
            "core queue (ms)": ahead["core_queue"].mean(),
            "execute (s)": ahead["execute_elapsed"].mean(),
        }
    return pd.DataFrame(found).T.rename_axis(index="")


def wait_per_cpu(rows, names=PAGE_WAITS):
    """Return the time that processes wait, for pages by default, per unit of processor time."""
    return rows[names].sum(axis=1) / rows["cpu"]


def headline(replications=12, seed=0, **changes):
    """Return what fetching ahead saves of waits, in s per s of computing, by how many it loads."""
    p, found = Parameters(**{"measured_s": HOUR_S, **changes}), []
    for count in LOADERS:
        variants = {"ahead": {"prepaging": True}, "alone": {"prepaging": False}}
        base = p.replace(preloads_at_once=count)
        runs = what_if.run(simulate, base, variants, replications, seed=seed, progress=False)
        measures = "page_wait_per_cpu", "wait_per_cpu"
        saved = [interval(what_if.differences(runs, name)["alone"]) for name in measures]
        found.append([count, *(show.pm(*pair) for pair in saved)])
    columns = ["loaders", "page waits saved (s per s)", "all waits saved (s per s)"]
    return pd.DataFrame(found, columns=columns)


headline.sets = {"preloads_at_once", "prepaging"}  # what the experiment itself turns


def savings(rows):
    """Return means of rows of ``saved_of`` at each padding, ``saved`` with its ``half_width``."""
    groups = rows.groupby("padding_pages")
    frame = groups[["wasted", "saved"]].mean()
    return frame.assign(half_width=[interval(group)[1] for _, group in groups["saved"]])


class Evidence:
    """Simulated runs for the claims: those of the tables, and others when a claim asks.

    Parameters
    ----------
    replications, seed : int
        Of the trace session ``TRACED_FOLD`` times as many are run, for its wait for core scatters
        so much that the mean of a dozen is not known to the tenth that the study asks for.
    users : int
        Terminals of machine B.
    **changes
        Parameters that differ from the paper's in every run, on both machines.
    """

    def __init__(self, replications, seed=0, users=TRACED_USERS, **changes):
        self.replications, self.seed, self.changes = replications, seed, changes
        self.users, self._kept = users, {}

    def parameters(self, **more):
        """Return machine B's parameters, traced."""
        return Parameters(**{"users": self.users, **self.changes, **more})

    def configuration_a(self, **more):
        """Return machine A's parameters."""
        return configuration_a(**{**self.changes, **more})

    def run(self, observe, parameters, count=None, **options):
        """Return replications of an observation, or another number of them, a row each."""
        count = count or self.replications
        return replicate(observe, parameters, count, seed=self.seed, progress=False, **options)

    def hours(self, most=None, **changes):
        """Return replications of an hour of machine B, or at most so many; what was run is kept."""
        count = min(most or self.replications, self.replications)
        p = self.parameters(**{"measured_s": HOUR_S, **self.changes, **changes})
        if len(self._kept.get(p, ())) < count:
            self._kept[p] = self.run(observe_trace, p, count)
        return self._kept[p].head(count)

    def what_if(self, variants):
        """Return hours of changed machines under those of machine B as it is, over its seeds.

        One row per run, WHAT_IFS of each changed machine.
        """
        first, *others = variants
        own = self.hours(WHAT_IFS).assign(variant=first)
        changed = {name: variants[name] for name in others}
        p = self.parameters(**{"measured_s": HOUR_S, **self.changes})
        rows = what_if.run(observe_trace, p, changed, len(own), seed=self.seed, progress=False)
        return pd.concat([own, rows], ignore_index=True)

    @cached_property
    def traced(self):
        """Replications of the trace session on machine B, ``TRACED_FOLD`` times as many."""
        return self.run(observe_trace, self.parameters(), TRACED_FOLD * self.replications)

    @cached_property
    def sampled(self):
        """Replications of the session of Table 3 on machine A."""
        return self.run(observe_samples, self.configuration_a())

    @cached_property
    def accounted(self):
        """Replications of the session of Table 2 on machine A: Table 3's mean users, throughout."""
        users = round(published_samples().loc["mean_users", "published"])
        steady = self.configuration_a(users=users, late_users=0)
        return self.run(observe_samples, steady)

    @cached_property
    def demand_only(self):
        """An hour each without prepaging; then it makes no difference how many are preloaded."""
        return self.hours(prepaging=False, preloads_at_once=LOADERS[-1])

    @property
    def prepaged(self):
        """An hour each as the machine was, the same seeds as ``demand_only``."""
        return self.hours()

    @property
    def fast_terminals(self):
        """Hours with terminals ten times as fast, the first seeds of ``prepaged``."""
        return self.hours(
            WHAT_IFS, terminal_characters_per_s=10.0 * self.parameters().terminal_characters_per_s
        )

    @cached_property
    def recalculated(self):
        """What working sets recalculated OFTEN times as often add to RECALCULATED.

        By ``recalculation_s``: the markers are read at every removal from core, too, or seldom.
        """
        often = [row._replace(compaction_s=row.compaction_s / OFTEN) for row in TABLE_4]
        found = {}
        for seconds in (0.0, 1.0):
            usual = self.hours(WHAT_IFS, recalculation_s=seconds)
            p = self.parameters(measured_s=HOUR_S, recalculation_s=seconds)
            more = self.run(observe_trace, p, len(usual), categories=often)
            found[seconds] = more[RECALCULATED] - usual[RECALCULATED]
        return found

    def crowded(self, **changes):
        """Return hours with CROWD times the users, on machine B or on one changed further."""
        return self.hours(3 * WHAT_IFS, users=round(CROWD * self.users), **changes)

    @cached_property
    def padded(self):
        """An hour each with pages added to every working set that the markers do not ask for."""
        rows = [self.hours(padding_pages=one) for one in PADDINGS[:FEW_PADDINGS]]
        rows += [self.hours(LARGE, padding_pages=one) for one in PADDINGS[FEW_PADDINGS:]]
        return pd.concat(rows, ignore_index=True)

    @cached_property
    def saved(self):
        """How much longer pages are waited for without prepaging, per unit of processor time."""
        return self.saved_of(wait_per_cpu)

    @cached_property
    def saved_with_core(self):
        """As ``saved``, of the waits for core and the loader too."""
        return self.saved_of(lambda rows: wait_per_cpu(rows, ALL_WAITS))

    def saved_of(self, measure):
        """Return what prepaging saves of a measure of hours, one row per padding and seed.

        Columns ``padding_pages``, ``seed``, ``wasted`` (percent) and ``saved``.
        """
        alone = measure(self.demand_only).set_axis(self.demand_only["seed"])
        rows = self.padded[["padding_pages", "seed", "wasted"]]
        return rows.assign(saved=rows["seed"].map(alone) - measure(self.padded))

    @cached_property
    def loaders(self):
        """The same evidence by how many preloads go side by side: two readings, and its own."""
        own = {self.parameters().preloads_at_once: self}
        arguments = self.replications, self.seed, self.users
        changes = [{**self.changes, "preloads_at_once": count} for count in LOADERS]
        found = {one["preloads_at_once"]: Evidence(*arguments, **one) for one in changes} | own
        for one in found.values():
            one._kept = self._kept
        return found

    def saved_near(self, wasted):
        """Return the rows of ``saved`` at the padding whose waste (percent) is nearest to this."""
        means = self.saved.groupby("padding_pages")["wasted"].mean()
        padding = (means - wasted).abs().idxmin()
        return self.saved[self.saved["padding_pages"] == padding]

    @cached_property
    def scripts(self):
        """The benchmark's job scripts."""
        return build_scripts(self.seed, self.parameters())

    @cached_property
    def benchmark(self):
        """Both configurations, driven by the job scripts and under the live load of as many users.

        One row per run: ``machine``, ``load`` ("scripts" or "live") and the measures.
        """
        machines = {"A": self.configuration_a(users=self.users, late_users=0)}
        machines["B"] = self.parameters()
        rows = []
        for machine, p in machines.items():
            count = min(BENCHMARKS, self.replications)
            driven = self.run(drive, p, count, scripts=self.scripts)
            live = self.run(observe_samples, p, count)
            rows += [driven.assign(machine=machine, load="scripts")]
            rows += [live.assign(machine=machine, load="live")]
        return pd.concat(rows, ignore_index=True)
