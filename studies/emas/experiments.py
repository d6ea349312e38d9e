"""The simulated experiments behind the headline, the claims and the what-ifs."""

from functools import cached_property

import pandas as pd

from perfkit import show
from perfkit.des.memo import remembered
from perfkit.methods import tracing
from perfkit.runs import what_if
from perfkit.runs.experiment import interval, replicate
from perfkit.systems.emas import TABLE_6, Parameters, configuration_a, simulate
from perfkit.systems.emas.memory.categories import TABLE_4
from studies.emas.benchmark import build_scripts, drive
from studies.emas.runs import (
    Measured,
    observe_samples,
    published_samples,
    session_values,
    takes_what_simulate_does,
    trace_of,
    traced_values,
)

HOUR_S = 3600.0
TRACED_USERS = Parameters().users
OFTEN, CROWD = 4, 1.5
RECALCULATED = ["wasted", "supervisor_share"]
PADDINGS = (0, 6, 24, 40)
FEW_PADDINGS, LARGE = 2, 6  # the first two decide a claim, in all replications; others get 6
BENCHMARKS = WHAT_IFS = 4  # replications that suffice
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
    """Return the changes that make the processor faster: its times, and ``kinds``."""
    sooner = {name: kind._replace(cpu_s=kind.cpu_s / times) for name, kind in TABLE_6.items()}
    return {"kinds": sooner, **{name: getattr(parameters, name) / times for name in COMPUTING}}


@takes_what_simulate_does
@remembered
def observe_waits(parameters=None, seed=0, **options):
    """Simulate a traced session whose trace has room for a fast machine; return its waits."""
    p = Parameters() if parameters is None else parameters
    result = simulate(p, seed, trace=int(TODAY_ROOM_PER_S * (p.settle_s + p.measured_s)), **options)
    trace = trace_of(result)
    if trace.full:
        raise RuntimeError("The trace of this run does not fit; simulate a shorter time.")
    stages, times = tracing.residence_stages(trace), tracing.transfer_times(trace)
    values = {name: stages[name] for name in ALL_WAITS}
    values |= {f"time_{name}": times[name] for name in ("prepaged", "demand_drum")}
    elapsed = session_values(result)["execute_elapsed"]
    return Measured(values | {"execute_elapsed": elapsed})


def today(parameters, seed=0, replications=4):
    """Return what prepaging saves per residence as devices, processor and core become today's.

    One row per machine. Its columns are the waits for pages with prepaging and without, the
    saving in percent of these and of all waits, the times of a page in a batch and of a page
    demanded without prepaging, and the time of an execution.
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
    waits = {"page": rows[PAGE_WAITS].sum(axis=1), "all": rows[ALL_WAITS].sum(axis=1)}
    rows, found = rows.assign(**waits).set_index("variant"), {}
    for name in machines:
        ahead, alone = rows.loc[f"{name}, 1"], rows.loc[f"{name}, 0"]
        saved = {one: 100.0 * (1.0 - ahead[one].array / alone[one].array) for one in waits}
        found[name] = {
            "page waits, with (ms)": ahead["page"].mean(),
            "page waits, without (ms)": alone["page"].mean(),
            "saved (%)": show.pm(*interval(saved["page"])),
            "all waits saved (%)": show.pm(*interval(saved["all"])),
            "page in batch (ms)": ahead["time_prepaged"].mean(),
            "page demanded, without (ms)": alone["time_demand_drum"].mean(),
            "execute (s)": ahead["execute_elapsed"].mean(),
        }
    return pd.DataFrame(found).T.rename_axis(index="")


def wait_per_cpu(rows, names=PAGE_WAITS):
    """Return how long processes wait per unit of processor time, by default for pages."""
    return rows[names].sum(axis=1) / rows["cpu"]


def loaders_in_words(count):
    """Return how many processes are loaded at once, in words."""
    return {1: "one loader", 2: "two loaders"}.get(count, f"{count} loaders")


def headline_runs(replications=12, seed=0, **changes):
    """Return untraced hours with and without fetching ahead, by loaders; one row per hour."""
    base = Parameters(**{"measured_s": HOUR_S, **changes})
    variants = {
        f"{loaders_in_words(count)}, {way}": {
            "preloads_at_once": count, "prepaging": way == "ahead",
        }
        for count in sorted({*LOADERS, base.preloads_at_once})
        for way in ("on demand", "ahead")
    }  # fmt: skip
    return what_if.run(simulate, base, variants, replications, seed=seed, progress=False)


def saved_in(runs, measure):
    """Return what fetching ahead saves of a measure over the same seeds, by loaders.

    A mean and the half-width of its 95 % interval each.
    """
    found = {}
    for count, rows in runs.groupby("preloads_at_once"):
        by_way = rows.pivot(index="seed", columns="variant", values=measure)
        name = loaders_in_words(count)
        found[count] = interval(by_way[f"{name}, on demand"] - by_way[f"{name}, ahead"])
    return found


def headline(replications=12, seed=0, **changes):
    """Return what fetching ahead saves of waits, in s per s of computing, by loaders."""
    runs = headline_runs(replications, seed, **changes)
    saved = [saved_in(runs, measure) for measure in ("page_wait_per_cpu", "wait_per_cpu")]
    found = [[count, *(show.pm(*one[count]) for one in saved)] for count in LOADERS]
    columns = ["loaders", "page waits saved (s per s)", "all waits saved (s per s)"]
    return pd.DataFrame(found, columns=columns)


headline.sets = {"preloads_at_once", "prepaging"}  # what the experiment itself turns


def savings(rows):
    """Return the means of ``saved_of`` at each padding, and the ``half_width`` of ``saved``."""
    groups = rows.groupby("padding_pages")
    frame = groups[["wasted", "saved"]].mean()
    return frame.assign(half_width=[interval(group)[1] for _, group in groups["saved"]])


class Evidence:
    """Simulated runs for the tables and the claims, each simulated when it is first needed.

    Parameters
    ----------
    replications, seed : int
        The trace session is run ``TRACED_FOLD`` times as often, because its wait for core
        scatters: a dozen sessions do not give the mean to within the tenth that is asked.
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
        """Return replications of an observation, ``count`` of them if given, one row each."""
        count = count or self.replications
        return replicate(observe, parameters, count, seed=self.seed, progress=False, **options)

    def hours(self, most=None, **changes):
        """Return hours of machine B, at most ``most`` if given. Hours that were run are kept."""
        count = min(most or self.replications, self.replications)
        p = self.parameters(**{"measured_s": HOUR_S, **self.changes, **changes})
        if len(self._kept.get(p, ())) < count:
            self._kept[p] = self.run(traced_values, p, count)
        return self._kept[p].head(count)

    def what_if(self, variants):
        """Return hours of machine B, then of changed machines over the same seeds.

        One row per run, WHAT_IFS of them per machine.
        """
        first, *others = variants
        own = self.hours(WHAT_IFS).assign(variant=first)
        changed = {name: variants[name] for name in others}
        p = self.parameters(**{"measured_s": HOUR_S, **self.changes})
        rows = what_if.run(traced_values, p, changed, len(own), seed=self.seed, progress=False)
        return pd.concat([own, rows], ignore_index=True)

    @cached_property
    def traced(self):
        """Replications of the trace session on machine B, ``TRACED_FOLD`` times as many."""
        return self.run(traced_values, self.parameters(), TRACED_FOLD * self.replications)

    @cached_property
    def sampled(self):
        """Replications of the session of Table 3 on machine A."""
        return self.run(observe_samples, self.configuration_a())

    @cached_property
    def accounted(self):
        """Replications of Table 2's session on machine A, with Table 3's mean number of users."""
        users = round(published_samples().loc["mean_users", "published"])
        steady = self.configuration_a(users=users, late_users=0)
        return self.run(observe_samples, steady)

    @cached_property
    def demand_only(self):
        """Hours without prepaging; the number of loaders then makes next to no difference."""
        return self.hours(prepaging=False, preloads_at_once=LOADERS[-1])

    @property
    def prepaged(self):
        """Hours of machine B over the seeds of ``demand_only``."""
        return self.hours()

    @property
    def fast_terminals(self):
        """Hours with terminals ten times as fast, over the first seeds of ``prepaged``."""
        return self.hours(
            WHAT_IFS, terminal_characters_per_s=10.0 * self.parameters().terminal_characters_per_s
        )

    @cached_property
    def recalculated(self):
        """By how much RECALCULATED change if working sets are recalculated OFTEN times as often.

        By ``recalculation_s``: 0 if the markers are also read at every removal from core.
        """
        often = [row._replace(compaction_s=row.compaction_s / OFTEN) for row in TABLE_4]
        found = {}
        for seconds in (0.0, 1.0):
            usual = self.hours(WHAT_IFS, recalculation_s=seconds)
            p = self.parameters(measured_s=HOUR_S, recalculation_s=seconds)
            more = self.run(traced_values, p, len(usual), categories=often)
            found[seconds] = more[RECALCULATED] - usual[RECALCULATED]
        return found

    def crowded(self, **changes):
        """Return hours with CROWD times the users, on machine B with further changes."""
        return self.hours(3 * WHAT_IFS, users=round(CROWD * self.users), **changes)

    @cached_property
    def padded(self):
        """Hours with pages added to every working set that the markers do not ask for."""
        rows = [self.hours(padding_pages=one) for one in PADDINGS[:FEW_PADDINGS]]
        rows += [self.hours(LARGE, padding_pages=one) for one in PADDINGS[FEW_PADDINGS:]]
        return pd.concat(rows, ignore_index=True)

    @cached_property
    def saved(self):
        """What prepaging saves of the waits for pages, per unit of processor time."""
        return self.saved_of(wait_per_cpu)

    @cached_property
    def saved_with_core(self):
        """As ``saved``, with the waits for core and for the loader included."""
        return self.saved_of(lambda rows: wait_per_cpu(rows, ALL_WAITS))

    def saved_of(self, measure):
        """Return what prepaging saves of a measure, one row per padding and seed.

        Columns ``padding_pages``, ``seed``, ``wasted`` (percent) and ``saved``.
        """
        alone = measure(self.demand_only).set_axis(self.demand_only["seed"])
        rows = self.padded[["padding_pages", "seed", "wasted"]]
        return rows.assign(saved=rows["seed"].map(alone) - measure(self.padded))

    @cached_property
    def loaders(self):
        """The same evidence by the number of loaders: one, two, and this evidence's own."""
        own = {self.parameters().preloads_at_once: self}
        arguments = self.replications, self.seed, self.users
        changes = [{**self.changes, "preloads_at_once": count} for count in LOADERS]
        found = {one["preloads_at_once"]: Evidence(*arguments, **one) for one in changes} | own
        for one in found.values():
            one._kept = self._kept
        return found

    def saved_near(self, wasted):
        """Return the rows of ``saved`` at the padding whose waste is nearest to this percentage."""
        means = self.saved.groupby("padding_pages")["wasted"].mean()
        padding = (means - wasted).abs().idxmin()
        return self.saved[self.saved["padding_pages"] == padding]

    @cached_property
    def scripts(self):
        """The benchmark's job scripts."""
        return build_scripts(self.seed, self.parameters())

    @cached_property
    def benchmark(self):
        """Both configurations, driven by the job scripts and by a live load of equally many users.

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
