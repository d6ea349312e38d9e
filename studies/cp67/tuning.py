"""The method beyond the paper's experiments: evolutionary operation, and another system."""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from perfkit.methods import evop, switching
from perfkit.runs.executors import threads
from perfkit.runs.experiment import sweep
from perfkit.systems.cp67 import Parameters, simulate
from perfkit.systems.unix_v6 import Parameters as UnixParameters
from perfkit.systems.unix_v6.run import SWITCHABLE, observe

CYCLES, CHANGE_AT, LIGHTER = 14, 4, 0.5
STEP_USERS, LOWEST_USERS, HIGHEST_USERS, POINT_BATCH = 1.0, 1.0, 20.0, 3
LONGER = (1, 2, 4, 8)
CANDIDATE_LEVELS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)


def operate(start, heavier, seed=0, cycles=CYCLES, **changes):
    """Let evolutionary operation adjust how many users storage is taken to have room for.

    Each cycle is an hour and a half under the fixed estimator, its three points switched on
    line. It lasts up to eight times as long if a point has not been seen by then. The response
    is problem state time. At cycle CHANGE_AT the load changes: localities are LIGHTER times as
    large before it, or from it on.

    As ``evop.evolve``.
    """
    start = min(max(start, LOWEST_USERS + STEP_USERS), HIGHEST_USERS - STEP_USERS)
    users = evop.Adjustable("in_queue_users", start, STEP_USERS, LOWEST_USERS, HIGHEST_USERS)

    def observe(settings, cycle):
        versions = settings.to_dict("records")
        order = np.repeat(np.arange(len(versions)), POINT_BATCH)
        p = operated((cycle < CHANGE_AT) == heavier, **changes)
        run = 100 * seed + cycle
        for longer in LONGER:
            day = p.replace(measured_s=longer * p.measured_s)
            seen = simulate(day, run, versions=versions, order=order)
            found = switching.label(
                pd.DataFrame(seen.observation_log).assign(run=run), POINT_BATCH, len(versions)
            )
            by_version = switching.settled(found).groupby("version")["user_percent"]
            means = by_version.mean()
            if len(means) == len(versions):
                return means.to_numpy()
        raise ValueError(
            f"In {day.measured_s / 3600:g} hours no benchmark was completed at one of the points of"
            f" evolutionary operation; give the machine more frames than {day.frames}."
        )

    return evop.evolve(observe, [users], cycles, minimize=False, seed=seed)


def operated(lighter, **changes):
    """Return the machine that evolutionary operation meets: always steady, busy users."""
    steady = {"swing": 0.0, "day_users_sd": 0.0, "day_heaviness_sd": 0.0}
    p = Parameters(**changes).replace(estimator="fixed", users=45.0, measured_s=5400.0, **steady)
    if not lighter:
        return p
    return p.replace(locality_pages=[round(LIGHTER * pages) for pages in p.locality_pages])


def room_curve(lighter, replications=3, seed=0, **changes):
    """Return problem state time by how many users storage is taken to have room for.

    Means over seeds, indexed by users in queue.
    """
    design = pd.DataFrame({"in_queue_users": CANDIDATE_LEVELS})
    base = operated(lighter, **changes)
    rows = sweep(simulate, base, design, replications, seed=seed, progress=False)
    return rows.groupby("in_queue_users")["user_percent"].mean()


class Tuning:
    """Paths of evolutionary operation in independent runs, and the curves they climb.

    Every path begins at the best point of its first load.

    Parameters
    ----------
    runs, seed : int
    **changes
        Parameters that differ from the defaults in every run.

    Attributes
    ----------
    curves : dict of pandas.Series
        As ``room_curve``, by whether the load is the light one.
    paths : dict of list of pandas.DataFrame
        As ``operate``, one per run, by whether the load gets heavier.
    """

    def __init__(self, runs, seed=0, **changes):
        self.curves = {light: room_curve(light, seed=seed, **changes) for light in (True, False)}
        tasks = [(heavier, seed + run) for heavier in (True, False) for run in range(runs)]
        found = Parallel(n_jobs=threads(None), prefer="threads")(
            delayed(operate)(self.curves[heavier].idxmax(), heavier, one, **changes)
            for heavier, one in tasks
        )
        self.paths = {True: found[:runs], False: found[runs:]}

    def moved(self, heavier):
        """Return by run how far the best of the changed load is, at the end less at the change."""
        best = self.curves[not heavier].idxmax()
        away = np.array([np.abs(path["in_queue_users"] - best) for path in self.paths[heavier]])
        return away[:, -1] - away[:, CHANGE_AT]


MINIMUM_TIMES_S = ((3, 0), (3, 3), (8, 0), (8, 3))


def minimum_times(runs, seed=0, batch=3, cycles=3):
    """Switch both minimum times of UNIX V6 on line, twelve processes of 314 clicks.

    ``batch`` is the minutes per version in a cycle.

    The observations, labelled; version k has MINIMUM_TIMES_S[k] (out, in).
    """
    versions = [dict(zip(SWITCHABLE, times, strict=True)) for times in MINIMUM_TIMES_S]
    p = UnixParameters(process_clicks=(314,), interactions=1500)

    def one(run):
        count = cycles * batch * len(versions)
        order = switching.switching_order(len(versions), batch, count, seed=run)
        return pd.DataFrame(observe(p, run, versions=versions, order=order)).assign(run=run)

    seen = Parallel(n_jobs=threads(None), prefer="threads")(
        delayed(one)(run) for run in range(seed, seed + runs)
    )
    return switching.label(pd.concat(seen, ignore_index=True), batch, len(versions))
