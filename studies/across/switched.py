"""Versions that take turns while a system runs.

``unix_v6`` and ``cp67`` can be observed so. For the others this module is the switch: a version
changes numbers that the running machine obeys, or in ``tss360`` its scheduling table, and what has
been counted between two switches is read out as of a run.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from perfkit.methods import switching
from perfkit.runs.executors import threads
from perfkit.systems import emas, sim61, tss360, unix_v6
from perfkit.systems.emas import load as emas_load
from perfkit.systems.emas import result as emas_result
from perfkit.systems.emas import run as emas_run
from perfkit.systems.emas.memory.categories import TABLE_4
from perfkit.systems.emas.state import new_machine as emas_machine
from perfkit.systems.sim61 import load as sim61_load
from perfkit.systems.sim61 import result as sim61_result
from perfkit.systems.sim61 import run as sim61_run
from perfkit.systems.sim61.state import new_machine as sim61_machine
from perfkit.systems.tss360 import load as tss360_load
from perfkit.systems.tss360 import result as tss360_result
from perfkit.systems.tss360 import run as tss360_run
from perfkit.systems.tss360.state import new_machine as tss360_machine
from studies.across.cases import HOUR_S, TIMES
from studies.cp67.runs import observe_days

# Seconds per observation, and observations per run: half an hour, an hour of the quiet ones.
PERIODS = {"unix_v6": (15, 80), "sim61": (15, 120), "cp67": (60, 60), "emas": (60, 60)}
PERIODS["tss360"] = (60, 60)
BATCH, DISCARD = 4, 1


def _in_stretches(loop, m, p, versions, order, period_s, read):
    """Run a machine on, stretch by stretch; ``read()`` says what each began with, and came to."""
    loop.until(m, 1000.0 * p.settle_s)
    times = []
    for k, version in enumerate(order, 1):
        for name, value in versions[version].items():
            m.settings[name] = value
        ended = read()
        loop.until(m, 1000.0 * (p.settle_s + k * period_s))
        times.append(ended())
    return times


def _sim61(p, seed, versions, order, period_s):
    m = sim61_machine(p, sim61_load.TABLE_1, seed, sim61.TABLE_2)

    def read():
        before = type(m.after)(*(counts.copy() for counts in m.after))
        return lambda: sim61_result.read_out(m, p, sim61_load.TABLE_1, seed, before).response_s

    return _in_stretches(sim61_run.LOOP, m, p, versions, order, period_s, read)


def _emas(p, seed, versions, order, period_s):
    kinds, log = emas_load.kind_records(p, emas.TABLE_6), emas_result.completion_log()
    m = emas_machine(p, TABLE_4, kinds, seed, p.settle_s + len(order) * period_s)

    def read():
        before = emas_result.counted(m)

        def ended():
            return TIMES["emas"](emas_result.read_out(m, log.taken(m), before, p, seed))[0]

        return ended

    return _in_stretches(emas_run.LOOP, m, p, versions, order, period_s, read)


def _tss360(p, seed, versions, order, period_s):
    p = p.replace(measured_s=float(len(order) * period_s))
    log, demands = tss360_result.transaction_log(), tss360_load.demand_tables(p)
    tables = [
        tss360_load.read_schedule(tss360.schedule_table(p.replace(**version)), p.frames)
        for version in versions
    ]
    m = tss360_machine(p, tables[0][0].copy(), tables[0][1], demands, seed)
    run_to = lambda until_s: tss360_run.LOOP.until(m, 1000.0 * until_s, log.take)  # noqa: E731
    run_to(p.settle_s)
    for k, version in enumerate(order, 1):
        m.entries[:] = tables[version][0]
        run_to(p.settle_s + k * period_s)
    return tss360_result.read_out(m, log.taken(m), p, seed).minutes()["R"]


def _unix_v6(p, seed, versions, order, period_s):
    longer = p.replace(interactions=4 * p.interactions)
    seen = unix_v6.observe(longer, seed, versions=versions, order=order, period_s=period_s)
    return 1.0 / seen["characters_per_s"]


SWITCHED = {"unix_v6": _unix_v6, "sim61": _sim61, "emas": _emas, "tss360": _tss360}


def observe(case, runs, seed=0, batch=BATCH):
    """Return observations of runs in which A and B take turns, a batch of observations each.

    As ``switching.label`` returns; ``time`` is what the case asks for, of a period (of
    ``unix_v6`` that of a character printed), and ``hours`` how long each run was observed.
    """
    period_s, count = PERIODS[case.key]
    order = switching.switching_order(2, batch, count)
    if case.key == "cp67":
        timed = case.parameters.replace(observation_wait_s=(period_s,) * 19)
        found = observe_days(timed, runs, seed, versions=case.versions, batch=batch)
        found = found.assign(time=1.0 / found["user_percent"])
    else:
        one = SWITCHED[case.key]
        lists = Parallel(n_jobs=threads(None), prefer="threads")(
            delayed(one)(case.parameters, run, case.versions, order, float(period_s))
            for run in range(seed, seed + runs)
        )
        found = pd.DataFrame(
            {
                "run": np.repeat(np.arange(seed, seed + runs), count),
                "version": np.tile(order, runs),
                "time": np.concatenate([np.asarray(times, float) for times in lists]),
            }
        )
        found = switching.label(found.replace([np.inf], np.nan), batch, 2)
    hours = period_s * count / HOUR_S if case.key != "cp67" else 1.0
    return found.assign(hours=hours)
