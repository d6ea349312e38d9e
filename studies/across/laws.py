"""Operational laws, bounds and exact models beside the five simulators."""

import math

import numpy as np
import pandas as pd
from scipy import stats

from perfkit import show
from perfkit.analytic import operational
from perfkit.analytic.approximate import linearizer, schweitzer
from perfkit.analytic.mixed import solve_mixed
from perfkit.analytic.mva import solve_mva
from perfkit.analytic.priorities import priorities
from perfkit.runs import what_if
from perfkit.runs.experiment import interval, replicate
from perfkit.systems import cp67, sim61, unix_v6
from studies import STUDIES
from studies.tss360.experiments import device_demands

SECOND_MS = 1000.0


def _unix_v6(r):
    p, per = r.parameters, r.elapsed_s / (r.parameters.processes * r.parameters.interactions)
    pause_s = float(np.arange(4) @ np.array(p.pause_percent)) / 100.0
    demands = {"disc": r.utilization_exact, "processor": r.user_share + r.supervisor_share}
    return p.processes, 1.0 / per, None, pause_s, demands


def _sim61(r):
    devices = r.devices().groupby("device", sort=False)["busy_share"]
    demands = {"processor": (100.0 - r.idle_percent) / 100.0}
    for name, share in devices:
        label = "drum" if name.startswith("8567") else "user disc"
        demands |= {f"{label} {k}": one for k, one in enumerate(share, 1)}
    tasks = r.classes().query("task_type == 'interactive'")["tasks"].sum()
    return tasks, r.interactions / r.parameters.measured_s, r.response_s, None, demands


def _cp67(r):
    p, span_s = r.parameters, r.parameters.measured_s
    record_ms = p.disc_revolution_ms * (0.5 + 1.0 / p.disc_records_per_track)
    disc_ms = p.disc_seek_ms[1] * (1 - 1 / p.discs) + record_ms  # another user's file is next
    demands = {
        "processor": (r.user_percent + r.supervisor_percent) / 100.0,
        "drum": r.drum_busy_ms / SECOND_MS / span_s,
    }
    demands |= {
        f"disc {k}": r.disc_ios_per_s * disc_ms / SECOND_MS / p.discs for k in range(p.discs)
    }
    return round(r.logged_on_users), r.tasks_ended / span_s, r.response_s, None, demands


def _emas(r):
    p, span_s = r.parameters, r.parameters.measured_s
    session = r.session()
    demands = {"processor": (r.user_percent + r.supervisor_percent) / 100.0}
    busy = r.drum_operations * p.slot_ms / SECOND_MS / span_s / p.drums
    demands |= {f"drum {k}": busy for k in range(p.drums)}
    return p.users, r.commands / span_s, session["elapsed_s"].mean(), None, demands


def _tss360(r):
    per_s = r.values["transactions"]
    demands = device_demands([r]) * per_s
    demands.index = [f"{name} {k}" if k else name for k, name in enumerate(demands.index)]
    return round(r.N_t), per_s, r.transaction_log()["response_s"].mean(), None, demands.to_dict()


SEEN = {"unix_v6": _unix_v6, "sim61": _sim61, "cp67": _cp67, "emas": _emas, "tss360": _tss360}


def beside(case, replications=6, seed=0):
    """Return the laws beside one system's runs.

    Demands are busy shares over throughput, and the time users think is what the response time
    law leaves. ``bound`` is throughput in percent of the asymptotes', ``X`` and ``R`` say by how
    many percent the exact model's throughput and response are off, with half-widths.
    """
    rows = []
    for k in range(seed, seed + replications):
        r = STUDIES[case.key].module().simulate(case.parameters, k)
        n, per_s, response_s, think_s, shares = SEEN[case.key](r)
        response_s = n / per_s - think_s if response_s is None else response_s
        think_s = max(0.0, n / per_s - response_s)
        demands = pd.Series(shares) / per_s
        exact = solve_mva(demands, n, think_s)
        bounds = operational.asymptotic_bounds(demands.to_numpy(), n, think_s)
        rows.append(
            {
                "N": n,
                "bottleneck": max(shares, key=shares.get).split(" ")[0],
                "busy": max(shares.values()),
                "N_star": operational.saturation_point(demands.to_numpy(), think_s),
                "bound": 100.0 * per_s / float(np.ravel(bounds.throughput_high)[0]),
                "X": 100.0 * (exact.throughput / per_s - 1.0),
                "R": 100.0 * (exact.response_s / response_s - 1.0),
            }
        )
    frame = pd.DataFrame(rows)
    told = frame[["N", "busy", "N_star", "bound"]].mean().to_dict()
    told["bottleneck"] = frame["bottleneck"].mode()[0]
    return told | {name: interval(frame[name]) for name in "XR"}


def q1_before_q2(replications=6, seed=0, users=120):
    """Return how many users are in Q1 and in Q2 of a CP-67 with room for all, and the formulas.

    No discs, no paging: one server. Service in Q1 is a task's first t1, the rest is Q2's.
    """
    p = cp67.Parameters(
        measured_s=7200.0, frames=100_000, users=users, swing=0.0, day_users_sd=0.0,
        day_heaviness_sd=0.0, user_heaviness_sd=0.0, user_io_sd=0.0, sio_interval_ms=1e8,
        absence_share=0.0, think_s=60.0, task_ms=300.0, fault_ms=0.0, write_ms=0.0, queue_ms=0.0,
        drum_revolution_ms=0.1, quantum_ms=1e6,
        observation_wait_s=(10_000,) * 19,
    )  # fmt: skip
    rows = replicate(cp67.simulate, p, replications, seed=seed, progress=False)
    per_s = rows["q1_entries"].mean() / p.measured_s
    draws = p.task_ms * stats.lognorm.ppf(
        (np.arange(200_000) + 0.5) / 200_000, p.task_shape, scale=math.exp(-p.task_shape**2 / 2)
    ) / SECOND_MS  # fmt: skip
    first, rest = np.minimum(draws, p.t1_ms / SECOND_MS), draws - p.t1_ms / SECOND_MS
    rest = rest[rest > 0]
    arrivals = [per_s, per_s * rest.size / draws.size]
    services = [first.mean(), rest.mean()]
    squares = [(first**2).mean(), (rest**2).mean()]
    second = rows["q2_users"] + rows["candidates"]
    found = {"simulated": [show.pm(*interval(one)) for one in (rows["q1_users"], second)]}
    for name, preemptive in (("preemptive", True), ("head of line", False)):
        number = priorities(arrivals, services, squares, preemptive=preemptive).number
        found[f"M/G/1, {name}"] = [f"{one:.2f}" for one in number]
    memoryless = priorities(arrivals, services, preemptive=True).number
    found["preemptive, exponential service"] = [f"{one:.2f}" for one in memoryless]
    return pd.DataFrame(found, index=["users in Q1", "users in Q2"])


UPDATES = {  # the same writes all at once, or evenly
    "none": {"flush_period_s": 3600, "other_inodes": 0},
    "every 30 s, the thesis's": {},
    "every second, one inode": {"flush_period_s": 1, "other_inodes": 1},
}


def update(replications=8, seed=0):
    """Return what /etc/update costs unix_v6, and what a mixed network says of it.

    Its writes (``per_s``) are an open class at the disc that the closed processes use. ``seen`` and
    ``mixed`` are in percent of the elapsed time without; ``arm`` is ``mixed`` with every block as
    long as it was measured beside those writes.
    """
    p = unix_v6.Parameters(memory_clicks=3200, interactions=100)
    runs = what_if.run(unix_v6.simulate, p, UPDATES, replications, seed=seed, progress=False)
    seen = what_if.differences(runs, "elapsed_s", percent=True)
    means = runs.groupby("variant", sort=False).mean(numeric_only=True)
    own, work = means.loc["none"], p.processes * p.interactions
    busy_s = own["elapsed_s"] * own[["utilization_exact", "user_share", "supervisor_share"]]
    closed = [busy_s.iloc[0] / work, busy_s.iloc[1:].sum() / work]
    pause_s = float(np.arange(4) @ np.array(p.pause_percent)) / 100.0
    alone = solve_mva(closed, p.processes, pause_s).throughput
    rows = {}
    for name in [*UPDATES][1:]:
        other = means.loc[name]
        per_s = (other["writes"] - own["writes"]) / other["watched_s"]
        rows[name] = {"per_s": per_s, "seen": interval(seen[name])}
        for told, longer in (("mixed", 1.0), ("arm", other["block_ms"] / own["block_ms"])):
            demands, opened = [closed[0] * longer, closed[1]], [other["block_ms"] / SECOND_MS, 0.0]
            mixed = solve_mixed(demands, p.processes, opened, max(per_s, 0.0), pause_s).closed
            rows[name][told] = 100.0 * (alone / mixed.throughput - 1.0)
    return pd.DataFrame(rows).T


def classes_of_tasks(replications=6, seed=0):
    """Return sim61's task classes as a network: two approximations beside the exact solution.

    Demands per interaction are measured. By class: percent by which either is off what is exact
    with a third of the tasks (all are too many), then with ``all`` tasks the Linearizer's response
    in s, and the ``simulated`` one.
    """
    p = sim61.Parameters(paging_devices=("8567", "8567"), measured_s=1200.0)
    rows = []
    for k in range(seed, seed + replications):
        r = sim61.simulate(p, k)
        table, devices = r.classes(), r.devices()
        own = table[table["task_type"] == "interactive"]
        done = own["interactions"]
        faults = own["page_faults"] + own["exec_faults"]
        moved = (r.pages_in + r.exec_pages_in + r.pages_out) / (r.pages_in + r.exec_pages_in)
        processor = own["user_percent"] / table["user_percent"].sum()
        operation_ms = devices["operation_ms"].to_numpy()
        demands = {"processor": own["user_percent"] + processor * r.supervisor_percent}
        demands["processor"] *= 10.0 * p.measured_s
        demands |= {f"drum {k}": faults * moved * operation_ms[k] / 2 for k in (0, 1)}
        demands |= {f"disc {k}": own["ios"] * operation_ms[k] / 2 for k in (2, 3)}
        demands = pd.DataFrame(demands)
        rows.append((demands.div(done, axis=0) / SECOND_MS, own["response_s"], own["tasks"]))
    demands = sum(row[0] for row in rows) / replications
    response = sum(row[1] for row in rows) / replications
    answered = response.index[response.notna()]
    demands, response, tasks = demands.loc[answered], response[answered], rows[0][2][answered]
    load = sim61.backing_store_load().set_index("name").loc[demands.index]
    think = load["think_s"]
    few = np.maximum(1, tasks // 3)
    exact = solve_mva(demands, few, think).response_s
    off = {
        name: 100.0 * (solve(demands, few, think).response_s / exact - 1.0)
        for name, solve in {"Schweitzer": schweitzer, "Linearizer": linearizer}.items()
    }
    whole = linearizer(demands, tasks, think).response_s
    return pd.DataFrame({**off, "all": whole, "simulated": response}, index=demands.index)
