"""Every paper's method on every paper's machine: what each finds, and what it costs."""

import math
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import stats

from perfkit import show
from perfkit.methods import planned, switching
from perfkit.runs import what_if
from perfkit.runs.experiment import interval
from studies.across.cases import FASTER, HOUR_S, NAMES, SECOND, TRACED, cases, simulate
from studies.across.switched import DISCARD, observe

PRICED = {
    "separate": "separate loads",
    "replayed": "the same load twice",
    "switching": "switching",
    "tracing": "tracing",
    "plan": "planned experiment",
}
FACTORS = {"version": ("A", "B"), "device": ("own", "faster")}
ELSEWHERE = "B acts elsewhere"


class Study:
    """One case, with what the methods look at.

    ``replications`` runs of each cell of the 2x2 design, ``turns`` with alternating versions, and
    ``traced`` of either version.
    """

    def __init__(self, case, replications, turns=8, traced=4, seed=0):
        self.case, self.replications, self.seed = case, replications, seed
        self.turns, self.traces = turns, traced

    def _run(self, variants, count):
        found = what_if.run(
            simulate(self.case), self.case.parameters, variants, count,
            seed=self.seed, progress=False,
        )  # fmt: skip
        return found.assign(blocks=found["reads"] + found["writes"]) if "reads" in found else found

    @cached_property
    def runs(self):
        """Runs of the four cells over the same seeds, with ``version`` and ``device``."""
        found = self._run(self.case.cells, self.replications)
        device = np.where(found["variant"].str.contains("faster"), "faster", "own")
        return found.assign(version=found["variant"].str[0], device=device)

    @cached_property
    def switched(self):
        """Observations during which A and B alternate."""
        return observe(self.case, self.turns, self.seed)

    @cached_property
    def traced(self):
        """Traced runs of A and B: the parts of a stay, in s."""
        versions = {"A": {"trace": TRACED}, "B": {**self.case.b, "trace": TRACED}}
        return self._run(versions, self.traces)

    @cached_property
    def level(self):
        """Mean time under A, of which percentages are taken."""
        return self.runs.loc[self.runs["variant"] == "A", "time"].mean()

    @cached_property
    def watched_hours(self):
        """Hours of the machine per run of a version, the mean of A and B."""
        if "elapsed_s" in self.runs:
            return self.runs.query("device == 'own'")["elapsed_s"].mean() / HOUR_S
        return self.case.parameters.measured_s / HOUR_S

    def change(self, variant, measure="time"):
        """Return by seed how much longer a variant takes than A, in percent."""
        return what_if.differences(self.runs, measure, percent=True, base="A")[variant].to_numpy()

    @cached_property
    def limit(self):
        """By how much longer work takes with the limiting device faster, in percent by seed."""
        if self.case.limiting is None:
            return self.change("A, faster", "cycle")
        quick = self._run({"A": self.case.limiting}, self.replications)["cycle"]
        own = self.runs.loc[self.runs["variant"] == "A", "cycle"]
        return 100.0 * (quick.to_numpy() / own.to_numpy() - 1.0)

    def ratio(self, limit=False):
        """Return what a faster device changes in percent: predicted by the ratio, seen, the error.

        The ratio says that work takes less time in the proportion in which the device does;
        ``limit``: of the device that is the bottleneck.
        """
        seen = self.limit if limit else self.change("A, faster", "cycle")
        predicted = 100.0 / FASTER - 100.0
        return predicted, interval(seen), interval(100.0 * (predicted - seen) / (100.0 + seen))

    def turn_changes(self, seen=None):
        """Return by run how much longer B takes than A in its turns (or ``seen``), in percent."""
        seen = self.switched if seen is None else seen
        kept = switching.settled(seen.dropna(subset=["time"]), DISCARD)
        means = kept.groupby(["run", "version"])["time"].mean().unstack("version").dropna()
        return (100.0 * (means[1] / means[0] - 1.0)).to_numpy()

    def carried(self):
        """Return the first position in a batch without significant carry-over."""
        seen = self.switched.dropna(subset=["time"])
        left = switching.carry_over(seen, "time", unit="run")
        shown = (left["carried"] - left["half_width"] > 0.0).to_numpy()
        return int(np.argmin(shown)) if not shown.all() else shown.size

    def parts(self):
        """Return the parts of a stay under A in s, and what B makes of each, a row per place."""
        names = [name for name in self.traced if name.startswith("stay: ")]
        told = what_if.compare(self.traced, names, names, base="A")
        columns = {
            "A": told.loc["A", names],
            "change": told.loc["B", [f"change of {name}" for name in names]],
            "half_width": told.loc["B", [f"+- {name}" for name in names]],
        }
        places = [name.removeprefix("stay: ") for name in names]
        return pd.DataFrame({name: one.to_numpy(float) for name, one in columns.items()}, places)

    def moved(self):
        """Return the part of a stay that B changes most."""
        return self.parts()["change"].abs().idxmax()

    def estimates(self):
        """Return each method's estimate of B's effect and its bias, in percent, with half-widths.

        The reference is the paired comparison of B with A. The plan's mean over both devices is
        off by their interaction; tracing sees the watched wait alone, in percent of a stay.
        """
        b, turns, plan = interval(self.change("B")), interval(self.turn_changes()), self.effects()
        parts = self.parts()
        watched = 100.0 * parts.loc[self.case.waits, ["change", "half_width"]] / parts["A"].sum()
        rows = {name: (*b, 0.0, 0.0) for name in ("separate", "replayed")}
        for name, (seen, apart) in {"switching": turns, "tracing": watched}.items():
            rows[name] = (seen, apart, seen - b[0], math.hypot(apart, b[1]))
        own = plan[["effect", "half_width"]].to_numpy()
        rows["plan"] = (*own[0], *own[-1])
        return pd.DataFrame(rows, ["estimate", "half_width", "bias", "bias_half_width"]).T

    @cached_property
    def _relative(self):
        return self.runs.assign(time=100.0 * self.runs["time"] / self.level)

    @cached_property
    def covariates(self):
        """The covariate in a list; an empty one if a factor moves it, which would hide effects."""
        name = self.case.covariate
        moved = planned.covariate_effects(self.runs, FACTORS, [name], block="seed")["p"] < 0.01
        return [] if moved.any() else [name]

    def errors(self):
        """Return the error's mean square without and with covariates, in percent squared.

        It holds what differs between seeds: no load of a live experiment comes twice.
        """
        parts = ((), self.covariates)
        tables = [planned.variance_table(self._relative, "time", [*FACTORS], c) for c in parts]
        return tuple(table.loc["error", "mean_square"] for table in tables)

    def effects(self, covariates=None):
        """Return the plan's effects in percent of A's time, seeds and covariates taken out."""
        covariates = self.covariates if covariates is None else covariates
        return planned.effects(self._relative, "time", FACTORS, covariates, block="seed")

    def deviations(self):
        """Return by method the deviation of one unit's verdict in percent, its hours, its freedom.

        A unit is a run of either version, or one run that alternates. Tracing has no deviation if
        it looks at another part of a stay than the one that B changes most.
        """
        two, n = 2.0 * self.watched_hours, self.replications
        apart = self.runs.pivot(index="seed", columns="variant", values="time")[["A", "B"]]
        stays = self.traced.filter(like="stay: ").sum(axis=1)[self.traced["variant"] == "A"]
        waits = self.traced.pivot(
            index="seed", columns="variant", values=f"stay: {self.case.waits}"
        )
        trace_var = waits.var().sum() / stays.mean() ** 2
        if self.moved() != self.case.waits:
            trace_var = math.nan
        plan = self._relative
        for name in self.covariates:
            slope = planned.slopes(plan, "time", [*FACTORS], [name]).loc[name, "slope"]
            plan = plan.assign(time=plan["time"] - slope * plan[name])
        plan = plan.pivot(index="seed", columns="variant", values="time")
        turns = self.turn_changes()
        scatter = 100.0 * math.sqrt(apart.var().sum()) / self.level
        return pd.DataFrame(
            {
                "separate": (scatter, two, _freedom(apart)),
                "replayed": (self.change("B").std(ddof=1), two, n - 1),
                "switching": (turns.std(ddof=1), self.switched["hours"].iloc[0], turns.size - 1),
                "tracing": (100.0 * math.sqrt(trace_var), two, _freedom(waits)),
                "plan": (math.sqrt(2.0 * self.errors()[1]), two, _freedom(plan)),
            },
            index=["deviation", "hours", "freedom"],
        ).T


def _freedom(table):
    """Return the freedom of a sum of variances, of columns that share the seeds of the rows.

    Satterthwaite's: n - 1 where all columns scatter as one, so many times more where none does.
    """
    covariance = table.cov().to_numpy()
    return (len(table) - 1) * np.trace(covariance) ** 2 / np.sum(covariance**2)


def studies(replications, seed=0, **options):
    """Return the five studies by key; cp67, emas and tss360 have half the replications."""
    half = max(3, replications // 2)
    found = {}
    for key, case in cases(**options).items():
        count = half if key in ("cp67", "emas", "tss360") else replications
        found[key] = Study(case, count, turns=half + 2, traced=max(2, count // 2), seed=seed)
    return found


def seconds(found):
    """Return the studies of SECOND: as those ``found``, with another B."""
    told = {}
    for key, (b, name, waits) in SECOND.items():
        first = found[key]
        case = first.case._replace(b=b, said=(name, *first.case.said[1:]), waits=waits)
        told[key] = Study(case, first.replications, first.turns, first.traces, first.seed)
    return told


def hours_needed(deviation, hours, size):
    """Return the hours that show a difference of so many percent (95 % confidence, power 90 %).

    Units are whole.
    """
    pair = np.array([-1.0, 1.0]) * deviation / math.sqrt(2.0)  # whose deviation is that
    return hours * math.ceil(switching.units_needed(pair, size) - 1e-9)


def prices(study, size):
    """Return what each method costs to find an effect of so many percent.

    By method: ``hours``, with ``low`` and ``high`` from the interval of its deviation; ``biased``,
    why it has no price, empty if it has one; whether its bias is ``sure`` to be below half the
    effect (if not, the price is that of a bias of 0); whether it is ``tied`` with the cheapest of
    the sure ones, whose interval overlaps its own. A method has no price if it looks at the wrong
    wait, or if the whole interval of its bias exceeds half of the effect, or of what B does.
    """
    rows, told = {}, study.estimates()
    for method, (deviation, hours, freedom) in study.deviations().iterrows():
        estimate, apart, bias, half_width = told.loc[method]
        why = ELSEWHERE if math.isnan(deviation) else ""
        b = told.loc["replayed", "estimate"]
        if not why and abs(bias) - half_width > min(size, abs(b)) / 2.0:
            why = f"sees {percent((estimate, apart))}, not the lasting {b:.0f} %"
        ends = np.sqrt(freedom / stats.chi2.ppf([0.975, 0.025], freedom))
        need = [math.nan if why else hours_needed(deviation * k, hours, size) for k in (1.0, *ends)]
        rows[method] = (*need, why, abs(bias) + half_width <= size / 2.0)
    table = pd.DataFrame(rows, ["hours", "low", "high", "biased", "sure"]).T
    best, sure = cheapest(table), table["sure"].astype(bool)
    return table.assign(tied=sure & (table["low"] <= best["high"]) & (table["high"] >= best["low"]))


def cheapest(table):
    """Return the row of ``prices`` with the lowest price among those that are sure."""
    return table.loc[table["hours"].where(table["sure"].astype(bool)).astype(float).idxmin()]


def unit_table(found, size):
    """Return by method and system the s, n and h behind a price, as words."""
    columns = {}
    for key, study in found.items():
        rows, told = study.deviations(), prices(study, size)
        columns[NAMES[key]] = [
            "-" if told.loc[name, "biased"] else
            f"{row.deviation:.3g} %; {told.loc[name, 'hours'] / row.hours:,.0f} x {row.hours:.3g} h"
            for name, row in rows.iterrows()
        ]  # fmt: skip
    return pd.DataFrame(columns, index=[*PRICED.values()])


def price_table(found, size):
    """Return hours with their intervals by method and system as words; last, the ratio model.

    The ratio model needs one run, and says nothing of effects that are smaller than twice its
    error: its row has the size from which on it can be asked.
    """
    columns = {}
    for key, study in found.items():
        told = [
            row.biased
            or "if unbiased: " * (not row.sure)
            + f"{_hours(row.hours)} ({_hours(row.low)} to {_hours(row.high)})"
            for row in prices(study, size).itertuples()
        ]
        _, _, (error, half_width) = study.ratio(limit=True)
        columns[NAMES[key]] = [*told, f"1 run; above {2 * (abs(error) + half_width):.0f} %"]
    return pd.DataFrame(columns, index=[*PRICED.values(), "ratio model"])


def _hours(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def matrix(found):
    """Return by system and method in words what was ``found``, and what was ``not seen``."""
    rows = {}
    for key, study in found.items():
        for method, tell in TELL.items():
            rows[NAMES[key], method] = dict(zip(("found", "not seen"), tell(study), strict=True))
    return pd.DataFrame(rows).T.rename_axis(["system", "method"])


def percent(values):
    """Return a mean with its half-width in percent, as words."""
    return f"{show.pm(*values)} %"


def _tell_ratio(study):
    (predicted, seen, error), (_, *limit) = study.ratio(), study.ratio(limit=True)
    b, device = study.case.said[:2]
    told = f"{device} {FASTER:g} times as fast: {predicted:.0f} % predicted, {percent(seen)} seen"
    more = "It is the bottleneck"
    if study.case.limiting:
        more = "The bottleneck, the processor: {} seen; predicted time off by {}".format(
            *map(percent, limit)
        )
    return (
        f"{told}; predicted time off by {percent(error)}. {more}",
        f"version B ({b}): it changes no device's time",
    )


def _tell_runs(study):
    b = study.change("B")
    a = study.runs.loc[study.runs["variant"] == "A", "time"]
    scatter = 100.0 * a.std() / a.mean()
    told = f"{study.case.said[0]}: {study.case.said[2]} {percent(interval(b))}"
    return told, f"why; and anything on a live system: runs of A scatter by {scatter:.0f} %"


def _tell_switching(study):
    change = interval(study.turn_changes())
    told = f"{percent(change)}; observations that carry over: {study.carried()}"
    apart = abs(change[0] - study.change("B").mean()) > change[1] + interval(study.change("B"))[1]
    blind = "what B does in the long run: it differs" if apart else "what takes longer than a batch"
    return told, blind + "; another device can't be switched in"


def _tell_tracing(study):
    parts = study.parts()
    largest = parts["A"].idxmax()
    share = 100.0 * parts["A"].max() / parts["A"].sum()
    moved = study.moved()
    change = show.pm(*parts.loc[moved, ["change", "half_width"]])
    return (
        f"{share:.0f} % of a stay: {largest}; B moves '{moved}' by {change} s",
        "what would happen without B: one trace holds one version",
    )


def _tell_plan(study):
    effects = study.effects()
    without, with_it = study.errors()
    b, both = effects.index[0], effects.index[-1]
    taken = f"the covariate takes {100 * (1 - with_it / without):.0f} % of the error"
    if not study.covariates:
        left = study.effects([study.case.covariate]).loc[b, ["effect", "half_width"]]
        taken = f"the factors move the {study.case.said[3]}: taken out, B would be {percent(left)}"
    told = (
        f"B {percent(effects.loc[b, ['effect', 'half_width']])}; the faster device changes that by"
        f" {percent(2 * effects.loc[both, ['effect', 'half_width']])}; {taken}"
    )
    return told, "what lies between its levels; where time goes"


TELL = {
    "ratio model": _tell_ratio,
    "the same load twice": _tell_runs,
    "switching": _tell_switching,
    "tracing": _tell_tracing,
    "planned experiment": _tell_plan,
}
