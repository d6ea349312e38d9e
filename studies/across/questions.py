"""What else the papers left open: Brachman's other questions, Anderson's and Adams's."""

import pandas as pd

from perfkit.des.lists import NOBODY
from perfkit.runs import what_if
from perfkit.runs.experiment import interval
from perfkit.systems import emas, unix_v6
from perfkit.systems.unix_v6.memory import may_be_victim
from perfkit.systems.unix_v6.state import State
from studies.across.cases import cases, simulate

HEAVY_MS = 354  # of computing per interaction, of every second process
TEXT_CLICKS = 80  # of 157: instructions, which never change


@unix_v6.victim_policy
def keep_a_mix(processes, wanted, minimum_time_out_s, minimum_time_in_s):
    """Send out the oldest of the kind that core holds more of; odd numbers compute, even read."""
    for p in range(1, processes.size):
        if may_be_victim(processes[p]) and processes[p].state == State.WAIT:
            return p
    if processes[wanted].age_s < minimum_time_out_s:
        return NOBODY
    more = 0
    for p in range(2, processes.size):
        if processes[p].loaded:
            more += 1 if p % 2 else -1
    chosen, age_s = NOBODY, -1
    for p in range(1, processes.size):
        wrong_kind = (more > 0 and p % 2 == 0) or (more < 0 and p % 2 == 1)
        age = processes[p].age_s - (1000 if wrong_kind else 0)
        may = may_be_victim(processes[p]) and processes[p].age_s >= minimum_time_in_s
        if may and (chosen == NOBODY or age > age_s):
            chosen, age_s = p, age
    return chosen


def two_kinds(parameters=None, seed=0, victim=None):
    """Run ``unix_v6`` with every second process computing much, the others little."""
    p = unix_v6.Parameters.given(parameters)
    work = unix_v6.draw_workload(p, seed)
    heavy = unix_v6.draw_workload(p.replace(compute_ms=HEAVY_MS), seed)
    work.interactions.compute_ms[1::2] = heavy.interactions.compute_ms[1::2]
    return unix_v6.simulate(p, seed, workload=work, victim=victim)


def _row(question, simulation, parameters, change, measure, replications, seed):
    runs = what_if.run(
        simulation, parameters, {"baseline": {}, "changed": change}, replications,
        seed=seed, progress=False,
    )  # fmt: skip
    differs = what_if.differences(runs, measure, percent=True)["changed"]
    return {"question": question, "change": interval(differs)}


def answers(replications=8, seed=0):
    """Return by who asked each ``question``, and the ``change`` of the time that work takes."""
    own = unix_v6.Parameters(memory_clicks=650, interactions=100)
    slower = own.replace(operations_per_interaction=1.0)
    pure = {
        "memory_clicks": own.memory_clicks - TEXT_CLICKS,
        "process_clicks": tuple(clicks - TEXT_CLICKS for clicks in own.process_clicks),
    }
    five, half = cases(), max(3, replications // 2)
    tss, edinburgh = five["tss360"], five["emas"]
    its, hers = (simulate(tss), tss.parameters), (simulate(edinburgh), edinburgh.parameters)
    one_core = emas.category_table()
    one_core["core_pages"] = one_core["core_pages"].clip(lower=40)
    one_slice = emas.category_table()
    one_slice["cpu_s"] = one_slice["cpu_s"].median()
    balance = {"victim": keep_a_mix}
    rows = {
        "Brachman, balance": _row(
            "a mix of computing and reading kept in core, at a busy disc",
            two_kinds, own, balance, "elapsed_s", replications, seed),
        "Brachman, balance ": _row(
            "the same with a third of the disc operations",
            two_kinds, slower, balance, "elapsed_s", replications, seed),
        "Brachman, pure code": _row(
            f"{TEXT_CLICKS} of 157 clicks shared, in core once",
            unix_v6.simulate, own, pure, "elapsed_s", replications, seed),
        "Anderson, repackaging": _row(
            "what a transaction refers to at a time on six pages, not nine",
            *its, {"sharable_working_set": 6}, "time", half, seed),
        "Adams, categories": _row(
            "no category with less than 40 pages of core",
            *hers, {"categories": one_core}, "time", half, seed),
        "Adams, categories ": _row(
            "one allowance of processor time for all categories",
            *hers, {"categories": one_slice}, "time", half, seed),
    }  # fmt: skip
    return pd.DataFrame(rows).T
