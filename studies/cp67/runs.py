"""Bard's three experiments as designs, simulated days of them, and the levels that they reach."""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from perfkit.core.values import check_whole
from perfkit.methods import switching
from perfkit.runs.executors import threads
from perfkit.runs.experiment import interval
from perfkit.systems.cp67 import Parameters, simulate
from studies.evidence import published, scorecard

KEY = "cp67"
REPLACEMENT, SLICES, PRIORITY = 1, 2, 3
FIGURE_1_WIDTH = 2
FIELDS = {"algorithm": "algorithm", "t1_ms": "t1_ms", "t2_ms": "t2_ms", "p0": "dusetimr_priority"}
KNEE, LEVEL = 22, 25
BUSY_USERS, SHARE_OF_DAY = 1.25, 0.1
LEVEL_CELLS = {
    "page_read_rate": ("page_reads_per_s", "page reads, more than 22 active users"),
    "levelling_point": ("levels_off_at_users", "throughput levels off"),
    "active_share": ("active_share", "active over logged-on users"),
}


def designs():
    """Return the three experiments as the paper designed them, indexed by number."""
    return published.table(KEY, "experiments").set_index("experiment")


def versions_of(experiment):
    """Return what each version of an experiment changes, and what it is called.

    Returns
    -------
    versions : list of dict
        As ``simulate`` takes them.
    labels : list of str
    """
    rows = published.table(KEY, "versions")
    rows = rows[rows["experiment"] == experiment]
    changes = rows[list(FIELDS)].rename(columns=FIELDS)
    versions = [
        {name: float(value) for name, value in row.items() if pd.notna(value)}
        for row in changes.to_dict("records")
    ]
    return versions, rows["label"].tolist()


def busy_hour(parameters):
    """Return a tenth of a day with a quarter more users, of whom some thirty are active.

    Two versions run one after the other, over the same users with the same tasks. This needs
    fewer hours than switching; a simulator can do it, and Bard could not.
    """
    return parameters.replace(
        users=BUSY_USERS * parameters.users, measured_s=SHARE_OF_DAY * parameters.measured_s
    )


def observe_days(parameters, days, seed=0, *, versions, batch, drawn=False, jobs=None, **options):
    """Observe some days, each from a seed of its own, with versions switched in batches.

    Seeds are ``seed`` to ``seed + days - 1``; ``batch`` observations lie between switches;
    ``drawn`` draws the order of the versions within each cycle; options go to ``simulate``.

    Day k of two designs has the same users with the same tasks (common random numbers).

    The observations, ``run`` being the day's seed, with ``batch``, ``cycle``, ``position``,
    ``active_share`` and ``load`` (Figure 1's class of active users).
    """
    if not isinstance(parameters, Parameters):
        raise TypeError(f"observe_days takes cp67.Parameters(...), not {parameters!r:.60}.")
    check_whole("days", days)
    check_whole("seed", seed, 0)
    most = int(parameters.measured_s / min(parameters.observation_wait_s)) + 2

    def one(run):
        order = switching.switching_order(len(versions), batch, most, seed=run if drawn else None)
        result = simulate(parameters, run, versions=versions, order=order, **options)
        return pd.DataFrame(result.observation_log).drop(columns="day").assign(run=run)

    runs = Parallel(n_jobs=threads(jobs), prefer="threads")(
        delayed(one)(run) for run in range(seed, seed + days)
    )
    frame = switching.label(pd.concat(runs, ignore_index=True), batch, len(versions))
    return frame.assign(
        active_share=frame["active_users"] / frame["logged_on_users"],
        load=switching.load_classes(frame["active_users"], FIGURE_1_WIDTH),
    )


def experiment(number, days, seed=0, **changes):
    """Run one of Bard's experiments for some days.

    Number 1 is page replacement, 2 time slices, 3 user priority; ``changes`` are parameters
    that differ from the defaults on every day.

    As ``observe_days``, with the versions' ``label``.
    """
    if number not in designs().index:
        raise ValueError(f"The experiments are 1, 2 and 3; {number!r} is none.")
    design = designs().loc[number]
    versions, labels = versions_of(number)
    batch = 1 if pd.isna(design["batch_observations"]) else int(design["batch_observations"])
    drawn = str(design["order"]).startswith("pseudo-random")
    frame = observe_days(
        Parameters(**changes), days, seed, versions=versions, batch=batch, drawn=drawn
    )
    return frame.assign(label=np.array(labels)[frame["version"]])


def kept(observations, number):
    """Return the observations that the paper's design of an experiment keeps."""
    discarded = designs().loc[number, "discarded_observations"]
    return switching.settled(observations, 0 if pd.isna(discarded) else int(discarded))


def levels_off_at(observations):
    """Return the number of active users at which problem state time stops rising.

    It is the corner of two straight lines, the second one level, fitted by least squares.
    Returned are the corner, in active users, and the level beyond it.
    """
    x = observations["active_users"].to_numpy(float)
    y = observations["user_percent"].to_numpy(float)
    best = (np.inf, np.nan, np.nan)
    for corner in np.arange(x.min() + 2.0, x.max(), 0.5):
        rising = np.column_stack([np.ones_like(x), np.minimum(x, corner)])
        line, _, _, _ = np.linalg.lstsq(rising, y, rcond=None)
        squares = float(((y - rising @ line) ** 2).sum())
        best = min(best, (squares, corner, float(line[0] + line[1] * corner)))
    return best[1:]


def levels(observations):
    """Return by day the levels that the simulator is fitted to.

    ``observations`` are experiment 1's kept ones, both algorithms together.

    Here the corner is each day's, so that it has an interval. The fit takes the corner of all
    days' observations together, which varies less over a handful of days.

    Indexed by run: ``page_reads_per_s`` (more than 22 active users), ``levels_off_at_users``,
    ``active_share``.
    """
    busy = observations[observations["active_users"] > KNEE]
    by_day = observations.groupby("run")
    return pd.DataFrame(
        {
            "page_reads_per_s": busy.groupby("run")["page_reads_per_s"].mean(),
            "levels_off_at_users": by_day.apply(lambda day: levels_off_at(day)[0]),
            "active_share": by_day["active_users"].sum() / by_day["logged_on_users"].sum(),
        }
    )


def published_levels():
    """Return what the text says of those levels, in the order of LEVEL_CELLS."""
    return [
        published.stated(KEY, "page_read_rate"),
        float(LEVEL),
        published.stated(KEY, "active_share"),
    ]


def score_levels(observations):
    """Return the scorecard of the fitted levels, with 95 % intervals over days."""
    by_day = levels(observations).dropna()
    found = [interval(by_day[measure]) for measure, _ in LEVEL_CELLS.values()]
    days = designs().loc[REPLACEMENT, "duration"]  # of Figure 1; how long else is unsaid
    spreads = scorecard.spread([half_width for _, half_width in found], len(by_day), days)
    known = np.array([*LEVEL_CELLS]) == "levelling_point"
    return scorecard.cells(
        "Levels in the text", [what for _, what in LEVEL_CELLS.values()],
        [measure for measure, _ in LEVEL_CELLS.values()], "fitted", published_levels(),
        [mean for mean, _ in found], [half_width for _, half_width in found],
        spread=np.where(known, spreads, np.nan), runs=len(by_day),
    )  # fmt: skip
