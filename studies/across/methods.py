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

SIZES = (1.0, 5.0, 20.0)  # percent by which B may be better
PRICED = {
    "separate": "runs under separate loads",
    "replayed": "the same load twice",
    "switching": "switching on line",
    "tracing": "tracing the wait alone",
    "plan": "planned experiment",
}
FACTORS = {"version": ("A", "B"), "device": ("as it was", "faster")}


class Study:
    """One case, with what the methods look at.

    ``replications`` runs of each cell of the 2x2 design, ``turns`` with the versions by turns, and
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
        device = np.where(found["variant"].str.contains("faster"), "faster", "as it was")
        return found.assign(version=found["variant"].str[0], device=device)

    @cached_property
    def switched(self):
        """Observations with A and B by turns."""
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
        """Hours of the machine per run of a version."""
        if "elapsed_s" in self.runs:
            return self.runs["elapsed_s"].mean() / HOUR_S
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
        """Return what a faster device changes in percent: foretold by the ratio, seen, and error.

        The ratio says that work takes as much less time as the device does; ``limit``: the device
        that is the limit.
        """
        seen = self.limit if limit else self.change("A, faster", "cycle")
        foretold = 100.0 / FASTER - 100.0
        return foretold, interval(seen), interval(100.0 * (foretold - seen) / (100.0 + seen))

    def turn_changes(self):
        """Return by run how much longer B takes than A in its turns, in percent."""
        kept = switching.settled(self.switched.dropna(subset=["time"]), DISCARD)
        means = kept.groupby(["run", "version"])["time"].mean().unstack("version").dropna()
        return (100.0 * (means[1] / means[0] - 1.0)).to_numpy()

    def carried(self):
        """Return the first position whose carry-over can't be told from 0, and the best batch."""
        seen = self.switched.dropna(subset=["time"])
        left = switching.carry_over(seen, "time", unit="run")
        shown = (left["carried"] - left["half_width"] > 0.0).to_numpy()
        discard = int(np.argmin(shown)) if not shown.all() else shown.size
        covariance = switching.autocovariance(seen, "time", 20)
        sizes = switching.batch_sizes(covariance, max(1, discard), len(seen) // self.turns)
        return discard, int(sizes["standard_error"].idxmin())

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

        A unit is a run of either version, or a run with both by turns. Tracing has no deviation if
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
    """Return the hours that show a difference of so many percent (95 % confidence, power 90 %)."""
    pair = np.array([-1.0, 1.0]) * deviation / math.sqrt(2.0)  # whose deviation is that
    return hours * switching.units_needed(pair, size)


def prices(study, sizes=SIZES):
    """Return the hours that each method must observe, with the interval that its deviation has."""
    rows = []
    for method, (deviation, hours, freedom) in study.deviations().iterrows():
        ends = np.sqrt(freedom / stats.chi2.ppf([0.975, 0.025], freedom))
        for size in sizes:
            tried = [deviation * times for times in (1.0, *ends)]
            known = not math.isnan(deviation)
            need = [hours_needed(one, hours, size) if known else math.nan for one in tried]
            rows.append((method, size, *need))
    return pd.DataFrame(rows, columns=["method", "size", "hours", "low", "high"])


def found_share(study, size, pairs=60, draws=4000):
    """Return how many pairs of runs find a difference of so many percent, and how often they do.

    As many pairs as `hours_needed` says are drawn from fresh ones, whose mean difference is put
    in the place of their own.
    """
    seed, case, b = study.seed + 1000, study.case, {"A": {}, "B": study.case.b}
    runs = what_if.run(simulate(case), case.parameters, b, pairs, seed=seed, progress=False)
    apart = what_if.differences(runs, "time", percent=True)["B"].to_numpy()
    units = math.ceil(hours_needed(study.deviations().loc["replayed", "deviation"], 1, size))
    drawn = np.random.default_rng(seed).choice(apart - apart.mean() + size, (draws, units))
    least = stats.t.ppf(0.975, units - 1) / math.sqrt(units) * drawn.std(axis=1, ddof=1)
    return units, float((drawn.mean(axis=1) > least).mean())


def cheapest(all_prices, left_out=()):
    """Return the cheapest method by system and size, of `prices` by system; some left out."""
    rows = []
    for key, table in all_prices.items():
        table = table[~table["method"].isin(left_out)].reset_index(drop=True)
        best = table.loc[table.groupby("size")["hours"].idxmin()]
        rows.append(best.assign(system=key))
    return pd.concat(rows, ignore_index=True)


def price_table(found, size=5.0):
    """Return hours with their intervals by method and system as words; last, the ratio model.

    The ratio model needs one run, and says nothing of effects that are smaller than twice its
    error: its row tells from which size on it can be asked.
    """
    columns = {}
    for key, study in found.items():
        table = prices(study, (size,)).set_index("method")
        told = [
            "B acts elsewhere"
            if math.isnan(row.hours)
            else f"{_hours(row.hours)} ({_hours(row.low)} to {_hours(row.high)})"
            for row in table.itertuples()
        ]
        _, _, (error, half_width) = study.ratio(limit=True)
        columns[NAMES[key]] = [*told, f"a run; from {2 * (abs(error) + half_width):.0f} % on"]
    return pd.DataFrame(columns, index=[*PRICED.values(), "ratio model"])


def _hours(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


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
    (foretold, seen, error), (_, *limit) = study.ratio(), study.ratio(limit=True)
    b, device = study.case.said[:2]
    told = f"{device} {FASTER:g} times as fast: {foretold:.0f} % foretold, {percent(seen)} seen"
    more = "It is the limit"
    if study.case.limiting:
        more = "The limit, the processor: {} seen; off by {}".format(*map(percent, limit))
    return f"{told}; off by {percent(error)}. {more}", f"version B ({b}): no device's time differs"


def _tell_runs(study):
    b = study.change("B")
    a = study.runs.loc[study.runs["variant"] == "A", "time"]
    scatter = 100.0 * a.std() / a.mean()
    told = f"{study.case.said[0]}: {study.case.said[2]} {percent(interval(b))}"
    return told, f"why; and live no load comes twice: there runs scatter by {scatter:.0f} %"


def _tell_switching(study):
    change = interval(study.turn_changes())
    discard, batch = study.carried()
    told = f"B by turns: {percent(change)}; {discard} observations carried over, best batch {batch}"
    apart = abs(change[0] - study.change("B").mean()) > change[1] + interval(study.change("B"))[1]
    blind = "what B does in the long run: it differs" if apart else "what takes longer than a batch"
    return told, blind + "; another device can't be switched on"


def _tell_tracing(study):
    parts = study.parts()
    largest = parts["A"].idxmax()
    share = 100.0 * parts["A"].max() / parts["A"].sum()
    moved = study.moved()
    change = show.pm(*parts.loc[moved, ["change", "half_width"]])
    return (
        f"{share:.0f} % of a stay: {largest}; B moves '{moved}' by {change} s",
        "what would be without B: one trace holds one version",
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
    "configurations compared": _tell_runs,
    "switching on line": _tell_switching,
    "tracing": _tell_tracing,
    "planned experiment": _tell_plan,
}
